package tools

import (
	"reflect"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// maxWord bounds what a summary repeats of one argument, in characters.
const maxWord = 60

// phrase words the arguments that took effect, so that a summary never claims
// more than what was asked: "of acme/app matching “x” labelled bug". The word of
// an argument is its tag, with % for the value; what begins with "of" goes first.
func phrase(args any) string {
	v := reflect.ValueOf(args)
	var of, rest []string
	for _, f := range fieldsOf(v.Type()) {
		value := show(v.FieldByIndex(f.index))
		if f.word == "" || value == "" || value == f.preset || value == connectors.Everywhere {
			continue
		}
		part := strings.Replace(f.word, "%", status.Line(value, maxWord), 1)
		if strings.HasPrefix(part, "of ") {
			of = append(of, part)
		} else {
			rest = append(rest, part)
		}
	}
	return strings.Join(slices.Concat(of, rest), " ")
}
