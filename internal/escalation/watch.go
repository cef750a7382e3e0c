package escalation

import (
	"context"
	"database/sql"
	"time"

	"github.com/frank-mcp/frank/internal/store"
)

// Watch looks for changes, be they by other processes, while somebody wants to
// know: whoever subscribed, or who takes events of what this process opened. It
// returns at once and may be called at any time.
func (k *Keeper) Watch() {
	if !k.wanted() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.watching || k.closed {
		return
	}
	k.watching = true
	since := k.opts.Now()
	k.busy.Go(func() { k.watch(since) })
}

func (k *Keeper) wanted() bool {
	if k.opts.Changed != nil && k.opts.Watched != nil && k.opts.Watched() {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.opts.OnEvent != nil && len(k.mine) > 0
}

func (k *Keeper) watch(since time.Time) {
	seen := map[string]mark{}
	tick := time.NewTicker(k.opts.Poll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-k.quit:
			return
		}
		if now := k.opts.Now(); now.Before(since) { // the clock was set back
			since = now.Add(-2 * k.opts.Poll)
		}
		seen = k.changes(since, seen)
		if k.over() {
			return
		}
	}
}

// over ends the watch if nobody wants it; who comes later begins another.
func (k *Keeper) over() bool {
	if k.wanted() {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.watching = false
	return true
}

// mark is what an escalation looked like.
type mark struct {
	state   State
	updated int64
}

// changes tells of what was changed since that time and is not marked.
func (k *Keeper) changes(since time.Time, seen map[string]mark) map[string]mark {
	now := map[string]mark{}
	ctx, cancel := context.WithTimeout(k.ctx, k.opts.Poll)
	defer cancel()
	err := k.opts.Store.View(ctx, func(tx *sql.Tx) error {
		clear(now)
		rows, err := tx.Query("SELECT id, state, updated FROM escalations WHERE updated >= ?", store.Millis(since))
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // Err tells
		for rows.Next() {
			var id string
			var m mark
			if err := rows.Scan(&id, &m.state, &m.updated); err != nil {
				return err
			}
			now[id] = m
		}
		return rows.Err()
	})
	if err != nil {
		return seen
	}
	for id, m := range now {
		if seen[id] != m {
			k.changed(id, m)
		}
	}
	return now
}

func (k *Keeper) changed(id string, m mark) {
	if k.opts.Changed != nil {
		k.opts.Changed(id)
	}
	k.mu.Lock()
	_, own := k.mine[id]
	k.mu.Unlock()
	if !own || m.state == Open {
		return
	}
	if r, err := k.Get(k.ctx, id); err == nil && r.Resolution != nil {
		k.ended(r)
	}
}
