package app

import (
	"context"
	"database/sql"
	"log/slog"
	"sync"
	"time"

	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/internal/store"
)

// closeWithin bounds what the end of a command may take.
const closeWithin = 5 * time.Second

// remember wires what outlives a call. It opens no file.
func (a *App) remember() {
	w := &warner{log: a.options.Log}
	limits := a.options.Limits
	limits.Now, limits.Changed = a.options.Now, w.changed
	a.Store = store.Open(a.options.Journal, limits)
	w.store = a.Store
	a.Deps.Journal = journal.Open(a.Store, journal.Options{Clean: a.vault.text, Changed: w.lost})
}

// Close lets leave what is queued, stores what is still to be stored and closes
// the file. It does not wait longer than ctx or a few seconds. The app must not be used any more.
func (a *App) Close(ctx context.Context) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer stop()
	late := a.Deps.Journal.Close(ctx) // before what may wait for somebody else
	a.deliver(ctx)
	a.telemetry.Load().Close(ctx)
	if late != nil {
		a.options.Log.Error("the journal could not be written in time; some records are lost")
		return nil // the store is in use, and the process ends
	}
	return a.Store.Close()
}

// CheckJournal finds out whether the journal can be written, so that the manifest
// can tell. It makes the file if there is none.
func (a *App) CheckJournal(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, closeWithin)
	defer stop()
	_ = a.Store.Update(ctx, func(*sql.Tx) error { return nil }) // Problem tells
}

// notes are what the manifest says of the server itself.
func (a *App) notes() []string {
	if why := a.Deps.Journal.Problem(); why != "" {
		return []string{"journal: " + why}
	}
	return nil
}

// warner logs what happens to the journal's file. A command shows errors only, and
// that nothing is recorded must be seen there too.
type warner struct {
	log   *slog.Logger
	store *store.Store

	mu     sync.Mutex
	before string // the problem that was told last
}

func (w *warner) changed(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, level := w.store.Problem(), slog.LevelError
	if w.before != "" && now == "" {
		level = slog.LevelInfo
	}
	w.before = now
	w.log.Log(context.Background(), level, "journal", "what", what)
}

func (w *warner) lost(what string) { w.log.Error("journal", "what", what) }
