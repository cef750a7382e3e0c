package journal_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/internal/store"
	"github.com/frank-mcp/frank/status"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// opened is a journal over a file, or over memory where path is empty.
func opened(t *testing.T, path string, o store.Options) *journal.Journal {
	t.Helper()
	s := store.Open(path, o)
	j := journal.Open(s, journal.Options{})
	t.Cleanup(func() {
		if err := j.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func timeout(callID string) journal.Record {
	return journal.Record{At: noon, CallID: callID, Tool: "tracker_search", Source: "gh", Reason: "timeout", Code: "SOURCE_UNRELIABLE", Retryable: true, Fingerprint: "3f9c2a71"}
}

func failed(id, session string) journal.Call {
	return journal.Call{At: noon, ID: id, Tool: "tracker_search", Status: "access_failure", Code: "SOURCE_UNRELIABLE", Session: session, Failures: []journal.Record{timeout(id)}}
}

func TestActionsAreThoseOfTheSessionInTheirOrder(t *testing.T) {
	j := opened(t, "", store.Options{})
	for i := range 5 {
		j.Note(failed(fmt.Sprintf("call-%d", i), "aa"))
		j.Note(failed(fmt.Sprintf("other-%d", i), "bb"))
	}
	j.Note(journal.Call{At: noon, ID: "good", Tool: "repo_list", Status: "success", Code: "NONE", Session: "aa"})
	got := j.Actions(t.Context(), "aa", noon, 3)
	if len(got) != 3 || got[0].CallID != "call-3" || got[1].Reason != "timeout" || got[1].Source != "gh" || got[2] != (journal.Action{At: noon, Tool: "repo_list", Status: "success", Code: "NONE", CallID: "good"}) {
		t.Errorf("%+v", got)
	}
	if got := j.Actions(t.Context(), "aa", noon.Add(time.Second), 3); len(got) != 0 {
		t.Errorf("later: %+v", got)
	}
}

// A dependency that answers or recovers in between has no streak; what another one
// does, what cannot be retried and what is long ago does not count.
func TestAStreakEndsWhenTheSourceAnswers(t *testing.T) {
	j := opened(t, "", store.Options{})
	streak := func(want int, after string) {
		t.Helper()
		if got := j.Streak(t.Context(), "3f9c2a71"); got != want {
			t.Errorf("after %s: %d, not %d", after, got, want)
		}
	}
	streak(0, "nothing")
	old := failed("old", "")
	old.Failures[0].At = noon.Add(-25 * time.Hour)
	j.Note(old)
	for i := range 3 {
		j.Note(failed(fmt.Sprint("a", i), ""))
	}
	j.Note(journal.Call{At: noon, ID: "elsewhere", Answered: []string{"gh2", "g"}})
	denied := failed("denied", "")
	denied.Failures[0].Retryable = false
	j.Note(denied)
	streak(3, "three failures")
	j.Note(journal.Call{At: noon, ID: "good", Answered: []string{"other", "gh"}})
	streak(0, "an answer")
	j.Note(failed("b", ""))
	streak(1, "one more")
	j.Note(journal.Call{At: noon, ID: "recovered", Recovered: []status.Recovery{{Source: "gh", Reason: "timeout", Attempt: 2, At: noon}}})
	streak(0, "a recovery")
}

// The answer that the caller got is the one that counts, whichever came first.
func TestTheAnswerGivenInsteadCounts(t *testing.T) {
	for _, first := range []bool{true, false} {
		j := opened(t, "", store.Options{})
		stead := journal.Call{At: noon, ID: "one", Status: "access_failure", Failures: []journal.Record{timeout("one")}, Instead: true}
		late := journal.Call{At: noon, ID: "one", Status: "success", Failures: []journal.Record{timeout("one")}}
		for _, asInstead := range []bool{first, !first} {
			if asInstead {
				j.Note(stead)
			} else {
				j.Note(late)
			}
		}
		if got := j.List(t.Context(), journal.Query{}); len(got.Calls) != 1 || got.Calls[0] != (journal.Count{Status: "access_failure", Calls: 1}) || got.Total != 2 {
			t.Errorf("%+v", got)
		}
	}
}

func TestNothingIsWrittenBeforeItIsNeeded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	j := opened(t, filepath.Join(dir, "journal.db"), store.Options{})
	if got := j.List(t.Context(), journal.Query{}); !got.Read || got.Total != 0 || j.Problem() != "" {
		t.Errorf("%+v, %q", got, j.Problem())
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("reading made it: %v", err)
	}
}

// TestAFileThatHangsHoldsNobodyBack: neither who records nor who reads, what does
// not fit any more is counted, and the rest is there once the file answers.
func TestAFileThatHangsHoldsNobodyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store.Open(filepath.Join(t.TempDir(), "journal.db"), store.Options{})
		var told sync.WaitGroup
		told.Add(1) // once: a second time would panic
		j := journal.Open(s, journal.Options{Changed: func(string) { told.Done() }})
		hang, hung := make(chan struct{}), make(chan struct{})
		go func() {
			_ = s.Update(context.Background(), func(*sql.Tx) error { close(hung); <-hang; return nil })
		}()
		<-hung
		start := time.Now()
		j.Note(failed("one", ""))
		if waited := time.Since(start); waited != 0 {
			t.Errorf("a call waited for %s", waited)
		}
		if got := j.List(t.Context(), journal.Query{}); got.Read || got.Total != 1 || time.Since(start) > 5*time.Second {
			t.Errorf("%+v after %s", got, time.Since(start))
		}
		for i := range 5000 {
			j.Note(failed(fmt.Sprint("more", i), ""))
		}
		told.Wait()
		time.Sleep(3 * time.Minute) // simulated
		close(hang)
		if err := j.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		got := j.List(t.Context(), journal.Query{Limit: 1})
		if !got.Read || got.Total < 4000 || got.Total > 4200 || j.Problem() != fmt.Sprintf("%d records could not be kept", 5001-got.Total) {
			t.Errorf("%d, %q", got.Total, j.Problem())
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSeveralWritersShareTheFile: as several processes do, each with its own
// connection.
func TestSeveralWritersShareTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	const writers, each = 4, 50
	var all sync.WaitGroup
	for w := range writers {
		j := opened(t, path, store.Options{})
		all.Go(func() {
			for i := range each {
				j.Note(failed(fmt.Sprintf("%d-%d", w, i), ""))
			}
			if err := j.Close(context.Background()); err != nil || j.Problem() != "" {
				t.Errorf("%v, %q", err, j.Problem())
			}
		})
	}
	all.Wait()
	if got := opened(t, path, store.Options{}).List(t.Context(), journal.Query{Limit: 1}); got.Total != writers*each || !got.Read {
		t.Errorf("%d of %d", got.Total, writers*each)
	}
}
