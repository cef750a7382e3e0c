package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// kills is how often each tracker's writer is killed, at a time that moves from
// its start to its end.
const kills = 24

// Whenever a process is killed while it makes a task, the same call afterwards
// leaves exactly one, no file is damaged, and nothing lies beside the files.
func TestKilledLocalWritesMakeOneTaskEach(t *testing.T) {
	for name, files := range map[string][2]string{
		"backlog": {"backlog/tasks/task-1 - First.md", "---\nid: TASK-1\ntitle: First\nstatus: To Do\n---\n"},
		"beads":   {".beads/issues.jsonl", `{"id":"bd-1","title":"First","status":"open"}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newKilled(t, files[0], files[1])
			began := time.Now()
			l.ask("tracker_create_issue", "project=here", "title=Zeroth")
			whole := time.Since(began)
			for n := range kills {
				create := []string{"tracker_create_issue", "project=here", "title=Number <" + strconv.Itoa(n) + ">", "body=Text"}
				l.killed(whole*time.Duration(n)/kills, create...)
				if a := l.ask(create...); a.Status != "success" {
					t.Errorf("%d: %+v", n, a)
				}
				if a := l.ask("tracker_search", "query=Number <"+strconv.Itoa(n)+">"); a.Status != "success" || strings.Count(string(a.Data), `"title"`) != 1 {
					t.Errorf("%d: %s %s", n, a.Summary, a.Data)
				}
			}
			if a := l.ask("tracker_search", "query=t", "limit=100"); strings.Count(string(a.Data), `"title"`) != kills+2 {
				t.Errorf("%s: %s", a.Summary, a.Data)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(l.file), ".frank*")); len(left) > 0 { // the last call swept
				t.Error(left)
			}
		})
	}
}

// killing is a directory with a tracker in which writers are killed.
type killing struct {
	*testing.T
	dir, file string
}

func newKilled(t *testing.T, file, text string) *killing {
	l := &killing{T: t, dir: t.TempDir()}
	l.file = filepath.Join(l.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(l.file), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, l.file, text)
	write(t, filepath.Join(l.dir, "frank.yaml"), "sources:\n  - {name: here, provider: local, root: .}\nwrites: true\n")
	return l
}

func (l *killing) command(args ...string) *exec.Cmd {
	c := frank(l.T, append([]string{"call", "--json"}, args...)...)
	c.Env = append(c.Env, "FRANK_CONFIG="+filepath.Join(l.dir, "frank.yaml"), "XDG_STATE_HOME="+filepath.Join(l.dir, "state"))
	return c
}

func (l *killing) ask(args ...string) answered {
	l.Helper()
	return callOnce(l.T, l.command(args...))
}

// killed starts the call and kills it after a while, unless it has ended.
func (l *killing) killed(after time.Duration, args ...string) {
	l.Helper()
	c := l.command(args...)
	if err := c.Start(); err != nil {
		l.Fatal(err)
	}
	gun := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	_ = c.Wait() // killed, most of the time
	gun.Stop()
}
