package server

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas holds each different output schema once: tools usually share one.
type schemas struct{ known []*schema }

// of returns the checker of a schema. It is compiled at the first check, not
// here: start-up must stay cheap.
func (s *schemas) of(raw json.RawMessage) *schema {
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
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil || top == nil {
		return false
	}
	instance := make(map[string]any, len(top))
	for name, value := range top {
		v, ok := s.instance(name, value)
		if !ok {
			return false
		}
		instance[name] = v
	}
	return s.compiled.Validate(instance) == nil
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
