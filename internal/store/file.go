package store

import (
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// broken is an error of the database itself, not of what was asked of it.
type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

var errNoFile = errors.New("store: not a regular file")

// unusable reports whether the file, and not the question, is at fault.
func unusable(err error) bool {
	if err == nil {
		return false
	}
	if code, ok := codeOf(err); ok {
		switch code {
		case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_RANGE, sqlite3.SQLITE_TOOBIG:
			return false
		}
		return true
	}
	var b broken
	var path *fs.PathError
	return errors.As(err, &b) || errors.As(err, &path) || errors.Is(err, errNoFile)
}

// damaged reports whether the file holds no database, or one that cannot be read.
func damaged(err error) bool {
	code, ok := codeOf(err)
	return ok && (code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB)
}

// locked reports whether another process has the file just now.
func locked(err error) bool {
	code, ok := codeOf(err)
	return ok && (code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED)
}

// codeOf is the primary result code of SQLite.
func codeOf(err error) (int, bool) {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.Code() & 0xff, true
}

// ready opens the file, or another one that took its place.
func (s *Store) ready() error {
	now, err := os.Stat(s.path)
	if s.file != nil {
		if err == nil && os.SameFile(now, s.opened) {
			return nil
		}
		_ = s.closeFile() // nobody else can reach it any more
		s.happened("the file was removed or replaced while frank was running; a new one is used", false)
	}
	if err == nil && !now.Mode().IsRegular() {
		return errNoFile
	}
	db, err := openFile(s.path, s.opts.MaxFile)
	if err != nil {
		return err
	}
	if err := s.prepare(db); err != nil {
		_ = db.Close() // the first error says why
		return err
	}
	if s.opened, err = os.Stat(s.path); err != nil {
		_ = db.Close()
		return err
	}
	s.file = db
	if s.trouble.set("") {
		s.opts.note("the file can be used again")
	}
	return nil
}

// openFile makes the file with its folder, both for this user alone.
func openFile(path string, limit int64) (*sql.DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	// WAL lets processes read while one writes. With synchronous(NORMAL) a killed
	// process loses nothing; a power cut may take the last transactions.
	settings := "_txlock=immediate&_pragma=busy_timeout(" + strconv.FormatInt(lockedFor.Milliseconds(), 10) + ")&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)" +
		"&_pragma=max_page_count(" + strconv.FormatInt(max(limit/pageSize, 1), 10) + ")"
	return openDatabase((&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: settings}).String())
}

// pageSize is SQLite's own default.
const pageSize = 4096

func openDatabase(name string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // [Store.bounded] lets one in at a time anyway
	return db, nil
}

// prepare brings the tables to this version, drops what is too old or too much, and
// moves there what was kept in memory while the file could not be used.
func (s *Store) prepare(db *sql.DB) error {
	if err := migrate(db); err != nil {
		return err
	}
	if err := s.prune(db, s.opts.MaxBytes); err != nil {
		return err
	}
	s.pruned = s.opts.Now()
	if s.memory == nil {
		return nil
	}
	if err := move(s.memory, db); err != nil {
		return broken{err}
	}
	_ = s.memory.Close() // it was moved
	s.memory = nil
	return nil
}

// maxMemory bounds what is kept while there is no file: at twice that much the older
// half goes at once.
const maxMemory = 16 << 20

// tidy does for a process that goes on what [Store.prepare] does at the start.
func (s *Store) tidy() {
	s.pruned = s.opts.Now()
	if s.file != nil {
		_ = s.prune(s.file, s.opts.MaxBytes) // whatever is wrong, the next use meets it
	}
	if s.memory != nil {
		_ = s.prune(s.memory, maxMemory)
	}
}

// inMemory is the stand-in.
func (s *Store) inMemory() *sql.DB {
	if s.memory != nil {
		return s.memory
	}
	db, err := openDatabase("file::memory:?_pragma=foreign_keys(1)&_pragma=max_page_count(" + strconv.Itoa(2*maxMemory/pageSize) + ")")
	if err == nil {
		err = migrate(db)
	}
	if err != nil { // SQLite itself does not work in this program
		panic(err)
	}
	s.memory = db
	return db
}

// onMemory runs f on the stand-in, and makes room there if it is full.
func (s *Store) onMemory(m mode, f func(*sql.Tx) error) error {
	db := s.inMemory()
	err := transact(db, m, f)
	if code, ok := codeOf(err); ok && code == sqlite3.SQLITE_FULL && s.prune(db, maxMemory) == nil {
		return transact(db, m, f)
	}
	return err
}

// fail notes why the file is not used from now on.
func (s *Store) fail(err error) {
	_ = s.closeFile() // it failed already
	s.again = s.opts.Now().Add(pauseAfter)
	if why := describe(err); s.trouble.set(why) {
		s.opts.note(why)
	}
}

// happened notes what became of the file, and whether what was in it is lost.
func (s *Store) happened(what string, lost bool) {
	s.trouble.mu.Lock()
	s.trouble.last, s.trouble.lost = what, s.trouble.lost || lost
	s.trouble.mu.Unlock()
	s.opts.note(what)
}

func (s *Store) closeFile() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// setAside renames a damaged file, so that a person can look at it and frank has
// a new one.
func (s *Store) setAside() error {
	_ = s.closeFile()
	to := s.path + ".damaged-" + strconv.FormatInt(s.opts.Now().Unix(), 10)
	if err := os.Rename(s.path, to); err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Rename(s.path+suffix, to+suffix) // they may not be there
	}
	s.happened("the file was damaged and set aside under another name; a new one is used", true)
	return nil
}

// describe words an error without its text, which may quote a path.
func describe(err error) string {
	code, _ := codeOf(err)
	switch {
	case locked(err):
		return "another process keeps the file locked"
	case code == sqlite3.SQLITE_READONLY || code == sqlite3.SQLITE_PERM || errors.Is(err, fs.ErrPermission):
		return "the file or its folder may not be written"
	case code == sqlite3.SQLITE_FULL:
		return "there is no room left for the file"
	case damaged(err):
		return "the file is damaged"
	case errors.Is(err, errTooNew):
		return "the file was written by a newer version of frank"
	case errors.Is(err, errNoFile):
		return "its path is no regular file"
	default:
		return "the file cannot be opened, read or written"
	}
}

func (o Options) note(what string) {
	if o.Changed != nil {
		o.Changed(what)
	}
}

// trouble is why the file is not used, and what became of it before.
type trouble struct {
	mu   sync.Mutex
	why  string
	last string // incident
	lost bool
}

func (t *trouble) incident() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

func (t *trouble) wasLost() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

func (t *trouble) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}

// set reports whether that is news.
func (t *trouble) set(why string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	news := t.why != why
	t.why = why
	return news
}
