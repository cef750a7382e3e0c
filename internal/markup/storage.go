package markup

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Storage is a page in the storage format of Confluence, and where it is kept.
// https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
type Storage struct {
	Body string // XHTML with the elements ac:… and ri:…
	// Site is the address of the Confluence, with its path: what links to pages and
	// pictures is completed by it.
	Site  string
	Space string // key, for links that name none
	Page  string // id, for pictures that are attached to it
}

// Markdown converts the page. What a macro shows that is made up when somebody looks
// (an included page, a list of pages, a diagram) is not in the format: its place is
// named in the text, and counted. ok is false if the body is too broken to be read.
func (s Storage) Markdown() (markdown string, dropped Dropped, ok bool) {
	root, err := storageTree(s.Body)
	if err != nil {
		return "", nil, false
	}
	dropped = Dropped{}
	w := storage{Storage: s, dropped: dropped}
	body := element("body")
	w.into(body, root, 0)
	text, ok := dropped.convert(body, originOf(s.Site))
	return storageMarks.Replace(text), dropped, ok
}

// Private characters stand for what the conversion would escape.
const (
	boxOpen = "\uE0F0"
	boxDone = "\uE0F1"
)

var storageMarks = strings.NewReplacer(boxOpen, "[ ]", boxDone, "[x]")

// originOf is scheme and host of an address: paths in a page begin at the root.
func originOf(site string) string {
	i := strings.Index(site, "://")
	if i < 0 {
		return site
	}
	if j := strings.IndexByte(site[i+3:], '/'); j >= 0 {
		return site[:i+3+j]
	}
	return site
}

// storageTree reads the format without giving it a meaning. Names keep their prefix.
func storageTree(src string) (*html.Node, error) {
	d := xml.NewDecoder(strings.NewReader(src))
	// xml.HTMLAutoClose would close ac:link, since it looks at names without prefix.
	d.Strict, d.AutoClose, d.Entity = false, []string{"br", "hr", "img", "col"}, xml.HTMLEntity
	root := element("body")
	at := root
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			n := element(prefixed(t.Name))
			for _, a := range t.Attr {
				n.Attr = append(n.Attr, html.Attribute{Key: prefixed(a.Name), Val: a.Value})
			}
			at.AppendChild(n)
			at = n
		case xml.EndElement:
			if at.Parent != nil {
				at = at.Parent
			}
		case xml.CharData:
			at.AppendChild(plainNode(string(t)))
		}
	}
}

func prefixed(n xml.Name) string {
	if n.Space == "" {
		return strings.ToLower(n.Local)
	}
	return strings.ToLower(n.Space + ":" + n.Local)
}

func element(name string, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
	for _, c := range children {
		n.AppendChild(c)
	}
	return n
}

func plainNode(text string) *html.Node { return &html.Node{Type: html.TextNode, Data: text} }

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// child is the first child of that name, or nil.
func child(n *html.Node, name string) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.Data == name {
			return c
		}
	}
	return nil
}

// textIn is all the text inside, as it stands.
func textIn(n *html.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// storage gives a tree its meaning as HTML.
type storage struct {
	Storage
	dropped Dropped
}

// into appends what the children of n become.
func (w *storage) into(parent, n *html.Node, depth int) {
	if depth > maxHTMLDepth {
		w.dropped["what lies too deep"]++
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			parent.AppendChild(plainNode(strings.Map(notMark, c.Data)))
		case strings.HasPrefix(c.Data, "ac:"), strings.HasPrefix(c.Data, "ri:"):
			w.special(parent, c, depth+1)
		case c.Data == "time":
			parent.AppendChild(plainNode(first(attribute(c, "datetime"), textIn(c))))
		default:
			out := element(c.Data)
			out.Attr = c.Attr
			w.into(out, c, depth+1)
			parent.AppendChild(out)
		}
	}
}

// notMark keeps the characters free that stand for check boxes.
func notMark(r rune) rune {
	if r == 0xE0F0 || r == 0xE0F1 {
		return -1
	}
	return r
}

func first(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

// special gives an element of Confluence's own its meaning.
func (w *storage) special(parent, n *html.Node, depth int) {
	switch n.Data {
	case "ac:structured-macro", "ac:macro":
		w.macro(parent, n, depth)
	case "ac:link":
		w.link(parent, n, depth)
	case "ac:image":
		w.image(parent, n)
	case "ac:emoticon":
		parent.AppendChild(plainNode(first(attribute(n, "ac:emoji-fallback"), ":"+attribute(n, "ac:name")+":")))
	case "ac:task-list":
		list := element("ul")
		w.into(list, n, depth)
		parent.AppendChild(list)
	case "ac:task":
		w.task(parent, n, depth)
	case "ac:adf-extension":
		w.extension(parent, n, depth)
	case "ac:layout", "ac:layout-section", "ac:layout-cell", "ac:rich-text-body":
		block := element("div")
		w.into(block, n, depth)
		parent.AppendChild(block)
	case "ac:inline-comment-marker", "ac:adf-content", "ac:adf-node", "ac:link-body", "ac:task-body", "ac:caption":
		w.into(parent, n, depth)
	case "ac:placeholder", "ac:parameter", "ac:default-parameter", "ac:adf-attribute", "ac:task-id", "ac:task-uuid", "ac:task-status":
		// They tell whoever edits the page; a reader sees nothing of them.
	default:
		w.dropped.add(n.Data)
		w.into(parent, n, depth)
	}
}

// maxDropped bounds how many names are told apart: anybody may make up names.
const maxDropped = 20

func (d Dropped) add(name string) {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == ':' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	if _, there := d[name]; name == "" || len(name) > 40 || !there && len(d) >= maxDropped {
		name = "other macros"
	}
	d[name]++
}

// task is a line with a check box.
func (w *storage) task(parent, n *html.Node, depth int) {
	box := boxOpen
	if strings.TrimSpace(textIn(child(n, "ac:task-status"))) == "complete" {
		box = boxDone
	}
	item := element("li", plainNode(box+" "))
	w.into(item, n, depth)
	parent.AppendChild(item)
}

// extension is what the new editor keeps: it says itself how others show it.
func (w *storage) extension(parent, n *html.Node, depth int) {
	if back := child(n, "ac:adf-fallback"); back != nil {
		quote := element("blockquote")
		w.into(quote, back, depth)
		parent.AppendChild(quote)
		return
	}
	w.into(parent, n, depth)
}

// link is a link to a page, a file, a person or a place of the page.
func (w *storage) link(parent, n *html.Node, depth int) {
	shown := element("span")
	for _, name := range []string{"ac:link-body", "ac:plain-text-link-body"} {
		if b := child(n, name); b != nil {
			w.into(shown, b, depth)
		}
	}
	title, address := w.target(n)
	if strings.TrimSpace(textIn(shown)) == "" && child(shown, "img") == nil {
		shown.AppendChild(plainNode(first(title, attribute(n, "ac:anchor"))))
	}
	if address == "" {
		parent.AppendChild(shown)
		return
	}
	a := element("a", shown)
	a.Attr = []html.Attribute{{Key: "href", Val: address}}
	parent.AppendChild(a)
}

// target is what a link points to: how it is called, and where it is.
func (w *storage) target(n *html.Node) (title, address string) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Data {
		case "ri:page", "ri:blog-post":
			title = attribute(c, "ri:content-title")
			if space := first(attribute(c, "ri:space-key"), w.Space); space != "" && title != "" && c.Data == "ri:page" {
				address = w.Site + "/display/" + pathPart(space) + "/" + pathPart(title)
			}
		case "ri:content-entity":
			title = attribute(c, "ri:content-id")
			address = w.Site + "/pages/viewpage.action?pageId=" + pathPart(title)
		case "ri:space":
			title = attribute(c, "ri:space-key")
			address = w.Site + "/display/" + pathPart(title)
		case "ri:attachment":
			title = attribute(c, "ri:filename")
			address = w.attached(title)
		case "ri:user":
			title = "@" + first(attribute(c, "ri:username"), attribute(c, "ri:account-id"), attribute(c, "ri:userkey"))
		case "ri:url":
			title, address = attribute(c, "ri:value"), attribute(c, "ri:value")
		}
	}
	return title, address
}

func (w *storage) attached(file string) string {
	if w.Page == "" || file == "" {
		return ""
	}
	return w.Site + "/download/attachments/" + pathPart(w.Page) + "/" + pathPart(file)
}

// image is a picture that is attached or lies elsewhere.
func (w *storage) image(parent, n *html.Node) {
	title, address := w.target(n)
	img := element("img")
	img.Attr = []html.Attribute{
		{Key: "src", Val: address}, {Key: "alt", Val: first(attribute(n, "ac:alt"), attribute(n, "ac:title"), textIn(child(n, "ac:caption")), title)},
	}
	parent.AppendChild(img)
}
