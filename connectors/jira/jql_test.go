package jira

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
)

// words takes the quoted texts out of JQL.
func words(jql string) (bare, quoted []string) {
	for _, w := range lex(jql) {
		if w.quoted {
			quoted = append(quoted, w.text)
		} else {
			bare = append(bare, w.text)
		}
	}
	return bare, quoted
}

// TestValuesNeverBecomeOperators: whatever stands in a value, what is outside of
// quotes is ours alone.
func TestValuesNeverBecomeOperators(t *testing.T) {
	tr := tracker{&client{source: "jira"}}
	value := rapid.StringOfN(rapid.RuneFrom([]rune(`"'\()=~ ab,;`+"\n\tZ世")), 1, 20, -1)
	rapid.Check(t, func(t *rapid.T) {
		q := connectors.IssueQuery{
			Project: "PAY", Text: "x" + value.Draw(t, "text"), Assignee: "x" + value.Draw(t, "assignee"),
			Author: "x" + value.Draw(t, "author"), Labels: []string{value.Draw(t, "label")},
		}
		p, f := tr.plan(q)
		if f != nil {
			t.Fatal(f.Reason())
		}
		bare, quoted := words(p.jql)
		texts := len(phrases(q.Text))
		want := "project = " + strings.Repeat("AND text ~ ", texts) + "AND assignee = AND reporter = AND labels = ORDER BY updated DESC"
		if got := strings.Join(bare, " "); got != want {
			t.Fatalf("outside of quotes stands %q\n%s", got, p.jql)
		}
		if len(quoted) != 4+texts {
			t.Fatalf("%d quoted values\n%s", len(quoted), p.jql)
		}
	})
}

// TestANativeQueryCannotWidenTheQuestion: whatever it is, the project stays joined to
// all of it by AND.
func TestANativeQueryCannotWidenTheQuestion(t *testing.T) {
	tr := tracker{&client{source: "jira"}}
	part := rapid.SampledFrom([]string{"(", ")", `"`, "'", `\`, " OR ", " AND ", "a = 1", "order by x", "ORDER", " ", "project = X", "世"})
	rapid.Check(t, func(t *rapid.T) {
		native := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "native"), "")
		p, f := tr.plan(connectors.IssueQuery{Project: "PAY", Native: native})
		if f != nil {
			return
		}
		depth, order := 0, false
		for _, w := range lex(p.jql) {
			switch {
			case w.open:
				t.Fatalf("a quote stays open: %s", p.jql)
			case w.quoted:
			case w.text == "(":
				depth++
			case w.text == ")":
				depth--
			case depth == 0 && strings.EqualFold(w.text, "order"):
				order = true
			case depth == 0 && !order && strings.EqualFold(w.text, "or"):
				t.Fatalf("an OR beside the project: %s", p.jql)
			}
			if depth < 0 {
				t.Fatalf("closes what it did not open: %s", p.jql)
			}
		}
	})
}

// TestOwns: which references are this source's to answer.
func TestOwns(t *testing.T) {
	const cloud, server, through = "https://acme.atlassian.net", "https://jira.acme.example/jira", "https://api.atlassian.com/ex/jira/1"
	for _, tc := range []struct {
		base, text string
		want       bool
	}{
		{cloud, "https://acme.atlassian.net/browse/PAY-12", true},
		{cloud, "https://acme.atlassian.net/jira/software/projects/PAY/boards/1?selectedIssue=PAY-12", true},
		{cloud, "https://other.atlassian.net/browse/PAY-12", false},
		{cloud, "https://acme.atlassian.net/wiki/spaces/ENG/pages/1/X", false},
		{cloud, "PAY-12", true},
		{cloud, "#12", true},
		{cloud, "acme/app#12", false},
		{cloud, "bd-a1b2", false},
		{server, "https://jira.acme.example/jira/browse/PAY-12", true},
		{server, "https://jira.acme.example/other/browse/PAY-12", false},
		{through, "https://acme.atlassian.net/browse/PAY-12", true}, // the issue tells whether it is that site
		{through, "https://jira.acme.example/browse/PAY-12", false},
	} {
		src, f := Provider.Open(setup(t, tc.base))
		if f != nil {
			t.Fatal(f.Reason())
		}
		r, err := ref.Parse(tc.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := src.Owns(r); got != tc.want {
			t.Errorf("%s owns %s: %t", tc.base, tc.text, got)
		}
	}
}

func TestProjectOf(t *testing.T) {
	for key, want := range map[string]string{"PAY-12": "PAY", "A_1-2": "A_1", "PAY-": "", "-1": "", "PAY": "", "PAY-1a": "", "1A-2": "", "pay/../x-1": ""} {
		if got := projectOf(key); got != want {
			t.Errorf("%s: %q", key, got)
		}
	}
}
