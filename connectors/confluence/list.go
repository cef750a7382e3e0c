package confluence

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// List lists the pages of a space, those below a parent, or, without either, the
// spaces that the account sees.
func (d documents) List(ctx context.Context, q connectors.PageList) status.Result[connectors.Page] {
	at, f := d.place(q.Cursor)
	if f != nil {
		return d.stop(f)
	}
	s, f := d.look(ctx)
	if f != nil {
		return d.stop(f)
	}
	in, f := d.within(ctx, s, q.Space)
	if f != nil {
		return d.stop(f)
	}
	l := listing{documents: d, site: s, in: in, at: at, limit: q.Limit, audit: &status.Audit{}}
	switch {
	case q.Parent != "":
		return l.below(ctx, q.Parent, q.Space != "" && q.Space != connectors.Everywhere)
	case in.key == "":
		return l.all(ctx)
	}
	return l.inside(ctx)
}

// listing is one listing under way.
type listing struct {
	documents
	site  site
	in    space
	at    position
	limit int
	audit *status.Audit
	pages []connectors.Page
}

func (l *listing) told() status.Result[connectors.Page] {
	l.bounded(l.audit)
	return status.List(l.source, l.pages, l.audit)
}

// spaceList asks for a page of the spaces.
func (d documents) spaceList(ctx context.Context, s site, at position, limit int) (answer[wireList[wireSpace]], *status.Failure) {
	q := question{class: "GET /rest/api/space", path: "/rest/api/space", values: url.Values{"limit": {strconv.Itoa(limit)}}}
	if s.cloud {
		q.class, q.path = "GET /api/v2/spaces", "/api/v2/spaces"
	}
	at.set(q.values)
	return ask[wireList[wireSpace]](ctx, d.client, q)
}

// all lists the spaces.
func (l *listing) all(ctx context.Context) status.Result[connectors.Page] {
	a, f := l.spaceList(ctx, l.site, l.at, l.limit)
	f = outdated(l.at, a.x, f)
	if f == nil && a.body.Results == nil {
		f = a.x.Misshapen("results")
	}
	if f == nil {
		if key := upstream.MissingIn("results", *a.body.Results); key != "" {
			f = a.x.Misshapen(key)
		}
	}
	if f != nil {
		return l.stop(f)
	}
	l.hear(l.audit, l.site, a.x)
	l.audit.Hold(l.site.proof, status.Scope)
	l.audit.Hold(a.x.AskedProof(), status.Effectiveness) // there is no filter
	l.audit.Examined(len(*a.body.Results))
	for _, w := range *a.body.Results {
		l.pages = append(l.pages, l.spaceItem(w))
	}
	next(l.audit, a.x, a.body.Links, l.at)
	return l.told()
}

// spaceItem is a space as listings show it. It is read as its homepage.
func (l *listing) spaceItem(w wireSpace) connectors.Page {
	link := l.base + "/display/" + url.PathEscape(w.Key)
	if l.site.cloud {
		link = l.base + "/spaces/" + url.PathEscape(w.Key)
	}
	title, removed := markup.Clean(w.Name)
	p := connectors.Page{Origin: connectors.Origin{
		Source: l.source, Ref: link, URL: link, Title: markup.Line(title, maxTitle), Container: w.Key, Removed: removed.Total(),
	}, Space: w.Key, Format: "space"}
	if (space{status: w.Status}).archived() {
		p.State = "archived"
	}
	return p
}

// inside lists the pages of a space.
func (l *listing) inside(ctx context.Context) status.Result[connectors.Page] {
	q := question{
		class: "GET /rest/api/content", path: "/rest/api/content",
		values: url.Values{"spaceKey": {l.in.key}, "type": {"page"}, "expand": {"version,space"}, "limit": {strconv.Itoa(l.limit)}},
	}
	if l.site.cloud { // CF-13: archived pages are in it, unless a status is asked for
		q = question{
			class: "GET /api/v2/spaces/{id}/pages", path: "/api/v2/spaces/" + url.PathEscape(l.in.id) + "/pages",
			values: url.Values{"limit": {strconv.Itoa(l.limit)}},
		}
	}
	l.audit.Uncovered(noteOthers)
	l.audit.Uncovered(noteDrafts)
	return l.contents(ctx, q)
}

// contents lists what a question asks for.
func (l *listing) contents(ctx context.Context, q question) status.Result[connectors.Page] {
	l.at.set(q.values)
	a, f := ask[wireList[wireContent]](ctx, l.client, q)
	f = outdated(l.at, a.x, f)
	if f == nil {
		f = listed(a)
	}
	if f != nil {
		return l.stop(f)
	}
	l.hear(l.audit, l.site, a.x)
	l.audit.Hold(l.in.proof, status.Scope)
	l.audit.Examined(len(*a.body.Results))
	l.take(ctx, a)
	next(l.audit, a.x, a.body.Links, l.at)
	return l.told()
}

// take keeps the pages of the space. What else lies among them is counted. CF-14.
func (l *listing) take(ctx context.Context, a answer[wireList[wireContent]]) {
	odd, others := 0, map[string]int{}
	var unplaced *status.Failure
	for _, w := range *a.body.Results {
		switch {
		case (w.SpaceID != "" || w.key() != "") && !inSpace(w, l.in):
			odd++
			continue
		case !w.isPage():
			others[kind(w.Type)]++
			continue
		}
		key, f := l.keyed(ctx, w, l.in)
		if f != nil {
			unplaced = f
		}
		if key == "" && f == nil { // a child that does not say where it is lies where its parent does
			key = l.in.key
		}
		l.pages = append(l.pages, l.item(l.site, w, key, a.body.Links.Base))
	}
	switch {
	case odd > 0:
		l.audit.Fail(status.Effectiveness, *misplaced(a.x, odd))
	case unplaced != nil:
		l.audit.Fail(status.Effectiveness, *unplaced)
	default:
		l.audit.Hold(a.x.AskedProof(), status.Effectiveness)
	}
	if len(others) > 0 {
		l.audit.Fail(status.Effectiveness, *a.x.Fail(status.ContentNotIncluded, status.Part.Is("what lies below it and is no page"), status.Skipped.Is(others),
			status.Fallback("open the page in a browser")))
	}
}

// below lists the pages right below a page, which is read first: it proves where they
// lie, and that an empty list is that of a page that is there. explicit tells that the
// space was named in the question.
func (l *listing) below(ctx context.Context, parent string, explicit bool) status.Result[connectors.Page] {
	r, err := ref.Parse(parent)
	if err != nil || r.URL() != "" && !l.owns(r) {
		return l.stop(l.badArgument("parent", "must be the link, number or title of a page of this source"))
	}
	w, f := l.want(r)
	if f == nil {
		f = l.settle(ctx, r)
	}
	if f != nil {
		return l.stop(f)
	}
	if w.id == "" && w.space == "" {
		w.space = l.in.key
	}
	p, stop := l.locate(ctx, l.site, w)
	if stop != nil {
		return *stop
	}
	if explicit && !strings.EqualFold(l.in.key, p.key) {
		return l.stop(l.badArgument("parent", "lies in another space than the one that is asked for; leave space out"))
	}
	l.in = space{key: p.key, id: string(p.SpaceID), proof: p.x.AskedProof()}
	q := question{
		class: "GET /rest/api/content/{id}/child/page", path: "/rest/api/content/" + url.PathEscape(string(p.ID)) + "/child/page",
		values: url.Values{"expand": {"version,space"}, "limit": {strconv.Itoa(l.limit)}},
	}
	if l.site.cloud {
		q = question{
			class: "GET /api/v2/pages/{id}/direct-children", path: "/api/v2/pages/" + url.PathEscape(string(p.ID)) + "/direct-children",
			values: url.Values{"limit": {strconv.Itoa(l.limit)}},
		}
		l.audit.Uncovered(noteChildren)
	}
	l.audit.Uncovered(noteDrafts)
	return l.contents(ctx, q)
}
