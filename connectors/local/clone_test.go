//go:build unix

package local_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/config"
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

func TestLG15_ARepositoryWithoutCommitsIsProvedEmpty(t *testing.T) {
	l := newLab(t)
	s := l.source(l.repo("unborn"))
	history(t, s, connectors.HistoryQuery{}).is(status.Empty, status.None, "", 0)
	list(t, s, connectors.RepoList{What: "branches"}).is(status.Empty, status.None, "", 0)
	list(t, s, connectors.RepoList{}).is(status.Empty, status.None, "", 0)
	search(t, s, connectors.CodeQuery{Text: "x"}).is(status.Empty, status.None, "", 0)
	l.write("unborn/new.txt", "x marks\n")
	search(t, s, connectors.CodeQuery{Text: "X"}).is(status.Success, status.None, "", 1)
	history(t, s, connectors.HistoryQuery{Revision: "other"}).is(status.AccessFailure, status.ReferenceUnresolved, "absent_or_hidden", 0)
}

func TestLG16_DubiousOwnershipIsDenied(t *testing.T) {
	l := newLab(t)
	if os.Getuid() != 0 {
		t.Skip("only root can give a repository away")
	}
	o := l.origin()
	if err := filepath.WalkDir(l.path(o), func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, 12345, 12345)
	}); err != nil {
		t.Fatal(err)
	}
	s := l.source(o)
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.AccessFailure, status.AccessDenied, "ownership_refused", 0)
	if p := manifest(s); p.State != connectors.Degraded || capability(s, connectors.CodeSearch).State != connectors.NotGranted {
		t.Errorf("probe: %+v", p)
	}
	if out, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".gitconfig")); err == nil {
		t.Errorf("the settings of the user were written: %s", out)
	}
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

func TestLG26_TheEnvironmentSteersNothing(t *testing.T) {
	l := newLab(t)
	s := l.source(l.origin())
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_LITERAL_PATHSPECS", "GIT_EXTERNAL_DIFF"} {
		t.Setenv(name, "/nonexistent")
	}
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.Success, status.None, "", 1)
	change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Diff: true}).is(status.Success, status.None, "", 1)
	t.Setenv("PATH", t.TempDir())
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.AccessFailure, status.CapabilityUnavailable, "misconfigured", 0)
	if p := manifest(s); p.State != connectors.Degraded {
		t.Errorf("state %s", p.State)
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
		change(t, s, connectors.ChangeGet{Ref: commitRef(name)}).is(status.AccessFailure, status.ReferenceUnresolved, "absent_or_hidden", 0)
	}
	shallow := l.source(l.clone("origin", "shallow", "--depth", "1"))
	change(t, shallow, connectors.ChangeGet{Ref: commitRef(unknownSHA)}).is(status.AccessFailure, status.CapabilityUnavailable, "clone_incomplete", 0)
	for _, name := range []string{"--output=x", "-p", "a..b", ":/first", "HEAD^{/first}", "HEAD:a.txt", "a b", "", "x\x00"} {
		history(t, s, connectors.HistoryQuery{Revision: name, Path: "a.txt"}).is(map[bool]status.Status{true: status.Success, false: status.AccessFailure}[name == ""],
			map[bool]status.Code{true: status.None, false: status.InputMissing}[name == ""], map[bool]string{true: "", false: "invalid_argument"}[name == ""], map[bool]int{true: 2}[name == ""])
	}
}

func TestLG31_ACallThatIsCutOffIsNoAnswer(t *testing.T) {
	l := newLab(t)
	s := l.source(l.origin())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ask[connectors.CodeHit](ctx, s, "repo_search_code", arguments{"query": "needle"}).is(status.AccessFailure, status.SourceUnreliable, "cancelled", 0)
	ctx, cancel = context.WithDeadline(context.Background(), time.Unix(1, 0))
	defer cancel()
	ask[connectors.Commit](ctx, s, "repo_history", nil).retriable(status.AccessFailure, status.SourceUnreliable, "timeout", 0)
}

func TestLG31_CancellationEndsGitAndItsHelpers(t *testing.T) {
	l := newLab(t)
	s := l.source(l.origin())
	history(t, s, connectors.HistoryQuery{}).is(status.Success, status.None, "", 3)
	if err := syscall.Mkfifo(l.path("alive"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The helper keeps its end of the pipe open for as long as it lives.
	l.fakeGit("exec 9>'" + l.path("alive") + "'; echo started >&9; sleep 300 & wait")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan answer[connectors.Commit])
	go func() { done <- ask[connectors.Commit](ctx, s, "repo_history", arguments{"revision": "main"}) }()
	alive, err := os.Open(l.path("alive")) // waits until git runs
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if _, err := alive.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	cancel()
	guard := time.AfterFunc(10*time.Second, func() { alive.Close() })
	defer guard.Stop()
	if _, err := io.Copy(io.Discard, alive); err != nil { // ends when nobody holds the other end
		t.Errorf("git or its helper outlives the call: %v", err)
	}
	(<-done).is(status.AccessFailure, status.SourceUnreliable, "cancelled", 0)
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

func TestLD04_LD07_TheRootHasToBeADirectory(t *testing.T) {
	l := newLab(t)
	l.origin()
	if err := os.Symlink(l.path("origin"), l.path("link")); err != nil {
		t.Fatal(err)
	}
	search(t, l.source("link"), connectors.CodeQuery{Text: "needle"}).is(status.Success, status.None, "", 1)
	for _, root := range []string{l.path("nope"), l.path("origin/a.txt"), "relative", ""} {
		s := start(t, config.Source{Root: root})
		search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.AccessFailure, status.CapabilityUnavailable, "misconfigured", 0)
		find(s, "needle").is(status.AccessFailure, status.CapabilityUnavailable, "misconfigured", 0)
	}
	s := l.source("origin")
	if err := os.Rename(l.path("origin"), l.path("moved")); err != nil {
		t.Fatal(err)
	}
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.AccessFailure, status.CapabilityUnavailable, "misconfigured", 0)
	if p := manifest(s); p.State != connectors.Misconfigured || p.Reason != "misconfigured" {
		t.Errorf("probe: %+v", p)
	}
}

func TestARepositoryFurtherUpDoesNotAnswer(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	inner := l.source(filepath.Join(o, "lib"))
	search(t, inner, connectors.CodeQuery{Text: "needle"}).is(status.AccessFailure, status.CapabilityUnavailable, "connector_not_configured", 0)
	if c := capability(inner, connectors.CodeSearch); c.State != connectors.Unsupported || !strings.Contains(c.Unblock, "Make root the top of a Git checkout, or set repository") {
		t.Errorf("a directory inside a checkout: %+v", c)
	}
	l.write("origin/sub/.git/HEAD", "damaged")
	s := l.source(filepath.Join(o, "sub"))
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.AccessFailure, status.CapabilityUnavailable, "misconfigured", 0)
	named := start(t, config.Source{Root: l.path(o, "lib"), Repository: l.path(o)})
	search(t, named, connectors.CodeQuery{Text: "needle"}).is(status.Success, status.None, "", 1)
}

func TestAWorkTreeElsewhereIsNotRead(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	l.write("private/key.txt", "needle\n")
	l.git(o, "config", "core.worktree", l.path("private"))
	s := l.source(o)
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.AccessFailure, status.CapabilityUnavailable, "misconfigured", 0)
	list(t, s, connectors.RepoList{}).is(status.AccessFailure, status.CapabilityUnavailable, "misconfigured", 0)
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
