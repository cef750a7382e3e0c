package journal

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var one = Record{At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Tool: "tracker_search", Reason: "timeout", Code: "SOURCE_UNRELIABLE"}

// TestAFileThatHangsHoldsNobodyBack: neither who writes nor who reads, and what
// comes back later is used again.
func TestAFileThatHangsHoldsNobodyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := Open(filepath.Join(t.TempDir(), "failures.jsonl"))
		hang := make(chan struct{})
		if _, inTime := bounded(j.turn, func() error { <-hang; return nil }); inTime {
			t.Fatal("waited")
		}
		start := time.Now()
		j.Add(one)
		if got := j.List(Query{}); got.Read || len(got.Records) != 1 || !j.Broken() || time.Since(start) > 2*patience {
			t.Errorf("%+v, broken %t, after %s", got, j.Broken(), time.Since(start))
		}
		close(hang)
		synctest.Wait()
		j.Add(one)
		if got := j.List(Query{}); !got.Read || len(got.Records) != 1 || j.Broken() {
			t.Errorf("%+v, broken %t", got, j.Broken())
		}
	})
}
