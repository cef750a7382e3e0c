package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func add(t *testing.T, s *store.Store, id string) {
	t.Helper()
	err := s.Update(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO calls (id, at, tool, status, code) VALUES (?, ?, 'x', 'success', 'NONE')", id, time.Now().UnixMilli())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, s *store.Store) (n int) {
	t.Helper()
	if err := s.View(context.Background(), func(tx *sql.Tx) error { return tx.QueryRow("SELECT count(*) FROM calls").Scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWhatIsStoredOutlivesTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "journal.db")
	for i, id := range []string{"a", "b"} {
		s := store.Open(path, store.Options{})
		add(t, s, id)
		if n := count(t, s); n != i+1 || !s.Durable() {
			t.Errorf("%d rows, durable %v: %s", n, s.Durable(), s.Problem())
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestAFileThatIsRemovedOrDamagedIsReplacedAndSaidSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	var said []string
	s := store.Open(path, store.Options{Changed: func(what string) { said = append(said, what) }})
	defer func() { _ = s.Close() }()
	add(t, s, "a")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	add(t, s, "b")
	if n := count(t, s); n != 1 || len(said) != 1 {
		t.Errorf("%d rows, said %q", n, said)
	}
	_ = s.Close()
	if err := os.WriteFile(path, []byte("this is no database, and long enough to be looked at as one, as its header has a hundred bytes and more"), 0o600); err != nil {
		t.Fatal(err)
	}
	add(t, s, "c")
	if n := count(t, s); n != 1 || len(said) != 2 || !s.Durable() {
		t.Errorf("%d rows, said %q, problem %q", n, said, s.Problem())
	}
}

func TestWhatAnUnusableFileMissedIsMovedToItLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	now := time.Now()
	s := store.Open(filepath.Join(dir, "journal.db"), store.Options{Now: func() time.Time { return now }})
	defer func() { _ = s.Close() }()
	add(t, s, "a")
	if n := count(t, s); n != 1 || s.Durable() || s.Problem() == "" {
		t.Errorf("%d rows, durable %v", n, s.Durable())
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	add(t, s, "b")
	if n := count(t, s); n != 2 || !s.Durable() {
		t.Errorf("%d rows, problem %q", n, s.Problem())
	}
}

// TestManyOpenANewFileAtTheSameTime: none of them has to do without it.
func TestManyOpenANewFileAtTheSameTime(t *testing.T) {
	for range 10 {
		path := filepath.Join(t.TempDir(), "journal.db")
		var all sync.WaitGroup
		start := make(chan struct{})
		for i := range 8 {
			all.Go(func() {
				s := store.Open(path, store.Options{})
				defer func() { _ = s.Close() }()
				<-start
				err := s.Update(context.Background(), func(tx *sql.Tx) error {
					_, err := tx.Exec("INSERT INTO calls (id, at, tool, status, code) VALUES (?, ?, 'x', 'success', 'NONE')", fmt.Sprint(i), time.Now().UnixMilli())
					return err
				})
				if err != nil || !s.Durable() {
					t.Error(err, s.Problem())
				}
			})
		}
		close(start)
		all.Wait()
		s := store.Open(path, store.Options{})
		if n := count(t, s); n != 8 {
			t.Errorf("%d of 8 are in the file", n)
		}
		_ = s.Close()
	}
}
