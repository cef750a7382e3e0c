package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"strconv"

	"go.opentelemetry.io/otel/trace"

	"github.com/frank-mcp/frank/status"
)

// ids gives the span of a call the ids that its result shows, and every other
// span random ones.
type ids struct{}

// NewIDs implements the SDK's IDGenerator: a trace without a parent.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	traceID, err := trace.TraceIDFromHex(status.CallFrom(ctx).TraceID)
	if err != nil {
		binary.NativeEndian.PutUint64(traceID[:8], rand.Uint64())
		binary.NativeEndian.PutUint64(traceID[8:], rand.Uint64()|1) // all zero is none
	}
	return traceID, spanID(ctx)
}

// NewSpanID implements the SDK's IDGenerator: a span below a parent.
func (ids) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	return spanID(ctx)
}

// spanID: only a span whose parent is not ours is that of the call.
func spanID(ctx context.Context) trace.SpanID {
	if parent := trace.SpanContextFromContext(ctx); parent.IsRemote() || !parent.IsValid() {
		if id, err := trace.SpanIDFromHex(status.CallFrom(ctx).SpanID); err == nil {
			return id
		}
	}
	var id trace.SpanID
	binary.NativeEndian.PutUint64(id[:], rand.Uint64()|1)
	return id
}

// parentOf reads a valid traceparent; without one it is none.
func parentOf(traceparent string) trace.SpanContext {
	if len(traceparent) != 55 {
		return trace.SpanContext{}
	}
	traceID, err1 := trace.TraceIDFromHex(traceparent[3:35])
	spanID, err2 := trace.SpanIDFromHex(traceparent[36:52])
	if err1 != nil || err2 != nil {
		return trace.SpanContext{}
	}
	flags := trace.TraceFlags(0)
	if last, err := strconv.ParseUint(traceparent[53:], 16, 8); err == nil && last&1 == 1 {
		flags = trace.FlagsSampled
	}
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, TraceFlags: flags, Remote: true})
}
