package redmine

import (
	"context"
	"net/http"
	"slices"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// put sends a change of one issue. Redmine answers with nothing at all.
func (w writer) put(ctx context.Context, number int, fields changed) *status.Failure {
	k := call{
		method: http.MethodPut, class: "PUT /issues/{id}.json", path: []string{"issues", itoa(number)},
		statuses: []int{http.StatusNoContent}, body: wireChange{fields}, silent: true,
	}
	x, f := w.send(ctx, k)
	if f = connectors.Doubtful(x, w.refused(x, f)); f != nil {
		named := f.With(status.Reference.Is("#" + itoa(number)))
		return &named
	}
	return nil
}

// back reads an issue after a change. If that fails nobody knows what came of it.
func (w writer) back(ctx context.Context, number int, include ...string) (reading, *status.Failure) {
	r, u := w.read(ctx, number, include, true)
	switch {
	case u == nil:
		return r, nil
	case u.failure != nil:
		return r, connectors.Unsure(*u.failure)
	}
	f := status.Fail(status.Contradictory, status.Marker.Is("the issue is gone after it was changed"), status.Reference.Is("#"+itoa(number)))
	return r, connectors.Unsure(f)
}

// changeable reads the issue that is to be changed.
func (w writer) changeable(ctx context.Context, number int, include ...string) (reading, container, *unfound) {
	if number <= 0 {
		return reading{}, container{}, stop(w.badArgument("ref", "must name an issue by its number, such as #12"))
	}
	if w.anonymous() {
		f := status.Fail(status.AuthContextRequired, status.By(w.source))
		return reading{}, container{}, stop(&f)
	}
	if _, f := w.proved(ctx); f != nil {
		return reading{}, container{}, stop(f)
	}
	r, u := w.read(ctx, number, include, true)
	if u != nil {
		return r, container{}, u
	}
	k, _, f := w.visible(ctx, itoa(*r.wire.Project.ID))
	if f == nil && k.status == projectClosed {
		off := w.closedProject(k)
		f = &off
	}
	if f != nil {
		return r, k, stop(f)
	}
	return r, k, nil
}

// Comment adds a comment. Those that were there before are read first: one with the
// same words, of a minute ago, is not what was added now.
func (w writer) Comment(ctx context.Context, q connectors.CommentAdd) status.Result[connectors.Issue] {
	r, _, u := w.changeable(ctx, q.Ref.Number, "journals")
	if u != nil {
		return unread[connectors.Issue](w.source, u)
	}
	if f := w.put(ctx, q.Ref.Number, changed{Notes: q.Body}); f != nil {
		return status.Failed[connectors.Issue](w.source, f.With(status.Container.Is(r.home)))
	}
	after, f := w.back(ctx, q.Ref.Number, "journals")
	if f != nil {
		return status.Failed[connectors.Issue](w.source, f.With(status.Container.Is(r.home)))
	}
	return w.commented(ctx, q, after.since(r), func() status.Result[connectors.Issue] {
		return status.Failed[connectors.Issue](w.source, status.Fail(status.ScopeMissing, status.WasCalled, status.Container.Is(r.home),
			status.MissingScope.Is("a role with “Add notes”; Redmine dropped the comment"), status.Reference.Is("#"+itoa(q.Ref.Number))))
	})
}

// since is the issue with those of its journals alone that it had not before.
func (r reading) since(before reading) reading {
	if r.wire.Journals == nil || before.wire.Journals == nil {
		return r
	}
	added := slices.DeleteFunc(slices.Clone(*r.wire.Journals), func(j wireJournal) bool {
		return slices.ContainsFunc(*before.wire.Journals, func(old wireJournal) bool { return *old.ID == *j.ID })
	})
	r.wire.Journals = &added
	return r
}

// commented answers with the issue and the comment alone, if it is there.
func (w writer) commented(ctx context.Context, q connectors.CommentAdd, r reading, none func() status.Result[connectors.Issue]) status.Result[connectors.Issue] {
	if r.wire.Journals == nil {
		return status.Failed[connectors.Issue](w.source, *connectors.Unsure(*r.x.Misshapen("journals")))
	}
	id, f := w.who(ctx)
	if f != nil {
		return status.Failed[connectors.Issue](w.source, *connectors.Unsure(*f))
	}
	for _, j := range *r.wire.Journals {
		if !j.User.is(id.id) || !sameText(j.Notes, q.Body) || j.CreatedOn == nil || j.CreatedOn.Before(sinceBy(q.Mark, r.x)) {
			continue
		}
		item := w.issue(r.wire, r.home)
		s := scrub{removed: item.Removed}
		brief := connectors.Issue{Origin: item.Origin, State: item.State, Thread: []connectors.Comment{w.comment(r.wire, j, &s)}}
		brief.Removed = s.removed
		return status.One(w.source, brief, w.confirmed(r.x))
	}
	return none()
}
