package redmine

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// links adds relations, the issue above and those below. Each is told with title,
// state and project as the listing shows them; what the listing does not show is
// hidden, and told by its number alone.
func (t tracker) links(ctx context.Context, a *status.Audit, item *connectors.Issue, r reading) {
	t.limits(ctx, a, noteLinks)
	lack := func(f *status.Failure) {
		if f != nil {
			a.Unmade(status.Completeness, f.With(status.Part.Is("links")))
		}
	}
	relations, f := t.relations(ctx, a, r)
	lack(f)
	kinds := map[int]string{}
	for _, w := range relations {
		kind, other := relationOf(w, *r.wire.ID)
		kinds[other] = kind
	}
	if p := r.wire.Parent; p != nil && p.ID != nil {
		kinds[*p.ID] = "parent"
	}
	var ids []string
	for id := range kinds {
		ids = append(ids, itoa(id))
	}
	slices.Sort(ids)
	var rows []wireIssue
	if len(ids) > 0 {
		rows, f = t.rows(ctx, a, url.Values{"issue_id": {strings.Join(ids, ",")}})
		lack(f)
		rows = slices.DeleteFunc(rows, func(w wireIssue) bool { return kinds[*w.ID] == "" })
	}
	children, f := t.rows(ctx, a, url.Values{"parent_id": {itoa(*r.wire.ID)}})
	lack(f)
	for _, w := range children {
		if w.Parent.is(*r.wire.ID) && kinds[*w.ID] == "" {
			kinds[*w.ID] = "child"
			rows = append(rows, w)
		}
	}
	t.link(ctx, item, rows, kinds)
}

// link adds the links, of which rows shows some.
func (t tracker) link(ctx context.Context, item *connectors.Issue, rows []wireIssue, kinds map[int]string) {
	s := scrub{removed: item.Removed}
	shown := t.items(ctx, rows, container{})
	for i, other := range shown {
		id := *rows[i].ID
		item.Links = append(item.Links, connectors.Link{
			Type: kinds[id], Ref: other.Ref, Title: other.Title, URL: other.URL, State: other.State, Container: other.Container,
		})
		s.removed += other.Removed
		delete(kinds, id)
	}
	for id, kind := range kinds {
		item.Links = append(item.Links, connectors.Link{Type: kind, Ref: "#" + itoa(id), URL: t.web("issues", itoa(id))})
	}
	slices.SortFunc(item.Links, func(a, b connectors.Link) int {
		if c := strings.Compare(a.Type, b.Type); c != 0 {
			return c
		}
		return strings.Compare(a.Ref, b.Ref)
	})
	item.Removed = s.removed
}

// relations of an issue. Redmine leaves the key out where there is none; then the
// list of relations itself says so. RM-14.
func (t tracker) relations(ctx context.Context, a *status.Audit, r reading) ([]wireRelation, *status.Failure) {
	if r.wire.Relations != nil {
		return *r.wire.Relations, nil
	}
	w, x, f := one[wireRelations](ctx, t.client, get("/issues/{id}/relations.json", "issues", itoa(*r.wire.ID), "relations"))
	if f != nil {
		return nil, f
	}
	t.hear(ctx, a, x)
	return *w.Relations, nil
}

// relationOf names a relation as it is seen from the issue here.
func relationOf(w wireRelation, here int) (kind string, other int) {
	if *w.From == here {
		return w.Type, *w.To
	}
	turned := map[string]string{
		"duplicates": "duplicated", "duplicated": "duplicates", "blocks": "blocked", "blocked": "blocks",
		"precedes": "follows", "follows": "precedes", "copied_to": "copied_from", "copied_from": "copied_to",
	}
	if k, ok := turned[w.Type]; ok {
		return k, *w.From
	}
	return w.Type, *w.From
}

// rows are up to a page of issues in any state and project.
func (t tracker) rows(ctx context.Context, a *status.Audit, q url.Values) ([]wireIssue, *status.Failure) {
	q.Set("status_id", "*")
	w, x, f := one[wireIssues](ctx, t.client, get("/issues.json", "issues").with(part(q, 0, maxLimit)))
	if f != nil {
		return nil, f
	}
	t.hear(ctx, a, x)
	end, f := page{rows: len(*w.Issues), listing: w.wireListing, x: x}.ends()
	if f == nil && !end {
		f = x.Fail(status.OwnCap, status.Limit.Is(maxLimit))
	}
	return *w.Issues, f
}
