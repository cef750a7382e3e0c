package markup

const (
	escapeByte = 0x1b
	bell       = 0x07
	// maxEscape bounds a command string: past it the text is more likely prose
	// behind a stray introducer than a command for a terminal.
	maxEscape = 4096
)

// escapeLen is the length of the escape sequence at the start of s, which
// begins with ESC or with a C1 introducer (ECMA-48, 5.3 to 5.6). A sequence
// that does not end as it should is only as long as its introducer, so that
// the text after it is not lost.
func escapeLen(s string) int {
	kind, n := escapeKind(s)
	switch kind {
	case 0:
		return n
	case '[':
		return controlSequenceLen(s, n)
	case ']', 'P', 'X', '^', '_':
		return commandStringLen(s, n)
	default:
		return plainEscapeLen(s)
	}
}

// escapeKind is the byte that follows ESC (or stands for the C1 control), and
// the length of the introducer.
func escapeKind(s string) (kind byte, n int) {
	if s[0] != escapeByte {
		return s[1] - 0x40, 2 // C1 control X is ESC (X-0x40)
	}
	if len(s) < 2 || s[1] < 0x20 || s[1] > 0x7e {
		return 0, 1
	}
	return s[1], 2
}

func controlSequenceLen(s string, from int) int {
	i := skip(s, from, 0x30, 0x3f)
	i = skip(s, i, 0x20, 0x2f)
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return from
}

// plainEscapeLen measures ESC, intermediate bytes, one final byte.
func plainEscapeLen(s string) int {
	i := skip(s, 1, 0x20, 0x2f)
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		return i + 1
	}
	return 1
}

func commandStringLen(s string, from int) int {
	for i := from; i < len(s) && i < maxEscape; i++ {
		switch b := s[i]; {
		case b == bell:
			return i + 1
		case b == escapeByte && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case b < 0x20: // another sequence, or a line end: this one was never closed
			return from
		case b == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		case b == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0:
			return from
		}
	}
	return from
}

func skip(s string, i int, lo, hi byte) int {
	for i < len(s) && s[i] >= lo && s[i] <= hi {
		i++
	}
	return i
}
