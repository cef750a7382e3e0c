package github

import "strings"

// What one answer holds of a file at most. More is asked for with a range.
const (
	maxLines    = 2000
	maxTextSize = 256 << 10
)

// window is a run of lines of a text, counted from 1, both ends included. An
// empty text has zero lines.
type window struct {
	text              string
	start, end, total int
	// cut: the run ends before it was asked to, at a limit of ours. If not even
	// its first line fits, that line is cut and end is start.
	cut bool
	// beyond: the text has no line start.
	beyond bool
}

// linesOf takes lines start to end of text; zero means from the first, to the last.
func linesOf(text string, start, end int) window {
	w := window{total: lineCount(text), start: max(start, 1)}
	if end <= 0 || end > w.total {
		end = w.total
	}
	if w.total == 0 && start <= 1 {
		return window{}
	}
	if w.start > w.total {
		w.beyond = true
		return w
	}
	rest := text
	for range w.start - 1 {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	size := 0
	for w.end = w.start - 1; w.end < end; w.end++ {
		n := strings.IndexByte(rest[size:], '\n') + 1
		if n == 0 {
			n = len(rest) - size
		}
		if size+n > maxTextSize || w.end-w.start+1 == maxLines {
			w.cut = true
			break
		}
		size += n
	}
	if w.end < w.start { // one line longer than the limit
		w.end, size = w.start, len(strings.ToValidUTF8(rest[:maxTextSize], ""))
	}
	w.text = rest[:size]
	return w
}

func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
