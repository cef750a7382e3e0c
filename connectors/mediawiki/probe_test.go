package mediawiki_test

import (
	"testing"

	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/internal/replay"
)

// TestManifest: what the manifest says of a wiki. It is success whatever it says, so
// that these cases stand beside those of the contract.
func TestManifest(t *testing.T) {
	replay.Each(t, "testdata/probe/*.txtar", func(t *testing.T, c replay.Case) {
		if c.Config == "" {
			c.Config = suite().Config
		}
		contracttest.Case(t, c)
	})
}
