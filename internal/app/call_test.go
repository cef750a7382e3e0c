package app_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// configured is frank over that configuration and transport.
func configured(t *testing.T, yaml string, rt http.RoundTripper) *app.App {
	t.Helper()
	cfg, err := config.Parse("frank.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	host := config.SystemHost()
	host.LookupEnv = func(string) (string, bool) { return "t0ken", true }
	a, err := app.New(cfg, app.Options{Version: "test", Transport: rt, Host: host, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	return a
}

func TestInvalidUTF8InArgumentsIsSaid(t *testing.T) {
	r, v := ask(t, wired(t, ""), "tracker_search", "{\"query\":\"caf\xe9\"}")
	if v.Code != "INPUT_MISSING" || v.Failure.Reason != "invalid_argument" || !strings.Contains(r.Text, "not valid UTF-8") {
		t.Errorf("%s", r.Text)
	}
}

func TestACursorGoesOnWithItsOwnQuestionOnly(t *testing.T) {
	root := t.TempDir()
	for i := range 3 {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("%d.md", i)), []byte("# Doc\nneedle\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a := configured(t, "sources: [{name: here, provider: local, root: "+root+"}]", nil)
	r, v := ask(t, a, "docs_search", `{"query":"needle","limit":2}`)
	next := cursorIn(t, r.Structured)
	if v.Status != "partial" || v.Code != "NONE" || len(v.Data.Items) != 2 || next == "" {
		t.Fatalf("first page: %s", r.Text)
	}
	if r, v := ask(t, a, "docs_search", `{"query":"needle","limit":2,"cursor":"`+next+`"}`); v.Status != "success" || len(v.Data.Items) != 1 {
		t.Errorf("last page: %s", r.Text)
	}
	for _, arguments := range []string{`{"query":"other","cursor":"` + next + `"}`, `{"query":"needle","source":"here","cursor":"` + next + `"}`} {
		if r, v := ask(t, a, "docs_search", arguments); v.Failure.Reason != "invalid_argument" {
			t.Errorf("another question: %s", r.Text)
		}
	}
	if r, v := ask(t, a, "docs_list", `{"cursor":"`+next+`"}`); v.Failure.Reason != "invalid_argument" {
		t.Errorf("another tool: %s", r.Text)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAFindingExpires: what a probe found bad is believed for half a minute, so
// that what a person has repaired is soon seen.
func TestAFindingExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		a := configured(t, "sources: [{name: github, provider: github, auth: {token_env: T}}]\nretry: {max_attempts: 1, cooldown: 0s}", roundTripper(func(*http.Request) (*http.Response, error) {
			asked.Add(1)
			return nil, errors.New("down")
		}))
		count := func(wait time.Duration, arguments string) int32 {
			time.Sleep(wait) // simulated
			before := asked.Load()
			ask(t, a, "list_capabilities", arguments)
			return asked.Load() - before
		}
		first, soon, refreshed, later := count(0, `{}`), count(20*time.Second, `{}`), count(0, `{"refresh":true}`), count(31*time.Second, `{}`)
		if first == 0 || soon != 0 || refreshed == 0 || later == 0 {
			t.Errorf("requests of the probes: %d at first, %d soon after, %d on refresh, %d when expired", first, soon, refreshed, later)
		}
	})
}

// TestAPanicBelowAToolIsATypedAnswer: what a transport or a connector does in
// its panic reaches nobody as text.
func TestAPanicBelowAToolIsATypedAnswer(t *testing.T) {
	a := configured(t, "sources: [{name: github, provider: github, auth: {token_env: T}}]", roundTripper(func(*http.Request) (*http.Response, error) {
		panic("quotes a secret of the upstream")
	}))
	r, v := ask(t, a, "tracker_search", `{"project":"acme/app","state":"all","labels":["x"]}`)
	if v.Status != "access_failure" || v.Failure.Reason != "uncaught_server_error" || strings.Contains(r.Text+string(r.Structured), "quotes") {
		t.Errorf("%s", r.Text)
	}
}
