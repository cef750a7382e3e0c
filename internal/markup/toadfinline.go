package markup

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"
)

// inline is what stands in a line, each text with the marks of what it stands in.
func (w adfWriter) inline(parent ast.Node, marks []adfMark) []adfNode {
	var out []adfNode
	inside := marks
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch tag := w.tag(n); {
		case (tag == "<sub>" || tag == "<sup>") && w.closes(n, "</"+tag[1:]):
			inside = with(marks, adfMark{Type: "subsup", Attrs: attrs(struct {
				Type string `json:"type"`
			}{tag[1:4]})})
		case (tag == "</sub>" || tag == "</sup>") && len(inside) > len(marks):
			inside = marks
		default:
			out = append(out, w.span(n, inside)...)
		}
	}
	return joined(out)
}

// tag is raw HTML as it stands; empty for anything else.
func (w adfWriter) tag(n ast.Node) string {
	raw, ok := n.(*ast.RawHTML)
	if !ok {
		return ""
	}
	var b strings.Builder
	for i := range raw.Segments.Len() {
		segment := raw.Segments.At(i)
		b.Write(segment.Value(w.src))
	}
	return strings.ToLower(b.String())
}

// closes reports whether a tag follows beside n, and no other of its kind before it.
func (w adfWriter) closes(n ast.Node, end string) bool {
	for n = n.NextSibling(); n != nil; n = n.NextSibling() {
		switch w.tag(n) {
		case end:
			return true
		case "<sub>", "<sup>", "</sub>", "</sup>":
			return false
		}
	}
	return false
}

func (w adfWriter) span(n ast.Node, marks []adfMark) []adfNode {
	switch n := n.(type) {
	case *ast.Text:
		out := texts(string(plainSegment(n, w.src)), marks)
		switch {
		case n.HardLineBreak():
			out = append(out, adfNode{Type: "hardBreak"})
		case n.SoftLineBreak():
			out = append(out, texts(" ", marks)...)
		}
		return out
	case *ast.String:
		return texts(string(n.Value), marks)
	case *ast.CodeSpan:
		code := inlineText(n, w.src, false)
		if w.cell {
			code = strings.ReplaceAll(code, `\|`, "|")
		}
		return texts(code, codeMarks(marks))
	case *ast.Emphasis:
		kind := "em"
		if n.Level > 1 {
			kind = "strong"
		}
		return w.inline(n, with(marks, adfMark{Type: kind}))
	case *xast.Strikethrough:
		return w.inline(n, with(marks, adfMark{Type: "strike"}))
	case *ast.Link:
		return w.link(n, marks)
	case *ast.AutoLink:
		url := string(n.URL(w.src))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(url), "mailto:") {
			url = "mailto:" + url
		}
		return texts(string(n.Label(w.src)), with(marks, linkMark(url)))
	case *ast.Image: // kept elsewhere: the format takes files of its own only
		label := inlineText(n, w.src, true)
		if label == "" {
			label = string(n.Destination)
		}
		return texts(label, with(marks, linkMark(string(n.Destination))))
	case *ast.RawHTML:
		return w.html(n, marks)
	}
	return w.inline(n, marks)
}

// link is called by its address where it has no name, and is a text where it leads
// nowhere, which the format has no link for.
func (w adfWriter) link(n *ast.Link, marks []adfMark) []adfNode {
	to := string(n.Destination)
	if to == "" {
		return w.inline(n, marks)
	}
	marks = with(marks, linkMark(to))
	if inside := w.inline(n, marks); len(inside) > 0 {
		return inside
	}
	return texts(to, marks)
}

// html is raw HTML as text, apart from a line break, which people use in tables.
func (w adfWriter) html(n *ast.RawHTML, marks []adfMark) []adfNode {
	var b strings.Builder
	for i := range n.Segments.Len() {
		segment := n.Segments.At(i)
		b.Write(segment.Value(w.src))
	}
	if strings.EqualFold(strings.NewReplacer(" ", "", "/", "").Replace(b.String()), "<br>") {
		return []adfNode{{Type: "hardBreak"}}
	}
	return texts(b.String(), marks)
}

// plainSegment is the text of a node with escapes and entities resolved.
func plainSegment(n *ast.Text, src []byte) []byte {
	value := textOf(n, src)
	if n.SoftLineBreak() || n.HardLineBreak() { // the break is told apart by the caller
		value = value[:len(value)-1]
	}
	return value
}

// codeMarks are the marks of code: the format allows it a link beside, nothing else.
func codeMarks(marks []adfMark) []adfMark {
	links := slices.DeleteFunc(slices.Clone(marks), func(m adfMark) bool { return m.Type != "link" })
	return with(links, adfMark{Type: "code"})
}

func linkMark(href string) adfMark {
	return adfMark{Type: "link", Attrs: attrs(struct {
		Href string `json:"href"`
	}{href})}
}

// with are the marks and one more, each kind once.
func with(marks []adfMark, m adfMark) []adfMark {
	if slices.ContainsFunc(marks, func(has adfMark) bool { return has.Type == m.Type }) {
		return marks
	}
	return append(slices.Clone(marks), m)
}

// joined unites neighbouring texts with the same marks.
func joined(nodes []adfNode) []adfNode {
	var out []adfNode
	for _, n := range nodes {
		if last := len(out) - 1; last >= 0 && n.Type == "text" && out[last].Type == "text" && slices.EqualFunc(n.Marks, out[last].Marks, sameMark) {
			out[last].Text += n.Text
			continue
		}
		out = append(out, n)
	}
	return out
}

func sameMark(a, b adfMark) bool { return a.Type == b.Type && string(a.Attrs) == string(b.Attrs) }
