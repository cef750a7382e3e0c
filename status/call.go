package status

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Recovery is a failure that was overcome below the tools: the caller need not
// act on it, but it leaves a trace.
type Recovery struct {
	Source  string    `json:"source,omitempty"`
	Reason  string    `json:"reason"`
	Attempt int       `json:"attempt"`
	At      time.Time `json:"at"`
}

// Call accompanies one tool call through its context and collects what the
// layers below did: attempts, recoveries, completed steps. It is safe for
// concurrent use. It never holds arguments or data.
type Call struct {
	ID      string // unique per call
	TraceID string // 32 hex digits
	SpanID  string // 16 hex digits
	Parent  string // the valid W3C traceparent that came in, or empty
	Tool    string
	// Progress, if set, is told in one line what a long call is doing.
	Progress func(message string)
	// Watcher, if set, is told what the call does; see [Begin].
	Watcher Watcher
	// Session is a hash, the same for all calls of one connection; it may be empty.
	Session string
	// Began is when the call came in; the zero time if nobody noted it.
	Began time.Time

	mu        sync.Mutex
	attempts  int
	recovered []Recovery
	steps     []string
	key       string
	replayed  time.Time
	until     map[string]time.Time
}

type callKey struct{}

// WithCall returns a context that carries c.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallFrom returns the call that ctx carries, or a fresh one that nobody reads.
func CallFrom(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok && c != nil {
		return c
	}
	return &Call{}
}

// Attempted counts one request, command or read that was tried.
func (c *Call) Attempted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts++
}

// Until is the time to which this call may go on asking the source: what the
// first request proposed, so that all requests of a call share one budget.
func (c *Call) Until(source string, proposed time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until, ok := c.until[source]; ok {
		return until
	}
	if c.until == nil {
		c.until = map[string]time.Time{}
	}
	c.until[source] = proposed
	return proposed
}

// Afresh gives the source a new budget within this call: what was spent on a
// change must not keep frank from finding out what became of it.
func (c *Call) Afresh(source string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.until, source)
}

// Recovered records a failure that was overcome at that attempt.
func (c *Call) Recovered(source string, r Reason, attempt int, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recovered = append(c.recovered, Recovery{source, r.Name(), attempt, at})
}

// Recoveries lists the failures that were overcome so far.
func (c *Call) Recoveries() []Recovery {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.recovered)
}

// Attempts is how many requests, commands or reads were tried so far.
func (c *Call) Attempts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.attempts
}

// Step records a completed step in one line, such as "searched github".
func (c *Call) Step(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.steps) < 50 {
		c.steps = append(c.steps, Line(what, 120))
	}
}

// Undone takes back a completed step, which was reversed.
func (c *Call) Undone(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.steps, Line(what, 120)); i >= 0 {
		c.steps = slices.Delete(c.steps, i, i+1)
	}
}

// Steps lists what was completed so far.
func (c *Call) Steps() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.steps)
}

// Keyed names the idempotency key under which the call changes something, and tells
// when an earlier call with the same key began whose answer this is; the zero time if
// it is the first.
func (c *Call) Keyed(key string, replayed time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.key, c.replayed = key, replayed
}

// Key is the idempotency key under which the call changes something; empty if it
// changes nothing.
func (c *Call) Key() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.key
}

// Report tells the caller what is being done; it may be lost and nothing depends on it.
func (c *Call) Report(message string) {
	if c.Progress != nil {
		c.Progress(Line(message, maxFact))
	}
}

func (c *Call) trace() *trace {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &trace{
		CallID: c.ID, TraceID: c.TraceID, SpanID: c.SpanID, Attempts: c.attempts,
		Recovered: append([]Recovery(nil), c.recovered...), CompletedSteps: append([]string(nil), c.steps...),
		IdempotencyKey: c.key, Replayed: !c.replayed.IsZero(),
	}
	if t.Replayed {
		t.ReplayedFrom = c.replayed.UTC().Format(time.RFC3339)
	}
	return t
}

type trace struct {
	CallID         string     `json:"call_id,omitempty"`
	TraceID        string     `json:"trace_id,omitempty"`
	SpanID         string     `json:"span_id,omitempty"`
	Attempts       int        `json:"attempts,omitempty"`
	Recovered      []Recovery `json:"recovered,omitempty"`
	CompletedSteps []string   `json:"completed_steps,omitempty"`
	IdempotencyKey string     `json:"idempotency_key,omitempty"`
	Replayed       bool       `json:"replayed,omitempty"`
	ReplayedFrom   string     `json:"replayed_from,omitempty"` // when the first call began
}
