package redmine

import "github.com/frank-mcp/frank/internal/markup"

const (
	// maxTitle bounds a title in a listing, in runes.
	maxTitle = 300
	// maxText bounds the text of a page or issue, in bytes.
	maxText = 256 << 10
	// maxSnippet bounds what is shown of a line that matches, in runes.
	maxSnippet = 200
)

// scrub cleans the texts of one item, all of which people wrote, and counts what
// it took out of them.
type scrub struct{ removed int }

// line is s as one line, for titles and names.
func (s *scrub) line(text string) string {
	clean, r := markup.Clean(text)
	s.removed += r.Total()
	return markup.Line(clean, maxTitle)
}

// text is a text in whatever markup it was written.
func (s *scrub) text(text string) string {
	clean, r := markup.Clean(text)
	s.removed += r.Total()
	return clean
}

func (s *scrub) names(ws []wireRef) []string {
	var out []string
	for _, w := range ws {
		out = append(out, s.line(w.Name))
	}
	return out
}

// optional is a list of one name, or of none.
func (s *scrub) optional(w *wireRef) []string {
	if name := s.line(nameOf(w)); name != "" {
		return []string{name}
	}
	return nil
}
