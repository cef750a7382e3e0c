package upstream_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// TestRepeatedReadCostsA304 by ETag and by date; the answer is the stored one
// under the new headers.
func TestRepeatedReadCostsA304(t *testing.T) {
	for name, tc := range map[string]struct{ header, value, condition string }{
		"etag": {"Etag", `W/"abc"`, "If-None-Match"},
		"date": {"Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT", "If-Modified-Since"},
	} {
		t.Run(name, func(t *testing.T) {
			w := script(answer(200, `{"a":1}`, tc.header, tc.value, "X-Total", "1", "X-OAuth-Scopes", "repo", "Age", "900"), answer(304, "", "X-New", "2", "Content-Type", ""))
			c := client(t, w)
			if x, f := get(t, c); f != nil || x.Cached {
				t.Fatalf("%v", f)
			}
			x, f := get(t, c)
			if f != nil || !x.Cached || x.Status != 200 || string(x.Body) != `{"a":1}` || x.Header.Get("X-Total")+x.Header.Get("X-New") != "12" || x.Header.Get("Age") != "" {
				t.Fatalf("%+v %v", x, f)
			}
			if got := w.requests(); got[0].Header.Get(tc.condition) != "" || got[1].Header.Get(tc.condition) != tc.value {
				t.Errorf("conditions %q %q", got[0].Header.Get(tc.condition), got[1].Header.Get(tc.condition))
			}
		})
	}
}

// TestA304ProvesNothingByStoredHeaders: scopes, quota, visibility and account were
// said of the first delivery; that of the 304 says its own or nothing.
func TestA304ProvesNothingByStoredHeaders(t *testing.T) {
	personal := []string{"X-OAuth-Scopes", "X-Accepted-OAuth-Scopes", "X-RateLimit-Limit", "X-GitHub-SSO", "X-AUSERNAME", "X-Seraph-LoginReason", "Set-Cookie", "X-GitHub-Request-Id", "X-Whatever"}
	headers := []string{"Etag", `"1"`, "Link", `<https://api.example.com/v3/items?page=2>; rel="next"`}
	for _, name := range personal {
		headers = append(headers, name, "of the first")
	}
	c := client(t, script(answer(200, `{"a":1,"incomplete_results":true}`, headers...), answer(304, "", "X-RateLimit-Limit", "60")))
	_, _ = get(t, c)
	x, f := get(t, c)
	if f != nil || !x.Cached || x.Header.Get("Link") == "" || x.Header.Get("Content-Type") != "application/json" || len(x.Markers) != 1 {
		t.Fatalf("%+v %v", x, f)
	}
	for _, name := range personal {
		if x.Header.Get(name) == "of the first" {
			t.Errorf("%s is that of the stored answer", name)
		}
	}
	if x.Header.Get("X-RateLimit-Limit") != "60" {
		t.Error("a header of the 304 is gone")
	}
}

// TestA304OfAnotherEntityIsAskedAgain without the condition.
func TestA304OfAnotherEntityIsAskedAgain(t *testing.T) {
	w := script(answer(200, `{"a":1}`, "Etag", `"1"`), answer(304, "", "Etag", `"2"`), answer(200, `{"a":2}`, "Etag", `"2"`))
	c := client(t, w)
	_, _ = get(t, c)
	x, f := get(t, c)
	got := w.requests()
	if f != nil || x.Cached || string(x.Body) != `{"a":2}` || len(got) != 3 || got[2].Header.Get("If-None-Match") != "" {
		t.Fatalf("%+v %v", x, f)
	}
	weak := client(t, script(answer(200, `{"a":1}`, "Etag", `"1"`), answer(304, "", "Etag", `W/"1"`)))
	_, _ = get(t, weak)
	if x, f := get(t, weak); f != nil || !x.Cached {
		t.Errorf("the weak form of the same validator: %+v %v", x, f)
	}
}

// TestGH54: a 304 that nobody asked for is asked again, never read.
func TestGH54UnaskedNotModified(t *testing.T) {
	w := script(answer(304, `[]`), answer(200, `{"a":1}`))
	x, f := get(t, client(t, w))
	if f != nil || string(x.Body) != `{"a":1}` || len(w.requests()) != 2 || x.Cached {
		t.Fatalf("%v %v", x, f)
	}
	if got := w.requests()[1].Header; got.Get("Cache-Control") != "no-cache" || got.Get("If-None-Match") != "" {
		t.Errorf("%v", got)
	}
	_, f = get(t, client(t, script(answer(304, `[]`))))
	if f == nil {
		t.Error("304 twice is usable")
	}
	req := request(t, t.Context(), http.MethodGet, page)
	req.Header.Set("If-None-Match", `"mine"`)
	w = script(answer(200, `{}`))
	if _, f := client(t, w).Send(req, upstream.Want{}); f != nil || w.requests()[0].Header.Get("If-None-Match") != "" {
		t.Error("a validator that is not the store's was sent")
	}
}

// TestValidatorsStayWithTheirAddress: behind a redirect nobody is asked "changed?".
func TestValidatorsStayWithTheirAddress(t *testing.T) {
	w := script(answer(200, `{"a":1}`, "Etag", `"1"`), answer(307, ``, "Location", "/v3/other"), answer(304, ``), answer(200, `{"b":2}`, "Etag", `"2"`))
	c := client(t, w)
	_, _ = get(t, c)
	x, f := get(t, c)
	got := w.requests()
	if f != nil || string(x.Body) != `{"b":2}` || got[1].Header.Get("If-None-Match") == "" || got[2].Header.Get("If-None-Match") != "" {
		t.Fatalf("%+v %v", x, f)
	}
}

// TestStoreKeepsApart what belongs to other credentials, addresses and forms.
func TestStoreKeepsApart(t *testing.T) {
	var current atomic.Value
	current.Store("first")
	w := script(answer(200, `{}`, "Etag", `"1"`))
	c := client(t, w, func(o *upstream.Options) {
		o.Credential = upstream.BearerToken(func(context.Context) (string, *status.Failure) { s, _ := current.Load().(string); return s, nil })
	})
	ask := func(url, accept string, w upstream.Want) {
		req := request(t, t.Context(), http.MethodGet, url)
		if accept != "" {
			req.Header.Set("Accept", accept)
		}
		if _, f := c.Send(req, w); f != nil {
			t.Fatal(f.Reason())
		}
	}
	ask(page, "", upstream.Want{})
	ask(page, "", upstream.Want{NoCache: true})
	ask(page+"&y=1", "", upstream.Want{})
	ask(page, "application/x+json", upstream.Want{})
	ask(page, "", upstream.Want{Media: upstream.Bytes})
	current.Store("second")
	ask(page, "", upstream.Want{})
	for i, req := range w.requests() {
		if req.Header.Get("If-None-Match") != "" {
			t.Errorf("request %d was conditional", i)
		}
	}
	current.Store("first")
	ask(page, "", upstream.Want{})
	if got := w.requests(); got[len(got)-1].Header.Get("If-None-Match") != `"1"` {
		t.Error("the same request again was not conditional")
	}
}

func TestStoreTakesOnlyWhatMayBeKept(t *testing.T) {
	for name, s := range map[string]step{
		"no-store":     answer(200, `{}`, "Etag", `"1"`, "Cache-Control", "private, no-store"),
		"vary":         answer(200, `{}`, "Etag", `"1"`, "Vary", "*"),
		"no validator": answer(200, `{}`),
		"too large":    answer(200, `"`+strings.Repeat("x", 5<<20)+`"`, "Etag", `"1"`),
		"no answer":    answer(404, `{}`, "Etag", `"1"`),
		"no JSON":      html(200, `x`, "Etag", `"1"`),
	} {
		w := script(s)
		c := client(t, w)
		_, _ = get(t, c)
		_, _ = get(t, c)
		if w.requests()[1].Header.Get("If-None-Match") != "" {
			t.Errorf("%s was kept", name)
		}
	}
	// Bounded: the least recently used goes first.
	w := script(func(req *http.Request) (*http.Response, error) { return answer(200, `{}`, "Etag", `"1"`)(req) })
	c := client(t, w)
	for i := range 513 {
		_, _ = send(t, c, fmt.Sprintf("%s&i=%d", page, i), upstream.Want{})
	}
	_, _ = send(t, c, page+"&i=512", upstream.Want{})
	_, _ = send(t, c, page+"&i=0", upstream.Want{})
	got := w.requests()
	if got[513].Header.Get("If-None-Match") == "" || got[514].Header.Get("If-None-Match") != "" {
		t.Error("not bounded by use")
	}
}

// TestIdenticalReadsShareAFlight: one request, one attempt, an answer for each.
func TestIdenticalReadsShareAFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answer(200, `{}`)(req)
		}
		w := script(slow)
		c := client(t, w)
		var wg sync.WaitGroup
		var usable atomic.Int32
		for range 10 {
			wg.Go(func() {
				if x, f := c.Send(request(t, t.Context(), http.MethodGet, page), upstream.Want{}); f == nil && x.Status == 200 {
					x.Status = 0 // everybody has an exchange of their own
					usable.Add(1)
				}
			})
		}
		wg.Wait()
		if len(w.requests()) != 1 || usable.Load() != 10 {
			t.Errorf("%d requests, %d usable", len(w.requests()), usable.Load())
		}
		for range 2 { // what differs, writes, and what wants no cache do not share
			wg.Go(func() { _, _ = c.Send(request(t, t.Context(), http.MethodPost, page), upstream.Want{}) })
			wg.Go(func() { _, _ = c.Send(request(t, t.Context(), http.MethodGet, page), upstream.Want{NoCache: true}) })
		}
		wg.Go(func() { _, _ = c.Send(request(t, t.Context(), http.MethodGet, page), upstream.Want{MaxBody: 5}) })
		wg.Go(func() {
			req := request(t, t.Context(), http.MethodGet, page)
			req.Header.Set("X-Version", "2")
			_, _ = c.Send(req, upstream.Want{})
		})
		wg.Wait()
		if got := len(w.requests()); got != 7 {
			t.Errorf("%d requests, want 7", got)
		}
	})
}

// TestAFlightIsNotSharedBetweenIdentities: what one credential may see is no
// answer for another.
func TestAFlightIsNotSharedBetweenIdentities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var current atomic.Value
		current.Store("first")
		w := script(func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answer(200, `{"for":"`+req.Header.Get("Authorization")+`"}`)(req)
		})
		c := client(t, w, func(o *upstream.Options) {
			o.Credential = upstream.BearerToken(func(context.Context) (string, *status.Failure) { s, _ := current.Load().(string); return s, nil })
		})
		var wg sync.WaitGroup
		for _, secret := range []string{"first", "second", "first"} {
			current.Store(secret)
			wg.Go(func() {
				if x, f := get(t, c); f != nil || string(x.Body) != `{"for":"Bearer `+secret+`"}` {
					t.Errorf("%s got %s, %v", secret, x.Body, f)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		if got := len(w.requests()); got != 2 {
			t.Errorf("%d requests, want one for each identity", got)
		}
	})
}

// TestOneCancellationDoesNotEndTheFlight, the last one does.
func TestOneCancellationDoesNotEndTheFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Bool
		w := script(breaks(errReset), func(req *http.Request) (*http.Response, error) {
			select {
			case <-time.After(5 * time.Second):
				return answer(200, `{}`)(req)
			case <-req.Context().Done():
				ended.Store(true)
				return nil, req.Context().Err()
			}
		})
		c := client(t, w)
		start := func(after time.Duration) <-chan *status.Failure {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(after, cancel)
			out := make(chan *status.Failure, 1)
			go func() {
				_, f := c.Send(request(t, ctx, http.MethodGet, page), upstream.Want{})
				out <- f
			}()
			synctest.Wait()
			return out
		}
		first, second := start(100*time.Millisecond), start(time.Hour)
		wantFailure(t, <-first, status.Cancelled)
		if f := <-second; f != nil { // the retry happened although who asked first had left
			t.Errorf("the other: %s", f.Reason())
		}
		if ended.Load() || len(w.requests()) != 2 {
			t.Errorf("ended %t, %d requests", ended.Load(), len(w.requests()))
		}
		first, second = start(time.Second), start(2*time.Second)
		wantFailure(t, <-first, status.Cancelled)
		if ended.Load() {
			t.Error("ended by the first")
		}
		wantFailure(t, <-second, status.Cancelled)
		synctest.Wait()
		if !ended.Load() {
			t.Error("goes on with nobody waiting")
		}
		if f := <-start(time.Hour); f != nil { // an abandoned flight is not joined
			t.Errorf("%s", f.Reason())
		}
	})
}

func fixed(s string) upstream.TokenFunc {
	return func(context.Context) (string, *status.Failure) { return s, nil }
}

func TestCredentialsOnTheWire(t *testing.T) {
	src := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: secret})
	for name, tc := range map[string]struct {
		cred          upstream.Credential
		header, value string
	}{
		"bearer": {upstream.BearerToken(fixed(secret)), "Authorization", "Bearer " + secret},
		"oauth2": {upstream.BearerToken(upstream.FromSource(src)), "Authorization", "Bearer " + secret},
		"scheme": {upstream.SchemeToken("token", fixed(secret)), "Authorization", "token " + secret},
		"header": {upstream.HeaderToken("Private-Token", fixed(secret)), "Private-Token", secret},
		"basic":  {upstream.BasicToken(fixed("a b@x.org:" + secret)), "Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("a b@x.org:"+secret))},
		"none":   {upstream.Anonymous(), "Authorization", ""},
	} {
		w := script(answer(200, `{}`))
		if _, f := get(t, client(t, w, func(o *upstream.Options) { o.Credential = tc.cred })); f != nil {
			t.Errorf("%s: %s", name, f.Reason())
			continue
		}
		if got := w.requests()[0].Header.Get(tc.header); got != tc.value {
			t.Errorf("%s: %q", name, got)
		}
		if id := tc.cred.Identity(t.Context()); strings.Contains(secret, id) && id != "" || (id == "") == tc.cred.Configured() {
			t.Errorf("%s: identity %q", name, id)
		}
	}
}

type noTokens struct{}

func (noTokens) Token() (*oauth2.Token, error) { return nil, errors.New("told: " + secret) }

func TestMissingCredentialSendsNothing(t *testing.T) {
	w := script(answer(200, `{}`))
	c := client(t, w, func(o *upstream.Options) { o.Credential = upstream.BearerToken(upstream.FromSource(noTokens{})) })
	_, f := get(t, c)
	wantFailure(t, f, status.AuthProfileMissing)
	if len(w.requests()) > 0 || f.APICalled() != status.NotCalled || strings.Contains(status.Refuse(status.Question{}, *f).Text(), secret) {
		t.Errorf("called %s", f.APICalled())
	}
}

// TestRefreshOnceAfter401: another secret is tried once; the same one is not.
func TestRefreshOnceAfter401(t *testing.T) {
	for name, tc := range map[string]struct {
		next  string
		steps []step
		asked int
		ok    bool
	}{
		"another works":      {"second", []step{answer(401, `{}`), answer(200, `{}`)}, 2, true},
		"another is refused": {"second", []step{answer(401, `{}`)}, 2, false},
		"the same":           {"first", []step{answer(401, `{}`), answer(200, `{}`)}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			value, refreshed := "first", 0
			cred := upstream.BearerToken(func(context.Context) (string, *status.Failure) { return value, nil }).
				Refreshing(func(context.Context) *status.Failure { value = tc.next; refreshed++; return nil })
			w := script(tc.steps...)
			call := &status.Call{}
			c := client(t, w, once, func(o *upstream.Options) { o.Credential = cred })
			_, f := c.Send(request(t, status.WithCall(t.Context(), call), http.MethodGet, page), upstream.Want{})
			if (f == nil) != tc.ok || len(w.requests()) != tc.asked || refreshed != 1 {
				t.Fatalf("failure %v, %d requests, %d refreshed", f, len(w.requests()), refreshed)
			}
			if f != nil {
				wantFailure(t, f, status.AuthFailed)
			}
			if tc.ok && (recoveries(call) != "auth_failed@1" || w.requests()[1].Header.Get("Authorization") != "Bearer second") {
				t.Errorf("%s, %q", recoveries(call), w.requests()[1].Header.Get("Authorization"))
			}
		})
	}
}
