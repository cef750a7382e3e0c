// Package learn keeps other spellings of names: where a reference failed and then
// succeeded in another spelling, that is a suggestion, which a person may promote.
//
// A suggestion stays in the shadow: nothing uses it until it has repeated and a
// person has promoted it, and one that was rejected never comes back. The package
// holds names of containers and documents only, never a query, a body or a title,
// and keeps none that the scrubber would change. It decides nothing about an
// answer, and no call fails because of it.
package learn

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/frank-mcp/frank/internal/scrub"
	"github.com/frank-mcp/frank/internal/store"
)

// State is what became of a suggestion. The words are those of the table and of
// frank learn; they are no reasons of failures.
type State string

// The states.
const (
	Shadow   State = "shadow"
	Promoted State = "promoted"
	Rejected State = "rejected"
	// scrubFailed marks the one row that counts suggestions which were not kept.
	scrubFailed State = "scrub_failed"
)

// Why a suggestion is not promoted, as frank learn says it.
const (
	InsufficientRepeatedSuccess = "insufficient_repeated_success"
	PromotionRejected           = "promotion_rejected"
	ScrubFailed                 = "scrub_failed"
)

// The kinds of names.
const (
	Project = "project"
	Repo    = "repo"
	Space   = "space"
	Ref     = "ref" // a document by its path or title
)

// Needed is how many different calls must have succeeded in the other spelling
// before a suggestion may be promoted.
const Needed = 3

// Alias is one other spelling of a name in one source.
type Alias struct {
	ID     string    `json:"id"` // 8 hex digits, made from the next four
	Source string    `json:"source"`
	Kind   string    `json:"kind"`
	Said   string    `json:"said"` // in lower case: the case of a name never matters here
	Meant  string    `json:"meant"`
	State  State     `json:"state"`
	Seen   int       `json:"seen"` // in how many calls
	First  time.Time `json:"first_at"`
	Last   time.Time `json:"last_at"`
}

// Waits says why the alias is not promotable, or is empty.
func (a Alias) Waits() string {
	switch {
	case a.State == Rejected:
		return PromotionRejected
	case a.State == Shadow && a.Seen < Needed:
		return InsufficientRepeatedSuccess
	}
	return ""
}

// Names is what one process knows of aliases. It is safe for concurrent use. Nil
// knows none and learns nothing, and so does one whose store has no file: what no
// person can promote is of no use.
type Names struct {
	store *store.Store
	now   func() time.Time
	dirty func(string) bool

	mu       sync.Mutex
	promoted []Alias
	read     time.Time // when promoted was read
	misses   map[string][]Miss
}

// fresh is how long what was read of the file is believed, so that most calls do
// not look at it and a promotion counts at once for a person.
const fresh = time.Second

// patience bounds how long a call waits for the file.
const patience = 500 * time.Millisecond

// Open returns the names in the store. Redact takes out secrets that this process
// knows; it may be nil. Nothing is opened before a call needs it.
func Open(s *store.Store, now func() time.Time, redact func(string) string) *Names {
	if s.Path() == "" {
		return nil
	}
	return &Names{store: s, now: now, misses: map[string][]Miss{}, dirty: func(text string) bool {
		return scrub.Dirty(text) || redact != nil && redact(text) != text
	}}
}

// Meant lists the promoted aliases of that name, of all sources. A file that is not
// there is not made, and one that does not answer in time knows none.
func (n *Names) Meant(ctx context.Context, kind, said string) []Alias {
	if n == nil || said == "" {
		return nil
	}
	var out []Alias
	for _, a := range n.current(ctx) {
		if a.Kind == kind && strings.EqualFold(a.Said, said) {
			out = append(out, a)
		}
	}
	return out
}

// current is what is promoted, not older than fresh.
func (n *Names) current(ctx context.Context) []Alias {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := n.now(); now.Sub(n.read) >= fresh || now.Before(n.read) {
		n.read = now
		if _, err := os.Stat(n.store.Path()); errors.Is(err, fs.ErrNotExist) {
			n.promoted = nil
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if all, err := n.query(ctx, "WHERE state = 'promoted'"); err == nil {
			n.promoted = all
		}
	}
	return n.promoted
}

func (n *Names) query(ctx context.Context, where string) ([]Alias, error) {
	var out []Alias
	err := n.store.View(ctx, func(tx *sql.Tx) error {
		out = nil // f may run twice
		rows, err := tx.Query("SELECT source, kind, said, meant, state, seen, first_at, last_at FROM aliases " + where + " ORDER BY state, seen DESC, last_at DESC, source, kind, said, meant")
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // Err tells
		for rows.Next() {
			var a Alias
			var first, last int64
			if err := rows.Scan(&a.Source, &a.Kind, &a.Said, &a.Meant, &a.State, &a.Seen, &first, &last); err != nil {
				return err
			}
			a.ID, a.First, a.Last = identify(a), store.Time(first), store.Time(last)
			out = append(out, a)
		}
		return rows.Err()
	})
	if err != nil { // what is late may still be at out
		return nil, err
	}
	return out, nil
}

func identify(a Alias) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{a.Source, a.Kind, a.Said, a.Meant}, "\x00")))
	return hex.EncodeToString(sum[:4])
}
