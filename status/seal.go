package status

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Connectors clean what they pass on and say what they removed. What follows is
// the net under them: no string of a result, in either channel, carries a
// character that nobody sees, that reorders what is seen, or that some host takes
// for the end of a line.

// sealJSON takes such characters out of the strings of JSON text, raw or escaped.
// Clean text is returned as it came.
func sealJSON(b []byte) []byte { return (&sealer{src: b, json: true}).run() }

// sealText does the same for text of ours, whose line feeds stay.
func sealText(s string) string {
	for i := range len(s) {
		if !plain(s[i]) {
			return string((&sealer{src: []byte(s)}).run())
		}
	}
	return s
}

// sealer copies src to out from the first change on.
type sealer struct {
	src   []byte
	json  bool
	out   []byte
	start int // of the part of src that is kept but not yet copied
	pos   int
}

// plain passes printable ASCII but the backslash, which is most text.
func plain(c byte) bool { return c-0x20 < 0x5f && c != '\\' }

func (s *sealer) run() []byte {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case plain(c):
			s.pos++
		case c == '\\' && s.json:
			s.escape()
		case c == '\\' || c == '\n':
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.src[s.pos:])
			s.judge(r, size)
		}
	}
	if s.start == 0 {
		return s.src
	}
	return append(s.out, s.src[s.start:]...)
}

// replace puts with in the place of the next n bytes.
func (s *sealer) replace(n int, with string) {
	if s.out == nil {
		s.out = make([]byte, 0, len(s.src))
	}
	s.out = append(append(s.out, s.src[s.start:s.pos]...), with...)
	s.pos += n
	s.start = s.pos
}

// escape judges one escape sequence of a JSON string.
func (s *sealer) escape() {
	rest := s.src[s.pos:]
	if len(rest) < 2 {
		s.pos++
		return
	}
	switch rest[1] {
	case 'u':
		r, size := unescape(rest)
		s.judge(r, size)
	case 'b', 'f':
		s.replace(2, " ")
	case 'r':
		if len(rest) > 3 && rest[2] == '\\' && rest[3] == 'n' {
			s.replace(2, "")
			return
		}
		s.replace(2, `\n`)
	default:
		s.pos += 2
	}
}

// unescape reads \uXXXX, or two of them that make one character.
func unescape(b []byte) (r rune, size int) {
	unit := func(at int) rune {
		if len(b) < at+6 || b[at] != '\\' || b[at+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(b[at+2:at+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	r = unit(0)
	if r < 0 {
		return utf8.RuneError, min(2, len(b))
	}
	if pair := utf16.DecodeRune(r, unit(6)); pair != utf8.RuneError {
		return pair, 12
	}
	return r, 6
}

// judge keeps, drops or replaces the character that stands in the next size bytes.
func (s *sealer) judge(r rune, size int) {
	switch {
	case breaksLine(r):
		s.replace(size, " ")
	case hidden(r), joining(r) && !s.joins(r, size):
		s.replace(size, "")
	default:
		s.pos += size
	}
}

// joins reports whether a joiner or selector has something to join or to vary.
func (s *sealer) joins(r rune, size int) bool {
	kept := s.src[s.start:s.pos]
	if len(kept) == 0 {
		kept = s.out
	}
	before, _ := utf8.DecodeLastRune(kept)
	after, _ := utf8.DecodeRune(s.src[s.pos+size:])
	switch {
	case r == emojiStyle && after == keycap:
		return before == '#' || before == '*' || before >= '0' && before <= '9'
	case r == emojiStyle, r == textStyle:
		return pictorial(before)
	default:
		return (shaped(before) || before == emojiStyle) && shaped(after)
	}
}

const (
	zwnj       = 0x200C
	zwj        = 0x200D
	textStyle  = 0xFE0E
	emojiStyle = 0xFE0F
	keycap     = 0x20E3
)

// joining characters are kept where they can have an effect.
func joining(r rune) bool { return r == zwnj || r == zwj || r == textStyle || r == emojiStyle }

// pictorial is roughly what has a text and an emoji style.
func pictorial(r rune) bool {
	switch r {
	case 0xA9, 0xAE, 0x3030, 0x303D, 0x3297, 0x3299:
		return true
	}
	return r >= 0x203C && r < 0x2C00 && !hidden(r) || r >= 0x1F000 && r < 0x20000
}

// shaped is roughly what a joiner can change: the letters of cursive and Brahmic
// scripts, and emoji.
func shaped(r rune) bool {
	script := r >= 0x600 && r < 0x1D00 || r >= 0xA800 && r < 0xAB00 || r >= 0xFB50 && r < 0xFE00 || r >= 0xFE70 && r < 0xFEFD || r >= 0x10D00 && r < 0x1F000
	return (script || pictorial(r)) && !hidden(r)
}

// breaksLine knows what Unicode, or a host, takes for the end of a line apart
// from the line feed.
func breaksLine(r rune) bool {
	switch r {
	case 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// hidden reports whether r is never wanted in an answer: controls, bidi controls,
// tags, fillers, characters without width or ink, noncharacters.
func hidden(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x300:
		return r >= 0x7F && r < 0xA0 || r == 0xAD
	case r < 0x2000:
		switch r {
		case 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180E, 0x180F:
			return true
		}
		return false
	case r < 0x3000:
		return r == 0x200B || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x206F
	case r < 0x10000:
		return r == 0x3164 || r >= 0xFDD0 && r <= 0xFDEF || r >= 0xFE00 && r < textStyle || r == 0xFEFF || r == 0xFFA0 ||
			r >= 0xFFF0 && r <= 0xFFFB || r >= 0xFFFE
	default:
		return r&0xFFFE == 0xFFFE || r >= 0xE0000 && r <= 0xE0FFF || r >= 0x1BCA0 && r <= 0x1BCA3 || r >= 0x1D173 && r <= 0x1D17A
	}
}
