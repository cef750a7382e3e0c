package telemetry

import (
	"encoding/binary"
	"math"
)

// The messages of otlp.go as protobuf. The numbers are the fields' in
// opentelemetry-proto 1; a field with its zero value is left out, as protobuf does.
//
// The library's own writer would read the program's file at every start (its
// package detrand hashes it); what is needed of the format is a dozen lines.

// message is a protobuf message under construction.
type message []byte

// The wire types of protobuf.
const (
	asVarint = 0
	as64     = 1
	asBytes  = 2
	as32     = 5
)

func (m *message) tag(n, wire uint64) { *m = binary.AppendUvarint(*m, n<<3|wire) }

// nested writes an inner message, an empty one too.
func (m *message) nested(n uint64, inner message) {
	m.tag(n, asBytes)
	*m = binary.AppendUvarint(*m, uint64(len(inner)))
	*m = append(*m, inner...)
}

func (m *message) bytes(n uint64, b []byte) {
	if len(b) > 0 {
		m.nested(n, b)
	}
}

func (m *message) text(n uint64, s string) {
	if s != "" {
		m.tag(n, asBytes)
		*m = binary.AppendUvarint(*m, uint64(len(s)))
		*m = append(*m, s...)
	}
}

func (m *message) varint(n, v uint64) {
	if v != 0 {
		m.tag(n, asVarint)
		*m = binary.AppendUvarint(*m, v)
	}
}

func (m *message) fixed64(n, v uint64) {
	m.tag(n, as64)
	*m = binary.LittleEndian.AppendUint64(*m, v)
}

func (m *message) fixed32(n uint64, v uint32) {
	m.tag(n, as32)
	*m = binary.LittleEndian.AppendUint32(*m, v)
}

func (m *message) double(n uint64, f float64) { m.fixed64(n, math.Float64bits(f)) }

func (m *message) pairs(n uint64, ps []pair) {
	for _, p := range ps {
		var x message
		x.text(1, p.Key)
		x.nested(2, p.Value.proto())
		m.nested(n, x)
	}
}

func bit(yes bool) byte {
	if yes {
		return 1
	}
	return 0
}

// proto writes the one field that is there, its zero value too.
func (v value) proto() (m message) {
	switch {
	case v.Text != nil:
		m.nested(1, message(*v.Text))
	case v.Bool != nil:
		m.tag(2, asVarint)
		m = append(m, bit(*v.Bool))
	case v.Int != nil:
		m.tag(3, asVarint)
		m = binary.AppendUvarint(m, uint64(*v.Int))
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
		x.varint(3, uint64(bit(s.Sum.Monotonic)))
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
		counts = binary.LittleEndian.AppendUint64(counts, uint64(n))
	}
	for _, f := range d.Bounds {
		bounds = binary.LittleEndian.AppendUint64(bounds, math.Float64bits(f))
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
