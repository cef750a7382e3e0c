package github_test

import (
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/connectors/github"
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
		call("tracker_search", `{"project":"acme/app","state":"open"}`),
		call("tracker_search", `{"project":"acme/app","query":"foo"}`),
		call("tracker_search", `{"project":"*","query":"foo"}`),
		call("tracker_get_issue", `{"ref":"acme/app#1","include":["comments","links","history"]}`),
		call("tracker_describe", `{"project":"acme/app"}`),
		call("tracker_describe", `{"project":"*"}`),
	}
}

func TestContract(t *testing.T) {
	contracttest.Run(t, github.Provider, contracttest.Suite{
		Config: "sources:\n  - name: github\n    provider: github\n    base_url: https://api.github.com\n    default_project: acme/app\n    auth: {token_env: GITHUB_TOKEN}\n",
		Calls:  calls(), Sweep: true,
	})
}
