package markup

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one clean line for titles and names: cleaned, every run of
// white space one space, trimmed, and cut to at most limit runes, the last of
// which is then "…". A limit below 1 counts as 1.
func Line(s string, limit int) string {
	s, _ = Clean(s)
	s = strings.Join(strings.Fields(s), " ")
	limit = max(limit, 1)
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	end := 0
	for range limit - 1 {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	// What the cut left half (a joiner without its second half) goes as well.
	head := strings.TrimRightFunc(s[:end], func(r rune) bool {
		return r == zwj || r == zwnj || unicode.IsSpace(r)
	})
	head, _ = Clean(head)
	return head + "…"
}

// Cut returns the longest prefix of s of at most maxBytes bytes that splits no
// rune, and whether anything was cut off.
func Cut(s string, maxBytes int) (out string, cut bool) {
	end := max(maxBytes, 0)
	if len(s) <= end {
		return s, false
	}
	for back := 0; end > 0 && back < utf8.UTFMax && !utf8.RuneStart(s[end]); back++ {
		end--
	}
	return s[:end], true
}

// IsLFSPointer reports whether b is what Git LFS leaves in the place of a
// file's content (git-lfs, docs/spec.md): searching or reading it says nothing
// about that content. LG-11.
func IsLFSPointer(b []byte) bool {
	return bytes.HasPrefix(b, []byte("version https://git-lfs.github.com/spec/v1\n")) ||
		bytes.HasPrefix(b, []byte("version https://git-lfs.github.com/spec/v1\r\n"))
}
