package local

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
)

// beads reads the tracker of beads from the file that it exports to Git: one
// JSON object on each line (github.com/steveyegge/beads, internal/types/types.go,
// read in November 2026). The database beside it is not opened.
type beads struct{}

const (
	beadsFile = ".beads/issues.jsonl"
	// beadsOld is its name in early versions.
	beadsOld = ".beads/beads.jsonl"
	// maxBeads bounds the file, in bytes.
	maxBeads = 128 << 20
)

func (beads) present(t *tree) bool { return t.has(beadsFile) || t.has(beadsOld) }

// bead is one line of the file.
type bead struct {
	ID          string        `json:"id"`
	Title       string        `json:"title"`
	Description string        `json:"description"`
	Design      string        `json:"design"`
	Acceptance  string        `json:"acceptance_criteria"`
	Notes       string        `json:"notes"`
	Status      string        `json:"status"`
	Priority    *int          `json:"priority"`
	Type        string        `json:"issue_type"`
	Assignee    string        `json:"assignee"`
	Created     string        `json:"created_at"`
	CreatedBy   string        `json:"created_by"`
	Updated     string        `json:"updated_at"`
	Closed      string        `json:"closed_at"`
	Reason      string        `json:"close_reason"`
	External    string        `json:"external_ref"`
	Due         string        `json:"due_at"`
	Labels      []string      `json:"labels"`
	Links       []beadLink    `json:"dependencies"`
	Comments    []beadComment `json:"comments"`
}

type beadLink struct {
	From string `json:"issue_id"`
	To   string `json:"depends_on_id"`
	Type string `json:"type"`
}

type beadComment struct {
	ID      json.RawMessage `json:"id"` // a number, in later versions a text
	Author  string          `json:"author"`
	Text    string          `json:"text"`
	Created string          `json:"created_at"`
}

func (beads) file(l *look) string {
	if l.has(beadsFile) {
		return beadsFile
	}
	return beadsOld
}

// prefixed looks for the prefix as the ids are written, without reading the lines.
func (b beads) prefixed(l *look, prefix string) bool {
	t, why := l.fileUpTo(l.realOf(b.file(l)), maxBeads)
	return why != "" || markup.ContainsFold(t.text, `"`+prefix+`-`)
}

func (b beads) load(l *look) ledger {
	name := b.file(l)
	all := ledger{states: []string{"open", "in_progress", "blocked", "deferred", "closed"},
		types: []string{"bug", "feature", "task", "epic", "chore"}}
	t, why := l.fileUpTo(l.realOf(name), maxBeads)
	if why == skipChanged && !l.has(name) {
		return ledger{}
	}
	all.dirs = []string{path.Dir(name)}
	if l.databased() {
		all.notes = append(all.notes, "changes_not_exported_from_the_beads_database")
	}
	if why == skipBinary {
		why = skipDamaged
	}
	if why != "" {
		l.skips.add(why)
		return all
	}
	all.states = b.statesIn(t.text, all.states)
	newest := map[string]int{}
	for line := range strings.Lines(t.text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var i bead
		if json.Unmarshal([]byte(line), &i) != nil || i.ID == "" { // a merge conflict leaves such lines too
			l.skips.add(skipDamaged)
			continue
		}
		r := i.record(l, t.modified)
		r.file, r.shared, r.states, r.store = name, true, all.states, b
		if i, twice := newest[plainID(i.ID)]; twice {
			all.twice++
			if !changed(all.records[i].issue).After(changed(r.issue)) {
				all.records[i] = r
			}
			continue
		}
		newest[plainID(i.ID)] = len(all.records)
		all.records = append(all.records, r)
	}
	return all
}

// statesIn adds the states of a project's own that issues are in.
func (beads) statesIn(text string, states []string) []string {
	var i struct {
		Status string `json:"status"`
	}
	for line := range strings.Lines(text) {
		i.Status = ""
		if json.Unmarshal([]byte(line), &i) == nil && i.Status != "tombstone" {
			states = append(states, markup.Line(i.Status, maxName))
		}
	}
	return distinct(states)
}

// databased reports whether beads keeps a database beside the file; what was
// not exported from it yet is not in the file.
func (l *look) databased() bool {
	return slices.ContainsFunc([]string{".beads/beads.db", ".beads/dolt", ".beads/db.sqlite"}, l.has)
}

// record makes the record of one line; modified is when the file was.
func (b bead) record(l *look, modified time.Time) record {
	i := connectors.Issue{
		Origin: connectors.Origin{Source: l.source, Ref: markup.Line(b.ID, maxName), Title: markup.Line(b.Title, maxName), Container: l.container()},
		State:  markup.Line(b.Status, maxName), Reason: markup.Line(b.Reason, maxName), Type: markup.Line(b.Type, maxName),
		Author: markup.Line(b.CreatedBy, maxName), Labels: texts(b.Labels).lines(), Assignees: texts{b.Assignee}.lines(),
	}
	if i.State == "" {
		i.State = "open"
	}
	if i.Type == "" {
		i.Type = "task"
	}
	if b.Priority != nil {
		i.Priority = "P" + strconv.Itoa(*b.Priority)
	}
	i.CreatedAt, i.ClosedAt, i.UpdatedAt = instant(b.Created), instant(b.Closed), instant(b.Updated)
	if i.UpdatedAt == nil {
		i.UpdatedAt = i.CreatedAt
	}
	if i.UpdatedAt == nil {
		i.UpdatedAt = &modified
	}
	var made time.Time
	if i.CreatedAt != nil {
		made = *i.CreatedAt
	}
	var removed markup.Removed
	i.Body, removed = markup.CleanMarkdown(b.body())
	_, more := markup.Clean(b.Title)
	removed = removed.Add(more)
	for _, c := range b.Comments {
		text, more := markup.CleanMarkdown(c.Text)
		removed = removed.Add(more)
		i.Thread = append(i.Thread, connectors.Comment{ID: markup.Line(strings.Trim(string(c.ID), `"`), 64),
			Author: markup.Line(c.Author, maxName), CreatedAt: instant(c.Created), Body: text})
	}
	n := len(i.Thread)
	i.Comments, i.Removed = &n, removed.Total()
	i.Links, i.Fields = b.links(), b.fields()
	return record{issue: i, text: b.texts(), closed: i.State == "closed", gone: i.State == "tombstone", until: *i.UpdatedAt, made: made}
}

// body is the description with the further parts under headings.
func (b bead) body() string {
	out := b.Description
	for _, part := range []struct{ title, text string }{{"Design", b.Design}, {"Acceptance criteria", b.Acceptance}, {"Notes", b.Notes}} {
		if strings.TrimSpace(part.text) != "" {
			out = strings.TrimLeft(out+"\n\n## "+part.title+"\n\n"+part.text, "\n")
		}
	}
	return out
}

// texts is what a search looks through.
func (b bead) texts() []string {
	out := []string{b.ID, b.Title, b.body(), b.Reason, b.External}
	for _, c := range b.Comments {
		out = append(out, c.Text)
	}
	for i := range out {
		out[i], _ = markup.Clean(out[i])
	}
	return out
}

func (b bead) links() []connectors.Link {
	var out []connectors.Link
	for _, d := range b.Links {
		if d.To == "" || d.From != "" && d.From != b.ID {
			continue
		}
		kind := strings.ReplaceAll(markup.Line(d.Type, 40), "-", "_")
		switch kind {
		case "blocks":
			kind = "blocked_by"
		case "parent_child":
			kind = "parent"
		}
		out = append(out, connectors.Link{Type: kind, Ref: markup.Line(d.To, maxName)})
	}
	return out
}

func (b bead) fields() []connectors.NamedValue {
	var out []connectors.NamedValue
	for _, f := range []connectors.NamedValue{{Name: "external_ref", Value: b.External}, {Name: "due_at", Value: b.Due}} {
		if f.Value = markup.Line(f.Value, maxName); f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

// instant reads a time of RFC 3339; nil if there is none.
func instant(s string) *time.Time {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return nil
	}
	at = at.UTC()
	return &at
}
