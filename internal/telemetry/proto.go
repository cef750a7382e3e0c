package telemetry

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The messages of otlp.go as protobuf. The numbers are the fields' in
// opentelemetry-proto 1; a field with its zero value is left out, as protobuf does.

// message is a protobuf message under construction.
type message []byte

func (m *message) text(n protowire.Number, s string) {
	if s != "" {
		*m = protowire.AppendString(protowire.AppendTag(*m, n, protowire.BytesType), s)
	}
}

func (m *message) bytes(n protowire.Number, b []byte) {
	if len(b) > 0 {
		*m = protowire.AppendBytes(protowire.AppendTag(*m, n, protowire.BytesType), b)
	}
}

// nested writes an inner message, an empty one too.
func (m *message) nested(n protowire.Number, inner message) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, n, protowire.BytesType), inner)
}

func (m *message) varint(n protowire.Number, v uint64) {
	if v != 0 {
		*m = protowire.AppendVarint(protowire.AppendTag(*m, n, protowire.VarintType), v)
	}
}

func (m *message) fixed64(n protowire.Number, v uint64) {
	*m = protowire.AppendFixed64(protowire.AppendTag(*m, n, protowire.Fixed64Type), v)
}

func (m *message) fixed32(n protowire.Number, v uint32) {
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, n, protowire.Fixed32Type), v)
}

func (m *message) double(n protowire.Number, f float64) { m.fixed64(n, math.Float64bits(f)) }

func (m *message) pairs(n protowire.Number, ps []pair) {
	for _, p := range ps {
		var x message
		x.text(1, p.Key)
		x.nested(2, p.Value.proto())
		m.nested(n, x)
	}
}

// proto writes the one field that is there, its zero value too.
func (v value) proto() (m message) {
	switch {
	case v.Text != nil:
		m.nested(1, message(*v.Text))
	case v.Bool != nil:
		m = protowire.AppendVarint(protowire.AppendTag(m, 2, protowire.VarintType), protowire.EncodeBool(*v.Bool))
	case v.Int != nil:
		m = protowire.AppendVarint(protowire.AppendTag(m, 3, protowire.VarintType), uint64(*v.Int))
	case v.Double != nil:
		m.double(4, *v.Double)
	}
	return m
}

func (r traceRequest) proto() (m message) {
	for _, rs := range r.ResourceSpans {
		var x message
		x.nested(1, rs.Resource.proto())
		for _, ss := range rs.ScopeSpans {
			var y message
			y.nested(1, ss.Scope.proto())
			for _, s := range ss.Spans {
				y.nested(2, s.proto())
			}
			x.nested(2, y)
		}
		x.text(3, rs.SchemaURL)
		m.nested(1, x)
	}
	return m
}

func (r resourceInfo) proto() (m message) {
	m.pairs(1, r.Attributes)
	return m
}

func (s scopeInfo) proto() (m message) {
	m.text(1, s.Name)
	m.text(2, s.Version)
	return m
}

func (s span) proto() (m message) {
	m.bytes(1, s.TraceID)
	m.bytes(2, s.SpanID)
	m.text(3, s.TraceState)
	m.bytes(4, s.ParentSpanID)
	m.text(5, s.Name)
	m.varint(6, uint64(s.Kind))
	m.fixed64(7, uint64(s.Start))
	m.fixed64(8, uint64(s.End))
	m.pairs(9, s.Attributes)
	m.varint(10, uint64(s.DroppedAttributes))
	for _, e := range s.Events {
		var x message
		x.fixed64(1, uint64(e.Time))
		x.text(2, e.Name)
		x.pairs(3, e.Attributes)
		m.nested(11, x)
	}
	m.varint(12, uint64(s.DroppedEvents))
	var st message
	st.text(2, s.Status.Message)
	st.varint(3, uint64(s.Status.Code))
	m.nested(15, st)
	m.fixed32(16, s.Flags)
	return m
}

func (r metricsRequest) proto() (m message) {
	for _, rm := range r.ResourceMetrics {
		var x message
		x.nested(1, rm.Resource.proto())
		for _, sm := range rm.ScopeMetrics {
			var y message
			y.nested(1, sm.Scope.proto())
			for _, s := range sm.Metrics {
				y.nested(2, s.proto())
			}
			x.nested(2, y)
		}
		x.text(3, rm.SchemaURL)
		m.nested(1, x)
	}
	return m
}

func (s series) proto() (m message) {
	m.text(1, s.Name)
	m.text(2, s.Description)
	m.text(3, s.Unit)
	switch {
	case s.Gauge != nil:
		var x message
		x.points(s.Gauge.Points)
		m.nested(5, x)
	case s.Sum != nil:
		var x message
		x.points(s.Sum.Points)
		x.varint(2, uint64(s.Sum.Temporality))
		x.varint(3, protowire.EncodeBool(s.Sum.Monotonic))
		m.nested(7, x)
	case s.Histogram != nil:
		var x message
		for _, p := range s.Histogram.Points {
			x.nested(1, p.proto())
		}
		x.varint(2, uint64(s.Histogram.Temporality))
		m.nested(9, x)
	}
	return m
}

func (m *message) points(ps []point) {
	for _, p := range ps {
		var x message
		x.fixed64(2, uint64(p.Start))
		x.fixed64(3, uint64(p.Time))
		x.fixed64(6, uint64(p.Int))
		x.pairs(7, p.Attributes)
		m.nested(1, x)
	}
}

func (d distribution) proto() (m message) {
	m.fixed64(2, uint64(d.Start))
	m.fixed64(3, uint64(d.Time))
	m.fixed64(4, uint64(d.Count))
	m.double(5, d.Sum)
	var counts, bounds []byte
	for _, n := range d.Buckets {
		counts = protowire.AppendFixed64(counts, uint64(n))
	}
	for _, f := range d.Bounds {
		bounds = protowire.AppendFixed64(bounds, math.Float64bits(f))
	}
	m.bytes(6, counts)
	m.bytes(7, bounds)
	m.pairs(9, d.Attributes)
	if d.Min != nil {
		m.double(11, *d.Min)
	}
	if d.Max != nil {
		m.double(12, *d.Max)
	}
	return m
}
