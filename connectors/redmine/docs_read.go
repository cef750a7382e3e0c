package redmine

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Read reads a page, or one section of it, as it was written.
func (d documents) Read(ctx context.Context, q connectors.PageGet) status.Result[connectors.Page] {
	project, title, f := d.target(q.Ref)
	if f == nil {
		_, f = d.proved(ctx)
	}
	if f == nil {
		f = d.admits(ctx, project, q.Ref.Project)
	}
	if f != nil {
		return status.Failed[connectors.Page](d.source, *f)
	}
	k, u := d.enabled(ctx, project, moduleWiki)
	if u != nil {
		return unread[connectors.Page](d.source, u)
	}
	got, u := d.open(ctx, k, title)
	if u != nil {
		return unread[connectors.Page](d.source, u)
	}
	item := d.listed(got.home, got.wire)
	s := scrub{removed: item.Removed}
	text := s.text(*got.wire.Text)
	item.Removed = s.removed
	format := formatOf(text)
	item.Format = format.String()
	if f := d.section(&item, text, q); f != nil {
		return status.Failed[connectors.Page](d.source, *f)
	}
	a := d.audit(ctx, got.x)
	a.Hold(got.x.Proof(), status.Completeness)
	if item.Body, item.BodyCut = markup.Cut(item.Body, maxText); item.BodyCut {
		a.Fail(status.Completeness, status.Fail(status.OwnCap, status.Path.Is(item.Path), status.Limit.Is(maxText),
			status.SizeBytes.Is(int64(len(text))), status.Fallback("read it section by section; the outline names them")))
	}
	return status.One(d.source, item, a)
}

// target is the project and the title that a reference names: a link, project:Title,
// or a title in the default project.
func (d documents) target(r ref.Ref) (project, title string, f *status.Failure) {
	if r.Host != "" {
		if r.Kind != ref.Page || r.Project == "" {
			return "", "", d.badArgument("ref", "names no page of a wiki")
		}
		return r.Project, titled(r.ID), nil
	}
	project, title = d.split(r.Raw)
	if project == "" {
		return "", "", d.badArgument("ref", "needs a project before the title, such as project:Title; the source has no default_project")
	}
	if title == "" {
		return "", "", d.badArgument("ref", "names no page of a wiki")
	}
	return project, title, nil
}

// split takes project:Title apart; a title alone lies in the default project.
func (d documents) split(s string) (project, title string) {
	s, _, _ = strings.Cut(s, "#")
	if before, after, ok := strings.Cut(s, ":"); ok && isProject(before) {
		return before, titled(after)
	}
	return d.project, titled(s)
}

// titled is a title as Redmine keeps it: underscores for spaces, none of the signs
// that have a meaning in addresses, and a capital first letter.
func titled(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(",./?;|:", r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(s), "_"))
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

func sameTitle(a, b string) bool { return markup.Fold(titled(a)) == markup.Fold(titled(b)) }

// opened is a page as it was read, and the project in which it is.
type opened struct {
	wire wirePage
	home container
	x    *upstream.Exchange
}

// moves are the answers by which Redmine leads from the old name of a page to the
// new one. They lead to the page for people, so that they are not followed.
var moves = []int{http.StatusMovedPermanently, http.StatusFound}

// open reads a page, and that to which it was renamed or moved.
func (d documents) open(ctx context.Context, k container, title string) (opened, *unfound) {
	away := false // a redirect named another host, of which only the path is read
	for range 3 {
		to := get("/projects/{id}/wiki/{title}.json", "projects", k.identifier, "wiki", title)
		to.statuses = append([]int{http.StatusOK}, moves...)
		x, f := d.send(ctx, to)
		switch {
		case d.isAbsent(x, f) && away:
			return opened{}, stop(x.Fail(status.MovedOutOfSight, status.Reference.Is(k.identifier+":"+title)))
		case d.isAbsent(x, f):
			return opened{}, d.noPage(ctx, k, title, x)
		case f != nil:
			return opened{}, stop(d.named(f.With(status.Reference.Is(k.identifier+":"+title)), k))
		case x.Status == http.StatusOK:
			w, f := pageOf(x, title)
			return opened{w, k, x}, stopIf(f)
		}
		project, next, ok := pageIn(x.Header.Get("Location"))
		if !ok {
			return opened{}, stop(x.Fail(status.LoginPage))
		}
		next = strings.TrimSuffix(next, ".json")
		if u, err := url.Parse(x.Header.Get("Location")); err == nil && u.Host != "" {
			away = away || !strings.EqualFold(u.Hostname(), d.base.Hostname())
		}
		if project != k.identifier {
			if f := d.admits(ctx, project, k.identifier); f != nil {
				return opened{}, stop(f)
			}
			var u *unfound
			if k, u = d.enabled(ctx, project, moduleWiki); u != nil {
				return opened{}, u
			}
		}
		title = next
	}
	f := status.Fail(status.Contradictory, status.Marker.Is("the page leads in a circle"), status.Reference.Is(k.identifier+":"+title))
	return opened{}, stop(&f)
}

func stopIf(f *status.Failure) *unfound {
	if f == nil {
		return nil
	}
	return stop(f)
}

// pageOf decodes a page, which must be the one that was asked for.
func pageOf(x *upstream.Exchange, title string) (wirePage, *status.Failure) {
	var w wirePageOne
	if f := x.Object(&w); f != nil {
		return wirePage{}, f
	}
	if key := w.Missing(); key != "" {
		return wirePage{}, x.Misshapen(key)
	}
	if !sameTitle(*w.Page.Title, title) {
		return wirePage{}, x.Contradicts("another page came back")
	}
	return *w.Page, nil
}

// noPage says that a wiki has no such page, and which it has.
func (d documents) noPage(ctx context.Context, k container, title string, x *upstream.Exchange) *unfound {
	about := []status.Option{status.Reference.Is(strings.ReplaceAll(title, "_", " ")), status.Container.Is(k.identifier)}
	all, ix, f := d.index(ctx, k)
	var near, far []status.Candidate
	for _, w := range all {
		if sameTitle(*w.Title, title) {
			odd := ix.Contradicts("the index of the wiki lists a page that is not served").With(about...)
			return stop(&odd)
		}
		p := d.page(k.identifier, *w.Title)
		if strings.Contains(markup.Fold(*w.Title), markup.Fold(title)) || strings.Contains(markup.Fold(title), markup.Fold(*w.Title)) {
			near = append(near, p.Candidate())
		} else {
			far = append(far, p.Candidate())
		}
	}
	u := d.missingThing(ctx, x, append(about, status.Among(append(near, far...)...))...)
	k.vouch(u.audit)
	if f != nil && !d.isAbsent(ix, f) { // it might have listed the page
		u.audit.Unmade(status.Scope, *f)
	}
	return u
}

// section puts the whole text or one section into the page. An anchor of a link
// may be out of date and is only a wish.
func (d documents) section(item *connectors.Page, text string, q connectors.PageGet) *status.Failure {
	format := formatOf(text)
	outline := markup.Outline(format, text)
	if q.Section != "" {
		body, h, fits, ok := markup.Section(format, text, q.Section)
		switch {
		case ok:
			item.Body, item.Section, item.Line = body, h.Slug, h.Line
			return nil
		case q.Section != q.Ref.Anchor:
			return d.noSection(item.Ref, q.Section, outline, fits)
		}
	}
	item.Body = text
	for _, h := range outline {
		item.Outline = append(item.Outline, connectors.Heading{Level: h.Level, Title: h.Title, Slug: h.Slug, Line: h.Line})
	}
	return nil
}

func (d documents) noSection(page, name string, outline []markup.Heading, fits []string) *status.Failure {
	reason := status.NoCandidates
	if len(fits) > 0 {
		reason = status.AmbiguousTarget
	}
	var among []status.Candidate
	for _, h := range outline {
		if len(fits) > 0 && !slices.Contains(fits, h.Slug) {
			continue
		}
		among = append(among, status.Candidate{Ref: page + "#" + h.Slug, Title: itoa(h.Line) + " " + h.Title, Source: d.source, Sets: status.Section(page, h.Slug)})
	}
	f := status.Fail(reason, status.WasCalled, status.Reference.Is("section "+name+" of "+page), status.Among(among...))
	return &f
}
