package config

import (
	"fmt"
	"sort"
	"strings"
	"unicode"

	"github.com/frank-mcp/frank/internal/pattern"
)

// Fault is one thing wrong with the file. Text says what to do about it and
// never holds a value that may be a secret.
type Fault struct {
	Path string
	// Line and Column count from 1; 0 where the fault is the file itself.
	Line, Column int
	Text         string
}

// String is "path:line:column: text".
func (f Fault) String() string {
	if f.Line == 0 {
		return f.Path + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.Path, f.Line, f.Column, f.Text)
}

// Faults are all faults of a file, in the order of the file.
type Faults []Fault

// Error prints one fault a line.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

func (fs Faults) sorted() Faults {
	sort.SliceStable(fs, func(i, j int) bool {
		if fs[i].Line != fs[j].Line {
			return fs[i].Line < fs[j].Line
		}
		return fs[i].Column < fs[j].Column
	})
	return fs
}

// secretShape knows the tokens of the providers by their published prefixes,
// and anything that starts like the value of an Authorization header.
var secretShape = pattern.New(`(?i)^(gh[pousr]_|github_pat_|glpat-|gldt-|glptt-|lin_api_|lin_oauth_|ntn_|secret_|atatt|atctt|xox[abp]-|bearer\s|basic\s|token\s|eyj)`)

var longRun = pattern.New(`[A-Za-z0-9+/=_]{20,}`)

// looksSecret errs on the side of yes: it only decides what is not repeated.
func looksSecret(s string) bool {
	if secretShape.MatchString(s) || strings.Contains(s, "@") {
		return true
	}
	for _, run := range longRun.FindAllString(s, -1) {
		if strings.ContainsFunc(run, unicode.IsDigit) {
			return true
		}
	}
	return false
}

// show quotes a value for an error text, or says that it does not.
func show(s string) string {
	if s == "" {
		return "an empty text"
	}
	if len(s) > 60 || looksSecret(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "the value (not repeated here)"
	}
	return fmt.Sprintf("%q", s)
}
