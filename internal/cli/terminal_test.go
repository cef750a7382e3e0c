package cli

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/lab"
)

// TestNothingIsWiderThanTheTerminal: words that are longer than a line stay whole, on
// a line of their own, and programs get their lines as they are.
func TestNothingIsWiderThanTheTerminal(t *testing.T) {
	s := screen{terminal: true, width: 80}
	path := "/home/ada/" + strings.Repeat("a-long-name/", 6) + "journal.db"
	long := strings.Repeat("a case that says much ", 6)
	texts := map[string]string{
		"a complaint":     s.fold("frank: there is no command \"zzzz\"; there are "+strings.Repeat("stdio, ", 14)+"\nRun frank --help.\n  frank.yaml:1:2: "+long, 2),
		"no failures":     (&listing{s: s, path: path, found: app.FailureListing{Read: true}}).text(),
		"a case":          labPrinter{s: s}.result(lab.Result{State: lab.Passed, Name: "a name of sixty characters, which leaves no room for the rest", Got: "access_failure CAPABILITY_UNAVAILABLE", Took: time.Second}),
		"a long case":     labPrinter{s: s}.result(lab.Result{State: lab.Passed, Name: long, Got: "success NONE"}),
		"a learned alias": strings.Join(aliasTable(s, []app.Alias{{ID: "7", Said: strings.Repeat("x", 30), Meant: "acme/" + strings.Repeat("y", 40), Source: "gh", Kind: "repo"}}), "\n"),
	}
	for what, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			if utf8.RuneCountInString(line) > s.width && strings.TrimSpace(line) != path {
				t.Errorf("%s: %q", what, line)
			}
		}
	}
	if !strings.Contains(texts["a complaint"], "\nRun frank --help.\n  frank.yaml") {
		t.Errorf("%s", texts["a complaint"])
	}
	if got := (screen{width: 80}).fold(long, 2); got != long {
		t.Errorf("%q", got)
	}
	if got := (labPrinter{s: s}).total([]lab.Result{{State: lab.Passed}}); got != "\n1 case: 1 passed" {
		t.Errorf("%q", got)
	}
}
