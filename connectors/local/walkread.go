package local

import (
	"io"
	"io/fs"
	"time"

	"github.com/frank-mcp/frank/internal/markup"
)

// inlined is the size up to which a file system may keep a file without giving
// it a block of its own.
const inlined = 4 << 10

// fileText is the text of one file.
type fileText struct {
	text     string // UTF-8, as it was written
	encoding markup.Encoding
	size     int64
	modified time.Time
}

// file reads one document, or says why it could not.
func (l *look) file(real string) (fileText, skip) { return l.fileUpTo(real, l.bounds.fileSize) }

// fileUpTo reads one file of at most limit bytes as text.
func (l *look) fileUpTo(real string, limit int64) (fileText, skip) {
	_, t, why := l.bytesUpTo(real, limit)
	return t, why
}

// bytesUpTo is fileUpTo with the bytes of the file as they are.
func (l *look) bytesUpTo(real string, limit int64) ([]byte, fileText, skip) {
	f, err := l.vol.Open(real)
	if err != nil {
		return nil, fileText{}, l.why(real, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fileText{}, skipOf(err)
	}
	out := fileText{size: info.Size(), modified: info.ModTime().UTC()}
	switch {
	case !info.Mode().IsRegular():
		return nil, out, skipChanged
	case info.Size() > limit:
		return nil, out, skipTooLarge
	case dataless(info): // LD-14: reading it would wait for a download
		return nil, out, skipPlaceholder
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	l.read += int64(len(b))
	if err != nil {
		return nil, out, skipOf(err)
	}
	out, why := out.decode(b, limit)
	return b, out, why
}

func (t fileText) decode(b []byte, limit int64) (fileText, skip) {
	switch {
	case int64(len(b)) > limit:
		return t, skipTooLarge
	case markup.IsLFSPointer(b): // LG-11
		return t, skipLFS
	case len(b) > 0 && zeros(b):
		return t, skipPlaceholder
	}
	text, enc, ok := markup.Decode(b)
	if !ok {
		return t, skipBinary
	}
	t.text, t.encoding = text, enc
	return t, ""
}

// zeros reports whether b holds nothing but NULs.
func zeros(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// dataless reports whether a file has a size and no data on this disk.
func dataless(info fs.FileInfo) bool {
	n, known := blocks(info)
	return known && n == 0 && info.Size() > inlined
}

// named is the encoding as items show it: empty for UTF-8.
func (t fileText) named() string {
	if t.encoding.Charset == markup.UTF8 {
		return ""
	}
	return t.encoding.String()
}
