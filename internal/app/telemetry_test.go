package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

const (
	secretToken    = "ghp_Hd6Js1Fg0Ya4UeZk4Qm9Xw2Rt7Lp5Vb8Nc3"
	secretArgument = "ghp_Rt7Lp5Vb8Nc3Hd6Js1Fg0Ya4UeZk4Qm9Xw2"
	secretBody     = "ghp_Nc3Hd6Js1Fg0Ya4UeZk4Qm9Xw2Rt7Lp5Vb8"
	secretHeader   = "Bearer collector-secret-5Vb8Nc3Hd6"
	parentTrace    = "0af7651916cd43dd8448eb211c80319c"
	parentSpan     = "b7ad6b7169203331"
)

// hub is as much of GitHub as tracker_get_issue needs. The issue is there at the
// second attempt.
type hub struct {
	mu       sync.Mutex
	failures int // left of the issue
	status   int // of a failure
	parents  []string
	asked    int
}

func (h *hub) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	h.parents = append(h.parents, r.Header.Get("Traceparent"))
	answers := map[string]string{
		"/user":                    `{"login":"octocat"}`,
		"/repos/acme/app":          `{"full_name":"acme/app","private":false,"has_issues":true,"default_branch":"main","html_url":"https://github.com/acme/app","open_issues_count":1}`,
		"/repos/acme/app/issues/1": `{"number":1,"title":"Payments fail ` + secretBody + `","state":"open","html_url":"https://github.com/acme/app/issues/1","repository_url":"https://api.github.com/repos/acme/app","user":{"login":"octocat"},"labels":[],"assignees":[],"comments":0,"body":"text","created_at":"2026-11-01T10:00:00Z","updated_at":"2026-11-02T10:00:00Z"}`,
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-GitHub-Request-Id", "C0DE:1")
	w.Header().Set("X-RateLimit-Limit", "5000")
	w.Header().Set("X-RateLimit-Remaining", "4999")
	w.Header().Set("X-RateLimit-Resource", "core")
	w.Header().Set("X-OAuth-Scopes", "repo")
	body, ok := answers[r.URL.Path]
	switch {
	case strings.HasSuffix(r.URL.Path, "/issues/1") && h.failures > 0:
		h.failures--
		w.WriteHeader(h.status)
		body = `{"message":"` + secretBody + `"}`
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		body = `{"message":"Not Found","status":"404"}`
	}
	_, _ = io.WriteString(w, body)
	return w.Result(), nil
}

// observed is frank over the hub, with that environment.
func observed(t testing.TB, h *hub, env map[string]string, change func(*app.Options)) *app.App {
	t.Helper()
	cfg, err := config.Parse("frank.yaml", []byte("sources: [{name: github, provider: github, auth: {token_env: T}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	host := config.SystemHost()
	host.LookupEnv = func(string) (string, bool) { return secretToken, true }
	o := app.Options{Version: "test", Transport: h, Host: host, Getenv: func(name string) string { return env[name] }}
	if change != nil {
		change(&o)
	}
	a, err := app.New(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	return a
}

// over asks over stdio, which carries a trace context, and returns the trace of
// the result.
func over(t *testing.T, a *app.App, tool, arguments, traceparent string) (trace struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
}) {
	t.Helper()
	var out bytes.Buffer
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"traceparent":%q}}}`, tool, arguments, traceparent)
	if err := a.Server.ServeStdio(t.Context(), io.NopCloser(strings.NewReader(hello+"\n"+line+"\n")), &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var v struct {
			ID     int
			Result struct {
				StructuredContent struct{ Trace json.RawMessage }
			}
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if v.ID == 2 {
			if err := json.Unmarshal(v.Result.StructuredContent.Trace, &trace); err != nil {
				t.Fatal(err)
			}
		}
	}
	return trace
}

func named(t *testing.T, spans []seenSpan, name string) []seenSpan {
	t.Helper()
	var out []seenSpan
	for _, s := range spans {
		if s.Name == name {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		for _, s := range spans {
			t.Logf("%+v", s)
		}
		t.Fatalf("no span %q", name)
	}
	return out
}

func has(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %s is %q, not %q; all: %v", what, k, got[k], v, got)
		}
	}
}
