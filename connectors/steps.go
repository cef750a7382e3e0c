package connectors

import (
	"context"
	"slices"
	"time"

	"github.com/frank-mcp/frank/status"
)

// Step is one request of a change that takes several. Name is in the past tense,
// without values: "changed the title of the issue".
type Step struct {
	Name string
	Do   func(context.Context) *status.Failure
	// Undo takes the step back. Nil: it cannot be taken back.
	Undo func(context.Context) *status.Failure
}

// undoWithin bounds the undoing, which starts when the call's own time may be over.
const undoWithin = 10 * time.Second

// InSteps does the steps in order. Each that is done is in the trace of the call.
// If one fails, those before it are undone, last first, and leave the trace; the
// failure is that of the step, or cleanup_failed or cleanup_not_configured where
// something stays that should not. A step whose outcome is not known undoes nothing:
// the change may be whole.
func InSteps(ctx context.Context, steps []Step) *status.Failure {
	call := status.CallFrom(ctx)
	for i, s := range steps {
		f := s.Do(ctx)
		if f == nil {
			call.Step(s.Name)
			continue
		}
		if f.APICalled() == status.MaybeCalled || i == 0 {
			return f
		}
		return undo(ctx, *f, steps[:i])
	}
	return nil
}

// undo takes the completed steps back and says what could not be.
func undo(ctx context.Context, first status.Failure, done []Step) *status.Failure {
	call := status.CallFrom(ctx)
	// A call of its own, so that the time that the steps used up does not count.
	ctx, cancel := context.WithTimeout(status.WithCall(context.WithoutCancel(ctx), &status.Call{ID: call.ID, Tool: call.Tool, Watcher: call.Watcher}), undoWithin)
	defer cancel()
	var undone, left []string
	reason := first.Reason()
	for _, s := range slices.Backward(done) {
		switch {
		case s.Undo == nil:
			left = append(left, s.Name)
			if reason != status.CleanupFailed {
				reason = status.CleanupNotConfigured
			}
		case s.Undo(ctx) != nil:
			left = append(left, s.Name)
			reason = status.CleanupFailed
		default:
			undone = append(undone, s.Name)
			call.Undone(s.Name)
		}
	}
	f := first.With(status.Undone.Is(undone))
	if len(left) > 0 {
		f = status.Fail(reason, status.WasCalled, status.FirstReason.Is(first.Reason().Name()), status.Undone.Is(undone), status.NotUndone.Is(left)).
			Within(first.Source(), first.Operation(), first.Capability())
	}
	return &f
}
