package mediawiki

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// noteContent is noted where only namespaces that hold content are listed.
const noteContent = "namespaces_without_content"

// List lists the pages of a namespace by title, those of a category, or those below
// a page, which are called after it with a slash. Without a space it goes through the
// namespaces that the wiki counts as content. Redirects are left out: what they lead
// to is listed.
func (d documents) List(ctx context.Context, q connectors.PageList) status.Result[connectors.Page] {
	fail := func(f *status.Failure) status.Result[connectors.Page] {
		return status.Failed[connectors.Page](d.source, *f)
	}
	s, f := d.look(ctx)
	if f != nil {
		return fail(f)
	}
	in, f := d.scope(ctx, s, q.Space)
	if f != nil {
		return fail(f)
	}
	l := listing{documents: d, site: s, left: q.Limit, audit: &status.Audit{}, seen: map[int]bool{}}
	switch {
	case q.Parent != "":
		return l.below(ctx, in, q)
	case in.category != "":
		return l.category(ctx, in.category, q.Cursor)
	case in.all():
		in.spaces = slices.DeleteFunc(slices.Clone(s.spaces), func(sp space) bool { return !sp.content })
		l.audit.Uncovered(noteContent)
	}
	return l.namespaces(ctx, in.spaces, q.Cursor)
}

// listing is one listing under way.
type listing struct {
	documents
	site  site
	left  int
	audit *status.Audit
	pages []connectors.Page
	seen  map[int]bool // numbers of pages
}

func (l *listing) told() status.Result[connectors.Page] {
	l.bounded(l.audit)
	return status.List(l.source, l.pages, l.audit)
}

// namespaces goes through namespaces one after the other. The cursor is the number
// of one and where in it to go on.
func (l *listing) namespaces(ctx context.Context, spaces []space, cursor string) status.Result[connectors.Page] {
	number, from, _ := strings.Cut(cursor, ":")
	first := 0
	if cursor != "" {
		id, err := strconv.Atoi(number)
		first = slices.IndexFunc(spaces, func(sp space) bool { return sp.id == id })
		if err != nil || first < 0 {
			return status.Failed[connectors.Page](l.source, *l.badArgument("cursor", "was not handed out by this source"))
		}
	}
	for i, sp := range spaces[first:] {
		if l.left <= 0 {
			l.audit.Next(strconv.Itoa(sp.id) + ":")
			break
		}
		a, f := l.titles(ctx, span{space: sp, from: from})
		from = ""
		if f != nil && i == 0 {
			return status.Failed[connectors.Page](l.source, *f)
		}
		if f != nil { // HT-10
			l.audit.Fail(status.Completeness, *f)
			break
		}
		if l.goOn(a, cursor, sp) {
			break
		}
	}
	if len(spaces) == 0 {
		return status.Failed[connectors.Page](l.source, status.Fail(status.ShapeError, status.MissingKey.Is("namespaces.content")))
	}
	return l.told()
}

// goOn sets the cursor if the namespace has more. MW-05.
func (l *listing) goOn(a answer, cursor string, sp space) bool {
	switch {
	case a.Continue == nil:
		a.done(l.audit)
		return false
	case a.Continue.AllPages == "":
		l.audit.Unmade(status.Completeness, *a.x.Misshapen("continue.apcontinue"))
		return true
	}
	next := strconv.Itoa(sp.id) + ":" + a.Continue.AllPages
	if next == cursor {
		l.audit.Fail(status.Completeness, *a.x.Fail(status.CursorLoop))
		return true
	}
	l.audit.Next(next)
	return true
}

// span is a part of a namespace.
type span struct {
	space  space
	prefix string // of titles, without namespace
	from   string // where a listing goes on
	parent string // full title of the page that has to be there
}

// titles asks for one page of a namespace's titles.
func (l *listing) titles(ctx context.Context, p span) (answer, *status.Failure) {
	v := url.Values{
		"list": {"allpages"}, "apnamespace": {strconv.Itoa(p.space.id)}, "aplimit": {strconv.Itoa(l.left)}, "apfilterredir": {"nonredirects"},
	}
	if p.prefix != "" {
		v.Set("apprefix", p.prefix)
	}
	if p.from != "" {
		v.Set("apcontinue", p.from)
	}
	if p.parent != "" {
		v.Set("titles", one(p.parent))
	}
	a, f := l.ask(ctx, query("list=allpages", v))
	if f != nil {
		return a, f
	}
	if a.Query == nil || a.Query.AllPages == nil {
		return a, a.x.Misshapen("query.allpages")
	}
	rows := *a.Query.AllPages
	if key := upstream.MissingIn("", rows); key != "" {
		return a, a.x.Misshapen(key)
	}
	l.hear(l.audit, a, l.site)
	l.take(a, rows, func(r wireRow) bool {
		return *r.Namespace == p.space.id && below(l.site, r.Title, p.space.prefix()+p.prefix)
	})
	return a, nil
}

// below reports whether a title begins with a prefix.
func below(s site, title, prefix string) bool {
	title, prefix = plainTitle(title), strings.ReplaceAll(prefix, "_", " ")
	return prefix == "" || len(title) >= len(prefix) && sameTitle(s, title[:len(prefix)], prefix)
}

// take keeps the rows that were asked for.
func (l *listing) take(a answer, rows []wireRow, asked func(wireRow) bool) {
	odd, twice := 0, 0
	for _, r := range rows {
		switch {
		case !asked(r):
			odd++
			continue
		case l.seen[r.ID]: // another may be missing for it
			twice++
			continue
		}
		l.seen[r.ID] = true
		p := l.page(l.site, r)
		p.UpdatedAt = r.Timestamp
		l.pages = append(l.pages, p)
		l.left--
	}
	l.audit.Examined(len(rows))
	if twice > 0 {
		l.audit.Fail(status.Completeness, *a.x.Contradicts("the same row came twice"))
	}
	if odd > 0 {
		l.audit.Fail(status.Effectiveness, *misplaced(a, odd))
		return
	}
	l.audit.Hold(a.x.AskedProof(), status.Effectiveness)
}

// below lists the pages whose titles go on after that of the parent. The parent
// itself is looked up by the same request.
func (l *listing) below(ctx context.Context, in scope, q connectors.PageList) status.Result[connectors.Page] {
	fail := func(f *status.Failure) status.Result[connectors.Page] {
		return status.Failed[connectors.Page](l.source, *f)
	}
	sp, rest := l.site.split(q.Parent)
	if sp.id == mainSpace && len(in.spaces) == 1 {
		sp = in.spaces[0]
	}
	rest = strings.Trim(plainTitle(rest), "/")
	if rest == "" {
		return fail(l.badArgument("parent", "names no page"))
	}
	if f := connectors.Admits(ctx, sp.name()); f != nil {
		return fail(f)
	}
	if sp.id == categorySpace {
		return l.category(ctx, sp.prefix()+rest, q.Cursor)
	}
	_, from, _ := strings.Cut(q.Cursor, ":")
	a, f := l.titles(ctx, span{space: sp, prefix: rest + "/", from: from, parent: sp.prefix() + rest})
	if f != nil {
		return fail(f)
	}
	if len(a.Query.Pages) != 1 {
		return fail(a.x.Misshapen("query.pages"))
	}
	l.goOn(a, q.Cursor, sp)
	if parent := a.Query.Pages[0]; (parent.Missing || parent.Invalid) && len(l.pages) == 0 && a.Continue == nil {
		return l.absent(a, l.site, []status.Option{status.Reference.Is(sp.prefix() + rest)})
	}
	return l.told()
}

// category lists the members of a category, by the table that the job queue fills.
// MW-16.
func (l *listing) category(ctx context.Context, title, cursor string) status.Result[connectors.Page] {
	fail := func(f *status.Failure) status.Result[connectors.Page] {
		return status.Failed[connectors.Page](l.source, *f)
	}
	v := url.Values{
		"list": {"categorymembers"}, "cmtitle": {title}, "cmlimit": {strconv.Itoa(l.left)}, "cmprop": {"ids|title|timestamp"},
		"titles": {one(title)}, "redirects": {"1"}, "prop": {"categoryinfo"}, "meta": {"siteinfo"}, "siprop": {"statistics"},
	}
	if cursor != "" {
		v.Set("cmcontinue", cursor)
	}
	a, f := l.ask(ctx, query("list=categorymembers", v))
	if f != nil {
		return fail(f)
	}
	if a.Query == nil || a.Query.Members == nil {
		return fail(a.x.Misshapen("query.categorymembers"))
	}
	rows := *a.Query.Members
	if key := upstream.MissingIn("", rows); key != "" {
		return fail(a.x.Misshapen(key))
	}
	if len(a.Query.Pages) != 1 {
		return fail(a.x.Misshapen("query.pages"))
	}
	l.hear(l.audit, a, l.site)
	l.take(a, rows, func(wireRow) bool { return true })
	l.members(a, cursor)
	info := a.Query.Pages[0]
	if f := jobsWaiting(a.x, a.Query.Statistics); f != nil {
		l.audit.Fail(status.Effectiveness, *f)
	}
	moved := len(a.Query.Redirects) > 0 // then the count is that of another category
	switch {
	case len(rows) == 0 && moved && cursor == "":
		return fail(a.x.Fail(status.FilterUnresolved, status.Filter.Is("space="+title+", which redirects to another category,"), status.MovedTo.Is(info.Title),
			status.Remedy.Is("List the category that it redirects to.")))
	case moved:
	case a.Continue == nil && cursor == "" && info.Category != nil && info.Category.Size > len(rows):
		l.audit.Fail(status.Completeness, *hollow(a, info.Category.Size, len(rows)))
	case len(rows) == 0 && info.Missing && info.Category == nil && cursor == "":
		f := status.Fail(status.FilterUnresolved, status.WasCalled, status.Filter.Is("space="+title))
		return fail(&f)
	}
	return l.told()
}

// hollow is the failure for a category that counts more members than it shows.
func hollow(a answer, size, shown int) *status.Failure {
	if shown == 0 {
		return a.x.Fail(status.Contradictory, status.Total.Is(size), status.Marker.Is("members are counted and none is shown"))
	}
	return a.x.Fail(status.Contradictory, status.Total.Is(size), status.Examined.Is(shown), status.Marker.Is("more members are counted than are shown"))
}

// members sets the cursor if the category has more. MW-05.
func (l *listing) members(a answer, cursor string) {
	switch {
	case a.Continue == nil:
		a.done(l.audit)
	case a.Continue.Members == "":
		l.audit.Unmade(status.Completeness, *a.x.Misshapen("continue.cmcontinue"))
	case a.Continue.Members == cursor:
		l.audit.Fail(status.Completeness, *a.x.Fail(status.CursorLoop))
	default:
		l.audit.Next(a.Continue.Members)
	}
}

// one makes a title a single value of a parameter that takes several: a bar would
// part it. https://www.mediawiki.org/wiki/API:Data_formats#Multivalue_parameters
func one(title string) string {
	if strings.Contains(title, "|") {
		return "\x1f" + title
	}
	return title
}
