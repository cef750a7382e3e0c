package server

import (
	"bytes"
	"encoding/json"
	"sync"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frank-mcp/frank/status"
)

// common checks what frank's own tools answer: all share one schema, which is
// compiled once in a process however many servers there are.
var common = sync.OnceValue(func() *schema { return &schema{raw: status.OutputSchema()} })

// schemas holds each different output schema once: tools usually share one.
type schemas struct{ known []*schema }

// of returns the checker of a schema. It is compiled at the first check, not
// here: start-up must stay cheap.
func (s *schemas) of(raw json.RawMessage) *schema {
	if k := common(); bytes.Equal(k.raw, raw) {
		return k
	}
	for _, k := range s.known {
		if bytes.Equal(k.raw, raw) {
			return k
		}
	}
	k := &schema{raw: raw}
	s.known = append(s.known, k)
	return k
}

// schema checks structured replies.
type schema struct {
	raw      json.RawMessage
	once     sync.Once
	compiled *jsonschema.Schema
	// opaque names the properties of which the schema fixes only the type.
	opaque map[string]bool
}

// accepts reports whether raw is JSON that satisfies the schema. A schema that
// does not compile accepts nothing.
func (s *schema) accepts(raw json.RawMessage) bool {
	s.once.Do(s.compile)
	if s.compiled == nil {
		return false
	}
	if !json.Valid(raw) || !utf8.Valid(raw) {
		return false
	}
	instance := map[string]any{}
	ok := members(raw, func(name string, value json.RawMessage) bool {
		_, twice := instance[name]
		v, ok := s.instance(name, value)
		instance[name] = v
		return ok && !twice
	})
	return ok && s.compiled.Validate(instance) == nil
}

// members calls visit for each member of an object that is known to be valid
// JSON, until visit returns false. It is what is left of json.Unmarshal once
// nothing needs to be checked or copied any more.
func members(raw json.RawMessage, visit func(name string, value json.RawMessage) bool) bool {
	raw = bytes.TrimSpace(raw)
	if raw[0] != '{' {
		return false
	}
	for raw = bytes.TrimSpace(raw[1:]); raw[0] != '}'; {
		end := valueEnd(raw)
		var name string
		if json.Unmarshal(raw[:end], &name) != nil {
			return false
		}
		raw = bytes.TrimSpace(bytes.TrimSpace(raw[end:])[1:]) // the colon
		end = valueEnd(raw)
		if !visit(name, raw[:end]) {
			return false
		}
		if raw = bytes.TrimSpace(raw[end:]); raw[0] == ',' {
			raw = bytes.TrimSpace(raw[1:])
		}
	}
	return true
}

// valueEnd returns where the value at the start of raw ends.
func valueEnd(raw []byte) int {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = quoteEnd(raw, i)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 || i+1 < len(raw) && !bytes.ContainsRune([]byte(",}] \t\r\n:"), rune(raw[i+1])) {
				continue
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(raw)
}

// quoteEnd returns where the text that opens at i closes.
func quoteEnd(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// instance decodes a property. Where the schema looks no further than at the
// type, a container stands for itself empty: decoding a page of issues only
// to throw it away would cost more than the rest of the call.
func (s *schema) instance(name string, value json.RawMessage) (any, bool) {
	if s.opaque[name] && value[0] == '{' {
		return map[string]any{}, true
	}
	if s.opaque[name] && value[0] == '[' {
		return []any{}, true
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	return v, err == nil
}

func (s *schema) compile() {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.raw))
	if err != nil {
		return
	}
	const name = "output.json"
	c := jsonschema.NewCompiler()
	if c.AddResource(name, doc) != nil {
		return
	}
	if s.compiled, err = c.Compile(name); err != nil {
		s.compiled = nil
		return
	}
	s.opaque = opaque(s.raw)
}

// opaque lists the root properties that only their type constrains. With a
// keyword at the root that could look into them there are none.
func opaque(raw json.RawMessage) map[string]bool {
	var root map[string]json.RawMessage
	if json.Unmarshal(raw, &root) != nil {
		return nil
	}
	for keyword := range root {
		switch keyword {
		case "$schema", "$id", "type", "title", "description", "properties", "required", "additionalProperties":
		default:
			return nil
		}
	}
	var properties map[string]map[string]json.RawMessage
	if json.Unmarshal(root["properties"], &properties) != nil {
		return nil
	}
	found := map[string]bool{}
	for name, keywords := range properties {
		free := true
		for keyword := range keywords {
			free = free && (keyword == "type" || keyword == "title" || keyword == "description")
		}
		if free {
			found[name] = true
		}
	}
	return found
}
