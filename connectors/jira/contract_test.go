package jira_test

import (
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/connectors/jira"
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
		call("tracker_search", `{"project":"PAY","state":"open"}`),
		call("tracker_search", `{"project":"PAY","query":"foo","labels":["bug"],"assignee":"ada@acme.example"}`),
		call("tracker_search", `{"project":"*","native_query":"priority = High"}`),
		call("tracker_get_issue", `{"ref":"PAY-1","include":["comments","links","history"]}`),
		call("tracker_create_issue", `{"project":"PAY","title":"A","body":"B","labels":["bug"],"assignees":["Ada"]}`),
		call("tracker_update_issue", `{"ref":"PAY-1","state":"closed","add_labels":["bug"],"remove_labels":["old"]}`),
		call("tracker_add_comment", `{"ref":"PAY-1","body":"B"}`),
		call("tracker_describe", `{"project":"PAY"}`),
		call("tracker_describe", `{"project":"*"}`),
		call("resolve_reference", `{"reference":"PAY-1"}`),
	}
}

func TestContract(t *testing.T) {
	contracttest.Run(t, jira.Provider, contracttest.Suite{
		Config: "sources:\n  - name: jira\n    provider: jira\n    base_url: https://acme.atlassian.net\n    default_project: PAY\n    auth: {token_env: JIRA_TOKEN}\nwrites: true\nretry: {max_attempts: 1}\n",
		Calls:  calls(), Sweep: true,
		Situations: map[contracttest.Situation]string{
			contracttest.Found: "JR-11-last", contracttest.ProvedEmpty: "JR-17-settled",
			contracttest.ContainerHidden: "JR-06-project", contracttest.CredentialBad: "JR-01", contracttest.CredentialMissing: "credential-missing",
			contracttest.ScopeMissing: "JR-23", contracttest.FeatureOff: "write-create-archived", contracttest.RateLimited: "JR-25",
			contracttest.PagingCut: "JR-11", contracttest.IndexLag: "JR-17", contracttest.FilterUnresolved: "JR-29-unresolved",
			contracttest.Moved: "moved", contracttest.Unicode: "unicode", contracttest.OwnCap: "HT-17-projects",
		},
		Without: map[contracttest.Situation]string{
			contracttest.Absent: "Jira answers alike for an absent issue and for one that a security level hides (JR-06, JR-18)",
		},
	})
}
