package redmine

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// tracker answers questions about issues.
type tracker struct{ *client }

var _ connectors.Tracker = tracker{}

// Search lists issues. Without a text the listing answers, newest change first.
// With one, Redmine's search answers: it finds the text as it stands in title,
// description, comments and searchable custom fields, newest issue first, and has
// no index that could lag behind. Redmine has no query language and no labels; an
// issue's category is taken for its one label.
func (t tracker) Search(ctx context.Context, q connectors.IssueQuery) status.Result[connectors.Issue] {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	if q.Native != "" {
		return status.Failed[connectors.Issue](t.source, t.unsupported("a query language of its own (native_query)"))
	}
	offset, f := t.offset(q.Cursor)
	var words phrase
	if f == nil && q.Text != "" {
		words, f = t.phraseOf(q.Text)
	}
	if f != nil {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	p, u := t.plan(ctx, q)
	if u != nil {
		return unread[connectors.Issue](t.source, u)
	}
	if q.Text != "" {
		return t.search(ctx, &seek{plan: p, phrase: words, audit: &status.Audit{}, offset: offset})
	}
	return t.list(ctx, p, offset)
}

// list answers from the listing of one project, or of all that the account sees.
func (t tracker) list(ctx context.Context, p plan, offset int) status.Result[connectors.Issue] {
	w, x, f := one[wireIssues](ctx, t.client, p.listing().with(part(p.query(), offset, p.asked.Limit)))
	if f != nil {
		return status.Failed[connectors.Issue](t.source, p.named(*f))
	}
	rows := *w.Issues
	a := t.audit(ctx, x)
	page{offset: offset, rows: len(rows), listing: w.wireListing, x: x}.settle(a)
	a.Examined(len(rows))
	rows, f = once(x, rows, numberOfIssue)
	if f != nil {
		a.Fail(status.Completeness, *f)
	}
	p.prove(ctx, a, x)
	return status.List(t.source, t.items(ctx, p.sift(ctx, a, rows), p.home), a)
}
