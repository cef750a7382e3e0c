package lab

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

const githubs = `sources:
  - {name: github, provider: github, auth: {token_env: LAB_TEST_TOKEN}}
  - {name: open, provider: github, auth: {none: true}, only: [acme/*]}
  - {name: later, provider: gitlab, base_url: https://gitlab.example.com, auth: {token_env: X}}
  - {name: here, provider: local, root: .}
`

func parsed(t *testing.T, yaml string) *config.Config {
	t.Helper()
	cfg, err := config.Parse("frank.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestNoFaultIsTakenForAnAnswer of any provider that this version connects.
func TestNoFaultIsTakenForAnAnswer(t *testing.T) {
	found, err := Sweep(t.Context(), parsed(t, githubs))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(found.Local, []string{"here"}) || !slices.Equal(found.Left, []string{"later"}) {
		t.Errorf("not tried: %q, %q", found.Local, found.Left)
	}
	reasons := map[string]bool{}
	faults := map[string]bool{}
	for _, x := range found.Seen {
		if len(x.Problems) > 0 {
			t.Errorf("%+v", x)
		}
		if x.Code == "INPUT_MISSING" && x.Fault != "unprocessable_422" || x.Reason == "policy_denied" {
			t.Errorf("the question itself was refused: %+v", x)
		}
		reasons[x.Reason], faults[x.Fault] = true, true
	}
	if want := 2 * len(Faults(config.GitHub)) * 11; len(found.Seen) != want || len(faults) != len(Faults(config.GitHub)) {
		t.Errorf("%d answers of %d, %d faults", len(found.Seen), want, len(faults))
	}
	for _, r := range []string{"network_error", "tls_error", "timeout", "truncated_body", "own_cap", "login_page", "network_policy_blocked", "http_5xx", "http_4xx", "shape_error", "not_json", "auth_failed", "rate_limited", "absent_or_hidden", "endpoint_gone", "query_refused", "graphql_error"} {
		if !reasons[r] {
			t.Errorf("no fault shows %s", r)
		}
	}
	for _, r := range found.Results() {
		if r.State != Passed || r.Name == "" || r.Suite == "" {
			t.Errorf("%+v", r)
		}
	}
}

func TestAnAnswerThatProvesNothingMustNotConclude(t *testing.T) {
	for structured, want := range map[string]string{
		`{"status":"success","code":"NONE","summary":"Found 1 issue."}`:                                                                       "success without any proof",
		`{"status":"empty","code":"NONE","summary":"Found nothing."}`:                                                                         "empty without any proof",
		`{"status":"success","code":"ACCESS_DENIED","summary":"Found 1 issue."}`:                                                              "illegal result",
		`{"status":"access_failure","code":"SOURCE_UNRELIABLE","summary":"Could not check it.","failure":{"reason":"uncaught_server_error"}}`: "frank itself failed",
		`null`: "illegal result",
	} {
		var v struct{ Status, Code string }
		_ = json.Unmarshal([]byte(structured), &v)
		x := experiment{}.judge(Reply{json.RawMessage(structured), "status=" + v.Status + " code=" + v.Code + " retryable=false", v.Status == "access_failure"})
		if !strings.Contains(strings.Join(x.Problems, "\n"), want) {
			t.Errorf("%s: %q", structured, x.Problems)
		}
	}
}

func TestNoCredentialIsRead(t *testing.T) {
	const token = "ghp_Zk4Qm9Xw2Rt7Lp5Vb8Nc3Hd6Js1Fg0Ya4Ue"
	t.Setenv("LAB_TEST_TOKEN", token)
	var sent []string
	spy := Fault{"spy", func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Header.Get("Authorization"))
		return nil, http.ErrHandlerTimeout
	}}
	cfg := parsed(t, githubs)
	for _, q := range questions(cfg.Sources[0], app.Providers()[0].Kinds) {
		if _, err := (experiment{cfg, cfg.Sources[0], spy, q.tool, q.args}).run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(sent) == 0 {
		t.Fatal("nothing was asked")
	}
	for _, s := range sent {
		if s != "Bearer "+standIn {
			t.Errorf("sent %q", s)
		}
	}
}

func TestTheContainerIsOneThatMayBeAskedAbout(t *testing.T) {
	for want, s := range map[string]config.Source{
		"acme/web":  {DefaultProject: "acme/web", Only: []string{"acme/*"}},
		"other/app": {Only: []string{"*", "other/*"}},
		"a/app/c":   {Only: []string{"a/**/c"}},
		"acme/app":  {},
	} {
		if got := container(s); got != want {
			t.Errorf("%+v: %s, want %s", s, got, want)
		}
	}
}
