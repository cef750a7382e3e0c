package github

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// documents answers for the documents of a repository: Markdown, AsciiDoc,
// reStructuredText and text, on its default branch unless a link names another.
// The wiki is a Git repository of its own, which the REST interface does not
// serve. GH-64.
type documents struct{ *client }

var _ connectors.Docs = documents{}

func isDocument(path string) bool {
	_, ok := markup.FormatOf(path)
	return ok
}

// Search finds a literal text in the documents. If they are few, all are read,
// so that finding nothing is proved; otherwise GitHub's index is asked, with the
// limits that SearchCode names.
func (d documents) Search(ctx context.Context, q connectors.PageQuery) status.Result[connectors.Page] {
	fail := func(f *status.Failure) status.Result[connectors.Page] {
		return status.Failed[connectors.Page](d.source, *f)
	}
	pos, f := d.position(q.Cursor)
	if f != nil {
		return fail(f)
	}
	p, u := d.place(ctx, "space", q.Space, "")
	if u != nil {
		return unread[connectors.Page](d.source, u)
	}
	s := codeSearch{CodeQuery: connectors.CodeQuery{Text: q.Text, Paging: q.Paging}, at: p, pos: pos,
		needle: markup.NewNeedle(q.Text), fits: isDocument}
	t, f := d.readTree(ctx, p.repo.name, p.treeish, true)
	if f != nil {
		return fail(f)
	}
	if w := s.through(t); !t.truncated && d.scannable(w.files) {
		return d.searchTexts(ctx, s, t, w)
	}
	got := d.searchIndex(ctx, s)
	if got.failure != nil {
		return fail(got.failure)
	}
	var pages []connectors.Page
	for _, h := range got.hits {
		page := d.page(p, h.Path)
		page.Removed = h.Removed
		if len(h.Matches) > 0 {
			page.Snippet, page.Line = h.Matches[0].Text, h.Matches[0].Line
		}
		pages = append(pages, page)
	}
	return status.List(d.source, pages, got.audit)
}

// searchTexts reads all documents and shows the first match in each.
func (d documents) searchTexts(ctx context.Context, s codeSearch, t tree, w through) status.Result[connectors.Page] {
	read, f := d.scan(ctx, s.at.repo.name, w.files)
	a := d.treeAudit(ctx, s.at, t)
	var pages []connectors.Page
	for _, got := range read {
		format, _ := markup.FormatOf(got.entry.Path)
		var texts scrub
		text := texts.document(format, got.text)
		lines := matchLines(text, s.needle)
		if len(lines) == 0 || got.skip != "" {
			continue
		}
		page := d.page(s.at, got.entry.Path)
		page.Title, page.Removed = markup.Title(format, text, got.entry.Path), page.Removed+texts.removed
		page.Snippet, page.Line = lines[0].Text, lines[0].Line
		for _, h := range markup.Outline(format, text) {
			if h.Line <= page.Line {
				page.Section = h.Slug
			}
		}
		pages = append(pages, page)
	}
	d.scanAudit(ctx, a, w, scanned{t, read, f, len(pages)})
	from, to := cut(len(pages), s.pos.skip, s.Limit)
	if to < len(pages) {
		a.Next(position{skip: to, scope: byReading}.cursor())
	}
	return status.List(d.source, pages[from:to], a)
}

// document is a text as whoever reads the rendered page sees it.
func (s *scrub) document(format markup.Format, text string) string {
	if format == markup.Markdown {
		return s.prose(text)
	}
	return s.plain(text)
}

// page is a document as listings show it.
func (d documents) page(p place, path string) connectors.Page {
	format, _ := markup.FormatOf(path)
	o := d.fileOrigin(p, path, "file")
	var s scrub // what it takes out is counted in the origin
	path = s.path(path)
	o.Title = markup.Line(path[strings.LastIndexByte(path, '/')+1:], maxTitle)
	return connectors.Page{Origin: o, Space: p.repo.name.String(), Path: path, Format: format.String()}
}

// Read reads a document, or one section of it.
func (d documents) Read(ctx context.Context, q connectors.PageGet) status.Result[connectors.Page] {
	b, u := d.open(ctx, q.Ref)
	if u != nil {
		return unread[connectors.Page](d.source, u)
	}
	format, ok := markup.FormatOf(b.Path)
	if !ok {
		return status.Failed[connectors.Page](d.source, status.Fail(status.WrongKind, status.Reference.Is(b.Path), status.Path.Is(b.Path),
			status.Part.Is("something else than a document, by its name"), status.Fallback("read it with repo_read_file, path="+b.Path)))
	}
	a := d.audit(ctx, b.x)
	page := d.page(b.at, b.Path)
	if f := b.elsewhere(); f != nil {
		a.Fail(status.Completeness, *f)
		return status.One(d.source, page, a)
	}
	if misnamed(b.SHA, b.data) {
		a.Unprovable(noteHash)
	}
	text, encoding, ok := markup.Decode(b.data)
	if !ok || markup.IsLFSPointer(b.data) {
		a.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.Part.Is("binary content or Git LFS"), status.Path.Is(b.Path)))
		return status.One(d.source, page, a)
	}
	if encoding.Charset != markup.UTF8 {
		page.Encoding = encoding.String()
	}
	var texts scrub
	text = texts.document(format, text)
	page.Removed += texts.removed
	page.Title = markup.Title(format, text, b.Path)
	if f := d.section(&page, format, text, q); f != nil {
		return status.Failed[connectors.Page](d.source, *f)
	}
	a.Hold(b.x.Proof(), status.Completeness)
	if page.Body, page.BodyCut = markup.Cut(page.Body, maxTextSize); page.BodyCut {
		a.Fail(status.Completeness, status.Fail(status.OwnCap, status.Path.Is(b.Path), status.Limit.Is(maxTextSize),
			status.SizeBytes.Is(int64(len(text))), status.Fallback("read it section by section; the outline names them")))
	}
	return status.One(d.source, page, a)
}

// section puts the whole text or one section into the page. An anchor of a link
// may be out of date and is only a wish.
func (d documents) section(page *connectors.Page, format markup.Format, text string, q connectors.PageGet) *status.Failure {
	outline := markup.Outline(format, text)
	name := q.Section
	if name == "" {
		name = q.Ref.Anchor
	}
	if name != "" {
		body, h, fits, ok := markup.Section(format, text, name)
		switch {
		case ok:
			page.Body, page.Section, page.Line = body, h.Slug, h.Line
			return nil
		case q.Section != "":
			return d.noSection(page.Path, q.Section, outline, fits)
		}
	}
	page.Body = text
	for _, h := range outline {
		page.Outline = append(page.Outline, connectors.Heading{Level: h.Level, Title: h.Title, Slug: h.Slug, Line: h.Line})
	}
	return nil
}

func (d documents) noSection(path, name string, outline []markup.Heading, fits []string) *status.Failure {
	reason := status.NoCandidates
	if len(fits) > 0 {
		reason = status.AmbiguousTarget
	}
	var among []status.Candidate
	for _, h := range outline {
		if len(fits) == 0 || contains(fits, h.Slug) {
			among = append(among, status.Candidate{Ref: path + "#" + h.Slug, Title: strconv.Itoa(h.Line) + " " + h.Title, Source: d.source, Sets: status.Section(path, h.Slug)})
		}
	}
	f := status.Fail(reason, status.WasCalled, status.Reference.Is("section "+name+" of "+path), status.Path.Is(path), status.Among(among...))
	return &f
}

// List lists the documents of a repository, or those below a directory.
func (d documents) List(ctx context.Context, q connectors.PageList) status.Result[connectors.Page] {
	treeish, offset, f := d.treeCursor(q.Cursor)
	if f != nil {
		return status.Failed[connectors.Page](d.source, *f)
	}
	parent, f := d.cleanPath(q.Parent)
	if f != nil {
		return status.Failed[connectors.Page](d.source, *f)
	}
	p, u := d.place(ctx, "space", q.Space, "")
	if u != nil {
		return unread[connectors.Page](d.source, u)
	}
	if treeish == "" {
		treeish = p.treeish
	}
	t, f := d.readTree(ctx, p.repo.name, treeish, true)
	if f != nil {
		return status.Failed[connectors.Page](d.source, *f)
	}
	if _, ok := t.find(parent); parent != "" && !ok {
		return unread[connectors.Page](d.source, d.notInTree(ctx, p, t, spot{"", parent}))
	}
	a := d.treeAudit(ctx, p, t)
	a.Hold(t.x.Proof(), status.Effectiveness)
	var all []connectors.Page
	for _, e := range filesOf(t, isDocument) {
		if parent == "" || strings.HasPrefix(e.Path, parent+"/") {
			all = append(all, d.page(p, e.Path))
		}
	}
	closedTo(a, t, parent, len(all))
	from, to := cut(len(all), offset, q.Limit)
	if to < len(all) {
		a.Next(t.sha + ":" + strconv.Itoa(to))
	}
	return status.List(d.source, all[from:to], a)
}

// closedIn counts what lies below a directory and is not gone into. GH-48.
func closedIn(t tree, parent string) map[string]int {
	closed := map[string]int{}
	for _, e := range t.entries {
		if kind := e.kind(); (kind == "submodule" || kind == "symlink") && overlaps(e.Path, parent) {
			closed[kind+"s"]++
		}
	}
	return closed
}

// closedTo records what a listing of documents does not go into. That is a gap
// where no document was found, and a note beside others.
func closedTo(a *status.Audit, t tree, parent string, found int) {
	closed := closedIn(t, parent)
	kinds := slices.Sorted(maps.Keys(closed))
	if len(kinds) > 0 && found == 0 {
		a.Fail(status.Effectiveness, status.Fail(status.ContentNotIncluded, status.Skipped.Is(closed), status.Part.Is(strings.Join(kinds, " and "))))
		return
	}
	for _, kind := range kinds {
		a.Unprovable(kind + "_not_listed")
	}
}

// isText reports whether the reference is no link, so that a path with one
// slash in it may have been taken for owner/name.
func isText(r ref.Ref) bool { return r.Host == "" }
