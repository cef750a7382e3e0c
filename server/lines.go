package server

import (
	"bufio"
	"errors"
	"io"
)

// keptOfOversized is how much of an oversized line's start and end is kept, to
// find its id.
const keptOfOversized = 4 << 10

// lineReader reads lines of up to MaxMessage bytes.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next line as a message. A line that is too long is skipped
// to its end without being kept; its message says so. At the end of the input
// it returns io.EOF, after a last line without a newline if there is one.
func (l *lineReader) next() (message, error) {
	var line []byte
	for {
		chunk, err := l.r.ReadSlice('\n')
		line = append(line, chunk...) // a copy: ReadSlice reuses its buffer
		switch {
		case len(line) > MaxMessage:
			return l.skip(line, err)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) == 0:
			return message{}, err
		}
		return parse(line), nil // a read error comes back at the next call
	}
}

func (l *lineReader) skip(line []byte, err error) (message, error) {
	head := line[:keptOfOversized]
	tail := line
	for errors.Is(err, bufio.ErrBufferFull) {
		var chunk []byte
		chunk, err = l.r.ReadSlice('\n')
		tail = append(append([]byte{}, last(tail, keptOfOversized)...), chunk...)
	}
	m := message{bad: tooLarge()}
	if m.ID = leadingID(head); m.ID == nil {
		m.ID = trailingID(last(tail, keptOfOversized))
	}
	return m, nil
}

func last(b []byte, n int) []byte { return b[max(0, len(b)-n):] }
