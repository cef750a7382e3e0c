package markup

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Dropped counts, by the name of the element, the parts of a page that people see
// and that have no Markdown, such as video or iframe.
type Dropped map[string]int

// String lists the names in order.
func (d Dropped) String() string { return strings.Join(slices.Sorted(maps.Keys(d)), ", ") }

// maxHTMLDepth is how deep elements may lie in each other; what lies deeper is
// dropped, since conversion goes as deep by recursion.
const maxHTMLDepth = 200

// FromHTML is the body of a rendered page as Markdown. Relative links are completed
// by site, such as https://wiki.example.org. What nobody sees on the page (scripts,
// styles, comments, what is hidden) is left out; what people see and Markdown cannot
// hold is left out and counted. ok is false if src is too broken to be read.
func FromHTML(src, site string) (markdown string, dropped Dropped, ok bool) {
	dropped = Dropped{}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(src), body)
	if err != nil {
		return "", nil, false
	}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	text, ok := dropped.convert(body, site)
	return text, dropped, ok
}

// convert is what people see of a tree, as Markdown.
func (d Dropped) convert(body *html.Node, site string) (string, bool) {
	d.prune(body, 0)
	var options []converter.ConvertOptionFunc
	if site != "" {
		options = append(options, converter.WithDomain(site))
	}
	text, err := fromHTML().ConvertNode(body, options...)
	return string(text), err == nil
}

// fromHTML is made once and safe for concurrent use.
var fromHTML = sync.OnceValue(func() *converter.Converter {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithSpanCellBehavior(table.SpanBehaviorMirror),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve), table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
	))
	for _, tag := range []string{"sup", "sub"} {
		c.Register.RendererFor(tag, converter.TagTypeInline, raised, converter.PriorityEarly)
	}
	return c
})

// raised keeps what stands above or below the line apart from it: 10⁶ is not 106. A
// mark that is a link, such as that of a footnote, is apart as it is.
func raised(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	if strings.TrimSpace(textIn(n)) == "" {
		return converter.RenderTryNext
	}
	for d := range n.Descendants() {
		if d.DataAtom == atom.A {
			return converter.RenderTryNext
		}
	}
	// Writing to what is kept in memory never fails.
	_, _ = w.WriteString("<" + n.Data + ">")
	ctx.RenderChildNodes(ctx, w, n)
	_, _ = w.WriteString("</" + n.Data + ">")
	return converter.RenderSuccess
}

// prune takes out of a tree what does not become Markdown.
func (d Dropped) prune(parent *html.Node, depth int) {
	for n := parent.FirstChild; n != nil; {
		next := n.NextSibling
		switch {
		case n.Type == html.CommentNode || n.Type == html.DoctypeNode, unseen(n):
			parent.RemoveChild(n)
		case n.Type == html.ElementNode && (lost(n.Data) || depth >= maxHTMLDepth):
			d[name(n.Data)]++
			parent.RemoveChild(n)
		default:
			d.prune(n, depth+1)
		}
		n = next
	}
}

// unseen reports whether a browser shows nothing of the element.
func unseen(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Link, atom.Meta, atom.Template, atom.Head, atom.Title, atom.Noscript:
		return true
	default:
	}
	for _, a := range n.Attr {
		style := strings.ToLower(strings.ReplaceAll(a.Val, " ", ""))
		if a.Key == "hidden" || a.Key == "style" && (strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")) {
			return true
		}
	}
	return false
}

// lost reports whether people see the element and Markdown has nothing for it.
func lost(element string) bool {
	switch element {
	case "iframe", "object", "embed", "video", "audio", "canvas", "svg", "math", "applet", "frame", "frameset", "map",
		"form", "input", "select", "textarea", "button", "progress", "meter", "dialog":
		return true
	}
	return false
}

// name keeps names that people make up, of which a page may have any number, under one.
func name(element string) string {
	if lost(element) {
		return element
	}
	return "what lies too deep"
}
