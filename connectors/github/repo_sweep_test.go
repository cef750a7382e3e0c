package github_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frank-mcp/frank/internal/replay"
	"github.com/frank-mcp/frank/status"
)

// fault is one way in which an answer can be none.
type fault struct {
	name   string
	status int
	media  string
	body   string
}

var faults = []fault{
	{"no answer", 0, "", ""},
	{"401", 401, "application/json", `{"message":"Bad credentials","documentation_url":"https://docs.github.com/rest"}`},
	{"403", 403, "application/json", `{"message":"Resource not accessible by integration","documentation_url":"https://docs.github.com/rest"}`},
	{"404", 404, "application/json", `{"message":"Not Found","documentation_url":"https://docs.github.com/rest"}`},
	{"404 of something else", 404, "text/html", `<html></html>`},
	{"422", 422, "application/json", `{"message":"Validation Failed","documentation_url":"https://docs.github.com/rest"}`},
	{"429", 429, "application/json", `{"message":"Too many requests"}`},
	{"500", 500, "application/json", `{"message":"Server Error"}`},
	{"502 page", 502, "text/html", `<html>Unicorn!</html>`},
	{"sign-in page", 200, "text/html", `<html><form action="/login"><input type="password"></form></html>`},
	{"no content", 204, "", ""},
	{"pending", 202, "application/json", `{}`},
	{"empty body", 200, "application/json", ``},
	{"empty object", 200, "application/json", `{}`},
	{"null", 200, "application/json", `null`},
	{"null inside", 200, "application/json", `{"data":null}`},
	{"list of nothing known", 200, "application/json", `[{}]`},
	{"cut", 200, "application/json", `[{"sha":"1111`},
	{"wrong media type", 200, "text/plain", `[]`},
	{"in-band error", 200, "application/json", `{"message":"Something went wrong"}`},
}

// breaker answers the request of that index with a fault, and others as recorded.
// What was not recorded is not found.
type breaker struct {
	recorded http.RoundTripper
	index    int64
	fault    fault
	count    atomic.Int64
	broke    atomic.Value // path of the request that was answered with the fault
}

func (b *breaker) RoundTrip(req *http.Request) (*http.Response, error) {
	f := b.fault
	if b.count.Add(1)-1 != b.index {
		if resp, err := b.recorded.RoundTrip(req); err == nil {
			return resp, nil
		}
		f = faults[3]
	} else {
		b.broke.Store(req.URL.Path)
	}
	if f.status == 0 {
		return nil, errors.New("connection reset")
	}
	return &http.Response{
		StatusCode: f.status, Status: http.StatusText(f.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {f.media}, "X-Github-Request-Id": {"1"}},
		Body:   io.NopCloser(strings.NewReader(f.body)), ContentLength: int64(len(f.body)), Request: req,
	}, nil
}

// quiet is a test that does not mind what was not asked for.
type quiet struct{ *testing.T }

func (quiet) Errorf(string, ...any) {}

// TestNoBrokenAnswerIsCompleteOrNothing breaks every answer of every case of the
// repository and document tools in every way. Then the result must not be empty
// or success, unless it holds the very same data. What a file that was read is
// called is no part of the proof: its repository's own answer may be broken.
func TestNoBrokenAnswerIsCompleteOrNothing(t *testing.T) {
	replay.Each(t, "testdata/*.txtar", func(t *testing.T, c replay.Case) {
		if strings.HasPrefix(c.Calls[0].Tool, "tracker_") {
			return
		}
		run := func(index int64, f fault) (status.Envelope, *breaker) {
			b := &breaker{recorded: replay.Transport(quiet{t}, c.Exchanges), index: index, fault: f}
			e, _ := ask(t, open(t, c.Config, b), c.Calls[0], "")
			return e, b
		}
		whole, b := run(-1, fault{})
		reads := strings.HasSuffix(c.Calls[0].Tool, "_read") || strings.HasSuffix(c.Calls[0].Tool, "_file")
		for index := range b.count.Load() {
			for _, f := range faults {
				e, b := run(index, f)
				if e.Status() != status.Empty && e.Status() != status.Success {
					continue
				}
				name := reads && b.broke.Load() == "/repos/acme/app"
				if e.Status() != whole.Status() || e.Code() != whole.Code() || (!name && data(t, e) != data(t, whole)) {
					t.Errorf("request %d, %s: %s", index+1, f.name, e.Text())
				}
			}
		}
	})
}

// data is what an answer says, without when and by what it was proved.
func data(t *testing.T, e status.Envelope) string {
	t.Helper()
	raw, err := e.Structured()
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return string(v.Data)
}
