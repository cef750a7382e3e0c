package local

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// beadsActor stands where beads names who did something.
const beadsActor = "frank"

func (b beads) homes(l *look) []string {
	if !l.has(".beads") {
		return nil
	}
	return []string{".beads"}
}

func (b beads) kept(l *look) string { return b.file(l) }

// beadsText is the file that is to be changed, line by line.
type beadsText struct {
	file  string
	was   []byte
	lines []string
	beads []bead // of the lines; empty for an empty line
}

// openBeads reads the file. One that is damaged anywhere is not changed: what its
// lines were meant to say, nobody knows.
func (b beads) openBeads(l *look) (beadsText, *status.Failure) {
	t := beadsText{file: b.file(l)}
	failure := b.barred(l)
	if failure != nil {
		return t, failure
	}
	if t.was, failure = l.raw(t.file, maxBeads); failure != nil {
		return t, failure
	}
	seen := map[string]bool{}
	for line := range strings.Lines(strings.TrimPrefix(string(t.was), byteOrderMark)) {
		var i bead
		if strings.TrimSpace(line) != "" && (json.Unmarshal([]byte(line), &i) != nil || i.ID == "") {
			return t, damaged(t.file, "a line of the file of issues")
		}
		if i.ID != "" && seen[plainID(i.ID)] {
			return t, damaged(t.file, "an id that occurs twice")
		}
		seen[plainID(i.ID)] = true
		t.lines, t.beads = append(t.lines, line), append(t.beads, i)
	}
	return t, nil
}

// barred is why the file is not the place to change an issue, or nil.
func (b beads) barred(l *look) *status.Failure {
	if !l.has(".beads/dolt") {
		return nil
	}
	f := status.Fail(status.OperationUnsupported, pathFact(b.file(l)), status.Remedy.Is("Change the issue with bd."),
		status.Feature.Is("changes of an export, since beads keeps the issues in a Dolt database and writes this file anew from it"))
	return &f
}

// bom is the byte order mark of the file, if it has one.
func (t beadsText) bom() string {
	if strings.HasPrefix(string(t.was), byteOrderMark) {
		return byteOrderMark
	}
	return ""
}

// line finds the line of an issue.
func (t beadsText) line(id string) int {
	return slices.IndexFunc(t.beads, func(i bead) bool { return plainID(i.ID) == plainID(id) })
}

// planned checks that the changed line says what was asked for, and no more.
func (t beadsText) planned(at int, j *jsonLine, wanted bead) (edit, *status.Failure) {
	out := edit{ref: wanted.ID, file: t.file, was: t.was, now: t.was}
	text := j.text()
	if text == t.lines[at] {
		return out, nil
	}
	var got bead
	if json.Unmarshal([]byte(text), &got) != nil || !reflect.DeepEqual(got, wanted) {
		return edit{}, unsafe(t.file)
	}
	lines := slices.Clone(t.lines)
	lines[at] = text
	out.now = []byte(t.bom() + strings.Join(lines, ""))
	return out, nil
}

func instantText(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// compose writes an issue as beads exports it, behind the others.
func (b beads) compose(l *look, _ ledger, w connectors.IssueCreate) (edit, *status.Failure) {
	if len(w.Assignees) > 1 {
		return edit{}, oneAssignee()
	}
	t, failure := b.openBeads(l)
	if failure != nil {
		return edit{}, failure
	}
	eol, escapes, typed := "\n", strings.Contains(string(t.was), `\u003c`) || strings.Contains(string(t.was), `\u003e`), false
	if len(t.lines) > 0 {
		if strings.HasSuffix(t.lines[0], "\r\n") {
			eol = "\r\n"
		}
		if j, ok := openLine(t.lines[len(t.lines)-1]); ok {
			typed = j.value("_type") == `"issue"`
		}
	}
	now := instantText(l.now())
	id := b.nextID(l, t, w)
	j := &jsonLine{escapes: escapes, tail: "}"}
	if typed {
		j.setText("_type", "issue")
	}
	j.setText("id", id)
	j.setText("title", w.Title)
	if w.Body != "" {
		j.setText("description", w.Body)
	}
	j.setText("status", "open")
	j.set("priority", "2")
	j.setText("issue_type", "task")
	if len(w.Assignees) == 1 {
		j.setText("assignee", w.Assignees[0])
	}
	j.setText("created_at", now)
	j.setText("created_by", beadsActor)
	j.setText("updated_at", now)
	if len(w.Labels) > 0 {
		j.set("labels", jsonText(w.Labels, escapes))
	}
	before := string(t.was)
	switch {
	case before == t.bom() || strings.HasSuffix(before, "\n"):
		return edit{ref: id, file: t.file, was: t.was, now: []byte(before + j.text() + eol)}, nil
	default: // the last line keeps being without an end
		return edit{ref: id, file: t.file, was: t.was, now: []byte(before + eol + j.text())}, nil
	}
}

func oneAssignee() *status.Failure {
	f := status.Fail(status.OperationUnsupported, status.Feature.Is("more than one assignee of an issue"))
	return &f
}

// nextID is a new id in the scheme of the others: the next number, or a short
// hash after the prefix.
func (b beads) nextID(l *look, t beadsText, w connectors.IssueCreate) string {
	prefix, used, lengths := "", map[string]bool{}, map[int]int{}
	highest, numbered := 0, true
	for _, i := range slices.Backward(t.beads) {
		head, end, ok := cutLast(i.ID, "-")
		if !ok {
			continue
		}
		if prefix == "" {
			prefix = head
		}
		used[markup.Fold(i.ID)] = true
		if head != prefix || strings.Contains(end, ".") {
			continue
		}
		n, err := strconv.Atoi(end)
		numbered = numbered && err == nil && n <= highestNumber
		highest = max(highest, n)
		lengths[len(end)]++
	}
	if len(lengths) > 0 && numbered {
		return prefix + "-" + itoa(highest+1)
	}
	if prefix == "" {
		prefix = b.prefix(l)
	}
	length := 4
	for n, times := range lengths {
		if n >= 3 && n <= 8 && (times > lengths[length] || times == lengths[length] && n > length) {
			length = n
		}
	}
	for nonce := 0; ; nonce++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%s|%d|%d", w.Title, w.Body, w.Mark.ID, l.now().UnixNano(), nonce))
		digits := new(big.Int).SetBytes(sum[:]).Text(36)
		id := prefix + "-" + digits[len(digits)-length-nonce/16:]
		if !used[markup.Fold(id)] {
			return id
		}
	}
}

// prefix is that of a tracker without issues: as configured, else the name of its
// directory, as bd init takes it.
func (b beads) prefix(l *look) string {
	var c struct {
		Prefix scalar `yaml:"issue-prefix"`
	}
	if t, why := l.file(".beads/config.yaml"); why == "" && decodeYAML(t.text, &c) && c.Prefix.line() != "" {
		return strings.TrimSuffix(c.Prefix.line(), "-")
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return -1
	}, strings.ToLower(path.Base(lastPart(l.root))))
	if name = strings.Trim(name, "-_"); name == "" {
		return "bd"
	}
	return name
}

// revise changes the values of one line that concern what is asked for.
func (b beads) revise(l *look, r record, w connectors.IssueUpdate) (edit, *status.Failure) {
	t, failure := b.openBeads(l)
	if failure != nil {
		return edit{}, failure
	}
	at := t.line(r.issue.Ref)
	if at < 0 {
		f := changedMeanwhile()
		return edit{}, &f
	}
	j, ok := openLine(t.lines[at])
	if !ok {
		return edit{}, unsafe(t.file)
	}
	wanted := t.beads[at]
	if w.Title != nil && *w.Title != r.issue.Title {
		wanted.Title = *w.Title
		j.setText("title", wanted.Title)
	}
	if failure := b.place(r, w, j, &wanted); failure != nil {
		return edit{}, failure
	}
	if w.State != "" {
		state, failure := stateOf(r, w.State, "open", "closed")
		if failure != nil {
			return edit{}, failure
		}
		b.move(l, j, &wanted, r.issue.State, state)
	}
	if w.Body != nil {
		body, failure := b.newBody(wanted, *w.Body)
		if failure != nil {
			return edit{}, failure
		}
		if body != plainBody(wanted.Description) {
			wanted.Description = body
			j.setText("description", body)
		}
	}
	if j.text() != t.lines[at] {
		wanted.Updated = instantText(l.now())
		j.setText("updated_at", wanted.Updated)
	}
	return t.planned(at, j, wanted)
}

// place sets labels and assignee.
func (b beads) place(r record, w connectors.IssueUpdate, j *jsonLine, wanted *bead) *status.Failure {
	if labels := newSet(r.issue.Labels, w.AddLabels, w.RemoveLabels, markup.Fold); labels.changed() {
		items, ok := j.items("labels")
		if !ok {
			return unsafe(r.file)
		}
		var left []string
		wanted.Labels = nil
		for _, item := range items {
			var s string
			if json.Unmarshal([]byte(item), &s) == nil && labels.keeps(s) {
				left, wanted.Labels = append(left, item), append(wanted.Labels, s)
			}
		}
		for _, s := range labels.add {
			left, wanted.Labels = append(left, j.quote(s)), append(wanted.Labels, s)
		}
		if len(left) == 0 {
			j.drop("labels")
		} else {
			j.set("labels", "["+strings.Join(left, ",")+"]")
		}
	}
	if w.Assignees == nil {
		return nil
	}
	switch people := wholeSet(r.issue.Assignees, *w.Assignees, person); {
	case len(*w.Assignees) > 1:
		return oneAssignee()
	case !people.changed():
	case len(people.all()) == 0:
		wanted.Assignee = ""
		j.drop("assignee")
	default:
		wanted.Assignee = people.all()[0]
		j.setText("assignee", wanted.Assignee)
	}
	return nil
}

// move changes the state. beads wants a time of closing for what is closed, and
// none for anything else.
func (b beads) move(l *look, j *jsonLine, wanted *bead, from, to string) {
	if from == to {
		return
	}
	wanted.Status = to
	j.setText("status", to)
	if to == "closed" {
		wanted.Closed = instantText(l.now())
		j.setText("closed_at", wanted.Closed)
		return
	}
	wanted.Closed, wanted.Reason = "", ""
	j.drop("closed_at")
	j.drop("close_reason")
}

// newBody is the description that a body asks for. A body that goes on with the
// other parts as they are means them to stay.
func (b beads) newBody(i bead, body string) (string, *status.Failure) {
	rest := bead{Design: i.Design, Acceptance: i.Acceptance, Notes: i.Notes}
	shown := plainBody(rest.body())
	whole := plainBody(i.body())
	if body == whole {
		return plainBody(i.Description), nil
	}
	if shown == "" {
		return body, nil
	}
	body = plainEnds(strings.TrimSuffix(body, shown))
	for _, h := range headings(slices.Collect(strings.Lines(body))) {
		for _, o := range headings(slices.Collect(strings.Lines(shown))) {
			if markup.Fold(h.title) == markup.Fold(o.title) {
				return "", unusable("body", "holds the heading of another part of the issue (design, acceptance criteria, notes); the body is the description alone, other parts are kept as they are")
			}
		}
	}
	return body, nil
}

// reply adds a comment to the list of one line.
func (b beads) reply(l *look, r record, w connectors.CommentAdd) (edit, *status.Failure) {
	t, failure := b.openBeads(l)
	if failure != nil {
		return edit{}, failure
	}
	at := t.line(r.issue.Ref)
	if at < 0 {
		f := changedMeanwhile()
		return edit{}, &f
	}
	j, ok := openLine(t.lines[at])
	if !ok {
		return edit{}, unsafe(t.file)
	}
	wanted := t.beads[at]
	id := t.nextComment()
	c := beadComment{ID: id, Author: beadsActor, Text: w.Body, Created: instantText(l.now())}
	item := jsonText(struct {
		ID      json.RawMessage `json:"id"`
		Issue   string          `json:"issue_id"`
		Author  string          `json:"author"`
		Text    string          `json:"text"`
		Created string          `json:"created_at"`
	}{c.ID, wanted.ID, c.Author, c.Text, c.Created}, j.escapes)
	wanted.Comments = append(slices.Clone(wanted.Comments), c)
	if !j.push("comments", item) {
		return edit{}, unsafe(t.file)
	}
	if n, err := strconv.Atoi(j.value("comment_count")); err == nil {
		j.set("comment_count", itoa(n+1))
	}
	wanted.Updated = c.Created
	j.setText("updated_at", wanted.Updated)
	out, failure := t.planned(at, j, wanted)
	out.reply = strings.Trim(string(id), `"`)
	return out, failure
}

// nextComment is the id of a new comment: a number behind all others, or a random
// one where the file has such.
func (t beadsText) nextComment() json.RawMessage {
	highest := 0
	for _, i := range t.beads {
		for _, c := range i.Comments {
			n, err := strconv.Atoi(string(c.ID))
			if err != nil && len(c.ID) > 0 && c.ID[0] == '"' {
				return json.RawMessage(strconv.Quote(uuid()))
			}
			highest = max(highest, n)
		}
	}
	return json.RawMessage(itoa(highest + 1))
}

// uuid is a random one, of version 4.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// wrote compares the description as it is written.
func (b beads) wrote(l *look, r record, body string) bool {
	t, failure := b.openBeads(l)
	if failure != nil {
		return false
	}
	at := t.line(r.issue.Ref)
	return at >= 0 && plainBody(t.beads[at].Description) == body
}
