package ref

import "strings"

// MaxLength is the longest reference that is read, in bytes.
const MaxLength = 2000

// ErrorKind says what keeps a text from being a reference.
type ErrorKind int

// The kinds. Zero is none of them.
const (
	Empty ErrorKind = iota + 1
	TooLong
	BadCharacter
	BadURL
	BadScheme
	BadLines
	BadPath
)

// String names the kind as evidence does.
func (k ErrorKind) String() string {
	names := [...]string{"invalid", "empty", "too_long", "bad_character", "bad_url", "bad_scheme", "bad_lines", "bad_path"}
	if k < 0 || int(k) >= len(names) {
		return names[0]
	}
	return names[k]
}

// Error is why Parse refuses a text. Text says what to do and holds nothing
// of the text that was refused.
type Error struct {
	Kind ErrorKind
	Text string
}

// Error is the text.
func (e *Error) Error() string { return e.Text }

func fail(k ErrorKind, text string) error { return &Error{k, text} }

// Site is a server that a source is configured for, by the name of that source.
type Site struct{ Name, Provider, Base string }

// Reader reads references for somebody who has these sources: what a link to one of
// their servers means, their provider decides, whatever the link looks like, and
// name#7 is the 7 of the source of that name. The zero Reader goes by shape alone.
type Reader struct{ Sites []Site }

// Parse reads what a person pasted, by its shape alone.
func Parse(s string) (Ref, error) { return Reader{}.Parse(s) }

// Parse reads what a person pasted. The error is an *Error. A text that has no
// recognisable shape is no error but a Ref of kind Unknown: it may be a title.
func (rd Reader) Parse(s string) (Ref, error) {
	if len(s) > MaxLength {
		return Ref{}, fail(TooLong, "the reference is longer than 2,000 characters; give only the link or the id")
	}
	raw, err := rd.clean(s)
	if err != nil {
		return Ref{}, err
	}
	// Removing a query or a bracket may bare the next thing to remove, so this
	// goes on until the canonical form stands for itself.
	rounds := 0
	for text := raw; ; {
		r, err := rd.parseOnce(text)
		if err != nil {
			return Ref{}, err
		}
		next, err := rd.clean(r.String())
		if err != nil {
			return Ref{}, err
		}
		if next == text {
			r.Raw = text[len(r.qualifier):]
			return r, nil
		}
		if rounds++; rounds > maxRounds || len(next) > 4*MaxLength {
			return Ref{}, fail(BadURL, "the reference cannot be read; copy it again")
		}
		text = next
	}
}

// maxRounds is well above the two or three that real references need.
const maxRounds = 16

func (rd Reader) parseOnce(s string) (Ref, error) {
	if r, ok, err := rd.parseLink(s); ok || err != nil {
		return r, err
	}
	if r, ok := rd.qualified(s); ok {
		return r, nil
	}
	return parseText(s)
}

// qualified reads a text with the name of a source in front: here#7, here!7,
// jira:PAY-12, here:main.go#L3. A title is not qualified so: of docs:Start a project or
// namespace may be called docs.
func (rd Reader) qualified(s string) (Ref, bool) {
	for _, site := range rd.Sites {
		rest, ok := strings.CutPrefix(s, site.Name)
		if !ok || site.Name == "" || rest == "" || !strings.ContainsRune("#!:", rune(rest[0])) {
			continue
		}
		mark := ""
		if rest[0] == ':' {
			mark, rest = ":", rest[1:]
		}
		r, err := parseText(rest)
		if err != nil || r.String() != rest || r.Kind == Unknown || mark == "" && r.Number == 0 {
			continue
		}
		r.Source, r.qualifier = site.Name, site.Name+mark
		return r, true
	}
	return Ref{}, false
}
