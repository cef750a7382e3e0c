package markup

import (
	"bytes"
	"iter"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold maps texts that differ only in case or in canonical composition to the
// same string, for caseless matching: Unicode's full case folding in NFC. The
// result is for comparing, not for showing ("ß" becomes "ss").
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	f := folder{out: make([]byte, 0, len(s)+len(s)/8)}
	f.fold(s)
	return string(f.out)
}

// ContainsFold reports whether haystack contains needle, whatever their case
// and normal form. An empty needle is contained in nothing. Who searches many
// texts makes a Needle once.
func ContainsFold(haystack, needle string) bool {
	return NewNeedle(needle).In(haystack)
}

// Needle is a literal text prepared for caseless search in many others. It may
// be shared between goroutines.
type Needle struct {
	folded string
	ascii  bool
	rare   int // index of the byte of folded that is likely the rarest in a text
}

// NewNeedle prepares query. Bytes in it that are not UTF-8 match U+FFFD only.
func NewNeedle(query string) Needle {
	n := Needle{folded: Fold(strings.ToValidUTF8(query, "\uFFFD"))}
	n.ascii = isASCII(n.folded)
	for i := range len(n.folded) {
		if frequency(n.folded[i]) < frequency(n.folded[n.rare]) {
			n.rare = i
		}
	}
	return n
}

// In reports whether s contains the needle.
func (n Needle) In(s string) bool {
	for range n.All(s) {
		return true
	}
	return false
}

// Index is the first match: byte offsets of s, or -1, -1.
func (n Needle) Index(s string) (start, end int) {
	for start, end := range n.All(s) {
		return start, end
	}
	return -1, -1
}

// All yields start and end of each match in s, ascending and apart. They are
// byte offsets of s as it is, and never split a character: if "ß" or a
// composed letter matches in part, all of it is in the match.
func (n Needle) All(s string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		switch {
		case n.folded == "":
		case !isASCII(s):
			n.inFolded(s, yield)
		case n.ascii:
			n.inASCII(s, yield)
		}
	}
}

func (n Needle) inASCII(s string, yield func(start, end int) bool) {
	lower := n.folded[n.rare]
	next := byteFinder{lower: lower, upper: upperASCII(lower)}
	for from := n.rare; ; {
		at := next.find(s, from)
		if at < 0 {
			return
		}
		start := at - n.rare
		end := start + len(n.folded)
		if end > len(s) {
			return
		}
		if !equalLower(s[start:end], n.folded) {
			from = at + 1
			continue
		}
		if !yield(start, end) {
			return
		}
		from = end + n.rare
	}
}

func (n Needle) inFolded(s string, yield func(start, end int) bool) {
	f := folder{out: make([]byte, 0, len(s)+len(s)/8)}
	f.fold(s)
	wanted := []byte(n.folded)
	last := 0
	for from := 0; from < len(f.out); {
		at := bytes.Index(f.out[from:], wanted)
		if at < 0 {
			return
		}
		at += from
		from = at + len(n.folded)
		start, end := f.start(at), f.end(from-1)
		if start < last {
			continue // the rest of a character that is part of the last match
		}
		last = end
		if !yield(start, end) {
			return
		}
	}
}

// folder folds a text and remembers where each character came from.
type folder struct {
	out   []byte
	marks []mark
	full  *cases.Caser // made when first needed
}

// mark says that what is folded from here on comes from the original from
// there on. In a verbatim stretch both advance byte by byte, otherwise the
// whole stretch is one character of the original.
type mark struct {
	folded, original int
	verbatim         bool
}

func (f *folder) fold(s string) {
	for at := 0; at < len(s); {
		end := asciiEnd(s, at)
		if end > at && !boundary(s[end:]) {
			end-- // the last letter takes a combining mark
		}
		if end > at {
			f.mark(at, true)
			f.lower(s[at:end])
			at = end
			continue
		}
		if end = f.simple(s, at); end > at {
			at = end
			continue
		}
		at = f.character(s, at)
	}
	f.mark(len(s), true)
}

// boundary reports whether no rune before s can combine with the first of s.
func boundary(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	if _, ok := simpleFold(r); ok || s == "" || s[0] < utf8.RuneSelf {
		return true
	}
	return norm.NFC.PropertiesString(s).BoundaryBefore()
}

// simple folds the run at an offset of runes that need no table, and returns
// where it ends.
func (f *folder) simple(s string, at int) int {
	r, size := utf8.DecodeRuneInString(s[at:])
	folded, ok := simpleFold(r)
	for ok {
		next := at + size
		r, nextSize := utf8.DecodeRuneInString(s[next:])
		nextFolded, nextOK := simpleFold(r)
		if !nextOK && !boundary(s[next:]) {
			return at
		}
		f.mark(at, utf8.RuneLen(folded) == size)
		f.out = utf8.AppendRune(f.out, folded)
		at, size, folded, ok = next, nextSize, nextFolded, nextOK
	}
	return at
}

// character folds the one that starts at an offset, with what combines with
// it, and returns where it ends.
func (f *folder) character(s string, at int) int {
	r, size := utf8.DecodeRuneInString(s[at:])
	if r == utf8.RuneError && size == 1 {
		f.mark(at, true)
		f.out = append(f.out, s[at])
		return at + 1
	}
	end := at + max(size, norm.NFC.NextBoundaryInString(s[at:], true))
	f.mark(at, false)
	f.out = append(f.out, norm.NFC.String(f.caser().String(norm.NFC.String(s[at:end])))...)
	return end
}

func (f *folder) caser() *cases.Caser {
	if f.full == nil {
		full := cases.Fold()
		f.full = &full
	}
	return f.full
}

func (f *folder) mark(original int, verbatim bool) {
	if n := len(f.marks); n > 0 && verbatim && f.marks[n-1].verbatim {
		return // f goes on in the same stretch
	}
	f.marks = append(f.marks, mark{len(f.out), original, verbatim})
}

func (f *folder) lower(s string) {
	from := len(f.out)
	f.out = append(f.out, s...)
	for i, b := range f.out[from:] {
		f.out[from+i] = lowerASCII(b)
	}
}

// stretch is the index of the mark under which the folded byte at an offset is.
func (f *folder) stretch(at int) int {
	return sort.Search(len(f.marks), func(i int) bool { return f.marks[i].folded > at }) - 1
}

func (f *folder) start(at int) int {
	m := f.marks[f.stretch(at)]
	if m.verbatim {
		return m.original + at - m.folded
	}
	return m.original
}

func (f *folder) end(at int) int {
	i := f.stretch(at)
	if m := f.marks[i]; m.verbatim {
		return m.original + at - m.folded + 1
	}
	return f.marks[i+1].original
}

// simpleFold folds a rune whose folding is one rune and stands alone in NFC;
// ok is false for those that need the tables of x/text, which are slower.
func simpleFold(r rune) (folded rune, ok bool) {
	switch {
	case r >= 0x00C0 && r <= 0x00DE && r != 0x00D7: // Latin-1
		return r + 0x20, true
	case r >= 0x0100 && r <= 0x017E && r != 0x0130 && r != 0x0149, // Latin extended A
		r >= 0x0400 && r <= 0x0481, r >= 0x048A && r <= 0x052F: // Cyrillic
		return unicode.ToLower(r), true
	case r >= 0x0391 && r <= 0x03A9 && r != 0x03A2: // Greek
		return r + 0x20, true
	default:
		return r, caseless(r)
	}
}

// caseless lists the bulk of what folds to itself.
func caseless(r rune) bool {
	switch {
	case r < 0x0600:
		return r >= 0x00E0 && r <= 0x00FF || r >= 0x03B1 && r <= 0x03C9 && r != 0x03C2 ||
			r >= 0x05D0 && r <= 0x05EA
	case r < 0x2000:
		return r >= 0x0627 && r <= 0x064A || r >= 0x0905 && r <= 0x0928 || r >= 0x0E01 && r <= 0x0E30
	default:
		return r >= 0x2010 && r <= 0x2027 || r >= 0x2500 && r <= 0x27BF || // punctuation, symbols
			r >= 0x3041 && r <= 0x3098 || r >= 0x309D && r <= 0x30FE || // kana
			r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || // Han, Hangul
			r >= 0x1F300 && r <= 0x1FAFF // emoji
	}
}
