package local

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	xunicode "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/frank-mcp/frank/internal/markup"
)

// sniffed is how many bytes of a file decide what kind of file it is.
const sniffed = 64 << 10

// lfsPrefix opens every pointer of Git LFS, which is shorter than lfsLongest.
const (
	lfsPrefix  = "version https://git-lfs.github.com/spec/v1"
	lfsLongest = 1024
)

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
	if whole && len(head) < lfsLongest && markup.IsLFSPointer(head) {
		c.lfs = lfsSize(head)
		return c
	}
	if !whole {
		head = wholeRunes(head)
	}
	if _, enc, ok := markup.Decode(head); ok {
		c.text = decoded(b, enc)
		if enc.Charset != markup.UTF8 {
			c.encoding = enc.String()
		}
	}
	return c
}

// decoded is r as UTF-8, without its byte order mark. Unlike [markup.Decode] it
// does not hold the whole text.
func decoded(r *bufio.Reader, enc markup.Encoding) io.Reader {
	var from encoding.Encoding
	switch enc.Charset {
	case markup.UTF16LE:
		from = xunicode.UTF16(xunicode.LittleEndian, xunicode.UseBOM)
	case markup.UTF16BE:
		from = xunicode.UTF16(xunicode.BigEndian, xunicode.UseBOM)
	case markup.UTF32LE:
		from = utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case markup.UTF32BE:
		from = utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case markup.Windows1252:
		from = charmap.Windows1252
	default:
		if enc.BOM {
			_, _ = r.Discard(3) // cannot fail: the bytes were peeked
		}
		return r
	}
	return transform.NewReader(r, from.NewDecoder())
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
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long[:0], line...)
			for errors.Is(err, bufio.ErrBufferFull) {
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
