package telemetry

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// The messages of OTLP 1 as far as frank fills them. The keys are those of its
// JSON mapping, where ids are hex and 64 bits a text; proto.go writes the same
// messages as protobuf.

type traceRequest struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resourceInfo `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
	SchemaURL  string       `json:"schemaUrl,omitempty"`
}

type resourceInfo struct {
	Attributes []pair `json:"attributes"`
}

type scopeSpans struct {
	Scope scopeInfo `json:"scope"`
	Spans []span    `json:"spans"`
}

type scopeInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type span struct {
	TraceID           hexBytes    `json:"traceId"`
	SpanID            hexBytes    `json:"spanId"`
	TraceState        string      `json:"traceState,omitempty"`
	ParentSpanID      hexBytes    `json:"parentSpanId,omitempty"`
	Name              string      `json:"name"`
	Kind              int         `json:"kind"`
	Start             wide        `json:"startTimeUnixNano"`
	End               wide        `json:"endTimeUnixNano"`
	Attributes        []pair      `json:"attributes"`
	DroppedAttributes int         `json:"droppedAttributesCount,omitempty"`
	Events            []spanEvent `json:"events,omitempty"`
	DroppedEvents     int         `json:"droppedEventsCount,omitempty"`
	Status            spanStatus  `json:"status"`
	Flags             uint32      `json:"flags"`
}

type spanEvent struct {
	Time       wide   `json:"timeUnixNano"`
	Name       string `json:"name"`
	Attributes []pair `json:"attributes"`
}

type spanStatus struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code,omitempty"`
}

type pair struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value has one of its fields.
type value struct {
	Text   *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *signed  `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
}

type metricsRequest struct {
	ResourceMetrics []resourceMetrics `json:"resourceMetrics"`
}

type resourceMetrics struct {
	Resource     resourceInfo   `json:"resource"`
	ScopeMetrics []scopeMetrics `json:"scopeMetrics"`
	SchemaURL    string         `json:"schemaUrl,omitempty"`
}

type scopeMetrics struct {
	Scope   scopeInfo `json:"scope"`
	Metrics []series  `json:"metrics"`
}

// series has one of its last three fields.
type series struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Unit        string     `json:"unit,omitempty"`
	Gauge       *gauge     `json:"gauge,omitempty"`
	Sum         *sum       `json:"sum,omitempty"`
	Histogram   *histogram `json:"histogram,omitempty"`
}

type gauge struct {
	Points []point `json:"dataPoints"`
}

type sum struct {
	Points      []point `json:"dataPoints"`
	Temporality int     `json:"aggregationTemporality"`
	Monotonic   bool    `json:"isMonotonic,omitempty"`
}

type histogram struct {
	Points      []distribution `json:"dataPoints"`
	Temporality int            `json:"aggregationTemporality"`
}

type point struct {
	Attributes []pair `json:"attributes"`
	Start      wide   `json:"startTimeUnixNano,omitempty"`
	Time       wide   `json:"timeUnixNano"`
	Int        signed `json:"asInt"`
}

type distribution struct {
	Attributes []pair    `json:"attributes"`
	Start      wide      `json:"startTimeUnixNano"`
	Time       wide      `json:"timeUnixNano"`
	Count      wide      `json:"count"`
	Sum        float64   `json:"sum"`
	Buckets    []wide    `json:"bucketCounts"`
	Bounds     []float64 `json:"explicitBounds"`
	Min        *float64  `json:"min,omitempty"`
	Max        *float64  `json:"max,omitempty"`
}

type hexBytes []byte

// MarshalJSON writes hex, not base64: the mapping says so.
func (b hexBytes) MarshalJSON() ([]byte, error) { return json.Marshal(hex.EncodeToString(b)) }

type wide uint64

// MarshalJSON writes a text, since numbers of JSON lose digits.
func (n wide) MarshalJSON() ([]byte, error) { return quoted(strconv.FormatUint(uint64(n), 10)), nil }

type signed int64

// MarshalJSON writes a text, since numbers of JSON lose digits.
func (n signed) MarshalJSON() ([]byte, error) { return quoted(strconv.FormatInt(int64(n), 10)), nil }

func quoted(digits string) []byte { return []byte(`"` + digits + `"`) }

func nano(t time.Time) wide {
	if t.IsZero() {
		return 0
	}
	return wide(t.UnixNano())
}

// tracesOf is the request for these spans, all of one resource and scope.
func tracesOf(spans []sdktrace.ReadOnlySpan) traceRequest {
	out := make([]span, 0, len(spans))
	for _, s := range spans {
		out = append(out, spanOf(s))
	}
	if len(spans) == 0 {
		return traceRequest{}
	}
	who, url := whoOf(spans[0].Resource())
	return traceRequest{[]resourceSpans{{who, []scopeSpans{{scopeOf(spans[0].InstrumentationScope()), out}}, url}}}
}

func spanOf(s sdktrace.ReadOnlySpan) span {
	sc, parent := s.SpanContext(), s.Parent()
	traceID, spanID := sc.TraceID(), sc.SpanID()
	out := span{
		TraceID: traceID[:], SpanID: spanID[:], TraceState: sc.TraceState().String(), Name: s.Name(), Kind: int(s.SpanKind()), // numbered alike
		Start: nano(s.StartTime()), End: nano(s.EndTime()), Attributes: pairsOf(s.Attributes()), DroppedAttributes: s.DroppedAttributes(),
		DroppedEvents: s.DroppedEvents(), Status: statusOf(s.Status()), Flags: uint32(sc.TraceFlags()) | 0x100, // the next bit is known:
	}
	if parent.IsRemote() {
		out.Flags |= 0x200
	}
	if id := parent.SpanID(); id.IsValid() {
		out.ParentSpanID = id[:]
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, spanEvent{nano(e.Time), e.Name, pairsOf(e.Attributes)})
	}
	return out
}

// statusOf: the SDK numbers them otherwise.
func statusOf(s sdktrace.Status) spanStatus {
	switch s.Code {
	case codes.Error:
		return spanStatus{s.Description, 2}
	case codes.Ok:
		return spanStatus{"", 1}
	default:
		return spanStatus{}
	}
}

func whoOf(r *resource.Resource) (resourceInfo, string) {
	return resourceInfo{pairsOf(r.Attributes())}, r.SchemaURL()
}

func scopeOf(s instrumentation.Scope) scopeInfo { return scopeInfo{s.Name, s.Version} }

func pairsOf(attrs []attribute.KeyValue) []pair {
	out := make([]pair, 0, len(attrs))
	for _, a := range attrs {
		out = append(out, pair{string(a.Key), valueOf(a.Value)})
	}
	return out
}

// valueOf: frank sets no lists; those of the resource are written as text.
func valueOf(v attribute.Value) value {
	switch v.Type() {
	case attribute.BOOL:
		b := v.AsBool()
		return value{Bool: &b}
	case attribute.INT64:
		n := signed(v.AsInt64())
		return value{Int: &n}
	case attribute.FLOAT64:
		f := v.AsFloat64()
		return value{Double: &f}
	default:
		s := v.String()
		return value{Text: &s}
	}
}

// metricsOf is the request for these metrics.
func metricsOf(rm *metricdata.ResourceMetrics) metricsRequest {
	who, url := whoOf(rm.Resource)
	out := resourceMetrics{Resource: who, SchemaURL: url}
	for _, sm := range rm.ScopeMetrics {
		scope := scopeMetrics{Scope: scopeOf(sm.Scope)}
		for _, m := range sm.Metrics {
			scope.Metrics = append(scope.Metrics, seriesOf(m))
		}
		out.ScopeMetrics = append(out.ScopeMetrics, scope)
	}
	return metricsRequest{[]resourceMetrics{out}}
}

// seriesOf knows the kinds that frank's instruments have.
func seriesOf(m metricdata.Metrics) series {
	out := series{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch d := m.Data.(type) {
	case metricdata.Gauge[int64]:
		out.Gauge = &gauge{pointsOf(d.DataPoints)}
	case metricdata.Sum[int64]:
		out.Sum = &sum{pointsOf(d.DataPoints), temporalityOf(d.Temporality), d.IsMonotonic}
	case metricdata.Histogram[float64]:
		h := &histogram{Temporality: temporalityOf(d.Temporality)}
		for _, p := range d.DataPoints {
			h.Points = append(h.Points, distributionOf(p))
		}
		out.Histogram = h
	}
	return out
}

func pointsOf(ps []metricdata.DataPoint[int64]) []point {
	out := make([]point, 0, len(ps))
	for _, p := range ps {
		out = append(out, point{pairsOf(p.Attributes.ToSlice()), nano(p.StartTime), nano(p.Time), signed(p.Value)})
	}
	return out
}

func distributionOf(p metricdata.HistogramDataPoint[float64]) distribution {
	d := distribution{Attributes: pairsOf(p.Attributes.ToSlice()), Start: nano(p.StartTime), Time: nano(p.Time), Count: wide(p.Count), Sum: p.Sum, Bounds: p.Bounds}
	for _, n := range p.BucketCounts {
		d.Buckets = append(d.Buckets, wide(n))
	}
	if v, ok := p.Min.Value(); ok {
		d.Min = &v
	}
	if v, ok := p.Max.Value(); ok {
		d.Max = &v
	}
	return d
}

func temporalityOf(t metricdata.Temporality) int {
	if t == metricdata.DeltaTemporality {
		return 1
	}
	return 2
}
