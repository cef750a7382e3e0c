package github

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/frank-mcp/frank/internal/markup"
)

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

// login is the name of an account; nothing for one that is gone.
func (s *scrub) login(w *wireLogin) string { return s.line(loginOf(w)) }

func (s *scrub) logins(ws []wireLogin) []string {
	var out []string
	for i := range ws {
		out = append(out, s.login(&ws[i]))
	}
	return out
}

// word is a hash, a state or another value that GitHub makes of letters, digits,
// dashes and underscores. What is not is left out.
func (s *scrub) word(text string) string {
	if strings.ContainsFunc(text, notWord) {
		s.removed++
		return ""
	}
	return text
}

func notWord(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// url is an address that people can open; what is none is left out.
func (s *scrub) url(text string) string {
	if text == "" {
		return ""
	}
	clean := s.plain(text)
	u, err := url.Parse(clean)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") || strings.ContainsFunc(clean, unicode.IsSpace) {
		s.removed++
		return ""
	}
	return clean
}
