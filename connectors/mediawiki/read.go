package mediawiki

import (
	"context"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// maxBody bounds the Markdown of a page in an answer, in bytes.
const maxBody = 64 << 10

// Read reads a page, or one section of it, as the wiki renders it: templates are
// filled in. What it was redirected from stands in the item.
func (d documents) Read(ctx context.Context, q connectors.PageGet) status.Result[connectors.Page] {
	s, f := d.look(ctx)
	if f != nil {
		return status.Failed[connectors.Page](d.source, *f)
	}
	w, f := d.want(s, q.Ref)
	if f != nil {
		return status.Failed[connectors.Page](d.source, *f)
	}
	p, stop := d.locate(ctx, s, w)
	if stop != nil {
		return *stop
	}
	a, f := d.parse(ctx, p)
	if f != nil {
		return status.Failed[connectors.Page](d.source, f.With(status.Reference.Is(p.Title), status.Container.Is(s.container(p.Namespace))))
	}
	out := d.heard(p.a, s)
	d.hear(out, a, s)
	page := d.page(s, wireRow{ID: p.ID, Namespace: &p.Namespace, Title: p.Title})
	page.Format = markup.Markdown.String()
	for _, title := range p.from {
		page.RedirectedFrom = append(page.RedirectedFrom, markup.Line(title, maxTitle))
	}
	if len(p.Revisions) > 0 {
		page.UpdatedAt = p.Revisions[0].Timestamp
	}
	out.Hold(a.x.AskedProof(), status.Completeness)
	if len(p.Revisions) > 0 && p.old == 0 && a.Parse.RevID > 0 && a.Parse.RevID < p.Revisions[0].ID { // a cache, or an extension that shows what was approved
		out.Fail(status.InBand, *a.x.Contradicts("an older version was rendered than the latest"))
	}
	d.fill(out, &page, s, a)
	if q.Section == "" || q.Section == q.Ref.Anchor { // a link may be out of date: it only wishes
		d.wish(&page, a, p.section)
	} else if f := d.section(&page, a, q.Section); f != nil {
		return status.Failed[connectors.Page](d.source, *f)
	}
	whole := len(page.Body)
	if page.Body, page.BodyCut = markup.Cut(page.Body, maxBody); page.BodyCut {
		out.Fail(status.Completeness, status.Fail(status.OwnCap, status.Limit.Is(maxBody), status.SizeBytes.Is(int64(whole)),
			status.Fallback("read it section by section; the outline names them")))
	}
	return status.One(d.source, page, out)
}

// parse asks for the rendered page.
func (d documents) parse(ctx context.Context, p located) (answer, *status.Failure) {
	v := url.Values{
		"action": {"parse"}, "prop": {"text|sections|templates|revid|parsewarnings"}, "disableeditsection": {"1"}, "disabletoc": {"1"},
		"disablelimitreport": {"1"}, "wrapoutputclass": {""},
	}
	if p.old > 0 {
		v.Set("oldid", strconv.Itoa(p.old))
	} else {
		v.Set("pageid", strconv.Itoa(p.ID))
	}
	a, f := d.ask(ctx, question{class: "GET api.php?action=parse", values: v})
	switch {
	case f != nil && f.Reason() == status.AbsentOrHidden: // it was there a moment ago
		return a, a.x.Fail(status.Contradictory, status.Marker.Is(f.Text("marker")))
	case f != nil:
		return a, f
	case a.Parse == nil || a.Parse.Text == nil:
		return a, a.x.Misshapen("parse.text")
	case a.Parse.PageID != p.ID, p.old > 0 && a.Parse.RevID != p.old:
		return a, a.x.Fail(status.Contradictory, status.Marker.Is("another page came back"))
	}
	return a, nil
}

// fill puts the rendered page into the item as Markdown, and says what is not in it.
func (d documents) fill(out *status.Audit, page *connectors.Page, s site, a answer) {
	text, dropped, ok := markup.FromHTML(*a.Parse.Text, s.server.String())
	if !ok {
		out.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.Part.Is("the text, whose HTML cannot be read")))
		return
	}
	body, removed := markup.CleanMarkdown(text)
	page.Body = body
	page.Removed += removed.Total()
	if len(dropped) > 0 {
		out.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.Part.Is(dropped.String()+" elements"), status.Skipped.Is(dropped)))
	}
	if missing := unresolved(*a.Parse); len(missing) > 0 {
		out.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.Part.Is("what these templates would hold, which were not there when the wiki rendered the page: "+strings.Join(missing, ", ")),
			status.Skipped.Is(map[string]int{"templates": len(missing)})))
	}
	if len(a.Parse.Warnings) > 0 {
		// They are sentences in the language of the wiki: whether a template was left out,
		// for the size of the page, or only something is written twice, cannot be told.
		out.Unprovable(noteParser)
		out.Unmade(status.Completeness, *a.x.Fail(status.ContentNotIncluded, status.Part.Is("perhaps some of the page: the parser of the wiki warns of it")))
	}
	for _, h := range markup.Outline(markup.Markdown, body) {
		page.Outline = append(page.Outline, connectors.Heading{Level: h.Level, Title: h.Title, Slug: h.Slug, Line: h.Line})
	}
}

// unresolved lists the templates that the page includes and that are not there: the
// wiki shows a link to each in place of its text. Others are only looked for by a
// template, and nothing is missing without them.
func unresolved(p wireParse) []string {
	var out []string
	for _, t := range p.Templates {
		if !t.Exists && strings.Contains(*p.Text, ">"+html.EscapeString(t.Title)+"</a>") {
			out = append(out, markup.Line(t.Title, maxTitle))
		}
	}
	return out
}

// find is the section of that name: a heading, its slug, or the wiki's anchor.
func find(page *connectors.Page, a answer, name string) (text string, h markup.Heading, fits []string, ok bool) {
	text, h, fits, ok = markup.Section(markup.Markdown, page.Body, name)
	if ok || len(fits) > 0 {
		return text, h, fits, ok
	}
	anchor := strings.ReplaceAll(strings.TrimPrefix(name, "#"), " ", "_")
	i := slices.IndexFunc(a.Parse.Sections, func(s wireSection) bool { return s.Anchor == anchor })
	outline := markup.Outline(markup.Markdown, page.Body)
	if i < 0 || len(outline) != len(a.Parse.Sections) {
		return "", h, nil, false
	}
	return page.Body[outline[i].Start:outline[i].End], outline[i], nil, true
}

// wish leaves the section that a link or redirect points to, if it is there.
func (d documents) wish(page *connectors.Page, a answer, name string) {
	if name == "" {
		return
	}
	if text, h, _, ok := find(page, a, name); ok {
		page.Body, page.Section, page.Line, page.Outline = text, h.Slug, h.Line, nil
	}
}

// section leaves the section that was asked for, or says which there are.
func (d documents) section(page *connectors.Page, a answer, name string) *status.Failure {
	text, h, fits, ok := find(page, a, name)
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
