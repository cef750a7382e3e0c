package markup

import (
	"strings"
	"unicode/utf8"
)

func isASCII(s string) bool { return asciiEnd(s, 0) == len(s) }

// asciiEnd is where the run of ASCII that starts at an offset ends.
func asciiEnd(s string, at int) int {
	for ; len(s)-at >= 8; at += 8 {
		block := s[at : at+8]
		if (block[0] | block[1] | block[2] | block[3] | block[4] | block[5] | block[6] | block[7]) >= utf8.RuneSelf {
			break
		}
	}
	for at < len(s) && s[at] < utf8.RuneSelf {
		at++
	}
	return at
}

func lowerASCII(b byte) byte {
	if b-'A' < 26 {
		return b + 'a' - 'A'
	}
	return b
}

func upperASCII(b byte) byte {
	if b-'a' < 26 {
		return b - ('a' - 'A')
	}
	return b
}

// equalLower reports whether s, of the length of lower, is it but for case.
func equalLower(s, lower string) bool {
	for i := range len(lower) {
		if lowerASCII(s[i]) != lower[i] {
			return false
		}
	}
	return true
}

// frequency ranks a lower-case byte by how often texts and sources hold it.
func frequency(b byte) int {
	return 1 + strings.LastIndexByte("\nzqxjkvbywgpfmuhdclrsnioat e", b)
}

// byteFinder finds a letter in either case. It remembers the case that lies
// further ahead, so that a text with only one of them is not scanned over and
// over for the other.
type byteFinder struct {
	lower, upper         byte
	lowerAt, upperAt     int // the next one at or after the last from; len(s) if none
	lowerSeen, upperSeen bool
}

func (f *byteFinder) find(s string, from int) int {
	if from >= len(s) {
		return -1
	}
	if !f.lowerSeen || f.lowerAt < from {
		f.lowerAt, f.lowerSeen = indexFrom(s, f.lower, from), true
	}
	if f.upper == f.lower {
		f.upperAt = f.lowerAt
	} else if !f.upperSeen || f.upperAt < from {
		f.upperAt, f.upperSeen = indexFrom(s, f.upper, from), true
	}
	if at := min(f.lowerAt, f.upperAt); at < len(s) {
		return at
	}
	return -1
}

func indexFrom(s string, b byte, from int) int {
	if i := strings.IndexByte(s[from:], b); i >= 0 {
		return from + i
	}
	return len(s)
}
