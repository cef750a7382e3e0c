package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

var (
	errReset   = &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	errRefused = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
)

// ask sends a GET within a call and reports how long it took.
func ask(t *testing.T, c *upstream.Client) (x *upstream.Exchange, f *status.Failure, call *status.Call, took time.Duration) {
	t.Helper()
	call = &status.Call{}
	start := time.Now()
	x, f = c.Send(request(t, status.WithCall(t.Context(), call), http.MethodGet, page), upstream.Want{Class: "GET /items"})
	return x, f, call, time.Since(start)
}

// recoveries renders what a call would show of its recoveries.
func recoveries(call *status.Call) string {
	structured, err := status.Refuse(status.Question{}, status.Fail(status.Cancelled)).Traced(call).Structured()
	if err != nil {
		return err.Error()
	}
	var got struct {
		Trace struct{ Recovered []status.Recovery }
	}
	if err := json.Unmarshal(structured, &got); err != nil {
		return err.Error()
	}
	var out []string
	for _, r := range got.Trace.Recovered {
		out = append(out, fmt.Sprintf("%s@%d", r.Reason, r.Attempt))
	}
	return strings.Join(out, " ")
}

func TestRetriesWhatTheContractLists(t *testing.T) {
	for name, tc := range map[string]struct {
		first step
		again bool
	}{
		"reset":           {breaks(errReset), true},
		"refused":         {breaks(errRefused), true},
		"cut":             {cutAnswer(200, `{"a"`, "application/json"), true},
		"hang":            {hangs, true},
		"408":             {answer(408, `{}`), true},
		"429":             {answer(429, `{}`), true},
		"502":             {html(502, "x"), true},
		"503":             {answer(503, `{}`), true},
		"504":             {answer(504, ""), true},
		"rate-limit 403":  {answer(403, `{}`, "Retry-After", "1"), true},
		"spent quota 403": {answer(403, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "2", "X-RateLimit-Resource", "core"), true},
		"500":             {answer(500, `{}`), false},
		"501":             {answer(501, `{}`), false},
		"403":             {answer(403, `{}`), false},
		"401":             {answer(401, `{}`), false},
		"404":             {answer(404, `{}`), false},
		"202":             {answer(202, `{}`), false},
		"shape":           {answer(200, ``), false},
		"page":            {html(200, `x`), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := script(tc.first, answer(200, `{}`))
				x, f, _, _ := ask(t, client(t, w))
				if again := len(w.requests()) == 2; again != tc.again || again != (f == nil) {
					t.Fatalf("%d attempts, failure %v", len(w.requests()), f)
				}
				if tc.again && x.Attempts != 2 {
					t.Errorf("attempts %d", x.Attempts)
				}
			})
		})
	}
}

func TestRecoveryLeavesATrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		call := &status.Call{Progress: func(m string) { said = append(said, m) }}
		var logs bytes.Buffer
		c := client(t, script(answer(502, `{}`), breaks(errReset), answer(200, `{}`)), func(o *upstream.Options) {
			o.Log = slog.New(slog.NewJSONHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		_, f := c.Send(request(t, status.WithCall(t.Context(), call), http.MethodGet, page+"&q=private"), upstream.Want{Class: "GET /items"})
		if f != nil {
			t.Fatal(f.Reason())
		}
		if got := recoveries(call); got != "http_5xx@1 network_error@2" {
			t.Errorf("recovered %q", got)
		}
		if text := status.Refuse(status.Question{}, status.Fail(status.Cancelled)).Traced(call).Text(); !strings.Contains(text, `"attempts":3`) {
			t.Errorf("attempts are not counted: %s", text)
		}
		if len(said) != 2 || !strings.Contains(said[0], "http_5xx") {
			t.Errorf("progress %q", said)
		}
		if strings.Count(logs.String(), "upstream retry") != 2 || strings.Count(logs.String(), "upstream recovered") != 2 {
			t.Error(logs.String())
		}
		for _, private := range []string{"private", secret, "Bearer", "example.com"} {
			if strings.Contains(logs.String(), private) {
				t.Errorf("log holds %q", private)
			}
		}
	})
}

func TestBackoffGrowsWithJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[time.Duration]bool{}
		for range 20 {
			_, f, _, took := ask(t, client(t, script(answer(502, ``))))
			wantFailure(t, f, status.HTTP5xx)
			if low, high := 375*time.Millisecond, 750*time.Millisecond; took < low || took > high {
				t.Errorf("took %s", took)
			}
			if f.Text("attempts") != "3" {
				t.Errorf("attempts %s", f.Text("attempts"))
			}
			seen[took] = true
		}
		if len(seen) < 2 {
			t.Error("no jitter")
		}
	})
}

func stamp(now time.Time, seconds int) string {
	return now.UTC().Add(time.Duration(seconds) * time.Second).Format(http.TimeFormat)
}

func unix(now time.Time, seconds int64) string { return strconv.FormatInt(now.Unix()+seconds, 10) }

// TestWaitsAreHonoured: in seconds, as a date, as a reset; with the source's own
// clock where it tells the time.
func TestWaitsAreHonoured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, headers := range map[string]func(now time.Time) []string{
			"seconds": func(time.Time) []string { return []string{"Retry-After", "7"} },
			"date":    func(now time.Time) []string { return []string{"Retry-After", stamp(now, 7)} },
			"date, other clock": func(now time.Time) []string {
				return []string{"Retry-After", stamp(now, -993), "Date", stamp(now, -1000)}
			},
			"reset": func(now time.Time) []string {
				return []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", unix(now, 7)}
			},
			"reset in seconds": func(time.Time) []string { return []string{"RateLimit-Remaining", "0", "RateLimit-Reset", "7"} },
			"both, the first one": func(now time.Time) []string {
				return []string{"Retry-After", "7", "X-RateLimit-Reset", unix(now, 3600)}
			},
		} {
			time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // HTTP counts whole seconds
			_, f, _, took := ask(t, client(t, script(answer(429, `{}`, headers(time.Now())...), answer(200, `{}`))))
			if f != nil || took < 7*time.Second || took > 7250*time.Millisecond {
				t.Errorf("%s: took %s, %v", name, took, f)
			}
		}
		for _, bad := range []string{"-5", "soon", "Mon, 02 Jan 1995 15:04:05 GMT"} {
			_, f, _, took := ask(t, client(t, script(answer(429, `{}`, "Retry-After", bad), answer(200, `{}`))))
			if f != nil || took > time.Second {
				t.Errorf("%s: took %s, %v", bad, took, f)
			}
		}
	})
}

// TestLongWaitIsReturned: what does not fit into the budget is not slept through.
func TestLongWaitIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reset := time.Now().Add(40 * time.Minute).Truncate(time.Second).UTC()
		w := script(answer(403, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Resource", "core", "X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10)))
		_, f, _, took := ask(t, client(t, w))
		wantFailure(t, f, status.RateLimited)
		if took > 0 || len(w.requests()) != 1 {
			t.Errorf("took %s, %d attempts", took, len(w.requests()))
		}
		if f.RetryAfter() < 39*time.Minute || f.RetryAfter() > 40*time.Minute || f.Text("rate_resource") != "core" || f.Text("reset_at") != reset.Format(time.RFC3339) {
			t.Errorf("after %s, resource %s, reset %s", f.RetryAfter(), f.Text("rate_resource"), f.Text("reset_at"))
		}
		_, f, _, _ = ask(t, client(t, script(answer(429, `{}`, "Retry-After", "99999999999999"))))
		if f.RetryAfter() != 24*time.Hour {
			t.Errorf("after %s", f.RetryAfter())
		}
		_, f, _, _ = ask(t, client(t, script(answer(429, `{}`, "Retry-After", "Mon, 02 Jan 2040 15:04:05 GMT"))))
		if f.RetryAfter() != 24*time.Hour {
			t.Errorf("after %s", f.RetryAfter())
		}
		// The caller's own deadline counts as well.
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, f = client(t, script(answer(429, `{}`, "Retry-After", "7"))).Send(request(t, ctx, http.MethodGet, page), upstream.Want{})
		wantFailure(t, f, status.RateLimited)
		if f.RetryAfter() != 7*time.Second {
			t.Errorf("after %s", f.RetryAfter())
		}
	})
}

// A write is sent again only if it surely had no effect, and what is not known of
// it is said so.
func TestWritesAreSentOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, tc := range map[string]struct {
			first  step
			called status.APICall
			sent   int
		}{
			"reset":      {breaks(errReset), status.MaybeCalled, 1},
			"hang":       {hangs, status.MaybeCalled, 1},
			"refused":    {breaks(errRefused), 0, 2},
			"429":        {answer(429, ``, "Retry-After", "1"), 0, 2},
			"limit":      {answer(403, ``, "Retry-After", "1"), 0, 2},
			"408":        {answer(408, ``), status.MaybeCalled, 1},
			"500":        {answer(500, ``), status.MaybeCalled, 1},
			"502":        {answer(502, ``), status.MaybeCalled, 1},
			"503":        {answer(503, ``, "Retry-After", "1"), status.MaybeCalled, 1},
			"501":        {answer(501, ``), status.WasCalled, 1},
			"409":        {answer(409, `{}`), status.WasCalled, 1},
			"202":        {answer(202, `{}`), status.MaybeCalled, 1},
			"no JSON":    {html(200, `<html>`), status.MaybeCalled, 1},
			"cut":        {cutAnswer(200, `{`, "application/json"), status.MaybeCalled, 1},
			"turned off": {answer(302, ``, "Location", "https://login.example.net/"), status.MaybeCalled, 1},
		} {
			w := script(tc.first, answer(200, `{}`))
			_, f := client(t, w).Send(request(t, t.Context(), http.MethodPost, page, "body"), upstream.Want{})
			switch {
			case len(w.requests()) != tc.sent:
				t.Errorf("%s: %d attempts", name, len(w.requests()))
			case tc.called == 0 && (f != nil || w.sent[1] != "body"):
				t.Errorf("%s: sent %q, %v", name, w.sent, f)
			case tc.called != 0 && (f == nil || f.APICalled() != tc.called || f.Retryable()):
				t.Errorf("%s: called %v, retryable %t", name, f.APICalled(), f.Retryable())
			}
		}
		for name, first := range map[string]step{"reset": breaks(errReset), "502": answer(502, ``), "cut": cutAnswer(200, `{`, "application/json")} {
			w := script(first, answer(200, `{}`))
			_, f := client(t, w).Send(request(t, t.Context(), http.MethodPost, page, "body"), upstream.Want{Repeatable: true})
			if f != nil || len(w.requests()) != 2 || w.sent[1] != "body" {
				t.Errorf("%s, repeatable: %d attempts, sent %q, %v", name, len(w.requests()), w.sent, f)
			}
		}
	})
}

// What is known of a write is known of its last attempt: a limit before it makes
// nothing sure.
func TestALostWriteAfterALimitIsNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := script(answer(429, ``, "Retry-After", "1"), breaks(errReset))
		_, f := client(t, w).Send(request(t, t.Context(), http.MethodPost, page, "body"), upstream.Want{})
		wantFailure(t, f, status.NetworkError)
		if f.APICalled() != status.MaybeCalled || len(w.requests()) != 2 {
			t.Errorf("called %s after %d attempts", f.APICalled(), len(w.requests()))
		}
	})
}

// A write that is turned away keeps nobody from reading.
func TestALimitOnWritesLeavesTheCircuitClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := answer(403, `{}`, "Retry-After", "1")
		w := script(limited, limited, limited, answer(200, `{}`))
		c := client(t, w)
		_, f := c.Send(request(t, t.Context(), http.MethodPost, page, "body"), upstream.Want{})
		wantFailure(t, f, status.RateLimited)
		if _, f := get(t, c); f != nil {
			t.Errorf("a read after it: %s", f.Reason())
		}
	})
}

func TestCancelledIsNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			for name, s := range map[string]step{"in flight": hangs, "while waiting": answer(503, ``, "Retry-After", "15")} {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2*time.Second, cancel)
				_, f := client(t, script(s)).Send(request(t, ctx, method, page), upstream.Want{Repeatable: true})
				wantFailure(t, f, status.Cancelled)
				ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				_, f = client(t, script(hangs)).Send(request(t, ctx, method, page), upstream.Want{Repeatable: true})
				wantFailure(t, f, status.Timeout)
				if f.APICalled() != status.MaybeCalled {
					t.Errorf("%s %s: called %s", method, name, f.APICalled())
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w := script(answer(200, `{}`))
		_, f := client(t, w).Send(request(t, ctx, http.MethodGet, page), upstream.Want{})
		wantFailure(t, f, status.Cancelled)
	})
}

func TestTimesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := script(hangs)
		_, f, _, took := ask(t, client(t, w))
		wantFailure(t, f, status.Timeout)
		if took != 20*time.Second || len(w.requests()) != 2 { // 10 s, a pause, what is left of the budget
			t.Errorf("took %s, %d attempts", took, len(w.requests()))
		}
		slow := func(req *http.Request) (*http.Response, error) {
			resp, err := answer(200, `{}`)(req)
			resp.Body = waits{req.Context()}
			return resp, err
		}
		_, f, _, _ = ask(t, client(t, script(slow), once))
		wantFailure(t, f, status.Timeout)
	})
}

// TestTheBudgetIsTheCalls: however many requests a call makes to one source, each
// of them in time, together they take no longer; and a source that answers all of
// them is not one that does not work.
func TestTheBudgetIsTheCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(req *http.Request) (*http.Response, error) {
			select {
			case <-time.After(3 * time.Second):
				return answer(200, `{}`)(req)
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		}
		for _, want := range []upstream.Want{{}, {NoCache: true}} { // shared flights and own ones
			w := script(slow)
			c := client(t, w)
			ctx := status.WithCall(t.Context(), &status.Call{})
			start, pages := time.Now(), 0
			var f *status.Failure
			for f == nil {
				if _, f = c.Send(request(t, ctx, http.MethodGet, fmt.Sprintf("%s&page=%d", page, pages)), want); f == nil {
					pages++
				}
			}
			wantFailure(t, f, status.Timeout)
			if took := time.Since(start); took != 20*time.Second || pages != 6 || !f.Retryable() {
				t.Errorf("%d pages in %s, retryable %t", pages, took, f.Retryable())
			}
			if _, f := c.Send(request(t, ctx, http.MethodGet, page+"&more=1"), want); f == nil || f.APICalled() != status.NotCalled || len(w.requests()) != 7 {
				t.Errorf("after its end: %v, %d requests", f, len(w.requests()))
			}
			if _, f, _, _ := ask(t, c); f != nil {
				t.Errorf("the next call: %s", f.Reason())
			}
		}
	})
}

// TestAFlightWithLessTimeDisappointsNobody who has more of it.
func TestAFlightWithLessTimeDisappointsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(req *http.Request) (*http.Response, error) {
			select {
			case <-time.After(5 * time.Second):
				return answer(200, `{}`)(req)
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		}
		c := client(t, script(slow))
		old := &status.Call{}
		old.Until("src", time.Now().Add(2*time.Second))
		var wg sync.WaitGroup
		wg.Go(func() {
			_, f := c.Send(request(t, status.WithCall(t.Context(), old), http.MethodGet, page), upstream.Want{Class: "GET /items"})
			wantFailure(t, f, status.Timeout)
		})
		synctest.Wait()
		if _, f, _, took := ask(t, c); f != nil || took != 7*time.Second {
			t.Errorf("%v after %s", f, took)
		}
		wg.Wait()
	})
}

// waits is a body that never comes.
type waits struct{ ctx context.Context }

func (w waits) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}
func (waits) Close() error { return nil }

// TestProviderGoesFirst: the connector's reading of an attempt is what the retry
// rule reads, also of an accepted answer, and never of one that was cut.
func TestProviderGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		saw := 0
		classify := func(o *upstream.Options) {
			o.Classify = func(x *upstream.Exchange) *status.Failure {
				saw++
				switch {
				case x.Status == 403:
					f := status.Fail(status.RateLimited, status.After(3*time.Second))
					return &f
				case bytes.Contains(x.Body, []byte("errors")):
					f := status.Fail(status.GraphQLError)
					return &f
				}
				return nil
			}
		}
		w := script(answer(403, `{}`), cutAnswer(200, `{`, "application/json"), answer(200, `{"errors":[]}`))
		x, f, call, took := ask(t, client(t, w, classify))
		wantFailure(t, f, status.GraphQLError)
		if saw != 2 || x == nil || took < 3*time.Second || f.APICalled() != status.WasCalled || f.Text("http_status") != "200" {
			t.Errorf("saw %d, took %s, called %s", saw, took, f.APICalled())
		}
		if got := recoveries(call); got != "rate_limited@1 truncated_body@2" {
			t.Errorf("recovered %q", got)
		}
		_, f, _, _ = ask(t, client(t, script(answer(200, `{}`)), func(o *upstream.Options) {
			o.Classify = func(*upstream.Exchange) *status.Failure { panic("text with " + secret) }
		}))
		wantFailure(t, f, status.UncaughtServerError)
	})
}

// TestRateLimitIsCompleted from the headers where the connector knew it by the body.
func TestRateLimitIsCompleted(t *testing.T) {
	c := client(t, script(answer(200, `{"errors":1}`, "Retry-After", "90", "X-RateLimit-Resource", "graphql")), func(o *upstream.Options) {
		o.Classify = func(*upstream.Exchange) *status.Failure { f := status.Fail(status.RateLimited); return &f }
	})
	_, f := get(t, c)
	wantFailure(t, f, status.RateLimited)
	if f.RetryAfter() != 90*time.Second || f.Text("rate_resource") != "graphql" || f.Text("reset_at") == "" {
		t.Errorf("after %s, resource %s, reset %s", f.RetryAfter(), f.Text("rate_resource"), f.Text("reset_at"))
	}
}

// TestFactsOfAnAnswer: only what looks like an identifier is passed on.
func TestFactsOfAnAnswer(t *testing.T) {
	_, f := get(t, client(t, script(answer(404, `{}`, "X-GitHub-Request-Id", "C0DE:1A2B:33.x_y-z"))))
	if f.Text("request_id") != "C0DE:1A2B:33.x_y-z" || f.Text("media_type") != "application/json" || f.Text("existence") != status.ExistenceUnknown {
		t.Error(f.Text("request_id"), f.Text("media_type"), f.Text("existence"))
	}
	for _, id := range []string{"<script>", "a b", strings.Repeat("x", 81), "é"} {
		if _, f := get(t, client(t, script(answer(404, `{}`, "X-Request-Id", id)))); f.Text("request_id") != "" {
			t.Errorf("passed on %q", id)
		}
	}
}
