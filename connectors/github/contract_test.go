package github_test

import (
	"encoding/json"
	"testing"

	"github.com/frank-mcp/frank/connectors/github"
	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/internal/replay"
)

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
		call("tracker_create_issue", `{"project":"acme/app","title":"A","body":"B","labels":["bug"],"assignees":["jo"]}`),
		call("tracker_update_issue", `{"ref":"acme/app#1","state":"closed","add_labels":["bug"],"remove_labels":["old"]}`),
		call("tracker_add_comment", `{"ref":"acme/app#1","body":"B"}`),
		call("tracker_describe", `{"project":"acme/app"}`),
		call("tracker_describe", `{"project":"*"}`),
		call("repo_search_code", `{"repo":"acme/app","query":"foo"}`),
		call("repo_read_file", `{"repo":"acme/app","path":"a/b.go"}`),
		call("repo_read_file", `{"repo":"acme/app","path":"a/b.go","revision":"feature/x","start_line":2,"end_line":3}`),
		call("repo_list", `{"what":"files","repo":"acme/app"}`),
		call("repo_list", `{"what":"files","repo":"acme/app","path":"a","recursive":true}`),
		call("repo_list", `{"what":"repos"}`),
		call("repo_list", `{"what":"repos","repo":"acme"}`),
		call("repo_list", `{"what":"branches","repo":"acme/app"}`),
		call("repo_list", `{"what":"tags","repo":"acme/app"}`),
		call("repo_get_change", `{"ref":"https://github.com/acme/app/pull/2","include":["files","diff","comments","reviews","checks"]}`),
		call("repo_get_change", `{"ref":"acme/app@0123456789abcdef0123456789abcdef01234567","include":["files","diff","checks"]}`),
		call("repo_get_change", `{"ref":"https://github.com/acme/app/compare/a...b","include":["files"]}`),
		call("repo_history", `{"repo":"acme/app","path":"a/b.go"}`),
		call("repo_history", `{"repo":"acme/app","text":"foo"}`),
		call("docs_search", `{"space":"acme/app","query":"foo"}`),
		call("docs_read", `{"ref":"docs/a.md"}`),
		call("docs_list", `{"space":"acme/app"}`),
		call("resolve_reference", `{"reference":"acme/app#1"}`),
		call("resolve_reference", `{"reference":"payments"}`),
	}
}

func TestContract(t *testing.T) {
	contracttest.Run(t, github.Provider, contracttest.Suite{
		Config: "sources:\n  - name: github\n    provider: github\n    base_url: https://api.github.com\n    default_project: acme/app\n    auth: {token_env: GITHUB_TOKEN}\nwrites: true\nretry: {max_attempts: 1}\n",
		Calls:  calls(), Sweep: true,
		Situations: map[contracttest.Situation]string{
			contracttest.Found: "GH-38", contracttest.ProvedEmpty: "GH-31-settled", contracttest.Absent: "GH-02-visible",
			contracttest.ContainerHidden: "GH-01", contracttest.CredentialBad: "GH-37", contracttest.CredentialMissing: "credential-missing",
			contracttest.ScopeMissing: "GH-04", contracttest.FeatureOff: "GH-41", contracttest.RateLimited: "GH-34",
			contracttest.PagingCut: "GH-38-after", contracttest.IndexLag: "GH-22", contracttest.FilterUnresolved: "filter-label",
			contracttest.Moved: "GH-42", contracttest.Unicode: "unicode", contracttest.OwnCap: "HT-17-file",
		},
	})
}
