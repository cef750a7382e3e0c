package redmine

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// clocks is by how much the clock of Redmine and that of this machine may differ.
const clocks = time.Minute

func since(m connectors.Mark) time.Time { return m.Since.Add(-clocks) }

// sinceBy is since by the clock of Redmine, where an answer tells the time: what was
// made with the same words a moment before is then not taken for what m made.
func sinceBy(m connectors.Mark, x *upstream.Exchange) time.Time {
	there, err := http.ParseTime(x.Header.Get("Date"))
	if err != nil {
		return since(m)
	}
	const apart = 10 * time.Second // a proxy may tell the time, and have a clock of its own
	return m.Since.Add(there.Sub(x.At)).Add(-apart)
}

// Find looks for what an earlier attempt has left: an issue or comment by its
// author, its text and the time since when, a change by comparing. A listing that
// ends without it proves that it is not there.
func (w writer) Find(ctx context.Context, t connectors.WriteTrace) status.Result[connectors.Issue] {
	return connectors.Finder{
		Source: w.source, Settling: settling, Now: w.now, Create: w.findCreated, Comment: w.findComment, Update: w.findUpdate,
	}.Find(ctx, t)
}

// settling is for how long a change may still be under way after it was sent, though
// nobody waits for its answer any more. Redmine sets itself no limit; its own changes
// take seconds at most.
const settling = 15 * time.Second

func (w writer) findCreated(ctx context.Context, q connectors.IssueCreate) status.Result[connectors.Issue] {
	n, u := w.newIssue(ctx, q)
	if u != nil {
		return unread[connectors.Issue](w.source, u)
	}
	list := get("/projects/{id}/issues.json", "projects", n.home.identifier, "issues").with(url.Values{
		"author_id": {itoa(n.me.id)}, "status_id": {"*"}, "subproject_id": {"!*"}, "sort": {"created_on:desc,id:desc"},
		"created_on": {">=" + since(q.Mark).UTC().Format(time.RFC3339)},
	})
	list.fresh = true
	all := walk(ctx, w.client, lister[wireIssues, wireIssue]{list, func(w wireIssues) ([]wireIssue, wireListing) { return *w.Issues, w.wireListing }, numberOfIssue})
	for _, row := range all.rows {
		mine := row.Author.is(n.me.id) && row.Project.is(n.home.id) && row.CreatedOn != nil && !row.CreatedOn.Before(since(q.Mark))
		if mine && strings.TrimSpace(*row.Subject) == strings.TrimSpace(q.Title) && sameText(row.Description, q.Body) {
			return w.created(n, row, all.last)
		}
	}
	if all.gap != nil {
		return status.Failed[connectors.Issue](w.source, all.gap.With(status.Container.Is(n.home.identifier)))
	}
	a := w.audit(ctx, all.last)
	n.home.holdModule(a)
	a.Examined(len(all.rows))
	a.Hold(all.last.Proof(), status.Completeness, status.Effectiveness)
	return status.List[connectors.Issue](w.source, nil, a)
}

func (w writer) findComment(ctx context.Context, q connectors.CommentAdd) status.Result[connectors.Issue] {
	r, _, u := w.changeable(ctx, q.Ref.Number, "journals")
	if u != nil {
		return unread[connectors.Issue](w.source, u)
	}
	return w.commented(ctx, q, r, func() status.Result[connectors.Issue] { return w.notThere(ctx, r) })
}

// findUpdate compares: what is not whole yet is carried out again as far as it is
// missing, which does no harm to the rest.
func (w writer) findUpdate(ctx context.Context, q connectors.IssueUpdate) status.Result[connectors.Issue] {
	e, u := w.edit(ctx, q)
	if u != nil {
		return unread[connectors.Issue](w.source, u)
	}
	if e.fields == (changed{}) {
		return w.updated(e, e.before)
	}
	return w.notThere(ctx, e.before)
}

// notThere proves by an issue that was read that a change did not take effect.
func (w writer) notThere(ctx context.Context, r reading) status.Result[connectors.Issue] {
	a := w.audit(ctx, r.x)
	a.Hold(r.x.Proof(), status.Scope, status.Completeness, status.Effectiveness)
	return status.List[connectors.Issue](w.source, nil, a)
}
