package journal_test

import (
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
func fill(t *testing.T, path string, calls int) {
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

// TestAnOutageOfADayIsReadAtOnce: a hundred thousand failures of one dependency keep
// nobody waiting, and no answer grows with them. What takes longer than a reader
// waits comes back unread, or as no streak at all.
func TestAnOutageOfADayIsReadAtOnce(t *testing.T) {
	const calls = 100_000
	path := filepath.Join(t.TempDir(), "journal.db")
	fill(t, path, calls)
	j := opened(t, path, store.Options{})
	best := time.Hour
	for range 5 {
		began := time.Now()
		l := j.List(t.Context(), journal.Query{Limit: 20})
		best = min(best, time.Since(began))
		if !l.Read || l.Total != calls || len(l.Records) != 20 || len(l.Totals) != 1 || l.Totals[0].Count != calls || len(l.Calls) != 1 || l.Calls[0].Calls != calls {
			t.Fatalf("read %v: %d of %d, %+v, %+v", l.Read, len(l.Records), l.Total, l.Totals, l.Calls)
		}
	}
	t.Logf("listed in %s", best)
	if best > time.Second { // a tenth of it where nobody else needs the processor
		t.Errorf("listed in %s", best)
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
