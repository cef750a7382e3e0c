package markup

import (
	"strings"

	"github.com/frank-mcp/frank/internal/pattern"
)

var (
	textileHeading = pattern.New(`^h([1-6])(?:\([^)\n]*\)|\{[^}\n]*\}|\[[^\]\n]*\]|[<>=()])*\. +(\S.*)$`)
	textileLink    = pattern.New(`"([^"\n]+)":\S+`)
)

// textileHeadings takes the paragraphs that open with h1. to h6. What stands
// between <pre> and </pre> is code.
func textileHeadings(src string) []Heading {
	var out []Heading
	opens, code := true, false // a paragraph begins here; inside <pre>
	for at := 0; at < len(src); {
		line, next := lineAt(src, at)
		m := textileHeading.FindStringSubmatch(strings.TrimRight(line, " \t"))
		if m != nil && opens && !code {
			title := Line(textileLink.Regexp().ReplaceAllString(m[2], "$1"), maxTitle)
			out = append(out, Heading{Level: int(m[1][0] - '0'), Title: title, Start: at})
		}
		for rest := strings.ToLower(line); ; {
			mark := "<pre"
			if code {
				mark = "</pre>"
			}
			i := strings.Index(rest, mark)
			if i < 0 {
				break
			}
			code, rest = !code, rest[i+len(mark):]
		}
		opens = strings.TrimSpace(line) == "" || m != nil
		at = next
	}
	return out
}
