package local

import (
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/pattern"
)

// taskMatter is the front matter of a task. Lists may be written as one text.
type taskMatter struct {
	ID            scalar `yaml:"id"`
	Title         scalar `yaml:"title"`
	Status        scalar `yaml:"status"`
	Assignee      texts  `yaml:"assignee"`
	Reporter      scalar `yaml:"reporter"`
	Created       scalar `yaml:"created_date"`
	Updated       scalar `yaml:"updated_date"`
	Labels        texts  `yaml:"labels"`
	Milestone     scalar `yaml:"milestone"`
	Dependencies  texts  `yaml:"dependencies"`
	References    texts  `yaml:"references"`
	Documentation texts  `yaml:"documentation"`
	Parent        scalar `yaml:"parent_task_id"`
	Subtasks      texts  `yaml:"subtasks"`
	Priority      scalar `yaml:"priority"`
	Type          scalar `yaml:"type"`
	Due           scalar `yaml:"due_date"`
}

// readTask takes a task's file apart.
func readTask(text string) (m taskMatter, body string, ok bool) {
	matter, body, ok := splitMatter(text)
	return m, body, ok && decodeYAML(quoteNames(matter), &m)
}

// splitMatter takes the YAML front matter off a text.
func splitMatter(text string) (matter, body string, ok bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", "", false
	}
	if matter, body, ok = strings.Cut("\n"+rest, "\n---\n"); ok {
		return matter, body, true
	}
	matter, ok = strings.CutSuffix("\n"+strings.TrimRight(rest, " \n"), "\n---")
	return matter, "", ok
}

var (
	nameLine = pattern.New(`(?m)^(\s*(?:assignee|reporter):\s*|\s*-\s+)(@[^\n]*?)\s*$`)
	nameList = pattern.New(`(?m)^\s*(?:assignee|reporter):\s*\[.*$`)
	nameItem = pattern.New(`([\[,]\s*)(@[^,\]"']+)`)
)

// quoteNames puts quotes around @names, which Backlog.md writes without and
// YAML reserves.
func quoteNames(matter string) string {
	if !strings.Contains(matter, "@") {
		return matter
	}
	matter = nameLine.Regexp().ReplaceAllStringFunc(matter, func(line string) string {
		m := nameLine.FindStringSubmatch(line)
		return m[1] + "'" + strings.ReplaceAll(m[2], "'", "''") + "'"
	})
	return nameList.Regexp().ReplaceAllStringFunc(matter, func(line string) string {
		return nameItem.Regexp().ReplaceAllString(line, "$1'$2'")
	})
}

// marks are the comments by which Backlog.md finds its own sections again.
var marks = pattern.New(`(?m)^[ \t]*<!-- (?:SECTION:[A-Z_]+|AC|DOD|COMMENTS?):(?:BEGIN|END) -->[ \t]*\n?`)

// record makes the record of a task from its front matter and text.
func (m taskMatter) record(l *look, body string, t fileText) record {
	plain, thread := takeComments(body)
	shown, removed := markup.CleanMarkdown(strings.TrimSpace(marks.Regexp().ReplaceAllString(plain, "")))
	title, more := markup.Clean(string(m.Title))
	created, made := parseDay(string(m.Created))
	updated, until := parseDay(string(m.Updated))
	if updated.IsZero() {
		updated, until = parseDay(string(m.Created))
	}
	if updated.IsZero() {
		updated, until = t.modified.Truncate(time.Second), t.modified
	}
	i := connectors.Issue{
		Origin: connectors.Origin{Source: l.source, Ref: m.ID.line(), Title: markup.Line(title, maxName), UpdatedAt: &updated,
			Removed: removed.Add(more).Total(), Container: l.container()},
		State: m.Status.line(), Type: m.Type.line(), Priority: m.Priority.line(), Author: m.Reporter.line(),
		Assignees: m.Assignee.lines(), Labels: m.Labels.lines(), Milestone: m.Milestone.line(), Body: shown, Thread: thread,
	}
	if !created.IsZero() {
		i.CreatedAt = &created
	}
	n := len(thread)
	i.Comments = &n
	i.Links = m.links()
	if m.Due != "" {
		i.Fields = append(i.Fields, connectors.NamedValue{Name: "due_date", Value: m.Due.line()})
	}
	whole, _ := markup.Clean(body)
	return record{issue: i, text: []string{i.Ref, i.Title, whole}, until: until, made: made}
}

func (m taskMatter) links() []connectors.Link {
	var out []connectors.Link
	for _, id := range m.Dependencies.lines() {
		out = append(out, connectors.Link{Type: "depends_on", Ref: id})
	}
	if m.Parent != "" {
		out = append(out, connectors.Link{Type: "parent", Ref: m.Parent.line()})
	}
	for _, id := range m.Subtasks.lines() {
		out = append(out, connectors.Link{Type: "child", Ref: id})
	}
	for _, to := range append(m.References.lines(), m.Documentation.lines()...) {
		link := connectors.Link{Type: "reference", Ref: to}
		if strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") {
			link.URL = to
		}
		out = append(out, link)
	}
	return out
}

var (
	commentPart  = pattern.New(`(?s)(?:## Comments[ \t]*\n+)?<!-- COMMENTS:BEGIN -->\s*\n(.*?)<!-- COMMENTS:END -->[ \t]*\n?`)
	commentBlock = pattern.New(`(?s)<!-- COMMENT:BEGIN -->\s*\n(.*?)<!-- COMMENT:END -->`)
	commentHead  = pattern.New(`^([A-Za-z_]+):[ \t]*(.*)$`)
)

// takeComments takes the comments off the text of a task. Two forms are in use:
// lines of --- around each text, and before that a block of its own for each.
func takeComments(body string) (rest string, thread []connectors.Comment) {
	part := commentPart.Regexp().FindStringSubmatchIndex(body)
	if part == nil {
		return body, nil
	}
	section := body[part[2]:part[3]]
	thread = ruledComments(section)
	if blocks := commentBlock.Regexp().FindAllStringSubmatch(section, -1); blocks != nil {
		thread = nil
		for _, block := range blocks {
			head, text, ok := strings.Cut(strings.TrimSpace(block[1]), "\n\n")
			if !ok {
				head, text = "", head
			}
			thread = append(thread, newComment(head, text))
		}
	}
	return body[:part[0]] + body[part[1]:], thread
}

// ruledComments reads comments whose heads and texts each end at a line of ---.
func ruledComments(section string) []connectors.Comment {
	var thread []connectors.Comment
	var parts []string
	var part strings.Builder
	for line := range strings.Lines(section) {
		if strings.TrimSpace(line) != commentRule {
			part.WriteString(line)
			continue
		}
		parts = append(parts, part.String())
		part.Reset()
	}
	for i := 0; i+1 < len(parts); i += 2 {
		if strings.TrimSpace(parts[i+1]) == "" {
			continue
		}
		c := newComment(parts[i], parts[i+1])
		c.ID = strconv.Itoa(len(thread) + 1)
		thread = append(thread, c)
	}
	return thread
}

// commentRule is the line around the text of a comment.
const commentRule = "---"

func newComment(head, text string) connectors.Comment {
	var c connectors.Comment
	c.Body, _ = markup.CleanMarkdown(strings.TrimSpace(text))
	for _, line := range strings.Split(head, "\n") {
		c = withHead(c, commentHead.FindStringSubmatch(line))
	}
	return c
}

// withHead adds one line of the head of a comment.
func withHead(c connectors.Comment, m []string) connectors.Comment {
	if m == nil {
		return c
	}
	switch strings.ToLower(m[1]) {
	case "index":
		c.ID = markup.Line(m[2], 40)
	case "author":
		c.Author = markup.Line(m[2], maxName)
	case "created":
		if at, _ := parseDay(m[2]); !at.IsZero() {
			c.CreatedAt = &at
		}
	}
	return c
}

// parseDay reads a date as Backlog.md writes it, in UTC; until is its last
// moment, since most have no time of day. Both are zero if it cannot be read.
func parseDay(s string) (at, until time.Time) {
	s = strings.TrimSpace(s)
	for layout, span := range map[string]time.Duration{
		"2006-01-02": 24 * time.Hour, "02-01-06": 24 * time.Hour, "02/01/06": 24 * time.Hour, "02.01.06": 24 * time.Hour,
		"2006-01-02 15:04": time.Minute, "2006-01-02T15:04": time.Minute,
		"2006-01-02 15:04:05": time.Second, time.RFC3339: time.Second,
	} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.UTC(), at.UTC().Add(span - time.Nanosecond)
		}
	}
	return time.Time{}, time.Time{}
}
