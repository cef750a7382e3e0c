package markup

import (
	"strings"
	"unicode/utf8"
)

// adornment is how a reStructuredText heading is marked.
type adornment struct {
	char byte
	over bool // above and below the title, not only below
}

// restHeadings follows docutils: a title is one line of its own with a line of
// one punctuation character below, or above and below. The order in which the
// styles appear gives the levels.
func restHeadings(src string) []Heading {
	var out []Heading
	var styles []adornment
	fresh := true // the line before ends whatever was there
	for at := 0; at < len(src); {
		line, next := lineAt(src, at)
		title, style, after, ok := restTitle(src, at)
		if !fresh || !ok {
			fresh = strings.TrimSpace(line) == ""
			at = next
			continue
		}
		h := Heading{Start: at, Title: Line(title, maxTitle)}
		h.Level, styles = restLevel(styles, style)
		if h.Title != "" {
			out = append(out, h)
		}
		at = after
	}
	return out
}

func restLevel(styles []adornment, style adornment) (int, []adornment) {
	for i, s := range styles {
		if s == style {
			return i + 1, styles
		}
	}
	return len(styles) + 1, append(styles, style)
}

// restTitle reads a title that begins, with its overline if it has one, at an
// offset, and returns where the text below it begins.
func restTitle(src string, at int) (title string, style adornment, after int, ok bool) {
	first, next := lineAt(src, at)
	first = strings.TrimRight(first, " \t")
	if first == "" || next >= len(src) {
		return "", adornment{}, 0, false
	}
	second, after := lineAt(src, next)
	second = strings.TrimRight(second, " \t")
	if char := adornmentOf(first); char != 0 {
		third, after := lineAt(src, after)
		if second == "" || strings.TrimRight(third, " \t") != first || !spans(first, strings.TrimSpace(second)) {
			return "", adornment{}, 0, false
		}
		return second, adornment{char, true}, after, true
	}
	char := adornmentOf(second)
	if char == 0 || first[0] == ' ' || first[0] == '\t' || !spans(second, first) {
		return "", adornment{}, 0, false
	}
	return first, adornment{char, false}, after, true
}

// adornmentOf is the character of which all of line consists, or 0.
func adornmentOf(line string) byte {
	if line == "" || !asciiPunctuation(line[0]) || strings.Trim(line, line[:1]) != "" {
		return 0
	}
	return line[0]
}

// spans reports whether an adornment is long enough. Docutils takes a short
// one with a warning from four characters on.
func spans(adornment, title string) bool {
	return len(adornment) >= 4 || len(adornment) >= utf8.RuneCountInString(title)
}

func asciiPunctuation(b byte) bool {
	return b > ' ' && b < '0' || b > '9' && b < 'A' || b > 'Z' && b < 'a' || b > 'z' && b < 0x7f
}
