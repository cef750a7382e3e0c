package local

import (
	"context"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// documents answers for the documents in a tree: Markdown, AsciiDoc,
// reStructuredText and plain text are read; others are listed by name.
type documents struct{ *tree }

// newDocs makes the document source of a tree.
func newDocs(t *tree) *documents { return &documents{t} }

var _ connectors.Docs = (*documents)(nil)

// container is the one name under which all that the source holds is known, and
// by which an allow-list judges it, whatever its kind: that of the repository, as
// owner/name of its remote, else that of the directory.
func (t *tree) container(ctx context.Context) string {
	return first(t.remote(ctx), shownName(lastPart(t.root)))
}

// container is that of the tree, asked for once.
func (l *look) container() string {
	if l.name == "" {
		l.name = l.tree.container(l.ctx)
	}
	return l.name
}

// Search walks the tree and reads every document. It is empty only if all of
// them were read to their ends.
func (d *documents) Search(ctx context.Context, q connectors.PageQuery) status.Result[connectors.Page] {
	text, _ := markup.Clean(q.Text)
	if strings.TrimSpace(text) == "" {
		return d.failed(*unusable("query", "give a text with a visible character"))
	}
	wanted := newWanted(text)
	return d.page(ctx, folder{space: q.Space}, q.Paging, func(l *look, e leaf) (connectors.Page, bool) {
		return l.match(e, wanted)
	})
}

// List lists the documents below a folder, by path.
func (d *documents) List(ctx context.Context, q connectors.PageList) status.Result[connectors.Page] {
	return d.page(ctx, folder{space: q.Space, parent: q.Parent}, q.Paging, func(l *look, e leaf) (connectors.Page, bool) {
		return l.row(e)
	})
}

// page goes through the documents of a scope in the order of their paths, and
// hands out those that take accepts, from behind the cursor on.
func (d *documents) page(ctx context.Context, sc folder, p connectors.Paging, take func(*look, leaf) (connectors.Page, bool)) status.Result[connectors.Page] {
	after, ok := afterOf(p.Cursor)
	if !ok {
		return d.failed(*unusable("cursor", "is not a cursor of this source; leave it out"))
	}
	l, failure := d.begin(ctx)
	if failure != nil {
		return d.failed(*failure)
	}
	defer l.close()
	dir, answer := d.inScope(l, sc)
	if answer != nil {
		return *answer
	}
	found := l.walk(dir)
	if found.failed != nil {
		return d.failed(*found.failed)
	}
	audit := l.audit(found, dir)
	var pages []connectors.Page
	last := after
	rest, known := behind(found.docs, after)
	if len(rest) == 0 && !known && after != "" && found.stopped == nil {
		return d.failed(*stray())
	}
	for _, e := range rest {
		if stop := l.over(); stop != nil {
			if found.stopped == nil {
				audit.Unmade(status.Completeness, *stop)
			}
			if last != after { // without progress the next page would be cut at the same place
				audit.Next(cursorAfter(last))
			}
			break
		}
		item, ok := take(l, e)
		audit.Examined(1)
		if ok && len(pages) == p.Limit {
			audit.Next(cursorAfter(last))
			break
		}
		if ok {
			pages = append(pages, item)
		}
		last = e.path
	}
	if ctx.Err() != nil && len(pages) == 0 {
		return d.failed(ended(ctx))
	}
	l.finish(audit)
	return status.List(d.source, pages, audit)
}

// audit opens the audit of an answer that rests on a walk.
func (l *look) audit(found walked, dir string) *status.Audit {
	a := &status.Audit{}
	a.Hold(status.Proof{Request: "walk of " + shownName(dir), At: l.now()}, status.Transport, status.Shape, status.InBand, status.Identity,
		status.Scope, status.Completeness, status.Effectiveness)
	if found.stopped != nil {
		a.Unmade(status.Completeness, found.stopped.With(status.Examined.Is(l.entries)))
	}
	if found.bare && !l.mounted() { // LD-07
		a.Unmade(status.Scope, status.Fail(status.Misconfigured,
			status.ConfigKey.Is("root"), status.Part.Is("the directory is bare, as where a file system is still to be mounted"),
			status.Remedy.Is("Mount what belongs at the root of this source, or correct root in frank.yaml.")))
	}
	for _, gap := range l.rules.gapsIn(dir) {
		a.Unmade(status.Completeness, gap) // LG-08, LG-09
	}
	if l.rules.fault != nil {
		a.Unmade(status.Effectiveness, *l.rules.fault)
	}
	return a
}

// finish enters what was not looked at into the audit and the trace.
func (l *look) finish(a *status.Audit) {
	l.skips.charge(a)
	if len(l.skips) > 0 {
		status.CallFrom(l.ctx).Step("not looked at in " + l.source + ": " + l.skips.words())
	}
}

// behind are the documents after a path, by which they are ordered, and whether
// one has that path.
func behind(docs []leaf, after string) ([]leaf, bool) {
	i, found := slices.BinarySearchFunc(docs, after, func(e leaf, p string) int { return strings.Compare(e.path, p) })
	if found {
		i++
	}
	return docs[i:], found
}

// cursorAfter goes on behind a path; the letter keeps it from being empty.
func cursorAfter(p string) string { return "p" + shownName(p) }

func afterOf(cursor string) (string, bool) {
	if cursor == "" {
		return "", true
	}
	after, ok := strings.CutPrefix(cursor, "p")
	return rawName(after), ok
}

func (d *documents) failed(f status.Failure) status.Result[connectors.Page] {
	return status.Failed[connectors.Page](d.source, f)
}
