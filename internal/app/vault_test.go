package app_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

const echoed = `ghp+/S3CRETS3CRET=<&>S3CRET`

// TestASecretNeverComesBack whatever an upstream echoes and wherever: in a title,
// in a header that becomes evidence, in the login of the account, in a body.
func TestASecretNeverComesBack(t *testing.T) {
	spellings := map[string]string{
		"as it is": echoed, "in an address": url.QueryEscape(echoed), "in base64": base64.StdEncoding.EncodeToString([]byte(echoed)),
		"as basic":       base64.StdEncoding.EncodeToString([]byte("user:" + echoed)),
		"with hidden":    echoed[:9] + "\u200b" + echoed[9:],
		"in base64 URLs": base64.RawURLEncoding.EncodeToString([]byte("xx" + echoed)),
	}
	for name, spelling := range spellings {
		t.Run(name, func(t *testing.T) {
			quoted, err := json.Marshal(spelling)
			if err != nil {
				t.Fatal(err)
			}
			var logs bytes.Buffer
			a := echoing(t, &logs, string(quoted), spelling)
			for _, call := range [][2]string{
				{"tracker_search", `{"project":"acme/app"}`}, {"tracker_search", `{"query":"x","project":"acme/app"}`},
				{"tracker_get_issue", `{"ref":"acme/app#1"}`}, {"docs_search", `{"query":"x"}`}, {"list_capabilities", `{"refresh":true}`}, {"list_failures", `{}`},
			} {
				r := a.Call(t.Context(), call[0], json.RawMessage(call[1]))
				var decoded any
				if err := json.Unmarshal(r.Structured, &decoded); err != nil {
					t.Fatalf("%s: %v", call[0], err)
				}
				all, err := json.Marshal([]any{r.Text, decoded, r.Meta})
				if err != nil {
					t.Fatal(err)
				}
				holdsNone(t, call[0], string(all))
			}
			holdsNone(t, "the log", logs.String())
		})
	}
}

// holdsNone fails if a part of the secret long enough to be told is in s.
func holdsNone(t *testing.T, where, s string) {
	t.Helper()
	inner := base64.StdEncoding.EncodeToString([]byte(echoed))[4:20]
	shifted := base64.StdEncoding.EncodeToString([]byte("user:" + echoed))[12:24]
	for _, part := range []string{"S3CRETS3CRET", inner, shifted} {
		if at := strings.Index(s, part); at >= 0 {
			t.Errorf("%s holds the secret: …%s…", where, s[max(0, at-60):min(len(s), at+60)])
		}
	}
}

// echoing is frank over a GitHub that sends the token back in everything.
func echoing(t *testing.T, logs io.Writer, quoted, plain string) *app.App {
	t.Helper()
	issue := `{"number":1,"title":` + quoted + `,"body":` + quoted + `,"state":"open","html_url":"https://github.com/acme/app/issues/1","repository_url":"https://api.github.com/repos/acme/app","user":{"login":` + quoted + `}}`
	rt := roundTripper(func(r *http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}, "X-Github-Request-Id": {"A:1"}, "X-Oauth-Scopes": {"repo"}, "X-Ratelimit-Limit": {"5000"}}
		code, body := 200, issue
		switch {
		case strings.HasPrefix(r.URL.Path, "/search/code"):
			code, body = 403, `{"message":`+quoted+`}`
			h.Set("X-Accepted-Github-Permissions", plain)
		case strings.HasPrefix(r.URL.Path, "/search/issues"):
			body = `{"total_count":1,"incomplete_results":false,"items":[` + issue + `]}`
		case r.URL.Path == "/user":
			body = `{"login":` + quoted + `}`
		case r.URL.Path == "/repos/acme/app":
			body = `{"full_name":"acme/app","private":true,"has_issues":true,"default_branch":"main"}`
		case strings.HasSuffix(r.URL.Path, "/issues"):
			body = `[` + issue + `]`
		}
		return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
	})
	cfg, err := config.Parse("frank.yaml", []byte("sources: [{name: github, provider: github, auth: {token_env: T}, default_project: acme/app}]\nretry: {max_attempts: 1}"))
	if err != nil {
		t.Fatal(err)
	}
	host := config.SystemHost()
	host.LookupEnv = func(string) (string, bool) { return echoed, true }
	a, err := app.New(cfg, app.Options{
		Version: "test", Transport: rt, Host: host, Now: time.Now, Log: slog.New(slog.NewJSONHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	return a
}
