//go:build unix

package local_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

func TestLG22_AFileIsFollowedThroughRenames(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	text := strings.Repeat("a line of the file\n", 20)
	l.commit(o, "one", map[string]string{"old.txt": text})
	l.commit(o, "two", map[string]string{"old.txt": text + "more\n"})
	l.git(o, "mv", "old.txt", "mid.txt")
	l.git(o, "commit", "-q", "-m", "three")
	l.commit(o, "other", map[string]string{"old.txt": "another file\n"})
	l.git(o, "mv", "mid.txt", "new.txt")
	l.git(o, "commit", "-q", "-m", "four")
	a := history(t, l.source(o), connectors.HistoryQuery{Path: "new.txt"}).is(status.Success, status.None, "", 4)
	if titles(a.items) != "four three two one" {
		t.Errorf("history: %s", titles(a.items))
	}
}

func TestLG23_CommitsOfSideBranchesAreInTheHistoryOfAPath(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "base", map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	l.git(o, "checkout", "-q", "-b", "side")
	l.commit(o, "there", map[string]string{"a.txt": "changed\n"})
	l.commit(o, "back", map[string]string{"a.txt": "a\n"})
	l.git(o, "checkout", "-q", "main")
	l.commit(o, "main", map[string]string{"b.txt": "bb\n"})
	l.git(o, "merge", "-q", "-m", "merge", "side")
	a := history(t, l.source(o), connectors.HistoryQuery{Path: "a.txt"}).is(status.Success, status.None, "", 3)
	if titles(a.items) != "back there base" {
		t.Errorf("history: %s", titles(a.items))
	}
}

func TestLG23_AMergeThatOnlyJoinsIsLeftOutOfTheHistoryOfAPath(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	lines := func(a, b string) map[string]string {
		return map[string]string{"a.txt": a + strings.Repeat("\nsame", 9) + "\n" + b + "\n"}
	}
	l.commit(o, "base", lines("1", "1"))
	l.git(o, "checkout", "-q", "-b", "side")
	l.commit(o, "there", lines("2", "1"))
	l.git(o, "checkout", "-q", "main")
	l.commit(o, "elsewhere", map[string]string{"b.txt": "b\n"})
	l.git(o, "merge", "-q", "-m", "joins", "side")
	l.git(o, "checkout", "-q", "-b", "other", "HEAD")
	l.commit(o, "top", lines("3", "1"))
	l.git(o, "checkout", "-q", "main")
	l.commit(o, "bottom", lines("2", "2"))
	l.git(o, "merge", "-q", "-m", "mixes", "other")
	s := l.source(o)
	a := history(t, s, connectors.HistoryQuery{Path: "a.txt"}).is(status.Success, status.None, "", 5)
	want(t, titles(a.items), "mixes bottom top there base")
	want(t, titles(history(t, s, connectors.HistoryQuery{}).is(status.Success, status.None, "", 7).items), "mixes bottom top joins elsewhere there base")
}

func TestAChangeHasItsPartsAndSaysWhatACloneDoesNotKeep(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	text := strings.Repeat("a line of the file\n", 20)
	l.commit(o, "one", map[string]string{"a.txt": text, "gone.txt": "x\n", "b.bin": "\x00\x01"})
	l.git(o, "mv", "a.txt", "name with\ttab.txt")
	if err := os.Remove(l.path(o, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	sha := l.commit(o, "Subject\n\nBody \u202ewith bidi", map[string]string{"b.bin": "\x00\x02", "new.txt": "1\n2\n"})
	s := l.source(o)
	a := change(t, s, connectors.ChangeGet{Ref: commitRef(sha[:10]), Files: true, Diff: true}).is(status.Success, status.None, "", 1)
	c := a.items[0]
	if c.Kind != "commit" || c.Title != "Subject" || c.Body != "Body with bidi" || c.Removed == 0 || c.HeadSHA != sha || c.Author != "Ann Author" {
		t.Errorf("commit: %+v", c)
	}
	got := ""
	for _, f := range c.Files {
		got += fmt.Sprintf("%s %s<%s +%d -%d %t;", f.Status, f.Path, f.Previous, f.Additions, f.Deletions, f.Binary)
	}
	want := "modified b.bin< +0 -0 true;removed gone.txt< +0 -1 false;renamed name with%09tab.txt<a.txt +0 -0 false;added new.txt< +2 -0 false;"
	if got != want || c.FileCount != 4 || c.Additions != 2 || c.Deletions != 1 || !strings.Contains(c.Diff, "+2\n") {
		t.Errorf("files: %s\nwant: %s\n%d +%d -%d\n%s", got, want, c.FileCount, c.Additions, c.Deletions, c.Diff)
	}
	root := change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD~1"), Files: true}).is(status.Success, status.None, "", 1)
	if len(root.items[0].Files) != 3 {
		t.Errorf("root commit: %+v", root.items[0].Files)
	}
	change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Comments: true, Reviews: true, Checks: true}).is(status.Partial, status.CapabilityUnavailable, "operation_unsupported", 1)
	change(t, s, connectors.ChangeGet{Ref: ref.Ref{Raw: "#1"}}).is(status.AccessFailure, status.CapabilityUnavailable, "operation_unsupported", 0)
}

func TestABigDiffIsCutAndSaysSo(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	files := map[string]string{"big.txt": strings.Repeat("some text on a line\n", 20_000)}
	for i := range 150 {
		files[fmt.Sprintf("f%03d.txt", i)] = "x\n"
	}
	l.commit(o, "big", files)
	s := l.source(o)
	a := change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Diff: true}).is(status.Partial, status.CapabilityUnavailable, "own_cap", 1)
	if n := len(a.items[0].Diff); n == 0 || n > 128<<10 {
		t.Errorf("diff of %d bytes", n)
	}
	one := change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Files: true}).is(status.Partial, status.None, "", 1)
	two := change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Files: true, Cursor: one.next}).is(status.Success, status.None, "", 1)
	if len(one.items[0].Files) != 100 || len(two.items[0].Files) != 51 {
		t.Errorf("pages of %d and %d files", len(one.items[0].Files), len(two.items[0].Files))
	}
}

func TestHistoryFilters(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "Grüße aus Köln", map[string]string{"a.txt": "a\n"})
	l.commit(o, "second", map[string]string{"a.txt": "b\n"})
	// A clock that ran wrong: the newest commit says that it is the oldest.
	l.tick = -1_000_000
	l.commit(o, "skewed", map[string]string{"a.txt": "c\n"})
	l.tick = 100
	l.commit(o, "last", map[string]string{"a.txt": "d\n"})
	s := l.source(o)
	at := func(minute int) connectors.HistoryQuery {
		return connectors.HistoryQuery{Since: epoch(minute)}
	}
	if a := history(t, s, at(0)).is(status.Success, status.None, "", 3); titles(a.items) != "last second Grüße aus Köln" {
		t.Errorf("since: %s", titles(a.items))
	}
	history(t, s, connectors.HistoryQuery{Until: epoch(0)}).is(status.Success, status.None, "", 1)
	history(t, s, connectors.HistoryQuery{Text: "GRÜSSE"}).is(status.Empty, status.None, "", 0)
	history(t, s, connectors.HistoryQuery{Text: "gRÜßE"}).is(status.Success, status.None, "", 1)
	history(t, s, connectors.HistoryQuery{Author: "ANN@"}).is(status.Success, status.None, "", 4)
	history(t, s, connectors.HistoryQuery{Author: "ann", Text: "second"}).is(status.Success, status.None, "", 1)
	history(t, s, connectors.HistoryQuery{Author: "carl"}).is(status.Empty, status.None, "", 0)
	history(t, s, connectors.HistoryQuery{Text: ".*"}).is(status.Empty, status.None, "", 0)
}

func TestAPageOfCommitsIsSmall(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	for i := range 20 {
		l.commit(o, fmt.Sprintf("Change number %d of the parser so that it reads more\n\n%s", i, strings.Repeat("body ", 200)), nil)
	}
	if e := history(t, l.source(o), connectors.HistoryQuery{}).said; len(e) > 8<<10 {
		t.Errorf("%d bytes", len(e))
	}
}
