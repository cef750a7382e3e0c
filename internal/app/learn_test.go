package app_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// payments is a GitHub with one repository.
func payments(r *http.Request) (*http.Response, error) {
	code, body := http.StatusNotFound, `{"message":"Not Found","status":"404"}`
	switch strings.TrimPrefix(r.URL.Path, "/api/v3") {
	case "/repos/acme/payments-api/issues/1":
		code, body = http.StatusOK, `{"number":1,"title":"Late","state":"open","html_url":"https://github.com/acme/payments-api/issues/1","repository_url":"https://api.github.com/repos/acme/payments-api","user":{"login":"ada"},"labels":[],"assignees":[],"comments":0,"body":"","created_at":"2026-11-01T10:00:00Z","updated_at":"2026-11-02T10:00:00Z"}`
	case "/repos/acme/payments-api":
		code, body = http.StatusOK, `{"full_name":"acme/payments-api","private":false,"has_issues":true,"default_branch":"main","html_url":"https://github.com/acme/payments-api"}`
	case "/user":
		code, body = http.StatusOK, `{"login":"ada"}`
	}
	h := http.Header{"Content-Type": {"application/json"}, "X-Github-Request-Id": {"A:1"}, "X-Oauth-Scopes": {"repo"}, "X-Ratelimit-Limit": {"5000"}}
	return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

// learner is frank with a state of its own.
type learner struct {
	t     *testing.T
	state string
}

func (l learner) frank(yaml string) *app.App {
	l.t.Helper()
	cfg, err := config.Parse("frank.yaml", []byte(yaml))
	if err != nil {
		l.t.Fatal(err)
	}
	host := config.SystemHost()
	host.LookupEnv = func(string) (string, bool) { return "t0ken-of-eight", true }
	a, err := app.New(cfg, app.Options{Version: "test", Transport: roundTripper(payments), Host: host, Journal: l.state})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = a.Close(context.Background()) })
	return a
}

// promotes lets frank see a name fail and work, and a person promote it.
func (l learner) promotes(yaml, said, meant, source string) {
	l.t.Helper()
	a := l.frank(yaml)
	for range 3 {
		for _, name := range []string{said, meant} {
			a.Call(l.t.Context(), "tracker_get_issue", json.RawMessage(`{"ref":"`+name+`#1","source":"`+source+`"}`))
		}
	}
	names := app.OpenNames(l.state)
	defer func() { _ = names.Close() }()
	all, _, err := names.List(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	for _, alias := range all {
		if alias.Source == source && alias.Said == said {
			if _, err := names.Promote(l.t.Context(), alias.ID, false); err != nil {
				l.t.Fatal(err)
			}
			return
		}
	}
	l.t.Fatalf("%s was not learned of %s: %+v", said, source, all)
}

const (
	oneGitHub  = "sources:\n  - {name: github, provider: github, auth: {token_env: T}}\n"
	twoGitHubs = oneGitHub + "  - {name: other, provider: github, base_url: https://github.example.com/api/v3, auth: {token_env: T}}\n"
)

func newLearner(t *testing.T) learner {
	return learner{t, filepath.Join(t.TempDir(), "journal.db")}
}

func TestAPromotedAliasObeysPolicyUnderBothNames(t *testing.T) {
	l := newLearner(t)
	l.promotes(oneGitHub, "payments", "acme/payments-api", "github")
	for name, c := range map[string]struct{ more, status, reason string }{
		"allowed":                                            {"", "success", ""},
		"the name that is meant":                             {"policy: {deny: ['tracker.issue:read on acme/payments-api']}\n", "access_failure", "policy_denied"},
		"the name as it is said":                             {"policy: {deny: ['tracker.issue:read on payments']}\n", "access_failure", "policy_denied"},
		"an allow list with the name that is meant":          {"policy: {allow: ['*:read on acme/*']}\n", "success", ""},
		"an allow list with the name as it is said alone":    {"policy: {allow: ['*:read on payments']}\n", "access_failure", "policy_denied"},
		"an allow list with the first, and a deny of second": {"policy: {allow: ['*:read on acme/*'], deny: ['*:read on payments']}\n", "access_failure", "policy_denied"},
	} {
		t.Run(name, func(t *testing.T) {
			r, v := ask(t, l.frank(oneGitHub+c.more), "tracker_get_issue", `{"ref":"payments#1"}`)
			if v.Status != c.status || v.Failure.Reason != c.reason {
				t.Errorf("%s", r.Text)
			}
			if c.reason == "" && !strings.Contains(r.Text, "Found issue acme/payments-api#1 (promoted alias of payments) in github.") {
				t.Errorf("%s", r.Text)
			}
		})
	}
}

func TestAnAliasOfTwoSourcesIsAmbiguousUntilOneIsNamed(t *testing.T) {
	l := newLearner(t)
	l.promotes(twoGitHubs, "payments", "acme/payments-api", "github")
	a := l.frank(twoGitHubs)
	if _, v := ask(t, a, "tracker_get_issue", `{"ref":"payments#1","source":"other"}`); v.Status == "success" {
		t.Error("the alias of another source is used")
	}
	if r, v := ask(t, a, "tracker_get_issue", `{"ref":"payments#1"}`); v.Status != "success" {
		t.Errorf("%s", r.Text)
	}
	l.promotes(twoGitHubs, "paymentsapi", "acme/payments-api", "other")
	l.promotes(twoGitHubs, "paymentsapi", "acme/payments-api", "github")
	a = l.frank(twoGitHubs)
	r, v := ask(t, a, "tracker_get_issue", `{"ref":"paymentsapi#1"}`)
	if v.Failure.Reason != "ambiguous_target" || !strings.Contains(r.Text, `{"ref":"acme/payments-api#1","source":"other"}`) {
		t.Errorf("%s", r.Text)
	}
	if r, v := ask(t, a, "tracker_get_issue", `{"ref":"paymentsapi#1","source":"other"}`); v.Status != "success" {
		t.Errorf("%s", r.Text)
	}
}

func TestANameOfTheConfigurationMeansWhatIsConfigured(t *testing.T) {
	l := newLearner(t)
	l.promotes(oneGitHub, "payments", "acme/payments-api", "github")
	for _, more := range []string{", only: [payments, acme/*]}"} {
		yaml := strings.Replace(oneGitHub, "}}", "}"+more, 1)
		if r, _ := ask(t, l.frank(yaml), "tracker_get_issue", `{"ref":"payments#1"}`); strings.Contains(r.Text, "alias") {
			t.Errorf("%s: %s", more, r.Text)
		}
	}
}

func TestWhatIsMissingInAVisibleContainerIsNotItsName(t *testing.T) {
	l := newLearner(t)
	a := l.frank(oneGitHub)
	for range 3 {
		ask(t, a, "tracker_get_issue", `{"ref":"acme/payments-api#7"}`)
		ask(t, a, "tracker_get_issue", `{"ref":"acme/payments-api#1"}`)
	}
	names := app.OpenNames(l.state)
	defer func() { _ = names.Close() }()
	if all, _, err := names.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("learned %+v, %v", all, err)
	}
}
