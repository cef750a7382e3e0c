package local_test

import (
	"encoding/json"
	"testing"

	"github.com/frank-mcp/frank/connectors/local"
	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/internal/replay"
)

// The cases hold what text files can: directories, and checkouts without a
// commit. Repositories with a history are made by git in the other tests.
func TestContract(t *testing.T) {
	call := func(tool, arguments string) replay.Call {
		return replay.Call{Tool: tool, Arguments: json.RawMessage(arguments)}
	}
	contracttest.Run(t, local.Provider, contracttest.Suite{
		Config: "sources:\n  - {name: here, provider: local, root: '{dir}'}\n",
		Files: map[string]string{
			".git/HEAD":                      "ref: refs/heads/main\n",
			".git/objects/info/packs":        "",
			".git/refs/heads/.keep":          "",
			"docs/a.md":                      "# Needle\n",
			"backlog/tasks/task-1 - Mend.md": "---\nid: task-1\ntitle: Mend the needle\nstatus: To Do\n---\n",
		},
		Calls: []replay.Call{
			call("tracker_search", `{"query":"needle"}`),
			call("tracker_get_issue", `{"ref":"task-1","include":["comments","links","history"]}`),
			call("tracker_create_issue", `{"project":"here","title":"A"}`),
			call("tracker_update_issue", `{"ref":"task-1","state":"Done"}`),
			call("tracker_add_comment", `{"ref":"task-1","body":"B"}`),
			call("tracker_describe", `{}`),
			call("repo_search_code", `{"query":"needle"}`),
			call("repo_search_code", `{"query":"needle","revision":"HEAD"}`),
			call("repo_read_file", `{"path":"docs/a.md"}`),
			call("repo_list", `{"what":"files","recursive":true}`),
			call("repo_list", `{"what":"repos"}`),
			call("repo_list", `{"what":"branches"}`),
			call("repo_list", `{"what":"tags"}`),
			call("repo_get_change", `{"ref":"HEAD","include":["files","diff"]}`),
			call("repo_history", `{"path":"docs/a.md"}`),
			call("docs_search", `{"query":"needle"}`),
			call("docs_read", `{"ref":"docs/a.md"}`),
			call("docs_read", `{"ref":"Needle"}`),
			call("docs_list", `{}`),
		},
		Situations: map[contracttest.Situation]string{
			contracttest.Found: "tracker-backlog", contracttest.ProvedEmpty: "docs-search", contracttest.Absent: "docs-search",
			contracttest.PagingCut: "docs-search", contracttest.Unicode: "unicode",
		},
		Without: map[contracttest.Situation]string{
			contracttest.ContainerHidden:   "what this account may not read is seen to be there: permission_denied",
			contracttest.CredentialBad:     "files need no credential",
			contracttest.CredentialMissing: "files need no credential",
			contracttest.ScopeMissing:      "files know permissions, not scopes",
			contracttest.FeatureOff:        "what is not there is not switched off: see the case unsupported",
			contracttest.RateLimited:       "nothing limits the rate",
			contracttest.IndexLag:          "files are read, not an index of them",
			contracttest.FilterUnresolved:  "a filter is compared with what the files say, whatever it is",
			contracttest.Moved:             "files leave no forwarding address",
			contracttest.OwnCap:            "the files would be too large for a case: see cap_test.go",
		},
	})
}
