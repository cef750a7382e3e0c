package markup

import (
	"bytes"
	"slices"

	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The two parts of GitHub's grammar that CommonMark lacks and a tracker shows:
// https://github.github.com/gfm/#strikethrough-extension- and #tables-extension-.
// Goldmark's own package of extensions has them too, and makes patterns and sets for
// all the others, renderers included, whenever a process starts.

// strikes reads text between one or two tildes as struck through.
type strikes struct{}

func (strikes) Trigger() []byte { return []byte{'~'} }

func (s strikes) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, at := block.PeekLine()
	run := parser.ScanDelimiter(line, before, 1, s)
	if run == nil || run.OriginalLength > 2 || before == '~' { // three and more are text
		return nil
	}
	run.Segment = at.WithStop(at.Start + run.OriginalLength)
	block.Advance(run.OriginalLength)
	pc.PushDelimiter(run)
	return run
}

func (strikes) IsDelimiter(b byte) bool { return b == '~' }

func (strikes) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char && opener.OriginalLength == closer.OriginalLength
}

func (strikes) OnMatch(int) ast.Node { return xast.NewStrikethrough() }

// tables makes a table of the end of a paragraph: a line of names, a line of dashes
// for as many columns, and a row in each line after.
type tables struct{}

func (tables) Transform(p *ast.Paragraph, r text.Reader, _ parser.Context) {
	src, lines := r.Source(), p.Lines()
	for i := 1; i < lines.Len(); i++ {
		dashes := lines.At(i)
		columns := columnsOf(dashes.Value(src))
		if columns == 0 {
			continue
		}
		head := cellsOf(lines.At(i-1), src)
		if len(head) != columns {
			return
		}
		t := xast.NewTable()
		t.AppendChild(t, xast.NewTableHeader(rowOf(head, columns)))
		for j := i + 1; j < lines.Len(); j++ {
			t.AppendChild(t, rowOf(cellsOf(lines.At(j), src), columns))
		}
		p.Parent().InsertAfter(p.Parent(), p, t)
		if i == 1 {
			p.Parent().RemoveChild(p.Parent(), p)
			return
		}
		lines.SetSliced(0, i-1)
		last := lines.At(i - 2)
		lines.Set(i-2, last.TrimRightSpace(src))
		return
	}
}

// columnsOf is how many columns a line of dashes has, such as | --- | :-: |; 0 for any
// other line, such as one that is set in by more than three spaces. One column needs a
// bar or a colon, or it would be the underline of a heading.
func columnsOf(line []byte) int {
	if deep, _ := util.IndentWidth(line, 0); deep > 3 {
		return 0
	}
	line = bytes.TrimSpace(line)
	if !bytes.ContainsAny(line, "|:") {
		return 0
	}
	line = bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("|")), []byte("|"))
	columns := 0
	for cell := range bytes.SplitSeq(line, []byte("|")) {
		cell = bytes.TrimSpace(cell)
		cell = bytes.TrimSuffix(bytes.TrimPrefix(cell, []byte(":")), []byte(":"))
		if len(cell) == 0 || len(bytes.Trim(cell, "-")) > 0 {
			return 0
		}
		columns++
	}
	return columns
}

// cellsOf cuts a line at the bars that no backslash stands before.
func cellsOf(line text.Segment, src []byte) []text.Segment {
	line = line.TrimLeftSpace(src)
	line = line.TrimRightSpace(src)
	row := src[line.Start:line.Stop]
	at := len(row) - len(bytes.TrimPrefix(row, []byte("|")))
	end := len(row)
	if end > at && row[end-1] == '|' && !escaped(row, end-1) {
		end--
	}
	var out []text.Segment
	for i := at; i <= end; i++ {
		if i < end && (row[i] != '|' || escaped(row, i)) {
			continue
		}
		if i > at || i < end { // what ends with the row is no cell of its own
			cell := text.NewSegment(line.Start+at, line.Start+i)
			cell = cell.TrimLeftSpace(src)
			out = append(out, cell.TrimRightSpace(src))
		}
		at = i + 1
	}
	return out
}

func escaped(row []byte, at int) bool { return at > 0 && row[at-1] == '\\' }

// rowOf makes a row of as many cells as the table has columns: GitHub leaves out what
// is more, and fills up what is less.
func rowOf(cells []text.Segment, columns int) *xast.TableRow {
	row := xast.NewTableRow(slices.Repeat([]xast.Alignment{xast.AlignNone}, columns))
	for i := range columns {
		cell := xast.NewTableCell()
		if i < len(cells) {
			cell.Lines().Append(cells[i])
		}
		row.AppendChild(row, cell)
	}
	return row
}
