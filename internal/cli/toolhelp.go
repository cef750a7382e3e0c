package cli

import (
	"strings"

	"github.com/frank-mcp/frank/internal/app"
)

// toolHelp is the help of one tool, made from what clients are told about it.
func toolHelp(t app.Tool, width int) string {
	schema, _ := parseTree(t.InputSchema)
	needed, others := argumentRows(schema)
	line := "Usage: frank call " + t.Name
	for _, row := range needed {
		line += " " + row[0] + "=…"
	}
	if len(others) > 0 {
		line += " [key=value …]"
	}
	var b strings.Builder
	b.WriteString(wrap(line, width, 2) + "\n\n" + wrap(clean(t.Description), width, 0) + "\n")
	if rows := append(needed, others...); len(rows) > 0 {
		b.WriteString("\nArguments:\n")
		described(&b, rows, width)
	}
	b.WriteString("\n" + wrap("frank call --help shows the flags, and how to give lists, files and JSON.", width, 0))
	return b.String()
}

// argumentRows describes the arguments in the order of the schema, those apart that
// every call needs.
func argumentRows(schema node) (needed, others [][2]string) {
	required := schema.get("required").texts()
	properties := schema.get("properties")
	for i, name := range properties.keys {
		p := properties.kids[i]
		words := []string{kindOf(p)}
		must := false
		for _, r := range required {
			must = must || r == name
		}
		if must {
			words = append(words, "required")
		}
		if d := p.get("default").text; d != "" {
			words = append(words, "default "+d)
		}
		text := strings.Join(words, ", ")
		if d := p.get("description").text; d != "" {
			text += ": " + d
		}
		if must {
			needed = append(needed, [2]string{name, text})
		} else {
			others = append(others, [2]string{name, text})
		}
	}
	return needed, others
}

// kindOf says in words what values an argument takes.
func kindOf(p node) string {
	if values := p.get("enum").texts(); len(values) > 0 {
		return "one of " + strings.Join(values, " | ")
	}
	switch kind := p.get("type").text; kind {
	case "string":
		return "text"
	case "boolean":
		return "true or false"
	case "integer", "number":
		if kind == "integer" {
			kind = "whole number"
		}
		low, high := p.get("minimum").text, p.get("maximum").text
		switch {
		case low != "" && high != "":
			return kind + " from " + low + " to " + high
		case low != "":
			return kind + " from " + low
		}
		return kind
	case "array":
		return "list, each " + kindOf(p.get("items"))
	default:
		return kind
	}
}

// texts are the elements of a list.
func (n node) texts() []string {
	out := make([]string, 0, len(n.kids))
	for _, kid := range n.kids {
		out = append(out, kid.text)
	}
	return out
}
