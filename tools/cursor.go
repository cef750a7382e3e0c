package tools

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/status"
)

// cursors is what an opaque cursor holds: for each source that is asked again,
// its own cursor. A source that failed is asked again from its start, so that
// going on never forgets it.
type cursors struct {
	Version  int               `json:"v"`
	Question string            `json:"q"`
	Sources  map[string]string `json:"s"`
}

// maxCursor bounds what is decoded, in bytes.
const maxCursor = 8 << 10

// encode makes the opaque cursor, or the empty text if no source has more.
func (c cursors) encode() string {
	b, err := json.Marshal(c)
	if err != nil { // texts always encode
		panic("tools: cursor: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// decodeCursor returns the cursors of the same question, or nil without one.
func decodeCursor(opaque, question string) (map[string]string, *status.Failure) {
	if opaque == "" {
		return nil, nil
	}
	refuse := func(problem string) (map[string]string, *status.Failure) {
		f := status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
			Name: "cursor", Reason: status.InvalidArgument.Name(), Problem: problem,
		}}))
		return nil, &f
	}
	var c cursors
	b, err := base64.RawURLEncoding.DecodeString(opaque)
	if len(opaque) > maxCursor || err != nil || json.Unmarshal(b, &c) != nil || c.Version != 1 || len(c.Sources) == 0 {
		return refuse("not a cursor of this server; pass next_cursor unchanged or leave it out")
	}
	if c.Question != question {
		return refuse("the cursor belongs to another question; repeat the arguments it came with, or leave it out")
	}
	return c.Sources, nil
}

// nextCursor builds the cursor that goes on from these rows, or the empty text.
func nextCursor(rows []status.Row, question string) string {
	c := cursors{Version: 1, Question: question, Sources: map[string]string{}}
	more := false
	for _, r := range rows {
		switch {
		case r.NextCursor != "":
			c.Sources[r.Source], more = r.NextCursor, true
		case r.Status == status.AccessFailure && r.Source != "":
			c.Sources[r.Source] = ""
		}
	}
	if !more {
		return ""
	}
	return c.encode()
}

// echo lists the arguments as they took effect, defaults included, without those
// that only say which part of the answer is wanted.
func echo(args any) []status.FilterEcho {
	v := reflect.ValueOf(args)
	var out []status.FilterEcho
	for _, f := range fieldsOf(v.Type()) {
		if f.name == "cursor" || f.name == "limit" || f.name == "source" {
			continue
		}
		if s := show(v.FieldByIndex(f.index)); s != "" {
			out = append(out, status.FilterEcho{Name: f.name, Value: s})
		}
	}
	return out
}

func show(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case string:
		return x
	case []string:
		return strings.Join(x, ", ")
	case bool:
		if x {
			return "true"
		}
	case int:
		if x != 0 {
			return strconv.Itoa(x)
		}
	case time.Time:
		if !x.IsZero() {
			return x.UTC().Format(time.RFC3339)
		}
	}
	return ""
}

// identify is a short hash of the question, so that a cursor cannot be used with
// another one.
func identify(tool string, filters []status.FilterEcho) string {
	h := sha256.New()
	h.Write([]byte(tool))
	for _, f := range filters {
		h.Write([]byte("\x00" + f.Name + "\x00" + f.Value))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
