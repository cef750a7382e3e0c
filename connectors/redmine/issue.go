package redmine

import (
	"context"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// issue is an issue as listings show it. Its state is the status that the tracker
// itself names, and its only label is its category.
func (c *client) issue(w wireIssue, home string) connectors.Issue {
	var s scrub
	out := connectors.Issue{
		Origin: connectors.Origin{
			Source: c.source, Container: home, Ref: "#" + itoa(*w.ID), URL: c.web("issues", itoa(*w.ID)),
			Title: s.line(*w.Subject), UpdatedAt: w.UpdatedOn,
		},
		State: s.line(w.Status.Name), Type: s.line(nameOf(w.Tracker)), Priority: s.line(nameOf(w.Priority)), Author: s.line(nameOf(w.Author)),
		Assignees: s.optional(w.AssignedTo), Labels: s.optional(w.Category), Milestone: s.line(nameOf(w.Version)),
		CreatedAt: w.CreatedOn, ClosedAt: w.ClosedOn,
	}
	out.Removed = s.removed
	return out
}

// whole adds what a listing leaves out: the text and the custom fields by name.
func (c *client) whole(item connectors.Issue, w wireIssue) connectors.Issue {
	s := scrub{removed: item.Removed}
	item.Body = s.text(w.Description)
	for _, f := range w.Fields {
		if value := strings.Join(f.values(), ", "); value != "" {
			item.Fields = append(item.Fields, connectors.NamedValue{Name: s.line(f.Name), Value: s.text(value)})
		}
	}
	item.Removed = s.removed
	return item
}

// items are rows as listings show them, each with the project it lies in.
func (c *client) items(ctx context.Context, rows []wireIssue, k container) []connectors.Issue {
	var ids []int
	for _, w := range rows {
		if !w.Project.is(k.id) {
			ids = append(ids, *w.Project.ID)
		}
	}
	homes := c.homesOf(ctx, ids)
	if k.id != 0 {
		homes[k.id] = k.identifier
	}
	var out []connectors.Issue
	for _, w := range rows {
		out = append(out, c.issue(w, homes[*w.Project.ID]))
	}
	return out
}

// listStatuses are the statuses of this Redmine, in their order.
func (c *client) listStatuses(ctx context.Context) ([]wireStatus, *status.Failure) {
	key := c.up.Fingerprint(ctx)
	if all, ok := c.statuses.Get(key); ok {
		return all, nil
	}
	w, x, f := one[wireStatuses](ctx, c, get("/issue_statuses.json", "issue_statuses"))
	if f != nil {
		return nil, f
	}
	if x.Stale() == nil {
		c.statuses.Put(key, *w.Statuses)
	}
	return *w.Statuses, nil
}

// closed tells whether an issue is closed; nil if nobody says.
func (c *client) closed(ctx context.Context, s *wireStatus) *bool {
	if s.Closed != nil {
		return s.Closed
	}
	all, f := c.listStatuses(ctx)
	if f != nil {
		return nil
	}
	for _, known := range all {
		if *known.ID == *s.ID {
			return known.Closed
		}
	}
	return nil
}
