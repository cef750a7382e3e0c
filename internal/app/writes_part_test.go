package app_test

import (
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// A change of which an earlier process made a part, and which is refused now, is
// not called undone: nobody knows any more how it was before.
func TestARefusalDoesNotDenyWhatAnEarlierProcessHasDone(t *testing.T) {
	var patched, refuses atomic.Bool
	hub := roundTripper(func(r *http.Request) (*http.Response, error) {
		code, body := http.StatusOK, `{"number":7,"title":"Old","state":"open","labels":[],"html_url":"https://github.com/acme/app/issues/7","repository_url":"https://api.github.com/repos/acme/app"}`
		if patched.Load() {
			body = strings.Replace(body, "Old", "New", 1)
		}
		switch {
		case r.Method == http.MethodPatch:
			patched.Store(true)
			body = strings.Replace(body, "Old", "New", 1)
		case r.Method == http.MethodPost && refuses.Load():
			code, body = http.StatusForbidden, `{"message":"Must have admin rights","documentation_url":"x"}`
		case r.Method == http.MethodPost:
			return nil, syscall.ECONNRESET
		case patched.Load() && !refuses.Load():
			return nil, errors.New("gone")
		}
		h := http.Header{"Content-Type": {"application/json"}, "X-Github-Request-Id": {"A1"}, "X-Oauth-Scopes": {"repo"}, "X-Ratelimit-Limit": {"5000"}}
		return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
	})
	path := filepath.Join(t.TempDir(), "journal.db")
	yaml := "sources: [{name: github, provider: github, auth: {token_env: T}}]\nwrites: true\nretry: {max_attempts: 1, cooldown: 1ns}\n"
	change := `{"ref":"acme/app#7","title":"New","add_labels":["fixed"]}`
	r, _ := ask(t, kept(t, yaml, path, hub), "tracker_update_issue", change)
	if !strings.Contains(string(r.Structured), `"api_called":"maybe"`) {
		t.Errorf("the first process answers:\n%s", r.Text)
	}
	refuses.Store(true)
	r, v := ask(t, kept(t, yaml, path, hub), "tracker_update_issue", change)
	if v.Failure.Reason != "cleanup_not_configured" || strings.Contains(r.Text, "nothing was changed") {
		t.Errorf("the second answers:\n%s", r.Text)
	}
}
