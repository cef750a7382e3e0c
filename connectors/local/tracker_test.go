package local_test

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

const loginTask = `---
id: task-12
title: 'Fix login: redirect'
status: In Progress
assignee: [@ann, bob]
reporter: @carl
created_date: '2026-01-02 10:00'
updated_date: '2026-03-04 12:30'
labels:
  - Web
  - bug
dependencies: [TASK-3]
references:
  - https://example.com/x
parent_task_id: task-3
priority: high
type: bug
milestone: v1
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
The redirect loops. <!-- hidden note -->
<!-- SECTION:DESCRIPTION:END -->

## Comments
<!-- COMMENTS:BEGIN -->
<!-- COMMENT:BEGIN -->
index: 1
author: ann
created: 2026-03-04 12:30

Seen on **Safari**.
<!-- COMMENT:END -->

<!-- COMMENT:BEGIN -->
index: 2
created: 2026-03-05

Second.
<!-- COMMENT:END -->
<!-- COMMENTS:END -->
`

func backlogShelf(t testing.TB) *shelf {
	return newShelf(t,
		"backlog/config.yml", "project_name: \"Acme\"\nstatuses: [\"To Do\", \"In Progress\", \"Shipped\"]\nlabels: [unused]\n",
		"backlog/tasks/task-12 - Fix-login.md", loginTask,
		"backlog/tasks/task-3 - Base.md", "---\nid: task-3\ntitle: Base\nstatus: Shipped\nassignee: []\ncreated_date: 2026-01-01\nlabels: []\n---\n\nground work\n",
		"backlog/tasks/readme.md", "# Not a task\n",
		"backlog/completed/task-2 - Old.md", "---\nid: task-2\ntitle: Old\nstatus: To Do\nassignee: '@ann'\ncreated_date: '2025-01-01'\n---\n",
		"backlog/archive/tasks/task-12 - Earlier.md", "---\nid: task-12\ntitle: Earlier\nstatus: To Do\ncreated_date: '2024-01-01'\n---\n",
		"backlog/drafts/draft-1 - Idea.md", "---\nid: DRAFT-1\ntitle: Idea\nstatus: Draft\ncreated_date: '2026-02-01'\n---\n")
}

func TestBacklogSearch(t *testing.T) {
	src := backlogShelf(t).source()
	for _, c := range []struct {
		q      connectors.IssueQuery
		wanted string
	}{
		{connectors.IssueQuery{State: "all"}, "success NONE: task-12 DRAFT-1 task-3 task-2 task-12"},
		{connectors.IssueQuery{State: "open"}, "success NONE: task-12 DRAFT-1"},
		{connectors.IssueQuery{State: "closed"}, "success NONE: task-3 task-2 task-12"},
		{connectors.IssueQuery{Text: "SAFARI"}, "success NONE: task-12"},
		{connectors.IssueQuery{Text: "absent"}, "empty NONE: "},
		{connectors.IssueQuery{Assignee: "Ann"}, "success NONE: task-12 task-2"},
		{connectors.IssueQuery{Author: "carl"}, "success NONE: task-12"},
		{connectors.IssueQuery{Labels: []string{"web", "BUG"}}, "success NONE: task-12"},
		{connectors.IssueQuery{Labels: []string{"web", "unused"}}, "empty NONE: "},
		{connectors.IssueQuery{Labels: []string{"no such label"}}, "empty NONE: "}, // all was read: proved
		{connectors.IssueQuery{UpdatedSince: time.Date(2026, 2, 1, 18, 0, 0, 0, time.UTC)}, "success NONE: task-12 DRAFT-1"},
		{connectors.IssueQuery{Project: "acme", Text: "base"}, "success NONE: task-3"},
		{connectors.IssueQuery{Project: "other"}, "empty REFERENCE_UNRESOLVED not_found_confirmed: "},
		{connectors.IssueQuery{Native: "status = x"}, "access_failure CAPABILITY_UNAVAILABLE operation_unsupported: "},
		{connectors.IssueQuery{Text: "\u200b"}, "access_failure INPUT_MISSING invalid_argument: "},
	} {
		r := issues(src, c.q)
		want(t, r.verdict()+": "+refs(r), c.wanted)
	}
}

func TestBacklogPages(t *testing.T) {
	src := backlogShelf(t).source()
	var got []string
	cursor := ""
	for range 6 {
		r := issues(src, connectors.IssueQuery{Paging: connectors.Paging{Limit: 2, Cursor: cursor}})
		got = append(got, r.verdict()+": "+refs(r))
		if cursor = r.next; cursor == "" {
			break
		}
	}
	want(t, strings.Join(got, "\n"), "partial NONE: task-12 DRAFT-1\npartial NONE: task-3 task-2\nsuccess NONE: task-12")
	want(t, issues(src, connectors.IssueQuery{Paging: connectors.Paging{Limit: 2, Cursor: "x"}}).verdict(), "access_failure INPUT_MISSING invalid_argument")
}

func TestBacklogGet(t *testing.T) {
	src := backlogShelf(t).source()
	r := get(src, "task-12")
	want(t, r.verdict(), "success NONE")
	two := 2
	at := func(y int, m time.Month, d, h, min int) *time.Time {
		x := time.Date(y, m, d, h, min, 0, 0, time.UTC)
		return &x
	}
	if diff := cmp.Diff(connectors.Issue{
		Origin: connectors.Origin{Source: "here", Ref: "task-12", Title: "Fix login: redirect", UpdatedAt: at(2026, 3, 4, 12, 30), Removed: 1},
		State:  "In Progress", Type: "bug", Priority: "high", Author: "@carl", Assignees: []string{"@ann", "bob"}, Labels: []string{"Web", "bug"},
		Milestone: "v1", CreatedAt: at(2026, 1, 2, 10, 0), Body: "## Description\n\nThe redirect loops.", Comments: &two,
		Thread: []connectors.Comment{{ID: "1", Author: "ann", CreatedAt: at(2026, 3, 4, 12, 30), Body: "Seen on **Safari**."},
			{ID: "2", CreatedAt: at(2026, 3, 5, 0, 0), Body: "Second."}},
		Links: []connectors.Link{{Type: "depends_on", Ref: "task-3", Title: "Base", State: "Shipped"},
			{Type: "parent", Ref: "task-3", Title: "Base", State: "Shipped"},
			{Type: "reference", Ref: "https://example.com/x", URL: "https://example.com/x"}},
	}, trimmed(r.items[0])); diff != "" {
		t.Error(diff)
	}
	for name, wanted := range map[string]string{
		"12": "task-12", "#12": "task-12", "TASK-12": "task-12", "task-012": "task-12", "draft-1": "DRAFT-1",
		"backlog/archive/tasks/task-12 - Earlier.md": "task-12",
	} {
		r := get(src, name)
		want(t, name+": "+r.verdict()+" "+refs(r), name+": success NONE "+wanted)
	}
	want(t, get(src, "backlog/archive/tasks/task-12 - Earlier.md").items[0].Title, "Earlier")
	want(t, get(src, "task-99").verdict(), "empty REFERENCE_UNRESOLVED not_found_confirmed")
	back := get(src, "task-3").items[0].Links
	if diff := cmp.Diff([]connectors.Link{{Type: "needed_by", Ref: "task-12", Title: "Fix login: redirect", State: "In Progress"},
		{Type: "child", Ref: "task-12", Title: "Fix login: redirect", State: "In Progress"}}, back); diff != "" {
		t.Error(diff)
	}
	history := get(src, "task-3", "history")
	want(t, history.verdict()+" "+refs(history), "partial CAPABILITY_UNAVAILABLE operation_unsupported task-3")
}

// trimmed drops white space at the end of the body, which nothing depends on.
func trimmed(i connectors.Issue) connectors.Issue {
	i.Body = strings.TrimSpace(i.Body)
	return i
}

func TestBacklogDamage(t *testing.T) {
	s := backlogShelf(t)
	s.put("backlog/tasks/task-20 - No-matter.md", "no front matter")
	s.put("backlog/tasks/task-21 - Bad.md", "---\nid: [task-21\n---\n")
	r := issues(s.source(), connectors.IssueQuery{Text: "absent"})
	want(t, r.verdict(), "partial SOURCE_UNRELIABLE corrupt")
	want(t, r.fact("skipped"), `{"damaged":2}`)
	want(t, get(s.source(), "task-20").verdict(), "access_failure SOURCE_UNRELIABLE corrupt")
	plain := ask[connectors.Issue](t.Context(), s.source(), "tracker_get_issue", arguments{"ref": "task-12"})
	want(t, plain.verdict(), "success NONE")                                           // it was read to its end, whatever became of the others
	want(t, get(s.source(), "task-12").verdict(), "partial SOURCE_UNRELIABLE corrupt") // links may be missing
	s = backlogShelf(t)
	s.put("backlog/config.yml", "statuses: [")
	want(t, issues(s.source(), connectors.IssueQuery{State: "open"}).verdict(), "partial SOURCE_UNRELIABLE corrupt")
	s = backlogShelf(t)
	s.put("backlog/tasks/task-12 - Twin.md", "---\nid: task-12\ntitle: Twin\n---\n")
	want(t, issues(s.source(), connectors.IssueQuery{Text: "absent"}).verdict(), "partial SOURCE_UNRELIABLE contradictory")
	twins := get(s.source(), "task-12")
	want(t, twins.verdict()+" "+twins.offered(), "access_failure REFERENCE_UNRESOLVED ambiguous_target backlog/tasks/task-12 - Fix-login.md backlog/tasks/task-12 - Twin.md")
}

func TestBacklogHostileFrontMatter(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		n := strconv.Itoa(i)
		bomb += "a" + strconv.Itoa(i+1) + ": &a" + strconv.Itoa(i+1) + " [" + strings.Repeat("*a"+n+", ", 8) + "*a" + n + "]\n"
	}
	for _, matter := range []string{bomb + "labels: *a9\n", strings.Repeat("[", 100_000), "id: \x00", strings.Repeat("k: v\n", 100_000)} {
		s := newShelf(t, "backlog/tasks/task-1 - A.md", "---\n"+matter+"\n---\n", "backlog/tasks/task-2 - B.md", "---\nid: task-2\ntitle: 'R&D, &co *fun*'\n---\n")
		r := issues(s.source(), connectors.IssueQuery{State: "all"})
		if r.status != status.Partial || refs(r) != "task-2" {
			t.Errorf("%.20q: %s %s", matter, r.verdict(), refs(r))
		}
	}
}

func TestLD01UnreadableTask(t *testing.T) {
	s := backlogShelf(t)
	for _, name := range []string{"backlog/tasks", "backlog/tasks/task-3 - Base.md"} {
		src := s.failing(map[string]error{name: fs.ErrPermission})
		r := issues(src, connectors.IssueQuery{Text: "absent"})
		want(t, r.verdict(), "partial ACCESS_DENIED permission_denied")
		gone := get(src, "task-99")
		want(t, gone.verdict(), "access_failure ACCESS_DENIED permission_denied")
	}
}

func TestLG08TasksKeptOffTheDisk(t *testing.T) {
	s := backlogShelf(t)
	s.git()
	s.run("sparse-checkout", "set", "--no-cone", "/*", "!/backlog/completed/")
	want(t, issues(s.source(), connectors.IssueQuery{Text: "absent"}).verdict(), "partial CAPABILITY_UNAVAILABLE clone_incomplete")
}

func TestLD05TasksBehindALink(t *testing.T) {
	s := newShelf(t, "backlog/config.yml", "project_name: x\n", "real/task-1 - A.md", "---\nid: task-1\ntitle: A\n---\n",
		"../out/task-2 - B.md", "---\nid: task-2\ntitle: B\n---\n")
	s.link(s.root+"/real", "backlog/tasks")
	s.link("../../out/task-2 - B.md", "real/task-2 - B.md")
	r := issues(s.source(), connectors.IssueQuery{State: "all"})
	want(t, r.verdict()+" "+refs(r), "partial CAPABILITY_UNAVAILABLE content_not_included task-1")
	s.link("../../out", "backlog/completed")
	r = issues(s.source(), connectors.IssueQuery{State: "all"})
	want(t, r.fact("skipped"), `{"symlink_outside":2}`)
}

func TestBacklogElsewhere(t *testing.T) {
	s := newShelf(t, "backlog.config.yml", "project_name: Far\nbacklog_directory: \"planning/items\"\nstatuses: [New, Over]\n",
		"planning/items/tasks/back-7 - X.md", "---\nid: BACK-7\ntitle: X\nstatus: Over\n---\n")
	r := issues(s.source(), connectors.IssueQuery{State: "closed"})
	want(t, r.verdict()+" "+refs(r), "success NONE BACK-7")
	s.put("backlog.config.yml", "backlog_directory: ../else\n")
	want(t, issues(s.source(), connectors.IssueQuery{State: "closed"}).verdict(), "partial CAPABILITY_UNAVAILABLE operation_unsupported")
}

func TestTrackerDescribe(t *testing.T) {
	r := ask[connectors.Project](t.Context(), backlogShelf(t).source(), "tracker_describe", nil)
	want(t, r.verdict(), "success NONE")
	open := 2
	if diff := cmp.Diff(connectors.Project{
		Origin: connectors.Origin{Source: "here", Ref: "shelf", Title: "Acme"},
		States: []string{"To Do", "In Progress", "Shipped", "Draft"}, Types: []string{"bug"}, Labels: []string{"Web", "bug", "unused"},
		People: []string{"@ann", "@carl", "bob"}, Milestones: []string{"v1"}, OpenIssues: &open,
		Filters: []string{"query", "state", "assignee", "author", "labels", "updated_since"},
	}, r.items[0]); diff != "" {
		t.Error(diff)
	}
}

const beadsLines = `{"id":"bd-a1b2","title":"Broken \u202epipe","description":"It breaks.","design":"Mend it.","status":"in_progress","priority":0,"issue_type":"bug","assignee":"ann","created_at":"2026-01-01T10:00:00Z","created_by":"carl","updated_at":"2026-02-01T12:00:00.5+02:00","labels":["infra"],"dependencies":[{"issue_id":"bd-a1b2","depends_on_id":"bd-c3d4","type":"blocks","created_at":"2026-01-01T10:00:00Z","created_by":"x"}],"comments":[{"id":7,"issue_id":"bd-a1b2","author":"ann","text":"Needle here.","created_at":"2026-01-02T10:00:00Z"}]}
{"id":"bd-c3d4","title":"Ground","status":"closed","priority":2,"issue_type":"task","created_at":"2026-01-01T09:00:00Z","updated_at":"2026-01-05T09:00:00Z","closed_at":"2026-01-05T09:00:00Z","close_reason":"done"}

{"id":"bd-dead","title":"Gone","status":"tombstone","created_at":"2026-01-01T09:00:00Z","updated_at":"2026-01-05T09:00:00Z","deleted_at":"2026-01-05T09:00:00Z"}
`

func TestBeads(t *testing.T) {
	s := newShelf(t, ".beads/issues.jsonl", beadsLines)
	src := s.source()
	for _, c := range []struct {
		q      connectors.IssueQuery
		wanted string
	}{
		{connectors.IssueQuery{State: "all"}, "success NONE: bd-a1b2 bd-c3d4"},
		{connectors.IssueQuery{State: "open"}, "success NONE: bd-a1b2"},
		{connectors.IssueQuery{State: "closed"}, "success NONE: bd-c3d4"},
		{connectors.IssueQuery{Text: "needle"}, "success NONE: bd-a1b2"},
		{connectors.IssueQuery{Text: "mend it"}, "success NONE: bd-a1b2"},
		{connectors.IssueQuery{Text: "gone"}, "empty NONE: "},
		{connectors.IssueQuery{Assignee: "ann", Labels: []string{"Infra"}}, "success NONE: bd-a1b2"},
		{connectors.IssueQuery{UpdatedSince: time.Date(2026, 2, 1, 10, 0, 1, 0, time.UTC)}, "empty NONE: "},
	} {
		r := issues(src, c.q)
		want(t, r.verdict()+": "+refs(r), c.wanted)
	}
	for _, name := range []string{"bd-a1b2", "BD-A1B2", "a1b2"} {
		want(t, name+" "+refs(get(src, name)), name+" bd-a1b2")
	}
	i := get(src, "bd-a1b2").items[0]
	want(t, i.Body, "It breaks.\n\n## Design\n\nMend it.")
	if i.Removed != 1 || i.Title != "Broken pipe" || i.Priority != "P0" || i.Thread[0].ID != "7" || i.Links[0] != (connectors.Link{Type: "blocked_by", Ref: "bd-c3d4", Title: "Ground", State: "closed"}) {
		t.Errorf("%+v", i)
	}
	want(t, get(src, "bd-dead").verdict(), "empty REFERENCE_UNRESOLVED not_found_confirmed")
	s.put(".beads/issues.jsonl", beadsLines+"<<<<<<< HEAD\n{\"id\":\"bd-e5f6\"\n")
	r := issues(s.source(), connectors.IssueQuery{Text: "absent"})
	want(t, r.verdict()+" "+r.fact("skipped"), `partial SOURCE_UNRELIABLE corrupt {"damaged":2}`)
	want(t, get(s.source(), "bd-e5f6").verdict(), "access_failure SOURCE_UNRELIABLE corrupt")
	s.put(".beads/issues.jsonl", beadsLines+strings.SplitAfter(beadsLines, "\n")[1])
	want(t, issues(s.source(), connectors.IssueQuery{Text: "absent"}).verdict(), "partial SOURCE_UNRELIABLE contradictory")
	s.put(".beads/issues.jsonl", beadsLines)
	s.put(".beads/beads.db", "SQLite")
	r = issues(s.source(), connectors.IssueQuery{Text: "absent"})
	want(t, r.verdict()+" "+strings.Join(r.unproven, " "), "empty NONE changes_not_exported_from_the_beads_database")
}

func TestNoTracker(t *testing.T) {
	s := newShelf(t, "README.md", "x")
	src := s.source()
	want(t, issues(src, connectors.IssueQuery{Text: "x"}).verdict(), "access_failure CAPABILITY_UNAVAILABLE operation_unsupported")
	want(t, get(src, "task-1").verdict(), "access_failure CAPABILITY_UNAVAILABLE connector_not_configured")
	for _, id := range []connectors.Capability{connectors.IssueRead, connectors.ProjectRead} {
		c := capability(src, id)
		if c.State != connectors.Unsupported || c.Reason != "operation_unsupported" || !strings.Contains(c.Unblock, "Add backlog/tasks/*.md (Backlog.md) or .beads/issues.jsonl under") {
			t.Errorf("%s is %s: %s, unblocked by %q", id, c.State, c.Reason, c.Unblock)
		}
	}
}

func TestBeadsWithoutItsFile(t *testing.T) {
	s := newShelf(t, ".beads/beads.db", "SQLite")
	if c := capability(s.source(), connectors.IssueRead); !strings.Contains(c.Unblock, "bd export") {
		t.Error(c.Unblock)
	}
}

func TestTheTrackerTellsItsReferencesFromOthers(t *testing.T) {
	src := backlogShelf(t).source()
	for text, wanted := range map[string]string{"task-3": "success NONE", "#3": "success NONE", "TASK-3": "success NONE",
		"PAY-12":                               "access_failure CAPABILITY_UNAVAILABLE connector_not_configured",
		"bd-a1b2":                              "access_failure CAPABILITY_UNAVAILABLE connector_not_configured",
		"acme/app#3":                           "access_failure CAPABILITY_UNAVAILABLE connector_not_configured",
		"https://github.com/acme/app/issues/3": "access_failure CAPABILITY_UNAVAILABLE connector_not_configured"} {
		want(t, text+" "+get(src, text).verdict(), text+" "+wanted)
	}
	for project, wanted := range map[string]string{"Acme": "success NONE", "shelf": "success NONE", "acme/app": "access_failure REFERENCE_UNRESOLVED no_candidates"} {
		a := ask[connectors.Issue](t.Context(), src, "tracker_search", arguments{"project": project})
		want(t, project+" "+a.verdict(), project+" "+wanted)
	}
}
