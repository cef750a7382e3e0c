package confluence

import (
	"context"
	"html"
	"net/url"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// documents answers for the pages of the Confluence.
type documents struct{ *client }

var _ connectors.Docs = documents{}

const (
	// maxTitle bounds a title in an answer, in runes; Confluence's own limit is 255.
	maxTitle = 300
	// maxSnippet bounds the text shown of a hit, in runes.
	maxSnippet = 300
)

// item is a page as listings show it. base is the address of the site as the answer
// names it, if it does.
func (d documents) item(s site, w wireContent, key, base string) connectors.Page {
	title, removed := markup.Clean(*w.Title)
	o := connectors.Origin{
		Source: d.source, Container: key, URL: d.address(w, base), Title: markup.Line(title, maxTitle),
		Removed: removed.Total(), UpdatedAt: moment(w.updated()),
	}
	o.Ref = d.reference(s, string(w.ID), key)
	p := connectors.Page{Origin: o, Space: key, State: state(w)}
	if n := len(w.Ancestors); n > 0 {
		p.Parent = markup.Line(w.Ancestors[n-1].Title, maxTitle)
	} else if w.ParentID != "" && (w.ParentType == "" || w.ParentType == "page") {
		p.Parent = d.reference(s, string(w.ParentID), key)
	}
	return p
}

// moment leaves out the zero time, which is how some versions write none.
func moment(t *time.Time) *time.Time {
	if t == nil || t.IsZero() {
		return nil
	}
	u := t.UTC()
	return &u
}

// state is what keeps a page from being in use; empty for one that is.
func state(w wireContent) string {
	switch {
	case w.Status != "" && w.Status != "current":
		return markup.Line(w.Status, 40)
	case w.Space != nil && strings.EqualFold(w.Space.Status, "archived"):
		return "in an archived space"
	}
	return ""
}

// address is where people read the page.
func (d documents) address(w wireContent, base string) string {
	if w.Links.Base != "" {
		base = w.Links.Base
	}
	if base == "" || !isWeb(base) {
		base = d.base
	}
	if !strings.HasPrefix(w.Links.WebUI, "/") {
		return base + "/pages/viewpage.action?pageId=" + url.QueryEscape(string(w.ID))
	}
	return base + w.Links.WebUI
}

func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}

// reference is what docs_read takes for the page: the shortest address of it that is
// read as this page of this source again, else its number.
func (d documents) reference(s site, id, key string) string {
	link := d.base + "/pages/viewpage.action?pageId=" + url.QueryEscape(id)
	if s.cloud {
		link = d.base + "/spaces/" + url.PathEscape(key) + "/pages/" + url.PathEscape(id)
	}
	if d.gateway() {
		return id
	}
	r, err := ref.Parse(link)
	if err != nil {
		return id
	}
	if w, f := d.want(r); f != nil || w.id != id || !d.owns(r) {
		return id
	}
	return link
}

// keyed is the key of the space of a page. Cloud may name the space by its number only.
func (d documents) keyed(ctx context.Context, w wireContent, in space) (string, *status.Failure) {
	if key := w.key(); key != "" {
		return key, nil
	}
	switch {
	case w.SpaceID != "" && string(w.SpaceID) == in.id:
		return in.key, nil
	case w.SpaceID != "":
		return d.keyOf(ctx, string(w.SpaceID))
	}
	return "", nil
}

// plain is an excerpt without its marks, as one line.
func plain(excerpt string) string {
	excerpt = strings.NewReplacer("@@@hl@@@", "", "@@@endhl@@@", "").Replace(excerpt)
	return markup.Line(html.UnescapeString(excerpt), maxSnippet)
}

// misplaced is the failure for rows that are something else than was asked.
func misplaced(x *upstream.Exchange, n int) *status.Failure {
	return x.Fail(status.Contradictory, status.Marker.Is("rows outside of what was asked"), status.Skipped.Is(map[string]int{"rows": n}))
}

// stop is the answer that a failure is.
func (d documents) stop(f *status.Failure) status.Result[connectors.Page] {
	return status.Failed[connectors.Page](d.source, *f)
}

// within proves the space that a set question is about. Without one it is all that
// the account sees. One that is not visible is a filter that does not resolve: its
// listing would be as empty as that of a space without pages. CF-02.
func (d documents) within(ctx context.Context, s site, asked string) (space, *status.Failure) {
	if asked == "" {
		asked = d.space
	}
	if asked == "" || asked == connectors.Everywhere {
		return space{}, nil
	}
	if !isKey(asked) {
		f := status.Fail(status.FilterUnresolved, status.By(d.source), status.NotCalled, status.Filter.Is("space="+asked),
			status.Remedy.Is("Give the key of a space, as in the address of its pages."))
		return space{}, &f
	}
	if f := connectors.Admits(ctx, asked); f != nil {
		return space{}, f
	}
	sp, f := d.visible(ctx, s, asked)
	if isAbsent(f) {
		g := status.Fail(status.FilterUnresolved, status.By(d.source), status.WasCalled, status.Filter.Is("space="+asked),
			status.Existence.Is(status.ExistenceUnknown), status.ValidValues.Is(d.options(ctx, s)))
		return sp, &g
	}
	return sp, f
}

// options lists keys of spaces to choose from, by one request; none if it fails.
func (d documents) options(ctx context.Context, s site) []string {
	a, f := d.spaceList(ctx, s, position{}, 25)
	if f != nil || a.body.Results == nil {
		return nil
	}
	var out []string
	for _, w := range *a.body.Results {
		if w.Key != "" && connectors.Admits(ctx, w.Key) == nil {
			out = append(out, w.Key)
		}
	}
	return out
}
