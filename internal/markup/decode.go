package markup

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Charset names a character encoding. The zero value stands for bytes that are no text.
type Charset uint8

// The encodings that Decode tells apart.
const (
	Binary Charset = iota
	UTF8
	UTF16LE
	UTF16BE
	UTF32LE
	UTF32BE
	Windows1252
)

// String is the IANA name of the encoding, or "binary".
func (c Charset) String() string {
	switch c {
	case UTF8:
		return "utf-8"
	case UTF16LE:
		return "utf-16le"
	case UTF16BE:
		return "utf-16be"
	case UTF32LE:
		return "utf-32le"
	case UTF32BE:
		return "utf-32be"
	case Windows1252:
		return "windows-1252"
	default:
		return "binary"
	}
}

// Encoding is what Decode found out about a text.
type Encoding struct {
	Charset Charset
	// BOM: the text opened with a byte order mark, which is not part of the result.
	BOM bool
	// Guessed: nothing in the bytes declares or proves the encoding.
	Guessed bool
}

// String names the encoding and says if it was guessed.
func (e Encoding) String() string {
	if e.Guessed {
		return e.Charset.String() + " (guessed)"
	}
	return e.Charset.String()
}

// sample is how many bytes the heuristics look at.
const sample = 8 << 10

// Decode returns b as UTF-8. A byte order mark decides; without one, UTF-16 is
// told by its NULs, UTF-8 by its validity, and Windows-1252 is a guess for what
// is mostly printable Western text. Anything else is binary and ok is false:
// such a file was not read, and saying that it holds no match would be wrong.
// LG-14, LD-09. A rune cut off at the end of b becomes U+FFFD.
func Decode(b []byte) (text string, enc Encoding, ok bool) {
	if text, enc, ok := decodeMarked(b); ok {
		return text, enc, true
	}
	if charset, text := unmarkedUTF16(b); charset != Binary {
		return text, Encoding{Charset: charset, Guessed: true}, true
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return "", Encoding{}, false
	}
	if utf8.Valid(b) {
		return string(b), Encoding{Charset: UTF8}, true
	}
	if cutUTF8(b) {
		return strings.ToValidUTF8(string(b), "\uFFFD"), Encoding{Charset: UTF8}, true
	}
	if western(b) {
		text, err := charmap.Windows1252.NewDecoder().Bytes(b)
		return string(text), Encoding{Charset: Windows1252, Guessed: true}, err == nil
	}
	return "", Encoding{}, false
}

// decodeMarked decodes text with a byte order mark. UTF-32LE's begins with
// UTF-16LE's, so it is tried first, and only holds if all of it is UTF-32.
func decodeMarked(b []byte) (string, Encoding, bool) {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		text := strings.ToValidUTF8(string(b[3:]), "\uFFFD")
		return text, Encoding{Charset: UTF8, BOM: true}, true
	case bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")):
		if text, ok := decodeUTF32(b[4:], binary.LittleEndian); ok {
			return text, Encoding{Charset: UTF32LE, BOM: true}, true
		}
		fallthrough
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return decodeUTF16(b[2:], binary.LittleEndian), Encoding{Charset: UTF16LE, BOM: true}, true
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return decodeUTF16(b[2:], binary.BigEndian), Encoding{Charset: UTF16BE, BOM: true}, true
	case bytes.HasPrefix(b, []byte("\x00\x00\xfe\xff")):
		text, ok := decodeUTF32(b[4:], binary.BigEndian)
		return text, Encoding{Charset: UTF32BE, BOM: true}, ok
	default:
		return "", Encoding{}, false
	}
}

func decodeUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(b)/2+1)
	for ; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	if len(b) == 1 {
		units = append(units, 0xFFFD)
	}
	return string(utf16.Decode(units))
}

func decodeUTF32(b []byte, order binary.ByteOrder) (string, bool) {
	var out strings.Builder
	out.Grow(len(b) / 4)
	for ; len(b) >= 4; b = b[4:] {
		u := order.Uint32(b)
		if u > unicode.MaxRune || !utf8.ValidRune(rune(u)) {
			return "", false
		}
		out.WriteRune(rune(u))
	}
	return out.String(), len(b) == 0
}

// unmarkedUTF16 recognises UTF-16 without a byte order mark: at least two of
// five units have a NUL as their high byte (Western text has one in nearly
// every unit), no unit has one as its low byte, and the sample reads as text.
func unmarkedUTF16(b []byte) (Charset, string) {
	head := b[:min(len(b), sample)&^1]
	var nul [2]int
	for i, c := range head {
		if c == 0 {
			nul[i&1]++
		}
	}
	charset, order, nuls := UTF16LE, binary.ByteOrder(binary.LittleEndian), nul[1]
	if nul[0] > 0 {
		charset, order, nuls = UTF16BE, binary.BigEndian, nul[0]
	}
	if nul[0] > 0 && nul[1] > 0 || nuls < 2 || nuls*5 < len(head) {
		return Binary, ""
	}
	if !readable(decodeUTF16(head, order)) {
		return Binary, ""
	}
	return charset, decodeUTF16(b, order)
}

// readable reports whether text holds nothing that text does not hold. A pair
// of surrogates may have been cut at the end of the sample.
func readable(text string) bool {
	text = strings.TrimSuffix(text, "\uFFFD")
	for _, r := range text {
		if r == utf8.RuneError || !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r) && !blank(r) {
			return false
		}
	}
	return true
}

func blank(r rune) bool { return r >= '\t' && r <= '\r' }

// cutUTF8 reports whether b is UTF-8 whose last rune was cut off. Without an
// earlier rune of several bytes, a last byte such as é is more likely Latin-1.
func cutUTF8(b []byte) bool {
	for n := 1; n < utf8.UTFMax && n < len(b); n++ {
		head, tail := b[:len(b)-n], b[len(b)-n:]
		if utf8.RuneStart(tail[0]) {
			return !utf8.FullRune(tail) && utf8.Valid(head) && utf8.RuneCount(head) < len(head)
		}
	}
	return false
}

// western guesses whether b is Windows-1252: hardly a byte that the code page
// leaves undefined or that no text holds, and not so many accented letters as
// text in another eight-bit code page has.
func western(b []byte) bool {
	b = b[:min(len(b), sample)]
	odd, high := 0, 0
	for _, c := range b {
		switch {
		case c == 0x81, c == 0x8d, c == 0x8f, c == 0x90, c == 0x9d:
			odd++
		case c >= 0x80:
			high++
		case c < 0x20 && !blank(rune(c)) && c != escapeByte, c == 0x7f:
			odd++
		}
	}
	return odd*200 <= len(b) && (high <= 3 || high*5 <= len(b)*2)
}
