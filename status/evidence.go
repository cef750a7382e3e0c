package status

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What bounds one text in the evidence, in runes.
const (
	maxFact    = 200
	maxAddress = 2000
)

// Address is a web address that a person opens. It is longer than other texts
// may be, since a part of it leads nowhere.
type Address string

// Key names one kind of evidence. Only the keys declared here exist, so that no
// body, header value or exception text can enter a result under a new name.
type Key[T any] struct{ name string }

// Fact is one piece of evidence; it is an [Option] of [Fail].
type Fact struct {
	name  string
	value any
}

// Is makes the fact that this key has this value. Texts are reduced to one
// visible line of at most 200 characters.
func (k Key[T]) Is(v T) Fact { return Fact{k.name, tidy(v)} }

// Argument is one unusable argument of a call.
type Argument struct {
	Name    string   `json:"name"`
	Reason  string   `json:"reason"`
	Problem string   `json:"problem"`
	Allowed []string `json:"allowed,omitempty"`
}

// The keys of evidence. A reason's texts may name one in braces.
var (
	HTTPStatus          = Key[int]{"http_status"}
	MediaType           = Key[string]{"media_type"}
	RedirectHost        = Key[string]{"redirect_host"}
	ErrorClass          = Key[string]{"error_class"}
	Attempts            = Key[int]{"attempts"}
	RequestID           = Key[string]{"request_id"}
	RateResource        = Key[string]{"rate_resource"}
	ResetAt             = Key[string]{"reset_at"}
	Header              = Key[string]{"header"}
	MissingKey          = Key[string]{"missing_key"}
	Marker              = Key[string]{"marker"}
	MissingScope        = Key[string]{"scope"}
	AcceptedPermissions = Key[string]{"accepted_permissions"}
	GrantedScopes       = Key[string]{"granted_scopes"}
	Organizations       = Key[[]string]{"organizations"}
	UnblockURL          = Key[Address]{"unblock_url"}
	Container           = Key[string]{"container"}
	Reference           = Key[string]{"reference"}
	Existence           = Key[string]{"existence"}
	MovedTo             = Key[string]{"moved_to"}
	Arguments           = Key[[]Argument]{"arguments"}
	ValidValues         = Key[[]string]{"valid_values"}
	Options             = Key[[]string]{"options"}
	Filter              = Key[string]{"filter"}
	Margin              = Key[float64]{"margin"} // how much better the best candidate fits than the next, from 0 (a tie) to 1
	FurtherCandidates   = Key[int]{"further_candidates"}
	Feature             = Key[string]{"feature"}
	Provider            = Key[string]{"provider"}
	Host                = Key[string]{"host"}
	ConfigKey           = Key[string]{"config_key"}
	Limit               = Key[int]{"limit"}
	Examined            = Key[int]{"examined"}
	Total               = Key[int]{"total"}
	Skipped             = Key[map[string]int]{"skipped"}
	Revision            = Key[string]{"revision"}
	Path                = Key[string]{"path"}
	SizeBytes           = Key[int64]{"size_bytes"}
	AgeSeconds          = Key[int64]{"age_seconds"}
	ExitCode            = Key[int]{"exit_code"}
	Part                = Key[string]{"part"}
	FirstReason         = Key[string]{"first_reason"}
	CheckName           = Key[string]{"check"}
	Rule                = Key[string]{"rule"}
	Remedy              = Key[string]{"remedy"} // see [Failure.Action]
	FoundAt             = Key[string]{"found_at"}
	Endpoint            = Key[string]{"endpoint"}
	Withheld            = Key[int]{"withheld"}
	EscalationID        = Key[string]{"escalation_id"}
	Undone              = Key[[]string]{"undone_steps"}
	NotUndone           = Key[[]string]{"steps_not_undone"}
)

// ExistenceUnknown is the value of [Existence] when absent and hidden look alike.
const ExistenceUnknown = "absent_or_hidden"

// facts is an ordered set: a later fact of the same name replaces the former.
type facts []Fact

func (fs facts) with(f Fact) facts {
	out := make(facts, 0, len(fs)+1)
	for _, old := range fs {
		if old.name != f.name {
			out = append(out, old)
		}
	}
	if list, ok := f.value.([]string); f.value == "" || f.value == nil || ok && len(list) == 0 {
		return out // nothing to say
	}
	return append(out, f)
}

func (fs facts) text(name string) string {
	for _, f := range fs {
		if f.name != name {
			continue
		}
		switch v := f.value.(type) {
		case string:
			return v
		case []string:
			return strings.Join(v, ", ")
		default:
			b, err := json.Marshal(v)
			if err != nil {
				return ""
			}
			return string(b)
		}
	}
	return ""
}

// MarshalJSON encodes an object in the order in which the facts came.
func (fs facts) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range fs {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := encode(f.name)
		if err != nil {
			return nil, err
		}
		value, err := encode(f.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// tidy bounds and cleans the texts inside v.
func tidy[T any](v T) any {
	switch v := any(v).(type) {
	case string:
		return Line(v, maxFact)
	case Address:
		return Line(string(v), maxAddress)
	case []string:
		return tidyAll(v)
	case []Argument:
		out := make([]Argument, len(v))
		for i, a := range v {
			out[i] = Argument{Line(a.Name, maxFact), a.Reason, Line(a.Problem, maxFact), tidyAll(a.Allowed)}
		}
		return out
	default:
		return v
	}
}

func tidyAll(v []string) []string {
	out := make([]string, 0, min(len(v), 50))
	for i, s := range v {
		if i == 50 {
			out = append(out, "…")
			break
		}
		out = append(out, Line(s, maxFact))
	}
	return out
}

// Line reduces s to one visible line of at most limit runes: control and format
// characters, invalid bytes and line ends are dropped or become a space.
func Line(s string, limit int) string {
	var b strings.Builder
	n, space := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || r == utf8.RuneError:
			space = b.Len() > 0
			continue
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || hidden(r) || joining(r):
			continue
		}
		if n+1 >= limit {
			b.WriteRune('…')
			break
		}
		if space {
			b.WriteByte(' ')
			n++
		}
		space = false
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// encode is json.Marshal without HTML escaping and without the final newline.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
