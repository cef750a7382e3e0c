package escalation_test

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/internal/store"
)

// claim marks the opening's delivery as under way in another process.
func claim(t *testing.T, path string, c *clock, id string) {
	t.Helper()
	s := store.Open(path, store.Options{Now: c.now})
	defer func() { _ = s.Close() }()
	err := s.Update(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE deliveries SET owner = 'gone', lease = ?, attempts = 1, unsure = 1 WHERE id = ?", store.Millis(c.now().Add(time.Minute)), id+".opened")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// live is one process with its background running.
func live(t *testing.T, path string, o escalation.Options) *escalation.Keeper {
	t.Helper()
	o.Store, o.Poll = store.Open(path, store.Options{}), time.Millisecond
	o.LookupEnv = func(string) (string, bool) { return secret, true }
	k := escalation.New(o)
	t.Cleanup(func() {
		end, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		k.Close(end)
		_ = o.Store.Close()
	})
	return k
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%s: in vain", what)
		}
	}
}

func TestTheBackgroundDeliversAndEndsWithClose(t *testing.T) {
	b := newInbox(t)
	k := live(t, filepath.Join(t.TempDir(), "frank.db"), escalation.Options{Rules: to(b.target())})
	id := open(t, k, question(1)).ID
	until(t, "the delivery", func() bool { return b.taken()[id+".opened"] == 1 })
}

func TestWhatWaitsFromAnEarlierProcessIsDeliveredByTheNext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	c := &clock{at: time.Now()}
	b := newInbox(t)
	id := open(t, keeper(t, path, c, to(b.target())), question(1)).ID
	k := live(t, path, escalation.Options{Rules: to(b.target())})
	k.Start(0)
	until(t, "the delivery", func() bool { return b.taken()[id+".opened"] == 1 })
}

func TestCloseTriesWhatIsDueOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	c := &clock{at: time.Now()}
	b := newInbox(t)
	id := open(t, keeper(t, path, c, to(b.target())), question(1)).ID
	s := store.Open(path, store.Options{})
	k := escalation.New(escalation.Options{Store: s, Rules: to(b.target()), LookupEnv: func(string) (string, bool) { return secret, true }})
	k.Close(t.Context())
	_ = s.Close()
	if b.taken()[id+".opened"] != 1 {
		t.Error("it was not delivered")
	}
}

func TestAChangeByAnotherProcessIsSeenAndToldOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	changed := make(chan string, 100)
	events := make(chan escalation.Event, 100)
	var watched atomic.Bool
	k := live(t, path, escalation.Options{
		Changed: func(id string) { changed <- id }, Watched: watched.Load, OnEvent: func(e escalation.Event) { events <- e },
	})
	id := open(t, k, question(1)).ID
	if e := <-events; e.Name != escalation.EventOpened || e.ID != id || e.Kind != "soft" {
		t.Errorf("%+v", e)
	}
	watched.Store(true)
	k.Watch()
	other := live(t, path, escalation.Options{})
	if _, err := other.Resolve(t.Context(), id, escalation.Resolution{Outcome: escalation.Resolved, Note: "yes"}); err != nil {
		t.Fatal(err)
	}
	select {
	case e := <-events:
		if e.Name != escalation.EventResolved || e.ID != id || e.State != escalation.Resolved || e.Elapsed < 0 {
			t.Errorf("%+v", e)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("no event")
	}
	if got := <-changed; got != id {
		t.Errorf("%s changed", got)
	}
	select {
	case e := <-events:
		t.Errorf("told twice: %+v", e)
	default:
	}
}

// TestWhatIsUnderWayCountsAsSent: a process that is killed while it delivers leaves
// a row by which the next one marks its attempt.
func TestWhatIsUnderWayCountsAsSent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	c := newClock()
	s := store.Open(path, store.Options{Now: c.now})
	defer func() { _ = s.Close() }()
	unsure, attempts := 0, 0
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if err := s.View(t.Context(), func(tx *sql.Tx) error {
			return tx.QueryRow("SELECT unsure, attempts FROM deliveries").Scan(&unsure, &attempts)
		}); err != nil {
			t.Error(err)
		}
	}))
	defer receiver.Close()
	k := keeper(t, path, c, to(escalation.Target{Webhook: receiver.URL, Slack: true}))
	open(t, k, question(1))
	k.Deliver(t.Context())
	if unsure != 1 || attempts != 1 {
		t.Errorf("while it is delivered: unsure %d, attempts %d", unsure, attempts)
	}
}

// TestWhoIsLateChangesNothing: another process took a delivery over and finished it.
func TestWhoIsLateChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	c := newClock()
	var requests atomic.Int32
	var other *escalation.Keeper
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) > 1 {
			return
		}
		c.add(2 * time.Minute)
		other.Deliver(t.Context())
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer receiver.Close()
	rules := to(escalation.Target{Webhook: receiver.URL, Slack: true})
	k := keeper(t, path, c, rules)
	other = keeper(t, path, c, rules)
	id := open(t, k, question(1)).ID
	k.Deliver(t.Context())
	r, err := k.Get(t.Context(), id)
	if err != nil || requests.Load() != 2 || r.Delivery[0].State != "done" {
		t.Errorf("%d requests, %+v, %v", requests.Load(), r.Delivery, err)
	}
}
