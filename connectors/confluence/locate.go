package confluence

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// located is a page that is there, and the answer that showed it.
type located struct {
	wireContent
	key string
	x   *upstream.Exchange
}

// expansion is what v1 is asked for of a page.
const expansion = "body.storage,version,space,ancestors"

// byID asks for a page by its number, with its body.
func (d documents) byID(ctx context.Context, s site, w wanted) (answer[wireContent], *status.Failure) {
	if s.cloud {
		return ask[wireContent](ctx, d.client, bodyOf(w, "storage"))
	}
	return ask[wireContent](ctx, d.client, question{
		class: "GET /rest/api/content/{id}", path: "/rest/api/content/" + url.PathEscape(w.id), values: url.Values{"expand": {expansion}},
	})
}

// bodyOf asks a Cloud for a page with its body in that format.
func bodyOf(w wanted, format string) question {
	q := question{class: "GET /api/v2/pages/{id}", path: "/api/v2/pages/" + url.PathEscape(w.id), values: url.Values{"body-format": {format}}}
	if w.blog {
		q.class, q.path = "GET /api/v2/blogposts/{id}", "/api/v2/blogposts/"+url.PathEscape(w.id)
	}
	return q
}

// locate finds the page. The result is set if it is not to be had.
func (d documents) locate(ctx context.Context, s site, w wanted) (located, *status.Result[connectors.Page]) {
	stop := func(f *status.Failure) (located, *status.Result[connectors.Page]) {
		r := d.stop(f)
		return located{}, &r
	}
	if w.id == "" && w.title == "" {
		sp, f := d.visible(ctx, s, w.space)
		switch {
		case isAbsent(f):
			named := f.With(status.Reference.Is(w.name()), status.Container.Is(w.space))
			return stop(&named)
		case f != nil:
			return stop(f)
		case sp.home == "":
			f := status.Fail(status.NoCandidates, status.WasCalled, status.Reference.Is(w.name()), status.Fallback("list the pages of the space with docs_list"))
			return stop(&f)
		}
		w.id = sp.home
	}
	if w.id == "" {
		id, r := d.titled(ctx, s, w)
		if r != nil {
			return located{}, r
		}
		w.id = id
	}
	a, f := d.byID(ctx, s, w)
	if f != nil {
		return stop(d.unreachable(f, w))
	}
	p := located{wireContent: a.body, x: a.x}
	if f := d.echo(p, w); f != nil {
		return stop(f)
	}
	if p.key, f = d.keyed(ctx, p.wireContent, space{}); f != nil {
		return stop(f)
	}
	if f := connectors.Admits(ctx, p.key); f != nil {
		return stop(f)
	}
	return p, nil
}

// unreachable words the failure to read a page by its number. A page can be hidden in
// a space that is visible, so that a 404 never proves that it is not there. CF-01.
func (d documents) unreachable(f *status.Failure, w wanted) *status.Failure {
	named := f.With(status.Reference.Is(w.name()))
	if w.space != "" {
		named = named.With(status.Container.Is(w.space))
	}
	if isAbsent(f) {
		named = named.With(status.Existence.Is(status.ExistenceUnknown))
	}
	return &named
}

// echo checks that the page is the one that was asked for, and one at all.
func (d documents) echo(p located, w wanted) *status.Failure {
	if key := p.Missing(); key != "" {
		return p.x.Misshapen(key)
	}
	if string(p.ID) != w.id || w.tiny != "" && p.Links.Tiny != "" && !strings.HasSuffix(p.Links.Tiny, "/x/"+w.tiny) {
		return p.x.Fail(status.Contradictory, status.Marker.Is("another page came back"))
	}
	if !p.isPage() && p.Type != "blogpost" {
		return p.x.Fail(status.WrongKind, status.Reference.Is(w.name()), status.Part.Is("no page but "+markup.Line(p.Type, 40)))
	}
	return nil
}

// titled finds the number of a page by its title: in the space that the question
// names, else in the default space, else anywhere.
func (d documents) titled(ctx context.Context, s site, w wanted) (string, *status.Result[connectors.Page]) {
	stop := func(f *status.Failure) (string, *status.Result[connectors.Page]) {
		r := d.stop(f)
		return "", &r
	}
	key := w.space
	if key == "" && d.space != connectors.Everywhere {
		key = d.space
	}
	sp := space{}
	if key != "" {
		if f := connectors.Admits(ctx, key); f != nil {
			return stop(f)
		}
		var f *status.Failure
		sp, f = d.visible(ctx, s, key)
		switch {
		case isAbsent(f) && w.either != "": // no key, but how the title begins
			return d.titled(ctx, s, wanted{title: w.either})
		case isAbsent(f): // CF-02: its listings would be empty
			named := f.With(status.Reference.Is(w.name()), status.Container.Is(key), status.Existence.Is(status.ExistenceUnknown))
			return stop(&named)
		case f != nil:
			return stop(f)
		}
	}
	return d.lookup(ctx, s, sp, w)
}

// lookup asks for pages of that title.
func (d documents) lookup(ctx context.Context, s site, sp space, w wanted) (string, *status.Result[connectors.Page]) {
	stop := func(f *status.Failure) (string, *status.Result[connectors.Page]) {
		r := d.stop(f)
		return "", &r
	}
	a, f := ask[wireList[wireContent]](ctx, d.client, byTitle(s, sp, w.title))
	if f == nil {
		f = listed(a)
	}
	if f == nil {
		f = doubt(a.x)
	}
	if f != nil {
		return stop(f)
	}
	var fits []wireContent
	odd := 0
	for _, row := range *a.body.Results {
		if sameTitle(*row.Title, w.title) && row.isPage() && inSpace(row, sp) {
			fits = append(fits, row)
		} else {
			odd++
		}
	}
	switch {
	case len(fits) > 0:
		id, f := d.choose(ctx, s, w, fits)
		if f != nil {
			return stop(f)
		}
		return id, nil
	case odd > 0:
		return stop(misplaced(a.x, odd))
	case a.body.Links.Next != "": // CF-05: there is more behind what was left out
		return stop(a.x.Fail(status.IndexIncomplete, status.Marker.Is("_links.next"), status.Reference.Is(w.name())))
	case w.plus != "" && w.plus != w.title: // as it stands in the link
		w.title = w.plus
		return d.lookup(ctx, s, sp, w)
	}
	r := d.absent(s, sp, a.x, w)
	return "", &r
}

// choose is the number of the one page that the question may see.
func (d documents) choose(ctx context.Context, s site, w wanted, fits []wireContent) (string, *status.Failure) {
	var among []status.Candidate
	var kept *status.Failure
	id := ""
	for _, row := range fits {
		key, f := d.keyed(ctx, row, space{})
		if f != nil {
			return "", f
		}
		if f := connectors.Admits(ctx, key); f != nil {
			kept = f
			continue
		}
		id = string(row.ID)
		among = append(among, d.item(s, row, key, "").Candidate())
	}
	switch len(among) {
	case 0:
		return "", kept
	case 1:
		return id, nil
	}
	f := status.Fail(status.AmbiguousTarget, status.WasCalled, status.Reference.Is(w.name()), status.Margin.Is(0), status.Among(among...))
	return "", &f
}

// absent is the answer for a title that no visible page has. In a space that is
// visible that is proved for what the account sees; without one it is not. CF-02.
func (d documents) absent(s site, sp space, x *upstream.Exchange, w wanted) status.Result[connectors.Page] {
	out := &status.Audit{}
	d.hear(out, s, x)
	opts := []status.Option{status.Reference.Is(w.name())}
	if sp.key != "" && w.plus == "" { // of a link with a plus nobody knows how the title is spelled
		out.Hold(sp.proof, status.Scope)
		opts = append(opts, status.Container.Is(sp.key))
	}
	d.bounded(out)
	out.Uncovered(noteDrafts)
	return status.Absent[connectors.Page](d.source, out, opts...)
}

// byTitle asks for pages by their exact title, past the index of the search. CF-21.
func byTitle(s site, sp space, title string) question {
	if s.cloud {
		v := url.Values{"title": {title}}
		if sp.id != "" {
			v.Set("space-id", sp.id)
		}
		return question{class: "GET /api/v2/pages?title", path: "/api/v2/pages", values: v}
	}
	v := url.Values{"title": {title}, "type": {"page"}, "expand": {"version,space"}}
	if sp.key != "" {
		v.Set("spaceKey", sp.key)
	}
	return question{class: "GET /rest/api/content?title", path: "/rest/api/content", values: v}
}

// listed is what keeps a body from being a listing. CF-17.
func listed(a answer[wireList[wireContent]]) *status.Failure {
	if a.body.Results == nil {
		return a.x.Misshapen("results")
	}
	if key := upstream.MissingIn("results", *a.body.Results); key != "" {
		return a.x.Misshapen(key)
	}
	return nil
}

// inSpace reports whether a row lies in the space, as far as the row says.
func inSpace(row wireContent, sp space) bool {
	if sp.key == "" {
		return true
	}
	if row.SpaceID != "" && sp.id != "" {
		return string(row.SpaceID) == sp.id
	}
	return strings.EqualFold(row.key(), sp.key)
}

func sameTitle(a, b string) bool {
	fold := func(t string) string { return markup.Fold(norm.NFC.String(strings.Join(strings.Fields(t), " "))) }
	return fold(a) == fold(b)
}

// emptied reports whether an earlier version of a page has a text where this one has
// none. CF-12.
func (d documents) emptied(ctx context.Context, s site, p located) (bool, *status.Failure) {
	if !s.cloud || p.Version == nil || p.Version.Number < 2 {
		return false, nil
	}
	a, f := ask[wireList[wireVersionBody]](ctx, d.client, question{
		class: "GET /api/v2/pages/{id}/versions", path: "/api/v2/pages/" + url.PathEscape(string(p.ID)) + "/versions",
		values: url.Values{"body-format": {"storage"}, "limit": {"2"}, "sort": {"-modified-date"}},
	})
	if f != nil {
		return false, f
	}
	if a.body.Results == nil {
		return false, a.x.Misshapen("results")
	}
	for _, v := range *a.body.Results {
		if v.Page != nil && v.Page.Body != nil && v.Page.Body.Storage.Value != nil && !hollow(*v.Page.Body.Storage.Value) {
			return true, nil
		}
	}
	return false, nil
}

// hollow reports whether a body shows nothing.
func hollow(body string) bool {
	text, dropped, ok := markup.Storage{Body: body}.Markdown()
	return ok && strings.TrimSpace(text) == "" && len(dropped) == 0
}
