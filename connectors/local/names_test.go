//go:build unix

package local_test

import (
	"os"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// strange are names that no text can hold as they are, with what answers write
// instead and what a person would type.
func strange() []struct{ name, shown, typed string } {
	return []struct{ name, shown, typed string }{
		{"caf\xe9.md", "caf%E9.md", "caf\ufffd.md"},
		{"zero\u200bwidth.md", "zero%E2%80%8Bwidth.md", "zerowidth.md"},
		{"bidi\u202etxt.md", "bidi%E2%80%AEtxt.md", "biditxt.md"},
		{"two\nlines.md", "two%0Alines.md", "two lines.md"},
		{"plain%E9.md", "plain%25E9.md", "plain%E9.md"},
	}
}

func TestANameThatTextCannotHoldIsShownSoThatItReadsBack(t *testing.T) {
	for _, n := range strange() {
		t.Run(n.shown, func(t *testing.T) {
			l := newLab(t)
			o := l.repo("r")
			if err := os.WriteFile(l.path(o, n.name), []byte("needle\n"), 0o644); err != nil {
				t.Skip("this file system has no such names")
			}
			l.commit(o, "strange", map[string]string{"other.md": "x\n"})
			s := l.source(o)
			for _, revision := range []string{"", "HEAD"} {
				a := list(t, s, connectors.RepoList{Revision: revision}).is(status.Success, status.None, "", 2)
				if got := refs(a); !strings.Contains(got, n.shown) || a.items[0].Path != a.items[0].Ref {
					t.Errorf("listed as %q", got)
				}
				list(t, s, connectors.RepoList{Revision: revision, Path: n.shown}).is(status.Success, status.None, "", 1)
				f := readFile(t, s, connectors.FileGet{Path: n.shown, Revision: revision}).is(status.Success, status.None, "", 1)
				want(t, f.items[0].Path+": "+f.items[0].Text, n.shown+": needle\n")
				first := list(t, s, connectors.RepoList{Revision: revision, Paging: connectors.Paging{Limit: 1}}).is(status.Partial, status.None, "", 1)
				second := list(t, s, connectors.RepoList{Revision: revision, Paging: connectors.Paging{Limit: 1, Cursor: first.next}}).is(status.Success, status.None, "", 1)
				if refs(first) == refs(second) {
					t.Errorf("the cursor does not go on: %s", refs(first))
				}
			}
			want(t, refs(search(t, s, connectors.CodeQuery{Text: "needle"})), n.shown+":1")
			want(t, titles(history(t, s, connectors.HistoryQuery{Path: n.shown}).is(status.Success, status.None, "", 1).items), "strange")
			want(t, change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Files: true}).items[0].Files[0].Path, min(n.shown, "other.md"))
			want(t, refs(find(s, "needle").is(status.Success, status.None, "", 1)), n.shown)
			want(t, refs(read(s, n.shown, "").is(status.Success, status.None, "", 1)), n.shown)
			if strings.Contains(n.typed, "\ufffd") { // no reference holds one
				read(s, n.typed, "").is(status.AccessFailure, status.InputMissing, "invalid_argument", 0)
				return
			}
			want(t, refs(read(s, n.typed, "").is(status.Success, status.None, "", 1)), n.shown)
		})
	}
}

func TestANameThatLooksLikeOneThatIsThereIsNeverProvedAbsent(t *testing.T) {
	for _, n := range strange()[:4] {
		l := newLab(t)
		o := l.repo("r")
		if err := os.WriteFile(l.path(o, n.name), []byte("needle\n"), 0o644); err != nil {
			t.Skip("this file system has no such names")
		}
		l.commit(o, "strange", map[string]string{"sub/x.md": "x\n", "caf\u00e9/y.md": "y\n"})
		s := l.source(o)
		for _, revision := range []string{"", "HEAD"} {
			want(t, readFile(t, s, connectors.FileGet{Path: n.typed, Revision: revision}).is(status.AccessFailure, status.ReferenceUnresolved, "low_confidence", 0).offered(), n.shown)
			want(t, list(t, s, connectors.RepoList{Path: n.typed, Revision: revision}).is(status.AccessFailure, status.ReferenceUnresolved, "low_confidence", 0).offered(), n.shown)
			want(t, list(t, s, connectors.RepoList{Path: "cafe\u0301", Revision: revision}).is(status.AccessFailure, status.ReferenceUnresolved, "low_confidence", 0).offered(), "caf\u00e9")
		}
		want(t, history(t, s, connectors.HistoryQuery{Path: n.typed}).is(status.AccessFailure, status.ReferenceUnresolved, "low_confidence", 0).offered(), n.shown)
		want(t, search(t, s, connectors.CodeQuery{Text: "needle", Path: n.typed}).is(status.AccessFailure, status.ReferenceUnresolved, "low_confidence", 0).offered(), n.shown)
		readFile(t, s, connectors.FileGet{Path: "sub/gone\ufffd.md"}).is(status.AccessFailure, status.ReferenceUnresolved, "absent_or_hidden", 0)
		read(s, "gone%EF%BF%BD.md", "").is(status.AccessFailure, status.ReferenceUnresolved, "absent_or_hidden", 0)
		shelved(s, "gone\ufffd", "").is(status.AccessFailure, status.ReferenceUnresolved, "absent_or_hidden", 0)
		readFile(t, s, connectors.FileGet{Path: "sub/gone.md"}).is(status.Empty, status.ReferenceUnresolved, "not_found_confirmed", 0)
	}
}

func TestABranchWhoseNameIsNoTextIsListedAndRead(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "one", map[string]string{"a.md": "needle\n"})
	l.git(o, "branch", "caf\xe9")
	s := l.source(o)
	want(t, refs(list(t, s, connectors.RepoList{What: "branches"}).is(status.Success, status.None, "", 2)), "caf%E9 main")
	readFile(t, s, connectors.FileGet{Path: "a.md", Revision: "caf%E9"}).is(status.Success, status.None, "", 1)
}

func TestAnEscapeDoesNotLeadWhereThePathMayNot(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	l.write("outside.txt", "secret\n")
	s := l.source(o)
	for _, p := range []string{".g%E2%80%8Dit/config", ".git%E2%80%8B/config", "%E9/../../outside.txt"} {
		readFile(t, s, connectors.FileGet{Path: p}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0)
		read(s, p, "").is(status.AccessFailure, status.AccessDenied, "policy_denied", 0)
	}
}

func TestAPathWithTheCharactersOfAGlobIsFound(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "one", map[string]string{"app/[id]/page.tsx": "needle\n", "app/i/page.tsx": "other\n"})
	s := l.source(o)
	for _, revision := range []string{"", "HEAD"} {
		a := search(t, s, connectors.CodeQuery{Text: "needle", Path: "app/[id]", Revision: revision}).is(status.Success, status.None, "", 1)
		want(t, a.items[0].Path, "app/[id]/page.tsx")
	}
}

func TestAPathOfAHistoryIsLiteral(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "plain", map[string]string{"a.txt": "1\n", "sub/x": "1\n"})
	l.commit(o, "star", map[string]string{"*.txt": "2\n"})
	s := l.source(o)
	want(t, titles(history(t, s, connectors.HistoryQuery{Path: "*.txt"}).is(status.Success, status.None, "", 1).items), "star")
	for _, p := range []string{"*", ":(top)sub", ":/sub", ":!a.txt", "su?"} {
		history(t, s, connectors.HistoryQuery{Path: p}).is(status.Empty, status.ReferenceUnresolved, "not_found_confirmed", 0)
	}
	readFile(t, s, connectors.FileGet{Path: "*.txt", Revision: "HEAD"}).is(status.Success, status.None, "", 1)
	readFile(t, s, connectors.FileGet{Path: ":(top)a.txt", Revision: "HEAD"}).is(status.Empty, status.ReferenceUnresolved, "not_found_confirmed", 0)
}
