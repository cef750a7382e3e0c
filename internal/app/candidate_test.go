package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// counters is two Redmines, each with the issue 3 of a project that is no default.
type counters struct {
	mu    sync.Mutex
	notes map[string][]string // by host
}

func (c *counters) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	code, body := http.StatusOK, ""
	switch p := r.URL.Path; {
	case r.Method == http.MethodPut:
		var asked struct{ Issue struct{ Notes string } }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			return nil, err
		}
		c.notes[r.URL.Host] = append(c.notes[r.URL.Host], asked.Issue.Notes)
		code = http.StatusNoContent
	case p == "/users/current.json":
		body = `{"user":{"id":5,"login":"ada","firstname":"Ada","lastname":"Smith"}}`
	case p == "/issues/3.json":
		var journals []string
		for i, n := range c.notes[r.URL.Host] {
			journals = append(journals, fmt.Sprintf(`{"id":%d,"user":{"id":5,"name":"Ada Smith"},"notes":%q,"created_on":%q,"details":[]}`, i+1, n, time.Now().UTC().Format(time.RFC3339)))
		}
		body = `{"issue":{"id":3,"project":{"id":2,"name":"Other"},"tracker":{"id":1,"name":"Bug"},"status":{"id":1,"name":"New","is_closed":false},"priority":{"id":2,"name":"Normal"},"author":{"id":5,"name":"Ada Smith"},"subject":"T","description":"","created_on":"2026-01-01T00:00:00Z","updated_on":"2026-01-01T00:00:00Z","journals":[` + strings.Join(journals, ",") + `]}}`
	case strings.HasPrefix(p, "/projects/"):
		body = `{"project":{"id":2,"name":"Other","identifier":"other","status":1,"is_public":true,"enabled_modules":[{"id":1,"name":"issue_tracking"}]}}`
	default:
		code = http.StatusNotFound
	}
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

const twoCounters = `sources:
  - {name: one, provider: redmine, base_url: "https://one.example", default_project: app, auth: {token_env: T}}
  - {name: two, provider: redmine, base_url: "https://two.example", default_project: app, auth: {token_env: T}}
  - {name: jira, provider: jira, base_url: "https://jira.example", auth: {token_env: T}}
writes: true
retry: {max_attempts: 1}
`

// TestACandidateOfAChangeCanBeCalledAsItIs, and the same change by a link is no other one.
func TestACandidateOfAChangeCanBeCalledAsItIs(t *testing.T) {
	c := &counters{notes: map[string][]string{}}
	a := kept(t, twoCounters, filepath.Join(t.TempDir(), "j.db"), c)
	r, _ := ask(t, a, "tracker_add_comment", `{"ref":"#3","body":"B"}`)
	var v struct {
		Failure struct {
			Candidates []struct {
				Source string
				Call   struct {
					Tool      string
					Arguments json.RawMessage
				}
			}
		}
	}
	must(t, json.Unmarshal(r.Structured, &v))
	if len(v.Failure.Candidates) != 2 || len(c.notes) != 0 {
		t.Fatalf("%s", r.Structured)
	}
	for _, x := range v.Failure.Candidates {
		if r, v := ask(t, a, x.Call.Tool, string(x.Call.Arguments)); v.Status != "success" || len(c.notes[x.Source+".example"]) != 1 {
			t.Errorf("%s: %s", x.Call.Arguments, r.Text)
		}
	}
	if r, _ := ask(t, a, "tracker_add_comment", `{"ref":"https://two.example/issues/3","body":"B"}`); !strings.Contains(string(r.Structured), `"replayed":true`) || len(c.notes["two.example"]) != 1 {
		t.Errorf("%v: %s", c.notes, r.Structured)
	}
}

// TestANewIssueGoesWhereTheProjectCanBe: a project of a Redmine is no less one than
// what may be the key of a Jira, and no key is taken for one of Redmine.
func TestANewIssueGoesWhereTheProjectCanBe(t *testing.T) {
	for project, want := range map[string]string{"app": "one two jira", "PAY": "jira"} {
		a := kept(t, twoCounters, filepath.Join(t.TempDir(), "j.db"), &counters{})
		r, _ := ask(t, a, "tracker_create_issue", fmt.Sprintf(`{"project":%q,"title":"T"}`, project))
		for _, source := range []string{"one", "two", "jira"} {
			asked := strings.Contains(r.Text, "source="+source+"\n") || strings.Contains(r.Text, " on "+source+",")
			if asked != strings.Contains(want, source) {
				t.Errorf("%s in %s: %s", project, source, r.Text)
			}
		}
	}
}
