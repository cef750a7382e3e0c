package local

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	xunicode "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/frank-mcp/frank/status"
)

// sniffed is how many bytes of a file decide what kind of file it is.
const sniffed = 64 << 10

// lfsPrefix opens every pointer of Git LFS, which is shorter than lfsLongest.
const (
	lfsPrefix  = "version https://git-lfs.github.com/spec/v1"
	lfsLongest = 1024
)

// clean takes the invisible and deceptive characters out of a text that people
// wrote, and counts them.
func clean(s string) (string, int) {
	if !strings.ContainsFunc(s, hidden) && utf8.ValidString(s) && !strings.Contains(s, "\r") {
		return s, 0
	}
	removed := 0
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && s[i] != 0xEF:
			b.WriteRune(utf8.RuneError)
			removed++
		case r == '\r' && (i+1 == len(s) || s[i+1] == '\n'):
		case hidden(r):
			removed++
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), removed
}

// hidden tells characters that no reader sees. The zero-width joiner stays: emoji need it.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r' || r == '\u200d':
		return false
	case unicode.IsControl(r):
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// cleanLine is clean for one line, cut to a number of characters.
func cleanLine(s string, limit int) string { return status.Line(s, limit) }

// content is what the beginning of a file tells about it.
type content struct {
	text     io.Reader // UTF-8; nil if it is not text
	encoding string    // empty for UTF-8
	lfs      int64     // size of the object that a Git LFS pointer stands for; -1 if it is no pointer
	empty    bool
}

// open looks at the beginning of a file and returns it as UTF-8. LG-11, LG-14, LD-09.
func open(r io.Reader) content {
	b := bufio.NewReaderSize(r, sniffed)
	head, err := b.Peek(sniffed)
	whole := err != nil
	c := content{lfs: -1, empty: len(head) == 0}
	switch {
	case bytes.HasPrefix(head, []byte(lfsPrefix)) && whole && len(head) < lfsLongest:
		c.lfs = lfsSize(head)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		c.encoding = "utf-16"
		c.text = transform.NewReader(b, xunicode.UTF16(xunicode.LittleEndian, xunicode.UseBOM).NewDecoder())
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = b.Discard(3) // cannot fail: the bytes were peeked
		c.text = b
	case unmarked(head) != "":
		c.encoding = unmarked(head) + " (guessed)"
		order := xunicode.LittleEndian
		if unmarked(head) == "utf-16be" {
			order = xunicode.BigEndian
		}
		c.text = transform.NewReader(b, xunicode.UTF16(order, xunicode.IgnoreBOM).NewDecoder())
	case bytes.IndexByte(head, 0) >= 0:
	case utf8.Valid(wholeRunes(head)):
		c.text = b
	default:
		c.encoding = "windows-1252 (guessed)"
		c.text = transform.NewReader(b, charmap.Windows1252.NewDecoder())
	}
	return c
}

// wholeRunes drops a rune that the end of the sample cut.
func wholeRunes(b []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// unmarked recognises UTF-16 without a byte order mark by where its NULs stand.
func unmarked(head []byte) string {
	var nul [2]int
	for i, c := range head[:min(len(head), 8<<10)] {
		if c == 0 {
			nul[i&1]++
		}
	}
	n := min(len(head), 8<<10) / 2
	switch {
	case n < 2:
		return ""
	case nul[0] == 0 && nul[1]*5 >= n*2:
		return "utf-16le"
	case nul[1] == 0 && nul[0]*5 >= n*2:
		return "utf-16be"
	default:
		return ""
	}
}

// lfsSize reads the size out of a pointer; 0 if it has none.
func lfsSize(pointer []byte) int64 {
	for _, line := range strings.Split(string(pointer), "\n") {
		rest, ok := strings.CutPrefix(line, "size ")
		if !ok {
			continue
		}
		var n int64
		for _, d := range strings.TrimSpace(rest) {
			if d < '0' || d > '9' || n > 1<<58 {
				return 0
			}
			n = n*10 + int64(d-'0')
		}
		return n
	}
	return 0
}

// eachLine calls f with every line, counted from 1, without its end, until f
// returns false. A line is handed over in full up to keep bytes; LD-08: a
// longer one is cut, not the end of the file.
func eachLine(r io.Reader, keep int, f func(n int, line []byte, cut bool) bool) error {
	b := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	for n := 1; ; n++ {
		line, err := b.ReadSlice('\n')
		cut := false
		if err == bufio.ErrBufferFull {
			long = append(long[:0], line...)
			for err == bufio.ErrBufferFull {
				line, err = b.ReadSlice('\n')
				room := max(keep-len(long), 0)
				cut = cut || len(line) > room
				long = append(long, line[:min(room, len(line))]...)
			}
			line = long
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if !f(n, bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), cut) {
			return errEnough
		}
		if err == io.EOF {
			return nil
		}
	}
}
