package upstream_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "tok-5f2c9d1e77"

// wire is a scripted upstream: each request takes the next step, the last one
// repeats.
type wire struct {
	mu    sync.Mutex
	steps []func(*http.Request) (*http.Response, error)
	got   []*http.Request
	sent  []string // bodies
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	body := ""
	if req.Body != nil {
		b, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		body = string(b)
	}
	w.mu.Lock()
	n := min(len(w.got), len(w.steps)-1)
	w.got = append(w.got, req)
	w.sent = append(w.sent, body)
	step := w.steps[n]
	w.mu.Unlock()
	return step(req)
}

func (w *wire) requests() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*http.Request(nil), w.got...)
}

type step = func(*http.Request) (*http.Response, error)

func script(steps ...step) *wire { return &wire{steps: steps} }

// answer makes a whole answer; headers come as name, value pairs.
func answer(code int, body string, headers ...string) step {
	return func(req *http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i+1 < len(headers); i += 2 {
			if headers[i+1] == "" {
				h.Del(headers[i])
				continue
			}
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req}, nil
	}
}

func html(code int, body string, headers ...string) step {
	return answer(code, body, append([]string{"Content-Type", "text/html; charset=utf-8"}, headers...)...)
}

// cutAnswer declares more than it sends.
func cutAnswer(code int, body, media string) step {
	return func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {media}}, Request: req,
			Body: io.NopCloser(io.MultiReader(strings.NewReader(body), failing{io.ErrUnexpectedEOF})), ContentLength: int64(len(body) + 100)}, nil
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func breaks(err error) step {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func hangs(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func token() upstream.Credential {
	return upstream.BearerToken(func(context.Context) (string, *status.Failure) { return secret, nil })
}

// client makes a client over rt; change, if given, adjusts its options.
func client(t *testing.T, rt http.RoundTripper, change ...func(*upstream.Options)) *upstream.Client {
	t.Helper()
	o := upstream.Options{Source: "src", BaseURL: "https://api.example.com/v3", Credential: token(), Transport: rt}
	for _, c := range change {
		c(&o)
	}
	c, f := upstream.New(o)
	if f != nil {
		t.Fatalf("New: %s", f.Reason())
	}
	return c
}

func request(t *testing.T, ctx context.Context, method, url string, body ...string) *http.Request {
	t.Helper()
	var b io.Reader
	if len(body) > 0 {
		b = strings.NewReader(body[0])
	}
	req, err := http.NewRequestWithContext(ctx, method, url, b)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

const page = "https://api.example.com/v3/items?x=1"

func get(t *testing.T, c *upstream.Client) (*upstream.Exchange, *status.Failure) {
	t.Helper()
	return c.Send(request(t, t.Context(), http.MethodGet, page), upstream.Want{Class: "GET /items"})
}

// wantFailure fails the test unless f has that reason.
func wantFailure(t *testing.T, f *status.Failure, r status.Reason) {
	t.Helper()
	if f == nil {
		t.Fatalf("got a usable answer, want %s", r)
	}
	if f.Reason() != r {
		t.Fatalf("reason %s, want %s", f.Reason(), r)
	}
	if f.Source() != "src" {
		t.Errorf("source %q", f.Source())
	}
}

func once(o *upstream.Options) { o.Retry.MaxAttempts = 1 }

func quick(o *upstream.Options) {
	o.Retry = upstream.Retry{MaxAttempts: 3, Budget: 20 * time.Second, Timeout: 10 * time.Second, Cooldown: time.Minute}
}
