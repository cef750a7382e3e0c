package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/store"
)

// raw opens the file as another program would.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(2000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func do(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

func number(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAnOlderFileIsBroughtForward: an empty one, and one with tables of somebody
// else's making at version 0, which stay.
func TestAnOlderFileIsBroughtForward(t *testing.T) {
	for name, prepare := range map[string]func(path string){
		"empty": func(path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"version 0": func(path string) {
			db := raw(t, path)
			do(t, db, "CREATE TABLE kept (x)")
			do(t, db, "INSERT INTO kept VALUES (7)")
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.db")
			prepare(path)
			s := store.Open(path, store.Options{})
			defer func() { _ = s.Close() }()
			add(t, s, "a")
			if n := count(t, s); n != 1 || !s.Durable() {
				t.Errorf("%d rows, %q", n, s.Problem())
			}
			if v := number(t, raw(t, path), "PRAGMA user_version"); v < 1 {
				t.Errorf("version %d", v)
			}
			if name == "version 0" && number(t, raw(t, path), "SELECT x FROM kept") != 7 {
				t.Error("what was there is gone")
			}
		})
	}
}

// TestANewerFileIsLeftAlone: this version does not know what is in it.
func TestANewerFileIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	db := raw(t, path)
	do(t, db, "CREATE TABLE calls (of, another, kind)")
	do(t, db, "PRAGMA user_version = 999")
	s := store.Open(path, store.Options{})
	defer func() { _ = s.Close() }()
	add(t, s, "a")
	if n := count(t, s); n != 1 || s.Durable() || !strings.Contains(s.Problem(), "newer version") {
		t.Errorf("%d rows, %q", n, s.Problem())
	}
	if n := number(t, db, "SELECT count(*) FROM calls"); n != 0 {
		t.Errorf("%d rows were written into it", n)
	}
	if aside, err := filepath.Glob(path + ".damaged*"); err != nil || len(aside) != 0 {
		t.Errorf("it was set aside: %v, %v", aside, err)
	}
}

// call inserts a call of that time.
func call(t *testing.T, s *store.Store, id string, at time.Time, size int) {
	t.Helper()
	err := s.Update(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO calls (id, at, tool, status, code) VALUES (?, ?, ?, 'success', 'NONE')", id, at.UnixMilli(), strings.Repeat("x", size))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOldCallsAreDropped: at the start, and by a process that goes on for long.
// What is open stays.
func TestOldCallsAreDropped(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "journal.db")
	o := store.Options{MaxAge: 24 * time.Hour, Now: func() time.Time { return now }}
	s := store.Open(path, o)
	call(t, s, "first", now, 1)
	err := s.Update(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO escalations (id, at, updated, trigger, destination, join_key, state, record) VALUES ('open', 0, 0, '', '', 'a', 'open', ''), ('over', 0, 0, '', '', 'b', 'resolved', '')")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(25 * time.Hour)
	call(t, s, "second", now, 1)
	if n := count(t, s); n != 1 {
		t.Errorf("%d calls while it goes on", n)
	}
	if n := number(t, raw(t, path), "SELECT count(*) FROM escalations"); n != 1 {
		t.Errorf("%d escalations", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	now = now.Add(25 * time.Hour)
	s = store.Open(path, o)
	defer func() { _ = s.Close() }()
	if n := count(t, s); n != 0 {
		t.Errorf("%d calls after a start", n)
	}
}

// TestALargeFileLosesItsOlderHalf: once, as its pages are used again; and it never
// grows beyond its last limit.
func TestALargeFileLosesItsOlderHalf(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "journal.db")
	o := store.Options{MaxBytes: 320 << 10, Now: func() time.Time { return now }}
	s := store.Open(path, o)
	for i := range 100 {
		call(t, s, fmt.Sprint(i), now.Add(time.Duration(i)*time.Second), 3000)
	}
	for range 3 {
		now = now.Add(2 * time.Hour)
		call(t, s, "last"+now.String(), now, 1)
	}
	if n := count(t, s); n != 50+3 && n != 51+3 {
		t.Errorf("%d calls", n)
	}
	if n := number(t, raw(t, path), "SELECT count(*) FROM calls WHERE id = '99'"); n != 1 {
		t.Error("a new one is gone")
	}
	for i := range 600 {
		call(t, s, "more"+fmt.Sprint(i), now, 3000)
	}
	if !strings.Contains(s.Problem(), "no room left") {
		t.Errorf("problem %q", s.Problem())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 4*o.MaxBytes {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
}

// TestReadingDoesNotWaitForAWriter of another process.
func TestReadingDoesNotWaitForAWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	s := store.Open(path, store.Options{})
	defer func() { _ = s.Close() }()
	add(t, s, "a")
	db := raw(t, path)
	db.SetMaxOpenConns(1)
	do(t, db, "BEGIN IMMEDIATE")
	ctx, stop := context.WithTimeout(t.Context(), time.Second) // less than a writer waits
	defer stop()
	n := 0
	err := s.View(ctx, func(tx *sql.Tx) error { return tx.QueryRow("SELECT count(*) FROM calls").Scan(&n) })
	if err != nil || n != 1 || !s.Durable() {
		t.Errorf("%d, %v, %q", n, err, s.Problem())
	}
	do(t, db, "ROLLBACK")
}

// TestMemoryIsBoundedToo: where there is no file, the older half goes as soon as there
// is too much, and no call is lost for that.
func TestMemoryIsBoundedToo(t *testing.T) {
	at := time.Now().Add(-time.Hour)
	s := store.Open("", store.Options{})
	defer func() { _ = s.Close() }()
	const calls = 1300
	for i := range calls {
		call(t, s, fmt.Sprint(i), at.Add(time.Duration(i)*time.Second), 60_000)
	}
	var kept, pages int
	err := s.View(t.Context(), func(tx *sql.Tx) error {
		if err := tx.QueryRow("SELECT count(*) FROM calls WHERE id = ?", fmt.Sprint(calls-1)).Scan(&kept); err != nil {
			return err
		}
		return tx.QueryRow("PRAGMA page_count").Scan(&pages)
	})
	if err != nil || kept != 1 || pages*4096 > 40<<20 {
		t.Errorf("the newest is kept %d times, in %d bytes, %v", kept, pages*4096, err)
	}
}
