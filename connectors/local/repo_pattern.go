package local

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/frank-mcp/frank/status"
)

// maxQuery is the longest text that is searched for, in characters.
const maxQuery = 500

// needle is a literal text to look for, without regard to case. The letters of
// ASCII match their other case only; other letters match whatever Unicode folds
// to them, in composed and decomposed form. It does not depend on the locale.
type needle struct {
	forms []string // the text in the normal forms that differ
	re    *regexp.Regexp
	ascii []byte // the text in lower case, if it is ASCII only
}

func newNeedle(text, argument string) (*needle, *status.Failure) {
	var problem string
	switch {
	case strings.TrimSpace(text) == "":
		f := status.Fail(status.MissingRequiredArgument, status.NotCalled,
			status.Arguments.Is([]status.Argument{{Name: argument, Reason: "missing_required_argument", Problem: "give the text to look for"}}))
		return nil, &f
	case !utf8.ValidString(text):
		problem = "the text is not valid UTF-8"
	case strings.ContainsAny(text, "\n\r\x00"):
		problem = "the text has a line end; give one line of it"
	case utf8.RuneCountInString(text) > maxQuery:
		problem = fmt.Sprintf("the text is longer than %d characters", maxQuery)
	}
	if problem != "" {
		f := status.Fail(status.QueryRefused, status.NotCalled, status.Limit.Is(maxQuery),
			status.Arguments.Is([]status.Argument{{Name: argument, Reason: "query_refused", Problem: problem}}))
		return nil, &f
	}
	n := &needle{}
	for _, form := range []string{text, norm.NFC.String(text), norm.NFD.String(text)} {
		known := false
		for _, f := range n.forms {
			known = known || f == form
		}
		if !known {
			n.forms = append(n.forms, form)
		}
	}
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		n.ascii = bytes.ToLower([]byte(text))
		return n, nil
	}
	var alternatives []string
	for _, form := range n.forms {
		alternatives = append(alternatives, spell(form, func(r rune) string { return regexp.QuoteMeta(string(r)) }))
	}
	n.re = regexp.MustCompile(strings.Join(alternatives, "|"))
	return n, nil
}

// find returns where the text begins in a line of UTF-8, or -1.
func (n *needle) find(line []byte) int {
	if n.re != nil {
		if at := n.re.FindIndex(line); at != nil {
			return at[0]
		}
		return -1
	}
	lower, size := n.ascii[0], len(n.ascii)
	upper := byte(unicode.ToUpper(rune(lower)))
	for from := 0; from+size <= len(line); from++ {
		rest := line[from : len(line)-size+1]
		i := bytes.IndexByte(rest, lower)
		if upper != lower {
			if j := bytes.IndexByte(rest[:either(i, len(rest))], upper); j >= 0 {
				i = j
			}
		}
		if i < 0 {
			return -1
		}
		from += i
		if equalASCII(line[from:from+size], n.ascii) {
			return from
		}
	}
	return -1
}

func either(i, otherwise int) int {
	if i < 0 {
		return otherwise
	}
	return i
}

// equalASCII compares without regard to the case of ASCII letters.
func equalASCII(b, lower []byte) bool {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// encoder writes one character in one encoding, as a pattern matches its bytes;
// empty if the encoding does not have it.
type encoder func(rune) string

func escaped(b []byte) string {
	var out strings.Builder
	for _, c := range b {
		fmt.Fprintf(&out, `\x%02x`, c)
	}
	return out.String()
}

func inUTF8(r rune) string { return escaped([]byte(string(r))) }

// plain is an encoder for extended patterns, which cannot name a byte by number.
func plain(r rune) string {
	if strings.ContainsRune(`.[{()*+?^$|\`, r) {
		return `\` + string(r)
	}
	return string(r)
}

func inLatin1(r rune) string {
	if r > 0xFF {
		return ""
	}
	return escaped([]byte{byte(r)})
}

func inUTF16LE(r rune) string {
	var b []byte
	for _, u := range utf16.AppendRune(nil, r) {
		b = append(b, byte(u), byte(u>>8))
	}
	return escaped(b)
}

func inUTF16BE(r rune) string {
	var b []byte
	for _, u := range utf16.AppendRune(nil, r) {
		b = append(b, byte(u>>8), byte(u))
	}
	return escaped(b)
}

func inUTF32LE(r rune) string {
	return escaped([]byte{byte(r), byte(r >> 8), byte(r >> 16), byte(r >> 24)})
}

func inUTF32BE(r rune) string {
	return escaped([]byte{byte(r >> 24), byte(r >> 16), byte(r >> 8), byte(r)})
}

// spell writes a text as a pattern that matches each character in either case.
func spell(text string, enc encoder) string {
	var b strings.Builder
	for _, r := range text {
		var ways []string
		for _, c := range cases(r) {
			if w := enc(c); w != "" {
				ways = append(ways, w)
			}
		}
		switch len(ways) {
		case 0:
			return ""
		case 1:
			b.WriteString(ways[0])
		default:
			b.WriteString("(?:" + strings.Join(ways, "|") + ")")
		}
	}
	return b.String()
}

// cases are the characters that r matches.
func cases(r rune) []rune {
	if r < utf8.RuneSelf {
		lower, upper := unicode.ToLower(r), unicode.ToUpper(r)
		if lower == upper {
			return []rune{r}
		}
		return []rune{lower, upper}
	}
	all := []rune{r}
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		all = append(all, c)
	}
	return all
}

// inFiles are the arguments with which git finds the text in files of every
// encoding that [open] reads: git looks at bytes, and would pass over text in
// UTF-16 or UTF-32 (LG-14, LD-09). A git without Perl-compatible patterns cannot do that;
// then only UTF-8 is found.
func (n *needle) inFiles(perl bool) []string {
	if !perl {
		return []string{"-E", "-e", n.extended()}
	}
	return []string{"-P", "-e", n.pattern(inUTF8, inLatin1, inUTF16LE, inUTF16BE, inUTF32LE, inUTF32BE)}
}

// extended is the pattern for UTF-8 without what only Perl's patterns have. The
// text itself cannot hold an opening "(?:" there: its characters are escaped.
func (n *needle) extended() string { return strings.ReplaceAll(n.pattern(plain), "(?:", "(") }

// pattern matches the text in any of the encodings.
func (n *needle) pattern(encoders ...encoder) string {
	var ways []string
	seen := map[string]bool{}
	for _, form := range n.forms {
		for _, enc := range encoders {
			if w := spell(form, enc); w != "" && !seen[w] {
				seen[w] = true
				ways = append(ways, w)
			}
		}
	}
	return strings.Join(ways, "|")
}
