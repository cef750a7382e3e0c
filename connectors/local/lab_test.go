//go:build unix

package local_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/config"
)

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

// source is frank over a directory of the lab.
func (l *lab) source(dir string) *frank {
	l.Helper()
	return start(l.T, config.Source{Root: l.path(dir)})
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
