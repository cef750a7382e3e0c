package journal_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/internal/store"
)

// fill stores so many failed calls of one day, all of one dependency and one
// session, as an outage leaves them.
func fill(t testing.TB, path string, calls int) {
	t.Helper()
	s := store.Open(path, store.Options{})
	defer func() { _ = s.Close() }()
	err := s.Update(t.Context(), func(tx *sql.Tx) error {
		call, err := tx.Prepare("INSERT INTO calls (id, at, tool, status, code, session) VALUES (?, ?, 'tracker_search', 'access_failure', 'SOURCE_UNRELIABLE', 'aa')")
		if err != nil {
			return err
		}
		failure, err := tx.Prepare(`INSERT INTO failures (call_id, n, at, tool, source, stage, reason, code, severity, outcome, retryable, fingerprint)
			VALUES (?, 0, ?, 'tracker_search', 'gh', 'execute', 'timeout', 'SOURCE_UNRELIABLE', 'recoverable', 'access_failure', 1, '3f9c2a71')`)
		if err != nil {
			return err
		}
		began := time.Now().Add(-12 * time.Hour)
		for i := range calls {
			id, at := fmt.Sprintf("call-%d", i), began.Add(time.Duration(i)*100*time.Millisecond).UnixMilli()
			if _, err := call.Exec(id, at); err != nil {
				return err
			}
			if _, err := failure.Exec(id, at); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoAnswerGrowsWithAnOutage: thousands of failures of one dependency are counted
// and named in a few rows. BenchmarkOutage shows what a hundred thousand take.
func TestNoAnswerGrowsWithAnOutage(t *testing.T) {
	const calls = 3_000
	path := filepath.Join(t.TempDir(), "journal.db")
	fill(t, path, calls)
	j := opened(t, path, store.Options{})
	l := j.List(t.Context(), journal.Query{Limit: 20})
	if !l.Read || l.Total != calls || len(l.Records) != 20 || len(l.Totals) != 1 || l.Totals[0].Count != calls || len(l.Calls) != 1 || l.Calls[0].Calls != calls {
		t.Fatalf("read %v: %d of %d, %+v, %+v", l.Read, len(l.Records), l.Total, l.Totals, l.Calls)
	}
	if n := j.Streak(t.Context(), "3f9c2a71"); n != 100 {
		t.Errorf("a streak of %d", n)
	}
	if got := j.Actions(t.Context(), "aa", time.Now().Add(-13*time.Hour), 50); len(got) != 50 || got[49].CallID != fmt.Sprint("call-", calls-1) {
		t.Errorf("%d actions", len(got))
	}
	if got := j.Actions(t.Context(), "bb", time.Now().Add(-13*time.Hour), 50); len(got) != 0 {
		t.Errorf("%d actions of nobody", len(got))
	}
	j.Note(journal.Call{At: time.Now(), ID: "well", Tool: "repo_list", Status: "success", Code: "NONE", Answered: []string{"gh"}})
	j.Note(failed("again", "aa"))
	if n := j.Streak(t.Context(), "3f9c2a71"); n > 1 {
		t.Errorf("a streak of %d after a success", n)
	}
}

// BenchmarkOutage reads a day's outage of a hundred thousand calls: the list with its
// totals, and the streak of the dependency.
func BenchmarkOutage(b *testing.B) {
	path := filepath.Join(b.TempDir(), "journal.db")
	fill(b, path, 100_000)
	s := store.Open(path, store.Options{})
	j := journal.Open(s, journal.Options{})
	b.Cleanup(func() { _, _ = j.Close(context.Background()), s.Close() })
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if l := j.List(b.Context(), journal.Query{Limit: 20}); !l.Read {
				b.Fatal("unread")
			}
		}
	})
	b.Run("streak", func(b *testing.B) {
		for b.Loop() {
			j.Streak(b.Context(), "3f9c2a71")
		}
	})
}
