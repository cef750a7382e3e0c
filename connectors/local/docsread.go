package local

import (
	"context"
	"net/url"
	"path"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

const (
	// maxPage bounds the text of a document in an answer, in bytes.
	maxPage = 64 << 10
	// maxOutline bounds the headings in an answer.
	maxOutline = 200
)

// Read reads one document, or one section of it. It is found by its path, by
// the end of its path, or by its title.
func (d *documents) Read(ctx context.Context, q connectors.PageGet) status.Result[connectors.Page] {
	name := nameOf(q.Ref)
	if name == "" {
		return d.failed(*unusable("ref", "give the path or the title of a document"))
	}
	l, failure := d.begin(ctx)
	if failure != nil {
		return d.failed(*failure)
	}
	defer l.close()
	p, failure, found := l.locate(name)
	if plain, err := url.PathUnescape(name); failure == nil && !found && err == nil && plain != name {
		if p, failure, found = l.locate(plain); !found && failure == nil {
			name = plain
		}
	}
	switch {
	case failure != nil:
		return d.failed(failure.With(status.Reference.Is(name)))
	case found && p.info.IsDir():
		return d.directory(l, p)
	case found:
		return d.document(l, p, q.Section)
	case q.Ref.Revision != "": // main:docs/guide.md: what is on disk is another text
		return d.failed(status.Fail(status.OperationUnsupported, status.Feature.Is("documents of a revision"), status.Reference.Is(shownName(name)),
			status.Fallback("read it with repo_read_file, which takes a revision")))
	default:
		return d.byName(l, name, q)
	}
}

// nameOf is what a reference calls the document.
func nameOf(r ref.Ref) string {
	if r.Path != "" && r.Revision == "" {
		return r.Path
	}
	name := r.Raw
	if r.Anchor != "" {
		name = strings.TrimSuffix(name, "#"+r.Anchor)
	}
	return strings.TrimSpace(name)
}

// directory offers the documents of a directory that was named instead of one.
func (d *documents) directory(l *look, p place) status.Result[connectors.Page] {
	if l.leftOut(p.real, path.Base(p.real)) == skipIgnored {
		return d.failed(skipIgnored.failure().With(pathFact(p.path)))
	}
	found := l.walk(p.real)
	if found.failed != nil {
		return d.failed(*found.failed)
	}
	if len(found.docs) == 0 {
		return d.failed(status.Fail(status.WrongKind, status.Reference.Is(shownName(p.path)), status.Part.Is("a directory without documents"),
			status.Remedy.Is("Give the path or the title of a document; docs_list lists them.")))
	}
	return d.failed(status.Fail(status.AmbiguousTarget, status.WasCalled, status.Reference.Is(shownName(p.path)),
		status.Margin.Is(0), status.Total.Is(len(found.docs)), status.Among(l.candidates(found.docs)...)))
}

// noDocument says what a file is that is no document, and which tool reads it.
func (l *look) noDocument(p place) status.Failure {
	what, remedy := "a file that is not read as a document", "Give the path or the title of a document; docs_list lists them."
	if l.rules.known {
		what, remedy = "a file of the repository that is not read as a document", "Read it with repo_read_file path="+shownName(l.prefix+p.path)+"."
	}
	return status.Fail(status.WrongKind, status.WasCalled, status.Reference.Is(shownName(p.path)), pathFact(p.path), status.Part.Is(what), status.Remedy.Is(remedy))
}

// candidates names documents, those on top first.
func (l *look) candidates(docs []leaf) []status.Candidate {
	var out []status.Candidate
	for _, e := range docs {
		if len(out) == 20 {
			break
		}
		out = append(out, status.Candidate{Ref: shownName(e.path), Title: fileTitle(e.path), Source: l.source})
	}
	return out
}

// document reads what was found at a place.
func (d *documents) document(l *look, p place, section string) status.Result[connectors.Page] {
	e, ok := kindOf(p.path)
	if !ok {
		e, ok = kindOf(p.real)
	}
	e.path, e.real = p.path, p.real
	at := pathFact(p.path)
	switch {
	case l.rules.excludes(p.real):
		return d.failed(skipIgnored.failure().With(at))
	case !p.info.Mode().IsRegular():
		return d.failed(*wrongKind(p.path))
	case !ok:
		return d.failed(l.noDocument(p))
	case e.other != "":
		return d.failed(status.Fail(status.OperationUnsupported, status.Feature.Is("the text of documents in the format "+e.other), at))
	}
	t, why := l.file(p.real)
	if why == skipTooLarge {
		return d.failed(why.failure().With(at, status.SizeBytes.Is(t.size), status.Limit.Is(int(l.bounds.fileSize)),
			status.Fallback("read some of its lines with repo_read_file, or search it with repo_search_code")))
	}
	if why != "" {
		return d.failed(why.failure().With(at))
	}
	a := &status.Audit{}
	a.Hold(status.Proof{Request: "read " + shownName(p.path), At: l.now()}, status.Transport, status.Shape, status.InBand, status.Identity, status.Scope, status.Completeness)
	return d.text(l.whole(e), e, reading{t, section, a})
}

// reading is a document that was read, the section that is wanted of it, and
// the audit of the answer.
type reading struct {
	fileText
	section string
	audit   *status.Audit
}

// text makes the answer of a document that was read.
func (d *documents) text(item connectors.Page, e leaf, r reading) status.Result[connectors.Page] {
	text, removed := cleanText(e.format, r.text)
	item = about(item, e, r.fileText, text)
	item.Removed = removed
	outline := markup.Outline(e.format, text)
	body := text
	if r.section != "" {
		part, h, slugs, ok := markup.Section(e.format, text, r.section)
		switch {
		case !ok && len(slugs) > 0:
			return d.failed(status.Fail(status.AmbiguousTarget, status.WasCalled, status.Reference.Is(item.Ref+"#"+r.section),
				status.Margin.Is(0), status.Among(sections(item, outline, slugs)...)))
		case !ok:
			return status.Absent[connectors.Page](d.source, r.audit, status.Reference.Is("section "+r.section), status.Container.Is(item.Ref),
				status.Among(sections(item, outline, nil)...))
		}
		body, item.Section, item.Line = part, h.Title, h.Line
		outline = below(outline, h)
	}
	if len(outline) > maxOutline {
		r.audit.Unmade(status.Completeness, ownCap(maxOutline).With(status.Total.Is(len(outline)),
			status.Fallback("read a section of an upper level: its outline is shorter")))
	}
	for _, h := range outline[:min(len(outline), maxOutline)] {
		item.Outline = append(item.Outline, connectors.Heading{Level: h.Level, Title: h.Title, Slug: h.Slug, Line: h.Line})
	}
	item.Body, item.BodyCut = markup.Cut(body, maxPage)
	if item.BodyCut {
		r.audit.Unmade(status.Completeness, status.Fail(status.OwnCap, status.SizeBytes.Is(int64(len(body))), status.Limit.Is(maxPage),
			status.Fallback("read it section by section: docs_read with a section of the outline")))
	}
	return status.One(d.source, item, r.audit)
}

// below are the headings of one section, itself included.
func below(outline []markup.Heading, s markup.Heading) []markup.Heading {
	var out []markup.Heading
	for _, h := range outline {
		if h.Start >= s.Start && h.End <= s.End {
			out = append(out, h)
		}
	}
	return out
}

// sections offers the sections with these slugs, or all, as candidates.
func sections(item connectors.Page, outline []markup.Heading, slugs []string) []status.Candidate {
	var out []status.Candidate
	for _, h := range outline {
		wanted := len(slugs) == 0
		for _, s := range slugs {
			wanted = wanted || s == h.Slug
		}
		if wanted {
			out = append(out, status.Candidate{Ref: item.Ref + "#" + h.Slug, Title: h.Title, Source: item.Source, Sets: status.Section(item.Ref, h.Slug)})
		}
	}
	return out
}
