package tools

import (
	"context"
	"slices"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ledger"
	"github.com/frank-mcp/frank/status"
)

// keepGiven is how long a key that a caller chose stays taken.
const keepGiven = 24 * time.Hour

// noteRestart: what was changed is remembered in this process only.
const noteRestart = "idempotency_across_restarts"

// keep is how long a repetition is taken for the same change.
func (d *Deps) keep(key string) time.Duration {
	if key != "" {
		return keepGiven
	}
	return d.Window
}

// settle finds out what an earlier attempt has left, makes the change if that is
// nothing, and ends the claim.
func (w *writing) settle(ctx context.Context, claim *ledger.Claim) status.Envelope {
	mark := connectors.Mark{ID: claim.Mark(), Since: claim.Since, Tried: claim.Tried}
	forgetful := !w.d.Ledger.Durable()
	unsure := claim.State == ledger.Unsure
	if forgetful && !unsure { // a process that has ended may have made it
		mark.Since = w.d.Now().Add(-w.d.keep(w.key))
	}
	t := w.trace(w.s, w.to, mark)
	if unsure || forgetful {
		there := w.find(ctx, t)
		switch s, _ := there.Verdict(); {
		case found(there):
			status.CallFrom(ctx).Keyed(claim.Named(), claim.Since)
			return w.keepAnswer(ctx, claim, there, forgetful)
		case s != status.Empty && unsure:
			claim.Unknown(ctx)
			return w.unknown(failureOf(there), mark)
		case s != status.Empty:
			claim.Release(ctx)
			return w.failed(failureOf(there))
		}
	}
	r := w.attempt(ctx, t)
	if unsure && several(t.Update) {
		r = w.keeping(r, []string{"what an earlier attempt of this change has done"})
	}
	s, _ := r.Verdict()
	f := failureOf(r)
	switch {
	case found(r):
		return w.keepAnswer(ctx, claim, r, forgetful)
	case s == status.Empty:
		claim.Release(ctx)
		return r.Envelope(w.question())
	case f.APICalled() == status.MaybeCalled:
		claim.Unknown(ctx)
		return w.unknown(f, mark)
	case f.Reason().Stage() == status.Cleanup:
		claim.Unknown(ctx)
		return r.Envelope(w.question())
	default:
		claim.Release(ctx)
		return w.failed(f)
	}
}

// keepAnswer ends the claim with what was done.
func (w *writing) keepAnswer(ctx context.Context, claim *ledger.Claim, r status.Result[connectors.Issue], forgetful bool) status.Envelope {
	if forgetful {
		r = status.Noted(r, noteRestart)
	}
	q := w.question()
	q.Done = w.done + w.to.name
	if items := r.Items(); len(items) == 1 && items[0].Ref != "" {
		q.Done = w.done + items[0].Ref
	}
	e := r.Envelope(q)
	claim.Finish(ctx, e)
	return e
}

// attempt makes the change. If its outcome is not known the source is asked at
// once what became of it; what is proved absent is tried once more.
func (w *writing) attempt(ctx context.Context, t connectors.WriteTrace) status.Result[connectors.Issue] {
	call := status.CallFrom(ctx)
	r := w.carryOut(ctx, t)
	lost, at := failureOf(r), w.d.Now()
	if !w.lost(r) || ctx.Err() != nil {
		return r
	}
	call.Report("the outcome is not known; looking for it in " + w.s.Name)
	t = tried(t, at)
	there := w.find(ctx, t)
	if found(there) {
		call.Recovered(w.s.Name, lost.Reason(), 1, at)
		call.Step(w.spec.Operation + " on " + w.s.Name)
		return there
	}
	if s, _ := there.Verdict(); s != status.Empty {
		return r
	}
	call.Afresh(w.s.Name)
	done := call.Steps()
	again := w.carryOut(ctx, t)
	if found(again) {
		call.Recovered(w.s.Name, lost.Reason(), 1, at)
	}
	return w.keeping(again, done)
}

// keeping puts right an answer that says no: it speaks of its own attempt, and what
// one before it had done is still there. How it was before is not known any more.
func (w *writing) keeping(r status.Result[connectors.Issue], done []string) status.Result[connectors.Issue] {
	f := failureOf(r)
	if s, _ := r.Verdict(); s != status.AccessFailure || w.lost(r) || f.Reason().Stage() == status.Cleanup || len(done) == 0 {
		return r
	}
	left := status.Fail(status.CleanupNotConfigured, status.WasCalled, status.FirstReason.Is(f.Reason().Name()), status.NotUndone.Is(done))
	return status.Failed[connectors.Issue](w.s.Name, left.With(status.Reference.Is(w.to.name)))
}

// several reports whether a change may have been made in part.
func several(u *connectors.IssueUpdate) bool {
	if u == nil {
		return false
	}
	parts := len(u.AddLabels) + len(u.RemoveLabels)
	for _, asked := range []bool{u.State != "", u.Title != nil, u.Body != nil, u.Assignees != nil} {
		if asked {
			parts++
		}
	}
	return parts > 1
}

// lost reports whether nobody knows what became of a change.
func (w *writing) lost(r status.Result[connectors.Issue]) bool {
	s, _ := r.Verdict()
	return s == status.AccessFailure && failureOf(r).APICalled() == status.MaybeCalled
}

// tried is the change with the time at which it was last sent.
func tried(t connectors.WriteTrace, at time.Time) connectors.WriteTrace {
	switch {
	case t.Create != nil:
		c := *t.Create
		c.Mark.Tried = at
		t.Create = &c
	case t.Update != nil:
		u := *t.Update
		u.Mark.Tried = at
		t.Update = &u
	case t.Comment != nil:
		c := *t.Comment
		c.Mark.Tried = at
		t.Comment = &c
	}
	return t
}

// carryOut has the source make the change.
func (w *writing) carryOut(ctx context.Context, t connectors.WriteTrace) status.Result[connectors.Issue] {
	return w.ask(ctx, true, func(ctx context.Context) status.Result[connectors.Issue] {
		switch {
		case t.Create != nil:
			return w.s.Writer.Create(ctx, *t.Create)
		case t.Update != nil:
			return w.s.Writer.Update(ctx, *t.Update)
		default:
			return w.s.Writer.Comment(ctx, *t.Comment)
		}
	})
}

// find has the source look for the change, with a budget of its own.
func (w *writing) find(ctx context.Context, t connectors.WriteTrace) status.Result[connectors.Issue] {
	status.CallFrom(ctx).Afresh(w.s.Name)
	return w.ask(ctx, false, func(ctx context.Context) status.Result[connectors.Issue] { return w.s.Writer.Find(ctx, t) })
}

// ask puts policy's gate before the source, and makes a failure of a panic: of a
// change it leaves open whether it took effect.
func (w *writing) ask(ctx context.Context, changes bool, f func(context.Context) status.Result[connectors.Issue]) (r status.Result[connectors.Issue]) {
	if status.Watched(ctx) {
		inside, end := status.Begin(ctx, status.Work{Kind: status.SourceWork, Tool: w.spec.Name, Source: w.s.Name, Operation: w.spec.Operation})
		ctx = inside
		defer func() { end(r.Ending()) }()
	}
	defer func() {
		if v := recover(); v != nil {
			if w.d.Panicked != nil {
				w.d.Panicked(w.spec.Name, w.s.Name, v)
			}
			r = status.Failed[connectors.Issue](w.s.Name, status.Fail(status.UncaughtServerError, status.MaybeCalled))
		}
	}()
	r = f(connectors.Gated(ctx, w.d.gate(w.s, w.spec.Needs)))
	if changes && found(r) {
		status.CallFrom(ctx).Step(w.spec.Operation + " on " + w.s.Name)
	}
	return r
}

// failureOf is the first failure of a result; the zero one if there is none.
func failureOf(r status.Result[connectors.Issue]) status.Failure {
	i := slices.IndexFunc(r.Rows(), func(row status.Row) bool { return len(row.Failures) > 0 })
	if i < 0 {
		return status.Failure{}
	}
	return r.Rows()[i].Failures[0]
}

// unknown answers that the change may have taken effect, and how to find out.
func (w *writing) unknown(f status.Failure, m connectors.Mark) status.Envelope {
	if f.Code() != status.SourceUnreliable { // why it could not be looked up, not what failed
		f = status.Fail(status.Unproven, status.CheckName.Is("the outcome of the change"), status.FirstReason.Is(f.Reason().Name()))
	}
	where := "Look at " + w.to.name
	if w.ref == nil {
		where = "Look in " + w.to.name + " for an issue titled “" + status.Line(w.title, 40) + "”"
	}
	f = f.With(status.MaybeCalled, status.Retryable(false), status.After(0), status.Container.Is(w.to.project),
		status.Remedy.Is(where+" (hidden mark frank:"+m.ID+"), since "+m.Since.UTC().Format("2006-01-02 15:04")+" UTC."),
		status.Fallback("repeat the very same call later: it looks first whether the change is there, and makes it only if it is proved not to be"))
	q := w.question()
	q.Effect = "it may have taken effect"
	return status.Failed[connectors.Issue](w.s.Name, f).Envelope(q)
}
