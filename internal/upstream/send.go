package upstream

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/frank-mcp/frank/status"
)

// Send makes the request and returns its usable answer. If it fails after an
// answer was read, both results are set, so that a connector can look at the
// status and headers of, say, a 404. It takes over the request's body. The
// header and body of the exchange may be shared: they are read, not changed.
func (c *Client) Send(req *http.Request, w Want) (*Exchange, *status.Failure) {
	s, f := c.prepare(req, w)
	if f != nil {
		return nil, f
	}
	if req.Context().Err() != nil { // nobody waits for the answer
		return nil, s.ended(req.Context(), 0)
	}
	if s.budget(); !time.Now().Before(s.until) { // earlier requests of the call used it up
		return nil, s.describe(status.Fail(status.Timeout), 0)
	}
	if !s.bound.take() {
		return nil, s.overdrawn(0)
	}
	if s.share != "" && s.bound == nil && !s.unnamed() {
		return c.flights.do(req.Context(), s.identity+"\n"+s.share, s)
	}
	return s.run(req.Context())
}

// sending is one call on its way.
type sending struct {
	c         *Client
	caller    context.Context // of whoever asked first
	req       *http.Request   // as every attempt sends it
	body      []byte
	want      Want
	share     string
	identity  string
	fp        string
	read      bool
	safe      bool // may be sent twice, see [Want.Repeatable]
	refreshed bool
	called    status.APICall
	past      []setback
	until     time.Time // the end of the call's budget for this source
	late      bool      // earlier requests of the call used some of it
	bound     *bound    // of the question's requests; nil: none
}

// setback is an attempt that failed and was followed by another.
type setback struct {
	reason  status.Reason
	attempt int
	at      time.Time
}

// outcome is how one attempt ended.
type outcome struct {
	x    *Exchange
	f    *status.Failure
	code int // the answer's status, 0 if there was none
	wire int // the same as it came: a 304 where the store supplied the answer
}

func (c *Client) prepare(req *http.Request, w Want) (*sending, *status.Failure) {
	if w.Statuses == nil {
		w.Statuses = okOnly
	}
	if w.MaxBody <= 0 {
		w.MaxBody = c.opts.MaxBody
	}
	ctx := req.Context()
	s := &sending{c: c, caller: ctx, want: w, called: status.NotCalled, bound: boundOf(ctx)}
	if req.Body != nil && req.Body != http.NoBody {
		body, err := io.ReadAll(req.Body)
		_ = req.Body.Close() // nothing more is wanted of it
		if err != nil {
			return nil, s.describe(status.Fail(status.UncaughtServerError), 0)
		}
		s.body = body
	}
	if !c.pinned(req.URL) {
		// A link of the provider's that leads off the configured host.
		return nil, s.describe(status.Fail(status.Misconfigured, status.ConfigKey.Is("base_url"), status.RedirectHost.Is(req.URL.Hostname())), 0)
	}
	s.req = req.Clone(context.WithoutCancel(ctx))
	s.req.Body, s.req.GetBody, s.req.ContentLength = nil, nil, 0
	s.req.Method, s.req.Host = method(req), ""
	s.read = s.req.Method == http.MethodGet || s.req.Method == http.MethodHead || s.req.Method == http.MethodOptions
	s.safe = s.read || w.Repeatable
	// Ours to decide: validators belong to the store, and an encoding that we
	// name would keep the transport from decoding it.
	for _, name := range []string{"If-None-Match", "If-Modified-Since", "Accept-Encoding"} {
		s.req.Header.Del(name)
	}
	if c.opts.UserAgent != "" {
		s.req.Header.Set("User-Agent", c.opts.UserAgent)
	}
	if s.want.NoCache && s.read {
		s.req.Header.Set("Cache-Control", "no-cache")
	}
	if s.req.Header.Get("Accept") == "" && w.Media == JSON {
		s.req.Header.Set("Accept", "application/json")
	}
	s.share = s.shareKey()
	if f := s.authorize(ctx); f != nil {
		return nil, f
	}
	return s, nil
}

// budget sets the time by which the call must be done with this source.
func (s *sending) budget() {
	whole := time.Now().Add(s.c.opts.Retry.Budget)
	s.until = status.CallFrom(s.caller).Until(s.c.opts.Source, whole)
	s.late = s.until.Before(whole)
}

var okOnly = []int{http.StatusOK}

func method(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return req.Method
}

// authorize sets the credential's headers and learns whose they are.
func (s *sending) authorize(ctx context.Context) *status.Failure {
	f := s.c.opts.Credential.Authorize(ctx, s.req.Header)
	s.identity = s.c.opts.Credential.Identity(ctx)
	s.fp = s.c.fingerprint(s.identity)
	if f != nil {
		return s.describe(*f, 0)
	}
	return nil
}

// run passes the circuit, tries until there is an answer, and settles the circuit.
func (s *sending) run(ctx context.Context) (x *Exchange, f *status.Failure) {
	var pass pass
	defer func() {
		if recover() != nil { // a connector's reading; the text of a panic may quote the answer
			s.c.opts.Log.Error("upstream: panic while reading an answer", slog.String("source", s.c.opts.Source), slog.String("class", s.want.Class))
			x, f = nil, s.describe(status.Fail(status.UncaughtServerError), 0)
			s.c.breaker.release(pass, s.c.opts.Now())
		}
	}()
	probing, _ := s.caller.Value(probeKey{}).(bool)
	var (
		wait  time.Duration
		first *status.Failure
	)
	defer s.c.tellCircuits(ctx)
	pass, wait, first = s.c.breaker.enter(entry{s.fp, s.want.Class, probing}, s.c.opts.Now())
	if first != nil {
		broken := status.Broken(*first, wait, status.By(s.c.opts.Source), status.Fingerprint(s.fp))
		return nil, &broken
	}
	out, used := s.try(ctx, pass)
	if used {
		out.f = s.rest(*out.f)
	}
	s.settle(pass, out, used)
	return out.x, out.f
}

// try makes attempts until one decides. used tells that it gave up although the
// failure is of a kind that is retried.
func (s *sending) try(outer context.Context, p pass) (out outcome, used bool) {
	ctx, cancel := context.WithDeadline(outer, s.until)
	defer cancel()
	limit := s.c.opts.Retry.MaxAttempts
	if p != nil { // one request finds out whether the source works again
		limit = 1
	}
	for n := 1; ; n++ {
		status.CallFrom(s.caller).Attempted()
		out = s.watched(ctx, n)
		if out.x != nil {
			out.x.Attempts = n
		}
		if out.code == http.StatusUnauthorized && !s.bound.spent() && s.refresh(ctx, out, n) && s.bound.take() {
			s.retrying(ctx, out, n, 0)
			limit++
			continue
		}
		if !transient(out) {
			s.recovered(n)
			return out, false
		}
		if !s.safe && !untouched(out) || outer.Err() != nil {
			return out, false // it may not be repeated, or nobody waits for it
		}
		wait, ok := s.pause(ctx, out, n, limit)
		if !ok && !s.safe && out.code != 0 {
			return out, false // a limit on writes says nothing of reads, which share the circuit
		}
		if !ok {
			// A request that had only what others left of the budget tried too little
			// to say that the source does not work.
			return out, n >= limit || !s.late || out.f.RetryAfter() > 0
		}
		if !s.bound.take() {
			return out, false // it tried too little, as above
		}
		s.past = append(s.past, setback{out.f.Reason(), n, s.c.opts.Now()})
		s.tell(out, n, limit, wait)
		s.retrying(ctx, out, n, wait)
		if !sleep(ctx, wait) {
			return outcome{f: s.ended(ctx, n)}, false
		}
	}
}

// refresh asks for another secret after a 401, once.
func (s *sending) refresh(ctx context.Context, out outcome, n int) bool {
	r, ok := s.c.opts.Credential.(Refresher)
	if !ok || s.refreshed || out.f == nil {
		return false
	}
	s.refreshed = true
	before := s.identity
	if r.Refresh(ctx) != nil || s.authorize(ctx) != nil || s.identity == before {
		return false
	}
	s.past = append(s.past, setback{out.f.Reason(), n, s.c.opts.Now()})
	return true
}

// recovered leaves the trace of what a later attempt made good.
func (s *sending) recovered(n int) {
	for _, b := range s.past {
		status.CallFrom(s.caller).Recovered(s.c.opts.Source, b.reason, b.attempt, b.at)
		s.c.opts.Log.Info("upstream recovered", slog.String("source", s.c.opts.Source), slog.String("class", s.want.Class),
			slog.String("reason", b.reason.Name()), slog.Int("attempt", b.attempt), slog.Int("attempts", n))
	}
}

// tell logs a retry and lets the caller know that it takes longer.
func (s *sending) tell(out outcome, n, limit int, wait time.Duration) {
	s.c.opts.Log.Debug("upstream retry", slog.String("source", s.c.opts.Source), slog.String("class", s.want.Class),
		slog.String("reason", out.f.Reason().Name()), slog.Int("attempt", n), slog.Int("status", out.code), slog.Duration("wait", wait))
	if s.caller.Err() == nil { // who asked first may have left a shared flight
		status.CallFrom(s.caller).Report(waiting(s.c.opts.Source, out.f.Reason(), n, limit, wait))
	}
}

// attempt sends once and has the answer classified. What it says of a write is
// about this attempt alone: an earlier one that is followed by another had no effect.
func (s *sending) attempt(ctx context.Context, n int) outcome {
	if s.safe {
		return s.answered(ctx, n)
	}
	s.called = status.NotCalled
	out := s.answered(ctx, n)
	if out.f != nil && (out.f.APICalled() == status.MaybeCalled || undecided(out.code)) {
		f := out.f.With(status.MaybeCalled, status.Retryable(false), status.After(0))
		out.f = &f
	}
	return out
}

// answered is one attempt, read as that of a request that may be sent twice.
func (s *sending) answered(ctx context.Context, n int) outcome {
	kept := s.kept()
	a, f := s.once(ctx, kept, n)
	if f == nil && a.x.Location != "" {
		kept = nil // another address answered, which was not asked "changed?"
	}
	if f == nil && a.x.Status == http.StatusNotModified && kept != nil && !kept.sameAs(a.x) {
		kept = nil // it confirms an answer that we do not have
	}
	if f == nil && a.x.Status == http.StatusNotModified && kept == nil && s.read && s.bound.take() {
		// GH-54: nobody asked "changed?", or of something else; a 304 body is never read as an answer.
		status.CallFrom(s.caller).Attempted()
		s.req.Header.Set("Cache-Control", "no-cache")
		a, f = s.once(ctx, nil, n)
	}
	if f != nil {
		return outcome{f: f}
	}
	wire := a.x.Status
	if wire == http.StatusNotModified && kept != nil {
		a.x = kept.confirmed(a.x)
	}
	code := a.x.Status
	reading := s.classify(a)
	if reading == nil {
		s.keep(a.x)
		return outcome{x: a.x, code: code, wire: wire}
	}
	f = s.describe(reading.With(s.facts(a.x, *reading)...), n)
	if a.gap != nil { // not read to its end: nothing in it may be relied on
		a.x = nil
	}
	return outcome{x: a.x, f: f, code: code, wire: wire}
}

// answer is an exchange as it came.
type answer struct {
	x   *Exchange
	gap *status.Failure // why the body is not whole
	bar *status.Failure // why a redirect was not followed; its body is not read
}

// once sends the request, follows redirects on the same host and reads the
// answer within the time of one attempt.
func (s *sending) once(ctx context.Context, kept *stored, n int) (answer, *status.Failure) {
	ctx, cancel := context.WithTimeout(ctx, s.c.opts.Retry.Timeout)
	defer cancel()
	req := s.outgoing(ctx, kept)
	location := ""
	for hops := 0; ; hops++ {
		resp, err := s.c.wire.RoundTrip(req)
		if err != nil || resp == nil {
			return answer{}, s.unreached(ctx, err, n)
		}
		s.called = status.WasCalled
		if resp.Body == nil {
			resp.Body = http.NoBody
		}
		next, refusal := s.follow(req, resp, hops)
		if next == nil {
			a, f := s.take(ctx, resp, n, refusal)
			if f == nil {
				a.x.Location = location
			}
			return a, f
		}
		_ = resp.Body.Close() // of no interest
		if !s.bound.take() {
			return answer{}, s.overdrawn(n)
		}
		req, location = next, next.URL.EscapedPath()
	}
}

// outgoing is the request of one attempt, with validators for what is kept and,
// if the call is traced, its place in the trace.
func (s *sending) outgoing(ctx context.Context, kept *stored) *http.Request {
	req := s.req.WithContext(ctx)
	parent := status.Outgoing(ctx)
	if kept != nil || parent != "" {
		req.Header = req.Header.Clone()
	}
	if kept != nil {
		kept.condition(req.Header)
	}
	if parent != "" {
		req.Header.Set("Traceparent", parent)
	}
	s.load(req)
	return req
}

// load gives a request the body of the call.
func (s *sending) load(req *http.Request) {
	if len(s.body) > 0 {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(s.body)), int64(len(s.body))
		// No GetBody: only this package decides what is sent twice.
	}
}

// take reads the body of an answer to its end.
func (s *sending) take(ctx context.Context, resp *http.Response, n int, bar *status.Failure) (answer, *status.Failure) {
	defer func() { _ = resp.Body.Close() }() // read as far as it is wanted
	a := answer{bar: bar, x: &Exchange{
		Method: s.req.Method, Path: s.req.URL.EscapedPath(), Class: s.want.Class,
		Status: resp.StatusCode, Header: resp.Header, Attempts: n, Want: s.want,
	}}
	if a.x.Header == nil {
		a.x.Header = http.Header{}
	}
	if bar == nil && s.req.Method != http.MethodHead && resp.StatusCode != http.StatusNotModified {
		a.x.Body, a.gap = s.c.readAll(resp, s.want.MaxBody)
	}
	if a.gap != nil {
		a.x.Body = nil
		if ctx.Err() != nil {
			return a, s.ended(ctx, n)
		}
	}
	a.x.At = s.c.opts.Now()
	return a, nil
}
