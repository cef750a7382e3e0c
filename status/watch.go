package status

import (
	"context"
	"time"
)

// WorkKind says what a piece of work is.
type WorkKind uint8

// The kinds of work, from the outside in.
const (
	CallWork    WorkKind = iota + 1 // a whole tool call
	SourceWork                      // what one source is asked within a call
	AttemptWork                     // one request to a source
)

// Work is a piece of a call that takes time. It holds names and classes, never
// arguments, addresses or data.
type Work struct {
	Kind      WorkKind
	Tool      string
	Source    string
	Operation string
	Endpoint  string // of an attempt: its class, without values
	Method    string
	Attempt   int
}

// Ending is how a piece of work ended. Fields that do not apply are zero.
type Ending struct {
	Status     Status
	Code       Code
	Reason     string // empty for none
	Stage      Stage
	HTTPStatus int
	Items      int
}

// Retrying is an attempt that failed and will be followed by another.
type Retrying struct {
	Source, Endpoint string
	Reason           Reason
	Attempt          int
	Wait             time.Duration
}

// Watcher is told what calls do, for traces, metrics and events. It must be safe
// for concurrent use, return at once, and never fail a call.
type Watcher interface {
	// Begin returns the context for what happens inside the work.
	Begin(ctx context.Context, w Work) context.Context
	// End gets the context that Begin returned.
	End(ctx context.Context, w Work, e Ending)
	// Retrying is told before the wait.
	Retrying(ctx context.Context, r Retrying)
	// Outgoing returns the W3C traceparent to send with a request, or an empty text.
	Outgoing(ctx context.Context) string
}

// Begin tells the watcher of the call that a piece of work starts. It returns the
// context for the work and what must be called at its end. Without a watcher both
// cost nothing.
func Begin(ctx context.Context, w Work) (context.Context, func(Ending)) {
	watcher := CallFrom(ctx).Watcher
	if watcher == nil {
		return ctx, ignore
	}
	ctx = watcher.Begin(ctx, w)
	return ctx, func(e Ending) { watcher.End(ctx, w, e) }
}

func ignore(Ending) {}
