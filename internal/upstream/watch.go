package upstream

import (
	"context"
	"time"

	"github.com/frank-mcp/frank/status"
)

// watched is one attempt, seen by the watcher of the call that started it.
func (s *sending) watched(ctx context.Context, n int) (out outcome) {
	if !status.Watched(ctx) {
		return s.attempt(ctx, n)
	}
	ctx, end := status.Begin(ctx, status.Work{
		Kind: status.AttemptWork, Source: s.c.opts.Source, Endpoint: s.want.Class, Method: s.req.Method, Attempt: n,
	})
	defer func() { end(out.ending()) }() // a connector that panics over the answer leaves a zero outcome
	return s.attempt(ctx, n)
}

func (o outcome) ending() status.Ending {
	e := status.Ending{HTTPStatus: o.wire, Cached: o.x != nil && o.x.Cached}
	f := o.f
	if f == nil && o.x == nil {
		f = new(status.Failure)
	}
	if f != nil {
		e.Code, e.Reason, e.Stage, e.Source = f.Code(), f.Reason().Name(), f.Reason().Stage(), f.Source()
	}
	return e
}

// retrying tells the watcher of the call that another attempt follows.
func (s *sending) retrying(ctx context.Context, out outcome, n int, wait time.Duration) {
	status.Retrying{Source: s.c.opts.Source, Endpoint: s.want.Class, Reason: out.f.Reason(), Attempt: n, Wait: wait}.Tell(ctx)
}

// tellCircuits tells the watcher of the call how many circuits are open, if that
// changed.
func (c *Client) tellCircuits(ctx context.Context) {
	if !status.Watched(ctx) {
		return
	}
	if open, news := c.breaker.changed(); news {
		status.Resting(ctx, c.opts.Source, open)
	}
}
