package pattern_test

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/pattern"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMatchesLikeRegexp(t *testing.T) {
	p := pattern.New(`^(a+)-(b)$`)
	if !p.MatchString("aa-b") || p.MatchString("aa-c") {
		t.Error("MatchString differs from the expression")
	}
	if got := p.FindStringSubmatch("aa-b"); !slices.Equal(got, []string{"aa-b", "aa", "b"}) {
		t.Errorf("got %q", got)
	}
	if got := p.Regexp().ReplaceAllString("aa-b", "$2-$1"); got != "b-aa" {
		t.Errorf("got %q", got)
	}
	if got := pattern.New(`a.`).FindAllString("abac", -1); !slices.Equal(got, []string{"ab", "ac"}) {
		t.Errorf("got %q", got)
	}
}

// A wrong expression in a place that a run does not reach must not end the run.
func TestWrongExpressionPanicsOnlyWhenUsed(t *testing.T) {
	p := pattern.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	p.MatchString("x")
}
