package upstream

import (
	"context"
	"sync/atomic"

	"github.com/frank-mcp/frank/status"
)

type boundKey struct{}

// bound counts the requests of a question that has a bound.
type bound struct {
	most  int64
	taken atomic.Int64
}

// AtMost bounds what may be sent under the returned context to n requests, over all
// clients and goroutines that work under it. Repetitions, redirects and the requests
// of a sign-in count. One more than n is not sent: it ends as [status.OwnCap] that
// called nothing, or as the failure that it would have repeated. Such requests share no
// flight with others, whose number is not bounded. Of several bounds the innermost counts.
func AtMost(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, boundKey{}, &bound{most: int64(n)})
}

// Sent is how many requests were let through under the innermost bound of ctx; 0
// without one.
func Sent(ctx context.Context) int {
	b := boundOf(ctx)
	if b == nil {
		return 0
	}
	return int(min(b.taken.Load(), b.most))
}

func boundOf(ctx context.Context) *bound {
	b, _ := ctx.Value(boundKey{}).(*bound)
	return b
}

// take lets one request through, or not. A nil bound lets all through.
func (b *bound) take() bool { return b == nil || b.taken.Add(1) <= b.most }

// spent reports whether nothing more is let through.
func (b *bound) spent() bool { return b != nil && b.taken.Load() >= b.most }

// overdrawn is the failure of a request that is not sent because of the bound.
func (s *sending) overdrawn(attempts int) *status.Failure {
	return s.describe(status.Fail(status.OwnCap, status.Limit.Is(int(s.bound.most))), attempts)
}
