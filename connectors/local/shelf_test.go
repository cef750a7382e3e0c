package local_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/connectors/local"
	"github.com/frank-mcp/frank/internal/config"
)

// shelf is a directory of documents under test.
type shelf struct {
	testing.TB
	root string
}

func newShelf(t testing.TB, files ...string) *shelf {
	t.Helper()
	root := filepath.Join(t.TempDir(), "shelf")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &shelf{t, root}
	for i := 0; i+1 < len(files); i += 2 {
		s.put(files[i], files[i+1])
	}
	return s
}

func (s *shelf) put(name, text string) {
	s.Helper()
	at := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) link(target, name string) {
	s.Helper()
	if err := os.Symlink(target, filepath.Join(s.root, name)); err != nil {
		s.Fatal(err)
	}
}

// git makes the shelf a checkout of all that is in it.
func (s *shelf) git() {
	s.Helper()
	s.run("init", "-q", "-b", "main")
	s.run("add", "-A")
	s.run("commit", "-q", "--allow-empty", "-m", "all")
}

func (s *shelf) run(args ...string) {
	s.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir = s.root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// source is frank over the shelf.
func (s *shelf) source() *frank {
	s.Helper()
	return start(s.TB, config.Source{Root: s.root})
}

// writable is frank over the shelf, with changes switched on.
func (s *shelf) writable() *frank {
	s.Helper()
	return wired(s.TB, config.Config{Sources: []config.Source{{Root: s.root}}, Writes: true})
}

// failing is frank over a shelf on which opening these paths fails.
func (s *shelf) failing(fails map[string]error) *frank {
	s.Helper()
	return s.source().alter(func(src connectors.Source) connectors.Source { return local.Failing(src, fails) })
}
