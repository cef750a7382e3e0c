package local

import (
	"regexp"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/pattern"
)

// frontMatter is the front matter of a task, line by line, so that a change of
// one key leaves every other byte alone.
type frontMatter struct {
	mark  string   // a byte order mark
	lines []string // of the whole file, each with its end
	end   int      // the line that closes the front matter
	eol   string
}

const byteOrderMark = "\uFEFF"

// openMatter takes the text of a task apart into its lines.
func openMatter(text string) (*frontMatter, bool) {
	f := &frontMatter{eol: "\n"}
	if rest, ok := strings.CutPrefix(text, byteOrderMark); ok {
		f.mark, text = byteOrderMark, rest
	}
	f.lines = slices.Collect(strings.Lines(text))
	if len(f.lines) == 0 || bareLine(f.lines[0]) != "---" {
		return nil, false
	}
	if strings.HasSuffix(f.lines[0], "\r\n") {
		f.eol = "\r\n"
	}
	for i, line := range f.lines[1:] {
		if bareLine(line) == "---" {
			f.end = i + 1
			return f, true
		}
	}
	return nil, false
}

// bareLine is a line without its end.
func bareLine(line string) string { return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r") }

func (f *frontMatter) text() string { return f.mark + strings.Join(f.lines, "") }

// splice puts lines in the place of others.
func (f *frontMatter) splice(from, to int, lines ...string) {
	for i := range lines {
		lines[i] += f.eol
	}
	f.lines = slices.Replace(f.lines, from, to, lines...)
	f.end += len(lines) - (to - from)
}

// find returns the lines of a key and its value; from is -1 if it is not there.
func (f *frontMatter) find(key string) (from, to int) {
	head := regexp.MustCompile(`^["']?` + regexp.QuoteMeta(key) + `["']?[ \t]*:(?:[ \t]|$)`)
	from = -1
	for i := 1; i < f.end; i++ {
		line := bareLine(f.lines[i])
		switch {
		case from < 0 && head.MatchString(line):
			from, to = i, i+1
		case from >= 0 && (strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || line == "-" || strings.HasPrefix(line, "- ")):
			if strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				to = i + 1
			}
		case from >= 0 && line != "" && !strings.HasPrefix(line, "#"):
			return from, to
		}
	}
	return from, to
}

// keyOrder is the order in which Backlog.md writes the keys.
func keyOrder() []string {
	return []string{"id", "title", "status", "assignee", "reporter", "created_date", "updated_date", "due_date", "labels", "milestone", "dependencies"}
}

// place is where a key that is not there belongs.
func (f *frontMatter) place(key string) int {
	order := keyOrder()
	at := slices.Index(order, key)
	for i := at - 1; i >= 0; i-- {
		if from, to := f.find(order[i]); from >= 0 {
			return to
		}
	}
	return f.end
}

var (
	keyLine   = pattern.New(`^([^:]*:)([ \t]*)(.*)$`)
	quotedOne = pattern.New(`^('(?:[^']|'')*'|"(?:[^"\\]|\\.)*")(\s*(?:\s#.*)?)$`)
	plainOne  = pattern.New(`^([^\s'"\[{|>&*!#].*?)((?:\s+#.*)?\s*)$`)
)

// setScalar gives a key one value, in the quotes that it had.
func (f *frontMatter) setScalar(key, value string) {
	from, to := f.find(key)
	if from < 0 {
		at := f.place(key)
		f.splice(at, at, key+": "+yamlScalar(value, f.quotes(), false))
		return
	}
	m := keyLine.FindStringSubmatch(bareLine(f.lines[from]))
	lead, old, trail := m[2], m[3], ""
	if lead == "" {
		lead = " "
	}
	style := byte(0)
	if q := quotedOne.FindStringSubmatch(old); q != nil {
		style, trail = q[1][0], q[2]
	} else if p := plainOne.FindStringSubmatch(old); p != nil {
		trail = p[2]
	}
	if to > from+1 { // a value over several lines
		trail = ""
	}
	f.splice(from, to, m[1]+lead+yamlScalar(value, style, false)+trail)
}

// quotes is the style of the dates that are there, for one that is added.
func (f *frontMatter) quotes() byte {
	from, _ := f.find("created_date")
	if from < 0 {
		return '\''
	}
	if q := quotedOne.FindStringSubmatch(keyLine.FindStringSubmatch(bareLine(f.lines[from]))[3]); q != nil {
		return q[1][0]
	}
	return 0
}

// setList leaves of a list what keep accepts and adds what is new behind it. What
// stays is not touched; ok is false if the list is written in a form of its own.
func (f *frontMatter) setList(key string, keep func(string) bool, add []string) (ok bool) {
	from, to := f.find(key)
	if from < 0 {
		at := f.place(key)
		f.splice(at, at, blockList(key+":", add)...)
		return true
	}
	m := keyLine.FindStringSubmatch(bareLine(f.lines[from]))
	value, trail := strings.TrimRight(m[3], " \t"), ""
	if strings.HasPrefix(value, "[") {
		if end := strings.LastIndex(value, "]"); end >= 0 && strings.HasPrefix(strings.TrimSpace(value[end+1:]+"#"), "#") {
			value, trail = value[:end+1], value[end+1:]
		}
	}
	switch {
	case strings.HasPrefix(value, "["):
		items, flat := flowItems(value)
		if !flat || to > from+1 {
			return false
		}
		left := kept(items, keep)
		if len(left) == 0 && len(add) > 0 && len(items) == 0 && trail == "" {
			f.splice(from, to, blockList(m[1], add)...)
			return true
		}
		for _, s := range add {
			left = append(left, yamlScalar(s, styleOf(items), true))
		}
		f.splice(from, to, m[1]+m[2]+"["+strings.Join(left, ", ")+"]"+trail)
		return true
	case value == "" || strings.HasPrefix(value, "#"):
		return f.setBlock(from, to, m, keep, add)
	default:
		left := kept([]string{value}, keep)
		if len(left) == 1 && len(add) == 0 {
			return true
		}
		f.splice(from, to, blockList(m[1], add, left...)...)
		return to == from+1
	}
}

// setBlock is setList for a list with a line for each item.
func (f *frontMatter) setBlock(from, to int, m []string, keep func(string) bool, add []string) bool {
	indent, style, left := "  ", byte(0), 0
	for i := to - 1; i > from; i-- {
		line := bareLine(f.lines[i])
		trimmed := strings.TrimLeft(line, " ")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		item, isItem := strings.CutPrefix(trimmed, "- ")
		if !isItem {
			return false
		}
		indent = line[:len(line)-len(trimmed)]
		item = strings.TrimSpace(item)
		if item != "" && (item[0] == '\'' || item[0] == '"') {
			style = item[0]
		}
		if len(kept([]string{item}, keep)) == 0 {
			f.splice(i, i+1)
			to--
			continue
		}
		left++
	}
	if left == 0 && len(add) == 0 {
		f.splice(from, from+1, m[1]+" []"+m[2]+m[3])
		return true
	}
	var lines []string
	for _, s := range add {
		lines = append(lines, indent+"- "+yamlScalar(s, style, false))
	}
	f.splice(to, to, lines...)
	return true
}

// blockList writes a list with a line for each item; left are written as they are.
func blockList(head string, add []string, left ...string) []string {
	if len(add)+len(left) == 0 {
		return []string{head + " []"}
	}
	lines := []string{head}
	for _, s := range left {
		lines = append(lines, "  - "+s)
	}
	for _, s := range add {
		lines = append(lines, "  - "+yamlScalar(s, 0, false))
	}
	return lines
}

// kept are the items, as they are written, whose values are accepted.
func kept(items []string, keep func(string) bool) []string {
	var out []string
	for _, item := range items {
		if keep(itemValue(item)) {
			out = append(out, item)
		}
	}
	return out
}

// itemValue is the value of an item as it is written.
func itemValue(item string) string {
	var v struct {
		X scalar `yaml:"x"`
	}
	if strings.HasPrefix(item, "@") {
		return strings.TrimSpace(strings.SplitN(item, " #", 2)[0])
	}
	if !decodeYAML("x: "+item, &v) {
		return item
	}
	return string(v.X)
}

// styleOf is how the items of a list are quoted.
func styleOf(items []string) byte {
	for _, s := range items {
		if s[0] == '\'' || s[0] == '"' {
			return s[0]
		}
	}
	return 0
}

// flowItems takes a list in brackets apart; false if it is not a flat one.
func flowItems(list string) ([]string, bool) {
	inner, ok := strings.CutSuffix(strings.TrimPrefix(list, "["), "]")
	if !ok {
		return nil, false
	}
	var items []string
	for rest := strings.TrimSpace(inner); rest != ""; {
		m := flowItem.FindStringSubmatch(rest)
		if m == nil {
			return nil, false
		}
		items = append(items, m[1])
		rest = strings.TrimSpace(rest[len(m[0]):])
	}
	return items, true
}

var flowItem = pattern.New(`^('(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^'"\[\]{},#\s](?:[^,\[\]{}]*[^,\[\]{}\s])?)\s*(?:,|$)`)
