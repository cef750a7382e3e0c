package server

import (
	"context"

	"github.com/frank-mcp/frank/status"
)

// watch lets the watcher of the dependencies, if there is one, see the call.
// Whoever answers the call ends that: the call itself, or the fallback where it
// panics or hangs, so that what is seen is what the client got.
func (h *Handler) watch(ctx context.Context, c Call) context.Context {
	if h.Deps.Watcher == nil {
		return ctx
	}
	status.CallFrom(ctx).Watcher = h.Deps.Watcher
	ctx, end := status.Begin(ctx, status.Work{Kind: status.CallWork, Tool: c.Tool, Transport: c.Transport})
	h.watched.Store(c.CallID, end)
	return ctx
}

// unwatch ends the watching with that answer, once.
func (h *Handler) unwatch(c Call, e status.Envelope) {
	if h.Deps.Watcher == nil {
		return
	}
	if end, ok := h.watched.LoadAndDelete(c.CallID); ok {
		if end, ok := end.(func(status.Ending)); ok {
			end(status.EndingOf(e))
		}
	}
}
