package ref

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/pattern"
)

// MaxLength is the longest reference that is read, in bytes.
const MaxLength = 2000

// ErrorKind says what keeps a text from being a reference.
type ErrorKind int

// The kinds. Zero is none of them.
const (
	Empty ErrorKind = iota + 1
	TooLong
	BadCharacter
	BadURL
	BadScheme
	BadLines
	BadPath
)

// String names the kind as evidence does.
func (k ErrorKind) String() string {
	names := [...]string{"invalid", "empty", "too_long", "bad_character", "bad_url", "bad_scheme", "bad_lines", "bad_path"}
	if k < 0 || int(k) >= len(names) {
		return names[0]
	}
	return names[k]
}

// Error is why Parse refuses a text. Text says what to do and holds nothing
// of the text that was refused.
type Error struct {
	Kind ErrorKind
	Text string
}

// Error is the text.
func (e *Error) Error() string { return e.Text }

func fail(k ErrorKind, text string) error { return &Error{k, text} }

// Parse reads what a person pasted. The error is an *Error. A text that has no
// recognisable shape is no error but a Ref of kind Unknown: it may be a title.
func Parse(s string) (Ref, error) {
	if len(s) > MaxLength {
		return Ref{}, fail(TooLong, "the reference is longer than 2,000 characters; give only the link or the id")
	}
	raw, err := clean(s)
	if err != nil {
		return Ref{}, err
	}
	// Removing a query or a bracket may bare the next thing to remove, so this
	// goes on until the canonical form stands for itself.
	rounds := 0
	for text := raw; ; {
		r, err := parseOnce(text)
		if err != nil {
			return Ref{}, err
		}
		next, err := clean(r.String())
		if err != nil {
			return Ref{}, err
		}
		if next == text {
			r.Raw = text
			return r, nil
		}
		if rounds++; rounds > maxRounds || len(next) > 4*MaxLength {
			return Ref{}, fail(BadURL, "the reference cannot be read; copy it again")
		}
		text = next
	}
}

// maxRounds is well above the two or three that real references need.
const maxRounds = 16

func parseOnce(s string) (Ref, error) {
	if r, ok, err := parseLink(s); ok || err != nil {
		return r, err
	}
	return parseText(s)
}

var markdownLink = pattern.New(`^!?\[[^\]]*\]\(\s*<?([^\s<>]+?)>?(?:\s+"[^"]*")?\s*\)$`)

// wraps are pairs that stand around a reference in prose.
var wraps = [...][2]string{{"<", ">"}, {`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}, {"(", ")"}, {"[", "]"}}

// clean takes off what prose puts around a reference and refuses characters
// that nobody types on purpose.
func clean(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", fail(BadCharacter, "the reference is not valid UTF-8; copy it again")
	}
	s = strings.TrimSpace(s)
	for before := ""; before != s; {
		before = s
		if m := markdownLink.FindStringSubmatch(s); m != nil {
			s = m[1]
		}
		for _, w := range wraps {
			if inner, ok := unwrap(s, w); ok {
				s = inner
			}
		}
		s = strings.TrimSpace(trimEnd(s))
	}
	if s == "" {
		return "", fail(Empty, "the reference is empty; give a link, an id such as PAY-12 or owner/repo#12, or a path")
	}
	if strings.ContainsFunc(s, Invisible) {
		return "", fail(BadCharacter, "the reference holds a line break, a control character or an invisible character; type it instead of copying it")
	}
	return s, nil
}

func unwrap(s string, w [2]string) (string, bool) {
	if len(s) < len(w[0])+len(w[1])+1 || !strings.HasPrefix(s, w[0]) || !strings.HasSuffix(s, w[1]) {
		return "", false
	}
	return s[len(w[0]) : len(s)-len(w[1])], true
}

// trimEnd removes the punctuation of the sentence a reference stood in. A
// closing parenthesis stays where it closes one of the reference's own, as in
// titles on Wikipedia.
func trimEnd(s string) string {
	for len(s) > 1 {
		cut := s[:len(s)-1]
		switch s[len(s)-1] {
		case '.', ',', ';':
			if strings.Trim(cut, "./") == "" {
				return s
			}
		case ')':
			if strings.Count(s, ")") <= strings.Count(s, "(") {
				return s
			}
		default:
			return s
		}
		s = cut
	}
	return s
}

// Invisible tells control characters, format characters (zero width, bidi,
// Unicode tags) and line separators, none of which a reference contains.
func Invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || r == utf8.RuneError
}
