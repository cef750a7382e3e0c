package redmine

import (
	"strings"

	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/pattern"
)

var (
	textileSigns  = pattern.New(`(?m)^(?:h[1-6]|bq|p|fn[0-9]+)(?:\([^)\n]*\)|\{[^}\n]*\}|[<>=])*\. |"[^"\n]+":(?:https?:|/)|<pre>`)
	markdownSigns = pattern.New("(?m)^#{2,6} \\S|^(?:```|~~~)|\\[[^\\]\\n]+\\]\\((?:https?:|/|#)|^(?:===+|---+)$")
)

// formatOf guesses the markup of a text: Redmine has one for all texts, which its
// REST interface does not tell. A single # opens a list in Textile and a heading in
// Markdown, and so tells nothing.
func formatOf(text string) markup.Format {
	textile, markdown := len(textileSigns.FindAllString(text, -1)), len(markdownSigns.FindAllString(text, -1))
	switch {
	case markdown > textile:
		return markup.Markdown
	case textile == 0 && strings.HasPrefix(text, "# "):
		return markup.Markdown
	default:
		return markup.Textile
	}
}

// excerpt is the line of text around the offset at, shortened so that what stands
// there is in it.
func excerpt(text string, at int) string {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		end = at + n
	}
	if at-begin > maxSnippet/2 {
		begin = at - maxSnippet/4
	}
	return markup.Line(text[begin:end], maxSnippet)
}
