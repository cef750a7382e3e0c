//go:build unix

package local_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

const unknownSHA = "0123456789012345678901234567890123456789"

// origin is a repository with three commits on main and one on feature.
func (l *lab) origin() string {
	l.Helper()
	o := l.repo("origin")
	l.git(o, "config", "uploadpack.allowFilter", "true")
	l.commit(o, "first needle", map[string]string{"a.txt": "one\n", "lib/x.txt": "needle\n", "gone.txt": "x\n"})
	if err := os.Remove(l.path(o, "gone.txt")); err != nil {
		l.Fatal(err)
	}
	l.commit(o, "second", map[string]string{"a.txt": "one\ntwo\n"})
	l.git(o, "checkout", "-q", "-b", "feature")
	l.commit(o, "on feature", map[string]string{"f.txt": "f\n"})
	l.git(o, "checkout", "-q", "main")
	l.commit(o, "third", map[string]string{"b.txt": "b\n"})
	return o
}

func TestLG01_ShallowHistoryIsPartial(t *testing.T) {
	l := newLab(t)
	l.origin()
	s := l.source(l.clone("origin", "shallow", "--depth", "1"))
	history(t, s, connectors.HistoryQuery{}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 1)
	history(t, s, connectors.HistoryQuery{Text: "needle"}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 0)
	full := l.source(l.clone("origin", "full"))
	history(t, full, connectors.HistoryQuery{Text: "NEEDLE"}).is(status.Success, status.None, "", 1)
	history(t, full, connectors.HistoryQuery{Text: "nowhere"}).is(status.Empty, status.None, "", 0)
}

func TestHistoryWithoutARevisionIsOfHeadAndSaysSo(t *testing.T) {
	const note = "other_branches_not_searched"
	l := newLab(t)
	o := l.origin()
	s := l.source(o)
	for _, q := range []connectors.HistoryQuery{{Author: "Zed"}, {Text: "on feature"}, {Path: "a.txt", Text: "nowhere"}} {
		a := history(t, s, q).is(status.Empty, status.None, "", 0)
		if !slices.Contains(a.unproven, note) || !strings.Contains(a.said, `"git log HEAD (`) {
			t.Errorf("HEAD is not named: %s", a.said)
		}
		q.Revision = "main"
		if a := history(t, s, q).is(status.Empty, status.None, "", 0); slices.Contains(a.unproven, note) {
			t.Errorf("the revision was given: %s", a.said)
		}
	}
	if a := history(t, s, connectors.HistoryQuery{}); !slices.Contains(a.unproven, note) {
		t.Errorf("not noted beside data: %s", a.said)
	}
	l.git(o, "checkout", "-q", "--orphan", "fresh")
	if a := history(t, s, connectors.HistoryQuery{}).is(status.Empty, status.None, "", 0); !slices.Contains(a.unproven, note) {
		t.Errorf("not noted without a commit: %s", a.said)
	}
	l.git(o, "checkout", "-q", "-f", "main")
	l.git(o, "merge", "-q", "-m", "join", "feature")
	if a := history(t, s, connectors.HistoryQuery{Author: "Zed"}).is(status.Empty, status.None, "", 0); slices.Contains(a.unproven, note) {
		t.Errorf("HEAD has all commits: %s", a.said)
	}
}

func TestLG03_ABoundaryCommitTouchedNothingThatIsKnown(t *testing.T) {
	l := newLab(t)
	l.origin()
	s := l.source(l.clone("origin", "shallow", "--depth", "1"))
	history(t, s, connectors.HistoryQuery{Path: "lib/x.txt"}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 0)
	a := change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Files: true, Diff: true}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 1)
	if c := a.items[0]; len(c.Files) > 0 || c.Diff != "" || c.Additions > 0 {
		t.Errorf("a boundary commit shows changes: %+v", c)
	}
}

func TestLG04_AnAncestorOutsideAShallowCloneIsNotAbsent(t *testing.T) {
	l := newLab(t)
	l.origin()
	s := l.source(l.clone("origin", "shallow", "--depth", "1", "--no-single-branch"))
	history(t, s, connectors.HistoryQuery{Revision: "HEAD~2"}).is(status.AccessFailure, status.CapabilityUnavailable, "clone_incomplete", 0)
	change(t, s, connectors.ChangeGet{Ref: compareRef("origin/main", "origin/feature", true)}).is(status.AccessFailure, status.CapabilityUnavailable, "clone_incomplete", 0)
	full := l.source(l.clone("origin", "full"))
	a := change(t, full, connectors.ChangeGet{Ref: compareRef("origin/main", "origin/feature", true), Files: true}).is(status.Success, status.None, "", 1)
	if c := a.items[0]; c.Commits != 1 || len(c.Files) != 1 || c.Files[0].Path != "f.txt" || c.Files[0].Status != "added" {
		t.Errorf("comparison: %+v", c)
	}
}

func TestLG05_ASingleBranchCloneDoesNotKnowTheBranches(t *testing.T) {
	l := newLab(t)
	l.origin()
	s := l.source(l.clone("origin", "single", "--single-branch"))
	list(t, s, connectors.RepoList{What: "branches"}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 2)
	history(t, s, connectors.HistoryQuery{Revision: "feature"}).is(status.AccessFailure, status.CapabilityUnavailable, "clone_incomplete", 0)
	full := l.source(l.clone("origin", "full"))
	list(t, full, connectors.RepoList{What: "branches"}).is(status.Success, status.None, "", 3)
	a := history(t, full, connectors.HistoryQuery{Revision: "feature"}).is(status.AccessFailure, status.ReferenceUnresolved, "low_confidence", 0)
	if f := a.fact("revision"); f != "feature" {
		t.Errorf("evidence: %q", f)
	}
}

func TestLG06_LG07_AMissingBlobOfAPartialCloneIsNeverFetched(t *testing.T) {
	l := newLab(t)
	l.origin()
	c := l.clone("origin", "partial", "--filter=blob:none", "--no-checkout")
	s := l.source(c)
	count := l.git(c, "count-objects", "-v")
	search(t, s, connectors.CodeQuery{Text: "needle", Revision: "HEAD"}).retriable(status.AccessFailure, status.SourceUnreliable, "object_not_fetched", 0)
	readFile(t, s, connectors.FileGet{Path: "a.txt", Revision: "HEAD"}).retriable(status.AccessFailure, status.SourceUnreliable, "object_not_fetched", 0)
	change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Diff: true}).retriable(status.AccessFailure, status.SourceUnreliable, "object_not_fetched", 0)
	list(t, s, connectors.RepoList{Revision: "HEAD"}).is(status.Success, status.None, "", 3)
	history(t, s, connectors.HistoryQuery{}).is(status.Success, status.None, "", 3)
	change(t, s, connectors.ChangeGet{Ref: commitRef(unknownSHA)}).is(status.AccessFailure, status.CapabilityUnavailable, "clone_incomplete", 0)
	if after := l.git(c, "count-objects", "-v"); after != count {
		t.Errorf("objects were fetched:\n%s\nbefore\n%s", after, count)
	}
}

func TestLG08_ASparseCheckoutHidesFiles(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	l.git(o, "sparse-checkout", "set", "docs")
	s := l.source(o)
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 0)
	search(t, s, connectors.CodeQuery{Text: "needle", Revision: "HEAD"}).is(status.Success, status.None, "", 1)
	search(t, s, connectors.CodeQuery{Text: "nowhere", Path: "a.txt"}).is(status.Empty, status.None, "", 0)
	readFile(t, s, connectors.FileGet{Path: "lib/x.txt"}).is(status.AccessFailure, status.CapabilityUnavailable, "clone_incomplete", 0)
	list(t, s, connectors.RepoList{Recursive: true}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 2)
}

func TestLG09_ASubmoduleIsNotSearched(t *testing.T) {
	l := newLab(t)
	l.origin()
	super := l.repo("super")
	l.commit(super, "top", map[string]string{"main.txt": "main\n"})
	l.git(super, "-c", "protocol.file.allow=always", "submodule", "add", "-q", l.path("origin"), "vendored")
	l.commit(super, "add a submodule", nil)
	s := l.source(super)
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.Partial, status.CapabilityUnavailable, "content_not_included", 0)
	fresh := l.source(l.clone("super", "fresh"))
	search(t, fresh, connectors.CodeQuery{Text: "needle"}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 0)
	search(t, fresh, connectors.CodeQuery{Text: "needle", Revision: "HEAD"}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 0)
	search(t, fresh, connectors.CodeQuery{Text: "needle", Path: "main.txt"}).is(status.Empty, status.None, "", 0)
	readFile(t, fresh, connectors.FileGet{Path: "vendored/lib/x.txt"}).is(status.AccessFailure, status.CapabilityUnavailable, "clone_incomplete", 0)
	readFile(t, fresh, connectors.FileGet{Path: "vendored"}).is(status.AccessFailure, status.CapabilityUnavailable, "content_not_included", 0)
	a := list(t, fresh, connectors.RepoList{}).is(status.Success, status.None, "", 3)
	if a.items[2].Type != "submodule" || a.items[2].Target == "" {
		t.Errorf("submodule: %+v", a.items[2])
	}
}

func TestLG21_AnswersAboutHistorySayWhenTheCloneLastMoved(t *testing.T) {
	l := newLab(t)
	l.origin()
	c := l.clone("origin", "full")
	l.git(c, "fetch", "-q")
	old := time.Date(2025, 5, 5, 5, 5, 5, 0, time.UTC)
	for _, name := range []string{".git/FETCH_HEAD", ".git/logs/HEAD"} {
		if err := os.Chtimes(l.path(c, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	e := list(t, l.source(c), connectors.RepoList{What: "branches"}).said
	for _, want := range []string{`"as_of":"2025-05-05T05:05:05Z"`, "commits_not_fetched_from_the_remote"} {
		if !strings.Contains(e, want) {
			t.Errorf("%s lacks %s", e, want)
		}
	}
}

func TestLG24_ABareRepositoryIsReadAtHead(t *testing.T) {
	l := newLab(t)
	l.origin()
	s := l.source(l.clone("origin", "bare.git", "--bare"))
	a := search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 1)
	if a.items[0].Revision != "HEAD" {
		t.Errorf("revision %q", a.items[0].Revision)
	}
	search(t, s, connectors.CodeQuery{Text: "needle", Revision: "HEAD"}).is(status.Success, status.None, "", 1)
	readFile(t, s, connectors.FileGet{Path: "a.txt"}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 1)
	list(t, s, connectors.RepoList{Revision: "main"}).is(status.Success, status.None, "", 3)
	list(t, s, connectors.RepoList{What: "branches"}).is(status.Success, status.None, "", 2)
}

func TestTheFactsFollowTheClone(t *testing.T) {
	l := newLab(t)
	l.origin()
	c := l.clone("origin", "shallow", "--depth", "1")
	s := l.source(c)
	history(t, s, connectors.HistoryQuery{}).is(status.Partial, status.CapabilityUnavailable, "clone_incomplete", 1)
	if p := manifest(s); p.State != connectors.Degraded || len(p.Notes) == 0 {
		t.Errorf("probe: %+v", p)
	}
	l.git(c, "fetch", "-q", "--unshallow")
	history(t, s, connectors.HistoryQuery{}).is(status.Success, status.None, "", 3)
}
