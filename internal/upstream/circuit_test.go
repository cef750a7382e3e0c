package upstream_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// wantOpen fails the test unless the next call fails fast, without a request.
func wantOpen(t *testing.T, c *upstream.Client, w *wire, first status.Reason) *status.Failure {
	t.Helper()
	before := len(w.requests())
	_, f := get(t, c)
	wantFailure(t, f, status.CircuitOpen)
	if len(w.requests()) != before || f.APICalled() != status.NotCalled {
		t.Errorf("the source was asked")
	}
	if f.Text("first_reason") != first.Name() || f.Code() != first.Code() || f.RetryAfter() <= 0 || f.DependencyFingerprint() == "" {
		t.Errorf("first %s, code %s, after %s", f.Text("first_reason"), f.Code(), f.RetryAfter())
	}
	return f
}

func TestCircuitOpensOnlyAfterUsedUpRetries(t *testing.T) {
	for name, tc := range map[string]struct {
		step  step
		opens bool
	}{
		"reset":  {breaks(errReset), true},
		"502":    {html(502, ``), true},
		"hang":   {hangs, true},
		"429":    {answer(429, `{}`), true},
		"cut":    {cutAnswer(200, `{`, "application/json"), true},
		"500":    {answer(500, `{}`), false},
		"401":    {answer(401, `{}`), false},
		"404":    {answer(404, `{}`), false},
		"shape":  {answer(200, ``), false},
		"portal": {html(200, `x`), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := script(tc.step)
				c := client(t, w, quick)
				_, first := get(t, c)
				if first == nil {
					t.Fatal("usable")
				}
				if !tc.opens {
					if _, f := get(t, c); f.Reason() != first.Reason() {
						t.Errorf("%s", f.Reason())
					}
					return
				}
				if first.RetryAfter() != time.Minute {
					t.Errorf("the caller is told %s", first.RetryAfter())
				}
				wantOpen(t, c, w, first.Reason())
			})
		})
	}
}

func TestCircuitLetsOneTrialThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var healthy atomic.Bool
		w := script(func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			if healthy.Load() {
				return answer(200, `{}`)(req)
			}
			return nil, errReset
		})
		c := client(t, w, quick)
		_, _ = get(t, c)
		time.Sleep(time.Minute)
		for _, want := range []bool{false, true} { // the first trial fails, the second does not
			healthy.Store(want)
			before := len(w.requests())
			trial := make(chan *status.Failure)
			go func() {
				_, f := c.Send(request(t, t.Context(), http.MethodGet, page+"&trial=1"), upstream.Want{})
				trial <- f
			}()
			synctest.Wait()
			wantOpen(t, c, w, status.NetworkError) // while the trial is on its way
			f := <-trial
			if got := len(w.requests()) - before; got != 1 || (f == nil) != want {
				t.Fatalf("%d requests, failure %v", got, f)
			}
			if !want {
				wantOpen(t, c, w, status.NetworkError)
				time.Sleep(time.Minute)
			}
		}
		if _, f := get(t, c); f != nil {
			t.Errorf("still open: %s", f.Reason())
		}
	})
}

// TestCancelledTrialDecidesNothing: the next call is the trial then.
func TestCancelledTrialDecidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := script(breaks(errReset), hangs, answer(200, `{}`))
		c := client(t, w, once)
		_, _ = get(t, c)
		time.Sleep(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _ = c.Send(request(t, ctx, http.MethodGet, page), upstream.Want{})
		synctest.Wait()
		if _, f := get(t, c); f != nil {
			t.Errorf("%s", f.Reason())
		}
	})
}

func TestCircuitClosesForAnotherFingerprintAProbeOrClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var current atomic.Value
		current.Store("first-token")
		open := func() (*upstream.Client, *wire) {
			w := script(html(502, ``), answer(200, `{}`))
			c := client(t, w, once, func(o *upstream.Options) {
				o.Credential = upstream.BearerToken(func(context.Context) (string, *status.Failure) { s, _ := current.Load().(string); return s, nil })
			})
			_, _ = get(t, c)
			wantOpen(t, c, w, status.HTTP5xx)
			return c, w
		}
		c, _ := open()
		before := c.Fingerprint(t.Context())
		current.Store("second-token")
		if _, f := get(t, c); f != nil || c.Fingerprint(t.Context()) == before {
			t.Errorf("another credential: %v", f)
		}
		c, _ = open()
		c.Close(t.Context())
		if _, f := get(t, c); f != nil {
			t.Errorf("Close: %s", f.Reason())
		}
		c, w := open()
		if _, f := c.Send(request(t, upstream.Probing(t.Context()), http.MethodGet, page), upstream.Want{}); f != nil {
			t.Errorf("probe: %s", f.Reason())
		}
		if _, f := get(t, c); f != nil || len(w.requests()) != 3 {
			t.Errorf("after a probe: %v", f)
		}
	})
}

// TestRateLimitRestsUntilItsReset, and only what counts against the same quota.
func TestRateLimitRestsUntilItsReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := answer(403, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", unix(time.Now(), 300), "X-RateLimit-Resource", "search")
		w := script(limited, answer(200, `{}`, "X-RateLimit-Resource", "core"), answer(200, `{}`, "X-RateLimit-Resource", "search"))
		c := client(t, w, quick)
		ask := func(class string) *status.Failure {
			_, f := c.Send(request(t, t.Context(), http.MethodGet, page+"&c="+class), upstream.Want{Class: class})
			return f
		}
		wantFailure(t, ask("search"), status.RateLimited)
		f := ask("search")
		wantFailure(t, f, status.CircuitOpen)
		if f.RetryAfter() != 5*time.Minute {
			t.Errorf("after %s", f.RetryAfter())
		}
		if f := ask("file"); f != nil {
			t.Errorf("another quota: %s", f.Reason())
		}
		time.Sleep(5*time.Minute - time.Nanosecond)
		wantFailure(t, ask("search"), status.CircuitOpen)
		time.Sleep(time.Nanosecond)
		if f := ask("search"); f != nil {
			t.Errorf("after the reset: %s", f.Reason())
		}
	})
}

func TestFingerprint(t *testing.T) {
	base := client(t, script(answer(200, ``)))
	seen := map[string]string{base.Fingerprint(t.Context()): "base"}
	for name, change := range map[string]func(*upstream.Options){
		"address":    func(o *upstream.Options) { o.BaseURL += "/x" },
		"credential": func(o *upstream.Options) { o.Credential = upstream.Anonymous() },
		"scopes":     func(o *upstream.Options) { o.Scopes = "writes" },
		"insecure":   func(o *upstream.Options) { o.Insecure = true },
	} {
		fp := client(t, script(answer(200, ``)), change).Fingerprint(t.Context())
		if other, dup := seen[fp]; dup || len(fp) != 8 {
			t.Errorf("%s: %s is that of %s", name, fp, other)
		}
		seen[fp] = name
	}
	if got := client(t, script(answer(200, ``))).Fingerprint(t.Context()); seen[got] != "base" {
		t.Error("not the same again")
	}
}

func TestAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://api.example.com": true, "https://host/api/v3": true, "http://127.0.0.1:8080": true, "http://localhost/x": true, "http://[::1]:1": true,
		"http://example.com": false, "http://127.0.0.1.example.com": false, "": false, "api.example.com": false, "ftp://x": false, "https://": false,
		"https://user:pw@host": false, "https://host?x=1": false, "https://host#f": false, "://": false, "http://localhost.example.com": false,
	} {
		c, f := upstream.New(upstream.Options{Source: "src", BaseURL: address})
		if (f == nil) != ok || (c == nil) == ok {
			t.Errorf("%q: %v", address, f)
		}
		if f != nil && (f.Reason() != status.Misconfigured || f.Text("config_key") != "base_url" || f.APICalled() != status.NotCalled) {
			t.Errorf("%q: %s %s", address, f.Reason(), f.Text("config_key"))
		}
	}
	if _, f := upstream.New(upstream.Options{BaseURL: "http://example.com", Insecure: true}); f != nil {
		t.Error("insecure: true is not heard")
	}
}

// TestOnlyTheConfiguredHost: a link of the provider's does not lead elsewhere.
func TestOnlyTheConfiguredHost(t *testing.T) {
	for _, url := range []string{"https://other.example.com/x", "http://api.example.com/x", "https://api.example.com:444/x", "https://u:p@api.example.com/x", "https://api.example.com.evil.org/"} {
		w := script(answer(200, `{}`))
		_, f := client(t, w).Send(request(t, t.Context(), http.MethodGet, url), upstream.Want{})
		wantFailure(t, f, status.Misconfigured)
		if len(w.requests()) > 0 || f.APICalled() != status.NotCalled {
			t.Errorf("%s was asked", url)
		}
	}
	req := request(t, t.Context(), http.MethodGet, "https://API.example.com:443/x")
	req.Host = "other.example.com"
	w := script(answer(200, `{}`))
	if _, f := client(t, w).Send(req, upstream.Want{}); f != nil || w.requests()[0].Host != "" {
		t.Errorf("%v, host %q", f, w.requests()[0].Host)
	}
}
