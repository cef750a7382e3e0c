package confluence_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/connectors/confluence"
	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/internal/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// calls is one call for each operation and for each way in which it asks.
func calls() []replay.Call {
	call := func(tool, arguments string) replay.Call {
		return replay.Call{Tool: tool, Arguments: json.RawMessage(arguments)}
	}
	return []replay.Call{
		call("docs_search", `{"query":"crane"}`),
		call("docs_search", `{"query":"crane","space":"ENG"}`),
		call("docs_read", `{"ref":"101"}`),
		call("docs_read", `{"ref":"ENG:Crane manual"}`),
		call("docs_read", `{"ref":"https://acme.example.org/wiki/spaces/ENG/pages/101/Crane+manual","section":"Limits"}`),
		call("docs_list", `{}`),
		call("docs_list", `{"space":"ENG"}`),
		call("docs_list", `{"parent":"101"}`),
		call("resolve_reference", `{"reference":"https://acme.example.org/wiki/spaces/ENG/pages/101"}`),
	}
}

const config = "sources:\n  - name: docs\n    provider: confluence\n    base_url: https://acme.example.org/wiki\n    auth: {token_env: DOCS_TOKEN}\nretry: {max_attempts: 1}\n"

// TestManifest: what the manifest says of a source. It is told however the source
// fails, so that these cases are no part of the contract.
func TestManifest(t *testing.T) {
	replay.Each(t, filepath.Join("testdata", "manifest", "*.txtar"), func(t *testing.T, c replay.Case) {
		if c.Config == "" {
			c.Config = config
		}
		contracttest.Case(t, c)
	})
}

func TestContract(t *testing.T) {
	contracttest.Run(t, confluence.Provider, contracttest.Suite{
		Config: config,
		Calls:  calls(), Sweep: true,
		Situations: map[contracttest.Situation]string{
			contracttest.Found: "search", contracttest.ProvedEmpty: "search-empty", contracttest.Absent: "CF-02-title",
			contracttest.ContainerHidden: "CF-02-hidden", contracttest.CredentialBad: "CF-10", contracttest.CredentialMissing: "credential-missing",
			contracttest.ScopeMissing: "scope-gateway", contracttest.RateLimited: "CF-22",
			contracttest.PagingCut: "CF-05", contracttest.IndexLag: "CF-21", contracttest.FilterUnresolved: "CF-02-space",
			contracttest.Moved: "moved", contracttest.Unicode: "unicode", contracttest.OwnCap: "HT-17",
		},
		Without: map[contracttest.Situation]string{
			contracttest.FeatureOff: "no feature that we ask can be switched off in a Confluence: pages and their search are always there",
		},
	})
}
