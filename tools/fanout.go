package tools

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

const (
	// defaultBudget is that of the configuration where nothing is configured.
	defaultBudget = 20 * time.Second
	// maxGrace and minGrace bound what a source gets beyond the deadline to say
	// itself that its time is over, which is a twentieth of the budget: what it says
	// names the attempts and the dependency, and its circuit learns of it.
	maxGrace = time.Second
	minGrace = 25 * time.Millisecond
	// lastWords is what sources get to end when the call has ended: less than the
	// server waits for the whole answer then.
	lastWords = 200 * time.Millisecond
	// maxStrays bounds the questions to one source that nobody waits for and that
	// have not ended: a source that never heeds its context is not asked again.
	maxStrays = 8
)

// fan is a question on its way to several sources.
type fan struct {
	d    *Deps
	spec Spec
	// until is the one deadline of all sources of a call; the zero time if a single
	// source is asked, whose own budget is the call's.
	until time.Time
}

// fanned prepares a question to so many sources. All questions of a call to
// several sources share one deadline: the budget of a call, counted from the first
// of them, and early enough that the call itself has not ended.
func (d *Deps) fanned(ctx context.Context, spec Spec, sources int) fan {
	if sources < 2 {
		return fan{d: d, spec: spec}
	}
	until := status.CallFrom(ctx).Until("", time.Now().Add(d.budget()))
	if end, ok := ctx.Deadline(); ok {
		if last := end.Add(-2 * d.grace()); last.Before(until) {
			until = last
		}
	}
	return fan{d, spec, until}
}

func (d *Deps) budget() time.Duration {
	if d.Budget > 0 {
		return d.Budget
	}
	return defaultBudget
}

func (d *Deps) grace() time.Duration { return min(max(d.budget()/20, minGrace), maxGrace) }

// answer is what one of the sources said.
type answer[T any] struct {
	index  int
	result status.Result[T]
}

// fanOut asks the sources side by side and returns their answers in the order of
// the sources. Of several, those that have not answered at the deadline are
// reported as timed out, whether or not they heed their context, and the others'
// answers stand. An answer that is there at the deadline counts. If the deadline
// is over before they are asked, they still have the grace: what is on this
// machine can answer.
func fanOut[T connectors.Item](ctx context.Context, f fan, sources []connectors.Source, ask asking[T]) []status.Result[T] {
	results := make([]status.Result[T], len(sources))
	if f.until.IsZero() {
		for i, s := range sources {
			results[i] = askSource(ctx, f.d, f.spec, s, ask)
		}
		return results
	}
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer[T], len(sources)) // whoever comes late must be able to end
	waits := make([]*wait, len(sources))
	open := 0
	for i, s := range sources {
		if waits[i] = f.d.strays.begin(s.Name); waits[i] == nil {
			results[i] = status.Failed[T](s.Name, status.Fail(status.Timeout, status.NotCalled))
			continue
		}
		open++
		go func() {
			defer f.d.strays.end(waits[i])
			answers <- answer[T]{i, askSource(inside, f.d, f.spec, s, ask)}
		}()
	}
	answered := collect(ctx, f, answers, results, open)
	for i, s := range sources {
		if waits[i] != nil && !answered[i] {
			f.d.strays.leave(waits[i])
			results[i] = status.Failed[T](s.Name, status.Fail(endOf(ctx), status.MaybeCalled))
		}
	}
	return results
}

// collect takes the answers that come in time and says whose those are.
func collect[T any](ctx context.Context, f fan, answers <-chan answer[T], results []status.Result[T], open int) []bool {
	answered := make([]bool, len(results))
	take := func(a answer[T]) { results[a.index], answered[a.index], open = a.result, true, open-1 }
	late := time.NewTimer(max(0, time.Until(f.until)) + f.d.grace())
	defer late.Stop()
	over, ended := ctx.Done(), false
	for open > 0 && !ended {
		select {
		case a := <-answers:
			take(a)
		case <-over: // those that heed it say so at once
			over = nil
			late.Reset(lastWords)
		case <-late.C:
			ended = true
		}
	}
	for open > 0 { // what came at the same time
		select {
		case a := <-answers:
			take(a)
		default:
			return answered
		}
	}
	return answered
}

// endOf is why nobody waits any more: the caller left, or the time is over.
func endOf(ctx context.Context) status.Reason {
	if errors.Is(ctx.Err(), context.Canceled) {
		return status.Cancelled
	}
	return status.Timeout
}

// strays counts, for each source, the questions that nobody waits for any more and
// that have not ended. It is safe for concurrent use; its zero value is ready.
type strays struct {
	mu   sync.Mutex
	left map[string]int
}

// wait is one question that somebody waits for.
type wait struct {
	source      string
	gone, ended bool
}

// begin returns nil if too many questions to the source have not ended.
func (x *strays) begin(source string) *wait {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.left[source] >= maxStrays {
		return nil
	}
	return &wait{source: source}
}

// leave says that nobody waits any more.
func (x *strays) leave(w *wait) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if w.ended {
		return
	}
	if x.left == nil {
		x.left = map[string]int{}
	}
	w.gone = true
	x.left[w.source]++
}

// end says that the question has ended.
func (x *strays) end(w *wait) {
	x.mu.Lock()
	defer x.mu.Unlock()
	w.ended = true
	if w.gone {
		x.left[w.source]--
	}
}
