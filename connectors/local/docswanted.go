package local

import (
	"strings"
	"unicode"

	"github.com/frank-mcp/frank/internal/markup"
)

// wanted is the text that is searched for.
type wanted struct {
	markup.Needle
	ascii bool
	words []markup.Needle
}

func newWanted(text string) wanted {
	w := wanted{Needle: markup.NewNeedle(text), ascii: true}
	for _, r := range text {
		w.ascii = w.ascii && r <= unicode.MaxASCII
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		w.words = append(w.words, markup.NewNeedle(word))
	}
	return w
}

// inTitle reports whether the title of a document contains what is wanted,
// though its text does not: markup can stand between the words. Finding the
// title takes a parse, so documents that lack one of the words are passed over.
func (w wanted) inTitle(e leaf, text string) bool {
	if !splitsWords(text) {
		for _, word := range w.words {
			if !word.In(text) {
				return false
			}
		}
	}
	return w.In(markup.Title(e.format, text, e.path))
}

// splitsWords reports whether markup may stand inside a word of a text, or an
// entity for a letter.
func splitsWords(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		switch {
		case s[i] == '&' && (s[i+1] == '#' || inWord(s[i+1])):
			return true
		case s[i] == ']' && (s[i+1] == '(' || s[i+1] == '['): // what follows is no text; its end counts
		case i > 0 && isMark(s[i]) && inWord(s[i-1]):
			rest := strings.TrimLeft(s[i:], "*~`\\[]()<>")
			if rest != "" && inWord(rest[0]) {
				return true
			}
		}
	}
	return false
}

func isMark(c byte) bool { return strings.IndexByte("*~`\\[])<>", c) >= 0 }

// inWord takes all bytes beyond ASCII for letters.
func inWord(c byte) bool {
	return c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
