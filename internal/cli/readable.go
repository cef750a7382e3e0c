package cli

import (
	"strings"

	"github.com/frank-mcp/frank/internal/app"
)

// readable shows an answer to a person: the first lines of the text channel as
// they are, then data and coverage laid out from the structured one.
func readable(s screen, reply app.Reply) string {
	root, ok := parseTree(reply.Structured)
	if !ok {
		return clean(reply.Text) + "\n"
	}
	p := &printer{s: s}
	lines := strings.Split(clean(reply.Text), "\n")
	for i, line := range lines {
		if i > 1 && strings.HasPrefix(line, "{") {
			break // the machine's line, laid out below
		}
		switch i {
		case 0:
			line = s.paint(colourOf(root.get("status").text), line)
		case 1:
			line = s.paint(bold, p.wrapped(line, 0))
		default:
			line = p.labelled(line)
		}
		p.line(0, line)
	}
	if data := root.get("data"); len(data.kids) > 0 {
		p.data(data)
	}
	failure := root.get("failure")
	p.section("candidates", failure.get("candidates"))
	p.section("evidence", failure.get("evidence"))
	p.section("coverage", root.get("coverage"))
	if trace := root.get("trace"); failure.kind != 0 || len(trace.get("recovered").kids) > 0 || trace.get("idempotency_key").text != "" {
		p.section("trace", root.get("trace"))
	}
	return p.b.String()
}

func colourOf(status string) style {
	switch status {
	case "success", "empty":
		return green
	case "partial":
		return yellow
	}
	return red
}

// labelled paints the label of a line of the report and wraps the rest under it.
func (p *printer) labelled(line string) string {
	label, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return line
	}
	return p.s.paint(dim, label+":") + " " + strings.TrimPrefix(p.wrapped(label+": "+rest, 2), label+": ")
}

// wrapped breaks a line at the edge of a terminal; elsewhere programs may look
// for it, and it stays whole.
func (p *printer) wrapped(line string, indent int) string {
	if !p.s.terminal {
		return line
	}
	return wrap(line, p.s.width, indent)
}

func (p *printer) data(data node) {
	if item := data.get("item"); item.kind == 'o' {
		p.b.WriteByte('\n')
		p.element(item, 0, "")
		return
	}
	items := data.get("items")
	if items.kind != 'a' {
		p.section("data", data)
		return
	}
	for _, item := range items.kids {
		p.b.WriteByte('\n')
		p.element(item, 0, "")
	}
}

func (p *printer) section(title string, n node) {
	if len(n.kids) == 0 {
		return
	}
	p.b.WriteByte('\n')
	p.line(0, p.s.paint(bold, strings.ToUpper(title[:1])+title[1:]))
	if n.kind == 'a' {
		p.list(n, 1)
		return
	}
	p.members(n, 1)
}
