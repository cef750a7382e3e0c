package telemetry

import (
	"context"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// mostHeld bounds what waits for the end of a call.
const mostHeld = 64

// gathering passes the spans of a call on when the call has ended: the batch
// processor wakes its goroutine for each span that it gets while idle, and that
// costs the call as much as the spans themselves.
type gathering struct {
	sdktrace.SpanProcessor
	mu   sync.Mutex
	held []sdktrace.ReadOnlySpan
}

// OnEnd implements the SDK's SpanProcessor.
func (g *gathering) OnEnd(s sdktrace.ReadOnlySpan) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = append(g.held, s)
	if s.SpanKind() == trace.SpanKindServer || len(g.held) >= mostHeld {
		g.pass()
	}
}

func (g *gathering) pass() {
	for _, s := range g.held {
		g.SpanProcessor.OnEnd(s)
	}
	clear(g.held)
	g.held = g.held[:0]
}

// Shutdown implements the SDK's SpanProcessor.
func (g *gathering) Shutdown(ctx context.Context) error {
	g.mu.Lock()
	g.pass()
	g.mu.Unlock()
	return g.SpanProcessor.Shutdown(ctx)
}

// ForceFlush implements the SDK's SpanProcessor.
func (g *gathering) ForceFlush(ctx context.Context) error {
	g.mu.Lock()
	g.pass()
	g.mu.Unlock()
	return g.SpanProcessor.ForceFlush(ctx)
}
