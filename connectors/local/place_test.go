//go:build unix

package local_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

func TestARepositoryElsewhereThatOnlyTheRootPointsToIsDenied(t *testing.T) {
	for name, point := range map[string]func(*lab){
		"a file": func(l *lab) { l.write("evil/.git", "gitdir: "+l.path("victim/.git")+"\n") },
		"a work tree's": func(l *lab) {
			l.git("victim", "worktree", "add", "-q", l.path("away"))
			l.write("evil/.git", "gitdir: "+l.path("victim/.git/worktrees/away")+"\n")
		},
		"a link": func(l *lab) { l.link("evil/.git", l.path("victim/.git")) },
		"linked parts": func(l *lab) {
			l.repo("evil")
			for _, part := range []string{"objects", "refs"} {
				if err := os.RemoveAll(l.path("evil/.git", part)); err != nil {
					l.Fatal(err)
				}
				l.link("evil/.git/"+part, l.path("victim/.git", part))
			}
		},
		"a common directory": func(l *lab) {
			l.write("evil/.git/HEAD", "ref: refs/heads/main\n")
			l.write("evil/.git/commondir", l.path("victim/.git")+"\n")
			l.write("evil/.git/gitdir", l.path("evil/.git")+"\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.commit(l.repo("victim"), "SECRET", map[string]string{"secret.txt": "SECRET\n"})
			l.write("evil/own.md", "needle\n")
			point(l)
			s := l.source("evil")
			for _, said := range []string{
				history(t, s, connectors.HistoryQuery{}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0).said,
				list(t, s, connectors.RepoList{Revision: "main"}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0).said,
				change(t, s, connectors.ChangeGet{Ref: commitRef("main"), Diff: true}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0).said,
			} {
				if strings.Contains(said, "SECRET") || !strings.Contains(said, "core.worktree") {
					t.Errorf("said %s", said)
				}
			}
			want(t, refs(find(s, "needle")), "own.md")
		})
	}
}

func TestWorkTreesAndSubmodulesAreCheckouts(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	l.git(o, "worktree", "add", "-q", "-b", "side", l.path("elsewhere/tree"))
	search(t, l.source("elsewhere/tree"), connectors.CodeQuery{Text: "needle"}).is(status.Success, status.None, "", 1)
	history(t, l.source("elsewhere/tree"), connectors.HistoryQuery{}).is(status.Success, status.None, "", 3)

	super := l.repo("super")
	l.git(super, "-c", "protocol.file.allow=always", "submodule", "add", "-q", l.path("origin"), "sub")
	l.commit(super, "add a submodule", nil)
	search(t, l.source("super/sub"), connectors.CodeQuery{Text: "needle"}).is(status.Success, status.None, "", 1)
	history(t, l.source("super/sub"), connectors.HistoryQuery{}).is(status.Success, status.None, "", 3)

	l.git("", "init", "-q", "-b", "main", "--separate-git-dir", l.path("store"), l.path("apart"))
	l.commit("apart", "one", map[string]string{"a.md": "needle\n"})
	history(t, l.source("apart"), connectors.HistoryQuery{}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0)
	l.git("apart", "config", "core.worktree", l.path("apart"))
	history(t, l.source("apart"), connectors.HistoryQuery{}).is(status.Success, status.None, "", 1)
}

func TestASocketIsOfTheWrongKind(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	t.Chdir(l.path(o)) // the name of a socket has to be short
	socket, err := net.Listen("unix", "sock")
	if err != nil {
		t.Skip("no sockets in a directory")
	}
	defer socket.Close()
	s := l.source(o)
	readFile(t, s, connectors.FileGet{Path: "sock"}).is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0)
	list(t, s, connectors.RepoList{Path: "sock"}).is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0)
}

func (l *lab) link(name, target string) {
	l.Helper()
	if err := os.MkdirAll(filepath.Dir(l.path(name)), 0o755); err != nil {
		l.Fatal(err)
	}
	if err := os.Symlink(target, l.path(name)); err != nil {
		l.Fatal(err)
	}
}

func TestOnlyARemoteOnAHostNamesTheRepository(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	c := l.clone(o, "copy")
	for remote, name := range map[string]string{
		"file://" + l.path(o):                 "copy",
		l.path(o):                             "copy",
		"../origin":                           "copy",
		`C:\work\main`:                        "copy",
		"https://example.com/acme/app.git":    "acme/app",
		"https://me:a/b@example.com/app.git":  "app",
		"ssh://git@example.com:22/acme/app":   "acme/app",
		"git@example.com:acme/app.git":        "acme/app",
		"git://example.com/acme/app.git/":     "acme/app",
		"https://example.com/group/acme/app/": "acme/app",
	} {
		l.git(c, "remote", "set-url", "origin", remote)
		a := list(t, l.source(c), connectors.RepoList{What: "repos"}).is(status.Success, status.None, "", 1)
		want(t, a.items[0].Ref, name)
	}
}
