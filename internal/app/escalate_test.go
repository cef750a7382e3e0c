package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
)

const twoDown = `sources:
  - {name: one, provider: github, base_url: "https://one.example/api/v3", auth: {token_env: T}}
  - {name: two, provider: github, base_url: "https://two.example/api/v3", auth: {token_env: T}}
policy: {deny: ["tracker.issue:read on acme/secret"]}
retry: {max_attempts: 1, cooldown: 1ns}
`

func down(*http.Request) (*http.Response, error) { return nil, errors.New("down") }

// asked escalates with a context and a confidence of its own.
func asked(t *testing.T, a *app.App, trigger, about, more string) escalated {
	t.Helper()
	return answerOf(t, a, "escalate", fmt.Sprintf(`{"trigger":%q,"question":"Go on?","context":%q,"suggested_next_step":"s",%s}`, trigger, about, more))
}

// TestAnAgentsEscalationsJoinByDependencyAndQuestion: the same words about another
// dependency are another question, and what was said later is not lost.
func TestAnAgentsEscalationsJoinByDependencyAndQuestion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	a := kept(t, twoDown, path, roundTripper(down))
	failing := func(source string) {
		if v := answerOf(t, a, "tracker_get_issue", `{"ref":"acme/app#1","source":"`+source+`"}`); v.Failure.Reason != "network_error" {
			t.Fatalf("%+v", v)
		}
	}
	failing("one")
	first := asked(t, a, "ambiguous_intent", "c", `"confidence":0.5`).Data.Item
	failing("two")
	second := asked(t, a, "ambiguous_intent", "c", `"confidence":0.5`).Data.Item
	if first.ID == "" || second.Joined || second.ID == first.ID {
		t.Fatalf("%+v, then %+v", first, second)
	}
	if one, two := stored(t, path, first.ID).Failure, stored(t, path, second.ID).Failure; one.Source != "one" || two.Source != "two" || one.Fingerprint == "" || one.Fingerprint == two.Fingerprint || one.Stage == "" {
		t.Errorf("%+v, %+v", one, two)
	}

	failing("one")
	same := asked(t, a, "ambiguous_intent", "c", `"confidence":0.5`).Data.Item
	if !same.Joined || same.ID != first.ID || len(stored(t, path, first.ID).Further) != 0 {
		t.Errorf("%+v: %+v", same, stored(t, path, first.ID).Further)
	}
	asked(t, a, "low_confidence", "later ada@example.com", `"confidence":0.1,"attempted":["I looked again"]`)
	asked(t, a, "low_confidence", "later ada@example.com", `"confidence":0.1,"attempted":["I looked again"]`)
	r := stored(t, path, first.ID)
	if r.Count != 4 || len(r.Further) != 1 || *r.Confidence != 0.5 || r.Context != "c" || r.Trigger != "ambiguous_intent" {
		t.Fatalf("%+v", r)
	}
	if s := r.Further[0]; s.Context != "later [redacted]" || *s.Confidence != 0.1 || len(s.Attempted) != 1 || s.Trigger != "low_confidence" || s.By != "agent" || s.Question != "" || s.CallID == "" {
		t.Errorf("%+v", s)
	}
	for n := range 12 {
		asked(t, a, "ambiguous_intent", fmt.Sprint("time ", n), `"confidence":0.5`)
	}
	if r := stored(t, path, first.ID); r.Count != 16 || len(r.Further) != 10 || r.Dropped != 3 || r.Further[9].Context != "time 11" {
		t.Errorf("%d, %d dropped: %+v", r.Count, r.Dropped, r.Further)
	}
}

// TestAHardTriggerIsInTheLogOfTheSession: else the agent could choose by its name who
// decides, and pass by the threshold of confidence.
func TestAHardTriggerIsInTheLogOfTheSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	a := kept(t, twoDown, path, roundTripper(down))
	refused := func(trigger, with string) {
		t.Helper()
		r := a.Call(t.Context(), "escalate", json.RawMessage(`{"trigger":"`+trigger+`","question":"q","context":"c","suggested_next_step":"s","confidence":1}`))
		if s := string(r.Structured); !strings.Contains(s, `"code":"INPUT_MISSING"`) || !strings.Contains(s, `"invalid_argument"`) || !strings.Contains(s, with) {
			t.Errorf("%s: %s", trigger, s)
		}
	}
	hard := []string{"policy_denied", "scope_outside_policy", "repeated_failure", "write_outcome_unknown"}
	for _, trigger := range hard {
		refused(trigger, "it has no failure at all")
	}
	refused("low_confidence", "the threshold of this server; go on by yourself\"")
	answerOf(t, a, "tracker_get_issue", `{"ref":"acme/app#1","source":"one"}`)
	for _, trigger := range hard {
		refused(trigger, "it has network_error of one")
	}
	answerOf(t, a, "tracker_search", `{"project":"acme/secret","query":"x","source":"two"}`)
	answerOf(t, a, "tracker_get_issue", `{"ref":"acme/app#1","source":"one"}`)
	refused("repeated_failure", "it has network_error of one, policy_denied of two (policy_denied)")
	refused("scope_outside_policy", "policy_denied of two (policy_denied)")
	answerOf(t, a, "tracker_get_issue", `{"ref":"acme/app#1","source":"one"}`)

	for trigger, source := range map[string]string{"repeated_failure": "one", "policy_denied": "two"} {
		v := asked(t, a, trigger, "c", `"confidence":1`)
		if v.Status != "success" {
			t.Fatalf("%s: %+v", trigger, v)
		}
		if r := stored(t, path, v.Data.Item.ID); r.Failure == nil || r.Failure.Source != source || r.Kind != "hard" {
			t.Errorf("%s: %+v", trigger, r.Failure)
		}
	}
	b := kept(t, twoDown, path, roundTripper(down))
	if v := asked(t, b, "policy_denied", "c", `"confidence":1`); v.Code != "INPUT_MISSING" {
		t.Errorf("the failure of another session: %+v", v)
	}
}
