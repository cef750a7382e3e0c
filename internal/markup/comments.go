package markup

import (
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

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
		if opener(s) < 0 {
			return s, removed
		}
		spans, sure := plainComments(s)
		if !sure {
			spans = hiddenSpans(s)
		}
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

// plainComments finds the comments of the usual case, those of an issue
// template, without parsing: each begins and ends its line, and no code fence
// opens before it. Such a line is HTML wherever it stands, since it interrupts
// paragraphs and is not indented. sure is false if s holds anything else.
func plainComments(s string) (spans []span, sure bool) {
	for at := 0; ; {
		open := opener(s[at:])
		if open < 0 {
			return spans, true
		}
		start := at + open
		before := s[at:start]
		length := strings.Index(s[start+2:], "-->")
		end := start + 2 + length + len("-->")
		if length < 0 || !strings.HasPrefix(s[start:], "<!--") || !wholeLines(s, start, end) ||
			strings.Contains(before, "```") || strings.Contains(before, "~~~") {
			return nil, false
		}
		spans = append(spans, span{start, end})
		at = end
	}
}

func wholeLines(s string, start, end int) bool {
	line, _ := lineAt(s, end)
	return (start == 0 || s[start-1] == '\n') && strings.TrimRight(line, " \t") == ""
}

// opener is the index of the first "<!" or "<?" in s, or -1.
func opener(s string) int {
	for at := 0; ; at++ {
		next := strings.IndexByte(s[at:], '<')
		if next < 0 {
			return -1
		}
		at += next
		if at+1 < len(s) && (s[at+1] == '!' || s[at+1] == '?') {
			return at
		}
	}
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
func hiddenSpans(src string) []span {
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
func nextHidden(src string, raw []span, i, at int) (found span, next int, ok bool) {
	segment := src[at:raw[i].end]
	open := opener(segment)
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
		if k := strings.Index(src[from:raw[j].end], closer); k >= 0 {
			return span{start, from + k + len(closer)}, j, true
		}
	}
	return span{start, len(src)}, len(raw) - 1, true
}

// rawHTML lists the segments of src that reach a browser as HTML, in order;
// segments that touch are one.
func rawHTML(src string) []span {
	var out []span
	add := func(s text.Segment) {
		if n := len(out); n > 0 && out[n-1].end == s.Start {
			out[n-1].end = s.Stop
			return
		}
		out = append(out, span{s.Start, s.Stop})
	}
	// The walk cannot fail: the visitor returns no error.
	_ = ast.Walk(parse(rawParser(), src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
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
