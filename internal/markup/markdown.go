package markup

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/frank-mcp/frank/internal/pattern"
)

// markdownHeadings takes the headings that stand on their own. Those inside
// quotes and lists have no section of their own.
func markdownHeadings(src string) []Heading {
	skip := frontMatter(src).end
	body := src[skip:]
	var out []Heading
	seen, start, last := 0, 0, -1 // offset and line of the last heading seen; line of the last one taken
	add := func(at int, h Heading) {
		if i := strings.LastIndexByte(body[seen:at], '\n'); i >= 0 {
			start = seen + i + 1
		}
		seen = at
		if start > last && h.Title != "" {
			h.Start, last = skip+start, start
			out = append(out, h)
		}
	}
	for n := parse(blockParser(), body).FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Lines().Len() > 0 {
				lines := n.Lines()
				title := body[lines.At(0).Start:lines.At(lines.Len()-1).Stop]
				add(lines.At(0).Start, Heading{Level: n.Level, Title: Line(plainText(title), maxTitle)})
			}
		case *ast.HTMLBlock:
			htmlHeadings(n, body, add)
		}
	}
	return out
}

// htmlHeading: READMEs often centre their title with <h1 align="center">.
var (
	htmlHeading = pattern.New(`(?is)<h([1-6])(?:\s[^>]*)?>(.*?)</h[1-6]\s*>`)
	htmlTag     = pattern.New(`(?s)<[^>]*>`)
)

func htmlHeadings(n *ast.HTMLBlock, body string, add func(at int, h Heading)) {
	if n.Lines().Len() == 0 || n.HTMLBlockType != ast.HTMLBlockType6 {
		return // the other types hold scripts and comments
	}
	start := n.Lines().At(0).Start
	block := body[start:n.Lines().At(n.Lines().Len()-1).Stop]
	for _, m := range htmlHeading.Regexp().FindAllStringSubmatchIndex(block, -1) {
		title := htmlTag.Regexp().ReplaceAllString(block[m[4]:m[5]], "")
		add(start+m[0], Heading{Level: int(block[m[2]] - '0'), Title: Line(title, maxTitle)})
	}
}

// maxSource bounds the source of a title, in bytes, well above maxTitle.
const maxSource = 2000

// plainText is what a heading reads like once rendered. Pictures count only
// where there is nothing else, by their description.
func plainText(title string) string {
	title, _ = Cut(title, maxSource)
	node := parse(inlineParser(), title)
	if plain := inlineText(node, []byte(title), false); strings.TrimSpace(plain) != "" {
		return plain
	}
	return inlineText(node, []byte(title), true)
}

func inlineText(heading ast.Node, src []byte, pictures bool) string {
	var out bytes.Buffer
	// The walk cannot fail: the visitor returns no error.
	_ = ast.Walk(heading, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			out.Write(textOf(n, src))
		case *ast.String:
			out.Write(n.Value)
		case *ast.AutoLink:
			out.Write(n.Label(src))
		case *ast.Image:
			if !pictures {
				return ast.WalkSkipChildren, nil
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// textOf resolves escapes and entities, which stand for themselves in code.
func textOf(n *ast.Text, src []byte) []byte {
	value := n.Segment.Value(src)
	if n.SoftLineBreak() || n.HardLineBreak() {
		value = append(bytes.Clone(value), ' ')
	}
	if _, code := n.Parent().(*ast.CodeSpan); code || n.IsRaw() {
		return value
	}
	return util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(value)))
}

type matter struct {
	title string
	end   int // offset at which the document itself begins
}

// frontMatter reads the YAML (---) or TOML (+++) block at the very start of a
// document. Of its contents only a plain top-level title is understood.
func frontMatter(src string) matter {
	fence, at := lineAt(src, 0)
	fence = strings.TrimRight(strings.TrimPrefix(fence, "\uFEFF"), " \t")
	var separator, title string
	switch fence {
	case "---":
		separator = ":"
	case "+++":
		separator = "="
	default:
		return matter{}
	}
	for at < len(src) {
		line, next := lineAt(src, at)
		end := strings.TrimRight(line, " \t")
		if end == fence || fence == "---" && end == "..." {
			return matter{title, next}
		}
		if key, value, ok := strings.Cut(line, separator); ok && title == "" && strings.TrimRight(key, " ") == "title" {
			title = unquote(strings.TrimSpace(value))
		}
		at = next
	}
	return matter{} // never closed: a thematic break
}

// unquote takes the quotes off a scalar; of a block scalar it makes nothing.
func unquote(v string) string {
	if n := len(v); n >= 2 && (v[0] == '"' || v[0] == '\'') && v[n-1] == v[0] {
		return v[1 : n-1]
	}
	if strings.HasPrefix(v, "|") || strings.HasPrefix(v, ">") {
		return ""
	}
	if i := strings.Index(v, " #"); i >= 0 {
		v = strings.TrimSpace(v[:i])
	}
	return v
}
