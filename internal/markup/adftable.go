package markup

import (
	"encoding/json"
	"strings"
)

// adfSpan is how many columns and rows a cell covers.
type adfSpan struct {
	Columns int `json:"colspan"`
	Rows    int `json:"rowspan"`
}

// table is a table of the kind that most renderers of Markdown know. Cells hold one
// line: paragraphs in them are joined by a line break, and a cell over several
// columns is followed by empty ones.
func (c *adfReader) table(n adfNode, depth int) string {
	var rows [][]string
	width := 0
	headed := false
	for i, row := range n.Content {
		if row.Type != "tableRow" {
			c.leave(row.Type)
			continue
		}
		var cells []string
		for _, cell := range row.Content {
			headed = headed || i == 0 && cell.Type == "tableHeader"
			cells = append(cells, c.cell(cell, depth))
			cells = append(cells, make([]string, spanOf(cell).Columns-1)...)
		}
		rows = append(rows, cells)
		width = max(width, len(cells))
	}
	if width == 0 {
		return ""
	}
	if !headed { // Markdown knows no table without a head
		rows = append([][]string{make([]string, width)}, rows...)
	}
	var b strings.Builder
	for i, cells := range rows {
		cells = append(cells, make([]string, width-len(cells))...)
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", width) + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func (c *adfReader) cell(n adfNode, depth int) string {
	text := c.blocks(n.Content, depth+1)
	text = strings.ReplaceAll(text, "\\\n", "\n")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, strings.ReplaceAll(line, "|", `\|`))
		}
	}
	return strings.Join(lines, "<br>")
}

// maxColumns bounds how many columns one cell may cover.
const maxColumns = 50

func spanOf(n adfNode) adfSpan {
	s := adfSpan{Columns: 1, Rows: 1}
	if len(n.Attrs) > 0 && json.Unmarshal(n.Attrs, &s) != nil {
		return adfSpan{Columns: 1, Rows: 1}
	}
	s.Columns = min(max(s.Columns, 1), maxColumns)
	return s
}
