package redmine

import (
	"context"
	"slices"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// edit is a change of one issue: how it was, and what is to be set.
type edit struct {
	asked  connectors.IssueUpdate
	before reading
	home   container
	fields changed
}

// Update changes an issue, all in one request, and reads it back: Redmine drops a
// status that the workflow does not allow without a word.
func (w writer) Update(ctx context.Context, q connectors.IssueUpdate) status.Result[connectors.Issue] {
	e, u := w.edit(ctx, q)
	if u != nil {
		return unread[connectors.Issue](w.source, u)
	}
	if e.fields == (changed{}) { // all is as asked
		return w.updated(e, e.before)
	}
	if f := w.put(ctx, q.Ref.Number, e.fields); f != nil {
		return status.Failed[connectors.Issue](w.source, f.With(status.Container.Is(e.home.identifier)))
	}
	after, f := w.back(ctx, q.Ref.Number)
	if f != nil {
		return status.Failed[connectors.Issue](w.source, f.With(status.Container.Is(e.home.identifier)))
	}
	return w.updated(e, after)
}

// updated answers with the issue as it was read back.
func (w writer) updated(e edit, r reading) status.Result[connectors.Issue] {
	a := w.confirmed(r.x)
	missing, whole := w.compare(e.fields, &e.before.wire, r.wire)
	if whole {
		return status.Failed[connectors.Issue](w.source, missing[0].With(status.Reference.Is("#"+itoa(*r.wire.ID)), status.Container.Is(e.home.identifier)))
	}
	for _, f := range missing {
		a.Fail(status.Completeness, f.With(status.Container.Is(e.home.identifier)))
	}
	return status.One(w.source, brief(w.whole(w.issue(r.wire, r.home), r.wire)), a)
}

// edit reads the issue and finds out what of the change is left to do.
func (w writer) edit(ctx context.Context, q connectors.IssueUpdate) (edit, *unfound) {
	e := edit{asked: q}
	var u *unfound
	if e.before, e.home, u = w.changeable(ctx, q.Ref.Number, "allowed_statuses"); u != nil {
		return e, u
	}
	now := e.before.wire
	if q.Title != nil && *q.Title != *now.Subject {
		e.fields.Subject = q.Title
	}
	if q.Body != nil && !sameText(*q.Body, now.Description) {
		e.fields.Description = q.Body
	}
	f := w.recategorize(&e)
	if f == nil && q.Assignees != nil {
		f = w.reassign(ctx, &e)
	}
	if f == nil && q.State != "" {
		e.fields.Status, f = w.transition(ctx, q.State, now)
	}
	if f != nil {
		named := f.With(status.Reference.Is("#"+itoa(q.Ref.Number)), status.Container.Is(e.home.identifier))
		return e, stop(&named)
	}
	return e, nil
}

// reassign sets the assignee, if it is to be another.
func (w writer) reassign(ctx context.Context, e *edit) *status.Failure {
	me, f := w.who(ctx)
	if f != nil {
		return f
	}
	p := plan{tracker: w.tracker, home: e.home, me: me, chooses: true}
	to, f := p.oneAssignee(ctx, *e.asked.Assignees)
	if f == nil && *to != numberOf(e.before.wire.AssignedTo) {
		e.fields.Assignee = to
	}
	return f
}

// recategorize sets the one category that stands for labels. One that is there is
// replaced only if it is to be removed.
func (w writer) recategorize(e *edit) *status.Failure {
	now := nameOf(e.before.wire.Category)
	removed := slices.ContainsFunc(e.asked.RemoveLabels, func(l string) bool { return now != "" && markup.Fold(l) == markup.Fold(now) })
	to, f := w.oneCategory(e.home, "add_labels", e.asked.AddLabels)
	switch {
	case f != nil:
		return f
	case to != nil && *to == numberOf(e.before.wire.Category):
	case to != nil && now != "" && !removed:
		return w.badArgument("add_labels", "an issue of Redmine has one category, and this one has another; name that in remove_labels")
	case to != nil:
		e.fields.Category = to
	case removed:
		none := ""
		e.fields.Category = &none
	}
	return nil
}

// transition is the number of the status that leads to the state; zero if the issue
// is in it. A state that the account cannot reach from here is answered with those
// that it can.
func (w writer) transition(ctx context.Context, state string, now wireIssue) (int, *status.Failure) {
	if markup.Fold(state) == markup.Fold(now.Status.Name) {
		return 0, nil
	}
	wanted := func(s wireStatus) bool { return markup.Fold(s.Name) == markup.Fold(state) }
	if state == "open" || state == "closed" {
		if is := w.closed(ctx, now.Status); is != nil && *is == (state == "closed") {
			return 0, nil
		}
		wanted = func(s wireStatus) bool {
			is := w.closed(ctx, &s)
			return is != nil && *is == (state == "closed")
		}
	}
	reachable := now.Allowed
	if reachable == nil { // before Redmine 5.0; whether it was taken shows when it is read back
		all, f := w.listStatuses(ctx)
		if f != nil {
			return 0, f
		}
		reachable = &all
	}
	var fits, names []string
	id := 0
	for _, s := range *reachable {
		if s.Missing() != "" || *s.ID == *now.Status.ID {
			continue
		}
		names = append(names, s.Name)
		if wanted(s) {
			fits, id = append(fits, s.Name), *s.ID
		}
	}
	if len(fits) == 1 {
		return id, nil
	}
	if len(fits) > 1 {
		names = fits
	}
	return 0, connectors.Choice("state", "must be one of the states that this account can reach from "+now.Status.Name, names,
		status.By(w.source), status.WasCalled, status.Filter.Is("state "+state))
}
