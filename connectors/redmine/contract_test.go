package redmine_test

import (
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/connectors/redmine"
	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/internal/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const config = "sources:\n  - name: redmine\n    provider: redmine\n    base_url: https://redmine.example.org/pm\n    default_project: app\n    auth: {token_env: REDMINE_TOKEN}\nwrites: true\nretry: {max_attempts: 1}\n"

// calls is one call for each operation and for each way in which it asks.
func calls() []replay.Call {
	call := func(tool, arguments string) replay.Call {
		return replay.Call{Tool: tool, Arguments: json.RawMessage(arguments)}
	}
	return []replay.Call{
		call("tracker_search", `{"project":"app","state":"open"}`),
		call("tracker_search", `{"project":"*","assignee":"me"}`),
		call("tracker_search", `{"project":"app","query":"foo"}`),
		call("tracker_get_issue", `{"ref":"#12","include":["comments","links","history"]}`),
		call("tracker_describe", `{"project":"app"}`),
		call("tracker_describe", `{"project":"*"}`),
		call("tracker_create_issue", `{"project":"app","title":"A","body":"B","labels":["UI"],"assignees":["me"]}`),
		call("tracker_update_issue", `{"ref":"#12","state":"closed","title":"B","assignees":[]}`),
		call("tracker_add_comment", `{"ref":"#12","body":"B"}`),
		call("docs_search", `{"space":"app","query":"foo"}`),
		call("docs_read", `{"ref":"app:Guide"}`),
		call("docs_list", `{"space":"app"}`),
		call("resolve_reference", `{"reference":"#12"}`),
	}
}

func TestContract(t *testing.T) {
	contracttest.Run(t, redmine.Provider, contracttest.Suite{
		Config: config, Calls: calls(), Sweep: true,
		Situations: map[contracttest.Situation]string{
			contracttest.Found: "RM-05", contracttest.ProvedEmpty: "RM-08", contracttest.Absent: "RM-04", contracttest.ContainerHidden: "RM-04-project-hidden",
			contracttest.CredentialBad: "RM-01", contracttest.CredentialMissing: "credential-missing", contracttest.ScopeMissing: "RM-03",
			contracttest.FeatureOff: "module-off", contracttest.RateLimited: "rate-limited", contracttest.PagingCut: "RM-06",
			contracttest.IndexLag: "HT-15", contracttest.FilterUnresolved: "RM-07-person", contracttest.Moved: "moved",
			contracttest.Unicode: "unicode", contracttest.OwnCap: "HT-17",
		},
	})
}
