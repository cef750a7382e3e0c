package upstream

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/status"
)

const (
	firstPause = 250 * time.Millisecond
	maxPause   = 5 * time.Second
	maxWait    = 24 * time.Hour // of what a provider may announce
	secondsTop = int64(maxWait / time.Second)
)

// transient reports whether the contract lists the failure as one to retry:
// connection failures (a cut body is one), 408, 429, 502, 503, 504 and
// rate-limit 403s. A 500 is not: what broke it breaks it again.
func transient(out outcome) bool {
	if out.f == nil || !out.f.Retryable() {
		return false
	}
	switch out.f.Reason() {
	case status.NetworkError, status.Timeout, status.TruncatedBody, status.RateLimited:
		return true
	case status.HTTP5xx:
		return out.code == http.StatusBadGateway || out.code == http.StatusServiceUnavailable || out.code == http.StatusGatewayTimeout
	default:
		return false
	}
}

// untouched reports whether a write that failed surely had no effect: it was not
// sent, or it was turned away for the rate of requests.
func untouched(out outcome) bool {
	return out.f.Reason() == status.RateLimited || out.code == 0 && out.f.APICalled() == status.NotCalled
}

// undecided reports whether an answer to a write that failed leaves open whether
// it took effect: the source accepted it and said so in a way that cannot be
// read, it broke down or gave up waiting on the way, or it sends the caller to
// look at what came of it. A redirect to another address for the same request is
// a refusal.
func undecided(code int) bool {
	switch code {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect, http.StatusNotImplemented,
		http.StatusHTTPVersionNotSupported, http.StatusNetworkAuthenticationRequired:
		return false
	case http.StatusRequestTimeout:
		return true
	}
	return code != 0 && code < 400 || code >= 500
}

// pause is how long to wait before the next attempt. It is false if there is
// none: the attempts are used up, or the wait does not fit into what is left of
// the budget; then the wait is what the source announced, or zero.
func (s *sending) pause(ctx context.Context, out outcome, n, limit int) (time.Duration, bool) {
	announced := out.f.RetryAfter()
	if n >= limit {
		return announced, false
	}
	wait := backoff(n)
	if announced > 0 {
		wait = announced + time.Duration(rand.Int64N(int64(firstPause)))
	}
	until, ok := ctx.Deadline()
	if d, has := s.caller.Deadline(); has && (!ok || d.Before(until)) {
		until, ok = d, true
	}
	if ok && time.Until(until) <= wait {
		return announced, false
	}
	return wait, true
}

// backoff doubles, with jitter over its upper half.
func backoff(n int) time.Duration {
	d := min(firstPause<<min(n-1, 10), maxPause)
	return d/2 + time.Duration(rand.Int64N(int64(d/2)))
}

// sleep waits, or returns false when the context ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func waiting(source string, r status.Reason, n, limit int, wait time.Duration) string {
	return fmt.Sprintf("%s: %s at attempt %d of %d, next in %s", source, r.Name(), n, limit, wait.Round(time.Millisecond))
}

// rate is what an answer's headers say about its rate limit.
type rate struct {
	wait     time.Duration // until a repetition makes sense; 0: not said
	reset    time.Time
	resource string
	spent    bool // the quota is used up
	told     bool // a Retry-After header is there
}

// rateOf reads Retry-After (RFC 9110), X-RateLimit-* (GitHub, Gitea) and
// RateLimit-* (GitLab, IETF draft). A time is taken relative to the answer's
// Date, so that a clock that is off does not matter.
func rateOf(h http.Header, now time.Time) rate {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	r := rate{resource: h.Get("X-Ratelimit-Resource")}
	remaining := strings.TrimSpace(either(h, "X-Ratelimit-Remaining", "Ratelimit-Remaining"))
	r.spent = remaining == "0"
	if after := strings.TrimSpace(h.Get("Retry-After")); after != "" {
		r.told = true
		r.wait = after2wait(after, now)
	}
	if at, ok := resetOf(either(h, "X-Ratelimit-Reset", "Ratelimit-Reset"), now); ok && (r.spent || r.told) {
		if r.reset = at; r.wait == 0 {
			r.wait = clamp(at.Sub(now))
		}
	}
	if r.reset.IsZero() && r.wait > 0 {
		r.reset = now.Add(r.wait)
	}
	return r
}

// after2wait reads seconds or a date.
func after2wait(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return clamp(time.Duration(min(max(n, 0), secondsTop)) * time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return clamp(at.Sub(now))
	}
	return 0
}

// resetOf reads a Unix time or, where the number is too small for one, seconds.
func resetOf(text string, now time.Time) (time.Time, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	switch {
	case err != nil || n < 0:
		return time.Time{}, false
	case n > 500_000_000: // nobody asks for a pause of 15 years
		return time.Unix(n, 0), true
	default:
		return now.Add(time.Duration(min(n, secondsTop)) * time.Second), true
	}
}

func clamp(d time.Duration) time.Duration { return min(max(d, 0), maxWait) }

func either(h http.Header, a, b string) string {
	if v := h.Get(a); v != "" {
		return v
	}
	return h.Get(b)
}
