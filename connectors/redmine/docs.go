package redmine

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// documents answers for the pages of the wikis, of which each project has one.
type documents struct{ *client }

var _ connectors.Docs = documents{}

// space is the project whose wiki is meant; empty for those of all projects.
func (d documents) space(asked string) (string, *status.Failure) {
	if asked == "" {
		asked = d.project
	}
	if asked == connectors.Everywhere {
		return "", nil
	}
	if asked != "" && !isProject(asked) {
		return "", d.badArgument("space", "must be the identifier of a project, as it stands in its address")
	}
	return asked, nil
}

// Search finds a literal text in titles and texts of pages, in one project or in
// all that the account sees. Redmine looks at the pages themselves, so that there
// is no index that could lag behind.
func (d documents) Search(ctx context.Context, q connectors.PageQuery) status.Result[connectors.Page] {
	failed := func(f *status.Failure) status.Result[connectors.Page] {
		return status.Failed[connectors.Page](d.source, *f)
	}
	offset, f := d.offset(q.Cursor)
	if f != nil {
		return failed(f)
	}
	words, f := d.phraseOf(q.Text)
	if f != nil {
		return failed(f)
	}
	name, f := d.space(q.Space)
	if f != nil {
		return failed(f)
	}
	if _, f := d.proved(ctx); f != nil { // RM-01
		return failed(f)
	}
	var k container
	if name != "" {
		var u *unfound
		if k, u = d.enabled(ctx, name, moduleWiki); u != nil {
			return unread[connectors.Page](d.source, u)
		}
	}
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	find := searching(k, "wiki_pages", words)
	w, x, f := one[wireHits](ctx, d.client, find.with(part(find.query, offset, min(q.Limit, maxLimit))))
	if f != nil {
		return failed(d.named(*f, k))
	}
	a := d.audit(ctx, x)
	a.Examined(len(*w.Results))
	page{offset: offset, rows: len(*w.Results), listing: w.wireListing, x: x}.settle(a)
	items := d.found(a, x, k.in(a, x, hits(a, x, *w.Results, hitPage)), words)
	d.prove(ctx, a, x, k, len(items))
	if words.folds() {
		a.Uncovered(noteCase)
	}
	return status.List(d.source, items, a)
}

// found are hits as pages. Each tells its project and title by its address alone.
func (d documents) found(a *status.Audit, x *upstream.Exchange, all []wireHit, words phrase) []connectors.Page {
	var items []connectors.Page
	odd := 0
	for _, h := range all {
		project, title, ok := pageIn(h.URL)
		text := h.Description
		if !ok || !words.exact && !words.needle.In(text) && !words.needle.In(title) {
			odd++
			continue
		}
		item := d.page(project, title)
		item.UpdatedAt = h.At
		s := scrub{removed: item.Removed}
		text = s.text(text)
		if at, _ := words.needle.Index(text); at >= 0 {
			item.Line = strings.Count(text[:at], "\n") + 1
			item.Snippet = excerpt(text, at)
			for _, h := range markup.Outline(formatOf(text), text) {
				if h.Line <= item.Line {
					item.Section = h.Slug
				}
			}
		}
		item.Format, item.Removed = formatOf(text).String(), s.removed
		items = append(items, item)
	}
	if odd > 0 {
		a.Fail(status.Effectiveness, *x.Fail(status.FilterUnresolved, status.Filter.Is("query"), status.Withheld.Is(odd)))
	}
	return items
}

// prove holds scope and effectiveness of a search. That there is none of a page is
// only worth something if the account may view the wiki, which its index shows. RM-12.
func (d documents) prove(ctx context.Context, a *status.Audit, x *upstream.Exchange, k container, found int) {
	d.limits(ctx, a, noteHidden)
	a.Hold(x.Proof(), status.Effectiveness)
	if k.id == 0 {
		a.Hold(x.Proof(), status.Scope)
		return
	}
	k.holdModule(a)
	if found > 0 {
		return
	}
	if _, ix, f := d.index(ctx, k); f != nil {
		if d.isAbsent(ix, f) { // the module is on, and nobody has begun the wiki
			return
		}
		a.Fail(status.Scope, *d.named(*f, k))
	}
}

// named says what a failure is about.
func (d documents) named(f status.Failure, k container) *status.Failure {
	if k.id != 0 {
		f = f.With(status.Container.Is(k.identifier))
	}
	if f.Reason() == status.ScopeMissing {
		f = f.With(status.MissingScope.Is("a role with “View wiki”"))
	}
	return &f
}

// in keeps the hits that lie in the project; for none, all. That some do not shows
// that the search went beyond it, as it does for accounts and plugins that widen
// the scope of a search. RM-07.
func (k container) in(a *status.Audit, x *upstream.Exchange, all []wireHit) []wireHit {
	if k.id == 0 {
		return all
	}
	own := slices.DeleteFunc(slices.Clone(all), func(h wireHit) bool {
		project, _, ok := pageIn(h.URL)
		return ok && !strings.EqualFold(project, k.identifier) && project != itoa(k.id)
	})
	if n := len(all) - len(own); n > 0 {
		a.Fail(status.Effectiveness, *x.Fail(status.FilterUnresolved, status.Filter.Is("space"), status.Withheld.Is(n)))
	}
	return own
}

// pageIn reads project and title out of the address of a page.
func pageIn(address string) (project, title string, ok bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", "", false
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	for i, p := range parts {
		if p == "projects" && len(parts) == i+4 && parts[i+2] == "wiki" && isProject(parts[i+1]) && parts[i+3] != "" {
			return parts[i+1], parts[i+3], true
		}
	}
	return "", "", false
}

// page is a page as listings show it. Its reference is written as Redmine links to
// pages of other projects: project:Title.
func (d documents) page(project, title string) connectors.Page {
	var s scrub
	shown := s.line(strings.ReplaceAll(title, "_", " "))
	return connectors.Page{
		Origin: connectors.Origin{
			Source: d.source, Container: project, Ref: project + ":" + shown, URL: d.web("projects", project, "wiki", title),
			Title: shown, Removed: s.removed,
		},
		Space: project, Path: s.line(title),
	}
}

// index is the whole list of the pages of a wiki; Redmine serves it in one piece.
func (d documents) index(ctx context.Context, k container) ([]wirePage, *upstream.Exchange, *status.Failure) {
	w, x, f := one[wirePages](ctx, d.client, get("/projects/{id}/wiki/index.json", "projects", k.identifier, "wiki", "index"))
	if f != nil {
		return nil, x, d.named(*f, k)
	}
	return *w.Pages, x, nil
}

// List lists the pages of a project's wiki, or those right below a page.
func (d documents) List(ctx context.Context, q connectors.PageList) status.Result[connectors.Page] {
	failed := func(f *status.Failure) status.Result[connectors.Page] {
		return status.Failed[connectors.Page](d.source, *f)
	}
	offset, f := d.offset(q.Cursor)
	if f != nil {
		return failed(f)
	}
	name, f := d.space(q.Space)
	if f != nil {
		return failed(f)
	}
	if name == "" {
		return failed(connectors.RefusedArgument(d.source, status.MissingRequiredArgument, "space", "each project has a wiki of its own; name a project"))
	}
	if _, f := d.proved(ctx); f != nil {
		return failed(f)
	}
	k, u := d.enabled(ctx, name, moduleWiki)
	if u != nil {
		return unread[connectors.Page](d.source, u)
	}
	all, x, f := d.index(ctx, k)
	if f != nil && !d.isAbsent(x, f) {
		return failed(f)
	}
	a := &status.Audit{}
	if f != nil { // a wiki that nobody has begun: Redmine's 404 is to be trusted (RM-04)
		a.Hold(x.Proof(), status.Transport, status.Shape, status.InBand)
	}
	d.hear(ctx, a, x)
	k.holdModule(a)
	a.Hold(x.Proof(), status.Completeness, status.Effectiveness)
	a.Examined(len(all))
	kept, f := d.below(all, q.Parent, k)
	if f != nil {
		return failed(f)
	}
	from := min(offset, len(kept))
	to := min(from+max(q.Limit, 1), len(kept))
	if to < len(kept) {
		a.Next(itoa(to))
	}
	var items []connectors.Page
	for _, w := range kept[from:to] {
		items = append(items, d.listed(k, w))
	}
	return status.List(d.source, items, a)
}

func (d documents) listed(k container, w wirePage) connectors.Page {
	item := d.page(k.identifier, *w.Title)
	item.UpdatedAt = w.UpdatedOn
	if w.Parent != nil {
		var s scrub
		item.Parent = s.line(strings.ReplaceAll(w.Parent.Title, "_", " "))
		item.Removed += s.removed
	}
	return item
}

// below are the pages right below the parent, by title; all if there is no parent.
func (d documents) below(all []wirePage, parent string, k container) ([]wirePage, *status.Failure) {
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b wirePage) int { return cmp.Compare(*a.Title, *b.Title) })
	if parent == "" {
		return sorted, nil
	}
	_, title := d.split(parent)
	known := slices.ContainsFunc(all, func(w wirePage) bool { return sameTitle(*w.Title, title) })
	if !known {
		f := status.Fail(status.FilterUnresolved, status.By(d.source), status.Filter.Is("parent "+parent), status.Container.Is(k.identifier), status.ValidValues.Is(titlesOf(all)))
		return nil, &f
	}
	return slices.DeleteFunc(sorted, func(w wirePage) bool { return w.Parent == nil || !sameTitle(w.Parent.Title, title) }), nil
}

func titlesOf(all []wirePage) []string {
	var out []string
	for _, w := range all {
		out = append(out, strings.ReplaceAll(*w.Title, "_", " "))
	}
	return out
}
