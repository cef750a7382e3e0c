package upstream

import (
	"log/slog"
	"sync"
	"time"

	"github.com/frank-mcp/frank/status"
)

// pass is how a call came through the circuit: what it is the trial of, nil if
// nothing is known against the source.
type pass = *rest

// entry is who wants to pass.
type entry struct {
	fp      string
	class   string
	probing bool
}

// breaker is the circuit of one source. It belongs to one dependency
// fingerprint at a time: with another one it is closed.
//
// A rate limit that names its resource holds back only the classes of requests
// which the source counted against that resource before: a spent search quota
// must not keep a file from being read.
type breaker struct {
	cooldown time.Duration

	mu        sync.Mutex
	fp        string
	whole     *rest            // everything rests
	parts     map[string]*rest // by rate resource
	resources map[string]string
	told      int // how many circuits were open when that was last asked
}

// changed is how many circuits are open, and whether that is news.
func (b *breaker) changed() (open int, news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if open = len(b.parts); b.whole != nil {
		open++
	}
	news, b.told = open != b.told, open
	return open, news
}

// rest is an open circuit.
type rest struct {
	first  status.Failure
	until  time.Time
	trying bool
}

// maxClasses bounds what is remembered of classes and resources.
const maxClasses = 256

// enter admits a call, or returns the failure that opened the circuit and how
// long it stays so.
func (b *breaker) enter(e entry, now time.Time) (pass, time.Duration, *status.Failure) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fp != e.fp {
		b.fp, b.whole, b.parts = e.fp, nil, nil
	}
	r := b.whole
	if r == nil {
		r = b.parts[b.resources[e.class]]
	}
	switch {
	case r == nil:
		return nil, 0, nil
	case e.probing:
		return r, 0, nil
	case now.Before(r.until):
		return nil, r.until.Sub(now), &r.first
	case r.trying:
		return nil, time.Second, &r.first
	}
	r.trying = true
	return r, 0, nil
}

// open lets the source rest. A resource narrows that to what counts against it.
func (b *breaker) open(fp, resource string, first status.Failure, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fp != fp {
		return // the credential changed meanwhile
	}
	r := &rest{first: first, until: until}
	if resource == "" {
		b.whole = r
		return
	}
	if b.parts == nil {
		b.parts = map[string]*rest{}
	}
	if _, known := b.parts[resource]; known || len(b.parts) < maxClasses {
		b.parts[resource] = r
	}
}

// learn remembers which quota a class of requests counts against.
func (b *breaker) learn(class, resource string) {
	if class == "" || resource == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.resources == nil {
		b.resources = map[string]string{}
	}
	if _, known := b.resources[class]; known || len(b.resources) < maxClasses {
		b.resources[class] = resource
	}
}

// passed closes what the call was a trial of.
func (b *breaker) passed(p pass) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.whole == p {
		b.whole = nil
	}
	for resource, r := range b.parts {
		if r == p {
			delete(b.parts, resource)
		}
	}
}

// release lets another call be the trial from then on, since this one did not
// show that the source works.
func (b *breaker) release(p pass, from time.Time) {
	if p == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p.trying, p.until = false, from
}

// close closes everything.
func (b *breaker) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.whole, b.parts = nil, nil
}

// settle tells the circuit how a call ended that did not open it.
func (s *sending) settle(p pass, out outcome, used bool) {
	b := &s.c.breaker
	if out.x != nil {
		b.learn(s.want.Class, out.x.Header.Get("X-Ratelimit-Resource"))
	}
	switch {
	case used || p == nil:
	case out.code != 0 && !transient(out) && (out.f == nil || out.f.APICalled() != status.MaybeCalled): // it answered, whatever it said
		b.passed(p)
	case out.f.Reason() == status.Cancelled:
		b.release(p, s.c.opts.Now())
	default:
		b.release(p, s.c.opts.Now().Add(b.cooldown))
	}
}

// rest opens the circuit, since the retries are used up: until the reset of a rate limit if that is known, else
// for the cool-down, or longer if the source asked for it. The failure says how
// long, because calls before that end here.
func (s *sending) rest(f status.Failure) *status.Failure {
	b := &s.c.breaker
	wait := max(f.RetryAfter(), b.cooldown)
	resource := ""
	if f.Reason() == status.RateLimited {
		if f.RetryAfter() > 0 {
			wait = f.RetryAfter()
		}
		if s.want.Class != "" {
			resource = f.Text("rate_resource")
		}
		b.learn(s.want.Class, resource)
	}
	b.open(s.fp, resource, f, s.c.opts.Now().Add(wait))
	s.c.opts.Log.Info("upstream circuit open", slog.String("source", s.c.opts.Source), slog.String("class", s.want.Class),
		slog.String("reason", f.Reason().Name()), slog.Duration("wait", wait), slog.String("fingerprint", s.fp))
	f = f.With(status.After(wait))
	return &f
}
