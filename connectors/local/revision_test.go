//go:build unix

package local_test

import (
	"os"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

func TestLG15_ARepositoryWithoutCommitsIsProvedEmpty(t *testing.T) {
	l := newLab(t)
	s := l.source(l.repo("unborn"))
	history(t, s, connectors.HistoryQuery{}).is(status.Empty, status.None, "", 0)
	list(t, s, connectors.RepoList{What: "branches"}).is(status.Empty, status.None, "", 0)
	list(t, s, connectors.RepoList{}).is(status.Empty, status.None, "", 0)
	search(t, s, connectors.CodeQuery{Text: "x"}).is(status.Empty, status.None, "", 0)
	l.write("unborn/new.txt", "x marks\n")
	search(t, s, connectors.CodeQuery{Text: "X"}).is(status.Success, status.None, "", 1)
	history(t, s, connectors.HistoryQuery{Revision: "other"}).is(status.AccessFailure, status.ReferenceUnresolved, "unresolved_revision", 0)
}

func (l *lab) object(repo, sha string) string { return l.path(repo, ".git/objects", sha[:2], sha[2:]) }

func TestLG17_LG18_DamagedObjectsAreNeverNoMatch(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	blob := l.object(o, l.git(o, "rev-parse", "HEAD:lib/x.txt"))
	s := l.source(o)
	if err := os.Rename(blob, blob+".away"); err != nil {
		t.Fatal(err)
	}
	a := search(t, s, connectors.CodeQuery{Text: "needle", Revision: "HEAD"})
	a.is(status.AccessFailure, status.SourceUnreliable, "corrupt", 0)
	search(t, s, connectors.CodeQuery{Text: "two", Revision: "HEAD"}).is(status.Partial, status.SourceUnreliable, "corrupt", 1)
	readFile(t, s, connectors.FileGet{Path: "lib/x.txt", Revision: "HEAD"}).is(status.AccessFailure, status.SourceUnreliable, "corrupt", 0)
	if err := os.WriteFile(blob, []byte("x\x9cgarbage"), 0o644); err != nil {
		t.Fatal(err)
	}
	search(t, s, connectors.CodeQuery{Text: "needle", Revision: "HEAD"}).is(status.AccessFailure, status.SourceUnreliable, "corrupt", 0)
	readFile(t, s, connectors.FileGet{Path: "lib/x.txt", Revision: "HEAD"}).is(status.AccessFailure, status.SourceUnreliable, "corrupt", 0)
	history(t, s, connectors.HistoryQuery{}).is(status.Success, status.None, "", 3)
}

func TestLG20_AWrongPathIsNoEmptyAnswer(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	s := l.source(o)
	// In no commit of a complete clone: proved absent.
	readFile(t, s, connectors.FileGet{Path: "never.txt"}).is(status.Empty, status.ReferenceUnresolved, "not_found_confirmed", 0)
	readFile(t, s, connectors.FileGet{Path: "never.txt", Revision: "HEAD"}).is(status.Empty, status.ReferenceUnresolved, "not_found_confirmed", 0)
	history(t, s, connectors.HistoryQuery{Path: "never"}).is(status.Empty, status.ReferenceUnresolved, "not_found_confirmed", 0)
	list(t, s, connectors.RepoList{Path: "never"}).is(status.Empty, status.ReferenceUnresolved, "not_found_confirmed", 0)
	search(t, s, connectors.CodeQuery{Text: "one", Path: "never"}).is(status.Empty, status.ReferenceUnresolved, "not_found_confirmed", 0)
	readFile(t, s, connectors.FileGet{Path: "A.TXT"}).is(status.Empty, status.ReferenceUnresolved, "not_found_confirmed", 0)
	// Deleted, or only on another branch: it exists, elsewhere.
	readFile(t, s, connectors.FileGet{Path: "gone.txt"}).is(status.AccessFailure, status.ReferenceUnresolved, "low_confidence", 0)
	readFile(t, s, connectors.FileGet{Path: "f.txt"}).is(status.AccessFailure, status.ReferenceUnresolved, "low_confidence", 0)
	a := history(t, s, connectors.HistoryQuery{Path: "gone.txt"}).is(status.Success, status.None, "", 2)
	if titles(a.items) != "second first needle" {
		t.Errorf("history of a deleted file: %s", titles(a.items))
	}
	history(t, s, connectors.HistoryQuery{Path: "gone.txt", Author: "nobody"}).is(status.Empty, status.None, "", 0)
	// A clone that lacks commits cannot tell.
	shallow := l.source(l.clone("origin", "shallow", "--depth", "1"))
	readFile(t, shallow, connectors.FileGet{Path: "never.txt"}).is(status.AccessFailure, status.CapabilityUnavailable, "clone_incomplete", 0)
	readFile(t, shallow, connectors.FileGet{Path: "gone.txt"}).is(status.AccessFailure, status.CapabilityUnavailable, "clone_incomplete", 0)
}

func TestLG29_AMistypedRevisionIsNoQuestionOfAccounts(t *testing.T) {
	l := newLab(t)
	s := l.source(l.origin())
	a := search(t, s, connectors.CodeQuery{Text: "one", Revision: "nosuch"}).is(status.AccessFailure, status.ReferenceUnresolved, "unresolved_revision", 0)
	want(t, a.fact("existence"), "absent_or_hidden")
	for _, said := range []string{"nosuch could not be resolved in this clone, and the remote was not asked", "Check the spelling of nosuch, or run git fetch"} {
		if !strings.Contains(a.said, said) {
			t.Errorf("%s lacks %q", a.said, said)
		}
	}
	if strings.Contains(a.said, "account") {
		t.Errorf("a directory has no account: %s", a.said)
	}
}

func TestLG20_ARevisionWithTheFileIsNamed(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	s := l.source(o)
	a := readFile(t, s, connectors.FileGet{Path: "gone.txt"})
	at := a.fact("revision")
	b := readFile(t, s, connectors.FileGet{Path: "gone.txt", Revision: at}).is(status.Success, status.None, "", 1)
	if b.items[0].Text != "x\n" {
		t.Errorf("text %q at %s", b.items[0].Text, at)
	}
}

func TestLG28_ABranchWinsOverATagOfItsName(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	l.git(o, "tag", "main", "HEAD~2")
	head := l.git(o, "rev-parse", "refs/heads/main")
	s := l.source(o)
	a := history(t, s, connectors.HistoryQuery{Revision: "main"}).is(status.Success, status.None, "", 3)
	if a.items[0].SHA != head {
		t.Errorf("started at %s, not at %s", a.items[0].SHA, head)
	}
	e := readFile(t, s, connectors.FileGet{Path: "b.txt", Revision: "main"}).said
	if !strings.Contains(e, "a_tag_has_the_name") || !strings.Contains(e, head) {
		t.Errorf("no warning: %s", e)
	}
}

func TestLG29_AnUnknownObjectIsAbsentOrHidden(t *testing.T) {
	l := newLab(t)
	s := l.source(l.origin())
	for _, name := range []string{unknownSHA, "nobranch", "abcdef12", "HEAD~9"} {
		change(t, s, connectors.ChangeGet{Ref: commitRef(name)}).is(status.AccessFailure, status.ReferenceUnresolved, "unresolved_revision", 0)
	}
	shallow := l.source(l.clone("origin", "shallow", "--depth", "1"))
	change(t, shallow, connectors.ChangeGet{Ref: commitRef(unknownSHA)}).is(status.AccessFailure, status.CapabilityUnavailable, "clone_incomplete", 0)
	for _, name := range []string{"--output=x", "-p", "a..b", ":/first", "HEAD^{/first}", "HEAD:a.txt", "a b", "", "x\x00"} {
		history(t, s, connectors.HistoryQuery{Revision: name, Path: "a.txt"}).is(map[bool]status.Status{true: status.Success, false: status.AccessFailure}[name == ""],
			map[bool]status.Code{true: status.None, false: status.InputMissing}[name == ""], map[bool]string{true: "", false: "invalid_argument"}[name == ""], map[bool]int{true: 2}[name == ""])
	}
}

func TestLG32_ReplacedObjectsAndGraftsAreIgnored(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	s := l.source(o)
	first, middle, head := l.git(o, "rev-parse", "HEAD~2"), l.git(o, "rev-parse", "HEAD~1"), l.git(o, "rev-parse", "HEAD")
	l.git(o, "replace", "--graft", head)
	l.write("origin/.git/info/grafts", middle+"\n")
	a := history(t, s, connectors.HistoryQuery{}).is(status.Success, status.None, "", 3)
	if a.items[2].SHA != first {
		t.Errorf("history ends at %s", a.items[2].SHA)
	}
}
