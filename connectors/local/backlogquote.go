package local

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/frank-mcp/frank/internal/pattern"
)

// yamlScalar writes a text as one value of YAML: in the style that is asked for,
// where that can hold it, else in the first that can. style is a quote, or 0 for none.
func yamlScalar(s string, style byte, flow bool) string {
	if style == 0 && plainSafe(s, flow) {
		return s
	}
	single := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if style != '"' && printable(s) && itemValue(single) == s {
		return single
	}
	return doubleQuoted(s)
}

func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r) || r > 0xFF && !unicode.IsControl(r) && r != '\u2028' && r != '\u2029' && r != '\uFEFF':
			b.WriteRune(r)
		case r <= 0xFF:
			fmt.Fprintf(&b, `\x%02X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// printable reports whether a text is one line that YAML takes as it stands.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) })
}

// plainDate is a date as Backlog.md writes it, which is a text to YAML too as
// long as its time has no seconds.
var plainDate = pattern.New(`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$`)

// plainSafe reports whether every reader of YAML takes s for this text without
// quotes. It says no rather than maybe.
func plainSafe(s string, flow bool) bool {
	if plainDate.MatchString(s) {
		return true
	}
	for i, r := range s {
		if i == 0 && !unicode.IsLetter(r) {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return false
	}
	switch {
	case !printable(s), strings.Contains(s, ": "), strings.Contains(s, " #"), strings.HasSuffix(s, ":"), strings.TrimSpace(s) != s:
		return false
	case flow && strings.ContainsAny(s, ",[]{}:"):
		return false
	}
	return itemValue(s) == s
}
