package local

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

var _ connectors.Writer = (*fileTracker)(nil)

// redos is how often a change is planned anew because somebody else changed the
// file between its reading and its writing.
const redos = 8

// edit is a planned change of one file.
type edit struct {
	ref   string // of the issue that it concerns
	file  string
	was   []byte
	now   []byte // equal to was: there is nothing to change
	fresh bool   // the file must not be there yet
	reply string // the id of the comment that it adds
}

// Create adds an issue to the first tracker of the tree, under the next free id
// of that tracker's own scheme.
func (t *fileTracker) Create(ctx context.Context, w connectors.IssueCreate) status.Result[connectors.Issue] {
	var failure *status.Failure
	if w.Title, failure = titled(w.Title); failure != nil {
		return t.failed(*failure)
	}
	w.Body, w.Labels, w.Assignees = plainBody(w.Body), names(w.Labels), names(w.Assignees)
	return t.carryOut(ctx, func(d *desk) (edit, *status.Result[connectors.Issue]) {
		own := t.stores[0].load(d.look)
		all := own
		for _, s := range t.stores[1:] {
			all = all.join(s.load(d.look))
		}
		if !t.named(ctx, w.Project, all) {
			answer := strange[connectors.Issue](ctx, t, w.Project, t.proof(d.look, all))
			return edit{}, &answer
		}
		return t.planned(t.stores[0].compose(d.look, own, w))
	})
}

// Update changes what differs from what is asked, in one step.
func (t *fileTracker) Update(ctx context.Context, w connectors.IssueUpdate) status.Result[connectors.Issue] {
	w, failure := tidied(w)
	if failure != nil {
		return t.failed(*failure)
	}
	return t.carryOut(ctx, func(d *desk) (edit, *status.Result[connectors.Issue]) {
		r, answer := t.pick(d.look, w.Ref, t.all(d.look))
		if answer != nil {
			return edit{}, answer
		}
		return t.planned(r.store.revise(d.look, r, w))
	})
}

// tidied is the change with its texts as they are written.
func tidied(w connectors.IssueUpdate) (connectors.IssueUpdate, *status.Failure) {
	if w.Title != nil {
		title, failure := titled(*w.Title)
		if failure != nil {
			return w, failure
		}
		w.Title = &title
	}
	if w.Body != nil {
		body := plainBody(*w.Body)
		w.Body = &body
	}
	if w.Assignees != nil {
		people := names(*w.Assignees)
		w.Assignees = &people
	}
	w.AddLabels, w.RemoveLabels = names(w.AddLabels), names(w.RemoveLabels)
	return w, nil
}

// Comment adds a comment behind the others.
func (t *fileTracker) Comment(ctx context.Context, w connectors.CommentAdd) status.Result[connectors.Issue] {
	if w.Body = plainBody(w.Body); w.Body == "" {
		return t.failed(*unusable("body", "give a text with a visible character"))
	}
	return t.carryOut(ctx, func(d *desk) (edit, *status.Result[connectors.Issue]) {
		r, answer := t.pick(d.look, w.Ref, t.all(d.look))
		if answer != nil {
			return edit{}, answer
		}
		return t.planned(r.store.reply(d.look, r, w))
	})
}

func (t *fileTracker) planned(e edit, failure *status.Failure) (edit, *status.Result[connectors.Issue]) {
	if failure == nil {
		return e, nil
	}
	answer := t.failed(failure.With(status.NotCalled))
	return edit{}, &answer
}

// all reads the whole tracker anew.
func (t *fileTracker) all(l *look) ledger {
	l.skips = skips{}
	var all ledger
	for _, s := range t.stores {
		all = all.join(s.load(l))
	}
	return all
}

// carryOut plans a change and makes it while the tracker is locked. The answer is
// the issue as it is then read from the disk.
func (t *fileTracker) carryOut(ctx context.Context, plan func(*desk) (edit, *status.Result[connectors.Issue])) status.Result[connectors.Issue] {
	d, failure := t.sit(ctx)
	if failure != nil {
		return t.failed(failure.With(status.NotCalled))
	}
	defer d.close()
	if barred := d.barred(); barred != nil {
		return t.failed(barred.With(status.NotCalled))
	}
	for range redos {
		d.skips = skips{}
		e, answer := plan(d)
		if answer != nil {
			return *answer
		}
		if stop := d.over(); stop != nil {
			return t.failed(stop.With(status.NotCalled))
		}
		err := d.write(e)
		switch {
		case errors.Is(err, errTaken), errors.Is(err, errChanged):
			continue
		case err != nil:
			return t.failed(penFailure(e.file, err))
		}
		all := t.all(d.look)
		if e.fresh && !e.alone(all) && d.takeBack(e) {
			continue // another program gave the id at the same time
		}
		return t.settled(d, e, all)
	}
	return t.failed(changedMeanwhile().With(status.NotCalled))
}

// barred is why policy keeps this tree from the question under way, or nil: no
// other name, and no id, leads around a rule about it.
func (l *look) barred() *status.Failure { return connectors.Admits(l.ctx, l.container()) }

// write carries a planned change out.
func (d *desk) write(e edit) error {
	switch {
	case e.fresh:
		return d.create(e.file, e.now)
	case string(e.was) == string(e.now):
		return nil
	default:
		return d.replace(e.file, e.was, e.now)
	}
}

// settled is the answer to a change that was made. A new issue that the tracker
// does not show is none.
func (t *fileTracker) settled(d *desk, e edit, all ledger) status.Result[connectors.Issue] {
	r := t.confirmed(d.look, e, all)
	if s, _ := r.Verdict(); s == status.AccessFailure && e.fresh && d.takeBack(e) {
		return t.failed(unsafe(e.file).With(status.NotCalled))
	}
	return r
}

// takeBack removes the file of a new issue, and reports whether it did: what
// somebody has changed since stays.
func (d *desk) takeBack(e edit) bool {
	return d.holds(e.file, e.now) == nil && d.pen.Remove(e.file) == nil
}

// alone reports whether no other issue has the id of a new one.
func (e edit) alone(all ledger) bool {
	i := slices.IndexFunc(all.records, func(r record) bool { return shownName(r.file) == e.ref })
	return i < 0 || len(meant(all.records, all.records[i].issue.Ref)) == 1
}

// confirmed is the issue of a change as it was read back from the disk.
func (t *fileTracker) confirmed(l *look, e edit, all ledger) status.Result[connectors.Issue] {
	r, answer := t.pick(l, refTo(e.ref), all)
	if answer != nil || e.reply != "" && !r.replied(e.reply) { // somebody else changed it again already
		return t.failed(changedMeanwhile().With(status.MaybeCalled, pathFact(e.file)))
	}
	if e.reply != "" {
		r.issue.Thread = slices.DeleteFunc(slices.Clone(r.issue.Thread), func(c connectors.Comment) bool { return c.ID != e.reply })
	}
	return t.one(l, r, connectors.IssueGet{Comments: e.reply != ""}, all, 0)
}

func (r record) replied(id string) bool {
	return slices.ContainsFunc(r.issue.Thread, func(c connectors.Comment) bool { return c.ID == id })
}

// refTo is a reference to an issue by its id, or by the path of its file.
func refTo(name string) ref.Ref { return ref.Ref{Kind: ref.Issue, Raw: name, ID: name} }

// titled is a title as it is written: one visible line.
func titled(title string) (string, *status.Failure) {
	title = markup.Line(title, 1<<20)
	switch {
	case title == "":
		return "", unusable("title", "give a title with a visible character")
	case utf8.RuneCountInString(title) > maxName:
		return "", unusable("title", "has more than 400 characters; shorten it and put the rest into the body")
	}
	return title, nil
}

// plainBody is a text as it is written: without what nobody sees, and without
// empty lines around it.
func plainBody(body string) string {
	body, _ = markup.Clean(body)
	return strings.Trim(strings.TrimRight(body, " \t\n"), "\n")
}

// names are labels or people as they are written, each once.
func names(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, markup.Line(s, maxName))
	}
	return distinct(out)
}

// stateOf is the state of a tracker that a change asks for. A name of its own
// comes first; open and closed stand for what the tracker has in their place.
func stateOf(r record, wanted, open, closed string) (string, *status.Failure) {
	for _, s := range r.states {
		if markup.Fold(s) == markup.Fold(wanted) {
			return s, nil
		}
	}
	switch kind := markup.Fold(wanted); {
	case kind == "open" && !r.closed, kind == "closed" && r.closed:
		return r.issue.State, nil
	case kind == "open":
		return open, nil
	case kind == "closed":
		return closed, nil
	}
	return "", connectors.Choice("state", "is no state of this tracker", distinct(append([]string{"open", "closed"}, r.states...)), status.NotCalled)
}

// conflicted reports whether a merge left its marks in a text.
func conflicted(text string) bool {
	first := false
	for line := range strings.Lines(text) {
		first = first || strings.HasPrefix(line, "<<<<<<< ")
		if first && strings.HasPrefix(line, ">>>>>>> ") {
			return true
		}
	}
	return false
}

// raw reads a file of the tracker as it is, to be changed.
func (l *look) raw(name string, limit int64) ([]byte, *status.Failure) {
	if failure := l.straight(name); failure != nil {
		return nil, failure
	}
	b, t, why := l.bytesUpTo(name, limit)
	if why == "" && (t.encoding.Charset != markup.UTF8 || !utf8.Valid(b)) {
		f := status.Fail(status.OperationUnsupported, status.Feature.Is("changing a file that is not UTF-8"), pathFact(name))
		return nil, &f
	}
	switch {
	case why == skipBinary:
		why = skipDamaged
	case why == "" && conflicted(t.text):
		f := status.Fail(status.Corrupt, status.Part.Is("a merge conflict that is not resolved"), pathFact(name),
			status.Remedy.Is("Resolve the merge conflict in this file, then repeat."))
		return nil, &f
	}
	if why != "" {
		f := why.failure().With(pathFact(name))
		return nil, &f
	}
	return b, nil
}

// unsafe is the answer where a file is written in a way that frank cannot change
// without touching more than was asked for.
func unsafe(name string) *status.Failure {
	f := status.Fail(status.OperationUnsupported, status.Feature.Is("changing this file without touching more of it than was asked for"), pathFact(name),
		status.Remedy.Is("Change it with the tracker's own program or an editor."))
	return &f
}

// damaged is the answer for a file that cannot be read as its tracker writes it.
func damaged(name, part string) *status.Failure {
	f := status.Fail(status.Corrupt, status.Part.Is(part), pathFact(name), status.Remedy.Is("Repair this file, then repeat."))
	return &f
}
