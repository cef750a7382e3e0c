package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/frank-mcp/frank/status"
)

// Wire is a struct that an answer, or a row of one, is decoded into. Missing names a
// key that each of its kind has and this one has not, or has empty; nothing if all
// are there. Go decodes an absent key to the same as an empty one, so that without
// the question an answer of another kind reads as "nothing there". HT-13.
type Wire interface{ Missing() string }

// One decodes the object that came back, as [Client.Send] or a check after it left
// it. The exchange is passed on as it is.
func One[T Wire](x *Exchange, f *status.Failure) (T, *Exchange, *status.Failure) {
	var v T
	if f != nil {
		return v, x, f
	}
	if f = x.Object(&v); f != nil {
		return v, x, f
	}
	if key := v.Missing(); key != "" {
		return v, x, x.Misshapen(key)
	}
	return v, x, nil
}

// Many decodes the array that came back. Null, an object or an absent body is a
// failure, and so is a row that lacks a key.
func Many[T Wire](x *Exchange, f *status.Failure) ([]T, *Exchange, *status.Failure) {
	if f != nil {
		return nil, x, f
	}
	var rows []T
	if f = x.Array(&rows); f != nil {
		return nil, x, f
	}
	if key := MissingIn("", rows); key != "" {
		return nil, x, x.Misshapen(key)
	}
	return rows, x, nil
}

// MissingIn names a key that a row of a listing lacks, and which row: results[3].title
// where the listing is called results.
func MissingIn[T Wire](listing string, rows []T) string {
	for i := range rows {
		if key := rows[i].Missing(); key != "" {
			return listing + "[" + strconv.Itoa(i) + "]." + key
		}
	}
	return ""
}

// Absent is the key if it is absent, else nothing.
func Absent(key string, absent bool) string {
	if absent {
		return key
	}
	return ""
}

// Object reads the whole body as one JSON object into v.
func (x *Exchange) Object(v any) *status.Failure { return x.decode('{', "object", v) }

// Array reads the whole body as one JSON array into v.
func (x *Exchange) Array(v any) *status.Failure { return x.decode('[', "array", v) }

// decode reads the whole body as one JSON value that opens as it must. HT-13.
func (x *Exchange) decode(opens byte, kind string, v any) *status.Failure {
	body := bytes.TrimLeft(x.Body, " \t\r\n")
	if len(body) == 0 || body[0] != opens {
		return x.Misshapen(kind)
	}
	err := json.Unmarshal(body, v)
	if err == nil {
		x.Decoded = true
		return nil
	}
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return x.Misshapen(wrong.Field)
	case !errors.As(err, &syntax): // a time that is none, and the like
		return x.Misshapen("a readable value")
	}
	return x.Fail(status.TruncatedBody, status.SizeBytes.Is(int64(len(x.Body))))
}

// Fail is a failure that the answer shows.
func (x *Exchange) Fail(r status.Reason, opts ...status.Option) *status.Failure {
	f := status.Fail(r, append([]status.Option{status.WasCalled, status.HTTPStatus.Is(x.Status)}, opts...)...)
	return &f
}

// Misshapen is the failure of an answer that lacks a key, or has something else there.
func (x *Exchange) Misshapen(key string) *status.Failure {
	return x.Fail(status.ShapeError, status.MissingKey.Is(key))
}

// Contradicts is the failure of an answer that cannot be true; how says what in it.
func (x *Exchange) Contradicts(how string) *status.Failure {
	return x.Fail(status.Contradictory, status.Marker.Is(how))
}
