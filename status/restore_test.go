package status_test

import (
	"testing"

	"github.com/frank-mcp/frank/status"
)

// What is restored answers in both channels as the original did; what is not
// final, or not legal, is not restored.
func TestARestoredAnswerIsTheOriginal(t *testing.T) {
	q := status.Question{Operation: "tracker.create", Capability: "tracker.issue:write", One: "issue", Rest: " acme/app#1"}
	type item struct {
		Ref string `json:"ref"`
	}
	cut := new(status.Audit)
	cut.Fail(status.Completeness, status.Fail(status.ScopeMissing, status.MissingScope.Is("Issues: write"), status.Options.Is([]string{"a", "b"}), status.HTTPStatus.Is(403)))
	for name, e := range map[string]status.Envelope{
		"success": status.One("github", item{"acme/app#1"}, new(status.Audit)).Envelope(q),
		"partial": status.One("github", item{"acme/app#1"}, cut).Envelope(q),
	} {
		raw, err := e.Structured()
		if err != nil {
			t.Fatal(err)
		}
		again, ok := status.Restore(raw)
		if !ok {
			t.Fatalf("%s: not restored: %s", name, raw)
		}
		if got, _ := again.Structured(); string(got) != string(raw) {
			t.Errorf("%s:\n%s\n%s", name, raw, got)
		}
		if again.Text() != e.Text() {
			t.Errorf("%s:\n%s\n%s", name, e.Text(), again.Text())
		}
	}
	refused, _ := status.Refuse(q, status.Fail(status.Timeout)).Structured()
	for _, raw := range []string{string(refused), `{"status":"empty","code":"NONE","summary":"Found nothing."}`, `{"status":"success","code":"ACCESS_DENIED","summary":"x"}`, `{"status":"partial","code":"ACCESS_DENIED","summary":"x"}`, `[]`} {
		if _, ok := status.Restore([]byte(raw)); ok {
			t.Errorf("restored %s", raw)
		}
	}
}
