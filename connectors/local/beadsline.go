package local

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// jsonLine is one object of a file of JSON lines, taken apart so that a change of
// one key leaves every other byte alone.
type jsonLine struct {
	members []member
	tail    string // from the end of the last value on
	escapes bool   // <, > and & are written as escapes
}

// member is one key with its value as they are written.
type member struct {
	lead  string // what stands before the key
	name  string
	key   string // the key with its colon
	value string
}

// openLine takes a line apart; false if it is no object.
func openLine(line string) (*jsonLine, bool) {
	d := json.NewDecoder(strings.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	out := &jsonLine{escapes: strings.Contains(line, `\u003c`) || strings.Contains(line, `\u003e`) || strings.Contains(line, `\u0026`)}
	at := 0
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, false
		}
		keyEnd := int(d.InputOffset())
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		end := int(d.InputOffset())
		start := keyStart(line, at, keyEnd)
		out.members = append(out.members, member{lead: line[at:start], name: name, key: line[start : end-len(value)], value: string(value)})
		at = end
	}
	out.tail = line[at:]
	return out, out.text() == line && strings.TrimSpace(out.tail) == "}"
}

// keyStart is where the key that ends there begins.
func keyStart(line string, from, end int) int {
	if i := strings.IndexByte(line[from:end], '"'); i >= 0 {
		return from + i
	}
	return from
}

func (j *jsonLine) text() string {
	var b strings.Builder
	for _, m := range j.members {
		b.WriteString(m.lead + m.key + m.value)
	}
	return b.String() + j.tail
}

// find is the place of a key, or -1. Of two of a name the last counts.
func (j *jsonLine) find(name string) int {
	for i, m := range slices.Backward(j.members) {
		if m.name == name {
			return i
		}
	}
	return -1
}

func (j *jsonLine) value(name string) string {
	if i := j.find(name); i >= 0 {
		return j.members[i].value
	}
	return ""
}

// beadKeys is the order in which beads writes the keys that are changed here.
func beadKeys() []string {
	return []string{"_type", "id", "title", "description", "design", "acceptance_criteria", "notes", "status", "priority", "issue_type",
		"assignee", "owner", "estimated_minutes", "created_at", "created_by", "updated_at", "closed_at", "close_reason", "labels", "dependencies", "comments"}
}

// set gives a key a value, and puts it where beads would if it is not there.
func (j *jsonLine) set(name, value string) {
	if i := j.find(name); i >= 0 {
		j.members[i].value = value
		return
	}
	order, at := beadKeys(), 0
	for _, before := range order[:max(slices.Index(order, name), 0)] {
		at = max(at, j.find(before)+1)
	}
	m := member{lead: ",", name: name, key: `"` + name + `":`, value: value}
	if len(j.members) > 0 { // in the spacing of the others
		some := j.members[len(j.members)-1]
		m.key += some.key[strings.LastIndexByte(some.key, ':')+1:]
		if len(j.members) > 1 {
			m.lead = some.lead
		}
	}
	if at == 0 {
		m.lead = "{"
		if len(j.members) > 0 {
			m.lead, j.members[0].lead = j.members[0].lead, ","
		}
	}
	j.members = slices.Insert(j.members, at, m)
}

// drop takes a key out.
func (j *jsonLine) drop(name string) {
	i := j.find(name)
	if i < 0 {
		return
	}
	if i == 0 && len(j.members) > 1 {
		j.members[1].lead = j.members[0].lead
	}
	j.members = slices.Delete(j.members, i, i+1)
}

// setText gives a key a text.
func (j *jsonLine) setText(name, text string) { j.set(name, j.quote(text)) }

// quote is a text in JSON, in the spelling of the line.
func (j *jsonLine) quote(text string) string { return jsonText(text, j.escapes) }

func jsonText(v any, escapes bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapes)
	if e.Encode(v) != nil {
		return "null" // unreachable: texts and structs of texts
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// items are the values of a list as they are written; false if it is none.
func (j *jsonLine) items(name string) ([]string, bool) {
	raw := j.value(name)
	if raw == "" || raw == "null" {
		return nil, true
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(raw), &list) != nil {
		return nil, false
	}
	var out []string
	for _, x := range list {
		out = append(out, string(x))
	}
	return out, true
}

// push adds a value to the end of a list and leaves the others as they are written.
func (j *jsonLine) push(name, value string) bool {
	items, ok := j.items(name)
	raw := strings.TrimSpace(j.value(name))
	switch {
	case !ok:
		return false
	case len(items) == 0:
		j.set(name, "["+value+"]")
	default:
		j.set(name, strings.TrimSuffix(raw, "]")+","+value+"]")
	}
	return true
}
