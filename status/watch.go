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
	// Transport of a call: "pipe" or "tcp", empty if it came by none.
	Transport string
}

// Ending is how a piece of work ended. Fields that do not apply are zero.
type Ending struct {
	Status     Status
	Code       Code
	Reason     string // empty for none
	Stage      Stage
	Source     string // whose failure the reason is
	HTTPStatus int    // as it came over the wire
	Items      int
	// Cached: the source confirmed an answer that was here already.
	Cached bool
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
	// Resting is told how many circuits of a source are open, when that changed.
	Resting(ctx context.Context, source string, open int)
	// Outgoing returns the W3C traceparent to send with a request, or an empty text.
	Outgoing(ctx context.Context) string
}

// Begin tells the watcher of the call that a piece of work starts. It returns the
// context for the work and what must be called at its end. Without a watcher both
// cost nothing.
func Begin(ctx context.Context, w Work) (context.Context, func(Ending)) {
	if watcher := watcherOf(ctx); watcher != nil {
		return begin(ctx, watcher, w)
	}
	return ctx, ignore
}

// begin stands apart so that what the closure holds costs nothing where there is none.
func begin(ctx context.Context, watcher Watcher, w Work) (context.Context, func(Ending)) {
	inside := watcher.Begin(ctx, w)
	return inside, func(e Ending) { watcher.End(inside, w, e) }
}

func ignore(Ending) {}

// Watched tells whether anybody watches the call, for what is only made for a watcher.
func Watched(ctx context.Context) bool { return watcherOf(ctx) != nil }

// Tell tells the watcher of the call, if there is one.
func (r Retrying) Tell(ctx context.Context) {
	if watcher := watcherOf(ctx); watcher != nil {
		watcher.Retrying(ctx, r)
	}
}

// Resting tells the watcher of the call, if there is one, how many circuits of a
// source are open.
func Resting(ctx context.Context, source string, open int) {
	if watcher := watcherOf(ctx); watcher != nil {
		watcher.Resting(ctx, source, open)
	}
}

// Outgoing is the W3C traceparent to send with a request, or an empty text.
func Outgoing(ctx context.Context) string {
	if watcher := watcherOf(ctx); watcher != nil {
		return watcher.Outgoing(ctx)
	}
	return ""
}

// watcherOf makes no call where there is none, unlike [CallFrom].
func watcherOf(ctx context.Context) Watcher {
	if c, ok := ctx.Value(callKey{}).(*Call); ok && c != nil {
		return c.Watcher
	}
	return nil
}

// EndingOf is how a call ended that has this answer.
func EndingOf(e Envelope) Ending {
	in := e.get()
	out := Ending{Status: in.Status, Code: in.Code}
	if in.Coverage != nil {
		for _, row := range in.Coverage.Sources {
			out.Items += row.Items
		}
	}
	return out.because(in.failure, in.Code)
}

// Ending is how the question to the sources of r ended.
func (r Result[T]) Ending() Ending {
	hs := r.heads()
	s, c := verdict(hs)
	out := Ending{Status: s, Code: c}
	for _, h := range hs {
		out.Items += h.count
	}
	if c == None {
		return out
	}
	return out.because(topFailure(hs, c), c)
}

// because adds where and why, unless nothing failed.
func (e Ending) because(f Failure, c Code) Ending {
	if c != None {
		e.Reason, e.Stage, e.Source = f.Reason().Name(), f.Reason().Stage(), f.Source()
	}
	return e
}
