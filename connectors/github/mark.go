package github

import (
	"strings"
)

// A mark is an HTML comment at the end of what frank has written. A rendered page
// does not show it.
const (
	markOpens  = "<!-- frank:"
	markCloses = " -->"
	markDigits = 16
)

// marked is a text with the mark at its end.
func marked(text, id string) string {
	mark := markOpens + id + markCloses
	if strings.TrimSpace(text) == "" {
		return mark
	}
	return strings.TrimRight(text, " \t\r\n") + "\n\n" + mark
}

// bears reports whether a text ends with that mark, or with it before others.
func bears(text, id string) bool {
	for {
		rest, found, ok := cutMark(text)
		if !ok || found == id {
			return ok
		}
		text = rest
	}
}

// unmarked is a text without the marks at its end, which are nobody's words.
func unmarked(text string) string {
	for {
		rest, _, ok := cutMark(text)
		if !ok {
			return text
		}
		text = rest
	}
}

// marksOf are the marks at the end of a text, as they stand there.
func marksOf(text string) string {
	return strings.TrimSpace(strings.TrimPrefix(text, unmarked(text)))
}

// cutMark takes the last mark off the end of a text.
func cutMark(text string) (rest, id string, ok bool) {
	body, closed := strings.CutSuffix(strings.TrimRight(text, " \t\r\n"), markCloses)
	if !closed || len(body) < len(markOpens)+markDigits {
		return text, "", false
	}
	body, id = body[:len(body)-markDigits], body[len(body)-markDigits:]
	if strings.Trim(id, "0123456789abcdef") != "" {
		return text, "", false
	}
	rest, opened := strings.CutSuffix(body, markOpens)
	if !opened {
		return text, "", false
	}
	return strings.TrimRight(rest, " \t\r\n"), id, true
}
