package journal

import (
	"strings"

	"github.com/frank-mcp/frank/internal/scrub"
)

// What follows lets into a column only what has the shape of what belongs there,
// so that a text which somebody wrote cannot get in by mistake.

// shape is what belongs into a column. Clean may be nil.
type shape struct{ clean func(string) string }

// Fit returns the record as it may be stored: every text has the shape of what belongs
// there and has passed clean, if there is one, and the scrubber.
func (r Record) Fit(clean func(string) string) Record {
	w := shape{clean}
	r.CallID, r.TraceID, r.Fingerprint, r.Escalation = w.id(r.CallID), w.hash(r.TraceID), w.hash(r.Fingerprint), w.id(r.Escalation)
	r.Tool, r.Operation, r.Endpoint, r.Source = w.word(r.Tool), w.word(r.Operation), w.class(r.Endpoint), w.word(r.Source)
	r.Stage, r.Reason, r.Code, r.Severity, r.Outcome = w.word(r.Stage), w.word(r.Reason), w.word(r.Code), w.word(r.Severity), w.word(r.Outcome)
	r.Trigger = w.word(r.Trigger)
	return r
}

// Fit is that of [Record.Fit] for an action.
func (a Action) Fit(clean func(string) string) Action {
	w := shape{clean}
	a.Tool, a.Status, a.Code, a.Reason, a.Source, a.CallID = w.word(a.Tool), w.word(a.Status), w.word(a.Code), w.word(a.Reason), w.word(a.Source), w.id(a.CallID)
	return a
}

// maxWord bounds names: those of tools, sources and reasons are shorter.
const maxWord = 80

// word is a name of ours: letters, digits and joints, no spaces.
func (w shape) word(s string) string {
	if len(s) > maxWord || strings.ContainsFunc(s, func(c rune) bool { return !alphanumeric(c) && !strings.ContainsRune("_-./:#", c) }) {
		return scrub.Mark
	}
	return w.scrubbed(s)
}

// words are names, each between spaces.
func (w shape) words(names []string) string {
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
func (w shape) class(s string) string {
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
func (w shape) id(s string) string {
	if len(s) == 26 && !strings.ContainsFunc(s, func(c rune) bool { return (c < 'A' || c > 'Z') && (c < '2' || c > '7') }) {
		return s
	}
	return w.word(s)
}

// hash is hex, as long as a trace id at most.
func (w shape) hash(s string) string {
	if len(s) <= 32 && !strings.ContainsFunc(s, func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'f') }) {
		return s
	}
	return scrub.Mark
}

func (w shape) scrubbed(s string) string {
	if w.clean != nil {
		s = w.clean(s)
	}
	return scrub.Text(s)
}

func alphanumeric(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
