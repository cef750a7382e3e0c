//go:build unix

package local_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/connectors/local"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lab is a directory in which git builds repositories with fixed names and dates.
type lab struct {
	*testing.T
	dir  string
	tick int
}

func newLab(t *testing.T) *lab {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &lab{T: t, dir: dir}
}

// git runs git in a directory of the lab and returns its output.
func (l *lab) git(dir string, args ...string) string {
	l.Helper()
	l.tick++
	date := time.Date(2026, 1, 1, 0, l.tick, 0, 0, time.UTC).Format(time.RFC3339)
	cmd := exec.Command("git", args...)
	cmd.Dir = l.path(dir)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Ann Author", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME=Carl Committer", "GIT_COMMITTER_EMAIL=carl@example.com", "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (l *lab) path(parts ...string) string {
	return filepath.Join(append([]string{l.dir}, parts...)...)
}

// write writes a file, with the directories above it.
func (l *lab) write(name, text string) {
	l.Helper()
	if err := os.MkdirAll(filepath.Dir(l.path(name)), 0o755); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(l.path(name), []byte(text), 0o644); err != nil {
		l.Fatal(err)
	}
}

// commit writes files into a repository and commits them; it returns the hash.
func (l *lab) commit(repo, message string, files map[string]string) string {
	l.Helper()
	for name, text := range files {
		l.write(filepath.Join(repo, name), text)
	}
	l.git(repo, "add", "-A")
	l.git(repo, "commit", "-q", "--allow-empty", "-m", message)
	return l.git(repo, "rev-parse", "HEAD")
}

// repo makes a repository with a branch main and no commit.
func (l *lab) repo(name string) string {
	l.Helper()
	if err := os.MkdirAll(l.path(name), 0o755); err != nil {
		l.Fatal(err)
	}
	l.git(name, "init", "-q", "-b", "main")
	return name
}

// clone clones a repository of the lab by its protocol, so that depth and filters count.
func (l *lab) clone(from, to string, options ...string) string {
	l.Helper()
	args := append([]string{"clone", "-q"}, options...)
	l.git("", append(args, "file://"+l.path(from), l.path(to))...)
	return to
}

// source opens a directory of the lab as a source.
func (l *lab) source(dir string) connectors.Source {
	l.Helper()
	s, failure := local.Provider.Open(connectors.Setup{Name: "here", Root: l.path(dir), Now: func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }})
	if failure != nil {
		l.Fatalf("open %s: %s", dir, failure.Because())
	}
	return s
}

// answer is what a question got, in the terms of the catalogue.
type answer[T any] struct {
	t      testing.TB
	status status.Status
	code   status.Code
	reason string
	retry  bool
	row    status.Row
	items  []T
}

// read takes a result apart.
func read[T any](t testing.TB, r status.Result[T]) answer[T] {
	t.Helper()
	s, c := r.Verdict()
	if !status.Legal(s, c) {
		t.Fatalf("illegal pair %s/%s", s, c)
	}
	a := answer[T]{t: t, status: s, code: c, row: r.Rows()[0], items: r.Items()}
	for _, f := range a.row.Failures {
		if f.Code() == c {
			a.reason, a.retry = f.Reason().Name(), f.Retryable()
			break
		}
	}
	return a
}

// is fails the test unless the verdict is this one.
func (a answer[T]) is(s status.Status, c status.Code, reason string, items int) answer[T] {
	a.t.Helper()
	a.retries(false)
	if a.status != s || a.code != c || a.reason != reason || len(a.items) != items {
		a.t.Fatalf("got %s/%s %q with %d items %+v, want %s/%s %q with %d", a.status, a.code, a.reason, len(a.items), a.items, s, c, reason, items)
	}
	return a
}

func (a answer[T]) retries(want bool) {
	a.t.Helper()
	if a.retry != want {
		a.t.Fatalf("retryable %t for %s, want %t", a.retry, a.reason, want)
	}
}

// The questions. They are the one place that changes when the tests ask through
// the public tools.
func search(t testing.TB, s connectors.Source, q connectors.CodeQuery) answer[connectors.CodeHit] {
	t.Helper()
	return read(t, s.Repo.SearchCode(context.Background(), q))
}

func readFile(t testing.TB, s connectors.Source, q connectors.FileGet) answer[connectors.File] {
	t.Helper()
	return read(t, s.Repo.ReadFile(context.Background(), q))
}

func list(t testing.TB, s connectors.Source, q connectors.RepoList) answer[connectors.Entry] {
	t.Helper()
	return read(t, s.Repo.List(context.Background(), q))
}

func change(t testing.TB, s connectors.Source, q connectors.ChangeGet) answer[connectors.Change] {
	t.Helper()
	return read(t, s.Repo.GetChange(context.Background(), q))
}

func history(t testing.TB, s connectors.Source, q connectors.HistoryQuery) answer[connectors.Commit] {
	t.Helper()
	return read(t, s.Repo.History(context.Background(), q))
}

func commitRef(sha string) ref.Ref {
	return ref.Ref{Kind: ref.Commit, Revision: sha, ID: sha, Raw: sha}
}

func compareRef(base, head string, three bool) ref.Ref {
	return ref.Ref{Kind: ref.Compare, Base: base, Head: head, ThreeDot: three}
}

// titles are the titles of commits in order.
func titles(items []connectors.Commit) string {
	var out []string
	for _, c := range items {
		out = append(out, c.Title)
	}
	return strings.Join(out, " ")
}

func paths[T any](items []T, of func(T) string) string {
	var out []string
	for _, i := range items {
		out = append(out, of(i))
	}
	return strings.Join(out, " ")
}

func hitPath(h connectors.CodeHit) string { return h.Path }
func entryRef(e connectors.Entry) string  { return e.Ref }

// envelope is the structured answer of a result.
func envelope[T any](r status.Result[T]) string {
	b, err := r.Envelope(status.Question{Many: "things", One: "thing"}).Structured()
	if err != nil {
		panic(err)
	}
	return string(b)
}

// epoch is a minute of the lab's clock.
func epoch(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }

// fakeGit puts a git before the real one that runs the lines first, with the
// real one as $real.
func (l *lab) fakeGit(lines string) {
	l.Helper()
	bin := l.TempDir()
	script := "#!/bin/sh\nreal='" + filepath.Join(l.git("", "--exec-path"), "git") + "'\n" + lines + "\nexec \"$real\" \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		l.Fatal(err)
	}
	l.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}
