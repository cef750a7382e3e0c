package learn

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/store"
)

// Miss is a name that could not be resolved.
type Miss struct {
	Kind string
	Said string
	// Sources could not resolve it; an empty name stands for all that were not asked,
	// because none could have it.
	Sources []string
	at      time.Time
}

// Hit is a name under which a source answered.
type Hit struct {
	Kind   string
	Name   string
	Source string
}

// Bounds of what is remembered of misses.
const (
	window      = 15 * time.Minute // between a miss and the hit that explains it
	maxMisses   = 20               // of one session
	maxSessions = 200
	maxName     = 256 // runes
	maxShadows  = 500 // rows; the oldest give way
)

// Missed remembers a miss of that session, in memory only.
func (n *Names) Missed(session string, m Miss) {
	if n == nil || !usable(m.Said) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	m.at = n.now()
	if _, known := n.misses[session]; !known && len(n.misses) >= maxSessions {
		n.forget()
	}
	all := slices.DeleteFunc(n.misses[session], func(o Miss) bool {
		return o.Kind == m.Kind && strings.EqualFold(o.Said, m.Said) || m.at.Sub(o.at) > window
	})
	if all = append(all, m); len(all) > maxMisses {
		all = all[len(all)-maxMisses:]
	}
	n.misses[session] = all
}

// forget drops the sessions whose last miss explains nothing any more, and the one
// with the oldest if there is none. The caller holds the lock.
func (n *Names) forget() {
	oldest, at := "", n.now()
	for session, all := range n.misses {
		last := all[len(all)-1].at
		if n.now().Sub(last) > window {
			delete(n.misses, session)
		} else if last.Before(at) {
			oldest, at = session, last
		}
	}
	if len(n.misses) >= maxSessions {
		delete(n.misses, oldest)
	}
}

// Found records that a name which was missed in that session was found in another
// spelling, if it was: in a source that had not resolved it, within a quarter of an
// hour, and [Plausible]. Each miss explains one hit. What cannot be stored is lost.
func (n *Names) Found(ctx context.Context, session string, h Hit) {
	if n == nil || !usable(h.Name) {
		return
	}
	for _, said := range n.explained(session, h) {
		n.suggest(ctx, Alias{Source: h.Source, Kind: h.Kind, Said: said, Meant: h.Name})
	}
}

// explained takes the misses that the hit explains.
func (n *Names) explained(session string, h Hit) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.misses[session]) == 0 {
		return nil
	}
	var said []string
	now := n.now()
	left := slices.DeleteFunc(n.misses[session], func(m Miss) bool {
		if now.Sub(m.at) > window {
			return true
		}
		if m.Kind != h.Kind {
			return false
		}
		if strings.EqualFold(m.Said, h.Name) { // it works now: there was nothing wrong with the name
			return true
		}
		if !slices.Contains(m.Sources, h.Source) && !slices.Contains(m.Sources, "") || !Plausible(m.Said, h.Name) {
			return false
		}
		said = append(said, m.Said)
		return true
	})
	if n.misses[session] = left; len(left) == 0 {
		delete(n.misses, session)
	}
	return said
}

// suggest counts the alias, or, where the scrubber would change one of the names,
// only that there was one. A rejected alias stays as it is.
func (n *Names) suggest(ctx context.Context, a Alias) {
	a.State = Shadow
	if n.dirty(a.Said) || n.dirty(a.Meant) || n.dirty(a.Said+" "+a.Meant) {
		a.Said, a.Meant, a.State = "", "", scrubFailed
	}
	a.Said = strings.ToLower(a.Said)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	now := store.Millis(n.now())
	_ = n.store.Update(ctx, func(tx *sql.Tx) error { // a suggestion that cannot be kept comes again
		_, err := tx.Exec(`INSERT INTO aliases (source, kind, said, meant, state, seen, first_at, last_at) VALUES (?, ?, ?, ?, ?, 1, ?, ?)
			ON CONFLICT DO UPDATE SET seen = seen + 1, last_at = excluded.last_at WHERE state <> 'rejected'`,
			a.Source, a.Kind, a.Said, a.Meant, a.State, now, now)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM aliases WHERE state = 'shadow' AND rowid NOT IN (SELECT rowid FROM aliases WHERE state = 'shadow' ORDER BY last_at DESC LIMIT ?)`, maxShadows)
		return err
	})
}

// usable is false for what is no name: too long, or more than one line.
func usable(name string) bool {
	return name != "" && utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxName && !strings.ContainsFunc(name, unicode.IsControl)
}
