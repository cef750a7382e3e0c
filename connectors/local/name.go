package local

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// On a disk and in Git a name is a row of bytes. An answer is text that people
// and models read: it has to be UTF-8, and what nobody sees is taken out of it.
// A name that does not survive this unchanged is written with percent signs, as
// in a link, so that what a listing shows can be read back.

// nameRoom is more than any name that is shown has characters.
const nameRoom = 1 << 20

// shownName is a path, or the name of a branch or tag, as answers write it.
// [rawName] turns it back.
func shownName(p string) string {
	if plainASCII(p) {
		return p
	}
	if seenName(p) == p && !readsAsEscape(p) {
		return p
	}
	out := escape(p, func(r rune) bool { return unicode.IsPrint(r) && r != utf8.RuneError })
	if seenName(out) != out { // spaces at the ends, marks that select nothing
		out = escape(p, func(r rune) bool { return r > ' ' && r < unicode.MaxASCII })
	}
	return out
}

// plainASCII reports whether a name needs no closer look.
func plainASCII(p string) bool {
	for i := range len(p) {
		if c := p[i]; c <= ' ' || c > '~' || c == '%' {
			return false
		}
	}
	return true
}

// escape writes the bytes of every rune that keep does not accept, and percent
// signs, as two hexadecimal digits.
func escape(p string, keep func(rune) bool) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for len(p) > 0 {
		r, n := utf8.DecodeRuneInString(p)
		if r != '%' && keep(r) {
			b.WriteString(p[:n])
		} else {
			for i := range n {
				b.WriteByte('%')
				b.WriteByte(digits[p[i]>>4])
				b.WriteByte(digits[p[i]&15])
			}
		}
		p = p[n:]
	}
	return b.String()
}

// rawName is the name that shownName wrote so, or the name itself.
func rawName(shown string) string {
	if !strings.Contains(shown, "%") {
		return shown
	}
	raw, err := url.PathUnescape(shown)
	if err != nil || strings.ContainsRune(raw, 0) || shownName(raw) != shown {
		return shown
	}
	return raw
}

// readsAsEscape reports whether a name that needs no escape is what another name
// is written as.
func readsAsEscape(p string) bool {
	raw, err := url.PathUnescape(p)
	return err == nil && raw != p && shownName(raw) == p
}

// seenName is what a reader sees of a name: several names can look the same.
func seenName(p string) string { return markup.Line(p, nameRoom) }

// looksLike reports whether a reader cannot tell one name from the other.
func looksLike(a, b string) bool {
	return norm.NFC.String(seenName(a)) == norm.NFC.String(seenName(b))
}

// blurred reports whether a name was replaced in part on its way here, by
// somebody who could not write it: that there is none of that name proves nothing.
func blurred(p string) bool { return strings.ContainsRune(p, utf8.RuneError) }

// pathFact is the path that a failure is about, as evidence.
func pathFact(p string) status.Fact { return status.Path.Is(shownName(p)) }

// lastName is the last name of a path, for a title.
func lastName(p string) string { return markup.Line(path.Base(p), 200) }
