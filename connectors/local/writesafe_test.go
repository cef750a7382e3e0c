package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/connectors/local"
)

// refusing is frank over a shelf on which these operations fail.
func (s *shelf) refusing(fails map[string]error) *frank {
	s.Helper()
	return s.writable().alter(func(src connectors.Source) connectors.Source { return local.Refusing(src, fails) })
}

// acts are a change of each kind, through its tool.
func acts(id string) map[string]func(*frank) written {
	return map[string]func(*frank) written{
		"create": func(f *frank) written {
			return f.change("tracker_create_issue", arguments{"project": "here", "title": "New"})
		},
		"update": func(f *frank) written {
			return f.change("tracker_update_issue", arguments{"ref": id, "state": "closed"})
		},
		"comment": func(f *frank) written { return f.change("tracker_add_comment", arguments{"ref": id, "body": "Seen."}) },
	}
}

// trackers are a tracker of each kind with one issue.
func trackers(t *testing.T, test func(t *testing.T, s *shelf, id, dir, file string)) {
	t.Helper()
	t.Run("backlog", func(t *testing.T) { test(t, taskShelf(t, plainTask), "task-7", "backlog/tasks", taskName) })
	t.Run("beads", func(t *testing.T) { test(t, beadShelf(t), "bd-a1b2", ".beads", beadsName) })
}

func TestReadOnlyIsHeeded(t *testing.T) {
	trackers(t, func(t *testing.T, s *shelf, id, dir, file string) {
		before := s.read(file)
		for at, mode := range map[string]os.FileMode{file: 0o444, dir: 0o555} {
			was, err := os.Stat(filepath.Join(s.root, at))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(s.root, at), mode); err != nil {
				t.Fatal(err)
			}
			for name, act := range acts(id) {
				if name == "create" && at == taskName {
					continue // that is another file
				}
				w := act(s.writable())
				want(t, at+" "+name+" "+w.verdict+" "+w.called, at+" "+name+" access_failure ACCESS_DENIED permission_denied no")
			}
			if at != taskName {
				c := capability(s.writable(), connectors.IssueWrite)
				want(t, string(c.State)+" "+c.Reason, "denied permission_denied")
			}
			if err := os.Chmod(filepath.Join(s.root, at), was.Mode()); err != nil {
				t.Fatal(err)
			}
		}
		want(t, s.read(file), before)
		want(t, string(capability(s.writable(), connectors.IssueWrite).State), "granted")
	})
}

func TestAFailedWriteChangesNothing(t *testing.T) {
	trackers(t, func(t *testing.T, s *shelf, id, dir, file string) {
		before, names := s.read(file), s.names(dir)
		for name, act := range acts(id) {
			for _, fails := range []map[string]error{
				{"create": syscall.ENOSPC}, {"write": syscall.EIO}, {"rename": syscall.EIO, "link": syscall.EPERM},
			} {
				w := act(s.refusing(fails))
				want(t, name+" "+w.verdict+" "+w.called, name+" access_failure SOURCE_UNRELIABLE write_failed no")
				if s.read(file) != before || s.names(dir) != names {
					t.Fatalf("%s, %v: left %s", name, fails, s.names(dir))
				}
			}
			w := act(s.refusing(map[string]error{"create": syscall.EROFS}))
			want(t, name+" "+w.verdict, name+" access_failure ACCESS_DENIED permission_denied")
		}
	})
}

func TestWhatAProcessThatDiedLeftIsSweptAway(t *testing.T) {
	trackers(t, func(t *testing.T, s *shelf, id, dir, _ string) {
		for name, act := range acts(id) {
			left, own := dir+"/.frank-abcdefghijklmnopqrstuvw234.tmp", dir+"/.frank-notes.tmp"
			s.put(left, "---\nid: TASK-9\ntitle: Half\n")
			s.put(own, "kept")
			want(t, get(s.writable(), id).verdict(), "success NONE") // it is no task
			act(s.writable()).one()
			if names := s.names(dir); strings.Contains(names, left[len(dir)+1:]) || s.read(own) != "kept" {
				t.Errorf("%s left %s", name, names)
			}
		}
	})
}

func TestARenameThatFailedAfterAll(t *testing.T) {
	trackers(t, func(t *testing.T, s *shelf, id, _, _ string) {
		s.refusing(map[string]error{"rename": local.ErrAfter()}).update(id, connectors.IssueUpdate{State: "closed"}).one()
	})
}

func TestAFileSystemWithoutHardLinks(t *testing.T) {
	s := taskShelf(t, plainTask)
	i := s.refusing(map[string]error{"link": syscall.EPERM}).create(connectors.IssueCreate{Title: "New"}).one()
	want(t, i.Ref+" "+s.names("backlog/tasks"), "TASK-8 task-7 - Old.md\ntask-8 - New.md")
}

func TestLD05NothingIsWrittenThroughALink(t *testing.T) {
	s := newShelf(t, "backlog/config.yml", "project_name: x\n", "real/task-7 - Old.md", plainTask, "out/issues.jsonl", oneBead+"\n")
	if err := os.Mkdir(filepath.Join(s.root, "backlog/tasks"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.link("../../real/task-7 - Old.md", taskName)
	want(t, get(s.source(), "task-7").verdict(), "success NONE")
	want(t, s.source().comment("task-7", "x").verdict, "access_failure CAPABILITY_UNAVAILABLE operation_unsupported")
	want(t, s.read("real/task-7 - Old.md"), plainTask)
	if err := os.RemoveAll(filepath.Join(s.root, "backlog")); err != nil {
		t.Fatal(err)
	}
	s.link("out", ".beads")
	for name, act := range acts("bd-a1b2") {
		want(t, name+" "+act(s.writable()).verdict, name+" access_failure CAPABILITY_UNAVAILABLE operation_unsupported")
	}
	want(t, s.read("out/issues.jsonl"), oneBead+"\n")
}

func TestModeIsKept(t *testing.T) {
	trackers(t, func(t *testing.T, s *shelf, id, dir, file string) {
		at := filepath.Join(s.root, file)
		if err := os.Chmod(at, 0o640); err != nil {
			t.Fatal(err)
		}
		s.source().comment(id, "x").one()
		info, err := os.Stat(at)
		if err != nil || info.Mode().Perm() != 0o640 {
			t.Error(info.Mode(), err)
		}
		if strings.Contains(s.names(dir), ".frank") {
			t.Error(s.names(dir))
		}
	})
}

func TestFind(t *testing.T) {
	trackers(t, func(t *testing.T, s *shelf, id, _, _ string) {
		src := s.source()
		mark := connectors.Mark{ID: "0123456789abcdef", Since: noon().Add(500 * time.Millisecond)}
		made := connectors.IssueCreate{Title: "Lost: and found", Body: "Text <!-- hidden -->\n\n- a", Mark: mark}
		want(t, src.find(connectors.WriteTrace{Create: &made}).verdict, "empty NONE")
		i := src.create(made).one()
		want(t, src.find(connectors.WriteTrace{Create: &made}).one().Ref, i.Ref)
		other, late := made, made
		other.Body, late.Mark.Since = "Text", noon().Add(time.Hour)
		want(t, src.find(connectors.WriteTrace{Create: &other}).verdict, "empty NONE")
		want(t, src.find(connectors.WriteTrace{Create: &late}).verdict, "empty NONE")

		change := connectors.IssueUpdate{Ref: issueRef(id), State: "closed", AddLabels: []string{"l"}, Body: text("B")}
		want(t, src.find(connectors.WriteTrace{Update: &change}).verdict, "empty NONE")
		src.update(id, change).one()
		want(t, src.find(connectors.WriteTrace{Update: &change}).one().Title, get(src, id).items[0].Title)

		said := connectors.CommentAdd{Ref: issueRef(id), Body: "Said <b>so</b>.", Mark: mark}
		want(t, src.find(connectors.WriteTrace{Comment: &said}).verdict, "empty NONE")
		src.comment(id, said.Body).one()
		src.comment(id, "Another.").one()
		want(t, src.find(connectors.WriteTrace{Comment: &said}).one().Thread[0].Body, "Said <b>so</b>.")
		said.Mark.Since = noon().Add(time.Hour)
		want(t, src.find(connectors.WriteTrace{Comment: &said}).verdict, "empty NONE")
	})
	s := taskShelf(t, plainTask)
	s.put("backlog/tasks/task-9 - Bad.md", "no front matter")
	want(t, s.source().find(connectors.WriteTrace{Create: &connectors.IssueCreate{Title: "x"}}).verdict, "partial SOURCE_UNRELIABLE corrupt")
}
