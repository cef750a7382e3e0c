package local

import (
	"path"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// byName finds a document by the end of its path, by its file name without
// extension or by its title. That there is none takes a walk of the whole tree,
// and for a title a look into every document.
func (d *documents) byName(l *look, name string, q connectors.PageGet) status.Result[connectors.Page] {
	found := l.walk(".")
	if found.failed != nil {
		return d.failed(*found.failed)
	}
	hits := l.byPath(found.docs, name)
	if _, document := kindOf(name); len(hits) == 0 && (!document || path.Ext(name) == "") {
		var stop *status.Failure
		if hits, stop = l.byTitle(found.docs, name); stop != nil {
			found.stopped = stop
		}
	}
	switch len(hits) {
	case 0:
		a := l.audit(found, ".")
		a.Examined(len(found.docs))
		l.finish(a)
		if blurred(name) {
			return d.failed(unwritable().With(status.Reference.Is(shownName(name)), status.Container.Is(l.container())))
		}
		return status.Absent[connectors.Page](d.source, a, status.Reference.Is(shownName(name)), status.Container.Is(l.container()),
			status.Among(l.candidates(similar(found.docs, name))...))
	case 1:
		p, failure, there := l.locate(hits[0].path)
		if failure != nil {
			return d.failed(*failure)
		}
		if !there { // LD-13
			return d.failed(skipChanged.failure())
		}
		return d.document(l, p, q.Section)
	default:
		return d.failed(status.Fail(status.AmbiguousTarget, status.WasCalled, status.Reference.Is(shownName(name)), status.Margin.Is(0),
			status.Total.Is(len(hits)), status.Among(l.candidates(hits)...)))
	}
}

// byPath are the documents whose path ends with that name, an extension or not.
func (l *look) byPath(docs []leaf, name string) []leaf {
	wanted := markup.Fold(strings.TrimPrefix(path.Clean("/"+name), "/"))
	var out []leaf
	for _, e := range docs {
		p := markup.Fold(e.path)
		bare := strings.TrimSuffix(p, path.Ext(p))
		if ends(p, wanted) || ends(bare, wanted) {
			out = append(out, e)
		}
	}
	return out
}

// ends reports whether a path ends with whole names.
func ends(p, tail string) bool {
	return p == tail || tail != "" && strings.HasSuffix(p, "/"+tail)
}

// byTitle are the documents that bear that title. What could not be read is
// counted: it may be the one.
func (l *look) byTitle(docs []leaf, name string) ([]leaf, *status.Failure) {
	wanted := markup.Fold(markup.Line(name, maxName))
	var out []leaf
	for _, e := range docs {
		if stop := l.over(); stop != nil {
			return out, stop
		}
		if e.other != "" {
			continue // it has no title but its file name
		}
		t, why := l.file(e.real)
		if why != "" {
			l.skips.add(why)
			continue
		}
		text, _ := cleanText(e.format, t.text)
		if markup.Fold(markup.Line(markup.Title(e.format, text, e.path), maxName)) == wanted {
			out = append(out, e)
		}
	}
	return out, nil
}

// similar are documents whose file names share a part with what was asked for.
func similar(docs []leaf, name string) []leaf {
	base := fileTitle(name)
	var out []leaf
	for _, e := range docs {
		own := fileTitle(e.path)
		if len(out) < 5 && (markup.ContainsFold(own, base) || len(own) > 2 && markup.ContainsFold(base, own)) {
			out = append(out, e)
		}
	}
	return out
}
