package tools

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// cursors is what an opaque cursor holds: for each source that is asked again, the
// cursor to ask it with. A source that failed, or whose items had no room, is asked
// again from where it was, so that going on neither forgets it nor begins anew. The
// zero value is no cursor.
type cursors struct {
	Version  int               `json:"v"`
	Question string            `json:"q"`
	Sources  map[string]string `json:"s"`
	// Passed is what sources have shown that others of their site may show again.
	Passed map[string]passed `json:"p,omitempty"`
}

// maxCursor bounds what is decoded, in bytes.
const maxCursor = 8 << 10

// encode makes the opaque cursor.
func (c cursors) encode() string {
	b, err := json.Marshal(c)
	if err != nil { // texts always encode
		panic("tools: cursor: " + err.Error())
	}
	opaque := base64.RawURLEncoding.EncodeToString(b)
	if len(opaque) > maxCursor && c.Passed != nil { // better something twice than no way on
		c.Passed = nil
		return c.encode()
	}
	return opaque
}

// decodeCursor returns the cursors of the same question.
func decodeCursor(opaque, question string) (cursors, *status.Failure) {
	if opaque == "" {
		return cursors{}, nil
	}
	var c cursors
	b, err := base64.RawURLEncoding.DecodeString(opaque)
	if len(opaque) > maxCursor || err != nil || json.Unmarshal(b, &c) != nil || c.Version != 1 || len(c.Sources) == 0 {
		return cursors{}, badCursor("not a cursor of this server; pass next_cursor unchanged or leave it out")
	}
	if c.Question != question {
		return cursors{}, badCursor("the cursor belongs to another question; repeat the arguments it came with, or leave it out")
	}
	return c, nil
}

func badCursor(problem string) *status.Failure {
	f := status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
		Name: "cursor", Reason: status.InvalidArgument.Name(), Problem: problem,
	}}))
	return &f
}

// among keeps the sources that are asked again; without a cursor, all. A cursor of
// which a source is gone cannot be followed: the walk would end as if that one had no more.
func (c cursors) among(sources []connectors.Source) ([]connectors.Source, *status.Failure) {
	if c.Sources == nil {
		return sources, nil
	}
	sources = slices.DeleteFunc(slices.Clone(sources), func(s connectors.Source) bool { _, ok := c.Sources[s.Name]; return !ok })
	if len(sources) < len(c.Sources) {
		return nil, badCursor("a source of it is no longer configured, or no longer has what is asked about; leave it out")
	}
	return sources, nil
}

// continued lists the sources that go on from where they were.
func (c cursors) continued() []string {
	var out []string
	for source, cursor := range c.Sources {
		if cursor != "" {
			out = append(out, source)
		}
	}
	return out
}

// onward is where each source is asked again, or nil if there is nothing to go on
// to: no source has more, and none that failed may have it later. Where all failed,
// the same call can be repeated as it is.
func onward(rows []status.Row, at cursors) map[string]string {
	next := map[string]string{}
	more, again, answered := false, false, false
	for _, r := range rows {
		former := at.Sources[r.Source]
		switch {
		case r.Held:
			next[r.Source], more = former, true
		case r.Status == status.AccessFailure && r.Source != "":
			next[r.Source] = former
			again = again || former != "" || slices.ContainsFunc(r.Failures, status.Failure.Retryable)
		case r.NextCursor != "":
			next[r.Source], more = r.NextCursor, true
		}
		answered = answered || r.Status != status.AccessFailure
	}
	if more || again && answered {
		return next
	}
	return nil
}

// nextCursor goes on in the parts of a named thing; empty if there are no more.
func nextCursor(rows []status.Row, question string) string {
	next := onward(rows, cursors{})
	if next == nil {
		return ""
	}
	return cursors{Version: 1, Question: question, Sources: next}.encode()
}

// nextCursor goes on with the next page, or is empty.
func (w *weaving[T]) nextCursor(rows []status.Row, question string) string {
	next := onward(rows, w.at)
	if next == nil {
		return ""
	}
	return cursors{Version: 1, Question: question, Sources: next, Passed: w.remember(next)}.encode()
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
