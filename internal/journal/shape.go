package journal

import (
	"strings"

	"github.com/frank-mcp/frank/internal/scrub"
)

// What follows lets into a column only what has the shape of what belongs there,
// so that a text which somebody wrote cannot get in by mistake.

// maxWord bounds names: those of tools, sources and reasons are shorter.
const maxWord = 80

// word is a name of ours: letters, digits and joints, no spaces.
func (w writer) word(s string) string {
	if len(s) > maxWord || strings.ContainsFunc(s, func(c rune) bool { return !alphanumeric(c) && !strings.ContainsRune("_-./:#", c) }) {
		return scrub.Mark
	}
	return w.scrubbed(s)
}

// words are names, each between spaces.
func (w writer) words(names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(" " + w.word(name))
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	return b.String()
}

// class is the class of an endpoint: a method, a space and a path without values.
func (w writer) class(s string) string {
	method, path, found := strings.Cut(s, " ")
	if !found {
		method, path = "", s
	}
	if len(s) > 2*maxWord || strings.ContainsFunc(method, func(c rune) bool { return c < 'A' || c > 'Z' }) ||
		strings.ContainsFunc(path, func(c rune) bool { return !alphanumeric(c) && !strings.ContainsRune("_-./:{}", c) }) {
		return scrub.Mark
	}
	return w.scrubbed(s)
}

// id is what [crypto/rand.Text] makes, which looks like a secret, or else a word.
func (w writer) id(s string) string {
	if len(s) == 26 && !strings.ContainsFunc(s, func(c rune) bool { return (c < 'A' || c > 'Z') && (c < '2' || c > '7') }) {
		return s
	}
	return w.word(s)
}

// hash is hex, as long as a trace id at most.
func (w writer) hash(s string) string {
	if len(s) <= 32 && !strings.ContainsFunc(s, func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'f') }) {
		return s
	}
	return scrub.Mark
}

func (w writer) scrubbed(s string) string {
	if w.clean != nil {
		s = w.clean(s)
	}
	return scrub.Text(s)
}

func alphanumeric(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
