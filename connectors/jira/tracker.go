package jira

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

const (
	defaultLimit = 20
	maxLimit     = 100 // more is cut silently by Jira (JR-12)
)

// tracker answers questions about issues.
type tracker struct{ *client }

// Search asks by JQL. Its order is that of the last change, unless the native query
// has one of its own.
func (t tracker) Search(ctx context.Context, q connectors.IssueQuery) status.Result[connectors.Issue] {
	failed := func(f *status.Failure) status.Result[connectors.Issue] {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	p, f := t.plan(q)
	if f != nil {
		return failed(f)
	}
	at, f := t.position(q.Cursor)
	if f != nil {
		return failed(f)
	}
	if f = t.nobodyIs(q); f != nil {
		return failed(f)
	}
	srv, f := t.which(ctx)
	if f != nil {
		return failed(f)
	}
	s := &seeker{tracker: t, srv: srv, q: q, plan: p, at: at, audit: &status.Audit{}}
	if f = s.run(ctx); f == nil {
		s.audit.Examined(s.examined)
		s.judge()
		f = s.prove(ctx)
	}
	if f != nil {
		return failed(f)
	}
	return status.List(t.source, s.items, s.audit)
}

// nobodyIs: without a credential there is no account that @me could be.
func (t tracker) nobodyIs(q connectors.IssueQuery) *status.Failure {
	if t.anonymous() && (q.Assignee == "@me" || q.Author == "@me") {
		f := status.Fail(status.AuthContextRequired, status.By(t.source))
		return &f
	}
	return nil
}
