package learn

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/frank-mcp/frank/internal/store"
)

// Refusals of [Names.Promote] and [Names.Reject], worded for a person.
var (
	ErrUnknown      = errors.New("there is no such suggestion; frank learn list shows all")
	ErrSeveral      = errors.New("several suggestions have this name; give the id that frank learn list shows")
	ErrInsufficient = errors.New(InsufficientRepeatedSuccess + ": it has not repeated often enough; --force promotes it all the same")
	ErrRejected     = errors.New(PromotionRejected + ": it was rejected before; --force promotes it all the same")
	ErrTaken        = errors.New("the name is a promoted alias of something else in this source; reject that first")
	ErrNotKept      = errors.New("the file cannot be used, so that the decision would not outlive this command")
)

// List returns all aliases, promoted ones first among those of equal use, and how
// many suggestions were not kept because they could not be scrubbed.
func (n *Names) List(ctx context.Context) (all []Alias, unscrubbed int, err error) {
	rows, err := n.query(ctx, "")
	for _, a := range rows {
		if a.State == scrubFailed {
			unscrubbed += a.Seen
		} else {
			all = append(all, a)
		}
	}
	return all, unscrubbed, err
}

// Promote lets calls use the alias with that id, or the only one that was said so.
func (n *Names) Promote(ctx context.Context, name string, force bool) (Alias, error) {
	return n.decide(ctx, name, Promoted, func(a Alias, all []Alias) error {
		for _, o := range all {
			if o.State == Promoted && o.ID != a.ID && o.Source == a.Source && o.Kind == a.Kind && o.Said == a.Said {
				return ErrTaken
			}
		}
		switch {
		case force || a.Waits() == "":
			return nil
		case a.State == Rejected:
			return ErrRejected
		default:
			return ErrInsufficient
		}
	})
}

// Reject ends the use of the alias and keeps it from being suggested again.
func (n *Names) Reject(ctx context.Context, name string) (Alias, error) {
	return n.decide(ctx, name, Rejected, func(Alias, []Alias) error { return nil })
}

func (n *Names) decide(ctx context.Context, name string, to State, check func(a Alias, all []Alias) error) (Alias, error) {
	all, _, err := n.List(ctx)
	if err != nil {
		return Alias{}, err
	}
	a, err := pick(all, name)
	if err != nil {
		return a, err
	}
	if err := check(a, all); err != nil {
		return a, err
	}
	a.State = to
	err = n.store.Update(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE aliases SET state = ?, last_at = ? WHERE source = ? AND kind = ? AND said = ? AND meant = ?",
			to, store.Millis(n.now()), a.Source, a.Kind, a.Said, a.Meant)
		return err
	})
	if err == nil && n.store.Problem() != "" {
		err = ErrNotKept
	}
	n.mu.Lock()
	n.read = store.Time(0) // this process uses it from now on
	n.mu.Unlock()
	return a, err
}

// pick finds an alias by its id, or by what was said if that is one alias only.
func pick(all []Alias, name string) (Alias, error) {
	var said []Alias
	for _, a := range all {
		if a.ID == name {
			return a, nil
		}
		if strings.EqualFold(a.Said, name) {
			said = append(said, a)
		}
	}
	switch len(said) {
	case 0:
		return Alias{}, ErrUnknown
	case 1:
		return said[0], nil
	default:
		return Alias{}, ErrSeveral
	}
}
