package github

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// edit is a change of one issue under way. What GitHub confirms is kept, so that
// at the end it can be compared with what was asked for.
type edit struct {
	writer
	target
	asked connectors.IssueUpdate
	now   wireIssue
	shows shown              // of now
	seen  *upstream.Exchange // the last answer
	off   map[string]bool    // the labels that were taken off
}

// Update changes what is not yet as asked, in as few steps as GitHub allows. A step
// can be undone if GitHub has shown what was there before.
func (w writer) Update(ctx context.Context, q connectors.IssueUpdate) status.Result[connectors.Issue] {
	e, lost := w.edit(ctx, q)
	if lost != nil {
		return *lost
	}
	if f := connectors.InSteps(ctx, e.steps()); f != nil {
		return status.Failed[connectors.Issue](w.source, e.named(*f))
	}
	return e.answer(ctx)
}

func (w writer) edit(ctx context.Context, q connectors.IssueUpdate) (*edit, *status.Result[connectors.Issue]) {
	if states := []string{"open", "closed"}; q.State != "" && !slices.Contains(states, q.State) {
		f := status.Fail(status.EnumRequired, status.By(w.source), status.ValidValues.Is(states), status.Arguments.Is([]status.Argument{{
			Name: "state", Reason: status.EnumRequired.Name(), Problem: "must be one of the states that GitHub knows", Allowed: states,
		}}))
		failed := status.Failed[connectors.Issue](w.source, f)
		return nil, &failed
	}
	t, lost := w.target(ctx, q.Ref)
	if lost != nil {
		return nil, lost
	}
	return &edit{writer: w, target: t, asked: q, now: t.wire, shows: maps.Clone(t.has), seen: t.x, off: map[string]bool{}}, nil
}

// answer tells the issue as GitHub confirmed it.
func (e *edit) answer(ctx context.Context) status.Result[connectors.Issue] {
	a := confirmed(e.seen)
	missing := wish{labels: without(e.asked.AddLabels, namesOf(e.now.Labels))}
	if e.asked.Assignees != nil && e.shows["assignees"] {
		is := loginsOf(e.now.Assignees)
		missing.assignees = append(without(*e.asked.Assignees, is), without(is, *e.asked.Assignees)...)
	}
	if len(missing.labels)+len(missing.assignees) > 0 {
		k, _ := e.visible(ctx, e.repo) // without it nothing is known of the role
		k.name = e.repo
		dropped(a, k, missing)
	}
	_, fields := e.patch()
	same := false
	for _, name := range fields {
		if !e.shows[name] {
			a.Fail(status.Completeness, *e.seen.Misshapen(name))
		} else if name != "assignees" {
			same = true
		}
	}
	if same || slices.ContainsFunc(namesOf(e.now.Labels), func(l string) bool { return holds(e.asked.RemoveLabels, l) }) {
		a.Fail(status.Completeness, *e.seen.Contradicts("it accepted a change and shows the issue as it was"))
	}
	item := e.whole(e.issue(e.now, e.repo, repoName{}), e.now)
	item.MovedTo = e.item.MovedTo
	return status.One(e.source, brief(item), a)
}

// steps are what is left to do, last of all what cannot be undone.
func (e *edit) steps() []connectors.Step {
	var steps []connectors.Step
	if patch, fields := e.patch(); patch != nil {
		s := connectors.Step{
			Name: "changed " + strings.Join(fields, ", ") + " of " + e.ref(),
			Do:   func(ctx context.Context) *status.Failure { return e.send(ctx, *patch) },
		}
		if !slices.ContainsFunc(fields, func(name string) bool { return !e.has[name] }) {
			s.Undo = func(ctx context.Context) *status.Failure { return e.restore(ctx, *patch) }
		}
		steps = append(steps, s)
	}
	if add := without(e.asked.AddLabels, namesOf(e.now.Labels)); len(add) > 0 {
		s := connectors.Step{
			Name: "added labels to " + e.ref(),
			Do:   func(ctx context.Context) *status.Failure { return e.label(ctx, add) },
		}
		if e.has["labels"] { // else some of them may have been there
			s.Undo = func(ctx context.Context) *status.Failure { return e.unlabelAll(ctx, add) }
		}
		steps = append(steps, s)
	}
	for _, l := range e.superfluous() {
		steps = append(steps, connectors.Step{
			Name: "removed the label " + l + " from " + e.ref(),
			Do:   func(ctx context.Context) *status.Failure { return e.unlabel(ctx, l) },
			Undo: func(ctx context.Context) *status.Failure { return e.relabel(ctx, l) },
		})
	}
	slices.SortStableFunc(steps, func(a, b connectors.Step) int { return last(a) - last(b) })
	return steps
}

func last(s connectors.Step) int {
	if s.Undo == nil {
		return 1
	}
	return 0
}

// superfluous are the labels to remove: those that are there, or may be.
func (e *edit) superfluous() []string {
	if !e.shows["labels"] {
		return e.asked.RemoveLabels
	}
	var out []string
	for _, l := range namesOf(e.now.Labels) {
		if holds(e.asked.RemoveLabels, l) {
			out = append(out, l)
		}
	}
	return out
}

// done reports whether the issue is as asked already.
func (e *edit) done() bool { return len(e.steps()) == 0 }

// patch holds the fields that are not yet as asked, as far as that is known; nil if
// there are none.
func (e *edit) patch() (patch *gh.IssueRequest, fields []string) {
	p := gh.IssueRequest{}
	set := func(name string, differs bool, to func()) {
		if differs {
			to()
			fields = append(fields, name)
		}
	}
	q := e.asked
	set("title", q.Title != nil && strings.TrimSpace(*q.Title) != strings.TrimSpace(*e.now.Title), func() { p.Title = q.Title })
	set("body", q.Body != nil && (!e.shows["body"] || plainBody(*q.Body) != plainBody(e.now.Body)), func() {
		body := strings.TrimSpace(*q.Body + "\n\n" + marksOf(e.wire.Body)) // what frank made stays known as that
		p.Body = &body
	})
	set("state", q.State != "" && !strings.EqualFold(q.State, e.now.State), func() { p.State = &q.State })
	if q.Assignees != nil {
		is := loginsOf(e.now.Assignees)
		set("assignees", !e.shows["assignees"] || len(without(*q.Assignees, is))+len(without(is, *q.Assignees)) > 0, func() {
			people := append([]string{}, *q.Assignees...)
			p.Assignees = &people
		})
	}
	if fields == nil {
		return nil, nil
	}
	return &p, fields
}

// plainBody is a body as two are compared.
func plainBody(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(unmarked(s), "\r\n", "\n"))
}

// before undoes a patch.
func (e *edit) before(patch gh.IssueRequest) gh.IssueRequest {
	var p gh.IssueRequest
	w := e.wire
	if patch.Title != nil {
		p.Title = w.Title
	}
	if patch.Body != nil {
		p.Body = &w.Body
	}
	if patch.State != nil {
		p.State = &w.State
		if w.StateReason != "" {
			p.StateReason = &w.StateReason
		}
	}
	if patch.Assignees != nil {
		people := append([]string{}, loginsOf(w.Assignees)...)
		p.Assignees = &people
	}
	return p
}

func (e *edit) send(ctx context.Context, patch gh.IssueRequest) *status.Failure {
	wire, x, f := changed[wireIssue](ctx, e.client, issueCall(e.repo, e.number, "").posts(http.MethodPatch, patch))
	if f != nil {
		return f
	}
	has := shownBy(x)
	if !has["labels"] { // a patch leaves them as they are
		wire.Labels, has["labels"] = e.now.Labels, e.shows["labels"]
	}
	e.now, e.seen, e.shows = wire, x, has
	return nil
}

// restore undoes a patch, and holds GitHub to having done so.
func (e *edit) restore(ctx context.Context, patch gh.IssueRequest) *status.Failure {
	if f := e.send(ctx, e.before(patch)); f != nil {
		return f
	}
	is, was := e.now, e.wire
	assigned := append(without(loginsOf(was.Assignees), loginsOf(is.Assignees)), without(loginsOf(is.Assignees), loginsOf(was.Assignees))...)
	switch {
	case patch.Title != nil && *is.Title != *was.Title,
		patch.Body != nil && plainBody(is.Body) != plainBody(was.Body),
		patch.State != nil && !strings.EqualFold(is.State, was.State),
		patch.Assignees != nil && len(assigned) > 0:
		return e.seen.Contradicts("it accepted a change and shows the issue as it was")
	}
	return nil
}

func (e *edit) label(ctx context.Context, labels []string) *status.Failure {
	k := issueCall(e.repo, e.number, "/labels").posts(http.MethodPost, labels)
	return e.labels(ctx, k)
}

// unlabel removes a label. One that is not there any more is as asked.
func (e *edit) unlabel(ctx context.Context, label string) *status.Failure {
	k := issueCall(e.repo, e.number, "/labels").posts(http.MethodDelete, nil)
	k.class += "/{name}"
	k.path = append(k.path, label)
	rows, x, f := many[wireNamed](ctx, e.client, k)
	if f = connectors.Doubtful(x, f); f == nil {
		e.labelled(rows, x)
		e.off[label] = true
		return nil
	}
	if !goneAlready(x) {
		return f
	}
	read := issueCall(e.repo, e.number, "")
	read.fresh = true
	wire, again, lost := one[wireIssue](ctx, e.client, read)
	switch {
	case lost != nil || holds(namesOf(wire.Labels), label):
		return f
	case !shownBy(again)["labels"]:
		return again.Misshapen("labels")
	}
	e.now, e.seen, e.shows = wire, again, shownBy(again)
	return nil
}

// relabel puts a label back, if it was taken off.
func (e *edit) relabel(ctx context.Context, label string) *status.Failure {
	if !e.off[label] {
		return nil
	}
	return e.label(ctx, []string{label})
}

func (e *edit) unlabelAll(ctx context.Context, labels []string) *status.Failure {
	for _, l := range labels {
		if f := e.unlabel(ctx, l); f != nil {
			return f
		}
	}
	return nil
}

// labels sends a change of labels, which answers with all that the issue has.
func (e *edit) labels(ctx context.Context, k call) *status.Failure {
	rows, x, f := many[wireNamed](ctx, e.client, k)
	if f = connectors.Doubtful(x, f); f != nil {
		return f
	}
	e.labelled(rows, x)
	return nil
}

// labelled notes the labels that the issue has by now.
func (e *edit) labelled(rows []wireNamed, x *upstream.Exchange) {
	e.now.Labels, e.seen = rows, x
	e.shows["labels"] = true
}
