//go:build realservers

package realservers

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func (r *redmine) stage() stage {
	return stage{
		address: r.address,
		open: func(t *testing.T, address, retry string) *desk {
			t.Helper()
			return r.open(t, address, retry, nil)
		},
		questions: []question{
			{"found", "tracker_search", `{"source":"alice","query":"Crash on save"}`, counted(found(`"ref":"#1"`), 1, false)},
			{"proved empty", "tracker_search", `{"source":"alice","query":"zebra"}`, provedEmpty},
			{"one", "tracker_get_issue", `{"source":"alice","ref":"#1","include":["comments","links","history"]}`, found("h2. Steps")},
			{"absent", "tracker_get_issue", `{"source":"eve","ref":"#99999"}`, absent},
			{"found in a wiki", "docs_search", `{"source":"eve","query":"walrus","space":"*"}`, counted(found(), 1, false)},
			{"no page", "docs_read", `{"source":"eve","ref":"Nope"}`, absent},
			{"a full page", "tracker_search", `{"source":"alice","project":"pub","limit":100}`, counted(partly("NONE", ""), 100, true)},
			{"hidden", "tracker_get_issue", `{"source":"bob","ref":"#153"}`, refused("ACCESS_DENIED", "scope_missing")},
			{"a bad key", "tracker_search", `{"source":"nobody","query":"Crash"}`, refused("ACCESS_DENIED", "auth_failed")},
			{"switched off", "docs_list", `{"source":"alice","space":"nowiki"}`, refused("CAPABILITY_UNAVAILABLE", "feature_disabled")},
			{"proved empty in a wiki", "docs_search", `{"source":"eve","query":"zebra"}`, provedEmpty},
			{"a page", "docs_read", `{"source":"eve","ref":"User guide"}`, found("h1. User guide")},
		},
	}
}

// disturbed asks and changes with faults between frank and Redmine.
func (r *redmine) disturbed(t *testing.T) {
	p := startToxiproxy(t)
	s := r.stage()
	t.Run("faults", func(t *testing.T) { s.faults(t, p) })
	t.Run("cuts", func(t *testing.T) { s.cuts(t, p) })
	t.Run("limits", s.limits)
	t.Run("an end that does not come", func(t *testing.T) { // and need not: Redmine says how long an answer is
		w := p.before(t, r.address)
		w.disturb(t, down("slow_close", map[string]int{"delay": 60_000})...)
		s.open(t, w.address, patient).askAll(t, s.questions)
	})
	t.Run("a limit that passes", r.limitPasses)
	t.Run("a limit that is announced", r.limitAnnounced)
	t.Run("a page is refused", func(t *testing.T) { r.pageRefused(t, p) })
	t.Run("a circuit", func(t *testing.T) { r.circuit(t, p) })
	t.Run("changes", func(t *testing.T) { r.doubtfulChanges(t, p) })
}

// limitPasses: a 429 that is over in a moment is not told, but leaves a trace.
func (r *redmine) limitPasses(t *testing.T) {
	d := r.open(t, limited(t, r.address, limit{rate: "1r/s", admits: 1}), "{max_attempts: 9, timeout: 20s, budget: 40s}", nil)
	a := d.ask(t, "tracker_get_issue", `{"source":"eve","ref":"#99999"}`, absent)
	if len(a.Trace.Recovered) == 0 || a.Trace.Recovered[0].Reason != "rate_limited" {
		t.Errorf("no trace of the limit:\n%s", a.text)
	}
}

// limitAnnounced: a wait that is longer than the call may take is told, not slept through.
func (r *redmine) limitAnnounced(t *testing.T) {
	d := r.open(t, limited(t, r.address, limit{rate: "1r/m", admits: 1, after: 77}), "{max_attempts: 3, timeout: 20s, budget: 40s}", nil)
	want, wait, again := refused("SOURCE_UNRELIABLE", "rate_limited"), 77, true
	want.RetryAfter, want.Retryable, want.Evidence = &wait, &again, map[string]json.RawMessage{"http_status": []byte("429")}
	d.ask(t, "tracker_search", `{"source":"alice","query":"zebra"}`, want)
	rests := refused("SOURCE_UNRELIABLE", "circuit_open")
	rests.Called = "no"
	d.ask(t, "tracker_search", `{"source":"alice","query":"zebra"}`, rests)
}

// pageRefused: a cursor is good again after a page of a walk was refused.
func (r *redmine) pageRefused(t *testing.T, p *toxiproxy) {
	first := `{"source":"alice","project":"pub","limit":100}`
	w := p.before(t, r.address)
	d := r.open(t, w.address, once, nil)
	d.ask(t, "tracker_search", first, counted(partly("NONE", ""), 100, true))
	cursor := d.cursor
	w.open(t, false)
	d.ask(t, "tracker_search", `{"source":"alice","project":"pub","limit":100,"cursor":"next"}`, refused("SOURCE_UNRELIABLE", "network_error"))
	w.open(t, true)
	d.cursor = cursor
	var all struct {
		Total int `json:"total_count"`
	}
	r.read(t, "/projects/pub/issues.json?status_id=*&subproject_id=!*&limit=1", &all)
	d.ask(t, "tracker_search", `{"source":"alice","project":"pub","limit":100,"cursor":"next"}`, counted(found(), all.Total-100, false))
}

// circuit: after the retries the source rests, and a probe that succeeds ends that.
func (r *redmine) circuit(t *testing.T, p *toxiproxy) {
	w := p.before(t, r.address)
	d := r.open(t, w.address, "{max_attempts: 2, timeout: 20s, budget: 40s, cooldown: 10m}", nil)
	w.open(t, false)
	down := d.ask(t, "tracker_search", `{"source":"alice","query":"zebra"}`, refused("SOURCE_UNRELIABLE", "network_error"))
	if down.Trace.Attempts != 2 {
		t.Errorf("%d attempts", down.Trace.Attempts)
	}
	w.open(t, true)
	rests := refused("SOURCE_UNRELIABLE", "circuit_open")
	rests.Called = "no"
	d.ask(t, "tracker_search", `{"source":"alice","query":"zebra"}`, rests)
	d.call(t, "list_capabilities", `{"source":"alice","refresh":true}`)
	d.ask(t, "tracker_search", `{"source":"alice","query":"zebra"}`, provedEmpty)
}

// gate passes requests on to Redmine, those that change something by a way of their
// own, and breaks off towards the client what breaks off there.
type gate struct {
	host   string
	dead   atomic.Bool // nothing can be read
	before func()      // the first request that changes something is passed on
	after  func()      // its answer is passed back
}

func (r *redmine) gate(t *testing.T, changes string) *gate {
	t.Helper()
	g := &gate{before: func() {}, after: func() {}}
	var asked, answered sync.Once
	proxy := &httputil.ReverseProxy{
		Rewrite: func(q *httputil.ProxyRequest) {
			to := r.address
			if q.In.Method != http.MethodGet {
				asked.Do(g.before)
				to = changes
			}
			q.SetURL(&url.URL{Scheme: "http", Host: to})
		},
		ModifyResponse: func(answer *http.Response) error {
			if answer.Request.Method != http.MethodGet {
				answered.Do(g.after)
			}
			return nil
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
		Transport:    &http.Transport{DisableKeepAlives: true, DisableCompression: true},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if g.dead.Load() && q.Method == http.MethodGet {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, q)
	}))
	t.Cleanup(server.Close)
	g.host = strings.TrimPrefix(server.URL, "http://")
	return g
}

// change is a call that changes something, and how Redmine itself shows how often
// that was done.
type change struct {
	name, tool, arguments string // with ISSUE, of the test's own, and TEXT, which occurs nowhere else
	count                 func(t *testing.T, r *redmine, issue int, text string) int
}

var changes = []change{
	{"an issue", "tracker_create_issue", `{"source":"alice","project":"pub","title":"TEXT","body":"Once"}`, issues},
	{"a comment", "tracker_add_comment", `{"source":"alice","ref":"#ISSUE","body":"TEXT"}`, notes},
	{"an update", "tracker_update_issue", `{"source":"alice","ref":"#ISSUE","title":"TEXT"}`, updates},
}

func issues(t *testing.T, r *redmine, _ int, text string) int {
	t.Helper()
	var v struct {
		Total int `json:"total_count"`
	}
	r.read(t, "/issues.json?status_id=*&project_id=pub&subject="+url.QueryEscape(text), &v)
	return v.Total
}

func notes(t *testing.T, r *redmine, issue int, text string) int {
	t.Helper()
	n := 0
	for _, j := range r.journals(t, issue) {
		if j.Notes == text {
			n++
		}
	}
	return n
}

func updates(t *testing.T, r *redmine, issue int, text string) int {
	t.Helper()
	n := 0
	for _, j := range r.journals(t, issue) {
		for _, d := range j.Details {
			if d.Name == "subject" && d.New == text {
				n++
			}
		}
	}
	return n
}

type journal struct {
	Notes   string
	Details []struct {
		Name string
		New  string `json:"new_value"`
	}
}

// journals are what Redmine keeps of the changes of an issue.
func (r *redmine) journals(t *testing.T, issue int) []journal {
	t.Helper()
	var v struct {
		Issue struct{ Journals []journal }
	}
	r.read(t, fmt.Sprintf("/issues/%d.json?include=journals", issue), &v)
	return v.Issue.Journals
}

// read asks Redmine itself, as its administrator.
func (r *redmine) read(t *testing.T, path string, into any) {
	t.Helper()
	code, body := fetch(t, http.MethodGet, "http://"+r.address+path, r.keys["root"], "")
	if code != http.StatusOK {
		t.Fatalf("%s: %d", path, code)
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatal(err)
	}
}

// fresh is the number of a new issue, made without frank.
func (r *redmine) fresh(t *testing.T) int {
	t.Helper()
	code, body := fetch(t, http.MethodPost, "http://"+r.address+"/issues.json", r.keys["alice"], `{"issue":{"project_id":"pub","subject":"To be changed"}}`)
	var v struct{ Issue struct{ ID int } }
	if err := json.Unmarshal(body, &v); err != nil || code != http.StatusCreated {
		t.Fatalf("%d %v %s", code, err, body)
	}
	return v.Issue.ID
}

// attempt is a change that occurs nowhere else.
type attempt struct {
	change
	r     *redmine
	issue int
	text  string
}

func (r *redmine) attempt(t *testing.T, c change, name string) attempt {
	t.Helper()
	return attempt{change: c, r: r, issue: r.fresh(t), text: name + " of " + t.Name()}
}

func (a attempt) ask(t *testing.T, d *desk) answer {
	t.Helper()
	return d.call(t, a.tool, strings.NewReplacer("ISSUE", strconv.Itoa(a.issue), "TEXT", a.text).Replace(a.arguments))
}

// done demands an answer that confirms the change.
func (a attempt) done(t *testing.T, got answer) {
	t.Helper()
	if got.Status != "success" || got.Code != "NONE" || !strings.Contains(string(got.Data), a.text) {
		t.Errorf("it was not confirmed:\n%s", got.text)
	}
}

// unknown demands an answer that leaves open whether the change was made.
func (a attempt) unknown(t *testing.T, got answer) {
	t.Helper()
	if got.Status != "access_failure" || got.Code != "SOURCE_UNRELIABLE" || got.Failure.Called != "maybe" || !strings.Contains(got.Summary, "it may have taken effect") {
		t.Errorf("it is not told as unknown:\n%s", got.text)
	}
}

// notDone demands an answer that says that nothing was changed, and why.
func (a attempt) notDone(t *testing.T, got answer, reason string) {
	t.Helper()
	if got.Status != "access_failure" || got.Code != "SOURCE_UNRELIABLE" || got.Failure.Reason != reason || !strings.Contains(got.Summary, "nothing was changed") {
		t.Errorf("it is not told as not done for %s:\n%s", reason, got.text)
	}
}

// times demands that Redmine itself has the change so often.
func (a attempt) times(t *testing.T, want int) {
	t.Helper()
	if n := a.count(t, a.r, a.issue, a.text); n != want {
		t.Errorf("Redmine has it %d times, not %d", n, want)
	}
}

// again asks once more, which must change nothing.
func (a attempt) again(t *testing.T, d *desk) {
	t.Helper()
	a.done(t, a.ask(t, d))
	a.times(t, 1)
}

// doubtfulChanges makes changes whose answers are lost, or which are lost themselves.
// None is made twice, and none is told as made or as not made without a proof.
func (r *redmine) doubtfulChanges(t *testing.T, p *toxiproxy) {
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := func(name string, f func(t *testing.T)) {
				t.Run(name, func(t *testing.T) { t.Parallel(); f(t) })
			}
			for _, f := range lostAnswers {
				run(f.name, func(t *testing.T) { r.lostAnswer(t, p, c, f) })
				run(f.name+", and none to what became of it", func(t *testing.T) { r.lostTrack(t, p, c, f, 1) })
			}
			for _, f := range lostQuestions {
				run(f.name, func(t *testing.T) { r.lostTrack(t, p, c, f, 0) })
			}
			run(unreachable.name, func(t *testing.T) { r.notSent(t, p, c) })
			run("a gateway that gives up", func(t *testing.T) { r.gatewayTimeout(t, p, c) })
			run("a gateway without a server", func(t *testing.T) { r.badGateway(t, p, c) })
			run("a limit", func(t *testing.T) { r.limitedChange(t, c) })
			run("a limit that passes", func(t *testing.T) { r.limitPassesChange(t, c) })
		})
	}
}

// changeRetry are the settings for a change under the fault. What is read before it is
// not disturbed, and must not be too slow.
func (f fault) changeRetry() string {
	if f.slow {
		return "{max_attempts: 1, timeout: 4s, budget: 40s, cooldown: 1ms}"
	}
	return once
}

// lostAnswer: the change was made, and frank finds it in the same call.
func (r *redmine) lostAnswer(t *testing.T, p *toxiproxy, c change, f fault) {
	a, w := r.attempt(t, c, "Text"), p.before(t, r.address)
	f.set(t, w)
	g := r.gate(t, w.address)
	d := r.open(t, g.host, f.changeRetry(), nil)
	got := a.ask(t, d)
	a.done(t, got)
	if len(got.Trace.Recovered) != 1 || !slices.Contains(f.reasons, got.Trace.Recovered[0].Reason) {
		t.Errorf("no trace of %v:\n%s", f.reasons, got.text)
	}
	a.times(t, 1)
	a.again(t, r.reopen(t, g.host, patient, nil, d.journal))
}

// clock is one that a test can put forward.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// settle lets so much time pass that nothing can be under way any more.
func (c *clock) settle() { c.ahead.Add(int64(20 * time.Second)) }

// lostTrack: the change was made, or was not, and Redmine cannot be asked which. That
// is what is told; the same call finds out later.
func (r *redmine) lostTrack(t *testing.T, p *toxiproxy, c change, f fault, made int) {
	a, w := r.attempt(t, c, "Text"), p.before(t, r.address)
	f.set(t, w)
	g := r.gate(t, w.address)
	g.before = func() { g.dead.Store(true) }
	var k clock
	d := r.open(t, g.host, f.changeRetry(), k.now)
	a.unknown(t, a.ask(t, d))
	a.times(t, made)
	g.dead.Store(false)
	w.clear(t)
	k.settle()
	d = r.reopen(t, g.host, patient, k.now, d.journal)
	a.again(t, d)
	a.again(t, d)
}

// notSent: what was surely not sent is told as not done.
func (r *redmine) notSent(t *testing.T, p *toxiproxy, c change) {
	a, w := r.attempt(t, c, "Text"), p.before(t, r.address)
	d := r.open(t, w.address, once, nil)
	d.ask(t, "tracker_describe", `{"source":"alice","project":"pub"}`, found()) // so that the change is what is refused
	w.open(t, false)
	a.notDone(t, a.ask(t, d), "network_error")
	w.open(t, true)
	a.again(t, d)
}

// gatewayTimeout: a 504 of nginx says nothing of what Redmine did behind it.
func (r *redmine) gatewayTimeout(t *testing.T, p *toxiproxy, c change) {
	a, w := r.attempt(t, c, "Text"), p.before(t, r.address)
	w.disturb(t, down("timeout", map[string]int{"timeout": 0})...)
	gateway := limited(t, w.address, limit{rate: "100r/s", admits: 50, timeout: "4s"})
	d := r.open(t, r.gate(t, gateway).host, once, nil)
	got := a.ask(t, d)
	a.done(t, got)
	if len(got.Trace.Recovered) != 1 || got.Trace.Recovered[0].Reason != "http_5xx" {
		t.Errorf("no trace of the 504:\n%s", got.text)
	}
	a.times(t, 1)
	a.again(t, d)
}

// badGateway: neither does a 502.
func (r *redmine) badGateway(t *testing.T, p *toxiproxy, c change) {
	a, w := r.attempt(t, c, "Text"), p.before(t, r.address)
	w.open(t, false)
	g := r.gate(t, limited(t, w.address, limit{rate: "100r/s", admits: 50}))
	g.before = func() { g.dead.Store(true) }
	var k clock
	d := r.open(t, g.host, once, k.now)
	a.unknown(t, a.ask(t, d))
	a.times(t, 0)
	g.dead.Store(false)
	w.open(t, true)
	k.settle()
	a.again(t, d)
}

// limitedChange: what a limit turned away was not done.
func (r *redmine) limitedChange(t *testing.T, c change) {
	a, b := r.attempt(t, c, "First"), r.attempt(t, c, "Second")
	d := r.open(t, limited(t, r.address, limit{rate: "1r/m", admits: 1, methods: "POST|PUT"}), once, nil)
	a.done(t, a.ask(t, d))
	b.notDone(t, b.ask(t, d), "rate_limited")
	a.times(t, 1)
	b.times(t, 0)
}

// limitPassesChange: a change that a limit turned away is tried again, as a read is.
func (r *redmine) limitPassesChange(t *testing.T, c change) {
	a, b := r.attempt(t, c, "First"), r.attempt(t, c, "Second")
	d := r.open(t, limited(t, r.address, limit{rate: "2r/s", admits: 1, methods: "POST|PUT"}), "{max_attempts: 9, timeout: 20s, budget: 40s}", nil)
	a.again(t, d)
	b.again(t, d)
}
