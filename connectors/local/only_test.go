//go:build unix

package local_test

import (
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/status"
)

func TestAnAllowListTreatsAllKindsOfASourceAlike(t *testing.T) {
	l := newLab(t)
	o := l.repo("checkout-of-app")
	l.commit(o, "needle", map[string]string{
		"docs/a.md": "# Needle\n", "backlog/tasks/task-1 - Mend.md": "---\nid: task-1\ntitle: Mend the needle\nstatus: To Do\n---\n",
	})
	l.git(o, "remote", "add", "origin", "https://forge.example/acme/app.git")
	for only, shown := range map[string]bool{"acme/app": true, "acme/*": true, "checkout-of-app": false, "other/app": false} {
		s := start(t, config.Source{Root: l.path(o), Only: []string{only}})
		for kind, verdict := range map[string]string{
			"search":   search(t, s, connectors.CodeQuery{Text: "needle"}).verdict(),
			"file":     readFile(t, s, connectors.FileGet{Path: "docs/a.md"}).verdict(),
			"entries":  list(t, s, connectors.RepoList{}).verdict(),
			"branches": list(t, s, connectors.RepoList{What: "branches"}).verdict(),
			"commits":  history(t, s, connectors.HistoryQuery{}).verdict(),
			"change":   change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD")}).verdict(),
			"hits":     find(s, "needle").verdict(),
			"page":     read(s, "docs/a.md", "").verdict(),
			"pages":    shelved(s, "", "").verdict(),
			"issues":   issues(s, connectors.IssueQuery{Text: "needle"}).verdict(),
			"issue":    get(s, "task-1").verdict(),
			"project":  ask[connectors.Project](t.Context(), s, "tracker_describe", nil).verdict(),
		} {
			switch denied := verdict == "partial ACCESS_DENIED policy_denied" || verdict == "access_failure ACCESS_DENIED policy_denied"; {
			case shown && verdict != "success NONE":
				t.Errorf("only %s: %s: %s", only, kind, verdict)
			case !shown && !denied:
				t.Errorf("only %s: %s: %s", only, kind, verdict)
			}
		}
	}
	s := start(t, config.Source{Root: l.path(o), Only: []string{"acme/app"}})
	issues(s, connectors.IssueQuery{Project: "acme/app"}).is(status.Success, status.None, "", 1)
	shelved(s, "acme/app", "").is(status.Success, status.None, "", 2)
	list(t, s, connectors.RepoList{Repo: "acme/app"}).is(status.Success, status.None, "", 2)
	s = l.source(o) // every name of the source is known, where no allow-list judges it
	for _, name := range []string{"acme/app", "checkout-of-app", "here"} {
		issues(s, connectors.IssueQuery{Project: name}).is(status.Success, status.None, "", 1)
		ask[connectors.Page](t.Context(), s, "docs_list", arguments{"space": name}).is(status.Success, status.None, "", 2)
		list(t, s, connectors.RepoList{Repo: name}).is(status.Success, status.None, "", 2)
	}
}
