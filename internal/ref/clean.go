package ref

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/pattern"
)

// label is a way to write a link with a text, or a text with a mark-up around it.
type label struct {
	form   pattern.Pattern
	target int // the group that holds what is meant
}

// labels are those of Markdown, Slack, MediaWiki and Jira, Textile and HTML.
var labels = [...]label{
	{pattern.New(`^!?\[.*\]\(\s*<?([^\s<>]+?)>?(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)$`), 1},
	{pattern.New(`^<([^<>|\s]+)\|[^<>]*>$`), 1},
	{pattern.New(`^\[\[([^\[\]|]+)\|[^\[\]]*\]\]$`), 1},
	{pattern.New(`^\[(?:[^\[\]|]*\|)?(https?://[^\s|\[\]]+)(?:\|[^\[\]]*|\s[^\[\]]*)?\]$`), 1},
	{pattern.New(`^"[^"]*":(https?://\S+)$`), 1},
	{pattern.New(`(?i)^<a\s[^<>]*href=["']([^"'<>]+)["'][^<>]*>[^<>]*</a>$`), 1},
}

// unlabel takes the target out of a link with a text.
func unlabel(s string) string {
	if s == "" || !strings.ContainsRune(`[!<"`, rune(s[0])) || strings.Count(s, "](") > 1 {
		return s
	}
	for _, l := range labels {
		if m := l.form.FindStringSubmatch(s); m != nil {
			return m[l.target]
		}
	}
	return s
}

// wraps are pairs that stand around a reference in prose.
var wraps = [...][2]string{
	{"<", ">"}, {`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"‘", "’"}, {"«", "»"}, {"‹", "›"}, {"「", "」"},
	{"(", ")"}, {"[", "]"}, {"{", "}"}, {"**", "**"}, {"*", "*"},
}

// clean takes off what prose puts around a reference and what copying puts into it,
// and refuses characters that nobody types on purpose.
func (rd Reader) clean(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", fail(BadCharacter, "the reference is not valid UTF-8; copy it again")
	}
	s = joined(strings.TrimSpace(visible(s)))
	for before := ""; before != s; {
		before = s
		s = strings.TrimSpace(rd.trimStart(unlabel(s)))
		for _, w := range wraps {
			if inner, ok := unwrap(s, w); ok {
				s = inner
			}
		}
		s = strings.TrimSpace(trimEnd(s, rd.isLink(s)))
	}
	if s == "" {
		return "", fail(Empty, "the reference is empty; give a link, an id such as PAY-12 or owner/repo#12, or a path")
	}
	if strings.ContainsFunc(s, Invisible) {
		return "", fail(BadCharacter, "the reference holds a line break, a control character or an invisible character; type it instead of copying it")
	}
	if strings.Contains(s, "://") && strings.ContainsFunc(s, unicode.IsSpace) && !(scheme.MatchString(s) && titled(s)) {
		return "", fail(BadURL, "the text holds more than a link; give the link alone")
	}
	return s, nil
}

// unwrap takes a pair off that stands around the whole text: in "(a) and (b)" none does.
func unwrap(s string, w [2]string) (string, bool) {
	if len(s) < len(w[0])+len(w[1])+1 || !strings.HasPrefix(s, w[0]) || !strings.HasSuffix(s, w[1]) {
		return "", false
	}
	inner := s[len(w[0]) : len(s)-len(w[1])]
	if w[0] == w[1] {
		return inner, !strings.Contains(inner, w[0])
	}
	for depth, rest := 0, inner; rest != ""; {
		switch {
		case strings.HasPrefix(rest, w[0]):
			depth++
		case strings.HasPrefix(rest, w[1]):
			depth--
		}
		if depth < 0 {
			return "", false
		}
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	return inner, true
}

// trimStart removes the mark of a list or quotation, the URL: of RFC 3986 (appendix C)
// and an opening sign that nothing closes.
func (rd Reader) trimStart(s string) string {
	for _, mark := range [...]string{"- ", "* ", "• ", "> ", "URL:", "url:"} {
		if rest, ok := strings.CutPrefix(s, mark); ok && rest != "" {
			return rest
		}
	}
	for _, w := range wraps {
		rest, ok := strings.CutPrefix(s, w[0])
		if !ok || rest == "" || strings.Count(rest, w[1]) != strings.Count(rest, w[0]) || (w[0] == w[1] && strings.Contains(rest, w[0])) {
			continue
		}
		if (w[0] != "'" && w[0] != "*") || rd.isLink(rest) { // 'tis, *.go
			return rest
		}
	}
	return s
}

// closers are the signs that end something, and what begins it. What ends a quotation
// is at the end of a title as often as behind it, so that titles keep it.
var closers = map[rune]rune{
	')': '(', ']': '[', '}': '{', '>': '<', '"': '"', '\'': '\'', '`': '`', '”': '“', '’': '‘', '»': '«', '›': '‹', '」': '「', '*': '*',
}

// trimEnd removes the punctuation of the sentence a reference stood in. A closing
// sign stays where it closes one of the reference's own, as in titles on Wikipedia.
// What ends a question belongs to a title as often as to the sentence: it is taken
// off links, see also [soft].
func trimEnd(s string, isLink bool) string {
	for {
		last, size := utf8.DecodeLastRuneInString(s)
		cut := s[:len(s)-size]
		opener, closes := closers[last]
		switch {
		case cut == "":
			return s
		case strings.ContainsRune(".,;", last):
			if strings.Trim(cut, "./") == "" {
				return s
			}
		case closes && (isLink || last == ')') && unopened(s, opener, last):
		case isLink && isSoft(last) && (last != '!' || !titled(s)):
		default:
			return s
		}
		s = cut
	}
}

func unopened(s string, opener, closer rune) bool {
	n := strings.Count(s, string(closer))
	if opener == closer {
		return n%2 == 1
	}
	return n > strings.Count(s, string(opener))
}

// isSoft tells signs that end a sentence, or a title.
func isSoft(r rune) bool { return strings.ContainsRune(":!?…。，、；：！？", r) }

// soft takes off what ends a sentence, or a title: where what is left has the shape of
// an id or a file, it was the sentence.
func soft(s string) string {
	return trimEnd(strings.TrimRightFunc(s, func(r rune) bool {
		_, closes := closers[r]
		return isSoft(r) || closes && r != ')'
	}), false)
}

// titled tells links that end with the title of a page, which may end with a sign or
// hold spaces.
func titled(s string) bool {
	for _, mark := range [...]string{"/wiki/", "/display/", "title=", "index.php/"} {
		if strings.Contains(s, mark) {
			return true
		}
	}
	return false
}

// isLink tells texts that are read as a link.
func (rd Reader) isLink(s string) bool {
	return scheme.MatchString(s) || encodedScheme.MatchString(s) || rd.bareHost(s)
}

// joined puts a link together that was broken into lines on its way.
func joined(s string) string {
	first, rest, broken := strings.Cut(s, "\n")
	if !broken || !strings.Contains(first, "://") || strings.Contains(rest, "://") {
		return s
	}
	for line := range strings.SplitSeq(rest, "\n") {
		line = strings.TrimSpace(line)
		if strings.ContainsFunc(line, unicode.IsSpace) {
			return s
		}
		first = strings.TrimSpace(first) + line
	}
	return first
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// visible drops the marks that programs put around what they show or between what
// they may break: zero width, soft hyphens, directions. None of them changes what is
// read, as an override of the direction would. Joiners stay inside of the scripts
// that are written with them.
func visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return s
	}
	text := []rune(s)
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\u200b', r == '\u2060', r == '\ufeff', r == '\u00ad', r == '\u200e', r == '\u200f', r == '\u061c':
		case r >= '\u202a' && r <= '\u202c', r >= '\u2066' && r <= '\u2069':
		case (r == joiner || r == nonJoiner) && (i == 0 || i == len(text)-1 || text[i-1] < utf8.RuneSelf || text[i+1] < utf8.RuneSelf):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Invisible tells control characters, format characters (zero width, bidi,
// Unicode tags) and line separators, none of which a reference contains. The joiners
// of some scripts are none.
func Invisible(r rune) bool {
	return r != joiner && r != nonJoiner &&
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || r == utf8.RuneError
}
