package escalation

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/frank-mcp/frank/internal/store"
)

// Errors of [Keeper.Resolve] and [Keeper.Get].
var (
	ErrUnknown = errors.New("escalation: there is none with that id")
	ErrEnded   = errors.New("escalation: it was resolved or rejected before")
)

// records reads those that the clause selects.
func records(tx *sql.Tx, clause string, args ...any) ([]Record, error) {
	rows, err := tx.Query("SELECT state, count, record, resolution, resolved_by, resolved_at FROM escalations "+clause, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err tells
	var out []Record
	for rows.Next() {
		var (
			state, raw, note, by string
			count                int
			at                   int64
			r                    Record
		)
		if err := rows.Scan(&state, &count, &raw, &note, &by, &at); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(raw), &r); err != nil {
			return nil, err
		}
		r.State, r.Count = State(state), count
		if r.State != Open {
			r.Resolution = &Resolution{Outcome: r.State, Note: note, At: store.Time(at), By: by}
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// Get returns one escalation, or [ErrUnknown].
func (k *Keeper) Get(ctx context.Context, id string) (Record, error) {
	var out []Record
	err := k.opts.Store.View(ctx, func(tx *sql.Tx) (err error) {
		if out, err = records(tx, "WHERE id = ?", id); err == nil && len(out) == 1 {
			out[0].Delivery, err = deliveries(tx, id)
		}
		return err
	})
	if err != nil {
		return Record{}, err
	}
	if len(out) == 0 {
		return Record{}, ErrUnknown
	}
	return out[0], nil
}

func deliveries(tx *sql.Tx, id string) ([]Delivery, error) {
	rows, err := tx.Query(`SELECT id, event, state, attempts, next_at, problem FROM deliveries
		WHERE escalation = ?1 OR id IN (SELECT digest FROM deliveries WHERE escalation = ?1 AND digest <> '') ORDER BY event, id`, id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err tells
	var out []Delivery
	for rows.Next() {
		var d Delivery
		var at int64
		if err := rows.Scan(&d.ID, &d.Event, &d.State, &d.Attempts, &at, &d.Problem); err != nil {
			return nil, err
		}
		if d.State == waiting || d.State == held {
			next := store.Time(at)
			d.NextAt = &next
		}
		out = append(out, d)
	}
	return out, rows.Err()
}

// List returns the escalations that are open, or all, oldest first.
func (k *Keeper) List(ctx context.Context, all bool) ([]Record, error) {
	var out []Record
	err := k.opts.Store.View(ctx, func(tx *sql.Tx) (err error) {
		clause := "WHERE state = 'open' ORDER BY at, id"
		if all {
			clause = "ORDER BY at, id"
		}
		if out, err = records(tx, clause); err != nil {
			return err
		}
		for i := range out {
			if out[i].Delivery, err = deliveries(tx, out[i].ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil { // what is late may still be at out
		return nil, err
	}
	return out, nil
}

// Resolve ends an open escalation with a person's answer, and puts word of that
// into the outbox where its opening went the same way. The error is
// [ErrUnknown], [ErrEnded] or that of the store.
func (k *Keeper) Resolve(ctx context.Context, id string, by Resolution) (Record, error) {
	var out Record
	note, name := k.clean(by.Note, maxNote), k.clean(by.By, 100)
	err := k.opts.Store.Update(ctx, func(tx *sql.Tx) error {
		now := k.opts.Now().UTC().Truncate(time.Millisecond)
		found, err := records(tx, "WHERE id = ?", id)
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return ErrUnknown
		case found[0].State != Open:
			return ErrEnded
		}
		out = found[0]
		out.State, out.Resolution = by.Outcome, &Resolution{Outcome: by.Outcome, Note: note, At: now, By: name}
		if _, err := tx.Exec("UPDATE escalations SET state = ?, updated = ?, resolution = ?, resolved_by = ?, resolved_at = ? WHERE id = ?",
			string(by.Outcome), store.Millis(now), note, name, store.Millis(now), id); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow("SELECT count(*) FROM deliveries WHERE escalation = ? AND event = 'opened'", id).Scan(&n); err != nil || n == 0 {
			return err
		}
		return delivery{escalation: id, destination: out.Destination, event: eventResolved}.put(tx, waiting, now)
	})
	if err != nil {
		return Record{}, err
	}
	k.ended(out)
	k.Start(0)
	return out, nil
}

// ended tells of an end, once.
func (k *Keeper) ended(r Record) {
	k.mu.Lock()
	e := k.mine[r.ID]
	delete(k.mine, r.ID)
	k.mu.Unlock()
	e.Name, e.ID, e.At, e.State, e.Trigger, e.Kind, e.Destination = EventResolved, r.ID, r.Resolution.At, r.State, r.Trigger, r.Kind, r.Destination
	e.Elapsed = r.Resolution.At.Sub(r.OpenedAt)
	e.because(r.Failure)
	k.tell(e)
}

// Stats says how escalations went.
type Stats struct {
	Total     int           `json:"total"`
	Open      int           `json:"open"`
	Resolved  int           `json:"resolved"`
	Rejected  int           `json:"rejected"`
	Joined    int           `json:"joined"`         // times that an open one was escalated again
	Median    float64       `json:"median_seconds"` // from the opening to the end
	ByTrigger []TriggerStat `json:"by_trigger"`
	// Undelivered counts messages that have not arrived yet.
	Undelivered int `json:"undelivered"`
}

// TriggerStat is how the escalations of one trigger went.
type TriggerStat struct {
	Trigger  Trigger `json:"trigger"`
	Open     int     `json:"open"`
	Resolved int     `json:"resolved"`
	Rejected int     `json:"rejected"`
	Median   float64 `json:"median_seconds"`
}

// Stats counts all escalations that are kept.
func (k *Keeper) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	var all []Record
	err := k.opts.Store.View(ctx, func(tx *sql.Tx) (err error) {
		if all, err = records(tx, "ORDER BY at, id"); err != nil {
			return err
		}
		return tx.QueryRow("SELECT count(*) FROM deliveries WHERE state IN ('waiting', 'held')").Scan(&s.Undelivered)
	})
	if err != nil {
		return Stats{}, err
	}
	times := map[Trigger][]float64{}
	var every []float64
	for _, t := range Triggers() {
		row := TriggerStat{Trigger: t}
		for _, r := range all {
			if r.Trigger != t {
				continue
			}
			s.Total, s.Joined = s.Total+1, s.Joined+r.Count-1
			switch r.State {
			case Resolved:
				row.Resolved++
			case Rejected:
				row.Rejected++
			case Open:
				row.Open++
				continue
			}
			times[t] = append(times[t], r.Resolution.At.Sub(r.OpenedAt).Seconds())
		}
		row.Median = median(times[t])
		every = append(every, times[t]...)
		s.Open, s.Resolved, s.Rejected = s.Open+row.Open, s.Resolved+row.Resolved, s.Rejected+row.Rejected
		if row.Open+row.Resolved+row.Rejected > 0 {
			s.ByTrigger = append(s.ByTrigger, row)
		}
	}
	s.Median = median(every)
	return s, nil
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	if n := len(all); n%2 == 0 {
		return (all[n/2-1] + all[n/2]) / 2
	}
	return all[len(all)/2]
}
