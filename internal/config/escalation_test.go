package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEscalationIsReadWhole(t *testing.T) {
	c, err := Parse("f.yaml", []byte(`
escalation:
  after_failures: 2
  min_confidence: 0.5
  rate: {new: 5, window: 10m}
  tell_end: false
  routes:
    - {trigger: policy_denied, to: supervisor}
    - {code: SOURCE_UNRELIABLE, source: github, to: specialist:platform}
  destinations:
    human: {inbox: true}
    supervisor: {webhook: "https://example.com/hook", secret_env: FRANK_HOOK}
    specialist:platform: {webhook_env: SLACK_HOOK, format: slack}
    specialist:pager: {command: [page, --team, a]}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Escalation{
		AfterFailures: 2, MinConfidence: 0.5, Rate: 5, Window: 10 * time.Minute, Quiet: true,
		Routes: []Route{{Trigger: "policy_denied", To: "supervisor"}, {Code: "SOURCE_UNRELIABLE", Source: "github", To: "specialist:platform"}},
		Destinations: map[string]Destination{
			"human": {}, "supervisor": {Webhook: "https://example.com/hook", SecretEnv: "FRANK_HOOK"},
			"specialist:platform": {WebhookEnv: "SLACK_HOOK", Slack: true}, "specialist:pager": {Command: []string{"page", "--team", "a"}},
		},
	}
	if diff := cmp.Diff(want, c.Escalation); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsOfEscalationHaveTheirPlace(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"after_failures: 0", `2:19: after_failures must be a whole number from 1 to 100`},
		{"min_confidence: 70", `2:19: min_confidence must be a number above 0 and up to 1, such as 0.7`},
		{"rate: {new: 5, windo: 1m}", `2:18: windo is not a key of rate; valid keys: new, window`},
		{"rate: {window: 1ms}", `2:18: window must be between 1s and 168h0m0s`},
		{"routes: {to: human}", `2:11: routes must be a list, such as [{trigger: policy_denied, to: supervisor}]`},
		{"routes: [{trigger: boredom, to: human}]", `2:22: trigger must be one of policy_denied, scope_outside_policy, repeated_failure, write_outcome_unknown, low_confidence, ambiguous_intent`},
		{"routes: [{code: NONE, to: human}]", `2:19: code must be one of INPUT_MISSING, REFERENCE_UNRESOLVED, CAPABILITY_UNAVAILABLE, ACCESS_DENIED, SOURCE_UNRELIABLE`},
		{"routes: [{code: ACCESS_DENIED}]", `2:12: a route needs to: the destination that gets what fits`},
		{"routes: [{to: bob}]", `2:17: to must be human, supervisor or specialist:NAME (small letters, digits and dashes)`},
		{"routes: [{to: supervisor}]", `2:17: "supervisor" is not among destinations; add it there, be it as supervisor: {inbox: true}`},
		{"destinations: {bob: {inbox: true}}", `2:18: a destination must be human, supervisor or specialist:NAME (small letters, digits and dashes)`},
		{"destinations: {human: {}}", `2:25: a destination needs exactly one of inbox: true, webhook, webhook_env and command`},
		{"destinations: {human: {inbox: true, command: [x]}}", `2:25: a destination needs exactly one of inbox: true, webhook, webhook_env and command`},
		{"destinations: {human: {webhook: 'https://e.com/x'}}", `2:25: a webhook needs secret_env: the variable that holds the key of its signatures`},
		{"destinations: {human: {webhook: 'http://e.com/x', secret_env: A}}", `2:25: webhook must begin with https:// unless the host is this machine; insecure: true allows it`},
		{"destinations: {human: {webhook: 'https://hooks.slack.com/services/T/B/X', format: slack}}", `2:35: the address of this webhook is or may hold a secret; put it into an environment variable and write webhook_env: NAME`},
		{"destinations: {human: {webhook_env: $X}}", `2:39: webhook_env must be the bare name of an environment variable: letters, digits and _, without $ or braces; the secret itself is never written in this file`},
		{"destinations: {human: {command: 'rm -rf'}}", `2:35: command must be a list, since no shell runs it; write the program and each argument apart, such as [notify-send, frank]`},
		{"destinations: {human: {command: [x], format: slack}}", `2:25: secret_env, format and insecure belong to a webhook`},
	} {
		_, err := Parse("f.yaml", []byte("escalation:\n  "+c.in))
		if err == nil || err.Error() != "f.yaml:"+c.want {
			t.Errorf("%s\n got %v\nwant f.yaml:%s", c.in, err, c.want)
		}
	}
}
