package github

import (
	"strings"
	"testing"
)

func TestLinesAreCountedFromOneAndBothEndsAreIncluded(t *testing.T) {
	for _, c := range []struct {
		name, text string
		start, end int
		want       window
	}{
		{"all", "a\nb\nc\n", 0, 0, window{text: "a\nb\nc\n", start: 1, end: 3, total: 3}},
		{"no final line end", "a\nb", 0, 0, window{text: "a\nb", start: 1, end: 2, total: 2}},
		{"middle", "a\nb\nc\n", 2, 2, window{text: "b\n", start: 2, end: 2, total: 3}},
		{"open end", "a\nb\nc\n", 2, 0, window{text: "b\nc\n", start: 2, end: 3, total: 3}},
		{"end beyond", "a\nb\n", 1, 9, window{text: "a\nb\n", start: 1, end: 2, total: 2}},
		{"start beyond", "a\nb\n", 3, 0, window{start: 3, total: 2, beyond: true}},
		{"empty file", "", 0, 0, window{}},
		{"line of an empty file", "", 2, 0, window{start: 2, beyond: true}},
	} {
		if got := linesOf(c.text, c.start, c.end); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestHT17LinesBeyondTheLimitsAreCutAndSaidSo(t *testing.T) {
	w := linesOf(strings.Repeat("x\n", maxLines+5), 0, 0)
	if !w.cut || w.end != maxLines || w.total != maxLines+5 || lineCount(w.text) != maxLines {
		t.Errorf("many lines: cut %t, end %d, total %d", w.cut, w.end, w.total)
	}
	w = linesOf(strings.Repeat("x\n", maxLines), 0, 0)
	if w.cut || w.end != maxLines {
		t.Errorf("exactly the limit: cut %t, end %d", w.cut, w.end)
	}
	w = linesOf("a\n"+strings.Repeat("y", maxTextSize+1), 0, 0)
	if !w.cut || w.end != 1 || w.text != "a\n" {
		t.Errorf("long second line: cut %t, end %d, %d bytes", w.cut, w.end, len(w.text))
	}
	w = linesOf(strings.Repeat("é", maxTextSize), 1, 1)
	if !w.cut || w.end != 1 || len(w.text) > maxTextSize || !strings.HasSuffix(w.text, "é") {
		t.Errorf("long first line: cut %t, end %d, %d bytes", w.cut, w.end, len(w.text))
	}
}
