package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/pattern"
)

// asciidocScan is the state between two lines.
type asciidocScan struct {
	closer string // delimiter that ends the block we are in
	id     string // explicit anchor for the next heading
	inText bool   // the line before belongs to a paragraph
	out    []Heading
}

var (
	asciidocTitle  = pattern.New(`^(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+(={1,6}|#{1,6}))?[ \t]*$`)
	asciidocAnchor = pattern.New(`^\[(?:\[([^\],]+)[^\]]*\]|#([^\],.%]+)[^\]]*)\]$`)
	asciidocAttr   = pattern.New(`^:!?[\w-]+!?:(?:\s|$)`)
)

// asciidocHeadings follows Asciidoctor: headings of one line (= to ======, or
// as in Markdown) and of two lines, none inside a delimited block.
func asciidocHeadings(src string) []Heading {
	var s asciidocScan
	for at := 0; at < len(src); {
		line, next := lineAt(src, at)
		line = strings.TrimRight(line, " \t")
		if s.closer == "" && !s.inText && next < len(src) {
			if under, after := lineAt(src, next); twoLineTitle(line, strings.TrimRight(under, " \t")) {
				s.add(at, strings.IndexByte(`=-~^+`, under[0])+1, line)
				at = after
				continue
			}
		}
		s.line(at, line)
		at = next
	}
	return s.out
}

func (s *asciidocScan) line(at int, line string) {
	if s.closer != "" {
		if line == s.closer {
			s.closer = ""
		}
		return
	}
	if closer := asciidocDelimiter(line); closer != "" {
		s.closer, s.inText, s.id = closer, false, ""
		return
	}
	if m := asciidocTitle.FindStringSubmatch(line); m != nil && !s.inText {
		title := m[2]
		if m[3] != "" && m[3] != m[1] {
			title += " " + m[3]
		}
		s.add(at, len(m[1]), title)
		return
	}
	if m := asciidocAnchor.FindStringSubmatch(line); m != nil {
		s.id, s.inText = m[1]+m[2], false
		return
	}
	meta := asciidocMeta(line)
	if !meta {
		s.id = ""
	}
	s.inText = !meta
}

// asciidocMeta reports whether line is blank, a comment, an attribute or a
// block attribute list: after it a heading may follow.
func asciidocMeta(line string) bool {
	return line == "" || strings.HasPrefix(line, "//") || asciidocAttr.MatchString(line) ||
		strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]")
}

func (s *asciidocScan) add(at, level int, title string) {
	h := Heading{Level: level, Title: Line(title, maxTitle), Slug: Line(s.id, maxTitle), Start: at}
	if h.Title != "" {
		s.out = append(s.out, h)
	}
	s.id, s.inText = "", false
}

// asciidocDelimiter is the line that ends the block which line opens, or "".
func asciidocDelimiter(line string) string {
	switch {
	case line == "--":
		return line
	case strings.HasPrefix(line, "```"):
		return "```"
	case len(line) == 4 && strings.HasSuffix(line, "===") && strings.Contains("|,:!", line[:1]): // tables
		return line
	case len(line) >= 4 && strings.Contains("-.+/=*_", line[:1]) && strings.Trim(line, line[:1]) == "":
		return line
	default:
		return ""
	}
}

// twoLineTitle reports whether under underlines title, which it does if their
// lengths differ by one character at most.
func twoLineTitle(title, under string) bool {
	if len(under) < 2 || !strings.Contains("=-~^+", under[:1]) || strings.Trim(under, under[:1]) != "" {
		return false
	}
	diff := utf8.RuneCountInString(title) - len(under)
	if diff < -1 || diff > 1 || asciidocMeta(title) || title[0] == '.' || asciidocTitle.MatchString(title) {
		return false
	}
	return strings.IndexFunc(title, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) >= 0
}
