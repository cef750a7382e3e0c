package status

import (
	"encoding/json"
	"strings"
)

// OutputSchema is the JSON Schema of the structured channel of every tool: flat,
// without references, the two enums closed. It is short on purpose, since hosts
// carry it once for each tool: of a failure it names what a caller branches on.
func OutputSchema() json.RawMessage {
	var statuses, codes []string
	for _, s := range statusTable {
		statuses = append(statuses, s.Name)
	}
	for _, c := range codeTable {
		codes = append(codes, c.Name)
	}
	type object = orderedObject
	text := object{{"type", "string"}}
	anything := object{{"type", "object"}}
	schema := object{
		{"type", "object"},
		{"properties", object{
			{"status", object{{"type", "string"}, {"enum", statuses}, {"description", "what may be concluded"}}},
			{"code", object{{"type", "string"}, {"enum", codes}, {"description", "whose move it is"}}},
			{"summary", text},
			{"failure", object{
				{"type", "object"},
				{"properties", object{
					{"stage", text}, {"reason", text}, {"severity", text}, {"api_called", text},
					{"retryable", object{{"type", "boolean"}}}, {"retry_after_seconds", object{{"type", "integer"}}},
				}},
				{"required", []string{"stage", "reason", "severity", "api_called", "retryable"}},
			}},
			{"data", anything},
			{"coverage", anything},
			{"trace", anything},
		}},
		{"required", []string{"status", "code", "summary"}},
	}
	b, err := encode(schema)
	if err != nil { // every value above is a string, a list or an object
		panic("status: output schema: " + err.Error())
	}
	return b
}

// orderedObject encodes an object in the order in which it is written.
type orderedObject []struct {
	key   string
	value any
}

// MarshalJSON encodes the members in order.
func (o orderedObject) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := encode(m.key)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}
