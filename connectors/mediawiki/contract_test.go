package mediawiki_test

import (
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/connectors/mediawiki"
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
		call("docs_search", `{"query":"crane","space":"Help"}`),
		call("docs_read", `{"ref":"Handbook"}`),
		call("docs_read", `{"ref":"https://wiki.example.org/w/index.php?title=Handbook&oldid=7","section":"Limits"}`),
		call("docs_list", `{}`),
		call("docs_list", `{"space":"Category:Guides"}`),
		call("docs_list", `{"parent":"Handbook"}`),
		call("resolve_reference", `{"reference":"https://wiki.example.org/wiki/Handbook"}`),
	}
}

func TestContract(t *testing.T) {
	contracttest.Run(t, mediawiki.Provider, suite())
}

func suite() contracttest.Suite {
	return contracttest.Suite{
		Config: "sources:\n  - name: wiki\n    provider: mediawiki\n    base_url: https://wiki.example.org/w/api.php\n    auth: {token_env: WIKI_TOKEN}\nretry: {max_attempts: 1}\n",
		Calls:  calls(), Sweep: true,
		Situations: map[contracttest.Situation]string{
			contracttest.Found: "search", contracttest.ProvedEmpty: "MW-09-empty", contracttest.Absent: "MW-02",
			contracttest.ContainerHidden: "read-denied", contracttest.CredentialBad: "MW-04", contracttest.CredentialMissing: "credential-missing",
			contracttest.ScopeMissing: "MW-03", contracttest.FeatureOff: "MW-09-off", contracttest.RateLimited: "MW-14",
			contracttest.PagingCut: "MW-05", contracttest.IndexLag: "MW-16", contracttest.FilterUnresolved: "space-unknown",
			contracttest.Moved: "moved", contracttest.Unicode: "unicode", contracttest.OwnCap: "HT-17",
		},
	}
}
