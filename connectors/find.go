package connectors

import (
	"context"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Finder looks for what an earlier attempt of a change has left. It is how a
// connector serves [Writer.Find]: the three functions look once, each for a change of
// its kind. What is created may still be under way for Settling after it was sent;
// until then its absence proves nothing, so that it is looked for again.
type Finder struct {
	Source   string
	Settling time.Duration
	Now      func() time.Time
	Create   func(context.Context, IssueCreate) status.Result[Issue]
	Comment  func(context.Context, CommentAdd) status.Result[Issue]
	Update   func(context.Context, IssueUpdate) status.Result[Issue]
}

// Find looks for the change.
func (f Finder) Find(ctx context.Context, t WriteTrace) status.Result[Issue] {
	switch {
	case t.Create != nil:
		return f.twice(ctx, t.Create.Mark, func() status.Result[Issue] { return f.Create(ctx, *t.Create) })
	case t.Comment != nil:
		return f.twice(ctx, t.Comment.Mark, func() status.Result[Issue] { return f.Comment(ctx, *t.Comment) })
	case t.Update != nil:
		return f.Update(ctx, *t.Update)
	default:
		return status.Failed[Issue](f.Source, status.Fail(status.UncaughtServerError))
	}
}

// twice looks again for what is not there yet, when nothing can be under way any more.
// Looking again needs a new budget.
func (f Finder) twice(ctx context.Context, m Mark, look func() status.Result[Issue]) status.Result[Issue] {
	r := look()
	left := m.Tried.Add(f.Settling).Sub(f.Now())
	if s, _ := r.Verdict(); s != status.Empty || m.Tried.IsZero() || left <= 0 {
		return r
	}
	t := time.NewTimer(min(left, f.Settling))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	status.CallFrom(ctx).Afresh(f.Source)
	return look()
}

// Doubtful is the failure of a change whose answer, if there is one, is x: what was
// accepted and cannot be read as it must be leaves open what came of it.
func Doubtful(x *upstream.Exchange, f *status.Failure) *status.Failure {
	if f != nil && x != nil && x.Status < 300 {
		return Unsure(*f)
	}
	return f
}

// Unsure is a failure that leaves open whether a change took effect.
func Unsure(f status.Failure) *status.Failure {
	f = f.With(status.MaybeCalled, status.Retryable(false), status.After(0))
	return &f
}
