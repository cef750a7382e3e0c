package confluence

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// maxBody bounds the Markdown of a page in an answer, in bytes.
const maxBody = 64 << 10

// Read reads a page, or one section of it. Macros that make up what they show are
// named in its text and counted. A page in the trash is told as one that is not there.
func (d documents) Read(ctx context.Context, q connectors.PageGet) status.Result[connectors.Page] {
	s, f := d.look(ctx)
	if f != nil {
		return d.stop(f)
	}
	w, f := d.want(q.Ref)
	if f == nil {
		f = d.settle(ctx, q.Ref)
	}
	if f != nil {
		return d.stop(f)
	}
	p, stop := d.locate(ctx, s, w)
	if stop != nil {
		return *stop
	}
	out := &status.Audit{}
	d.hear(out, s, p.x)
	if p.Status == "trashed" || p.Status == "deleted" {
		return d.trashed(out, p, w)
	}
	text, f := d.text(ctx, s, p, w)
	if f != nil {
		return d.stop(f)
	}
	page := d.item(s, p.wireContent, p.key, "")
	page.Format = markup.Markdown.String()
	if w.link != "" && w.space != "" && !strings.EqualFold(w.space, p.key) { // it was moved since
		page.RedirectedFrom = []string{markup.Line(w.link, maxTitle)}
	}
	out.Hold(p.x.AskedProof(), status.Completeness)
	fill(out, &page, text)
	if p.Subtype == "live" && strings.TrimSpace(page.Body) == "" {
		d.alive(ctx, out, s, p)
	}
	if q.Section == "" || q.Section == q.Ref.Anchor { // a link may be out of date: it only wishes
		d.wish(&page, first(q.Section, w.fragment))
	} else if f := d.section(&page, q.Section); f != nil {
		return d.stop(f)
	}
	whole := len(page.Body)
	if page.Body, page.BodyCut = markup.Cut(page.Body, maxBody); page.BodyCut {
		out.Fail(status.Completeness, status.Fail(status.OwnCap, status.Limit.Is(maxBody), status.SizeBytes.Is(int64(whole)),
			status.Fallback("read it section by section; the outline names them")))
	}
	return status.One(d.source, page, out)
}

// trashed is the answer for a page that was deleted: the page itself proves that its
// space is visible, and that it is not there any more.
func (d documents) trashed(out *status.Audit, p located, w wanted) status.Result[connectors.Page] {
	out.Hold(p.x.AskedProof(), status.Scope)
	return status.Absent[connectors.Page](d.source, out, status.Reference.Is(w.name()), status.Container.Is(p.key),
		status.Marker.Is("it lies in the trash of the space"))
}

// alive looks whether a live document, whose current version may be empty while it is
// edited, has its text in an earlier version. CF-12.
func (d documents) alive(ctx context.Context, out *status.Audit, s site, p located) {
	emptied, f := d.emptied(ctx, s, p)
	switch {
	case f != nil:
		out.Unmade(status.Completeness, *f)
	case emptied:
		out.Fail(status.Completeness, *p.x.Fail(status.Contradictory, status.Marker.Is("the current version of this live document is empty and an earlier one is not"),
			status.Fallback("open the page in a browser")))
	}
}

// written is the text of a page as Markdown. Dropped counts what is made up when the
// page is shown; Unreadable means that nothing could be read of it.
type written struct {
	markdown   string
	dropped    markup.Dropped
	unreadable bool
}

// text converts the body of a page. A page that a Cloud gives no storage format of,
// or one that cannot be read, is asked for in Atlassian's document format. CF-09.
func (d documents) text(ctx context.Context, s site, p located, w wanted) (written, *status.Failure) {
	var stored *string
	if p.Body != nil {
		stored = p.Body.Storage.Value
	}
	if stored != nil {
		site := d.base
		if isWeb(p.Links.Base) {
			site = p.Links.Base
		}
		text, dropped, ok := markup.Storage{Body: *stored, Site: site, Space: p.key, Page: string(p.ID)}.Markdown()
		if ok || !s.cloud {
			return written{text, dropped, !ok}, nil
		}
	}
	if s.cloud {
		w.id = string(p.ID)
		text, ok, f := d.document(ctx, p, w)
		if ok || f != nil && stored == nil {
			return text, f
		}
	}
	if stored == nil {
		return written{}, p.x.Misshapen("body.storage")
	}
	return written{unreadable: true}, nil
}

// document is the body in Atlassian's document format; ok is false if there is none
// that can be read.
func (d documents) document(ctx context.Context, p located, w wanted) (text written, ok bool, f *status.Failure) {
	a, f := ask[wireContent](ctx, d.client, bodyOf(w, "atlas_doc_format"))
	switch {
	case f != nil:
		return text, false, f
	case a.body.ID != p.ID || a.body.Version == nil || p.Version == nil || a.body.Version.Number != p.Version.Number:
		return text, false, a.x.Fail(status.Contradictory, status.Marker.Is("another version of the page came back"), status.Retryable(true))
	case a.body.Body == nil || a.body.Body.Document.Value == nil:
		return text, false, nil
	}
	doc, ok := markup.FromADF([]byte(*a.body.Body.Document.Value))
	return written{markdown: doc.Text, dropped: doc.Left}, ok, nil
}

// fill puts the text into the item, and says what is not in it.
func fill(out *status.Audit, page *connectors.Page, text written) {
	if text.unreadable {
		out.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.Part.Is("the text, whose format cannot be read")))
		return
	}
	body, removed := markup.CleanMarkdown(text.markdown)
	page.Body = body
	page.Removed += removed.Total()
	if len(text.dropped) > 0 {
		out.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.Part.Is("what is made up when the page is shown: "+text.dropped.String()), status.Skipped.Is(text.dropped)))
	}
	for _, h := range markup.Outline(markup.Markdown, body) {
		page.Outline = append(page.Outline, connectors.Heading{Level: h.Level, Title: h.Title, Slug: h.Slug, Line: h.Line})
	}
}

// find is the section of that name: a heading, its slug, or Confluence's anchor, which
// is the heading without spaces, on a Data Center behind the title of the page.
func find(page *connectors.Page, name string) (text string, h markup.Heading, fits []string, ok bool) {
	text, h, fits, ok = markup.Section(markup.Markdown, page.Body, name)
	if ok || len(fits) > 0 {
		return text, h, fits, ok
	}
	anchor := letters(name)
	for _, h := range markup.Outline(markup.Markdown, page.Body) {
		if anchor != "" && (letters(h.Title) == anchor || letters(page.Title+h.Title) == anchor) {
			return page.Body[h.Start:h.End], h, nil, true
		}
	}
	return "", h, nil, false
}

// letters is a text without what an anchor leaves out.
func letters(s string) string {
	return markup.Fold(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, s))
}

// wish leaves the section that a link points to, if it is there.
func (d documents) wish(page *connectors.Page, name string) {
	if name == "" {
		return
	}
	if text, h, _, ok := find(page, name); ok {
		page.Body, page.Section, page.Line, page.Outline = text, h.Slug, h.Line, nil
	}
}

// section leaves the section that was asked for, or says which there are.
func (d documents) section(page *connectors.Page, name string) *status.Failure {
	text, h, fits, ok := find(page, name)
	if ok {
		page.Body, page.Section, page.Line, page.Outline = text, h.Slug, h.Line, nil
		return nil
	}
	reason := status.NoCandidates
	if len(fits) > 0 {
		reason = status.AmbiguousTarget
	}
	var among []status.Candidate
	for _, h := range page.Outline {
		if len(fits) == 0 || slices.Contains(fits, h.Slug) {
			among = append(among, status.Candidate{Ref: page.Ref + "#" + h.Slug, Title: h.Title, Source: d.source, Sets: status.Section(page.Ref, h.Slug)})
		}
	}
	f := status.Fail(reason, status.WasCalled, status.Reference.Is("section "+name+" of "+page.Title), status.Among(among...))
	return &f
}
