package markup

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

func pathPart(s string) string { return url.PathEscape(s) }

// macro gives a macro its meaning, as far as the page itself holds what it shows.
func (w *storage) macro(parent, n *html.Node, depth int) {
	name := strings.ToLower(attribute(n, "ac:name"))
	body := child(n, "ac:rich-text-body")
	switch name {
	case "code", "noformat":
		w.code(parent, n)
	case "info", "note", "tip", "warning", "panel", "success", "error":
		quote := element("blockquote")
		w.title(quote, first(parameter(n, "title"), heading(name)))
		w.body(quote, body, depth)
		parent.AppendChild(quote)
	case "expand":
		w.title(parent, parameter(n, "title"))
		w.body(parent, body, depth)
	case "status":
		parent.AppendChild(element("strong", plainNode(first(parameter(n, "title"), parameter(n, "colour")))))
	case "toc", "anchor", "toc-zone", "section", "column", "excerpt", "details", "div", "span", "ul", "align", "bgcolor", "color", "lozenge":
		// They say how the body looks or where it is linked from; an outline comes with it.
		w.body(parent, body, depth)
	case "jira", "jiraissues":
		w.jira(parent, n)
	default:
		w.unresolved(parent, n, name, depth)
	}
}

// heading is what a panel is called that has no title.
func heading(macro string) string {
	if macro == "panel" {
		return ""
	}
	return strings.ToUpper(macro[:1]) + macro[1:]
}

func (w *storage) title(parent *html.Node, text string) {
	if strings.TrimSpace(text) != "" {
		parent.AppendChild(element("p", element("strong", plainNode(text))))
	}
}

func (w *storage) body(parent, body *html.Node, depth int) {
	if body != nil {
		w.into(parent, body, depth)
	}
}

// parameter is the text of a macro's parameter.
func parameter(n *html.Node, name string) string {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Data == "ac:parameter" && attribute(c, "ac:name") == name {
			return strings.TrimSpace(textIn(c))
		}
	}
	return ""
}

func (w *storage) code(parent, n *html.Node) {
	w.title(parent, parameter(n, "title"))
	code := element("code", plainNode(textIn(child(n, "ac:plain-text-body"))))
	if language := parameter(n, "language"); language != "" {
		code.Attr = []html.Attribute{{Key: "class", Val: "language-" + language}}
	}
	parent.AppendChild(element("pre", code))
}

// jira is one issue, which is named, or a list of issues that Jira makes up.
func (w *storage) jira(parent, n *html.Node) {
	if key := parameter(n, "key"); key != "" {
		parent.AppendChild(plainNode(key))
		return
	}
	w.unresolved(parent, n, "jira", 0)
}

// unresolved names the place of what is made up when somebody looks. What the page
// itself holds of it stays.
func (w *storage) unresolved(parent, n *html.Node, name string, depth int) {
	w.dropped.add(first(name, "other macros"))
	what := first(parameter(n, "title"), parameter(n, "name"), parameter(n, "diagramName"), parameter(n, "jqlQuery"))
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Data != "ac:parameter" {
			continue
		}
		link := c
		if l := child(c, "ac:link"); l != nil {
			link = l
		}
		if title, _ := w.target(link); title != "" { // of include: the page, or of view-file: the file
			what = title
		}
	}
	text := "(not shown here: macro " + first(name, "without a name")
	if what != "" {
		text += ", " + Line(what, maxTitle)
	}
	mark := element("em", plainNode(text+")"))
	if inParagraph(parent) {
		parent.AppendChild(mark)
	} else {
		parent.AppendChild(element("p", mark))
	}
	if depth > 0 {
		w.body(parent, child(n, "ac:rich-text-body"), depth)
	}
	if source := textIn(child(n, "ac:plain-text-body")); strings.TrimSpace(source) != "" && !inParagraph(parent) {
		parent.AppendChild(element("pre", element("code", plainNode(source))))
	}
}

// inParagraph reports whether what is added to n stands in a line of text.
func inParagraph(n *html.Node) bool {
	switch n.Data {
	case "body", "div", "blockquote", "td", "th", "li":
		return false
	}
	return true
}
