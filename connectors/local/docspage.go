package local

import (
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
)

const (
	// maxName bounds titles, paths and names in items, in characters.
	maxName = 400
	// maxSnippet bounds the piece of a line around a match, in characters.
	maxSnippet = 160
)

// cleanText is a document as a person sees it, and what was taken out of it.
func cleanText(f markup.Format, text string) (string, int) {
	if f == markup.Markdown {
		out, removed := markup.CleanMarkdown(text)
		return out, removed.Total()
	}
	out, removed := markup.Clean(text)
	return out, removed.Total()
}

// whole is a document that is read by itself.
func (l *look) whole(e leaf) connectors.Page {
	item := l.item(e)
	item.Path, item.Parent = item.Ref, parentOf(e.path)
	return item
}

// item is what every answer says about a document. Its path is its reference.
func (l *look) item(e leaf) connectors.Page {
	name := shownName(e.path)
	format := e.other
	if format == "" {
		format = e.format.String()
	}
	return connectors.Page{
		Origin: connectors.Origin{Source: l.source, Ref: name, Title: fileTitle(e.path), Container: l.container()},
		Space:  l.spaceOf(e.path), Format: format,
	}
}

// fileTitle is the title of a document that has none or could not be read.
func fileTitle(p string) string {
	base := path.Base(p)
	return markup.Line(strings.TrimSuffix(base, path.Ext(base)), maxName)
}

// spaceOf is the folder at the top of a path, or the tree itself.
func (l *look) spaceOf(p string) string {
	top, _, below := strings.Cut(p, "/")
	if !below {
		return l.container()
	}
	return shownName(top)
}

func parentOf(p string) string {
	if dir := path.Dir(p); dir != "." {
		return shownName(dir)
	}
	return ""
}

// about adds what the file itself tells: when it changed, its title, its encoding.
func about(item connectors.Page, e leaf, t fileText, text string) connectors.Page {
	if !t.modified.IsZero() {
		at := t.modified.Truncate(time.Second)
		item.UpdatedAt = &at
	}
	if text != "" {
		item.Title = markup.Line(markup.Title(e.format, text, e.path), maxName)
	}
	item.Encoding = t.named()
	return item
}

// row is a document in a listing. One that is gone since the walk is no item;
// one that cannot be read still is, under its file name.
func (l *look) row(e leaf) (connectors.Page, bool) {
	item := l.item(e)
	if e.other != "" {
		if info, err := l.vol.Stat(e.real); err == nil {
			item = about(item, e, fileText{modified: info.ModTime().UTC(), encoding: utf8Text()}, "")
		}
		return item, true
	}
	t, why := l.file(e.real)
	switch why {
	case "":
	case skipChanged, skipUnreadable, skipBroken:
		l.skips.add(why)
		return item, why != skipChanged
	default: // it is listed; only its own title stays unknown
		t.encoding = utf8Text()
		return about(item, e, t, ""), true
	}
	text, removed := cleanText(e.format, t.text)
	item = about(item, e, t, text)
	item.Removed = removed
	return item, true
}

func utf8Text() markup.Encoding { return markup.Encoding{Charset: markup.UTF8} }

// match reads a document and reports whether its path, title or text contains
// the needle. What could not be read is counted, since it may contain it too.
func (l *look) match(e leaf, n wanted) (connectors.Page, bool) {
	item := l.item(e)
	inPath := n.In(e.path)
	if e.other != "" {
		l.skips.add(skipOther)
		return item, inPath
	}
	t, why := l.file(e.real)
	if why != "" {
		l.skips.add(why)
		return item, inPath && why != skipChanged
	}
	written, _ := markup.Clean(t.text)
	start, end := n.Index(written)
	if start < 0 && t.encoding.Guessed && !n.ascii { // LD-09: the guess may have misread just what was asked for
		l.skips.add(skipEncoding)
	}
	if start < 0 && !inPath && !n.inTitle(e, written) {
		return item, false
	}
	text, removed := cleanText(e.format, t.text)
	item = about(item, e, t, text)
	item.Removed = removed
	if start >= 0 {
		item.Line = 1 + strings.Count(written[:start], "\n")
		item.Snippet = snippet(written, start, end)
		if removed > 0 {
			item.Snippet = visible(text, n)
		}
	}
	return item, true
}

// visible is the snippet of a text from which something was removed: a match in
// what a reader does not see has a line and no snippet.
func visible(text string, n wanted) string {
	start, end := n.Index(text)
	if start < 0 {
		return ""
	}
	return snippet(text, start, end)
}

// snippet is the line of a match, or the piece of it around the match.
func snippet(text string, start, end int) string {
	from := strings.LastIndexByte(text[:start], '\n') + 1
	to := len(text)
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		to = start + i
	}
	line := text[from:to]
	if utf8.RuneCountInString(line) <= maxSnippet {
		return markup.Line(line, maxSnippet)
	}
	at := start - from
	keep := max(maxSnippet-utf8.RuneCountInString(text[start:min(end, to)]), 0) / 3
	head := line[:at]
	for n := utf8.RuneCountInString(head); n > keep; n-- {
		_, size := utf8.DecodeRuneInString(head)
		head = head[size:]
	}
	out := head + line[at:]
	if len(head) < at {
		out = "…" + out
	}
	return markup.Line(out, maxSnippet)
}
