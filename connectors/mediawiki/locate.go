package mediawiki

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// wanted names a page: by title, by its number, or by the number of a version.
type wanted struct {
	title    string
	page     string
	version  string
	fragment string // section that the reference, or a redirect, points to
	from     string // what it was called in the question, if it was moved since
}

// want reads a reference. A link is read by the wiki's own paths, so that it does
// not matter what they look like.
func (d documents) want(s site, r ref.Ref) (wanted, *status.Failure) {
	if r.URL() == "" {
		if r.Number > 0 && r.Raw == "#"+r.ID { // how a bare number is written out
			return d.named(wanted{title: r.ID})
		}
		title, fragment, _ := strings.Cut(r.Raw, "#")
		return d.named(wanted{title: title, fragment: fragment})
	}
	w := wanted{title: r.Title, page: r.ID, version: r.Revision, fragment: r.Anchor}
	u, err := url.Parse(r.URL())
	if err != nil {
		return w, d.badArgument("ref", "is no link that can be read")
	}
	query := u.Query()
	before, after, _ := strings.Cut(s.article, "$1")
	before, _, _ = strings.Cut(before, "?")
	articles := before != "" && strings.HasPrefix(u.Path, before) && !strings.Contains(u.Path+"/", ".php/")
	switch {
	case s.script != "" && r.BasePath != "" && r.BasePath != s.folder() && !articles: // another wiki of the host
		f := status.Fail(status.ConnectorNotConfigured, status.By(d.source), status.WasCalled, status.Host.Is(r.Host), status.Provider.Is("mediawiki"), status.Reference.Is(r.String()))
		return w, &f
	case query.Get("title") != "" || query.Get("curid") != "" || query.Get("oldid") != "":
		w.title, w.page, w.version = query.Get("title"), query.Get("curid"), query.Get("oldid")
	case strings.HasPrefix(u.Path, s.script+"/"): // before the articles, which may lie at the very top
		w.title, w.page = strings.TrimPrefix(u.Path, s.script+"/"), ""
	case before != "" && strings.HasPrefix(u.Path, before) && strings.HasSuffix(u.Path, after):
		w.title, w.page = strings.TrimSuffix(strings.TrimPrefix(u.Path, before), after), ""
	}
	return d.named(w)
}

// folder is where the scripts of the wiki lie, without a slash at its end.
func (s site) folder() string {
	at := strings.LastIndexByte(s.script, '/')
	return s.script[:max(at, 0)]
}

// named refuses what names no page, and takes the brackets of wikitext off a title.
func (d documents) named(w wanted) (wanted, *status.Failure) {
	title := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(w.title), "[["), "]]")
	w.title = plainTitle(strings.TrimPrefix(strings.TrimSpace(title), ":"))
	if w.title == "" && !isNumber(w.page) && !isNumber(w.version) {
		return w, d.badArgument("ref", "names no page of the wiki; give its title or its link")
	}
	return w, nil
}

func isNumber(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0
}

// located is a page that is there.
type located struct {
	wirePage
	wanted
	from    []string // titles by which the page was reached and that are not its own
	old     int      // version that was asked for, 0 for the latest
	a       answer
	section string
}

// lookup asks for a page by one of its names.
func (d documents) lookup(ctx context.Context, w wanted) (answer, *status.Failure) {
	v := url.Values{"prop": {"info|revisions"}, "inprop": {"url"}, "rvprop": {"ids|timestamp"}}
	class := "prop=info|revisions&titles"
	switch {
	case isNumber(w.version):
		v.Set("revids", w.version)
		class = "prop=info|revisions&revids"
	case isNumber(w.page):
		v.Set("pageids", w.page)
		v.Set("redirects", "1")
		class = "prop=info|revisions&pageids"
	default:
		v.Set("titles", one(w.title))
		v.Set("redirects", "1") // MW-11
	}
	a, f := d.ask(ctx, query(class, v))
	if f == nil && a.Query == nil {
		f = a.x.Misshapen("query")
	}
	if f == nil {
		f = a.doubt()
	}
	return a, f
}

// locate finds the page, following redirects, and a title that was moved away to
// where it went. The result is set if it is not there.
func (d documents) locate(ctx context.Context, s site, w wanted) (located, *status.Result[connectors.Page]) {
	for range 3 { // moves; the wiki itself follows redirects
		if w.version == "" && w.page == "" {
			sp, _ := s.split(w.title)
			if f := connectors.Admits(ctx, sp.name()); f != nil {
				return located{}, d.stop(f)
			}
		}
		a, f := d.lookup(ctx, w)
		if f != nil {
			return located{}, d.stop(f)
		}
		p, stop := d.arrive(ctx, s, w, a)
		if stop != nil || !p.Missing {
			return p, stop
		}
		if isNumber(w.title) && w.page == "" { // nothing is called so: it may be a number
			w = wanted{page: w.title, title: w.title}
			continue
		}
		next, stop := d.gone(ctx, s, p)
		if stop != nil {
			return located{}, stop
		}
		w = next
	}
	return located{}, d.stop(loop(w.name()))
}

// stop is the answer that a failure is.
func (d documents) stop(f *status.Failure) *status.Result[connectors.Page] {
	r := status.Failed[connectors.Page](d.source, *f)
	return &r
}

// arrive reads where a look-up led.
func (d documents) arrive(ctx context.Context, s site, w wanted, a answer) (located, *status.Result[connectors.Page]) {
	q := a.Query
	name := w.title
	switch {
	case len(q.BadRevs) > 0:
		return located{}, d.result(d.absent(a, s, []status.Option{status.Reference.Is("version " + w.version)}))
	case len(q.Interwiki) > 0:
		return located{}, d.stop(elsewhere(a, name))
	case len(q.Pages) == 0 && len(q.Redirects) > 0: // the wiki gives up on a circle
		return located{}, d.stop(loop(name))
	case len(q.Pages) != 1:
		return located{}, d.stop(a.x.Misshapen("query.pages"))
	}
	p := located{wirePage: q.Pages[0], wanted: w, a: a, section: w.fragment}
	switch {
	case p.Invalid:
		return p, d.stop(d.badArgument("ref", "is no title that a page of this wiki can have"))
	case p.Special || p.Namespace < 0:
		f := status.Fail(status.WrongKind, status.WasCalled, status.Reference.Is(name), status.Part.Is("a special page, which the wiki makes up when somebody looks"))
		return p, d.stop(&f)
	}
	if w.from != "" {
		p.from = append(p.from, w.from)
	}
	if f := p.follow(s); f != nil {
		return p, d.stop(f)
	}
	if p.Missing && p.Known {
		f := status.Fail(status.ContentNotIncluded, status.By(d.source), status.WasCalled, status.Reference.Is(p.Title),
			status.Part.Is("the page, which lies outside of this wiki, such as a file of a shared repository"))
		return p, d.stop(&f)
	}
	if p.Missing {
		return p, nil
	}
	if p.ID <= 0 || p.Title == "" {
		return p, d.stop(a.x.Misshapen("query.pages.pageid"))
	}
	if f := connectors.Admits(ctx, s.container(p.Namespace)); f != nil {
		return p, d.stop(f)
	}
	return p, nil
}

// follow walks the steps that the wiki names from what was asked to the page that it
// returned: another page is none that was asked for.
func (p *located) follow(s site) *status.Failure {
	q := p.a.Query
	at := p.title
	if p.page != "" || p.version != "" {
		at = p.Title
		if len(q.Redirects) > 0 {
			at = q.Redirects[0].From
		}
	}
	for _, step := range append(append(q.Normalized, q.Converted...), q.Redirects...) {
		if step.From != at {
			continue
		}
		at = step.To
	}
	for _, step := range q.Redirects {
		p.from = append(p.from, step.From)
		if step.ToFragment != "" && p.fragment == "" {
			p.section = step.ToFragment
		}
	}
	wrong := !p.Missing && !sameTitle(s, at, p.Title)
	if n, _ := strconv.Atoi(p.page); p.page != "" && len(q.Redirects) == 0 && p.ID != n {
		wrong = true
	}
	if n, _ := strconv.Atoi(p.version); p.version != "" {
		p.old = n
		wrong = wrong || len(p.Revisions) != 1 || p.Revisions[0].ID != n
	}
	if wrong {
		return p.a.x.Fail(status.Contradictory, status.Marker.Is("another page came back"))
	}
	return nil
}

// elsewhere is the failure for a title, or the target of a redirect, in another wiki.
func elsewhere(a answer, title string) *status.Failure {
	prefix := word(a.Query.Interwiki[0].Prefix)
	if len(a.Query.Redirects) > 0 {
		return a.x.Fail(status.MovedOutOfSight, status.Reference.Is(title), status.MovedTo.Is(a.Query.Interwiki[0].Title))
	}
	return a.x.Fail(status.ConnectorNotConfigured, status.Reference.Is(title), status.Provider.Is("the wiki behind the prefix "+prefix),
		status.Remedy.Is("Open the page in that wiki, or add it to frank.yaml as a source with provider: mediawiki."))
}

// loop is the failure for redirects or moves that lead nowhere.
func loop(title string) *status.Failure {
	f := status.Fail(status.Contradictory, status.WasCalled, status.Reference.Is(title), status.Marker.Is("redirects in a circle"))
	return &f
}

// gone reads the log of a title that has no page: where it was moved to, or that it
// is not there.
func (d documents) gone(ctx context.Context, s site, p located) (wanted, *status.Result[connectors.Page]) {
	about := []status.Option{status.Reference.Is(p.name()), status.Container.Is(s.name)}
	if len(p.a.Query.Redirects) > 0 && p.Title != "" { // a redirect is there; what it leads to is not
		about[0] = status.Reference.Is(p.Title + ", to which " + p.name() + " redirects,")
	}
	if p.Title == "" { // a number; the log goes by titles
		return wanted{}, d.result(d.absent(p.a, s, about))
	}
	a, f := d.ask(ctx, query("list=logevents", url.Values{
		"list": {"logevents"}, "letitle": {p.Title}, "leprop": {"type|title|details"}, "lelimit": {"20"},
	}))
	if f == nil && (a.Query == nil || a.Query.LogEvents == nil) {
		f = a.x.Misshapen("query.logevents")
	}
	if f == nil {
		f = a.doubt()
	}
	if f != nil { // it may have been moved: its absence is not proved
		named := f.With(about...)
		return wanted{}, d.stop(&named)
	}
	for _, e := range *a.Query.LogEvents { // newest first
		switch {
		case e.Type == "move" && e.target() != "":
			return wanted{title: e.target(), fragment: p.fragment, from: p.Title}, nil
		case e.Type == "move": // its target is hidden from the account
			f := status.Fail(status.MovedOutOfSight, status.WasCalled, status.Reference.Is(p.name()))
			return wanted{}, d.stop(&f)
		case e.Type == "delete" && strings.HasPrefix(e.Action, "delete"):
			about = append(about, status.Marker.Is("the log of the wiki says that it was deleted"))
			return wanted{}, d.result(d.absent(p.a, s, about))
		}
	}
	return wanted{}, d.result(d.absent(p.a, s, about))
}

// name is how the question called the page.
func (w wanted) name() string {
	switch {
	case w.from != "":
		return w.from
	case w.title != "":
		return w.title
	case w.version != "":
		return "version " + w.version
	}
	return "page " + w.page
}

func (d documents) result(r status.Result[connectors.Page]) *status.Result[connectors.Page] {
	return &r
}

// absent is the answer for a page that the wiki says it does not have: the truth, for
// an account that counted and a wiki that it sees. MW-02.
func (d documents) absent(a answer, s site, about []status.Option) status.Result[connectors.Page] {
	out := d.heard(a, s)
	d.bounded(out)
	return status.Absent[connectors.Page](d.source, out, append(about, status.Container.Is(s.name))...)
}
