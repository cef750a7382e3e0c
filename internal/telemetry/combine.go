package telemetry

import (
	"context"

	"github.com/frank-mcp/frank/status"
)

// several watchers are told one after the other.
type several []status.Watcher

func combine(ws []status.Watcher) status.Watcher {
	if len(ws) == 1 {
		return ws[0]
	}
	return several(ws)
}

// Begin implements status.Watcher.
func (ws several) Begin(ctx context.Context, w status.Work) context.Context {
	for _, each := range ws {
		ctx = each.Begin(ctx, w)
	}
	return ctx
}

// End implements status.Watcher.
func (ws several) End(ctx context.Context, w status.Work, e status.Ending) {
	for _, each := range ws {
		each.End(ctx, w, e)
	}
}

// Retrying implements status.Watcher.
func (ws several) Retrying(ctx context.Context, r status.Retrying) {
	for _, each := range ws {
		each.Retrying(ctx, r)
	}
}

// Resting implements status.Watcher.
func (ws several) Resting(ctx context.Context, source string, open int) {
	for _, each := range ws {
		each.Resting(ctx, source, open)
	}
}

// Outgoing implements status.Watcher: what the first of them says.
func (ws several) Outgoing(ctx context.Context) string {
	for _, each := range ws {
		if parent := each.Outgoing(ctx); parent != "" {
			return parent
		}
	}
	return ""
}
