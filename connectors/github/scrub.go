package github

import "github.com/frank-mcp/frank/internal/markup"

// maxTitle bounds a title in a listing, in runes.
const maxTitle = 300

// scrub cleans the texts of one item, all of which people wrote, and counts what
// it took out of them.
type scrub struct{ removed int }

// line is s as one line, for titles, names and labels.
func (s *scrub) line(text string) string {
	clean, r := markup.Clean(text)
	s.removed += r.Total()
	return markup.Line(clean, maxTitle)
}

// prose is s as Markdown.
func (s *scrub) prose(text string) string {
	clean, r := markup.CleanMarkdown(text)
	s.removed += r.Total()
	return clean
}

// lines is each of the texts as a line; nil if there are none.
func (s *scrub) lines(texts []string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, s.line(t))
	}
	return out
}
