package app_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/server"
)

// patience bounds how long a test waits for what happens behind the calls.
const patience = 20 * time.Second

// wired is frank without sources over a journal at that path.
func wired(t *testing.T, journal string) *app.App {
	t.Helper()
	return wiredWith(t, app.Options{Version: "test", Journal: journal})
}

func wiredWith(t *testing.T, o app.Options) *app.App {
	t.Helper()
	a, err := app.New(&config.Config{}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a
}

func ask(t *testing.T, a *app.App, tool, arguments string) (server.Reply, verdict) {
	t.Helper()
	r := a.Call(t.Context(), tool, json.RawMessage(arguments))
	contracttest.Sound(t, r)
	var v verdict
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatal(err)
	}
	return r, v
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !holds(); {
		if time.Now().After(limit) {
			t.Fatalf("not within %s: %s", patience, what)
		}
		time.Sleep(time.Millisecond) // between two looks, not for a result
	}
}

type verdict struct {
	Status, Code string
	Failure      struct{ Reason string }
	Data         struct {
		Items []struct {
			Tool, Reason, CallID string
		}
		Totals []struct {
			Code, Reason, Source, Fingerprint string
			Count                             int
		}
		Item struct{ Notes []string }
	}
}

// clock is what the app takes for the time.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

// now goes on with every look.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Millisecond)
	return c.at
}

func (c *clock) skip(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// logged is a log that several goroutines write.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestFailuresAreJournalledOnceAndSharedBetweenProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "journal.db")
	c := newClock()
	one, other := wiredWith(t, app.Options{Journal: path, Now: c.now}), wiredWith(t, app.Options{Journal: path, Now: c.now})
	if _, v := ask(t, one, "list_failures", `{}`); v.Status != "empty" {
		t.Fatalf("a journal that was never written is %s", v.Status)
	}
	ask(t, one, "tracker_search", `{"query":"hunter2 hunter2"}`)
	ask(t, other, "docs_search", `{"bad":"hunter2"}`)
	var v verdict
	eventually(t, "both failures are seen", func() bool {
		_, v = ask(t, one, "list_failures", `{}`)
		return len(v.Data.Items) == 2
	})
	if v.Status != "success" || v.Data.Items[0].Tool != "docs_search" || v.Data.Items[1].Reason != "connector_not_configured" {
		t.Errorf("%+v", v)
	}
	if _, v := ask(t, one, "list_failures", `{"code":"INPUT_MISSING"}`); len(v.Data.Items) != 1 || len(v.Data.Totals) != 1 {
		t.Errorf("by code: %+v", v)
	}
	if _, v := ask(t, one, "list_failures", `{"limit":1}`); v.Status != "partial" || v.Code != "CAPABILITY_UNAVAILABLE" || v.Failure.Reason != "own_cap" || len(v.Data.Totals) != 2 {
		t.Errorf("with a limit: %+v", v)
	}
	if err := one.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(path + "*")
	if err != nil || len(kept) == 0 {
		t.Fatalf("%v, %v", kept, err)
	}
	for _, file := range kept {
		if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte("hunter2")) {
			t.Errorf("%s holds arguments, or %v", file, err)
		}
	}
}

// Equal failures are counted, whatever the limit.
func TestListFailuresTotalsWhatFailedAlike(t *testing.T) {
	a := wired(t, "")
	for range 3 {
		ask(t, a, "tracker_search", `{"query":"x"}`)
	}
	ask(t, a, "docs_search", `{"bad":"x"}`)
	_, v := ask(t, a, "list_failures", `{"limit":1}`)
	if len(v.Data.Items) != 1 || len(v.Data.Totals) != 2 || v.Data.Totals[0].Reason != "connector_not_configured" || v.Data.Totals[0].Count != 3 || v.Data.Totals[0].Code != "CAPABILITY_UNAVAILABLE" {
		t.Errorf("%+v", v)
	}
}

func TestADamagedJournalIsNeverEmptyOrComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("no database\n"), 500), 0o600); err != nil {
		t.Fatal(err)
	}
	a := wired(t, path)
	for range 2 { // nor once a new file is used
		if _, v := ask(t, a, "list_failures", `{}`); v.Status != "partial" || v.Failure.Reason != "corrupt" {
			t.Errorf("%+v", v)
		}
	}
	if aside, err := filepath.Glob(path + ".damaged-*"); err != nil || len(aside) == 0 {
		t.Errorf("the damaged file is gone: %v, %v", aside, err)
	}
}

func cursorIn(t *testing.T, structured []byte) string {
	t.Helper()
	var v struct {
		Coverage struct {
			Next string `json:"next_cursor"`
		} `json:"coverage"`
	}
	if err := json.Unmarshal(structured, &v); err != nil {
		t.Fatal(err)
	}
	return v.Coverage.Next
}

// Calls without a connection of their own are one session, and the record of a
// call says how long it took.
func TestEveryCallIsRecordedWithItsSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	a := wired(t, path)
	for _, tool := range []string{"list_capabilities", "list_failures", "tracker_search"} {
		ask(t, a, tool, `{}`)
	}
	if err := a.Deps.Journal.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var calls, sessions, timed int
	err := a.Store.View(t.Context(), func(tx *sql.Tx) error {
		return tx.QueryRow("SELECT count(*), count(DISTINCT session), sum(duration_us > 0 AND length(session) = 16) FROM calls").Scan(&calls, &sessions, &timed)
	})
	if err != nil || calls != 3 || sessions != 1 || timed != 3 {
		t.Errorf("%d calls in %d sessions, %d of them timed; %v", calls, sessions, timed, err)
	}
}
