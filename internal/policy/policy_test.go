package policy_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestWhatPasses asks about a container (Denies) and about something that was
// found there (Withholds).
func TestWhatPasses(t *testing.T) {
	issues := []string{"tracker.issue:read on acme/*"}
	for _, c := range []struct {
		name           string
		allow, deny    []string
		container      string
		asked, handed  bool
		otherwiseAsked bool // for a capability that no rule names
	}{
		{"no rules", nil, nil, "", true, true, true},
		{"allowed", issues, nil, "acme/app", true, true, false},
		{"left out", issues, nil, "other/app", false, false, false},
		{"everything, of which some is allowed", issues, nil, "", true, false, false},
		{"allowed everywhere", []string{"* on *"}, nil, "", true, true, true},
		{"deny wins", issues, []string{"*:read on acme/secret"}, "acme/secret", false, false, false},
		{"denied elsewhere", nil, issues, "other/app", true, true, true},
		{"everything, of which some is denied", nil, issues, "", true, false, true},
		{"denied everywhere", nil, []string{"tracker.* on **"}, "", false, false, true},
		{"an empty allow list", []string{}, nil, "acme/app", false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := policy.New(c.allow, c.deny)
			if got := p.Denies("tracker.issue:read", c.container) == nil; got != c.asked {
				t.Errorf("may be asked: %v", got)
			}
			if got := p.Withholds("tracker.issue:read", c.container) == nil; got != c.handed {
				t.Errorf("may be handed out: %v", got)
			}
			if got := p.Denies("docs.page:read", c.container) == nil; got != c.otherwiseAsked {
				t.Errorf("another capability may be asked: %v", got)
			}
		})
	}
}

func TestWhatIsLeftOutIsToldFromWhatARuleDenies(t *testing.T) {
	p := policy.New([]string{"a:read on x"}, []string{"a:read on y"})
	if f := p.Denies("a:read", "z"); f == nil || !policy.LeftOut(*f) {
		t.Error("what no rule allows is left out")
	}
	if f := p.Denies("a:read", "y"); f == nil || policy.LeftOut(*f) {
		t.Error("what a rule denies is not left out")
	}
	if f := policy.Outside([]string{"x"}, "y"); f == nil || !policy.LeftOut(*f) {
		t.Error("what lies outside of only is left out")
	}
}
