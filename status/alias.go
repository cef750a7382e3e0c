package status

import (
	"slices"
	"strings"
)

// Aliased returns e, which answers for the name meant, saying that it was asked for
// by another name, which a person had promoted to an alias of it. Both are named in
// the filters that took effect and in the summary.
func (e Envelope) Aliased(said, meant string) Envelope {
	out := *e.get()
	said, meant = Line(said, maxWord), Line(meant, maxWord)
	note := " (promoted alias of " + said + ")"
	if i := endOf(out.Summary, meant); i >= 0 {
		out.Summary = out.Summary[:i] + note + out.Summary[i:]
	} else { // it was too long for the summary, or the failure came before it
		out.Summary += " " + meant + " was taken for " + said + ", its promoted alias."
	}
	var c coverage
	if out.Coverage != nil {
		c = *out.Coverage
	}
	c.Filters = c.Filters.with(Fact{"alias", said + " → " + meant})
	out.Coverage = &c
	return Envelope{&out}
}

// maxWord bounds what a summary says of a name, in runes.
const maxWord = 80

// endOf is where the word, which may go on up to a space, ends in the text, or -1.
func endOf(text, word string) int {
	i := strings.Index(text, word)
	if i < 0 {
		return -1
	}
	i += len(word)
	for i < len(text) && !strings.ContainsRune(" :;,", rune(text[i])) {
		i++
	}
	return i - len(text[:i]) + len(strings.TrimRight(text[:i], "."))
}

// Blames reports whether the evidence names that argument as unusable.
func (f Failure) Blames(argument string) bool {
	return slices.ContainsFunc(f.blamed(), func(a Argument) bool { return a.Name == argument })
}

// BlamesOnly reports whether the evidence names that argument as unusable, and no other.
func (f Failure) BlamesOnly(argument string) bool {
	return f.Blames(argument) && len(f.blamed()) == 1
}

func (f Failure) blamed() []Argument {
	for _, x := range f.get().evidence {
		if args, ok := x.value.([]Argument); ok {
			return args
		}
	}
	return nil
}
