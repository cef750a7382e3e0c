package tools

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
)

// schemaOf makes the JSON Schema of an argument struct from the same tags that
// bind reads, so that the two cannot differ. It is compact: hosts send it with
// every conversation.
func schemaOf[A any]() json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	fields := fieldsOf(reflect.TypeFor[A]())
	var required []string
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(f.name) + ":")
		f.describe(&b)
		if f.need && !f.late {
			required = append(required, f.name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":` + list(required))
	}
	b.WriteString(`,"additionalProperties":false}`)
	return b.Bytes()
}

func (f field) describe(b *bytes.Buffer) {
	types := [...]string{text: "string", whole: "integer", truth: "boolean", texts: "array", moment: "string", number: "number"}
	b.WriteString(`{"type":"` + types[f.kind] + `"`)
	switch {
	case f.kind == texts && f.enum != nil:
		b.WriteString(`,"items":{"type":"string","enum":` + list(f.enum) + `}`)
	case f.kind == texts:
		b.WriteString(`,"items":{"type":"string"}`)
	case f.enum != nil:
		b.WriteString(`,"enum":` + list(f.enum))
	case f.kind == whole || f.kind == number:
		b.WriteString(`,"minimum":` + strconv.Itoa(f.min) + `,"maximum":` + strconv.Itoa(f.max))
	}
	if f.preset != "" {
		preset := strconv.Quote(f.preset)
		if f.kind == whole || f.kind == truth || f.kind == number {
			preset = f.preset
		}
		b.WriteString(`,"default":` + preset)
	}
	if f.doc != "" {
		b.WriteString(`,"description":` + strconv.Quote(f.doc))
	}
	b.WriteByte('}')
}

func list(values []string) string {
	b, err := json.Marshal(values)
	if err != nil { // strings always encode
		panic("tools: schema: " + err.Error())
	}
	return string(b)
}
