package cli

import (
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// plainWidth is the width of what is not shown on a terminal.
const plainWidth = 80

// screen is what is known about the place where a text will be read.
type screen struct {
	terminal bool
	colour   bool
	width    int
}

func screenOf(f *os.File) screen {
	s := screen{terminal: term.IsTerminal(int(f.Fd())), width: plainWidth}
	if !s.terminal {
		return s
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		s.width = max(w, 40)
	}
	s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return s
}

// style is an SGR parameter.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

func (s screen) paint(as style, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}

// clean makes a text safe to print: what people wrote must not move the cursor,
// set colours or reverse the reading order.
func clean(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t':
			return c
		case c == '\r':
			return -1
		case c < ' ' || c >= 0x7f && c < 0xa0, c >= 0x202a && c <= 0x202e, c >= 0x2066 && c <= 0x2069, c == 0x2028, c == 0x2029:
			return utf8.RuneError
		}
		return c
	}, text)
}

// wrap breaks a text at spaces so that no line is longer than width, and indents
// every line but the first by indent spaces. Words longer than a line stay whole.
func wrap(text string, width, indent int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// fold breaks those lines of a text that are wider than a terminal, and goes on with
// indent spaces more than they begin with. Elsewhere lines stay whole, for programs.
func (s screen) fold(text string, indent int) string {
	if !s.terminal {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if utf8.RuneCountInString(line) > s.width {
			margin := len(line) - len(strings.TrimLeft(line, " "))
			lines[i] = line[:margin] + wrap(line, s.width-margin, indent)
			lines[i] = strings.ReplaceAll(lines[i], "\n", "\n"+line[:margin])
		}
	}
	return strings.Join(lines, "\n")
}

// table aligns rows in columns. The cells of a row that is cut short end it.
func table(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}
