package github

import (
	"context"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// defaultLimit stands in where the caller set none.
const (
	defaultLimit = 20
	maxLimit     = 100 // more is cut silently by GitHub (GH-38)
)

// tracker answers questions about issues. Pull requests are left out.
type tracker struct{ *client }

// Search asks the listing of the repository where that can answer: it is always
// up to date. Text, native queries and questions over several repositories need
// the search, which has an index, caps and a rate limit of its own.
func (t tracker) Search(ctx context.Context, q connectors.IssueQuery) status.Result[connectors.Issue] {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	if q.State == "" {
		q.State = "all" // GH-40
	}
	r, single := parseRepo(q.Project)
	if q.Text != "" || q.Native != "" || !single || strings.Contains(strings.Join(q.Labels, ""), ",") {
		return t.search(ctx, q)
	}
	f := t.me(ctx, &q)
	if f != nil {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	return t.list(ctx, r, q)
}

// me puts the account's login in the place of @me, which only the search knows.
func (t tracker) me(ctx context.Context, q *connectors.IssueQuery) *status.Failure {
	if q.Author != "@me" && q.Assignee != "@me" {
		return nil
	}
	if t.anonymous() {
		f := status.Fail(status.AuthContextRequired, status.By(t.source))
		return &f
	}
	id, f := t.who(ctx)
	if f == nil && id.login == "" {
		f = t.badArgument("assignee", "@me has no meaning for the installation of an application")
	}
	if f != nil {
		return f
	}
	for _, who := range []*string{&q.Author, &q.Assignee} {
		if *who == "@me" {
			*who = id.login
		}
	}
	return nil
}
