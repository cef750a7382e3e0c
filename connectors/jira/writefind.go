package jira

import (
	"context"
	"net/http"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

const (
	// clocks is by how much the clock of Jira and that of this machine may differ.
	clocks = time.Minute
	// settling is for how long a change may still be under way after it was sent.
	settling = 12 * time.Second
	// findRows is how many objects one page of a search for what was written holds.
	findRows = 100
	// findPages bounds that search.
	findPages = 10
)

// Find looks for what an earlier attempt has left. An issue or comment is it if it
// was written by the account since then, says what was asked for, and bears the mark.
//
// Comments are listed, so that a listing without it proves that it is not there. An
// issue is searched, and Cloud's search runs behind (JR-17): as long as it may, the
// absence is not known.
func (w writer) Find(ctx context.Context, t connectors.WriteTrace) status.Result[connectors.Issue] {
	return connectors.Finder{
		Source: w.source, Settling: settling, Now: w.now, Create: w.findCreated, Comment: w.findComment, Update: w.findUpdate,
	}.Find(ctx, t)
}

func (w writer) findCreated(ctx context.Context, q connectors.IssueCreate) status.Result[connectors.Issue] {
	failed := func(f status.Failure) status.Result[connectors.Issue] {
		return status.Failed[connectors.Issue](w.source, f)
	}
	s, k, f := w.writable(ctx, q.Project)
	if f != nil {
		return failed(*f)
	}
	created := q.Mark.Since.Add(-clocks - zones).UTC().Format("2006-01-02 15:04")
	jql := "project = " + quote(k.key) + " AND creator = currentUser() AND created >= " + quote(created) + " ORDER BY created DESC"
	a := &status.Audit{}
	look := &seeker{tracker: w.tracker, srv: s, q: connectors.IssueQuery{Paging: connectors.Paging{Limit: findRows}}, plan: plan{jql: jql, project: k.key, clauses: 2}, audit: a}
	for range findPages {
		key, more, f := w.among(ctx, look, q)
		switch {
		case f != nil:
			return failed(f.With(status.Container.Is(k.key)))
		case key != "":
			return w.confirm(ctx, s, key, func(i wireWhole) string { return lacksOf(i, q.Title, q.Labels) })
		case !more:
			a.Hold(k.proof, status.Scope)
			a.Hold(look.last.Proof(), status.Effectiveness)
			w.lag(a, look, k, q.Mark)
			return status.List[connectors.Issue](w.source, nil, a)
		}
	}
	return failed(status.Fail(status.OwnCap, status.WasCalled, status.Limit.Is(findRows*findPages)))
}

// among looks through one page of the search. More tells that there is a further one,
// at which the seeker then stands.
func (w writer) among(ctx context.Context, look *seeker, q connectors.IssueCreate) (key string, more bool, f *status.Failure) {
	k := look.call()
	k.fresh = true
	page, x, f := one[wireFound](ctx, w.client, k)
	if f != nil {
		return "", false, f
	}
	if w.hear(look.audit, x); look.last == nil {
		w.identify(ctx, look.audit, x)
	}
	look.last = x
	look.audit.Examined(len(*page.Issues))
	for _, i := range *page.Issues {
		if !sameLine(*i.Fields.Summary, q.Title) {
			continue
		}
		is, f := w.bears(ctx, true, look.srv.get("/issue/{key}/properties/{name}", "issue", *i.Key, "properties", markName), q.Mark)
		if f != nil || is {
			return *i.Key, false, f
		}
	}
	next, more := look.onward(ctx, page, x)
	if next == nil {
		return "", false, x.Contradicts("a page of the search contradicts itself")
	}
	if look.at = *next; !more {
		look.audit.Hold(x.Proof(), status.Completeness)
	}
	return "", more, nil
}

// lag leaves the absence of an issue open as long as Cloud's search may be behind:
// after an attempt by the clock, else by what the project says of its last change.
func (w writer) lag(a *status.Audit, look *seeker, k container, m connectors.Mark) {
	if !look.srv.cloud {
		return
	}
	if m.Tried.IsZero() {
		if k.wire.Insight == nil || k.wire.Insight.Last.at() == nil {
			a.Unmade(status.Effectiveness, *look.last.Fail(status.Stale, status.After(indexLag), status.AgeSeconds.Is(int64(indexLag/time.Second))))
			return
		}
		look.upToDate(k)
		return
	}
	if left := m.Tried.Add(indexLag).Sub(look.last.At); left > 0 {
		a.Unmade(status.Effectiveness, *look.last.Fail(status.Stale, status.After(left), status.AgeSeconds.Is(int64(indexLag/time.Second))))
	}
}

// wireProperty is a property as it is read.
type wireProperty struct {
	Value *markValue `json:"value"`
}

func (w wireProperty) Missing() string { return upstream.Absent("value", w.Value == nil) }

// bears reports whether an object has the mark as its property. One that says the same
// and has no mark at all leaves open who made it: Jira may have dropped the property.
func (w writer) bears(ctx context.Context, same bool, k call, m connectors.Mark) (bool, *status.Failure) {
	k.fresh = true
	p, x, f := one[wireProperty](ctx, w.client, k)
	switch {
	case f == nil:
		return p.Value.Mark == "frank:"+m.ID, nil
	case x == nil || x.Status != http.StatusNotFound || f.Reason() != status.AbsentOrHidden:
		return false, f
	case same:
		return false, x.Contradicts("there is one that says the same and bears no mark")
	}
	return false, nil
}

func (w writer) findComment(ctx context.Context, q connectors.CommentAdd) status.Result[connectors.Issue] {
	t, lost := w.target(ctx, q.Ref)
	if lost != nil {
		return *lost
	}
	a := &status.Audit{}
	var last *upstream.Exchange
	start, total := 0, 0
	for range findPages {
		c, x, f := w.commentPage(ctx, t.server, commentsAt{t.key, start, findRows, true})
		if f != nil {
			return status.Failed[connectors.Issue](w.source, t.named(*f))
		}
		if *c.Total < total {
			return status.Failed[connectors.Issue](w.source, t.named(*shrank(x)))
		}
		total = *c.Total
		if w.hear(a, x); last == nil {
			w.identify(ctx, a, x)
		}
		last = x
		a.Examined(len(*c.Comments))
		for _, one := range *c.Comments {
			is, f := w.ours(ctx, t, one, q)
			if f != nil {
				return status.Failed[connectors.Issue](w.source, t.named(*f))
			}
			if is {
				return w.commented(t, one, q, x)
			}
		}
		if start += len(*c.Comments); start >= *c.Total {
			a.Hold(t.x.Proof(), status.Scope)
			a.Hold(x.Proof(), status.Completeness, status.Effectiveness)
			return status.List[connectors.Issue](w.source, nil, a)
		}
	}
	return status.Failed[connectors.Issue](w.source, t.named(status.Fail(status.OwnCap, status.WasCalled, status.Limit.Is(findRows*findPages))))
}

// ours reports whether a comment is the one that an earlier attempt has written.
func (w writer) ours(ctx context.Context, t target, c wireComment, q connectors.CommentAdd) (bool, *status.Failure) {
	since := q.Mark.Since.Add(-clocks)
	if c.Created.at() == nil || c.Created.Before(since) {
		return false, nil
	}
	id, f := w.who(ctx)
	if f != nil || c.Author == nil || c.Author.handle(t.server) != id.id {
		return false, f
	}
	return w.bears(ctx, sameText(c.Body, t.server.prose(q.Body)), t.server.get("/comment/{id}/properties/{name}", "comment", *c.ID, "properties", markName), q.Mark)
}

// findUpdate compares. What is not whole yet is carried out again as far as it is
// missing, which does no harm to the rest.
func (w writer) findUpdate(ctx context.Context, q connectors.IssueUpdate) status.Result[connectors.Issue] {
	e, lost := w.edit(ctx, q)
	if lost != nil {
		return *lost
	}
	if e.lacks(e.wire) == "" {
		return w.confirm(ctx, e.server, e.key, e.lacks)
	}
	a := w.audit(ctx, e.x)
	a.Hold(e.x.Proof(), status.Scope, status.Completeness, status.Effectiveness)
	return status.List[connectors.Issue](w.source, nil, a)
}
