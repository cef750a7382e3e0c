package escalation

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/internal/store"
)

// Options is what a Keeper works with. Store is required.
type Options struct {
	Store *store.Store
	Rules Rules
	Now   func() time.Time
	// Scrub takes out of a text what must not be stored.
	Scrub func(string) string
	// LookupEnv finds the secrets and addresses that the rules name; Learn is told
	// each of them, so that it can be kept out of whatever leaves frank.
	LookupEnv func(string) (string, bool)
	Learn     func(secret string)
	Transport http.RoundTripper // under webhooks; nil: the network
	Version   string
	// OnEvent, if set, is told what was opened here and what of that ended.
	OnEvent func(Event)
	// Changed, if set, is told which escalation looks different now, whoever
	// changed it, while Watched says that somebody wants to know.
	Changed func(id string)
	Watched func() bool
	Log     *slog.Logger
	// Poll is how often changes by other processes are looked for; default 1 s.
	Poll time.Duration
}

// Keeper keeps escalations. It is safe for concurrent use. See [New].
type Keeper struct {
	opts  Options
	rules atomic.Pointer[Rules]

	ctx    context.Context // of the background
	cancel context.CancelFunc
	busy   sync.WaitGroup
	ring   chan struct{} // wakes the worker
	quit   chan struct{} // closed by Close

	mu       sync.Mutex
	working  bool
	watching bool
	closed   bool
	mine     map[string]Event // that this process opened and that are open
}

// New returns a Keeper that has touched nothing yet. Close it.
func New(o Options) *Keeper {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Scrub == nil {
		o.Scrub = func(s string) string { return s }
	}
	if o.LookupEnv == nil {
		o.LookupEnv = func(string) (string, bool) { return "", false }
	}
	if o.Learn == nil {
		o.Learn = func(string) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Poll <= 0 {
		o.Poll = time.Second
	}
	k := &Keeper{opts: o, ring: make(chan struct{}, 1), quit: make(chan struct{}), mine: map[string]Event{}}
	k.Configure(o.Rules)
	k.ctx, k.cancel = context.WithCancel(context.Background())
	return k
}

// Rules are those in force, defaults included.
func (k *Keeper) Rules() Rules { return *k.rules.Load() }

// Configure puts rules into force, for a configuration that comes late.
func (k *Keeper) Configure(r Rules) {
	r = r.withDefaults()
	k.rules.Store(&r)
}

// Problem says why escalations are not kept in the file, or nothing.
func (k *Keeper) Problem() string { return k.opts.Store.Problem() }

// Whole reports whether what is not found was never kept: false while the file
// cannot be used, or after this process set a damaged one aside.
func (k *Keeper) Whole() bool { return k.opts.Store.Problem() == "" && !k.opts.Store.Lost() }

// Close ends the background and tries each waiting delivery that is due once
// more, as long as ctx lasts. What is not delivered by then waits for the next process.
func (k *Keeper) Close(ctx context.Context) {
	k.mu.Lock()
	closed := k.closed
	k.closed = true
	k.mu.Unlock()
	if closed {
		return
	}
	close(k.quit)
	idle := make(chan struct{})
	go func() {
		k.busy.Wait()
		close(idle)
	}()
	select { // what is being delivered may end well
	case <-idle:
	case <-ctx.Done():
	}
	k.cancel()
	<-idle
	k.Deliver(ctx)
}

// What is kept of each text, in characters.
const (
	maxQuestion = 4000
	maxContext  = 10_000
	maxAction   = 1000
	maxNote     = 4000
)

// clean is a text as it is stored.
func (k *Keeper) clean(s string, limit int) string {
	s = strings.TrimSpace(k.opts.Scrub(strings.ToValidUTF8(s, "")))
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit-1]) + "…"
	}
	return s
}

// These bound how many wait for people at the same time, and their bytes: what is open
// is kept for as long as it takes, and must not fill the file that the journal needs too.
const (
	maxOpen  = 1000
	maxBytes = 16 << 20
)

// ErrFull: people must answer some before there is room for another one.
var ErrFull = errors.New("escalation: too many are open")

// Open stores what is escalated, or adds to the open escalation that is equal,
// and puts word of a new one into the outbox in the same transaction. The error is
// [ErrFull] or that of the store.
func (k *Keeper) Open(ctx context.Context, o Opening) (Opened, error) {
	r, key := k.record(o), joinKey(o)
	var out Opened
	err := k.opts.Store.Update(ctx, func(tx *sql.Tx) error {
		out = Opened{ID: r.ID, State: Open, Destination: r.Destination, Count: 1}
		joined, err := join(tx, key, r, callOf(o))
		if err != nil || joined != nil {
			if joined != nil {
				out.ID, out.Destination, out.Count, out.Joined = joined.ID, joined.Destination, joined.Count, true
				r.Trigger = joined.Trigger
			}
			return err
		}
		if err := room(tx); err != nil {
			return err
		}
		until, err := k.insert(tx, r, key)
		out.Held = !until.IsZero()
		return err
	})
	if err != nil {
		return Opened{}, err
	}
	out.Durable = k.opts.Store.Durable()
	k.opened(out, r, o)
	return out, nil
}

// room is [ErrFull] if there is none for another one.
func room(tx *sql.Tx) error {
	var open, size int64
	err := tx.QueryRow("SELECT count(*), coalesce(sum(octet_length(record)), 0) FROM escalations WHERE state = 'open'").Scan(&open, &size)
	if err == nil && (open >= maxOpen || size >= maxBytes) {
		return ErrFull
	}
	return err
}

// record is what is stored of an opening.
func (k *Keeper) record(o Opening) Record {
	now := k.opts.Now().UTC().Truncate(time.Millisecond)
	r := Record{
		ID: newID(), State: Open, OpenedAt: now, OpenedBy: o.By, Trigger: o.Trigger, Kind: o.Trigger.Kind(), Destination: k.Rules().route(o),
		Question: k.clean(o.Question, maxQuestion), Context: k.clean(o.Context, maxContext),
		Confidence: o.Confidence, Failure: k.failure(o.Failure), Count: 1, FirstAt: now, LastAt: now,
	}
	for _, a := range o.Attempted {
		r.Attempted = append(r.Attempted, k.clean(a, maxAction))
	}
	if step := k.clean(o.NextStep, maxAction); step != "" {
		r.NextStep = &Hypothesis{true, step}
	}
	for _, a := range o.Journal {
		r.Journal = append(r.Journal, a.Fit(k.opts.Scrub))
	}
	return r
}

// failure is what is stored of one: as much as the journal would, and its evidence.
func (k *Keeper) failure(f *Failure) *Failure {
	if f == nil {
		return nil
	}
	r := journal.Record{
		CallID: f.CallID, TraceID: f.TraceID, Tool: f.Tool, Source: f.Source, Operation: f.Operation, Stage: f.Stage,
		Reason: f.Reason, Code: f.Code, Fingerprint: f.Fingerprint,
	}.Fit(k.opts.Scrub)
	return &Failure{
		CallID: r.CallID, TraceID: r.TraceID, Tool: r.Tool, Source: r.Source, Operation: r.Operation, Stage: r.Stage,
		Reason: r.Reason, Code: r.Code, Fingerprint: r.Fingerprint, Evidence: k.cleanJSON(f.Evidence),
	}
}

// cleanJSON scrubs every text in a JSON value.
func (k *Keeper) cleanJSON(raw json.RawMessage) json.RawMessage {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	out, err := json.Marshal(k.cleanValue(v))
	if err != nil {
		return nil
	}
	return out
}

func (k *Keeper) cleanValue(v any) any {
	switch v := v.(type) {
	case string:
		return k.clean(v, maxAction)
	case []any:
		for i := range v {
			v[i] = k.cleanValue(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[k.clean(name, maxAction)] = k.cleanValue(x)
		}
		return out
	}
	return v
}

// newID is short enough not to look like a secret, and cannot be guessed.
func newID() string { return "esc_" + strings.ToLower(rand.Text()[:14]) }

// ValidID reports whether s has the form of an id.
func ValidID(s string) bool {
	rest, ok := strings.CutPrefix(s, "esc_")
	return ok && len(rest) == 14 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// joinKey is the same for equal escalations.
func joinKey(o Opening) string {
	question := o.Question
	if o.Alike != "" {
		question = o.Alike
	}
	sum := sha256.Sum256([]byte(o.Fingerprint + "\x00" + strings.Join(strings.Fields(question), " ")))
	return hex.EncodeToString(sum[:])
}

// join adds what is said now to the open escalation with that key, or returns nil.
func join(tx *sql.Tx, key string, now Record, call string) (*Record, error) {
	at := now.LastAt
	var raw string
	var r Record
	err := tx.QueryRow("SELECT record, count FROM escalations WHERE join_key = ? AND state = 'open'", key).Scan(&raw, &r.Count)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	count := r.Count + 1
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		return nil, err
	}
	r.Count, r.LastAt = count, at
	r.add(now, call)
	fresh, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec("UPDATE escalations SET count = ?, updated = ?, record = ? WHERE id = ?", count, store.Millis(at), string(fresh), r.ID)
	return &r, err
}

// insert stores a new escalation, with its delivery if the destination gets any.
// The time is until when the rate limit holds the delivery back, or zero.
func (k *Keeper) insert(tx *sql.Tx, r Record, key string) (until time.Time, err error) {
	if k.Rules().Destinations[r.Destination].delivers() {
		if until, err = k.full(tx, r); err != nil {
			return until, err
		}
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return until, err
	}
	at := store.Millis(r.OpenedAt)
	_, err = tx.Exec("INSERT INTO escalations (id, at, updated, trigger, destination, join_key, state, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		r.ID, at, at, string(r.Trigger), r.Destination, key, string(Open), string(raw))
	if err != nil || !k.Rules().Destinations[r.Destination].delivers() {
		return until, err
	}
	d := delivery{escalation: r.ID, destination: r.Destination, event: eventOpened}
	if until.IsZero() {
		return until, d.put(tx, waiting, r.OpenedAt)
	}
	return until, d.put(tx, held, until)
}

// full is until when a destination gets no further message by itself, or zero.
func (k *Keeper) full(tx *sql.Tx, r Record) (time.Time, error) {
	var n int
	var oldest sql.NullInt64
	since := store.Millis(r.OpenedAt.Add(-k.Rules().Window))
	err := tx.QueryRow("SELECT count(*), min(e.at) FROM escalations e JOIN deliveries d ON d.escalation = e.id AND d.event = 'opened' AND d.state NOT IN ('held', 'digested') WHERE e.destination = ? AND e.at > ?",
		r.Destination, since).Scan(&n, &oldest)
	if err != nil || n < k.Rules().Rate {
		return time.Time{}, err
	}
	return store.Time(oldest.Int64).Add(k.Rules().Window), nil
}

// opened tells of what was opened, and sees to what follows.
func (k *Keeper) opened(out Opened, r Record, o Opening) {
	e := Event{Name: EventOpened, At: r.OpenedAt, ID: out.ID, Trigger: r.Trigger, Kind: r.Trigger.Kind(), State: Open, Destination: out.Destination}
	if c := o.Call; c != nil {
		e.CallID, e.TraceID, e.SpanID, e.Tool = c.ID, c.TraceID, c.SpanID, c.Tool
	}
	e.because(r.Failure)
	if !out.Joined {
		k.mu.Lock()
		k.mine[out.ID] = e
		k.mu.Unlock()
		k.tell(e)
		if k.Rules().Destinations[out.Destination].delivers() {
			k.Start(0)
		}
	}
	k.Watch()
}

func (k *Keeper) tell(e Event) {
	if k.opts.OnEvent != nil {
		k.opts.OnEvent(e)
	}
}
