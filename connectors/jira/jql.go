package jira

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// plan is a question as Jira is asked it.
type plan struct {
	jql      string
	project  string   // the one project that is asked, or empty
	keys     []string // all projects that are named
	clauses  int      // beside that of the project
	native   string   // without its ORDER BY
	byIssue  bool     // the native query names single issues
	projects bool     // the native query names projects itself
}

// plan turns a question into JQL. Every value is quoted, so that nothing of it is
// read as an operator, a function or a field.
func (t tracker) plan(q connectors.IssueQuery) (plan, *status.Failure) {
	native, order, f := t.native(q.Native)
	if f != nil {
		return plan{}, f
	}
	p := plan{native: native, byIssue: mentions(native, "key", "issuekey", "issue", "id"), projects: spans(native)}
	var clauses []string
	if native != "" {
		clauses = append(clauses, "("+native+")")
	}
	where, f := t.where(q.Project, &p)
	if f != nil {
		return p, f
	}
	own, f := t.clauses(q)
	if f != nil {
		return p, f
	}
	clauses = append(clauses, own...)
	p.clauses = len(clauses)
	if where != "" {
		clauses = append([]string{where}, clauses...)
	}
	if order == "" {
		order = "ORDER BY updated DESC"
	}
	p.jql = strings.TrimSpace(strings.Join(clauses, " AND ") + " " + order)
	return p, nil
}

// where is the clause of the projects that are asked. JR-08.
func (t tracker) where(project string, p *plan) (string, *status.Failure) {
	if project == "" && !p.projects { // a native query that names projects means those
		project = t.project
	}
	if project == "" || project == connectors.Everywhere {
		if p.keys = t.allowed(); len(p.keys) == 0 {
			return "", nil
		}
		var quoted []string
		for _, k := range p.keys {
			quoted = append(quoted, quote(k))
		}
		return "project in (" + strings.Join(quoted, ", ") + ")", nil
	}
	if !isProject(project) {
		return "", t.badArgument("project", "must be the key of a project, such as PAY")
	}
	p.project = strings.ToUpper(project)
	p.keys = []string{p.project}
	return "project = " + quote(p.project), nil
}

// allowed are the projects of the configured allow-list, if it holds nothing but
// plain keys; patterns are applied by the tools.
func (t tracker) allowed() []string {
	var keys []string
	for _, o := range t.only {
		if !isProject(o) {
			return nil
		}
		keys = append(keys, strings.ToUpper(o))
	}
	return keys
}

// clauses are the filters of the question.
func (t tracker) clauses(q connectors.IssueQuery) ([]string, *status.Failure) {
	var out []string
	if q.Text != "" {
		words := phrases(q.Text)
		if len(words) == 0 {
			return nil, t.badArgument("query", "holds no letter or digit that Jira could search for")
		}
		for _, w := range words {
			out = append(out, "text ~ "+quote(`"`+w+`"`))
		}
	}
	switch q.State {
	case "open":
		out = append(out, "statusCategory != Done")
	case "closed":
		out = append(out, "statusCategory = Done")
	}
	if q.Assignee != "" {
		out = append(out, whose("assignee", q.Assignee))
	}
	if q.Author != "" {
		out = append(out, whose("reporter", q.Author))
	}
	for _, l := range q.Labels {
		out = append(out, "labels = "+quote(l))
	}
	if !q.UpdatedSince.IsZero() {
		out = append(out, "updated >= "+quote(q.UpdatedSince.UTC().Add(-zones).Format("2006-01-02 15:04")))
	}
	return out, nil
}

// zones is by how much a time in JQL is set back: Jira reads it in the time zone of
// the account, which may be up to twelve hours behind. Rows that are too old are
// left out when they are read.
const zones = 12 * time.Hour

// whose is the clause for a field that holds an account.
func whose(field, name string) string {
	switch name {
	case "@me":
		return field + " = currentUser()"
	case "none":
		return field + " is EMPTY"
	case "*":
		return field + " is not EMPTY"
	}
	return field + " = " + quote(name)
}

// quote is a value in JQL.
func quote(s string) string {
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
		case !unicode.IsControl(r):
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// phrases splits a text at what cannot stand inside a phrase of a text search: the
// quotes that end it and the backslash. What has no letter or digit is not indexed, nor
// is what has no other words than those that are in every text: beside a phrase that
// is, it would keep anything from being found.
func phrases(s string) []string {
	var out []string
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return r == '"' || r == '\\' || unicode.IsControl(r) }) {
		run = strings.TrimSpace(run)
		if strings.ContainsFunc(run, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			out = append(out, run)
		}
	}
	if known := slices.DeleteFunc(slices.Clone(out), connectors.Unindexed); len(known) > 0 {
		return known
	}
	return out
}

// native takes a query of the caller's apart: its clause, which must be closed in
// itself so that it cannot widen what is asked beside it, and its ORDER BY.
func (t tracker) native(q string) (clause, order string, f *status.Failure) {
	depth, at := 0, -1
	words := lex(q)
	for i, w := range words {
		switch {
		case w.open: // a quote that never ends
			return "", "", t.refusedArgument(status.QueryRefused, "native_query", "has a quote or a backslash that nothing ends")
		case w.quoted: // "(" is a text
		case w.text == "(":
			depth++
		case w.text == ")":
			depth--
		case depth == 0 && at < 0 && strings.EqualFold(w.text, "order") && i+1 < len(words) && strings.EqualFold(words[i+1].text, "by"):
			at = w.at
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 {
		return "", "", t.refusedArgument(status.QueryRefused, "native_query", "has parentheses that do not match")
	}
	if at < 0 {
		return strings.TrimSpace(q), "", nil
	}
	return strings.TrimSpace(q[:at]), strings.TrimSpace(q[at:]), nil
}

// word is a part of a native query: a bare word, a quoted text, or one mark.
type word struct {
	text   string
	at     int
	quoted bool
	open   bool
}

// lex splits JQL as far as quotes, parentheses and words matter. Outside of quotes, too,
// a backslash takes the meaning of the mark behind it.
func lex(q string) []word {
	var out []word
	for i := 0; i < len(q); {
		b := q[i]
		switch {
		case b == '"' || b == '\'':
			end := closing(q, i)
			if end < 0 {
				return append(out, word{at: i, open: true})
			}
			out = append(out, word{text: q[i+1 : end], at: i, quoted: true})
			i = end + 1
		case b == '\\' && i+1 == len(q): // it would reach beyond the query
			return append(out, word{at: i, open: true})
		case b == '\\':
			out = append(out, word{text: q[i : i+2], at: i})
			i += 2
		case isWord(b):
			start := i
			for i < len(q) && isWord(q[i]) {
				i++
			}
			out = append(out, word{text: q[start:i], at: start})
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			i++
		default:
			out = append(out, word{text: q[i : i+1], at: i})
			i++
		}
	}
	return out
}

func isWord(b byte) bool {
	return isLetter(b) || b >= '0' && b <= '9' || b == '_' || b == '.' || b == '-' || b >= 0x80
}

// closing is where the quote that opens at i ends, or -1.
func closing(q string, i int) int {
	for j := i + 1; j < len(q); j++ {
		switch q[j] {
		case '\\':
			j++
		case q[i]:
			return j
		}
	}
	return -1
}

// mentions reports whether one of the names stands as a field in the query.
func mentions(q string, names ...string) bool {
	words := lex(q)
	for i, w := range words {
		if i+1 == len(words) {
			break
		}
		next := strings.ToLower(words[i+1].text)
		operator := !words[i+1].quoted && (strings.ContainsAny(next, "=!<>~") || next == "in" || next == "not" || next == "is" || next == "was" || next == "changed")
		for _, n := range names {
			if operator && strings.EqualFold(w.text, n) {
				return true
			}
		}
	}
	return false
}

// spans reports whether a query names projects itself.
func spans(native string) bool { return mentions(native, "project") }

// projectsIn are the keys of the projects that a query wants, after project = or
// project in. A project may be named by its name too: what is not written as a key is,
// in capitals, is left out.
func projectsIn(q string) []string {
	var out []string
	words := lex(q)
	for i := 0; i+2 < len(words); i++ {
		if !strings.EqualFold(words[i].text, "project") {
			continue
		}
		values := words[i+2 : i+3]
		if strings.EqualFold(words[i+1].text, "in") && words[i+2].text == "(" {
			values = words[i+3:]
		} else if words[i+1].text != "=" {
			continue
		}
		for _, v := range values {
			if v.text == ")" {
				break
			}
			if isProject(v.text) && strings.ToUpper(v.text) == v.text {
				out = append(out, v.text)
			}
		}
	}
	return out
}
