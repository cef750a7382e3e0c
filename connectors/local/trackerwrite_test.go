package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// change is what the writer answered, in the terms of the catalogue.
type written struct {
	t       testing.TB
	verdict string
	called  string
	failure status.Failure // of a writer that was asked without its tool
	options string
	items   []connectors.Issue
}

func outcome(t testing.TB, r status.Result[connectors.Issue]) written {
	t.Helper()
	row := r.Rows()[0]
	w := written{t: t, items: r.Items(), verdict: row.Status.String() + " " + row.Code.String()}
	if len(row.Failures) > 0 {
		w.failure = row.Failures[0]
		w.called = w.failure.APICalled().String()
		w.verdict += " " + w.failure.Reason().Name()
	}
	return w
}

// one is the issue of a change that was carried out.
func (w written) one() connectors.Issue {
	w.t.Helper()
	if w.verdict != "success NONE" || len(w.items) != 1 {
		w.t.Fatalf("%s with %d items: %s %s", w.verdict, len(w.items), w.failure.Text("feature"), w.failure.Text("arguments"))
	}
	return w.items[0]
}

// change asks a tool for a change, as an agent does.
func (f *frank) change(tool string, args arguments) written {
	f.Helper()
	a := ask[connectors.Issue](f.Context(), f, tool, args)
	return written{t: f, items: a.items, verdict: a.verdict(), called: a.called, options: a.fact("options")}
}

func (f *frank) writer() connectors.Writer { return f.app.Deps.Sources[0].Writer }

func (f *frank) create(w connectors.IssueCreate) written {
	f.Helper()
	return outcome(f, f.writer().Create(f.Context(), w))
}

func (f *frank) update(id string, w connectors.IssueUpdate) written {
	f.Helper()
	w.Ref = issueRef(id)
	return outcome(f, f.writer().Update(f.Context(), w))
}

func (f *frank) comment(id, body string) written {
	f.Helper()
	return outcome(f, f.writer().Comment(f.Context(), connectors.CommentAdd{Ref: issueRef(id), Body: body}))
}

func (f *frank) find(w connectors.WriteTrace) written {
	f.Helper()
	return outcome(f, f.writer().Find(f.Context(), w))
}

func issueRef(id string) ref.Ref { return ref.Ref{Kind: ref.Issue, ID: id, Raw: id} }

func text(s string) *string { return &s }

func (s *shelf) read(name string) string {
	s.Helper()
	b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		s.Fatal(err)
	}
	return string(b)
}

// names lists a directory of the shelf.
func (s *shelf) names(dir string) string {
	s.Helper()
	entries, err := os.ReadDir(filepath.Join(s.root, filepath.FromSlash(dir)))
	if err != nil {
		s.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, "\n")
}

// age sets the time of a file to long ago, and age returns whether it is still so.
func (s *shelf) age(name string) (untouched func() bool) {
	s.Helper()
	at := filepath.Join(s.root, filepath.FromSlash(name))
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(at, old, old); err != nil {
		s.Fatal(err)
	}
	return func() bool {
		info, err := os.Stat(at)
		return err == nil && info.ModTime().Equal(old)
	}
}

const plainTask = `---
id: TASK-7
title: 'Old: title'
status: "To Do" # the board
assignee:
  - '@ann'
created_date: '2026-01-02 10:00'
labels: [web, "two words"]
dependencies: []
x_unknown: {a: 1}   # kept
priority: high
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
Old text.
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [ ] #1 It works
<!-- AC:END -->
`

func taskShelf(t testing.TB, task string) *shelf {
	return newShelf(t, "backlog/config.yml", "project_name: \"Acme\"\nstatuses: [\"To Do\", \"In Progress\", \"Done\"]\n", "backlog/tasks/task-7 - Old.md", task)
}

const taskName = "backlog/tasks/task-7 - Old.md"

func TestBacklogCreate(t *testing.T) {
	s := taskShelf(t, plainTask)
	s.put("backlog/archive/tasks/task-11 - Gone.md", "---\nid: TASK-11\ntitle: Gone\n---\n")
	i := s.source().create(connectors.IssueCreate{Title: "Fix: the 'login' / now", Body: "It loops.\n\n- a\n", Labels: []string{"web", "no"}, Assignees: []string{"@bob"}}).one()
	want(t, i.Ref+"|"+i.Title+"|"+i.State+"|"+strings.Join(i.Labels, ",")+"|"+strings.Join(i.Assignees, ","), "TASK-12|Fix: the 'login' / now|To Do|web,no|@bob")
	want(t, i.Body, "## Description\n\nIt loops.\n\n- a")
	want(t, s.names("backlog/tasks"), "task-12 - Fix-the-login-now.md\ntask-7 - Old.md")
	want(t, s.read("backlog/tasks/task-12 - Fix-the-login-now.md"), `---
id: TASK-12
title: 'Fix: the ''login'' / now'
status: To Do
assignee:
  - '@bob'
created_date: '2026-11-30 12:00'
labels:
  - web
  - 'no'
dependencies: []
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
It loops.

- a
<!-- SECTION:DESCRIPTION:END -->
`)
}

// What a configuration makes of the name of a file stays in its directory.
func TestBacklogPrefixesThatAreNone(t *testing.T) {
	for _, prefix := range []string{"../../evil", "/tmp/evil", ".git/hooks/pre", "sub/task", "a b", `"a\nb"`, `"x: y"`, "é", "9", "draft", ".."} {
		s := newShelf(t, "backlog/config.yml", "project_name: x\ntask_prefix: "+prefix+"\n", taskName, plainTask, ".git/hooks/x", "")
		for range 2 {
			w := acts("")["create"](s.writable())
			want(t, prefix+" "+w.verdict+" "+w.called, prefix+" access_failure SOURCE_UNRELIABLE corrupt no")
		}
		want(t, s.names(".")+" "+s.names("backlog")+" "+s.names("backlog/tasks")+" "+s.names(".git/hooks"), ".git\nbacklog config.yml\ntasks task-7 - Old.md x")
	}
}

func TestNumbersThatAreTooLargeAreNotCountedOn(t *testing.T) {
	for _, n := range []string{"9223372036854775807", "99999999999999999999", "9999999999"} {
		s := taskShelf(t, plainTask)
		s.put("backlog/tasks/task-"+n+" - Max.md", "---\nid: TASK-"+n+"\ntitle: Max\nstatus: To Do\n---\n")
		want(t, acts("")["create"](s.writable()).one().Ref, "TASK-8")
		s = newShelf(t, beadsName, `{"id":"bd-`+n+`","title":"x"}`+"\n")
		if id := acts("")["create"](s.writable()).one().Ref; strings.Contains(id[3:], "-") {
			t.Error(id)
		}
	}
}

func TestBacklogNumbers(t *testing.T) {
	for _, c := range []struct{ config, name, id, wanted string }{
		{"", "task-7 - A", "task-7", "task-8"},
		{"", "task-007 - A", "TASK-007", "TASK-008"},
		{"task_prefix: back\n", "back-9 - A", "BACK-9", "BACK-10"},
		{"task_prefix: back\n", "task-9 - A", "TASK-9", "BACK-1"},
		{"zero_padded_ids: 4\n", "task-7 - A", "TASK-7", "TASK-0008"},
		{"", "ops-3.2 - A", "OPS-3.2", "OPS-4"},
		{"", "draft-3 - A", "DRAFT-3", "TASK-1"},
	} {
		s := newShelf(t, "backlog/config.yml", "project_name: x\n"+c.config, "backlog/tasks/"+c.name+".md", "---\nid: "+c.id+"\ntitle: A\n---\n")
		want(t, c.name+" "+s.source().create(connectors.IssueCreate{Title: "New"}).one().Ref, c.name+" "+c.wanted)
	}
	s := newShelf(t, "backlog/config.yml", "project_name: x\ndefault_status: Next\nstatuses: [Now, Next, Over]\n")
	want(t, s.source().create(connectors.IssueCreate{Title: "First of all"}).one().State, "Next")
}

func TestBacklogUpdateLeavesTheRest(t *testing.T) {
	for name, eol := range map[string]string{"lf": "\n", "crlf": "\r\n"} {
		t.Run(name, func(t *testing.T) {
			s := taskShelf(t, "\uFEFF"+strings.TrimSuffix(strings.ReplaceAll(plainTask, "\n", eol), eol))
			i := s.source().update("task-7", connectors.IssueUpdate{State: "closed", Title: text("New: title"), Body: text("New\n\ntext."),
				AddLabels: []string{"WEB", "a, b"}, RemoveLabels: []string{"Two Words"}, Assignees: &[]string{"ann", "bob"}}).one()
			want(t, i.Title+"|"+i.State+"|"+strings.Join(i.Labels, "|")+"|"+strings.Join(i.Assignees, "|"), "New: title|Done|web|a, b|@ann|bob")
			wanted := strings.NewReplacer("'Old: title'", "'New: title'", `"To Do" #`, `"Done" #`, "  - '@ann'\n", "  - '@ann'\n  - 'bob'\n",
				"created_date: '2026-01-02 10:00'\n", "created_date: '2026-01-02 10:00'\nupdated_date: '2026-11-30 12:00'\n",
				`[web, "two words"]`, `[web, "a, b"]`, "Old text.", "New\n\ntext.").Replace(plainTask)
			want(t, s.read(taskName), "\uFEFF"+strings.TrimSuffix(strings.ReplaceAll(wanted, "\n", eol), eol))
		})
	}
}

func TestBacklogUnchanged(t *testing.T) {
	s := taskShelf(t, plainTask)
	untouched := s.age(taskName)
	for _, w := range []connectors.IssueUpdate{
		{State: "open"}, {State: "to do"}, {Title: text("Old: title")}, {Body: text("Old text.\n")}, {AddLabels: []string{"Web"}}, {RemoveLabels: []string{"x"}},
		{Assignees: &[]string{"ANN"}}, {Body: text("## Description\n\nOld text.\n\n## Acceptance Criteria\n- [ ] #1 It works")}, {},
	} {
		s.source().update("task-7", w).one()
		if !untouched() {
			t.Fatalf("%+v wrote the file", w)
		}
	}
}

func TestBacklogBody(t *testing.T) {
	head := "---\nid: TASK-7\ntitle: T\nupdated_date: '2026-11-30 12:00'\n---\n"
	marked := "## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nnew\n<!-- SECTION:DESCRIPTION:END -->\n"
	for was, wanted := range map[string]string{
		"\n## Description\n\nold\n\n## Foo\n\n## Implementation Plan\n\nplan\n": "\n" + marked + "\n## Implementation Plan\n\nplan\n",
		"\n## Description\n\nold":                "\n" + strings.TrimSuffix(marked, "\n"),
		"\nold text\n\n## Foo\n\nbar\n":          "\n" + marked + "\n## Foo\n\nbar\n",
		"":                                       "\n" + marked,
		"\n## Final Summary\n\nend\n":            "\n" + marked + "\n## Final Summary\n\nend\n",
		"\n```\n## Description\n```\n\n## Foo\n": "\n" + marked + "\n## Foo\n",
		"\n<!-- COMMENTS:BEGIN -->\n<!-- COMMENTS:END -->\n": "\n" + marked + "\n<!-- COMMENTS:BEGIN -->\n<!-- COMMENTS:END -->\n",
	} {
		s := taskShelf(t, head+was)
		s.source().update("task-7", connectors.IssueUpdate{Body: text("new")}).one()
		want(t, s.read(taskName), head+wanted)
	}
	s := taskShelf(t, plainTask)
	for _, body := range []string{"x\n\n## Acceptance Criteria\n\n- y", "<!-- SECTION:DESCRIPTION:END -->", "## Comments"} {
		want(t, s.source().update("task-7", connectors.IssueUpdate{Body: &body}).verdict, "access_failure INPUT_MISSING invalid_argument")
	}
	s.source().update("task-7", connectors.IssueUpdate{Body: text("## Description\n\nOther.\n\n## Acceptance Criteria\n- [ ] #1 It works")}).one()
	want(t, strings.Split(s.read(taskName), "BEGIN -->\n")[1], "Other.\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:")
	want(t, s.read(taskName), strings.Replace(strings.Replace(plainTask, "Old text.", "Other.", 1), "labels:", "updated_date: '2026-11-30 12:00'\nlabels:", 1))
}

func TestBacklogComments(t *testing.T) {
	s := taskShelf(t, plainTask)
	src := s.source()
	i := src.comment("task-7", "First.\n\nOf **two**.").one()
	if len(i.Thread) != 1 || i.Thread[0].ID != "1" || i.Thread[0].Body != "First.\n\nOf **two**." || !i.Thread[0].CreatedAt.Equal(noon()) || *i.Comments != 1 {
		t.Errorf("%+v", i)
	}
	want(t, src.comment("task-7", "Second.").one().Thread[0].ID, "2")
	want(t, s.read(taskName), strings.Replace(plainTask, "labels:", "updated_date: '2026-11-30 12:00'\nlabels:", 1)+
		"\n## Comments\n\n<!-- COMMENTS:BEGIN -->\ncreated: 2026-11-30 12:00\n---\nFirst.\n\nOf **two**.\n---\n\ncreated: 2026-11-30 12:00\n---\nSecond.\n---\n<!-- COMMENTS:END -->\n")
	if r := get(src, "task-7"); len(r.items[0].Thread) != 2 {
		t.Errorf("%+v", r.items[0].Thread)
	}
	for _, body := range []string{"a\n---\nb", "<!-- COMMENTS:END -->"} {
		want(t, src.comment("task-7", body).verdict, "access_failure INPUT_MISSING invalid_argument")
	}
	s = taskShelf(t, strings.ReplaceAll(loginTask, "task-12", "task-7"))
	want(t, s.source().comment("task-7", "Third.").one().Thread[0].ID, "3")
	if !strings.HasSuffix(s.read(taskName), "Second.\n<!-- COMMENT:END -->\n\n<!-- COMMENT:BEGIN -->\nindex: 3\ncreated: 2026-11-30 12:00\n\nThird.\n<!-- COMMENT:END -->\n<!-- COMMENTS:END -->\n") {
		t.Error(s.read(taskName))
	}
	s = taskShelf(t, plainTask+"\n## Final Summary\n\nend\n")
	s.source().comment("task-7", "Before it.").one()
	if !strings.HasSuffix(s.read(taskName), "<!-- AC:END -->\n\n## Comments\n\n<!-- COMMENTS:BEGIN -->\ncreated: 2026-11-30 12:00\n---\nBefore it.\n---\n<!-- COMMENTS:END -->\n\n## Final Summary\n\nend\n") {
		t.Error(s.read(taskName))
	}
}

func TestStates(t *testing.T) {
	s := backlogShelf(t)
	src := s.writable()
	w := src.change("tracker_update_issue", arguments{"ref": "task-12", "state": "Doing"})
	want(t, w.verdict+" "+w.options, `access_failure INPUT_MISSING dynamic_option_required ["open","closed","To Do","In Progress","Shipped"]`)
	want(t, src.update("task-12", connectors.IssueUpdate{State: "open"}).one().State, "In Progress")
	want(t, src.update("task-12", connectors.IssueUpdate{State: "closed"}).one().State, "Shipped")
	want(t, src.update("task-12", connectors.IssueUpdate{State: "open"}).one().State, "To Do")
	want(t, src.update("task-2", connectors.IssueUpdate{State: "open"}).verdict, "access_failure CAPABILITY_UNAVAILABLE operation_unsupported")
	want(t, src.update("task-2", connectors.IssueUpdate{State: "closed"}).one().State, "To Do")
	want(t, src.update("task-99", connectors.IssueUpdate{State: "closed"}).verdict, "empty REFERENCE_UNRESOLVED not_found_confirmed")
	want(t, src.comment("task-99", "x").verdict, "empty REFERENCE_UNRESOLVED not_found_confirmed")
	want(t, src.create(connectors.IssueCreate{Project: "other", Title: "x"}).verdict, "empty REFERENCE_UNRESOLVED not_found_confirmed")
}

func TestNothingDamagedIsWritten(t *testing.T) {
	damage := 0
	for task, wanted := range map[string]string{
		"---\nid: TASK-7\ntitle: T\n---\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n":         "access_failure SOURCE_UNRELIABLE corrupt",
		"---\nid: TASK-7\ntitle: T\n---\n## Description\n<!-- SECTION:DESCRIPTION:BEGIN -->\n": "access_failure SOURCE_UNRELIABLE corrupt",
		"---\nid: [TASK-7\n---\n":                                   "access_failure SOURCE_UNRELIABLE corrupt",
		"---\nid: TASK-7\ntitle: T\n---\n<!-- COMMENTS:BEGIN -->\n": "access_failure SOURCE_UNRELIABLE corrupt",
		"---\nid: TASK-7\ntitle: T\nlabels: [[a], {b: c}]\n---\n<!-- COMMENTS:BEGIN -->\n<!-- COMMENTS:END -->": "access_failure CAPABILITY_UNAVAILABLE operation_unsupported",
	} {
		for _, act := range []func(*frank) written{
			func(f *frank) written { return f.comment("task-7", "x") },
			func(f *frank) written {
				return f.update("task-7", connectors.IssueUpdate{Body: text("x"), AddLabels: []string{"l"}})
			},
		} {
			s := taskShelf(t, task)
			w := act(s.source())
			if w.verdict == "success NONE" { // the damage is in another part
				continue
			}
			damage++
			want(t, w.verdict, wanted)
			want(t, s.read(taskName), task)
			if w.called == status.MaybeCalled.String() {
				t.Error(w.called)
			}
		}
	}
	if damage < 7 {
		t.Error(damage)
	}
}
