package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/frank-mcp/frank/status"
)

// field is one argument, read from the tags of an argument struct:
//
//	arg:"name" doc:"…" word:"…" need:"true" enum:"a,b" default:"20" min:"1" max:"100"
//
// For a text, max is its length in characters. What is needed is required by the
// schema too, unless it is need:"late". An enum that is loose:"true" is read
// without regard to case, spaces and hyphens. A list that is clears:"true" means
// something when it is empty.
type field struct {
	name, doc, preset string
	word              string // in a summary, see phrase
	enum              []string
	need, late, loose bool
	clears            bool // of a list: an empty one is something else than none
	min, max          int
	index             []int
	kind              kind
}

type kind uint8

const (
	text kind = iota
	whole
	truth
	texts
	moment
	number
)

// maxText bounds a text argument that names no limit of its own, in characters.
const maxText = 10_000

// fieldsOf lists the arguments of a struct in the order of its fields, embedded
// structs included. A wrong declaration panics: it is found by the first test.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for _, sf := range reflect.VisibleFields(t) {
		name := sf.Tag.Get("arg")
		if name == "" {
			continue
		}
		f := field{name: name, doc: sf.Tag.Get("doc"), preset: sf.Tag.Get("default"), word: sf.Tag.Get("word"), need: sf.Tag.Get("need") != "", late: sf.Tag.Get("need") == "late", loose: sf.Tag.Get("loose") == "true", clears: sf.Tag.Get("clears") == "true", index: sf.Index, max: maxText}
		if e := sf.Tag.Get("enum"); e != "" {
			f.enum = strings.Split(e, ",")
		}
		f.min, f.max = atoi(sf.Tag.Get("min"), 0), atoi(sf.Tag.Get("max"), maxText)
		f.kind = kindOf(sf.Type)
		out = append(out, f)
	}
	return out
}

func atoi(s string, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return otherwise
}

func kindOf(t reflect.Type) kind {
	switch t {
	case reflect.TypeFor[string]():
		return text
	case reflect.TypeFor[int]():
		return whole
	case reflect.TypeFor[float64]():
		return number
	case reflect.TypeFor[bool]():
		return truth
	case reflect.TypeFor[[]string]():
		return texts
	case reflect.TypeFor[time.Time]():
		return moment
	default:
		panic("tools: argument of type " + t.String())
	}
}

// bind reads the arguments of a call strictly. Every unusable argument is named
// in one failure, with what would be usable.
func bind[A any](raw json.RawMessage) (A, *status.Failure) {
	var args A
	fields := fieldsOf(reflect.TypeFor[A]())
	given, bad := members(raw)
	if bad != nil {
		f := refusal([]status.Argument{*bad}, fields)
		return args, &f
	}
	var problems []status.Argument
	target := reflect.ValueOf(&args).Elem()
	for _, f := range fields {
		value, present := given[f.name]
		delete(given, f.name)
		if p := f.set(target.FieldByIndex(f.index), value, present); p != nil {
			problems = append(problems, *p)
		}
	}
	for _, name := range sortedKeys(given) {
		problems = append(problems, status.Argument{
			Name: name, Reason: status.UnknownArgument.Name(), Problem: "must be one of the arguments of the tool", Allowed: namesOf(fields),
		})
	}
	if len(problems) > 0 {
		f := refusal(problems, fields)
		return args, &f
	}
	return args, nil
}

// refusal is one failure for all problems; the reason is that of the first in
// the order in which a caller would repair them.
func refusal(problems []status.Argument, fields []field) status.Failure {
	order := []status.Reason{
		status.MissingRequiredArgument, status.UnknownArgument, status.ArgumentCoercionFailed, status.EnumRequired, status.InvalidArgument,
	}
	has := func(r status.Reason) bool {
		return slices.ContainsFunc(problems, func(p status.Argument) bool { return p.Reason == r.Name() })
	}
	top := order[slices.IndexFunc(order, has)]
	f := status.Fail(top, status.Arguments.Is(problems))
	if has(status.UnknownArgument) {
		f = f.With(status.ValidValues.Is(namesOf(fields)))
	}
	return f
}

func namesOf(fields []field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// members takes an object apart. An argument that is given twice is refused,
// since readers disagree on which one counts.
func members(raw json.RawMessage) (map[string]json.RawMessage, *status.Argument) {
	out := map[string]json.RawMessage{}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return out, nil
	}
	whole := func(problem string) *status.Argument {
		return &status.Argument{Name: "arguments", Reason: status.InvalidArgument.Name(), Problem: problem}
	}
	if !utf8.Valid(raw) {
		return nil, whole("the arguments are not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, whole("the arguments must be one JSON object")
	}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil, whole("the arguments must be one JSON object")
		}
		if _, twice := out[name]; twice {
			return nil, &status.Argument{Name: name, Reason: status.InvalidArgument.Name(), Problem: "the argument is given twice"}
		}
		out[name] = value
	}
	if _, err := d.Token(); err != nil || d.More() {
		return nil, whole("the arguments must be one JSON object")
	}
	return out, nil
}

// set stores one argument; null and a blank text count as not given.
func (f field) set(target reflect.Value, value json.RawMessage, present bool) *status.Argument {
	blank := !present || string(value) == "null" || string(bytes.TrimSpace(value)) == `""`
	if blank {
		if f.need {
			return f.problem(status.MissingRequiredArgument, "the argument is required")
		}
		if f.preset == "" {
			return nil
		}
		value = json.RawMessage(strconv.Quote(f.preset))
	}
	switch f.kind {
	case text:
		return f.setText(target, value)
	case whole:
		return f.setWhole(target, value)
	case number:
		return f.setNumber(target, value)
	case truth:
		return f.setTruth(target, value)
	case texts:
		return f.setTexts(target, value)
	default:
		return f.setMoment(target, value)
	}
}

func (f field) problem(r status.Reason, format string, a ...any) *status.Argument {
	return &status.Argument{Name: f.name, Reason: r.Name(), Problem: fmt.Sprintf(format, a...), Allowed: f.enum}
}

func (f field) setText(target reflect.Value, value json.RawMessage) *status.Argument {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return f.problem(status.ArgumentCoercionFailed, "a text is wanted")
	}
	if f.loose {
		s = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
	}
	if p := f.checkText(s); p != nil {
		return p
	}
	target.SetString(strings.TrimSpace(s))
	return nil
}

func (f field) checkText(s string) *status.Argument {
	switch n := utf8.RuneCountInString(s); {
	case strings.TrimSpace(s) == "" && f.need:
		return f.problem(status.MissingRequiredArgument, "the argument is blank")
	case n > f.max:
		return f.problem(status.InvalidArgument, "at most %d characters; this has %d", f.max, n)
	case strings.ContainsRune(s, 0):
		return f.problem(status.InvalidArgument, "the text contains a NUL character")
	case f.enum != nil && !slices.Contains(f.enum, s):
		return f.problem(status.EnumRequired, "must be one of the listed values")
	default:
		return nil
	}
}

func (f field) setWhole(target reflect.Value, value json.RawMessage) *status.Argument {
	n, err := strconv.Atoi(strings.Trim(string(value), `"`))
	if err != nil {
		var x float64
		if json.Unmarshal(value, &x) != nil || x != float64(int(x)) {
			return f.problem(status.ArgumentCoercionFailed, "a whole number is wanted")
		}
		n = int(x)
	}
	if n < f.min || n > f.max {
		return f.problem(status.InvalidArgument, "must be from %d to %d", f.min, f.max)
	}
	target.SetInt(int64(n))
	return nil
}

func (f field) setNumber(target reflect.Value, value json.RawMessage) *status.Argument {
	x, err := strconv.ParseFloat(strings.Trim(string(value), `"`), 64)
	switch {
	case err != nil || math.IsNaN(x):
		return f.problem(status.ArgumentCoercionFailed, "a number is wanted")
	case x < float64(f.min) || x > float64(f.max):
		return f.problem(status.InvalidArgument, "must be from %d to %d", f.min, f.max)
	}
	target.SetFloat(x)
	return nil
}

func (f field) setTruth(target reflect.Value, value json.RawMessage) *status.Argument {
	switch strings.Trim(string(value), `"`) {
	case "true":
		target.SetBool(true)
	case "false":
		target.SetBool(false)
	default:
		return f.problem(status.ArgumentCoercionFailed, "true or false is wanted")
	}
	return nil
}

// setTexts also takes a single text for a list of one.
func (f field) setTexts(target reflect.Value, value json.RawMessage) *status.Argument {
	var list []string
	var single string
	if json.Unmarshal(value, &single) == nil {
		list = []string{single}
	} else if json.Unmarshal(value, &list) != nil {
		return f.problem(status.ArgumentCoercionFailed, "a list of texts is wanted")
	}
	if len(list) > 50 {
		return f.problem(status.InvalidArgument, "at most 50 values; these are %d", len(list))
	}
	for _, s := range list {
		if strings.TrimSpace(s) == "" {
			return f.problem(status.InvalidArgument, "a value of the list is blank")
		}
		if p := f.checkText(s); p != nil {
			return p
		}
	}
	target.Set(reflect.ValueOf(list))
	return nil
}

// setMoment takes a day (its start in UTC) or a time with its offset.
func (f field) setMoment(target reflect.Value, value json.RawMessage) *status.Argument {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return f.problem(status.ArgumentCoercionFailed, "a date is wanted, such as 2026-01-31 or 2026-01-31T15:04:05Z")
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			target.Set(reflect.ValueOf(t))
			return nil
		}
	}
	return f.problem(status.InvalidArgument, "a date is wanted, such as 2026-01-31 or 2026-01-31T15:04:05Z")
}
