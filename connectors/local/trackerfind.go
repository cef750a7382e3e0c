package local

import (
	"context"
	"slices"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// Find looks for what an earlier attempt of a change left. A change of these
// files takes effect whole or not at all, and all of them are read, so that what
// is not there did not take effect.
func (t *fileTracker) Find(ctx context.Context, w connectors.WriteTrace) status.Result[connectors.Issue] {
	l, all, failure := t.open(ctx)
	if failure != nil {
		return t.failed(*failure)
	}
	defer l.close()
	if barred := l.barred(); barred != nil {
		return t.failed(*barred)
	}
	switch {
	case w.Create != nil:
		return t.findCreated(l, all, *w.Create)
	case w.Update != nil:
		return t.findUpdated(l, all, *w.Update)
	case w.Comment != nil:
		return t.findComment(l, all, *w.Comment)
	default:
		return t.failed(*unusable("trace", "names no change"))
	}
}

// nowhere is the answer where the change is not to be found.
func (t *fileTracker) nowhere(l *look, all ledger) status.Result[connectors.Issue] {
	return status.List[connectors.Issue](t.source, nil, t.proof(l, all))
}

// findCreated finds an issue with exactly that title and body, made since then.
func (t *fileTracker) findCreated(l *look, all ledger, w connectors.IssueCreate) status.Result[connectors.Issue] {
	title, failure := titled(w.Title)
	if failure != nil {
		return t.failed(*failure)
	}
	body := plainBody(w.Body)
	for _, r := range all.records {
		if !r.gone && r.issue.Title == title && !before(r.made, w.Mark.Since) && r.store.wrote(l, r, body) {
			return t.one(l, r, connectors.IssueGet{}, all, 0)
		}
	}
	return t.nowhere(l, all)
}

// before reports whether something whose time is known to at most a second is
// older than an instant.
func before(at, since time.Time) bool { return at.Before(since.Truncate(time.Second)) }

// findUpdated reports whether an issue is as a change would leave it.
func (t *fileTracker) findUpdated(l *look, all ledger, w connectors.IssueUpdate) status.Result[connectors.Issue] {
	w, failure := tidied(w)
	if failure != nil {
		return t.failed(*failure)
	}
	r, answer := t.pick(l, w.Ref, all)
	if answer != nil {
		return *answer
	}
	e, failure := r.store.revise(l, r, w)
	switch {
	case failure != nil:
		return t.failed(*failure)
	case string(e.was) == string(e.now):
		return t.one(l, r, connectors.IssueGet{}, all, 0)
	}
	return t.nowhere(l, all)
}

// findComment finds a comment with exactly that text, made since then.
func (t *fileTracker) findComment(l *look, all ledger, w connectors.CommentAdd) status.Result[connectors.Issue] {
	r, answer := t.pick(l, w.Ref, all)
	if answer != nil {
		return *answer
	}
	body, _ := markup.CleanMarkdown(plainBody(w.Body))
	body = plainEnds(body)
	i := slices.IndexFunc(r.issue.Thread, func(c connectors.Comment) bool {
		return plainEnds(c.Body) == body && c.CreatedAt != nil && !before(c.CreatedAt.Add(precision(*c.CreatedAt)), w.Mark.Since)
	})
	if i < 0 {
		return t.nowhere(l, all)
	}
	r.issue.Thread = r.issue.Thread[i : i+1]
	return t.one(l, r, connectors.IssueGet{Comments: true}, all, 0)
}

// precision is how much later than it is written something can have happened:
// Backlog.md writes days or minutes.
func precision(at time.Time) time.Duration {
	switch {
	case at.Equal(at.Truncate(24 * time.Hour)):
		return 24*time.Hour - time.Nanosecond
	case at.Equal(at.Truncate(time.Minute)):
		return time.Minute - time.Nanosecond
	default:
		return 0
	}
}
