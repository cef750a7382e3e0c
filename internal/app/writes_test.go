package app_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// creating is a GitHub that keeps one issue.
type creating struct {
	mu     sync.Mutex
	issue  string
	asked  []string
	listed string // answers the listing instead, if set
}

func (c *creating) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, r.Method+" "+r.URL.Path)
	code, body := http.StatusOK, `{"full_name":"acme/app","private":false,"has_issues":true}`
	switch r.Method + " " + r.URL.Path {
	case "POST /repos/acme/app/issues":
		sent, _ := io.ReadAll(r.Body)
		from := strings.Index(string(sent), "<!-- frank:")
		mark := string(sent[from : from+len("<!-- frank:0123456789abcdef -->")])
		c.issue = `{"number":1,"title":"T","state":"open","body":"` + mark + `","html_url":"https://github.com/acme/app/issues/1","repository_url":"https://api.github.com/repos/acme/app"}`
		code, body = http.StatusCreated, c.issue
	case "GET /repos/acme/app/issues":
		if body = "[" + c.issue + "]"; c.listed != "" {
			code, body = http.StatusInternalServerError, c.listed
		}
	}
	h := http.Header{"Content-Type": {"application/json"}, "X-Github-Request-Id": {"A1"}, "X-Oauth-Scopes": {"repo"}, "X-Ratelimit-Limit": {"5000"}}
	return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

// Where nothing outlives the process, an earlier one may have made the change:
// it is looked for first, and the answer says that no restart is proof against it.
func TestAForgetfulWriteLooksFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	hub := &creating{}
	forgetful := func() *app.App {
		cfg, err := config.Parse("f.yaml", []byte("sources: [{name: github, provider: github, auth: {token_env: T}}]\nwrites: true\n"))
		if err != nil {
			t.Fatal(err)
		}
		host := config.SystemHost()
		host.LookupEnv = func(string) (string, bool) { return "tok0SECRET", true }
		a, err := app.New(cfg, app.Options{Version: "test", Transport: hub, Host: host, Journal: filepath.Join(file, "journal")}) // below a file there is no room
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close(t.Context()) }) // memory alone
		return a
	}
	create := `{"project":"acme/app","title":"T"}`
	hub.listed = `{"message":"Server Error"}`
	r, v := ask(t, forgetful(), "tracker_create_issue", create)
	if v.Failure.Reason != "http_5xx" || !strings.Contains(string(r.Structured), "nothing was changed") || hub.issue != "" {
		t.Errorf("cannot look: %s", r.Text)
	}
	hub.listed = ""
	for i, replayed := range []bool{false, true} { // two processes, one after the other
		r, v = ask(t, forgetful(), "tracker_create_issue", create)
		if v.Status != "success" || strings.Contains(string(r.Structured), `"replayed":true`) != replayed || !strings.Contains(string(r.Structured), `"unproven":["idempotency_across_restarts"]`) {
			t.Errorf("process %d: %s", i+1, r.Structured)
		}
	}
	if n := strings.Count(strings.Join(hub.asked, "\n"), "POST"); n != 1 {
		t.Errorf("%d issues were sent: %q", n, hub.asked)
	}
}
