package markup

import (
	"fmt"
	"testing"
)

func TestTextileMarksHeadingsByItsOwnSigns(t *testing.T) {
	src := "h1. The \"guide\":http://a.example\n\nText h2. not\nh2. nor here\n\nh2(#use){color:red}. Use\n\n<pre>\n\nh2. code\n\n</pre>\n\nh3>. Deep\n\nh7. no\n"
	got := ""
	for _, h := range Outline(Textile, src) {
		got += fmt.Sprintf("%d %s %d\n", h.Level, h.Title, h.Line)
	}
	if want := "1 The guide 1\n2 Use 6\n3 Deep 14\n"; got != want {
		t.Errorf("outline:\n%s", got)
	}
	text, _, _, ok := Section(Textile, src, "Use")
	if !ok || text != src[len("h1. The \"guide\":http://a.example\n\nText h2. not\nh2. nor here\n\n"):] {
		t.Errorf("section %q", text)
	}
}
