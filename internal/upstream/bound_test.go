package upstream_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// TestABoundHoldsWhateverComes: what would send again sends nothing more.
func TestABoundHoldsWhateverComes(t *testing.T) {
	for name, tc := range map[string]struct {
		first  step
		reason status.Reason
		called status.APICall
	}{
		"a failure that is retried":   {answer(503, `{}`), status.HTTP5xx, status.WasCalled},
		"no connection":               {breaks(errRefused), status.NetworkError, status.NotCalled},
		"a rate limit":                {answer(429, `{}`, "Retry-After", "1"), status.RateLimited, status.WasCalled},
		"a hang":                      {hangs, status.Timeout, status.MaybeCalled},
		"a redirect":                  {answer(302, ``, "Location", page+"&y=1"), status.OwnCap, status.WasCalled},
		"a confirmation of nothing":   {answer(304, ``), status.HTTP4xx, status.WasCalled},
		"a secret that has a sequel":  {answer(401, `{}`), status.AuthFailed, status.WasCalled},
		"an answer, and one more ask": {answer(200, `{}`), status.OwnCap, status.NotCalled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := script(tc.first, answer(200, `{}`))
				value := "first"
				cred := upstream.BearerToken(func(context.Context) (string, *status.Failure) { return value, nil }).
					Refreshing(func(context.Context) *status.Failure { value = "second"; return nil })
				c := client(t, w, func(o *upstream.Options) { o.Credential = cred })
				call := &status.Call{}
				ctx := upstream.AtMost(status.WithCall(t.Context(), call), 1)
				_, f := c.Send(request(t, ctx, http.MethodGet, page), upstream.Want{})
				if f == nil {
					_, f = c.Send(request(t, ctx, http.MethodGet, page+"&next=1"), upstream.Want{})
				}
				wantFailure(t, f, tc.reason)
				if f.APICalled() != tc.called || len(w.requests()) != 1 || upstream.Sent(ctx) != 1 {
					t.Errorf("called %s, %d requests, %d counted", f.APICalled(), len(w.requests()), upstream.Sent(ctx))
				}
				if r := recoveries(call); r != "" {
					t.Errorf("nothing was made good, and %q is told", r)
				}
				if _, f := c.Send(request(t, t.Context(), http.MethodGet, page+"&other=1"), upstream.Want{}); f != nil { // one failure is no outage
					t.Errorf("another call: %s", f.Reason())
				}
			})
		})
	}
}

// TestABoundIsSharedByAllThatWorkUnderIt, over clients too.
func TestABoundIsSharedByAllThatWorkUnderIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answer(200, `{}`)(req)
		}
		first, second := script(slow), script(slow)
		clients := []*upstream.Client{client(t, first), client(t, second)}
		ctx := upstream.AtMost(t.Context(), 2)
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() { _, _ = clients[i%2].Send(request(t, ctx, http.MethodGet, page), upstream.Want{}) })
		}
		wg.Wait()
		if n := len(first.requests()) + len(second.requests()); n != 2 || upstream.Sent(ctx) != 2 {
			t.Errorf("%d requests, %d counted", n, upstream.Sent(ctx))
		}
		if upstream.Sent(t.Context()) != 0 {
			t.Error("there is no bound here")
		}
	})
}

// TestABoundedReadJoinsNoOther: others may be repeated on its account, and it on theirs.
func TestABoundedReadJoinsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := script(func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answer(503, `{}`)(req)
		}, answer(503, `{}`), answer(200, `{}`))
		c := client(t, w)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, f := c.Send(request(t, upstream.AtMost(t.Context(), 1), http.MethodGet, page), upstream.Want{})
			wantFailure(t, f, status.HTTP5xx)
		})
		synctest.Wait()
		wg.Go(func() {
			if _, f := c.Send(request(t, t.Context(), http.MethodGet, page), upstream.Want{}); f != nil {
				t.Errorf("the unbounded one: %s", f.Reason())
			}
		})
		wg.Wait()
		if n := len(w.requests()); n != 3 {
			t.Errorf("%d requests", n)
		}
	})
}
