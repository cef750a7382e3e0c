package upstream

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frank-mcp/frank/status"
)

// member is one key of the outermost object of an answer, folded as
// encoding/json compares keys, with the bytes from its value on.
type member struct {
	key   string
	value []byte
}

// maxMembers bounds what is kept of one object, apart from the keys that matter
// here; no answer has as many that a reader decodes by name.
const maxMembers = 1000

// matters reports whether the key alone can change what an answer means.
func (m member) matters() bool {
	switch m.key {
	case "errors", "error", "ok", "message", "documentation_url":
		return true
	}
	return isMarker(m.key)
}

// withMember adds the string from start to end as a key, if a colon follows it.
// Between the braces of an object nothing else does.
func withMember(ms []member, b []byte, start, end int) []member {
	rest := bytes.TrimLeft(b[end+1:], " \t\r\n")
	if len(rest) == 0 || rest[0] != ':' {
		return ms
	}
	raw := b[start:end]
	key := string(raw)
	if bytes.IndexByte(raw, '\\') >= 0 && json.Unmarshal(b[start-1:end+1], &key) != nil {
		return ms
	}
	m := member{fold(key), bytes.TrimLeft(rest[1:], " \t\r\n")}
	if len(ms) >= maxMembers && !m.matters() {
		return ms
	}
	return append(ms, m)
}

// fold maps keys that encoding/json takes for the same field to one spelling.
func fold(key string) string {
	for i := range len(key) {
		if key[i] >= utf8.RuneSelf {
			return strings.Map(foldRune, key)
		}
	}
	return strings.ToLower(key)
}

// foldRune is the smallest rune that r equals by simple folding, in lower case if it is ASCII.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}

// says reports whether a value says something: it is not null, false, zero, or
// an empty text, list or object.
func (m member) says() bool {
	v := m.value
	if len(v) == 0 {
		return false
	}
	inner := bytes.TrimLeft(v[1:], " \t\r\n")
	closed := func(end byte) bool { return len(inner) > 0 && inner[0] == end }
	switch v[0] {
	case 'n', 'f':
		return false
	case '"':
		return len(v) > 1 && v[1] != '"'
	case '[':
		return !closed(']')
	case '{':
		return !closed('}')
	case '0':
		return len(v) > 1 && strings.IndexByte(",} \t\r\n", v[1]) < 0
	}
	return true
}

func (m member) isFalse() bool { return bytes.HasPrefix(m.value, []byte("false")) }

// inBand looks among the keys of an answer for what takes back its status: an
// error report (check 3 of the contract), or a key that is there twice, of which
// a decoder silently takes the last.
func inBand(ms []member) *status.Failure {
	seen := make(map[string]bool, len(ms))
	envelope := 0
	for _, m := range ms {
		if seen[m.key] {
			return failed(status.Contradictory, status.Marker.Is("a key of the answer is there twice"))
		}
		seen[m.key] = true
		switch {
		case (m.key == "errors" || m.key == "error") && m.says(), m.key == "ok" && m.isFalse():
			return failed(status.GraphQLError, status.Marker.Is(m.key))
		case (m.key == "message" || m.key == "documentation_url") && m.says():
			envelope++
		}
	}
	if envelope == 2 { // how GitHub words every error
		return failed(status.GraphQLError, status.Marker.Is("message"))
	}
	return nil
}

// markersOf names the keys by which an answer says that it is not all there is;
// what they mean is the connector's to know.
func markersOf(ms []member) []string {
	var found []string
	for _, m := range ms {
		if isMarker(m.key) && m.says() {
			found = append(found, m.key)
		}
	}
	slices.Sort(found)
	return found
}

// isMarker knows the spellings of the providers, without case.
func isMarker(key string) bool {
	switch key {
	case "truncated", "warning", "warnings", "warningmessages", "timed_out", "timedout", "request_status", "partial", "has_errors":
		return true
	}
	return strings.HasPrefix(key, "incomplete") || strings.HasPrefix(key, "is_incomplete")
}
