package escalation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/internal/scrub"
	"github.com/frank-mcp/frank/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

const secret = "a-signing-key-that-nobody-knows"

// keeper is one process over the file at path. Its outbox is emptied by the test
// alone: the background is closed first.
func keeper(t *testing.T, path string, c *clock, rules escalation.Rules) *escalation.Keeper {
	t.Helper()
	s := store.Open(path, store.Options{Now: c.now})
	k := escalation.New(escalation.Options{
		Store: s, Rules: rules, Now: c.now, Scrub: scrub.Text,
		LookupEnv: func(name string) (string, bool) { return secret, name == "SIGNING_KEY" },
	})
	rest, cancel := context.WithCancel(t.Context())
	cancel()
	k.Close(rest)
	t.Cleanup(func() { _ = s.Close() })
	return k
}

func to(target escalation.Target) escalation.Rules {
	return escalation.Rules{Destinations: map[string]escalation.Target{escalation.Human: target}}
}

func question(n int) escalation.Opening {
	sure := 0.4
	return escalation.Opening{By: escalation.ByAgent, Trigger: escalation.LowConfidence, Question: fmt.Sprintf("Is %d right?", n), Context: "c", NextStep: "ask", Confidence: &sure}
}

func open(t *testing.T, k *escalation.Keeper, o escalation.Opening) escalation.Opened {
	t.Helper()
	out, err := k.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// inbox is a webhook that fails in the ways that the test says, one for each
// request, and takes what comes after those.
type inbox struct {
	*httptest.Server
	mu    sync.Mutex
	fails []string
	got   []message // that it took, or read before it died
}

type message struct {
	escalation.Message
	id, repeat string
	taken      bool
}

func newInbox(t *testing.T, fails ...string) *inbox {
	t.Helper()
	b := &inbox{fails: fails}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.URL.Path == "/elsewhere" {
			t.Error("a redirect was followed")
		}
		h := r.Header
		if h.Get(escalation.HeaderSignature) != escalation.Sign(secret, h.Get(escalation.HeaderTimestamp), body) {
			t.Error("the signature does not fit")
		}
		m := message{id: h.Get(escalation.HeaderDelivery), repeat: h.Get(escalation.HeaderRepeat)}
		if err := json.Unmarshal(body, &m.Message); err != nil {
			t.Error(err)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		how := ""
		if len(b.fails) > 0 {
			how, b.fails = b.fails[0], b.fails[1:]
		}
		switch how {
		case "503":
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case "redirect":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			return
		case "dies":
			b.got = append(b.got, m)
			panic(http.ErrAbortHandler)
		}
		m.taken = true
		b.got = append(b.got, m)
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *inbox) target() escalation.Target {
	return escalation.Target{Webhook: b.URL + "/hook", SecretEnv: "SIGNING_KEY"}
}

func (b *inbox) messages() []message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]message(nil), b.got...)
}

// unmarkedTwice lists deliveries that came more than once without saying so.
func (b *inbox) unmarkedTwice() (ids []string) {
	seen := map[string]bool{}
	for _, m := range b.messages() {
		if seen[m.id] && (!m.Repeat || m.repeat != "true") {
			ids = append(ids, m.id)
		}
		seen[m.id] = true
	}
	return ids
}

func (b *inbox) taken() map[string]int {
	out := map[string]int{}
	for _, m := range b.messages() {
		if m.taken {
			out[m.id]++
		}
	}
	return out
}

func TestAWebhookThatIsDownForAWhileLosesNothingAndGetsNothingTwiceUnmarked(t *testing.T) {
	c, path := newClock(), filepath.Join(t.TempDir(), "frank.db")
	down, err := net.Listen("tcp", "127.0.0.1:0") // nobody answers there once it is closed
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + down.Addr().String()
	if err := down.Close(); err != nil {
		t.Fatal(err)
	}
	k := keeper(t, path, c, to(escalation.Target{Webhook: refused, SecretEnv: "SIGNING_KEY"}))
	var ids []string
	for n := range 4 {
		ids = append(ids, open(t, k, question(n)).ID)
	}
	k.Deliver(t.Context())
	r, err := k.Get(t.Context(), ids[0])
	if err != nil || len(r.Delivery) != 1 || r.Delivery[0].State != "waiting" || r.Delivery[0].Problem != "network_error" || r.Delivery[0].Attempts != 1 {
		t.Fatalf("what is refused goes on waiting, visibly: %+v, %v", r.Delivery, err)
	}
	// Another process finds another address for the same destination.
	b := newInbox(t, "503", "dies", "redirect", "dies")
	k = keeper(t, path, c, to(b.target()))
	for range 10 {
		c.add(20 * time.Minute)
		k.Deliver(t.Context())
	}
	for _, id := range ids {
		if n := b.taken()[id+".opened"]; n != 1 {
			t.Errorf("%s was taken %d times", id, n)
		}
	}
	if twice := b.unmarkedTwice(); len(twice) > 0 {
		t.Errorf("delivered twice without a mark: %v", twice)
	}
	marked := 0
	for _, m := range b.messages() {
		if m.Repeat {
			marked++
		}
	}
	if marked != 2 {
		t.Errorf("%d are marked; only what may have arrived before is a repetition", marked)
	}
}

func TestRetryAfterIsHeeded(t *testing.T) {
	c := newClock()
	b := newInbox(t, "503")
	k := keeper(t, filepath.Join(t.TempDir(), "frank.db"), c, to(b.target()))
	open(t, k, question(1))
	k.Deliver(t.Context())
	c.add(9 * time.Minute)
	k.Deliver(t.Context())
	if len(b.messages()) != 0 {
		t.Fatal("it came before its time")
	}
	c.add(2 * time.Minute)
	k.Deliver(t.Context())
	if len(b.taken()) != 1 {
		t.Error("it never came")
	}
}

func TestAProcessThatDiedWhileItDeliveredLeavesARepetitionThatSaysSo(t *testing.T) {
	c, path := newClock(), filepath.Join(t.TempDir(), "frank.db")
	b := newInbox(t)
	k := keeper(t, path, c, to(b.target()))
	id := open(t, k, question(1)).ID
	over, cancel := context.WithCancel(t.Context())
	cancel()
	k.Deliver(over) // claims nothing
	// The claim of a process that is gone, as it is in the file.
	claim(t, path, c, id)
	other := keeper(t, path, c, to(b.target()))
	other.Deliver(t.Context())
	if len(b.messages()) != 0 {
		t.Fatal("two processes deliver at the same time")
	}
	c.add(2 * time.Minute)
	other.Deliver(t.Context())
	if m := b.messages(); len(m) != 1 || !m[0].Repeat {
		t.Errorf("%+v", m)
	}
}

func TestTwoProcessesDeliverOnce(t *testing.T) {
	c, path := newClock(), filepath.Join(t.TempDir(), "frank.db")
	b := newInbox(t)
	one, other := keeper(t, path, c, to(b.target())), keeper(t, path, c, to(b.target()))
	for n := range 10 {
		open(t, []*escalation.Keeper{one, other}[n%2], question(n))
	}
	var both sync.WaitGroup
	for _, k := range []*escalation.Keeper{one, other} {
		both.Go(func() { k.Deliver(t.Context()) })
	}
	both.Wait()
	for id, n := range b.taken() {
		if n != 1 {
			t.Errorf("%s was delivered %d times", id, n)
		}
	}
	if len(b.taken()) != 10 {
		t.Errorf("%d of 10 arrived", len(b.taken()))
	}
}

func TestEqualOpenEscalationsJoinAlsoAcrossProcesses(t *testing.T) {
	c, path := newClock(), filepath.Join(t.TempDir(), "frank.db")
	b := newInbox(t)
	one, other := keeper(t, path, c, to(b.target())), keeper(t, path, c, to(b.target()))
	first := open(t, one, question(1))
	c.add(time.Minute)
	same := question(1)
	same.Question = " Is 1\tright? "
	second := open(t, other, same)
	if first.Joined || !second.Joined || second.ID != first.ID || second.Count != 2 {
		t.Errorf("%+v, then %+v", first, second)
	}
	one.Deliver(t.Context())
	if len(b.messages()) != 1 {
		t.Errorf("%d messages", len(b.messages()))
	}
	r, err := one.Get(t.Context(), first.ID)
	if err != nil || r.Count != 2 || !r.LastAt.Equal(c.now()) || r.FirstAt.Equal(r.LastAt) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := one.Resolve(t.Context(), first.ID, escalation.Resolution{Outcome: escalation.Resolved, Note: "yes"}); err != nil {
		t.Fatal(err)
	}
	if third := open(t, one, question(1)); third.Joined || third.ID == first.ID {
		t.Error("what ended is joined no more")
	}
	differs := question(1)
	differs.Fingerprint = "3f9c2a71"
	if fourth := open(t, one, differs); fourth.Joined {
		t.Error("another dependency is another question")
	}
}

func TestTheRateLimitHoldsBackAndThenSendsOneDigest(t *testing.T) {
	c := newClock()
	b := newInbox(t)
	rules := to(b.target())
	rules.Rate, rules.Window = 2, time.Hour
	k := keeper(t, filepath.Join(t.TempDir(), "frank.db"), c, rules)
	var heldBack []string
	for n := range 5 {
		out := open(t, k, question(n))
		if out.Held {
			heldBack = append(heldBack, out.ID)
		}
		c.add(time.Second)
	}
	k.Deliver(t.Context())
	if len(heldBack) != 3 || len(b.messages()) != 2 {
		t.Fatalf("%d held, %d delivered", len(heldBack), len(b.messages()))
	}
	if all, err := k.List(t.Context(), false); err != nil || len(all) != 5 {
		t.Errorf("%d are kept, %v", len(all), err)
	}
	c.add(time.Hour)
	k.Deliver(t.Context())
	last := b.messages()[len(b.messages())-1]
	if len(b.messages()) != 3 || last.Event != "escalation.digest" || len(last.Escalations) != 3 || last.Escalations[0].ID != heldBack[0] {
		t.Errorf("%d messages, the last is %+v", len(b.messages()), last)
	}
	if out := open(t, k, question(9)); out.Held {
		t.Error("the window has passed")
	}
}

func TestTheEndIsDeliveredAfterTheBeginningUnlessThatIsOff(t *testing.T) {
	c := newClock()
	b := newInbox(t, "503")
	k := keeper(t, filepath.Join(t.TempDir(), "frank.db"), c, to(b.target()))
	id := open(t, k, question(1)).ID
	k.Deliver(t.Context())
	if _, err := k.Resolve(t.Context(), id, escalation.Resolution{Outcome: escalation.Rejected, Note: "mail bob@example.com, token ghp_Zk4Qm9Xw2Rt7Lp5Vb8Nc3Hd6Js1Fg0Ya4Ue", By: "Ada"}); err != nil {
		t.Fatal(err)
	}
	k.Deliver(t.Context())
	if len(b.messages()) != 0 {
		t.Fatal("the end came first")
	}
	c.add(time.Hour)
	k.Deliver(t.Context())
	m := b.messages()
	if len(m) != 2 || m[0].Event != "escalation.opened" || m[1].Event != "escalation.resolved" {
		t.Fatalf("%+v", m)
	}
	if end := m[1].Escalation.Resolution; end == nil || end.Outcome != "rejected" || end.By != "Ada" || strings.Contains(end.Note, "bob") || strings.Contains(end.Note, "ghp_") {
		t.Errorf("%+v", end)
	}
	_, err := k.Resolve(t.Context(), id, escalation.Resolution{Outcome: escalation.Resolved, Note: "x"})
	if !errors.Is(err, escalation.ErrEnded) {
		t.Errorf("a second end: %v", err)
	}
	if _, err := k.Resolve(t.Context(), "esc_aaaaaaaaaaaaaa", escalation.Resolution{Outcome: escalation.Resolved}); !errors.Is(err, escalation.ErrUnknown) {
		t.Errorf("an unknown one: %v", err)
	}
	quiet := to(b.target())
	quiet.Quiet = true
	k = keeper(t, filepath.Join(t.TempDir(), "quiet.db"), c, quiet)
	id = open(t, k, question(1)).ID
	k.Deliver(t.Context())
	if _, err := k.Resolve(t.Context(), id, escalation.Resolution{Outcome: escalation.Resolved, Note: "x"}); err != nil {
		t.Fatal(err)
	}
	k.Deliver(t.Context())
	if len(b.messages()) != 3 {
		t.Errorf("%d messages", len(b.messages()))
	}
}

func TestASlackWebhookGetsOneText(t *testing.T) {
	c := newClock()
	var got struct{ Text string }
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	k := keeper(t, filepath.Join(t.TempDir(), "frank.db"), c, to(escalation.Target{Webhook: s.URL, Slack: true}))
	o := question(1)
	o.Question = "Is <!channel> & co right?"
	id := open(t, k, o).ID
	k.Deliver(t.Context())
	if !strings.Contains(got.Text, "Is &lt;!channel&gt; &amp; co right?") || !strings.Contains(got.Text, "frank escalations resolve "+id) {
		t.Errorf("%q", got.Text)
	}
}

func TestACommandGetsTheMessageOnStandardInputAndItsExitStatusCounts(t *testing.T) {
	c, dir := newClock(), t.TempDir()
	out := filepath.Join(dir, "got")
	t.Setenv("ESCALATION_OUT", out)
	script := `if [ -e "$ESCALATION_OUT.once" ]; then cat > "$ESCALATION_OUT"; else touch "$ESCALATION_OUT.once"; exit 7; fi`
	k := keeper(t, filepath.Join(dir, "frank.db"), c, to(escalation.Target{Command: []string{"sh", "-c", script}}))
	id := open(t, k, question(1)).ID
	k.Deliver(t.Context())
	if r, err := k.Get(t.Context(), id); err != nil || r.Delivery[0].State != "waiting" || r.Delivery[0].Problem != "program_failed" {
		t.Errorf("%+v, %v", r.Delivery, err)
	}
	c.add(time.Hour)
	k.Deliver(t.Context())
	raw, err := os.ReadFile(out)
	var m escalation.Message
	if err != nil || json.Unmarshal(raw, &m) != nil || m.Escalation == nil || m.Escalation.ID != id || m.Repeat {
		t.Errorf("%v: %s", err, raw)
	}
}

func TestRoutesAreTheServersAndTheFirstThatFitsCounts(t *testing.T) {
	c := newClock()
	k := keeper(t, "", c, escalation.Rules{Routes: []escalation.Route{
		{Trigger: escalation.PolicyDenied, To: "supervisor"},
		{Code: "SOURCE_UNRELIABLE", Source: "github", To: "specialist:platform"},
		{Code: "SOURCE_UNRELIABLE", To: "supervisor"},
	}})
	for _, x := range []struct {
		o  escalation.Opening
		to string
	}{
		{escalation.Opening{Trigger: escalation.PolicyDenied, Question: "a"}, "supervisor"},
		{escalation.Opening{Trigger: escalation.RepeatedFailure, Code: "SOURCE_UNRELIABLE", Source: "github", Question: "b"}, "specialist:platform"},
		{escalation.Opening{Trigger: escalation.RepeatedFailure, Code: "SOURCE_UNRELIABLE", Source: "jira", Question: "c"}, "supervisor"},
		{escalation.Opening{Trigger: escalation.LowConfidence, Question: "d"}, "human"},
	} {
		if out := open(t, k, x.o); out.Destination != x.to {
			t.Errorf("%s goes to %s", x.o.Question, out.Destination)
		}
	}
}

func TestNothingThatMustNotBeStoredIs(t *testing.T) {
	c, path := newClock(), filepath.Join(t.TempDir(), "frank.db")
	k := keeper(t, path, c, escalation.Rules{})
	token, mail := "ghp_Zk4Qm9Xw2Rt7Lp5Vb8Nc3Hd6Js1Fg0Ya4Ue", "ada@example.com"
	bad := "x " + token + " and " + mail
	out := open(t, k, escalation.Opening{
		Trigger: escalation.AmbiguousIntent, Question: bad, Context: bad, Attempted: []string{bad}, NextStep: bad,
		Failure: &escalation.Failure{Reason: "http_5xx", Evidence: json.RawMessage(`{"reference":"` + bad + `","options":["` + bad + `"],"http_status":500}`)},
	})
	r, err := k.Get(t.Context(), out.ID)
	if err != nil || !strings.Contains(string(r.Failure.Evidence), `"http_status":500`) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, name := range []string{path, path + "-wal"} {
		raw, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), token) || strings.Contains(string(raw), mail) {
			t.Errorf("%s holds it", name)
		}
	}
}

func TestStatsGiveOutcomesAndTheMedianTime(t *testing.T) {
	c := newClock()
	k := keeper(t, "", c, escalation.Rules{})
	var ids []string
	for n := range 4 {
		ids = append(ids, open(t, k, question(n)).ID)
	}
	open(t, k, question(3))
	for i, id := range ids[:3] {
		c.add(time.Duration(i+1) * time.Minute)
		if _, err := k.Resolve(t.Context(), id, escalation.Resolution{Outcome: []escalation.State{escalation.Resolved, escalation.Rejected, escalation.Resolved}[i], Note: "n"}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := k.Stats(t.Context())
	if err != nil || s.Total != 4 || s.Open != 1 || s.Resolved != 2 || s.Rejected != 1 || s.Joined != 1 || s.Median != 180 {
		t.Errorf("%+v, %v", s, err)
	}
	if len(s.ByTrigger) != 1 || s.ByTrigger[0].Trigger != escalation.LowConfidence || s.ByTrigger[0].Median != 180 {
		t.Errorf("%+v", s.ByTrigger)
	}
}
