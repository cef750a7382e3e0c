// Package pattern holds regular expressions that are compiled when they are first
// used. Hosts start the program often and wait for it; compiling them all takes a
// tenth of a start, and most runs use few of them.
//
// It never takes an expression from outside the program.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression (RE2 syntax). Make one with New; it is safe for
// concurrent use.
type Pattern struct{ compiled func() *regexp.Regexp }

// New returns the pattern of expr. A wrong expression panics at its first use, so
// every pattern needs a test that uses it.
func New(expr string) Pattern {
	return Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// Regexp is the compiled expression, for what Pattern has no method for.
func (p Pattern) Regexp() *regexp.Regexp { return p.compiled() }

// MatchString is that of regexp.Regexp.
func (p Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindStringSubmatch is that of regexp.Regexp.
func (p Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindAllString is that of regexp.Regexp.
func (p Pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }
