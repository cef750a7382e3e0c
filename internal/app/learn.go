package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/frank-mcp/frank/internal/learn"
	"github.com/frank-mcp/frank/internal/store"
)

// Alias is one other spelling of a name.
type Alias = learn.Alias

// States of an alias, and why there is one suggestion less.
const (
	AliasPromoted = learn.Promoted
	ScrubFailed   = learn.ScrubFailed
)

// Names is the person's side of what was learned: it opens the file of the user's
// state and needs no configuration. Close it after use.
type Names struct {
	*learn.Names
	store *store.Store
}

// OpenNames opens the names in the journal at path, which must not be empty.
func OpenNames(path string) Names {
	s := store.Open(path, store.Options{})
	return Names{learn.Open(s, time.Now, nil), s}
}

// List lists nothing where there is no file, and makes none.
func (n Names) List(ctx context.Context) ([]Alias, int, error) {
	if _, err := os.Stat(n.store.Path()); errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	return n.Names.List(ctx)
}

// Problem says why the file is not used, if it is not.
func (n Names) Problem() string { return n.store.Problem() }

// Close ends the use of the file.
func (n Names) Close() error { return n.store.Close() }
