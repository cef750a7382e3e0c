package local

import (
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/pattern"
	"github.com/frank-mcp/frank/status"
)

func itoa(n int) string { return strconv.Itoa(n) }

// minute is a moment as Backlog.md writes it, in UTC.
func minute(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") }

func (b backlog) homes(l *look) []string {
	_, dirs := b.places(l)
	return slices.DeleteFunc(dirs, func(dir string) bool { return !l.has(dir) })
}

func (b backlog) kept(l *look) string {
	dirs := b.homes(l)
	if len(dirs) == 0 {
		return "."
	}
	if tasks := path.Join(dirs[0], "tasks"); l.has(tasks) {
		return tasks
	}
	return dirs[0]
}

// compose writes a task as Backlog.md does.
func (b backlog) compose(l *look, _ ledger, w connectors.IssueCreate) (edit, *status.Failure) {
	dirs := b.homes(l)
	if len(dirs) == 0 {
		f := l.noTracker()
		return edit{}, &f
	}
	root, _ := b.places(l)
	c := b.configOf(l, dirs[0], root)
	if l.skips[skipDamaged] > 0 && !decodable(l, b, dirs[0]) {
		return edit{}, damaged(path.Join(dirs[0], "config.yml"), "the configuration of the tracker")
	}
	if p := prefixOf(c); p != "" && (!taskPrefix.MatchString(p) || p == "draft") { // it becomes part of a path
		return edit{}, damaged(path.Join(dirs[0], "config.yml"), "the prefix of ids in the configuration of the tracker")
	}
	if failure := b.ownMarks(w.Body); failure != nil {
		return edit{}, failure
	}
	first := firstState(c)
	id := b.nextID(l, dirs[0], c)
	for _, why := range []skip{skipUnreadable, skipBroken, skipOutside} { // a number might be given again
		if l.skips[why] > 0 {
			f := why.failure()
			return edit{}, &f
		}
	}
	now := l.now()
	lines := []string{"---", "id: " + id, "title: " + yamlScalar(w.Title, 0, false), "status: " + yamlScalar(first, 0, false)}
	lines = append(lines, blockList("assignee:", w.Assignees)...)
	lines = append(lines, "created_date: '"+minute(now)+"'")
	lines = append(lines, blockList("labels:", w.Labels)...)
	lines = append(lines, "dependencies: []", "---", "")
	if w.Body != "" {
		lines = append(lines, "## Description", "", descriptionBegin, w.Body, descriptionEnd, "")
	}
	text := strings.Join(lines, "\n")
	file := path.Join(dirs[0], "tasks", strings.ToLower(id)+" - "+taskTitle(w.Title)+".md")
	m, body, ok := readTask(text)
	d, fits := description(slices.Collect(strings.Lines(body)))
	if !ok || !fits || string(m.Title) != w.Title || d.text != w.Body || !slices.Equal(m.Labels.lines(), w.Labels) || !slices.Equal(m.Assignee.lines(), w.Assignees) {
		return edit{}, unsafe(file)
	}
	return edit{ref: shownName(file), file: file, now: []byte(text), fresh: true}, nil
}

// decodable reports whether the configuration of a backlog can be read.
func decodable(l *look, b backlog, dir string) bool {
	before := l.skips[skipDamaged]
	b.configOf(l, dir, backlogConfig{})
	after := l.skips[skipDamaged]
	l.skips[skipDamaged] = before
	return after == before
}

func firstState(c backlogConfig) string {
	states := c.Statuses.lines()
	if len(states) == 0 {
		states = usualStates()
	}
	for _, s := range states {
		if markup.Fold(s) == markup.Fold(string(c.Default)) {
			return s
		}
	}
	return states[0]
}

// taskPrefix is what the ids of a tracker may begin with.
var taskPrefix = pattern.New(`^[a-z][a-z0-9_]*$`)

// prefixOf is the configured prefix of ids; empty if there is none.
func prefixOf(c backlogConfig) string {
	return strings.ToLower(strings.TrimSuffix(c.Prefix.line(), "-"))
}

var taskNumber = pattern.New(`^([A-Za-z][A-Za-z0-9_]*)-([0-9]+)`)

// highestNumber bounds the numbers of issues that are counted on.
const highestNumber = 1_000_000_000

// nextID is the id behind the highest in use, wherever that task lies, in the
// spelling of the others.
func (b backlog) nextID(l *look, dir string, c backlogConfig) string {
	prefix := prefixOf(c)
	highest, width, lower := 0, 0, false
	for _, d := range taskDirs() {
		for _, name := range b.names(l, path.Join(dir, d.name)) {
			m := taskNumber.FindStringSubmatch(name)
			n, err := strconv.Atoi(m[2])
			if err != nil || n > highestNumber || markup.Fold(m[1]) == "draft" {
				continue
			}
			if prefix == "" {
				prefix = strings.ToLower(m[1])
			}
			if strings.ToLower(m[1]) != prefix || n < highest {
				continue
			}
			highest, width = n, 0
			if strings.HasPrefix(m[2], "0") {
				width = len(m[2])
			}
			lower = b.lowercase(l, path.Join(dir, d.name, name))
		}
	}
	if prefix == "" {
		prefix = "task"
	}
	if n, err := strconv.Atoi(c.Padded.line()); err == nil && n > 0 && n < 10 {
		width = n
	}
	number := itoa(highest + 1)
	number = strings.Repeat("0", max(width-len(number), 0)) + number
	if lower {
		return prefix + "-" + number
	}
	return strings.ToUpper(prefix) + "-" + number
}

// lowercase reports whether the id in a task is written in small letters, as
// early versions did.
func (b backlog) lowercase(l *look, name string) bool {
	t, why := l.file(l.realOf(name))
	m, _, ok := readTask(t.text)
	return why == "" && ok && strings.Contains(string(m.ID), "-") && strings.ToUpper(string(m.ID)) != string(m.ID)
}

// taskTitle is a title in the name of a file, as Backlog.md writes it.
func taskTitle(title string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`<>:"/\|?*`, r), unicode.IsSpace(r):
			return '-'
		case strings.ContainsRune(`'(),!@#$%^&+=[]{};`, r), !unicode.IsPrint(r):
			return -1
		}
		return r
	}, title)
	out = strings.Join(strings.FieldsFunc(out, func(r rune) bool { return r == '-' }), "-")
	out, _ = markup.Cut(out, 120)
	if out = strings.Trim(out, "-. "); out == "" {
		return "Untitled"
	}
	return out
}

// ownMarks refuses texts that Backlog.md would take apart.
func (backlog) ownMarks(body string) *status.Failure {
	if sectionMark.MatchString(body) {
		return unusable("body", "holds a mark by which Backlog.md finds its sections (<!-- SECTION:…); leave it out")
	}
	if conflicted(body) {
		return unusable("body", "holds the marks of a merge conflict, after which nobody could tell this file from one that is damaged")
	}
	if i := slices.IndexFunc(headings(slices.Collect(strings.Lines(body))), heading.known); i >= 0 {
		return unusable("body", "holds the heading of a section of Backlog.md; the body is the description alone, other sections are kept as they are")
	}
	return nil
}

// task is a task that is to be changed.
type backlogTask struct {
	*frontMatter
	was    []byte
	matter taskMatter
	d      described
}

func (b backlog) openTask(l *look, r record) (backlogTask, *status.Failure) {
	raw, failure := l.raw(r.file, l.bounds.fileSize)
	if failure != nil {
		return backlogTask{}, failure
	}
	t := backlogTask{was: raw}
	m, _, ok := readTask(strings.TrimPrefix(string(raw), byteOrderMark))
	if !ok {
		return t, damaged(r.file, "the front matter of a task")
	}
	t.matter = m
	if t.frontMatter, ok = openMatter(string(raw)); !ok {
		return t, unsafe(r.file)
	}
	if t.d, ok = description(t.lines[t.end+1:]); !ok {
		return t, damaged(r.file, "the marks around the description of a task")
	}
	return t, nil
}

// planned checks that the change does what was asked for, and no more.
func (t backlogTask) planned(l *look, r record, wanted taskMatter, body string) (edit, *status.Failure) {
	out := edit{ref: shownName(r.file), file: r.file, was: t.was, now: t.was}
	now := t.text()
	if now == string(t.was) {
		return out, nil
	}
	wanted.Updated = scalar(minute(l.now()))
	t.setScalar("updated_date", string(wanted.Updated))
	now = t.text()
	m, _, ok := readTask(strings.TrimPrefix(now, byteOrderMark))
	again, opened := openMatter(now)
	if !ok || !opened || !sameMatter(m, wanted) || !sameRest(string(t.was), now) {
		return edit{}, unsafe(r.file)
	}
	if d, ok := description(again.lines[again.end+1:]); !ok || d.text != body {
		return edit{}, unsafe(r.file)
	}
	out.now = []byte(now)
	return out, nil
}

// sameMatter compares what a change may touch.
func sameMatter(a, b taskMatter) bool {
	lists := func(m taskMatter) [][]string { return [][]string{m.Labels.lines(), m.Assignee.lines()} }
	return a.ID == b.ID && a.Title == b.Title && a.Status == b.Status && a.Updated == b.Updated &&
		slices.EqualFunc(lists(a), lists(b), func(x, y []string) bool { return slices.Equal(x, y) })
}

// sameRest compares all other keys.
func sameRest(was, now string) bool {
	var maps [2]map[string]any
	for i, text := range []string{was, now} {
		matter, _, ok := splitMatter(strings.TrimPrefix(text, byteOrderMark))
		if !ok || !decodeYAML(quoteNames(matter), &maps[i]) {
			return false
		}
		for _, key := range []string{"title", "status", "assignee", "labels", "updated_date"} {
			delete(maps[i], key)
		}
	}
	return reflect.DeepEqual(maps[0], maps[1])
}

// revise changes the lines of a task that concern what is asked for.
func (b backlog) revise(l *look, r record, w connectors.IssueUpdate) (edit, *status.Failure) {
	t, failure := b.openTask(l, r)
	if failure != nil {
		return edit{}, failure
	}
	wanted, body := t.matter, t.d.text
	if w.Title != nil && *w.Title != r.issue.Title {
		wanted.Title = scalar(*w.Title)
		t.setScalar("title", *w.Title)
	}
	if w.State != "" {
		state, failure := b.state(l, r, w.State)
		if failure != nil {
			return edit{}, failure
		}
		if state != r.issue.State {
			wanted.Status = scalar(state)
			t.setScalar("status", state)
		}
	}
	labels := newSet(r.issue.Labels, w.AddLabels, w.RemoveLabels, markup.Fold)
	people := newSet(r.issue.Assignees, nil, nil, person)
	if w.Assignees != nil {
		people = wholeSet(r.issue.Assignees, *w.Assignees, person)
	}
	wanted.Labels, wanted.Assignee = labels.all(), people.all()
	if labels.changed() && !t.setList("labels", labels.keeps, labels.add) || people.changed() && !t.setList("assignee", people.keeps, people.add) {
		return edit{}, unsafe(r.file)
	}
	if w.Body != nil {
		if body, failure = b.newBody(r, t, *w.Body); failure != nil {
			return edit{}, failure
		}
		if body != t.d.text {
			t.describe(t.d, body)
		}
	}
	return t.planned(l, r, wanted, body)
}

// newBody is the description that a body asks for. A body that goes on with the
// other sections as they are means them to stay.
func (b backlog) newBody(r record, t backlogTask, body string) (string, *status.Failure) {
	if body == plainEnds(r.issue.Body) {
		return t.d.text, nil
	}
	if m := sectionHead.FindStringSubmatch(strings.SplitN(body, "\n", 2)[0]); m != nil && markup.Fold(m[1]) == "description" {
		_, body, _ = strings.Cut(body, "\n")
	}
	body = strings.TrimSuffix(body, t.shownBelow())
	body = plainEnds(body)
	if failure := b.ownMarks(body); failure != nil {
		return "", failure
	}
	for _, h := range headings(slices.Collect(strings.Lines(body))) {
		if slices.ContainsFunc(t.d.others, func(o heading) bool { return markup.Fold(o.title) == markup.Fold(h.title) }) {
			return "", unusable("body", "holds the heading of another section of the task; the body is the description alone, other sections are kept as they are")
		}
	}
	return body, nil
}

// shownBelow is what answers show of the sections below the description.
func (t backlogTask) shownBelow() string {
	lines := t.lines[t.end+1:]
	for _, h := range t.d.others {
		if h.line >= t.d.to {
			rest, _ := takeComments(joined(lines[h.line:]))
			shown, _ := markup.CleanMarkdown(strings.TrimSpace(marks.Regexp().ReplaceAllString(rest, "")))
			return shown
		}
	}
	return ""
}

// state is the state that is asked for. That of a task in a directory of its own
// follows from the directory.
func (b backlog) state(l *look, r record, wanted string) (string, *status.Failure) {
	open := r.states[0]
	if _, dirs := b.places(l); len(dirs) > 0 {
		root, _ := b.places(l)
		for _, dir := range dirs {
			if strings.HasPrefix(r.file, dir+"/") {
				open = firstState(b.configOf(l, dir, root))
			}
		}
	}
	state, failure := stateOf(r, wanted, open, r.states[len(r.states)-1])
	reopened := r.closed && markup.Fold(wanted) == "open"
	if failure != nil || r.rank == 0 || state == r.issue.State && !reopened {
		return state, failure
	}
	f := status.Fail(status.OperationUnsupported, status.Feature.Is("changing the state of a task that lies in another directory than tasks"), pathFact(r.file),
		status.Remedy.Is("Move it with backlog itself (backlog task demote, draft promote, task archive), then repeat."))
	return "", &f
}

// reply adds a comment to a task.
func (b backlog) reply(l *look, r record, w connectors.CommentAdd) (edit, *status.Failure) {
	t, failure := b.openTask(l, r)
	if failure != nil {
		return edit{}, failure
	}
	if sectionMark.MatchString(w.Body) {
		return edit{}, unusable("body", "holds a mark by which Backlog.md finds its sections (<!-- COMMENT…); leave it out")
	}
	if conflicted(w.Body) {
		return edit{}, unusable("body", "holds the marks of a merge conflict, after which nobody could tell this file from one that is damaged")
	}
	for line := range strings.Lines(w.Body) {
		if strings.TrimSpace(line) == commentRule {
			return edit{}, unusable("body", "holds a line of ---, which ends a comment of Backlog.md; write *** for a rule")
		}
	}
	number, ok := t.discuss(minute(l.now()), w.Body, len(r.issue.Thread))
	if !ok {
		return edit{}, damaged(r.file, "the marks around the comments of a task")
	}
	out, failure := t.planned(l, r, t.matter, t.d.text)
	out.reply = number
	return out, failure
}

// wrote compares the description as it is written.
func (b backlog) wrote(l *look, r record, body string) bool {
	t, failure := b.openTask(l, r)
	return failure == nil && t.d.text == body
}
