package markup

import (
	"sort"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// markdownParser is CommonMark without extensions; it is safe for concurrent use.
var markdownParser = sync.OnceValue(func() parser.Parser { return goldmark.DefaultParser() })

func parseMarkdown(src []byte) ast.Node {
	return markdownParser().Parse(text.NewReader(src))
}

// maxPasses bounds the work on a text made so that removing one comment brings
// another to life.
const maxPasses = 8

// CleanMarkdown is Clean, and removes HTML comments, declarations and
// processing instructions as well: who reads the rendered page never sees
// them, a model would. In code blocks and code spans they are text and stay.
// Line breaks around a comment stay, so no line moves out of its block.
func CleanMarkdown(s string) (string, Removed) {
	s, removed := Clean(s)
	for range maxPasses {
		if !mayHide(s) {
			return s, removed
		}
		spans := hiddenSpans([]byte(s))
		if len(spans) == 0 {
			return s, removed
		}
		removed.Comment += len(spans)
		s = without(s, spans)
	}
	// What is left was built to outlast the passes. Making its openers plain
	// text shows it to everyone.
	return strings.NewReplacer("<!", "< !", "<?", "< ?").Replace(s), removed
}

func mayHide(s string) bool {
	return strings.Contains(s, "<!") || strings.Contains(s, "<?")
}

// span is a half-open range of byte offsets.
type span struct{ start, end int }

// without removes the spans, which are ascending and apart. Where that would
// glue two words together a space stays, which also keeps the two ends from
// forming a new comment.
func without(s string, spans []span) string {
	var out strings.Builder
	at := 0
	for _, sp := range spans {
		out.WriteString(s[at:sp.start])
		if sp.start > 0 && sp.end < len(s) && !isSpace(s[sp.start-1]) && !isSpace(s[sp.end]) {
			out.WriteByte(' ')
		}
		at = sp.end
	}
	out.WriteString(s[at:])
	return out.String()
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

// hiddenSpans finds what a browser takes for comments in the raw HTML of a
// Markdown text: only raw HTML can hold them, since the rest is escaped.
func hiddenSpans(src []byte) []span {
	raw := rawHTML(src)
	var out []span
	for i := 0; i < len(raw); i++ {
		for at := raw[i].start; at < raw[i].end; {
			found, next, ok := nextHidden(src, raw, i, at)
			if !ok {
				break
			}
			out = append(out, found)
			i, at = next, found.end
		}
	}
	return out
}

// nextHidden is the first comment that opens in raw[i] at or after the offset
// at, and the index of the segment in which it ends. One that never ends hides
// the rest of the text.
func nextHidden(src []byte, raw []span, i, at int) (found span, next int, ok bool) {
	segment := string(src[at:raw[i].end])
	open := strings.Index(segment, "<!")
	if q := strings.Index(segment, "<?"); q >= 0 && (open < 0 || q < open) {
		open = q
	}
	if open < 0 {
		return span{}, i, false
	}
	start := at + open
	closer, from := ">", start+2
	if strings.HasPrefix(segment[open:], "<!--") {
		closer = "-->" // also ends "<!-->": its dashes count twice
	}
	for j := i; j < len(raw); j++ {
		from = max(from, raw[j].start)
		if from > raw[j].end {
			continue
		}
		if k := strings.Index(string(src[from:raw[j].end]), closer); k >= 0 {
			return span{start, from + k + len(closer)}, j, true
		}
	}
	return span{start, len(src)}, len(raw) - 1, true
}

// rawHTML lists the segments of src that reach a browser as HTML, in order;
// segments that touch are one.
func rawHTML(src []byte) []span {
	var out []span
	add := func(s text.Segment) {
		if n := len(out); n > 0 && out[n-1].end == s.Start {
			out[n-1].end = s.Stop
			return
		}
		out = append(out, span{s.Start, s.Stop})
	}
	// The walk cannot fail: the visitor returns no error.
	_ = ast.Walk(parseMarkdown(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
				add(s)
			}
			if n.HasClosure() {
				add(n.ClosureLine)
			}
		case *ast.RawHTML:
			for _, s := range n.Segments.Sliced(0, n.Segments.Len()) {
				add(s)
			}
		}
		return ast.WalkContinue, nil
	})
	sort.Slice(out, func(i, j int) bool { return out[i].start < out[j].start })
	return out
}
