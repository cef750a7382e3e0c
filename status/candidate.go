package status

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Candidate is one object that an unresolved reference may mean.
type Candidate struct {
	Ref    string `json:"ref"`
	Title  string `json:"title,omitempty"`
	URL    string `json:"url,omitempty"`
	Source string `json:"source,omitempty"`
	// Call is the call that means this candidate and no other. In the text channel
	// it stands in a line of its own instead.
	Call *NextCall `json:"call,omitempty"`
	// Sets are the arguments by which a call means the candidate; without any it is
	// Ref in the argument that names what the tool returns. See [Propose], which adds
	// the source.
	Sets []Setting `json:"-"`
}

// NextCall is a call that somebody may make next, exactly as it is written.
type NextCall struct {
	Tool      string   `json:"tool"`
	Arguments Settings `json:"arguments"`
	// AsGiven names further arguments that stay as they were in the call that was
	// answered: too long to repeat, or worded like a verdict.
	AsGiven []string `json:"as_given,omitempty"`
}

// Setting is one argument with its value in JSON.
type Setting struct {
	Name  string
	Value json.RawMessage
}

// Settings are arguments in the order in which they are shown.
type Settings []Setting

// Set is the argument of that name with a text.
func Set(argument, text string) Setting {
	raw, err := encode(text)
	if err != nil { // a string always encodes
		raw = []byte(`""`)
	}
	return Setting{argument, raw}
}

// Section are the arguments that mean a section of a document.
func Section(ref, slug string) []Setting {
	return []Setting{Set("ref", ref), Set("section", slug)}
}

// MarshalJSON encodes an object in the order of the settings.
func (s Settings) MarshalJSON() ([]byte, error) {
	o := make(orderedObject, len(s))
	for i, x := range s {
		o[i].key, o[i].value = x.Name, x.Value
	}
	return o.MarshalJSON()
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Settings) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var x Setting
		x.Name, _ = name.(string)
		if err := d.Decode(&x.Value); err != nil {
			return err
		}
		*s = append(*s, x)
	}
	return nil
}

func (s Settings) has(name string) bool {
	return slices.ContainsFunc(s, func(x Setting) bool { return x.Name == name })
}

// String is the call as frank call takes it: tracker_get_issue ref=PAY-12 source=jira.
func (c NextCall) String() string {
	var b strings.Builder
	b.WriteString(c.Tool)
	for _, x := range c.Arguments {
		var values []json.RawMessage
		if json.Unmarshal(x.Value, &values) != nil || values == nil { // it is no list
			values = []json.RawMessage{x.Value}
		}
		for _, v := range values {
			b.WriteString(" " + x.Name + "=" + word(v))
		}
	}
	for _, name := range c.AsGiven {
		b.WriteString(" " + name + "=(as given)")
	}
	return b.String()
}

// word is a value without quotes where it needs none to stay one word.
func word(raw json.RawMessage) string {
	var text string
	odd := func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(" \"'`$\\|&;<>()*?[]{}~", r) }
	if json.Unmarshal(raw, &text) != nil || text == "" || strings.ContainsFunc(text, odd) {
		return string(raw)
	}
	return text
}

const (
	// maxCandidates bounds how many objects one failure lists.
	maxCandidates = 10
	// maxRepeated is how many bytes of an argument every candidate repeats.
	maxRepeated = 200
)

// Among lists the objects that the reference may mean, at most 10, the likeliest
// first; how many more there are is evidence. A title that would word an absence is
// left out: outside the data of a result only an empty one may.
func Among(cs ...Candidate) Option {
	return optionFunc(func(d *detail) {
		for _, c := range cs[:min(len(cs), maxCandidates)] {
			if c.Sets == nil && c.Call == nil && c.Ref != "" {
				c.Sets = []Setting{Set("", c.Ref)} // before it is cut: a call must be exact
			}
			title := Line(c.Title, 120)
			if wordsAbsence(title) {
				title = ""
			}
			d.candidates = append(d.candidates, Candidate{
				Ref: Line(c.Ref, maxFact), Title: title, URL: Line(c.URL, 500), Source: Line(c.Source, 64), Call: c.Call, Sets: c.Sets,
			})
		}
		if more := len(cs) - maxCandidates; more > 0 {
			d.evidence = d.evidence.with(FurtherCandidates.Is(more))
		}
	})
}

// wordsAbsence reports whether a text reads like the verdict of an empty result.
func wordsAbsence(text string) bool {
	text = " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '\'' && r != '’' && r < utf8.RuneSelf && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}), " ") + " "
	return slices.ContainsFunc(
		[]string{" nothing ", " none ", " not found ", " no result", " no match", " no issue", " no item", " no page", " no document", " no file", " no commit", " not exist ", "n't exist ", "n’t exist ", " no such "},
		func(words string) bool { return strings.Contains(text, words) })
}

// Takes names the argument by which a call means a candidate, where that is one.
func Takes(argument string) Option {
	return optionFunc(func(d *detail) {
		for i, c := range d.candidates {
			if len(c.Sets) == 1 {
				d.candidates[i].Sets = []Setting{{argument, c.Sets[0].Value}}
			}
		}
	})
}

// Caller is a tool as candidates need to know it to name a call of it.
type Caller struct {
	Tool  string
	Named string    // the argument that names what the tool returns; may be empty
	Takes []string  // all its arguments
	Given []Setting // those that the call gave
}

// Propose completes the candidates of an ambiguity with calls of that tool.
func Propose[T any](r Result[T], by Caller) Result[T] {
	return each(r, func(x *row[T]) *row[T] {
		y := &row[T]{head: x.head, items: x.items}
		y.failures = slices.Clone(x.failures)
		for i, f := range y.failures {
			y.failures[i] = f.proposing(by)
		}
		return y
	})
}

// Proposing completes the candidates of an ambiguity with calls of that tool: the
// call that was made, less what is ambiguous in it.
func (e Envelope) Proposing(by Caller) Envelope {
	in := e.get()
	if in.Code == None || in.failure.Reason() != AmbiguousTarget {
		return e
	}
	out := *in
	out.failure = in.failure.proposing(by)
	out.Failure = wire(out.failure)
	return Envelope{&out}
}

// Choices are the candidates, with calls, of an answer that could not be given
// because what it is about is ambiguous; nil of any other.
func (e Envelope) Choices() []Candidate {
	in := e.get()
	if in.Code == None || in.failure.Reason() != AmbiguousTarget || in.Status != AccessFailure && !(in.named && in.items == 0) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(in.failure.get().candidates), func(c Candidate) bool { return c.Call == nil })
}

func (f Failure) proposing(by Caller) Failure {
	if f.Reason() != AmbiguousTarget || len(f.get().candidates) == 0 {
		return f
	}
	d := *f.get()
	d.candidates = slices.Clone(d.candidates)
	for i := range d.candidates {
		c := &d.candidates[i]
		if c.Call == nil {
			if c.Call = by.meaning(*c); c.Call != nil {
				c.Sets = slices.Clone(c.Call.Arguments)
			}
		}
		if c.Call != nil && c.Call.Tool == by.Tool {
			c.Call = by.completed(*c.Call)
		}
	}
	return Failure{&d}
}

// meaning is the call that means the candidate, or nil if the tool has no way to
// be asked for it.
func (by Caller) meaning(c Candidate) *NextCall {
	call := NextCall{Tool: by.Tool}
	for _, x := range c.Sets {
		if x.Name == "" || x.Name == "revision" && !slices.Contains(by.Takes, x.Name) { // which names a commit itself
			x.Name = by.Named
		}
		if !slices.Contains(by.Takes, x.Name) || len(x.Value) > maxAddress {
			return nil
		}
		call.Arguments = append(call.Arguments, x)
	}
	if len(call.Arguments) == 0 {
		return nil
	}
	if c.Source != "" && slices.Contains(by.Takes, "source") && !call.Arguments.has("source") {
		call.Arguments = append(call.Arguments, Set("source", c.Source))
	}
	return &call
}

// completed adds the arguments that were given. A cursor belongs to the question
// that was ambiguous.
func (by Caller) completed(call NextCall) *NextCall {
	call.Arguments, call.AsGiven = slices.Clone(call.Arguments), nil
	for _, x := range by.Given {
		switch {
		case x.Name == "cursor" || call.Arguments.has(x.Name):
		case len(x.Value) > maxRepeated || wordsAbsence(string(x.Value)):
			call.AsGiven = append(call.AsGiven, x.Name)
		default:
			call.Arguments = append(call.Arguments, x)
		}
	}
	slices.SortStableFunc(call.Arguments, func(a, b Setting) int {
		return cmp.Compare(slices.Index(by.Takes, a.Name), slices.Index(by.Takes, b.Name))
	})
	return &call
}

// Ties are the candidates of the sources that could not tell which of several
// things of theirs is meant.
func Ties[T any](results ...Result[T]) []Candidate {
	var out []Candidate
	for _, r := range results {
		for _, h := range r.heads() {
			for _, f := range h.failures {
				if f.Reason() == AmbiguousTarget {
					out = append(out, f.get().candidates...)
				}
			}
		}
	}
	return out
}
