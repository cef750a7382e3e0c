package github

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// clocks is by how much the clock of GitHub and that of this machine may differ.
const clocks = time.Minute

// Find looks for what an earlier attempt has left: an issue or comment by its
// mark, a change by comparing. A listing that ends without it proves that it is
// not there, once nothing can be under way any more.
func (w writer) Find(ctx context.Context, t connectors.WriteTrace) status.Result[connectors.Issue] {
	return connectors.Finder{
		Source: w.source, Settling: settling, Now: w.now, Create: w.findCreated, Comment: w.findComment, Update: w.findUpdate,
	}.Find(ctx, t)
}

func (w writer) findCreated(ctx context.Context, q connectors.IssueCreate) status.Result[connectors.Issue] {
	k, f := w.writable(ctx, q.Project)
	if f != nil {
		return status.Failed[connectors.Issue](w.source, *f)
	}
	list := repoCall(k.name, "/issues", "issues").with(url.Values{
		"state": {"all"}, "sort": {"created"}, "direction": {"desc"}, "since": {since(q.Mark)}, "per_page": {strconv.Itoa(pageSize)},
	})
	a := &status.Audit{}
	made, x, f := sought(ctx, w, seeking[wireIssue]{list, a, func(row wireIssue) bool {
		return row.PullRequest == nil && bears(row.Body, q.Mark.ID)
	}})
	switch {
	case f != nil:
		return status.Failed[connectors.Issue](w.source, f.With(status.Container.Is(k.name.String())))
	case made != nil:
		return w.created(*made, k, q, x)
	}
	k.holdTracker(a)
	a.Hold(x.Proof(), status.Effectiveness)
	return notThere(w.source, a)
}

func (w writer) findComment(ctx context.Context, q connectors.CommentAdd) status.Result[connectors.Issue] {
	t, lost := w.target(ctx, q.Ref)
	if lost != nil {
		return *lost
	}
	list := issueCall(t.repo, t.number, "/comments").with(url.Values{"since": {since(q.Mark)}, "per_page": {strconv.Itoa(pageSize)}})
	a := &status.Audit{}
	made, x, f := sought(ctx, w, seeking[wireComment]{list, a, func(row wireComment) bool { return bears(*row.Body, q.Mark.ID) }})
	switch {
	case f != nil:
		return status.Failed[connectors.Issue](w.source, t.named(*f))
	case made != nil:
		return w.commented(t, *made, x)
	}
	a.Hold(t.x.Proof(), status.Scope)
	a.Hold(x.Proof(), status.Effectiveness)
	return notThere(w.source, a)
}

// findUpdate compares. What is not whole yet is carried out again as far as it is
// missing, which does no harm to the rest.
func (w writer) findUpdate(ctx context.Context, q connectors.IssueUpdate) status.Result[connectors.Issue] {
	e, lost := w.edit(ctx, q)
	switch {
	case lost != nil:
		return *lost
	case e.done():
		return e.answer(ctx)
	}
	a := w.audit(ctx, e.seen)
	a.Hold(e.seen.Proof(), status.Scope, status.Completeness, status.Effectiveness)
	return notThere(w.source, a)
}

func since(m connectors.Mark) string { return m.Since.Add(-clocks).UTC().Format(time.RFC3339) }

// seeking is a listing in which one row is looked for.
type seeking[T upstream.Wire] struct {
	list  call
	audit *status.Audit
	is    func(T) bool
}

// sought walks a listing to the row that is looked for, or to its end, which the
// audit then holds. A listing that is too long, or goes in a circle, tells nothing.
func sought[T upstream.Wire](ctx context.Context, w writer, s seeking[T]) (*T, *upstream.Exchange, *status.Failure) {
	at := position{page: url.Values{}}
	query := s.list.query
	for range maxPages {
		k := s.list.with(at.onto(query))
		k.fresh, k.asked = true, names{}
		rows, x, f := many[T](ctx, w.client, k)
		if f != nil {
			return nil, x, f
		}
		w.hear(ctx, s.audit, x)
		s.audit.Examined(len(rows))
		for i := range rows {
			if s.is(rows[i]) {
				return &rows[i], x, nil
			}
		}
		next, more := nextPage(x.Header)
		if !more {
			s.audit.Hold(x.Proof(), status.Completeness)
			return nil, x, nil
		}
		onward, loop := at.onward(next)
		if at = onward; loop {
			f := status.Fail(status.CursorLoop)
			return nil, x, &f
		}
	}
	f := status.Fail(status.OwnCap, status.WasCalled, status.Limit.Is(maxPages*pageSize))
	return nil, nil, &f
}
