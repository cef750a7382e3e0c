package escalation_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/internal/scrub"
	"github.com/frank-mcp/frank/internal/store"
)

// TestNoAnswerAndNoClockPutsADeliveryOffForGood: neither a receiver that asks to wait
// for years nor a clock that was years ahead.
func TestNoAnswerAndNoClockPutsADeliveryOffForGood(t *testing.T) {
	c := newClock()
	hostile := true
	taken := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if hostile {
			w.Header().Set("Retry-After", "999999999")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		taken++
	}))
	defer s.Close()
	rules := to(escalation.Target{Webhook: s.URL, Slack: true})
	rules.Rate = 1
	k := keeper(t, filepath.Join(t.TempDir(), "frank.db"), c, rules)
	c.add(10 * 365 * 24 * time.Hour)
	open(t, k, question(1))
	if out := open(t, k, question(2)); !out.Held {
		t.Fatal("the second is not held back")
	}
	k.Deliver(t.Context())
	hostile = false
	c.add(7 * time.Hour)
	k.Deliver(t.Context())
	if taken == 0 {
		t.Error("what was asked to wait for years waits for more than some hours")
	}
	open(t, k, question(3))
	open(t, k, question(4))
	c.add(-10 * 365 * 24 * time.Hour)
	k.Deliver(t.Context())
	c.add(2 * time.Hour)
	k.Deliver(t.Context())
	st, err := k.Stats(t.Context())
	if err != nil || st.Undelivered != 0 {
		t.Errorf("%d are left when the clock is right again, %v", st.Undelivered, err)
	}
}

// TestAnEndThatMustWaitKeepsNobodyBusy: it comes after its beginning, be that in a
// digest, and until then nothing is looked for over and over.
func TestAnEndThatMustWaitKeepsNobodyBusy(t *testing.T) {
	c := newClock()
	b := newInbox(t)
	rules := to(b.target())
	rules.Rate, rules.Window = 1, time.Hour
	k := keeper(t, filepath.Join(t.TempDir(), "frank.db"), c, rules)
	open(t, k, question(0))
	var last string
	for n := range 2 {
		last = open(t, k, question(n+1)).ID
	}
	k.Deliver(t.Context())
	b.mu.Lock()
	b.fails = []string{"503"} // for the digest
	b.mu.Unlock()
	if _, err := k.Resolve(t.Context(), last, escalation.Resolution{Outcome: escalation.Resolved, Note: "n"}); err != nil {
		t.Fatal(err)
	}
	if wait := k.Deliver(t.Context()); wait < time.Second {
		t.Errorf("the next look is after %s", wait)
	}
	c.add(time.Hour + time.Second)
	if wait := k.Deliver(t.Context()); wait < time.Second {
		t.Errorf("the next look is after %s", wait)
	}
	if len(b.messages()) != 1 {
		t.Error("the end came before the digest")
	}
	c.add(time.Hour)
	k.Deliver(t.Context())
	m := b.messages()
	if len(m) != 3 || m[1].Event != "escalation.digest" || m[2].Event != "escalation.resolved" {
		t.Errorf("%+v", m)
	}
}

// TestAFloodComesInMessagesThatCanBeRead.
func TestAFloodComesInMessagesThatCanBeRead(t *testing.T) {
	c := newClock()
	var texts []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m struct{ Text string }
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		texts = append(texts, m.Text)
	}))
	defer s.Close()
	rules := to(escalation.Target{Webhook: s.URL, Slack: true})
	rules.Rate = 1
	k := keeper(t, filepath.Join(t.TempDir(), "frank.db"), c, rules)
	for n := range 122 {
		o := question(n)
		o.Question += strings.Repeat(" why?", 600)
		open(t, k, o)
	}
	k.Deliver(t.Context())
	c.add(2 * time.Hour)
	k.Deliver(t.Context())
	if len(texts) != 1+3 {
		t.Errorf("%d messages", len(texts))
	}
	for _, text := range texts {
		if len([]rune(text)) > 40_000 {
			t.Errorf("one of %d characters", len([]rune(text)))
		}
	}
	if st, err := k.Stats(t.Context()); err != nil || st.Undelivered != 0 {
		t.Errorf("%d are left, %v", st.Undelivered, err)
	}
}

func TestThereIsAnEndToWhatWaitsForPeople(t *testing.T) {
	c := newClock()
	k := keeper(t, "", c, escalation.Rules{})
	var last escalation.Opened
	for n := range 1000 {
		last = open(t, k, question(n))
	}
	if _, err := k.Open(t.Context(), question(1000)); !errors.Is(err, escalation.ErrFull) {
		t.Errorf("one more: %v", err)
	}
	if again := open(t, k, question(999)); !again.Joined || again.ID != last.ID {
		t.Errorf("an equal one joins: %+v", again)
	}
	if _, err := k.Resolve(t.Context(), last.ID, escalation.Resolution{Outcome: escalation.Resolved, Note: "n"}); err != nil {
		t.Fatal(err)
	}
	open(t, k, question(1000))
	// A few of the largest are as much.
	s := store.Open("", store.Options{})
	k = escalation.New(escalation.Options{Store: s}) // scrubbing so much takes a while
	defer func() {
		k.Close(t.Context())
		_ = s.Close()
	}()
	var err error
	n := 0
	for ; err == nil && n < 1000; n++ {
		o := question(n)
		for range 50 {
			o.Attempted = append(o.Attempted, strings.Repeat("é ", 500))
		}
		_, err = k.Open(t.Context(), o)
	}
	if !errors.Is(err, escalation.ErrFull) || n > 300 {
		t.Errorf("%d large ones: %v", n, err)
	}
}

// TestWhatWasOpenedInMemoryKeepsItsId when the file works again, though an equal one
// was opened there meanwhile.
func TestWhatWasOpenedInMemoryKeepsItsId(t *testing.T) {
	c, dir := newClock(), filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	path := filepath.Join(dir, "frank.db")
	here := keeper(t, path, c, escalation.Rules{})
	inMemory := open(t, here, question(1))
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	there := open(t, keeper(t, path, c, escalation.Rules{}), question(1))
	c.add(time.Minute)
	joined := open(t, here, question(1))
	if inMemory.Durable || joined.ID != there.ID || !joined.Durable {
		t.Errorf("%+v, %+v, %+v", inMemory, there, joined)
	}
	for _, id := range []string{inMemory.ID, there.ID} {
		if r, err := here.Get(t.Context(), id); err != nil || r.State != escalation.Open {
			t.Errorf("%s: %+v, %v", id, r, err)
		}
	}
}

// TestAClockThatIsSetBackHidesNoChange from whoever watches.
func TestAClockThatIsSetBackHidesNoChange(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "frank.db"), newClock()
	changed := make(chan string, 100)
	s := store.Open(path, store.Options{Now: c.now})
	k := escalation.New(escalation.Options{
		Store: s, Now: c.now, Poll: time.Millisecond, Scrub: scrub.Text,
		Changed: func(id string) { changed <- id }, Watched: func() bool { return true },
	})
	defer func() {
		k.Close(t.Context())
		_ = s.Close()
	}()
	id := open(t, k, question(1)).ID
	until(t, "word of the opening", func() bool { return len(changed) > 0 })
	for len(changed) > 0 {
		<-changed
	}
	c.add(-time.Hour)
	open(t, keeper(t, path, c, escalation.Rules{}), question(1)) // joins: a change of it
	until(t, "word of a change", func() bool { return len(changed) > 0 })
	if got := <-changed; got != id {
		t.Errorf("%s changed", got)
	}
}
