//go:build unix

package local_test

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/status"
)

func TestLG12_LD05_AScopeThatGitDoesNotEnterIsNoAbsence(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "rules", map[string]string{".gitignore": "ign/\n", "real/t.txt": "needle\n", "real/deep/u.txt": "needle\n"})
	l.write("r/ign/sub/i.md", "needle\n")
	if err := os.Mkdir(l.path("r/void"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "real", "skipped": "ign", "away": ".."} {
		if err := os.Symlink(target, l.path("r", name)); err != nil {
			t.Fatal(err)
		}
	}
	l.commit(o, "links", nil)
	s := l.source(o)
	for _, p := range []string{"ign", "ign/sub", "skipped", "skipped/sub"} {
		search(t, s, connectors.CodeQuery{Text: "needle", Path: p}).is(status.AccessFailure, status.CapabilityUnavailable, "operation_unsupported", 0)
		list(t, s, connectors.RepoList{Path: p}).is(status.AccessFailure, status.CapabilityUnavailable, "operation_unsupported", 0)
	}
	for _, revision := range []string{"", "HEAD"} {
		search(t, s, connectors.CodeQuery{Text: "needle", Path: "link", Revision: revision}).is(status.Success, status.None, "", 2)
		search(t, s, connectors.CodeQuery{Text: "needle", Path: "link/deep", Revision: revision}).is(status.Success, status.None, "", 1)
		list(t, s, connectors.RepoList{Path: "link", Revision: revision}).is(status.Success, status.None, "", 2)
		list(t, s, connectors.RepoList{Path: "away", Revision: revision}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0)
	}
	search(t, s, connectors.CodeQuery{Text: "needle", Path: "void"}).is(status.Empty, status.None, "", 0)
}

func TestLD17_NothingOutsideTheRootIsRead(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	l.write("outside.txt", "secret\n")
	for name, target := range map[string]string{"out": "../outside.txt", "abs": l.path("outside.txt"), "dir": "..", "conf": ".git/config", "in": "lib/x.txt", "loop": "loop"} {
		if err := os.Symlink(target, l.path(o, name)); err != nil {
			t.Fatal(err)
		}
	}
	l.commit(o, "links", nil)
	s := l.source(o)
	for _, p := range []string{"../outside.txt", l.path("outside.txt"), "lib/../../outside.txt", ".git/config", "lib/../.GIT/config", "out", "abs", "dir/outside.txt", "conf", ".g\u200cit/config"} {
		for _, revision := range []string{"", "HEAD"} {
			readFile(t, s, connectors.FileGet{Path: p, Revision: revision}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0)
		}
	}
	search(t, s, connectors.CodeQuery{Text: "x", Path: "../*"}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0)
	for _, revision := range []string{"", "HEAD"} {
		readFile(t, s, connectors.FileGet{Path: "in", Revision: revision}).is(status.Success, status.None, "", 1)
		if a := readFile(t, s, connectors.FileGet{Path: "loop", Revision: revision}); a.status != status.AccessFailure || a.reason != "contradictory" {
			t.Errorf("loop: %s %s", a.status, a.reason)
		}
	}
	readFile(t, s, connectors.FileGet{Path: l.path(o, "a.txt")}).is(status.Success, status.None, "", 1)
}

func TestLD17_ARefusalSaysWhatWouldHelp(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	l.link("origin/out", "../outside.txt")
	l.write("outside.txt", "secret\n")
	s := l.source(o)
	for _, said := range []string{
		readFile(t, s, connectors.FileGet{Path: "/etc/passwd"}).said, readFile(t, s, connectors.FileGet{Path: "out"}).said, read(s, "/etc/passwd", "").said,
	} {
		if !strings.Contains(said, `"operator_message":"frank reads only below root; add a source whose root holds it."`) {
			t.Errorf("no way out: %s", said)
		}
	}
	if said := readFile(t, s, connectors.FileGet{Path: ".git/config"}).said; !strings.Contains(said, `"operator_message":"frank never reads inside .git;`) {
		t.Errorf("another way out: %s", said)
	}
}

func TestLD07_AMissingRootIsNamedInASentence(t *testing.T) {
	l := newLab(t)
	a := find(start(t, config.Source{Root: l.path("nope")}), "x").is(status.AccessFailure, status.CapabilityUnavailable, "misconfigured", 0)
	want(t, a.fact("config_key"), "root")
	want(t, a.fact("remedy"), "root of source here: the directory "+l.path("nope")+" is missing; create it or correct root in frank.yaml.")
}

func TestLD17_APipeIsNeverWaitedFor(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	for _, name := range []string{"pipe", "pipe.md"} {
		if err := syscall.Mkfifo(l.path(o, name), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { // lets go whoever waits after all
			if f, err := os.OpenFile(l.path(o, name), os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
				f.Close()
			}
		})
	}
	s := l.source(o)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	ask[connectors.File](ctx, s, "repo_read_file", arguments{"path": "pipe"}).is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0)
	ask[connectors.Entry](ctx, s, "repo_list", arguments{"path": "pipe"}).is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0)
	ask[connectors.CodeHit](ctx, s, "repo_search_code", arguments{"query": "x", "path": "pipe"}).is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0)
	ask[connectors.Commit](ctx, s, "repo_history", arguments{"path": "pipe"}).is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0)
	ask[connectors.Page](ctx, s, "docs_list", arguments{"parent": "pipe"}).is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0)
	ask[connectors.Page](ctx, s, "docs_read", arguments{"ref": "pipe.md"}).is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0)
	ask[connectors.Page](ctx, s, "docs_search", arguments{"query": "nowhere"}).is(status.Empty, status.None, "", 0)
}
