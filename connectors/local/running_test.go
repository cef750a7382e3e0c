//go:build unix

package local_test

import (
	"context"
	"fmt"
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

func TestAHostileRepositoryRunsNothing(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	mark := l.path("ran")
	script := "#!/bin/sh\ntouch " + mark + "\nexec cat\n"
	l.write("evil.sh", script)
	if err := os.Chmod(l.path("evil.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	evil := l.path("evil.sh")
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "reference-transaction"} {
		l.write("origin/.git/hooks/"+hook, script)
		if err := os.Chmod(l.path("origin/.git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l.write("origin/.gitattributes", "*.txt diff=evil filter=evil\n")
	l.write("origin/.git/info/attributes", "*.txt diff=evil filter=evil\n")
	config := "[core]\n fsmonitor = %[1]s\n pager = %[1]s\n sshCommand = %[1]s\n hooksPath = .git/hooks\n alternateRefsCommand = %[1]s\n askPass = %[1]s\n editor = %[1]s\n" +
		"[diff]\n external = %[1]s\n[diff \"evil\"]\n command = %[1]s\n textconv = %[1]s\n[filter \"evil\"]\n clean = %[1]s\n smudge = %[1]s\n process = %[1]s\n" +
		"[log]\n showSignature = true\n[gpg]\n program = %[1]s\n[grep]\n recurseSubmodules = true\n[pager]\n log = %[1]s\n grep = %[1]s\n[credential]\n helper = %[1]s\n[alias]\n grep = !%[1]s\n"
	f, err := os.OpenFile(l.path("origin/.git/config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, config, evil)
	f.Close()
	l.write("origin/a.txt", "changed on disk, needle\n")
	signed := "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n"
	l.write("commit", strings.Replace(l.git(o, "cat-file", "commit", "HEAD")+"\n", "\n\n", "\n"+signed, 1))
	l.git(o, "update-ref", "refs/heads/main", l.git(o, "hash-object", "-t", "commit", "-w", l.path("commit")))
	if err := os.Remove(mark); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	s := l.source(o)
	for _, revision := range []string{"", "HEAD"} {
		search(t, s, connectors.CodeQuery{Text: "needle", Revision: revision})
		readFile(t, s, connectors.FileGet{Path: "a.txt", Revision: revision}).is(status.Success, status.None, "", 1)
		list(t, s, connectors.RepoList{Revision: revision, Recursive: true})
		history(t, s, connectors.HistoryQuery{Revision: revision, Path: "a.txt", Text: "first"}).is(status.Success, status.None, "", 1)
	}
	for _, name := range []string{"HEAD", "HEAD~1"} {
		change(t, s, connectors.ChangeGet{Ref: commitRef(name), Files: true, Diff: true}).is(status.Success, status.None, "", 1)
	}
	change(t, s, connectors.ChangeGet{Ref: compareRef("HEAD~2", "HEAD", true), Files: true, Diff: true}).is(status.Success, status.None, "", 1)
	manifest(s)
	if _, err := os.Lstat(mark); err == nil {
		t.Fatal("a program that the repository names was run")
	}
}
