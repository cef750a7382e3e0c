// Package store is the one SQLite file in which frank remembers what must outlive
// a call or a process: the journal, the ledger of writes, escalations and learned
// names. Several processes share the file.
//
// The file is opened when it is first needed, never at the start. While it cannot
// be used (deleted, read-only, full, locked, damaged), a database in memory with
// the same tables stands in, [Store.Problem] says so, and what was kept there
// moves to the file once that works again. The package knows tables, not meanings,
// and never holds a lock while somebody waits for more than the file itself.
package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"time"
)

// Store is the file, or memory alone if it has no path. It is safe for
// concurrent use. The zero Store is not usable; see [Open].
type Store struct {
	path string
	opts Options
	turn chan struct{} // who has it uses the databases below

	file    *sql.DB
	opened  fs.FileInfo // what path was when file was opened
	memory  *sql.DB
	again   time.Time // when the file is tried again
	pruned  time.Time
	trouble trouble
}

// Options is what the path does not say. Zero fields are usable.
type Options struct {
	Now func() time.Time
	// Changed is told, in one line without values, when the file stops or starts to
	// be usable, and when it was damaged and set aside. It must not use the store.
	Changed func(problem string)
	// MaxAge and MaxBytes bound what is kept of calls and failures; zero values take
	// the defaults of 90 days and 64 MiB.
	MaxAge   time.Duration
	MaxBytes int64
	// MaxFile is the size in bytes beyond which the file never grows, whatever is in
	// it; past it the file counts as full. Zero takes four times MaxBytes.
	MaxFile int64
}

const (
	// pauseAfter is how long a file that failed is left alone.
	pauseAfter = 5 * time.Second
	// pruneEvery is how often a process that goes on for long drops what is too old
	// or too much.
	pruneEvery = time.Hour
)

// Open returns the store at path; an empty path keeps all in memory. Nothing is
// touched until the first [Store.Update] or [Store.View].
func Open(path string, o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxAge <= 0 {
		o.MaxAge = 90 * 24 * time.Hour
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 64 << 20
	}
	if o.MaxFile <= 0 {
		o.MaxFile = 4 * o.MaxBytes
	}
	return &Store{path: path, opts: o, turn: make(chan struct{}, 1)}
}

// Path is the file, or empty.
func (s *Store) Path() string { return s.path }

// Problem says in one line, without values, why the file is not used; empty if it
// is, if there is none to use, or if nobody has needed it yet.
func (s *Store) Problem() string { return s.trouble.text() }

// Incident says in one line, without values, what became of the file last while
// this process used it: that it was removed or damaged. Empty if nothing did.
func (s *Store) Incident() string { return s.trouble.incident() }

// Lost reports whether this process set a damaged file aside, so that what was in
// it cannot be seen any more.
func (s *Store) Lost() bool { return s.trouble.wasLost() }

// Durable reports whether what was just stored outlives the process.
func (s *Store) Durable() bool { return s.path != "" && s.trouble.text() == "" }

// Update runs f in a transaction that writes. If the file cannot be used, f runs
// again on memory, so it must depend on nothing but the transaction. The error is
// f's own, or that of ctx: then f may still be carried out, and whoever called must
// leave alone what f writes to.
func (s *Store) Update(ctx context.Context, f func(*sql.Tx) error) error {
	return s.bounded(ctx, func() error {
		err := s.run(updating, f)
		if err == nil && s.opts.Now().Sub(s.pruned) >= pruneEvery {
			s.tidy()
		}
		return err
	})
}

// View runs f in a transaction that reads. See [Store.Update].
func (s *Store) View(ctx context.Context, f func(*sql.Tx) error) error {
	return s.bounded(ctx, func() error {
		if s.path != "" && s.file == nil {
			if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) { // reading makes no file
				return s.onMemory(viewing, f)
			}
		}
		return s.run(viewing, f)
	})
}

// Close ends the use of the file. A store that is used afterwards opens it again.
func (s *Store) Close() error {
	return s.bounded(context.Background(), func() error {
		err := s.closeFile()
		if s.memory != nil {
			_ = s.memory.Close() // it holds nothing that stays
			s.memory = nil
		}
		return err
	})
}

// bounded does the work when it has the turn and lets nobody wait longer than ctx
// for a file system that hangs. What is late goes on alone and keeps the turn.
func (s *Store) bounded(ctx context.Context, work func() error) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-s.turn }()
		done <- work()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run uses the file if it can be used, else memory.
func (s *Store) run(m mode, f func(*sql.Tx) error) error {
	if s.path == "" {
		return s.onMemory(m, f)
	}
	if s.trouble.text() != "" && s.opts.Now().Before(s.again) {
		return s.onMemory(m, f)
	}
	err := s.onFile(m, f)
	if unusable(err) {
		s.fail(err)
		return s.onMemory(m, f)
	}
	return err
}

// onFile opens the file if need be and runs f there. A damaged file is set aside
// once. SQLite waits by itself for most locks, but not where two processes open a
// new file at the same time.
func (s *Store) onFile(m mode, f func(*sql.Tx) error) error {
	began := time.Now()
	for aside := false; ; {
		err := s.ready()
		if err == nil {
			err = transact(s.file, m, f)
		}
		switch {
		case locked(err) && time.Since(began) < lockedFor:
			time.Sleep(lockPause)
		case !damaged(err) || aside:
			return err
		default:
			if aside = true; s.setAside() != nil {
				return err
			}
		}
	}
}

const (
	// lockedFor is how long somebody else may keep the file locked.
	lockedFor = 2 * time.Second
	lockPause = 5 * time.Millisecond
)

// mode is whether a transaction writes. One that reads does not wait for writers.
type mode bool

const (
	updating mode = false
	viewing  mode = true
)

// transact makes f's reads and writes one.
func transact(db *sql.DB, m mode, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: bool(m)})
	if err != nil {
		return broken{err}
	}
	defer func() { _ = tx.Rollback() }() // without effect once it is committed
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return broken{err}
	}
	return nil
}
