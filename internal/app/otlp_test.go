package app_test

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// collector takes OTLP over HTTP and keeps what came.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	raw    []byte // every body, one after the other
	posts  int
	header http.Header // of the last request
	spans  []seenSpan
	series []seenSeries
	// answer, if set, answers instead of 200.
	answer http.HandlerFunc
}

type seenSpan struct {
	TraceID, SpanID, Parent, Name string
	Kind, Failed                  int
	Attributes                    map[string]string
	Events                        []string
	Start, End                    uint64
}

type seenSeries struct {
	Name, Unit string
	Points     []seenPoint
}

type seenPoint struct {
	Attributes map[string]string
	Value      uint64 // of a histogram: its count
	Sum        float64
	Buckets    int
}

func newCollector(t testing.TB) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		body = z
	}
	raw, _ := io.ReadAll(body)
	c.mu.Lock()
	c.raw, c.header = append(c.raw, raw...), r.Header
	c.posts++
	answer := c.answer
	c.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	asJSON := r.Header.Get("Content-Type") == "application/json"
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/v1/traces") && asJSON:
		c.spans = append(c.spans, jsonSpans(raw)...)
	case strings.HasSuffix(r.URL.Path, "/v1/traces"):
		c.spans = append(c.spans, protoSpans(raw)...)
	case strings.HasSuffix(r.URL.Path, "/v1/metrics") && asJSON:
		c.series = append(c.series, jsonSeries(raw)...)
	case strings.HasSuffix(r.URL.Path, "/v1/metrics"):
		c.series = append(c.series, protoSeries(raw)...)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// fields is a protobuf message by field number.
type fields map[protowire.Number][]field

type field struct {
	n uint64
	b []byte
}

func decodeProto(b []byte) fields {
	out := fields{}
	for len(b) > 0 {
		n, kind, used := protowire.ConsumeTag(b)
		if used < 0 {
			panic("no protobuf")
		}
		b = b[used:]
		var f field
		switch kind {
		case protowire.VarintType:
			f.n, used = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.n, used = protowire.ConsumeFixed64(b)
		case protowire.Fixed32Type:
			var v uint32
			v, used = protowire.ConsumeFixed32(b)
			f.n = uint64(v)
		case protowire.BytesType:
			f.b, used = protowire.ConsumeBytes(b)
		default:
			panic("no such type")
		}
		if used < 0 {
			panic("cut protobuf")
		}
		out[n], b = append(out[n], f), b[used:]
	}
	return out
}

func (f fields) text(n protowire.Number) string {
	if len(f[n]) == 0 {
		return ""
	}
	return string(f[n][0].b)
}

func (f fields) number(n protowire.Number) uint64 {
	if len(f[n]) == 0 {
		return 0
	}
	return f[n][0].n
}

func (f fields) attributes(n protowire.Number) map[string]string {
	out := map[string]string{}
	for _, a := range f[n] {
		pair := decodeProto(a.b)
		v := decodeProto([]byte(pair.text(2)))
		switch {
		case len(v[1]) > 0:
			out[pair.text(1)] = v.text(1)
		case len(v[2]) > 0:
			out[pair.text(1)] = strconv.FormatBool(v.number(2) == 1)
		default:
			out[pair.text(1)] = strconv.FormatInt(int64(v.number(3)), 10)
		}
	}
	return out
}

// below gives the innermost messages: resource, scope, then these.
func below(raw []byte) []fields {
	var out []fields
	for _, resource := range decodeProto(raw)[1] {
		for _, scope := range decodeProto(resource.b)[2] {
			for _, inner := range decodeProto(scope.b)[2] {
				out = append(out, decodeProto(inner.b))
			}
		}
	}
	return out
}

func protoSpans(raw []byte) []seenSpan {
	var out []seenSpan
	for _, s := range below(raw) {
		span := seenSpan{
			TraceID: hex.EncodeToString([]byte(s.text(1))), SpanID: hex.EncodeToString([]byte(s.text(2))), Parent: hex.EncodeToString([]byte(s.text(4))),
			Name: s.text(5), Kind: int(s.number(6)), Start: s.number(7), End: s.number(8), Attributes: s.attributes(9),
		}
		for _, e := range s[11] {
			span.Events = append(span.Events, decodeProto(e.b).text(2))
		}
		span.Failed = int(decodeProto([]byte(s.text(15))).number(3))
		out = append(out, span)
	}
	return out
}

func protoSeries(raw []byte) []seenSeries {
	var out []seenSeries
	for _, m := range below(raw) {
		s := seenSeries{Name: m.text(1), Unit: m.text(3)}
		for _, n := range []protowire.Number{5, 7} {
			for _, p := range decodeProto([]byte(m.text(n)))[1] {
				f := decodeProto(p.b)
				s.Points = append(s.Points, seenPoint{Attributes: f.attributes(7), Value: f.number(6)})
			}
		}
		for _, p := range decodeProto([]byte(m.text(9)))[1] {
			f := decodeProto(p.b)
			s.Points = append(s.Points, seenPoint{f.attributes(9), f.number(4), math.Float64frombits(f.number(5)), len(f.text(6)) / 8})
		}
		out = append(out, s)
	}
	return out
}

type jsonPair struct {
	Key   string
	Value struct {
		StringValue *string
		BoolValue   *bool
		IntValue    *string
	}
}

func jsonAttributes(ps []jsonPair) map[string]string {
	out := map[string]string{}
	for _, p := range ps {
		switch v := p.Value; {
		case v.StringValue != nil:
			out[p.Key] = *v.StringValue
		case v.BoolValue != nil:
			out[p.Key] = strconv.FormatBool(*v.BoolValue)
		case v.IntValue != nil:
			out[p.Key] = *v.IntValue
		}
	}
	return out
}

func jsonSpans(raw []byte) []seenSpan {
	var v struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name string
					Kind                                int
					Start                               string `json:"startTimeUnixNano"`
					End                                 string `json:"endTimeUnixNano"`
					Attributes                          []jsonPair
					Events                              []struct{ Name string }
					Status                              struct{ Code int }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	var out []seenSpan
	for _, s := range v.ResourceSpans[0].ScopeSpans[0].Spans {
		span := seenSpan{TraceID: s.TraceID, SpanID: s.SpanID, Parent: s.ParentSpanID, Name: s.Name, Kind: s.Kind, Failed: s.Status.Code, Attributes: jsonAttributes(s.Attributes)}
		span.Start, _ = strconv.ParseUint(s.Start, 10, 64)
		span.End, _ = strconv.ParseUint(s.End, 10, 64)
		for _, e := range s.Events {
			span.Events = append(span.Events, e.Name)
		}
		out = append(out, span)
	}
	return out
}

func jsonSeries(raw []byte) []seenSeries {
	type jsonPoint struct {
		Attributes   []jsonPair
		AsInt, Count string
		Sum          float64
		BucketCounts []string
	}
	type points struct{ DataPoints []jsonPoint }
	var v struct {
		ResourceMetrics []struct {
			ScopeMetrics []struct {
				Metrics []struct {
					Name, Unit            string
					Gauge, Sum, Histogram points
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	var out []seenSeries
	for _, m := range v.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		s := seenSeries{Name: m.Name, Unit: m.Unit}
		for _, ps := range []points{m.Gauge, m.Sum, m.Histogram} {
			for _, p := range ps.DataPoints {
				n, _ := strconv.ParseUint(p.AsInt+p.Count, 10, 64)
				s.Points = append(s.Points, seenPoint{jsonAttributes(p.Attributes), n, p.Sum, len(p.BucketCounts)})
			}
		}
		out = append(out, s)
	}
	return out
}

// holds reports whether the bytes that came hold a text, plainly or in base64.
func (c *collector) holds(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Contains(string(c.raw), text) || strings.Contains(string(c.raw), base64.StdEncoding.EncodeToString([]byte(text)))
}
