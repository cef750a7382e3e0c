package local

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/frank-mcp/frank/internal/markup"
)

func TestEveryNameIsShownAsTextThatReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "%", "%E9", "25", "\xe9", "\u00e9", "\u200b", "\u202e", " ", "\n", "\t", "/", "\ufffd", "\ufe0f", "\U0001f600", "\u200d", "\x1b[", "e\u0301", "#", "?"})
		name := ""
		for range rapid.IntRange(1, 8).Draw(t, "parts") {
			name += part.Draw(t, "part")
		}
		shown := shownName(name)
		if !utf8.ValidString(shown) || markup.Line(shown, 1000) != shown {
			t.Fatalf("%q is shown as %q, which is no clean text", name, shown)
		}
		if back := rawName(shown); back != name {
			t.Fatalf("%q is shown as %q, which reads back as %q", name, shown, back)
		}
	})
}
