package github

import (
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
)

// What one hit shows at most.
const (
	maxMatches    = 5
	maxMatchRunes = 200
)

// matchLines lists the first lines of text that contain the needle, counted
// from 1. A match that spans lines is told by the line it begins in.
func matchLines(text string, needle markup.Needle) []connectors.LineMatch {
	var out []connectors.LineMatch
	line, from := 1, 0
	for start := range needle.All(text) {
		line += strings.Count(text[from:start], "\n")
		from = start
		if len(out) > 0 && out[len(out)-1].Line == line {
			continue
		}
		if len(out) == maxMatches {
			return out
		}
		out = append(out, connectors.LineMatch{Line: line, Text: excerpt(text, start)})
	}
	return out
}

// excerpt is the line of text around the offset at, shortened so that what
// stands there is in it.
func excerpt(text string, at int) string {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		end = at + n
	}
	if at-begin > maxMatchRunes/2 {
		begin = at - maxMatchRunes/4
	}
	return markup.Line(text[begin:end], maxMatchRunes)
}
