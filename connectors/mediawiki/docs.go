package mediawiki

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
)

// documents answers for the pages of the wiki.
type documents struct{ *client }

var _ connectors.Docs = documents{}

// maxTitle bounds a title in an answer, in runes; MediaWiki's own limit is 255 bytes.
const maxTitle = 300

// maxSnippet bounds the text shown of a hit, in runes.
const maxSnippet = 300

// page is a page as listings show it.
func (d documents) page(s site, w wireRow) connectors.Page {
	title, removed := markup.Clean(w.Title)
	o := connectors.Origin{
		Source: d.source, Container: s.container(*w.Namespace), Ref: d.reference(s, w.Title, w.ID), URL: s.url(w.Title),
		Title: markup.Line(title, maxTitle), Removed: removed.Total(),
	}
	p := connectors.Page{Origin: o, Space: o.Container}
	if sp, ok := s.numbered(*w.Namespace); ok && sp.subpages {
		if i := strings.LastIndexByte(title, '/'); i > 0 {
			p.Parent = markup.Line(title[:i], maxTitle)
		}
	}
	return p
}

// reference is what docs_read takes for the page: its title, else its address, else
// the address of its number, whichever is read as this page again.
func (d documents) reference(s site, title string, id int) string {
	for _, named := range []string{title, s.url(title)} {
		r, err := ref.Parse(named)
		if err != nil {
			continue
		}
		if w, f := d.want(s, r); f == nil && w.title == plainTitle(title) && w.page == "" && w.version == "" && w.fragment == "" && d.owns(r) {
			return named
		}
	}
	u := *s.server
	u.Path, u.RawQuery = s.script, "curid="+strconv.Itoa(id)
	return u.String()
}

// sameTitle compares titles as the wiki does: NFC, underscores as spaces, and
// without case for the first letter where the wiki has none.
func sameTitle(s site, a, b string) bool {
	a, b = plainTitle(a), plainTitle(b)
	_, i := utf8.DecodeRuneInString(a)
	_, j := utf8.DecodeRuneInString(b)
	return a == b || s.folds && a[i:] == b[j:] && markup.Fold(a[:i]) == markup.Fold(b[:j])
}

func plainTitle(t string) string {
	return norm.NFC.String(strings.Join(strings.Fields(strings.ReplaceAll(t, "_", " ")), " "))
}

// plain is a snippet without its marks, as one line.
func plain(snippet string) string {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(snippet, "<")
		b.WriteString(before)
		_, after, closed := strings.Cut(rest, ">")
		if !open || !closed {
			return markup.Line(html.UnescapeString(b.String()), maxSnippet)
		}
		snippet = after
	}
}
