package markup

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// wholeParser reads a whole document, with the tables and the strike-through that
// the products in question know. It is for texts of bounded size.
var wholeParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(strikes{}, 500))...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(tables{}, 200))...),
	)
})

// ToADF turns Markdown into a document in Atlassian's format. Nothing of the text
// is lost: what the format has no place for, such as HTML, becomes plain text.
func ToADF(markdown string) json.RawMessage {
	markdown = strings.ReplaceAll(strings.ReplaceAll(markdown, "\r\n", "\n"), "\r", "\n")
	root := parse(wholeParser(), markdown)
	w := adfWriter{src: []byte(markdown)}
	doc := struct {
		Type    string    `json:"type"`
		Version int       `json:"version"`
		Content []adfNode `json:"content"`
	}{"doc", 1, w.blocks(root, inDocument)}
	if doc.Content == nil {
		doc.Content = []adfNode{}
	}
	raw, err := json.Marshal(doc)
	if err != nil { // texts and numbers always encode
		panic("markup: document: " + err.Error())
	}
	return raw
}

// adfPlace is what a node stands in: the format allows less inside lists, quotes
// and cells than in a document.
type adfPlace uint8

const (
	inDocument adfPlace = iota
	inList
	inQuote
	inCell
)

// allows reports whether a block may stand there.
func (p adfPlace) allows(kind string) bool {
	switch kind {
	case "heading":
		return p == inDocument || p == inCell
	case "table":
		return p == inDocument
	case "rule":
		return p == inDocument || p == inCell
	case "blockquote":
		return p == inDocument || p == inCell
	}
	return true
}

type adfWriter struct {
	src  []byte
	cell bool // of a table: there, also in code, a backslash keeps a bar from ending it
}

func (w adfWriter) blocks(parent ast.Node, in adfPlace) []adfNode {
	var out []adfNode
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		out = append(out, w.block(n, in)...)
	}
	return out
}

func (w adfWriter) block(n ast.Node, in adfPlace) []adfNode {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return paragraph(w.inline(n, nil))
	case *ast.Heading:
		if !in.allows("heading") {
			return paragraph(w.inline(n, []adfMark{{Type: "strong"}}))
		}
		return []adfNode{{Type: "heading", Attrs: attrs(struct {
			Level int `json:"level"`
		}{n.Level}), Content: w.inline(n, nil)}}
	case *ast.List:
		return []adfNode{w.list(n)}
	case *ast.Blockquote:
		inside := w.blocks(n, inQuote)
		if !in.allows("blockquote") || len(inside) == 0 {
			return inside
		}
		return []adfNode{{Type: "blockquote", Content: inside}}
	case *ast.FencedCodeBlock:
		return []adfNode{codeBlock(string(n.Language(w.src)), w.lines(n))}
	case *ast.CodeBlock:
		return []adfNode{codeBlock("", w.lines(n))}
	case *ast.ThematicBreak:
		if !in.allows("rule") {
			return paragraph(texts("—", nil))
		}
		return []adfNode{{Type: "rule"}}
	case *xast.Table:
		return w.table(n, in)
	case *ast.HTMLBlock:
		return paragraph(texts(strings.TrimSpace(w.lines(n)+w.closure(n)), nil))
	}
	return w.blocks(n, in)
}

// closure is the last line of a block of HTML.
func (w adfWriter) closure(n *ast.HTMLBlock) string {
	if !n.HasClosure() {
		return ""
	}
	return string(n.ClosureLine.Value(w.src))
}

func (w adfWriter) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(w.src))
	}
	return b.String()
}

// list begins each item with a paragraph, as the format wants it.
func (w adfWriter) list(l *ast.List) adfNode {
	out := adfNode{Type: "bulletList"}
	if l.IsOrdered() {
		out.Type = "orderedList"
		out.Attrs = attrs(struct {
			Order int `json:"order"`
		}{l.Start})
	}
	for n := l.FirstChild(); n != nil; n = n.NextSibling() {
		item := adfNode{Type: "listItem", Content: w.blocks(n, inList)}
		if len(item.Content) == 0 || strings.HasSuffix(item.Content[0].Type, "List") {
			item.Content = append([]adfNode{{Type: "paragraph"}}, item.Content...)
		}
		out.Content = append(out.Content, item)
	}
	return out
}

func (w adfWriter) table(t *xast.Table, in adfPlace) []adfNode {
	w.cell = true
	var rows []adfNode
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		kind := "tableCell"
		if _, head := r.(*xast.TableHeader); head {
			kind = "tableHeader"
		}
		row := adfNode{Type: "tableRow"}
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			inside := paragraph(w.inline(c, nil))
			if inside == nil {
				inside = []adfNode{{Type: "paragraph"}}
			}
			row.Content = append(row.Content, adfNode{Type: kind, Attrs: json.RawMessage("{}"), Content: inside})
		}
		rows = append(rows, row)
	}
	if in.allows("table") {
		return []adfNode{{Type: "table", Content: rows}}
	}
	var out []adfNode // a row becomes a line
	for _, row := range rows {
		var line []adfNode
		for i, cell := range row.Content {
			if i > 0 {
				line = append(line, texts(" | ", nil)...)
			}
			for _, p := range cell.Content {
				line = append(line, p.Content...)
			}
		}
		out = append(out, paragraph(line)...)
	}
	return out
}

func paragraph(inside []adfNode) []adfNode {
	if len(inside) == 0 {
		return nil
	}
	return []adfNode{{Type: "paragraph", Content: inside}}
}

func codeBlock(language, code string) adfNode {
	n := adfNode{Type: "codeBlock", Content: texts(strings.TrimSuffix(code, "\n"), nil)}
	if language != "" {
		n.Attrs = attrs(struct {
			Language string `json:"language"`
		}{language})
	}
	return n
}

// texts is a text as nodes: none for an empty one, which the format refuses.
func texts(s string, marks []adfMark) []adfNode {
	if s == "" {
		return nil
	}
	return []adfNode{{Type: "text", Text: s, Marks: marks}}
}

func attrs[T any](v T) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil { // texts and numbers always encode
		panic("markup: attributes: " + err.Error())
	}
	return raw
}
