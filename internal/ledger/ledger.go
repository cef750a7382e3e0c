// Package ledger makes a change happen once. Whoever wants to change something
// claims it first, under a key that is the same for every repetition of one call;
// a repetition, at the same time or later, in this process or another, gets the
// first answer, or waits for it, or learns that nobody knows what became of it.
//
// The ledger carries nothing out and asks no source. What it keeps in the store
// are hashes, times and the answer, which is sealed with a key that only the very
// same call has: the file holds no content of a call.
package ledger

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/frank-mcp/frank/internal/store"
	"github.com/frank-mcp/frank/status"
)

const (
	// lease is how long whoever claimed a change is believed to be at it, where
	// nothing better tells: longer than a call may take.
	lease = 90 * time.Second
	// pollEvery is how often the store is asked about a change that another process makes.
	pollEvery = 40 * time.Millisecond
	// keepWithin bounds what is written at the end of a claim, when the call may be over.
	keepWithin = 3 * time.Second
)

// Ledger remembers changes in a store. It is safe for concurrent use.
type Ledger struct {
	// Forgetful says that the store is in memory alone although its user wants it to
	// outlive the process; set before use.
	Forgetful bool

	store *store.Store
	now   func() time.Time
	self  func() owner

	mu    sync.Mutex
	turns map[string]*turn
}

// New makes a ledger over a store; it reads and writes nothing yet.
func New(s *store.Store, now func() time.Time) *Ledger {
	return &Ledger{store: s, now: now, self: sync.OnceValue(thisProcess), turns: map[string]*turn{}}
}

// Durable reports whether what is claimed now will be known to other processes,
// such as this program when it has been started again.
func (l *Ledger) Durable() bool { return !l.Forgetful && l.store.Problem() == "" }

// State says what is known of a change.
type State uint8

// The states of a change.
const (
	_        State = iota
	Fresh          // nobody has begun it: the caller makes it now
	Unsure         // it was begun, and its outcome is not known: the caller finds out first
	Done           // it was made; Claim.Answer is the answer
	Conflict       // the key belongs to another change
)

// Claim is what [Ledger.Begin] found. A claim that is Fresh or Unsure belongs to
// the caller alone and must be ended, by Finish, Unknown or Release; the first of
// them counts.
type Claim struct {
	State  State
	Answer status.Envelope // of Done, without the trace
	// Overtaken: Done, and its object has been changed by another change since.
	Overtaken bool
	Since     time.Time // when the first attempt began
	Tried     time.Time // of Unsure: the latest time at which an attempt may have been sent

	ledger *Ledger
	change Change
	id     identity
	leave  func()
}

// Begin claims the change. If somebody is making it, Begin waits for the outcome.
// The error is that of ctx, or that the store cannot be used at all; nothing is
// claimed then.
func (l *Ledger) Begin(ctx context.Context, c Change) (*Claim, error) {
	id := c.identity()
	leave, err := l.enter(ctx, id.key)
	if err != nil {
		return nil, err
	}
	for {
		claim, busy, err := l.claim(ctx, c, id)
		switch {
		case err != nil:
			leave()
			return nil, err
		case !busy && (claim.State == Done || claim.State == Conflict):
			leave()
			return claim, nil
		case !busy:
			claim.leave = sync.OnceFunc(leave)
			return claim, nil
		}
		if err := pause(ctx, pollEvery); err != nil {
			leave()
			return nil, err
		}
	}
}

// claim looks the change up and takes it if it can be had. busy tells that
// somebody else is at it.
func (l *Ledger) claim(ctx context.Context, c Change, id identity) (*Claim, bool, error) {
	var claim *Claim
	busy := false
	err := l.store.Update(ctx, func(tx *sql.Tx) error {
		claim, busy = &Claim{ledger: l, change: c, id: id}, false // the store may call twice
		now := l.now()
		r, err := read(tx, id.key)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			claim.State, claim.Since = Fresh, now
		case err != nil:
			return err
		default:
			busy = l.judge(claim, r, now)
			if last, err := id.last(tx); err != nil {
				return err
			} else if claim.Overtaken = claim.State == Done && !last; claim.Overtaken && c.Key == "" {
				claim.State, claim.Answer, claim.Since, claim.Overtaken = Fresh, status.Envelope{}, now, false
			}
		}
		if busy || claim.State == Done || claim.State == Conflict {
			return nil
		}
		return claim.begin(tx, now)
	})
	if err != nil { // what is late may still be at them
		return nil, false, err
	}
	return claim, busy, nil
}

// judge reads what the row says to this claim.
func (l *Ledger) judge(claim *Claim, r row, now time.Time) (busy bool) {
	over := !now.Before(r.expires)
	claim.Since = r.at
	switch {
	case r.arguments != claim.id.arguments && !over:
		claim.State = Conflict
	case r.arguments != claim.id.arguments, r.state == "done" && over:
		claim.State, claim.Since = Fresh, now
	case r.state == "done":
		var ok bool
		if claim.Answer, ok = claim.id.unseal(r.answer); ok {
			claim.State = Done
			return false
		}
		claim.State, claim.Tried = Unsure, r.at
	case r.state == "unknown":
		claim.State, claim.Tried = Unsure, r.lease
	case l.self().is(r.owner): // nobody else here has the turn, so that it was left behind
		claim.State, claim.Tried = Unsure, now
	case l.self().sees(r.owner, now.Before(r.lease)):
		return true
	default:
		claim.State, claim.Tried = Unsure, earlier(now, r.lease)
	}
	return false
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Named is the key, as [Change.Named] has it.
func (c *Claim) Named() string { return c.change.Named() }

// Mark is 16 hex digits, the same for every repetition of the change.
func (c *Claim) Mark() string { return c.id.mark }

// Finish keeps the answer, which is success or partial, for every repetition.
func (c *Claim) Finish(ctx context.Context, e status.Envelope) {
	c.end(ctx, func(tx *sql.Tx) error {
		sealed, err := c.id.seal(e)
		if err != nil { // it is known to have happened; a repetition looks for it
			return c.write(tx, "unknown", c.ledger.now(), nil)
		}
		return c.write(tx, "done", c.ledger.now(), sealed)
	})
}

// Unknown says that the change may have taken effect.
func (c *Claim) Unknown(ctx context.Context) {
	c.end(ctx, func(tx *sql.Tx) error { return c.write(tx, "unknown", c.ledger.now(), nil) })
}

// Release says that the change did not take effect: it may be made again.
func (c *Claim) Release(ctx context.Context) {
	c.end(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec("DELETE FROM writes WHERE key = ? AND owner = ?", c.id.key, c.ledger.self().String())
		return err
	})
}

// end writes down how the claim ended and lets the next one in. If that cannot be
// written the row stays as it was, and a repetition takes the change for unknown.
func (c *Claim) end(ctx context.Context, f func(*sql.Tx) error) {
	if c.leave == nil {
		return
	}
	leave := c.leave
	c.leave = nil
	defer leave()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
	defer cancel()
	_ = c.ledger.store.Update(ctx, f) // the store says by itself that it cannot be used
}

// turn lets one claim of a key through at a time, within this process.
type turn struct {
	free    chan struct{}
	waiting int
}

// enter waits for the turn. The function gives it back.
func (l *Ledger) enter(ctx context.Context, key string) (leave func(), err error) {
	l.mu.Lock()
	t, ok := l.turns[key]
	if !ok {
		t = &turn{free: make(chan struct{}, 1)}
		l.turns[key] = t
	}
	t.waiting++
	l.mu.Unlock()
	forget := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if t.waiting--; t.waiting == 0 {
			delete(l.turns, key)
		}
	}
	select {
	case t.free <- struct{}{}:
		return func() { <-t.free; forget() }, nil
	case <-ctx.Done():
		forget()
		return nil, ctx.Err()
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
