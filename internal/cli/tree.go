package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxInline is the length up to which an object or list is shown in a row; a
// terminal breaks the row at its edge.
const maxInline = 160

// node is a JSON value whose object keeps the order of its keys.
type node struct {
	kind rune // 'o' object, 'a' array, 's' anything else
	text string
	keys []string
	kids []node
}

// parseTree reads one JSON value; ok is false if it is none.
func parseTree(raw json.RawMessage) (n node, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return parseNode(d)
}

func parseNode(d *json.Decoder) (node, bool) {
	t, err := d.Token()
	if err != nil {
		return node{}, false
	}
	switch v := t.(type) {
	case json.Delim:
		return parseMembers(d, v)
	case string:
		return node{kind: 's', text: clean(v)}, true
	case json.Number:
		return node{kind: 's', text: v.String()}, true
	case bool:
		return node{kind: 's', text: map[bool]string{true: "yes", false: "no"}[v]}, true
	}
	return node{kind: 's'}, true // null
}

func parseMembers(d *json.Decoder, open json.Delim) (node, bool) {
	n := node{kind: 'a'}
	if open == '{' {
		n.kind = 'o'
	}
	for d.More() {
		if n.kind == 'o' {
			key, err := d.Token()
			name, ok := key.(string)
			if err != nil || !ok {
				return node{}, false
			}
			n.keys = append(n.keys, clean(name))
		}
		kid, ok := parseNode(d)
		if !ok {
			return node{}, false
		}
		n.kids = append(n.kids, kid)
	}
	_, err := d.Token()
	return n, err == nil
}

// get is the member of that name; its kind is 0 if there is none.
func (n node) get(key string) node {
	for i, k := range n.keys {
		if k == key {
			return n.kids[i]
		}
	}
	return node{}
}

// without is the object with the members left out.
func (n node) without(keys ...string) node {
	out := node{kind: n.kind}
	for i, k := range n.keys {
		if !strings.Contains(" "+strings.Join(keys, " ")+" ", " "+k+" ") {
			out.keys, out.kids = append(out.keys, k), append(out.kids, n.kids[i])
		}
	}
	return out
}

// printer writes nodes as indented lines that a person reads.
type printer struct {
	b strings.Builder
	s screen
}

func (p *printer) line(depth int, text string) {
	p.b.WriteString(strings.Repeat("  ", depth) + text + "\n")
}

// short writes a prefix and a value of one line, if the value is one.
func (p *printer) short(n node, depth int, prefix string) bool {
	text := inline(n)
	if text == "" || n.kind != 's' && utf8.RuneCountInString(text) > maxInline {
		return false
	}
	room := p.s.width - 2*depth - utf8.RuneCountInString(prefix)
	if p.s.terminal && !isLine(n) && utf8.RuneCountInString(text) > room {
		text = strings.TrimPrefix(wrap(prefix+text, p.s.width, 2*depth+2), prefix)
	}
	if label, ok := strings.CutSuffix(prefix, ": "); ok {
		prefix = p.s.paint(dim, label+":") + " "
	}
	p.line(depth, prefix+text)
	return true
}

// members writes the members of an object, one under the other.
func (p *printer) members(n node, depth int) {
	for i, key := range n.keys {
		name := strings.ReplaceAll(key, "_", " ") + ": "
		label := p.s.paint(dim, strings.TrimSpace(name))
		kid := n.kids[i]
		switch {
		case p.short(kid, depth, name):
		case kid.kind == 's' && kid.text == "" || kid.kind != 's' && len(kid.kids) == 0:
		case kid.kind == 's':
			p.line(depth, label)
			p.block(kid.text, depth+1)
		case kid.kind == 'o':
			p.line(depth, label)
			p.members(kid, depth+1)
		default:
			p.line(depth, label)
			p.list(kid, depth+1)
		}
	}
}

// list writes the elements of a list, each with a head of its own.
func (p *printer) list(n node, depth int) {
	for _, kid := range n.kids {
		switch {
		case p.short(kid, depth, "- "):
		case kid.kind == 'o':
			p.element(kid, depth, "- ")
		case kid.kind == 's':
			p.block(kid.text, depth)
		default:
			p.list(kid, depth+1)
		}
	}
}

// element writes an object under a head made of what names it.
func (p *printer) element(n node, depth int, mark string) {
	var head []string
	for _, key := range []string{"ref", "title"} {
		if v := n.get(key); v.text != "" && !strings.Contains(v.text, "\n") && !slices.Contains(head, v.text) {
			head = append(head, v.text)
		}
	}
	if len(head) == 0 && len(n.keys) > 0 {
		if first := n.kids[0].text; first != "" && !strings.Contains(first, "\n") {
			if !names(n.keys[0]) {
				first = n.keys[0] + ": " + first
			}
			head = append(head, first)
			n = n.without(n.keys[0])
		}
	}
	p.line(depth, mark+p.s.paint(bold, strings.Join(head, "  ")))
	p.members(n.without("ref", "title"), depth+1)
}

func (p *printer) block(text string, depth int) {
	for text := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if text = strings.TrimRight(text, " \t"); text == "" {
			p.line(0, "")
			continue
		}
		p.line(depth, text)
	}
}

// names tells that a first member of that name says what the object is about.
func names(key string) bool { return key == "source" || key == "name" }

// isLine tells that an object is a line of a file, whose spaces matter.
func isLine(n node) bool {
	return len(n.keys) == 2 && n.keys[0] == "line" && n.keys[1] == "text" && !strings.Contains(n.kids[1].text, "\n")
}

// sameThroughout tells that an object says the same of several things.
func sameThroughout(n node) bool {
	return len(n.keys) > 3 && n.kids[0].text != "" && !slices.ContainsFunc(n.kids, func(kid node) bool { return kid.kind != 's' || kid.text != n.kids[0].text })
}

// inline is the value on one line, empty if it has no such form.
func inline(n node) string {
	switch {
	case isLine(n):
		return n.kids[0].text + ": " + n.kids[1].text // a line of a file is shown whole
	case sameThroughout(n):
		return n.kids[0].text + " (" + strings.ReplaceAll(strings.Join(n.keys, ", "), "_", " ") + ")"
	}
	if n.kind == 's' {
		if strings.Contains(n.text, "\n") {
			return ""
		}
		return n.text
	}
	parts := make([]string, 0, len(n.kids))
	for i, kid := range n.kids {
		text := kid.text
		if kid.kind == 'o' || kid.kind == 'a' && n.kind == 'a' {
			return ""
		}
		if kid.kind == 'a' {
			text = inline(kid)
		}
		if text == "" || strings.Contains(text, "\n") {
			return ""
		}
		if n.kind == 'o' && (i > 0 || !names(n.keys[0])) {
			text = strings.ReplaceAll(n.keys[i], "_", " ") + " " + text
		}
		parts = append(parts, text)
	}
	out := strings.Join(parts, ", ")
	if len(parts) > 1 && len(n.keys) > 0 && names(n.keys[0]) {
		out = parts[0] + ": " + strings.Join(parts[1:], ", ")
	}
	return out
}
