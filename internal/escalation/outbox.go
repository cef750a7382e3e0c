package escalation

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	randv2 "math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/store"
)

// What a delivery tells of.
const (
	eventOpened   = "opened"
	eventResolved = "resolved"
	eventDigest   = "digest" // several that the rate limit held back
)

// States of a delivery.
const (
	waiting  = "waiting"
	held     = "held"     // by the rate limit
	digested = "digested" // in another one
	done     = "done"
	givenUp  = "given_up"
)

const (
	// lease is how long a process may take for one attempt before another one
	// believes it to be dead; attempt is the most that an attempt takes.
	lease   = time.Minute
	attempt = 20 * time.Second

	firstPause = 2 * time.Second
	maxPause   = 15 * time.Minute
	// patience is how long word of an escalation that ended is tried. Word of an
	// open one is tried for as long as it is open.
	patience = 72 * time.Hour
	// maxAsked is how long the other side may ask to wait. What waits for longer was
	// put off by a clock that was wrong.
	maxAsked = 6 * time.Hour
	// maxDigest is how many escalations one message tells of.
	maxDigest = 50
	// look is how often the outbox is looked into without a reason: another process
	// may have ended and left something.
	look = 30 * time.Second
)

// delivery is one row of the outbox.
type delivery struct {
	id, escalation, destination, event string
	attempts                           int
	unsure                             bool // an earlier attempt may have arrived
	owner                              string
	records                            []Record
}

// put stores a delivery. Its id is the same for the same message, so that it is
// stored once, and receivers can tell a repetition by it.
func (d delivery) put(tx *sql.Tx, state string, at time.Time) error {
	_, err := tx.Exec("INSERT OR IGNORE INTO deliveries (id, escalation, destination, event, state, next_at) VALUES (?, ?, ?, ?, ?, ?)",
		d.escalation+"."+d.event, d.escalation, d.destination, d.event, state, store.Millis(at))
	return err
}

// Start has the outbox emptied in the background, beginning after that time. It
// does nothing if no destination gets messages.
func (k *Keeper) Start(after time.Duration) {
	if len(k.Rules().delivering()) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.working {
		select {
		case k.ring <- struct{}{}:
		default:
		}
	}
	if k.working || k.closed {
		return
	}
	k.working = true
	k.busy.Go(func() { k.work(after) })
}

func (k *Keeper) work(after time.Duration) {
	for wait := after; ; {
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-k.ring:
			t.Stop()
		case <-k.quit:
			t.Stop()
			return
		}
		wait = k.Deliver(k.ctx)
	}
}

// Deliver makes one attempt at every delivery that is due, and returns after what
// time to look again.
func (k *Keeper) Deliver(ctx context.Context) time.Duration {
	if len(k.Rules().delivering()) == 0 {
		return look
	}
	for ctx.Err() == nil {
		d, next, err := k.claim(ctx)
		if err != nil || d == nil {
			return next
		}
		k.settle(ctx, *d, k.send(ctx, *d))
	}
	return look
}

// claim takes the next delivery that is due, or says when one will be. What is
// claimed counts as sent until the outcome is known: a process may die meanwhile.
func (k *Keeper) claim(ctx context.Context) (*delivery, time.Duration, error) {
	var out *delivery
	wait := look
	err := k.opts.Store.Update(ctx, func(tx *sql.Tx) error {
		out, wait = nil, look
		now := k.opts.Now()
		if err := k.digest(tx, now); err != nil {
			return err
		}
		d, err := k.due(tx, now)
		if err != nil {
			return err
		}
		if d == nil {
			wait, err = k.next(tx, now)
			return err
		}
		d.owner = strings.ToLower(rand.Text()[:10])
		if _, err := tx.Exec("UPDATE deliveries SET owner = ?, lease = ?, attempts = attempts + 1, unsure = 1 WHERE id = ?",
			d.owner, store.Millis(now.Add(lease)), d.id); err != nil {
			return err
		}
		d.attempts++
		d.records, err = k.contents(tx, *d)
		out = d
		return err
	})
	if err != nil { // what is late may still be at them
		return nil, look, err
	}
	return out, wait, nil
}

// mineOnly restricts a question to the destinations that this process can deliver to.
func (k *Keeper) mineOnly() (clause string, args []any) {
	names := k.Rules().delivering()
	slices.Sort(names)
	for _, name := range names {
		args = append(args, name)
	}
	return "destination IN (?" + strings.Repeat(", ?", len(names)-1) + ")", args
}

// ahead holds for the end of an escalation whose beginning has yet to be told, be it
// in a digest.
const ahead = `event = 'resolved' AND EXISTS (SELECT 1 FROM deliveries AS o LEFT JOIN deliveries AS g ON g.id = o.digest
	WHERE o.escalation = d.escalation AND o.event = 'opened' AND (o.state IN ('waiting', 'held') OR o.state = 'digested' AND g.state = 'waiting'))`

// due is the delivery that waits longest.
func (k *Keeper) due(tx *sql.Tx, now time.Time) (*delivery, error) {
	where, args := k.mineOnly()
	ms := store.Millis(now)
	d := &delivery{}
	// A time further ahead than any that is ever set comes from a clock that was wrong.
	err := tx.QueryRow(`SELECT id, escalation, destination, event, attempts, unsure FROM deliveries AS d
		WHERE state = 'waiting' AND (next_at <= ? OR next_at > ?) AND (lease <= ? OR lease > ?) AND `+where+` AND NOT (`+ahead+`)
		ORDER BY next_at, id LIMIT 1`, append([]any{ms, store.Millis(now.Add(maxAsked)), ms, store.Millis(now.Add(lease))}, args...)...).Scan(
		&d.id, &d.escalation, &d.destination, &d.event, &d.attempts, &d.unsure)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return d, err
}

// next is after what time something may be due.
func (k *Keeper) next(tx *sql.Tx, now time.Time) (time.Duration, error) {
	where, args := k.mineOnly()
	var at sql.NullInt64
	err := tx.QueryRow("SELECT min(max(next_at, lease)) FROM deliveries AS d WHERE state IN ('waiting', 'held') AND "+where+" AND NOT ("+ahead+")", args...).Scan(&at)
	if err != nil || !at.Valid {
		return look, err
	}
	return min(max(store.Time(at.Int64).Sub(now), 50*time.Millisecond), look), nil
}

// digest makes one delivery of those that were held back until now, and of what is
// held back with them.
func (k *Keeper) digest(tx *sql.Tx, now time.Time) error {
	for _, name := range k.Rules().delivering() {
		// A time further ahead than the window comes from a clock that was wrong.
		var n int
		err := tx.QueryRow("SELECT count(*) FROM deliveries WHERE state = 'held' AND destination = ? AND (next_at <= ? OR next_at > ?)",
			name, store.Millis(now), store.Millis(now.Add(k.Rules().Window))).Scan(&n)
		if err != nil {
			return err
		}
		for ; n > 0; n -= maxDigest {
			if err := k.bundle(tx, name, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// bundle lets the oldest of what is held back for a destination go: alone, or as a
// digest.
func (k *Keeper) bundle(tx *sql.Tx, destination string, now time.Time) error {
	const oldest = "id IN (SELECT id FROM deliveries WHERE state = 'held' AND destination = ? ORDER BY next_at, id LIMIT ?)"
	var n int
	err := tx.QueryRow("SELECT count(*) FROM deliveries WHERE state = 'held' AND destination = ?", destination).Scan(&n)
	if err != nil || n == 0 {
		return err
	}
	if n == 1 {
		_, err := tx.Exec("UPDATE deliveries SET state = 'waiting', next_at = ? WHERE "+oldest, store.Millis(now), destination, 1)
		return err
	}
	d := delivery{escalation: "digest_" + strings.ToLower(rand.Text()[:14]), destination: destination, event: eventDigest}
	if err := d.put(tx, waiting, now); err != nil {
		return err
	}
	_, err = tx.Exec("UPDATE deliveries SET state = 'digested', digest = ? WHERE "+oldest, d.escalation+"."+d.event, destination, maxDigest)
	return err
}

// contents are the records that a delivery is about, as they are now.
func (k *Keeper) contents(tx *sql.Tx, d delivery) ([]Record, error) {
	if d.event == eventDigest {
		return records(tx, "WHERE id IN (SELECT escalation FROM deliveries WHERE digest = ?) ORDER BY at, id", d.id)
	}
	return records(tx, "WHERE id = ?", d.escalation)
}

// outcome is how an attempt ended.
type outcome struct {
	ok      bool
	unsure  bool // it may have arrived all the same
	problem string
	after   time.Duration // what the other side asks to wait
	useless bool          // there is nothing to deliver
}

// settle keeps the outcome of an attempt, unless another process took over.
func (k *Keeper) settle(ctx context.Context, d delivery, o outcome) {
	if o.ok {
		k.opts.Log.Info("escalation delivered", "delivery", d.id, "destination", d.destination, "attempts", d.attempts)
	} else {
		k.opts.Log.Warn("escalation not delivered", "delivery", d.id, "destination", d.destination, "attempts", d.attempts, "reason", o.problem)
	}
	// The outcome is known, so it is kept even if the process is about to end.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	err := k.opts.Store.Update(ctx, func(tx *sql.Tx) error {
		now := k.opts.Now()
		state, err := k.nextState(tx, d, o, now)
		if err != nil {
			return err
		}
		wait := max(backoff(d.attempts), min(o.after, maxAsked))
		_, err = tx.Exec("UPDATE deliveries SET state = ?, unsure = ?, next_at = ?, lease = 0, problem = ? WHERE id = ? AND owner = ?",
			state, !o.ok && (o.unsure || d.unsure), store.Millis(now.Add(wait)), o.problem, d.id, d.owner)
		return err
	})
	if err != nil {
		k.opts.Log.Warn("the outcome of a delivery could not be kept; it will be repeated and marked so", "delivery", d.id)
	}
}

func (k *Keeper) nextState(tx *sql.Tx, d delivery, o outcome, now time.Time) (string, error) {
	switch {
	case o.ok:
		return done, nil
	case o.useless:
		return givenUp, nil
	}
	for _, r := range d.records {
		var state string
		err := tx.QueryRow("SELECT state FROM escalations WHERE id = ?", r.ID).Scan(&state)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return "", err
		}
		if err == nil && State(state) == Open || now.Sub(lastOf(r)) < patience {
			return waiting, nil
		}
	}
	return givenUp, nil
}

func lastOf(r Record) time.Time {
	if r.Resolution != nil {
		return r.Resolution.At
	}
	return r.OpenedAt
}

// backoff doubles, with jitter over its upper half.
func backoff(attempts int) time.Duration {
	d := min(firstPause<<min(attempts-1, 16), maxPause)
	return d/2 + time.Duration(randv2.Int64N(int64(d/2)))
}
