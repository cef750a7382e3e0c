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
// columns is followed by empty ones, and one over several rows has empty ones below.
func (c *adfReader) table(n adfNode, depth int) string {
	var rows [][]string
	var below columns
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
			cells = below.free(cells)
			span := spanOf(cell)
			below.cover(len(cells), span)
			cells = append(cells, c.cell(cell, depth))
			cells = append(cells, make([]string, span.Columns-1)...)
		}
		cells = below.free(cells)
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

// columns is how many of the rows that follow a cell further up reaches down to, by
// column.
type columns []int

// free adds empty cells where cells from further up cover the row, up to the next place
// that is free.
func (d columns) free(cells []string) []string {
	for len(cells) < len(d) && d[len(cells)] > 0 {
		d[len(cells)]--
		cells = append(cells, "")
	}
	return cells
}

// cover notes the rows below a cell.
func (d *columns) cover(at int, span adfSpan) {
	for at+span.Columns > len(*d) {
		*d = append(*d, 0)
	}
	for i := range span.Columns {
		(*d)[at+i] = span.Rows - 1
	}
}

// maxColumns and maxRows bound how many columns and rows one cell may cover.
const (
	maxColumns = 50
	maxRows    = 1000
)

func spanOf(n adfNode) adfSpan {
	s := adfSpan{Columns: 1, Rows: 1}
	if len(n.Attrs) > 0 && json.Unmarshal(n.Attrs, &s) != nil {
		return adfSpan{Columns: 1, Rows: 1}
	}
	s.Columns, s.Rows = min(max(s.Columns, 1), maxColumns), min(max(s.Rows, 1), maxRows)
	return s
}
