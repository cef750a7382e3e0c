package markup

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// isInline reports whether a node stands inside a line.
func isInline(kind string) bool {
	switch kind {
	case "text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard", "placeholder", "mediaInline", "inlineExtension":
		return true
	}
	return false
}

// inline is the text of nodes that stand inside a line.
func (c *adfReader) inline(nodes []adfNode, depth int) string {
	var b strings.Builder
	for _, n := range nodes {
		a := attrsOf(n.Attrs)
		switch n.Type {
		case "text":
			b.WriteString(c.marked(n))
		case "hardBreak":
			b.WriteString("\\\n")
		case "mention", "emoji", "status", "date":
			b.WriteString(c.token(n.Type, a))
		case "inlineCard":
			b.WriteString(c.card(n.Type, a))
		case "media", "mediaInline":
			b.WriteString(c.attachment(n.Type, a))
		case "placeholder": // a hint for whoever fills the page in, not content
		default:
			b.WriteString(c.stray(n, a, depth))
		}
	}
	text := b.String()
	for strings.HasSuffix(text, "\\\n") { // a break at the end breaks nothing
		text = strings.TrimSuffix(text, "\\\n")
	}
	return text
}

// token is a node that says what it shows in its attributes, some of which may be left
// out. One that says nothing at all is counted, except for a status, which then shows
// nothing either.
func (c *adfReader) token(kind string, a adfAttrs) string {
	text := ""
	switch kind {
	case "mention":
		if text = escapeText(a.Text); text == "" && a.ID != "" {
			text = escapeText("@" + Line(a.ID, 200))
		}
	case "emoji":
		text = escapeText(firstOf(a.Text, a.ShortName, Line(a.ID, 200)))
	case "status":
		if a.Text != "" {
			text = "\\[" + escapeText(a.Text) + "\\]"
		}
	case "date":
		text = dateOf(strings.Trim(string(a.Timestamp), `" `))
	}
	if text == "" && kind != "status" {
		c.leave(kind)
	}
	return text
}

// stray is a node that is not known inside a line, or a block that stands there.
func (c *adfReader) stray(n adfNode, a adfAttrs, depth int) string {
	if isInline(n.Type) || len(n.Content) == 0 {
		return oneLine(c.unknown(n, a, depth))
	}
	return oneLine(c.block(n, depth+1))
}

// marked is a text with what Markdown has for its marks. Colours, alignment and the
// like say nothing that would be missed.
func (c *adfReader) marked(n adfNode) string {
	href, code := "", false
	before, after := "", ""
	for _, m := range n.Marks {
		switch m.Type {
		case "link":
			href = attrsOf(m.Attrs).Href
		case "code":
			code = true
		case "strong":
			before, after = before+"**", "**"+after
		case "em":
			before, after = before+"*", "*"+after
		case "strike":
			before, after = before+"~~", "~~"+after
		case "subsup": // 10⁶ is not 106
			if tag := attrsOf(m.Attrs).Kind; tag == "sub" || tag == "sup" {
				before, after = before+"<"+tag+">", "</"+tag+">"+after
			}
		}
	}
	// Markdown knows no emphasis that begins or ends with white space.
	core := strings.TrimSpace(n.Text)
	if core == "" {
		return n.Text
	}
	at := strings.Index(n.Text, core)
	lead, tail := n.Text[:at], n.Text[at+len(core):]
	text := escapeText(core)
	if code {
		text = codeSpan(core)
	}
	text = before + text + after
	if href != "" && href == core {
		text = autoLink(href)
	} else if href != "" {
		text = "[" + text + "](" + linkTarget(href) + ")"
	}
	return lead + text + tail
}

// codeSpan is a text in as many backticks as it needs.
func codeSpan(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	tick := "`"
	for strings.Contains(s, tick) {
		tick += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return tick + s + tick
}

// autoLink is a bare address as a link.
func autoLink(url string) string {
	url = strings.TrimSpace(url)
	if strings.ContainsFunc(url, func(r rune) bool { return unicode.IsSpace(r) || r == '<' || r == '>' || unicode.IsControl(r) }) || !strings.Contains(url, ":") {
		return "[" + escapeText(Line(url, 500)) + "](" + linkTarget(url) + ")"
	}
	return "<" + url + ">"
}

// linkTarget is an address as it may stand in the parentheses of a link.
func linkTarget(url string) string {
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\n", "%0A", "\\", "%5C").Replace(url)
}

// dateOf is the day of a timestamp in milliseconds.
func dateOf(ms string) string {
	n, err := strconv.ParseInt(ms, 10, 64)
	if err != nil {
		return escapeText(ms)
	}
	return time.UnixMilli(n).UTC().Format(time.DateOnly)
}

// escapeText keeps a text from being read as Markdown. What cannot be mistaken
// stays as it is, so that names like some_name read as they are written.
func escapeText(s string) string {
	var b strings.Builder
	before := rune(' ')
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if i+utf8.RuneLen(r) >= len(s) {
			next = ' '
		}
		if special(before, r, next) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// special reports whether Markdown might read r as more than itself.
func special(before, r, next rune) bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	switch r {
	case '\\', '`', '*', '[', ']':
		return true
	case '_':
		return !word(before) || !word(next)
	case '<':
		return word(next) || next == '/' || next == '!' || next == '?'
	case '~':
		return next == '~' || before == '~'
	case '&':
		return word(next) || next == '#'
	}
	return false
}

// lineStarts escapes what would open a heading, a list, a quote or a rule at the
// start of a line.
func lineStarts(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimLeft(l, " \t")
		digits := strings.TrimLeft(l, "0123456789")
		switch {
		case l == "":
		case strings.ContainsRune("#>", rune(l[0])), strings.HasPrefix(l, "~~~"), strings.HasPrefix(l, "==="), strings.HasPrefix(l, "---"),
			(l[0] == '-' || l[0] == '+') && (len(l) == 1 || l[1] == ' '):
			l = "\\" + l
		case len(digits) < len(l) && digits != "" && (digits[0] == '.' || digits[0] == ')') && (len(digits) == 1 || digits[1] == ' '):
			n := len(l) - len(digits)
			l = l[:n] + "\\" + l[n:]
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ReplaceAll(s, "\\\n", " "), func(r rune) bool { return r == '\n' }), " ")
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight("> "+l, " ")
	}
	return strings.Join(lines, "\n")
}

// indented indents every line but empty ones.
func indented(s, by string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = by + l
		}
	}
	return strings.Join(lines, "\n")
}

// fenced is a block of code in a fence that the code does not contain.
func fenced(language, code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	language = strings.TrimFunc(Line(language, 40), func(r rune) bool { return r == '`' || unicode.IsSpace(r) })
	return fence + language + "\n" + strings.TrimSuffix(code, "\n") + "\n" + fence
}
