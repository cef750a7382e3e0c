package markup

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Converted is a document as Markdown, with what did not make it there.
type Converted struct {
	Text string
	// Left counts, by type, the parts that Markdown cannot hold or that are not
	// known: attachments, macros, new kinds of nodes. The text inside them is kept.
	Left map[string]int
}

// Complete reports whether all of the document is in the text.
func (c Converted) Complete() bool { return len(c.Left) == 0 }

// Kinds lists the types of the parts that are left out, in alphabetic order.
func (c Converted) Kinds() []string {
	kinds := make([]string, 0, len(c.Left))
	for kind := range c.Left {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// maxNesting is how deep nodes may lie in each other; what lies deeper is left out
// and counted.
const maxNesting = 60

// FromADF turns a document in Atlassian's format into Markdown. Null and an empty
// document are an empty text. It is false for what is no such document.
// Types of nodes and marks: developer.atlassian.com/cloud/jira/platform/apis/document/structure.
func FromADF(raw []byte) (Converted, bool) {
	if s := strings.TrimSpace(string(raw)); s == "" || s == "null" {
		return Converted{}, true
	}
	var doc adfNode
	if json.Unmarshal(raw, &doc) != nil || doc.Type != "doc" {
		return Converted{}, false
	}
	c := adfReader{left: map[string]int{}}
	text := strings.Trim(c.blocks(doc.Content, 1), "\n")
	if len(c.left) == 0 {
		c.left = nil
	}
	return Converted{text, c.left}, true
}

// adfNode is one node. Its attributes differ by type and are read where they count.
type adfNode struct {
	Type    string          `json:"type"`
	Text    string          `json:"text,omitempty"`
	Attrs   json.RawMessage `json:"attrs,omitempty"`
	Marks   []adfMark       `json:"marks,omitempty"`
	Content []adfNode       `json:"content,omitempty"`
	Version int             `json:"version,omitempty"`
}

type adfMark struct {
	Type  string          `json:"type"`
	Attrs json.RawMessage `json:"attrs,omitempty"`
}

// adfAttrs are the attributes that say something. Those of another type than
// expected are as if they were not there.
type adfAttrs struct {
	Level     int    `json:"level"`
	Order     int    `json:"order"`
	Language  string `json:"language"`
	URL       string `json:"url"`
	Href      string `json:"href"`
	Text      string `json:"text"`
	ShortName string `json:"shortName"`
	PanelType string `json:"panelType"`
	State     string `json:"state"`
	// Timestamp is a text in the format, which some editors write as a number.
	Timestamp json.RawMessage `json:"timestamp"`
	Title     string          `json:"title"`
	Alt       string          `json:"alt"`
	Key       string          `json:"extensionKey"`
	ID        string          `json:"id"`
	Kind      string          `json:"type"` // of a mark: sub or sup; of a file: external
}

func attrsOf(raw json.RawMessage) adfAttrs {
	var a adfAttrs
	if len(raw) > 0 {
		// One attribute of another type spoils none of the others, which are read.
		_ = json.Unmarshal(raw, &a)
	}
	return a
}

// adfReader walks a document.
type adfReader struct{ left map[string]int }

// leave counts a part that is not in the text.
func (c *adfReader) leave(kind string) {
	if kind == "" || len(kind) > 40 || len(c.left) > 50 {
		kind = "unnamed"
	}
	c.left[kind]++
}

// blocks are the nodes as paragraphs with an empty line between them.
func (c *adfReader) blocks(nodes []adfNode, depth int) string {
	if depth > maxNesting {
		c.leave("nesting")
		return ""
	}
	var parts []string
	for i := 0; i < len(nodes); i++ {
		if isInline(nodes[i].Type) { // where a block belongs: a paragraph of its own
			from := i
			for i+1 < len(nodes) && isInline(nodes[i+1].Type) {
				i++
			}
			parts = append(parts, lineStarts(c.inline(nodes[from:i+1], depth)))
			continue
		}
		parts = append(parts, c.block(nodes[i], depth))
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return strings.TrimSpace(p) == "" })
	return strings.Join(parts, "\n\n")
}

func (c *adfReader) block(n adfNode, depth int) string {
	a := attrsOf(n.Attrs)
	switch n.Type {
	case "paragraph", "caption":
		return lineStarts(c.inline(n.Content, depth))
	case "heading":
		level := min(max(a.Level, 1), 6)
		return strings.Repeat("#", level) + " " + oneLine(c.inline(n.Content, depth))
	case "bulletList", "orderedList", "taskList", "decisionList":
		return c.list(n, a.Order, depth+1)
	case "blockquote":
		return quoted(c.blocks(n.Content, depth+1))
	case "panel":
		return quoted(panelName(a.PanelType) + c.blocks(n.Content, depth+1))
	case "expand", "nestedExpand":
		return strings.TrimSpace(titled(a.Title) + c.blocks(n.Content, depth+1))
	case "codeBlock":
		return fenced(a.Language, plainOf(n.Content, 0))
	case "rule":
		return "---"
	case "table":
		return c.table(n, depth+1)
	case "doc", "layoutSection", "layoutColumn", "listItem":
		return c.blocks(n.Content, depth+1)
	case "blockCard", "embedCard":
		return c.card(n.Type, a)
	case "mediaSingle", "mediaGroup":
		return c.blocks(n.Content, depth+1)
	case "media":
		return c.attachment(n.Type, a)
	}
	return c.unknown(n, a, depth)
}

// unknown keeps the text inside a node that is not known, and counts it.
func (c *adfReader) unknown(n adfNode, a adfAttrs, depth int) string {
	c.leave(n.Type)
	text := c.blocks(n.Content, depth+1)
	if n.Text != "" {
		text = strings.TrimSpace(escapeText(n.Text) + "\n\n" + text)
	}
	if a.Key != "" { // a macro, which is named
		text = strings.TrimSpace("\\[" + escapeText(Line(a.Key, 80)) + "\\]\n\n" + text)
	}
	return text
}

// card is a link that the product shows as a preview.
func (c *adfReader) card(kind string, a adfAttrs) string {
	if a.URL == "" { // the preview itself is in the document, not where it leads
		c.leave(kind)
		return ""
	}
	return autoLink(a.URL)
}

// attachment names a file, whose content is elsewhere.
func (c *adfReader) attachment(kind string, a adfAttrs) string {
	c.leave(kind)
	if a.Alt != "" {
		return "\\[attachment: " + escapeText(Line(a.Alt, 200)) + "\\]"
	}
	return "\\[attachment\\]"
}

// list is a list of any kind; lists in it are indented.
func (c *adfReader) list(n adfNode, order, depth int) string {
	if depth > maxNesting {
		c.leave("nesting")
		return ""
	}
	number := max(order, 1)
	if n.Type == "orderedList" && order == 0 && len(n.Attrs) > 0 && strings.Contains(string(n.Attrs), `"order"`) {
		number = 0
	}
	var items []string
	for _, item := range n.Content {
		mark, text := "- ", ""
		switch item.Type {
		case "taskItem":
			mark = "- [ ] "
			if attrsOf(item.Attrs).State == "DONE" {
				mark = "- [x] "
			}
			text = lineStarts(c.inline(item.Content, depth))
		case "decisionItem":
			text = lineStarts(c.inline(item.Content, depth))
		case "taskList", "bulletList", "orderedList": // a list inside, without an item of its own
			items = append(items, indented(c.list(item, attrsOf(item.Attrs).Order, depth+1), "  "))
			continue
		default:
			text = c.block(item, depth)
		}
		indent := "  "
		if n.Type == "orderedList" {
			mark = strconv.Itoa(number) + ". "
			indent = strings.Repeat(" ", len(mark))
			number++
		}
		items = append(items, mark+strings.TrimLeft(indented(text, indent), " "))
	}
	return strings.Join(items, "\n")
}

// panelName is how a coloured panel begins.
func panelName(kind string) string {
	switch kind {
	case "info", "note", "warning", "success", "error", "tip":
		return "**" + strings.ToUpper(kind[:1]) + kind[1:] + "**\n\n"
	}
	return ""
}

func titled(title string) string {
	if title = Line(title, maxTitle); title == "" {
		return ""
	}
	return "**" + escapeText(title) + "**\n\n"
}

// plainOf is the bare text of nodes, as in code.
func plainOf(nodes []adfNode, depth int) string {
	var b strings.Builder
	for _, n := range nodes {
		switch {
		case n.Type == "hardBreak":
			b.WriteByte('\n')
		case n.Text != "":
			b.WriteString(n.Text)
		case depth < maxNesting:
			b.WriteString(plainOf(n.Content, depth+1))
		}
	}
	return b.String()
}
