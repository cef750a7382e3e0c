package app_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/server"
)

// issueSeven is a GitHub whose every repository holds an issue 7 that takes changes.
type issueSeven struct{ requests atomic.Int64 }

func (s *issueSeven) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests.Add(1)
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/") // repos OWNER NAME …
	repo := strings.Join(parts[1:3], "/")
	mark := ""
	if r.Body != nil {
		sent, _ := io.ReadAll(r.Body)
		if from := strings.Index(string(sent), "<!-- frank:"); from >= 0 {
			mark = string(sent[from : from+len("<!-- frank:0123456789abcdef -->")])
		}
	}
	issue := `{"number":7,"title":"T","state":"closed","body":"` + mark + `","labels":[],"html_url":"https://github.com/` + repo + `/issues/7","repository_url":"https://api.github.com/repos/` + repo + `"}`
	code, body := http.StatusOK, issue
	switch {
	case len(parts) == 3:
		body = `{"full_name":"` + repo + `","private":false,"has_issues":true}`
	case r.Method == http.MethodPost && parts[len(parts)-1] == "comments":
		code, body = http.StatusCreated, `{"id":1,"body":"B\n\n`+mark+`"}`
	case r.Method == http.MethodPost:
		code = http.StatusCreated
	}
	h := http.Header{"Content-Type": {"application/json"}, "X-Github-Request-Id": {"A1"}, "X-Oauth-Scopes": {"repo"}, "X-Ratelimit-Limit": {"5000"}}
	return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

// changesOf are changes in a repository, by every way to name it.
func changesOf(repo string) [][2]string {
	return [][2]string{
		{"tracker_create_issue", `{"project":"` + repo + `","title":"T"}`},
		{"tracker_create_issue", `{"project":"` + strings.ToUpper(repo) + `","title":"U"}`},
		{"tracker_update_issue", `{"ref":"` + repo + `#7","state":"closed"}`},
		{"tracker_update_issue", `{"ref":"https://github.com/` + repo + `/issues/7","state":"closed","idempotency_key":"k` + repo + `"}`},
		{"tracker_add_comment", `{"ref":"https://github.com/` + strings.ToUpper(repo) + `/issues/7#issuecomment-1","body":"B"}`},
		{"tracker_add_comment", `{"ref":"` + repo + `#7","body":"C","source":"github"}`},
	}
}

func TestPolicyDecidesAboutChanges(t *testing.T) {
	for name, c := range map[string]struct{ rules, allowed, denied, rule string }{
		"allowed there": {`policy: {allow: ["tracker.issue:write on acme/app"]}`, "acme/app", "acme/other", "policy.allow"},
		"allowed by a glob, and denied": {`policy: {allow: ["*:write on acme/*"], deny: ["tracker.issue:write on acme/secret"]}`,
			"acme/app", "acme/secret", "tracker.issue:write on acme/secret"},
		"only reading is allowed":   {`policy: {allow: ["*:read on **"]}`, "", "acme/app", "policy.allow"},
		"only reading is allowed 2": {`policy: {allow: ["*:read on **", "*:write on acme/app"]}`, "acme/app", "acme/other", "policy.allow"},
		"the source has only":       {"", "acme/app", "other/app", "only"},
	} {
		t.Run(name, func(t *testing.T) {
			hub := &issueSeven{}
			only := ""
			if c.rule == "only" {
				only = `, only: ["acme/*"]`
			}
			yaml := "sources: [{name: github, provider: github, default_project: acme/app, auth: {token_env: T}" + only + "}]\n" + c.rules + "\nretry: {max_attempts: 1}\n"
			on := kept(t, yaml+"writes: true\n", filepath.Join(t.TempDir(), "j.db"), hub)
			off := kept(t, yaml, filepath.Join(t.TempDir(), "j.db"), hub)
			for _, change := range changesOf(c.denied) {
				r, v := ask(t, on, change[0], change[1])
				if v.Status != "access_failure" || v.Code != "ACCESS_DENIED" || v.Failure.Reason != "policy_denied" || !notSent(r) || !strings.Contains(string(r.Structured), `"rule":"`+c.rule+`"`) {
					t.Errorf("%s %s:\n%s", change[0], change[1], r.Text)
				}
				disabled(t, off, change)
			}
			r, v := ask(t, on, "tracker_create_issue", `{"project":"*","title":"T"}`) // names nothing that policy could judge
			if v.Failure.Reason != "invalid_argument" || !notSent(r) {
				t.Errorf("everywhere:\n%s", r.Text)
			}
			if n := hub.requests.Load(); n != 0 {
				t.Errorf("%d requests were sent for what is denied or off", n)
			}
			if c.allowed == "" {
				return
			}
			for _, change := range changesOf(c.allowed) {
				if r, v := ask(t, on, change[0], change[1]); v.Status != "success" {
					t.Errorf("%s %s:\n%s", change[0], change[1], r.Text)
				}
				disabled(t, off, change)
			}
		})
	}
}

// disabled: what is off stays off, whatever policy says.
func disabled(t *testing.T, a *app.App, change [2]string) {
	t.Helper()
	r, v := ask(t, a, change[0], change[1])
	if v.Code != "CAPABILITY_UNAVAILABLE" || v.Failure.Reason != "connector_disabled" || !notSent(r) || !strings.Contains(r.Text, "writes: true") {
		t.Errorf("off, %s %s:\n%s", change[0], change[1], r.Text)
	}
}

func notSent(r server.Reply) bool { return strings.Contains(string(r.Structured), `"api_called":"no"`) }

// A tracker of files has one project, which is called in several ways; a rule
// about it holds whichever is used.
func TestPolicyDecidesAboutChangesOfFiles(t *testing.T) {
	root := filepath.Join(t.TempDir(), "loc")
	task, before := filepath.Join(root, "backlog", "tasks", "task-1 - One.md"), "---\nid: task-1\ntitle: One\nstatus: To Do\n---\n\nbody\n"
	for path, text := range map[string]string{task: before, filepath.Join(root, "backlog", "config.yml"): "project_name: demo\n"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	yaml := "sources: [{name: here, provider: local, root: '" + root + "'}]\nwrites: true\npolicy: "
	denied := kept(t, yaml+"{deny: [\"tracker.issue:write on loc\"]}\n", filepath.Join(t.TempDir(), "j.db"), nil)
	unlisted := kept(t, yaml+"{allow: [\"*:read on **\", \"tracker.issue:write on demo\", \"tracker.issue:write on TASK\"]}\n", filepath.Join(t.TempDir(), "j.db"), nil)
	for _, change := range [][2]string{
		{"tracker_create_issue", `{"project":"loc","title":"T"}`},
		{"tracker_create_issue", `{"project":"demo","title":"T"}`},
		{"tracker_create_issue", `{"project":"here","title":"T","source":"here"}`},
		{"tracker_update_issue", `{"ref":"TASK-1","title":"T"}`},
		{"tracker_update_issue", `{"ref":"task-1","title":"T","source":"here"}`},
		{"tracker_add_comment", `{"ref":"TASK-1","body":"B"}`},
	} {
		for name, a := range map[string]*app.App{"denied": denied, "not listed": unlisted} {
			if r, v := ask(t, a, change[0], change[1]); v.Failure.Reason != "policy_denied" || !notSent(r) || !strings.Contains(r.Text, "nothing was changed") {
				t.Errorf("%s, %s %s:\n%s", name, change[0], change[1], r.Text)
			}
		}
	}
	after, err := os.ReadFile(task)
	if tasks, _ := filepath.Glob(filepath.Join(filepath.Dir(task), "*")); err != nil || string(after) != before || len(tasks) != 1 {
		t.Errorf("%v: the tracker was changed: %q\n%s", err, tasks, after)
	}
	free := kept(t, yaml+"{allow: [\"tracker.issue:write on *\"]}\n", filepath.Join(t.TempDir(), "j.db"), nil)
	if r, v := ask(t, free, "tracker_update_issue", `{"ref":"TASK-1","title":"T"}`); v.Status != "success" {
		t.Errorf("allowed:\n%s", r.Text)
	}
}
