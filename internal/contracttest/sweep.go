package contracttest

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/frank-mcp/frank/internal/replay"
)

// marker stands in every body of the sweep: no answer may repeat it.
const marker = "BODY-MARKER-7f3a"

// fault is one way for an upstream to be wrong.
type fault struct {
	name   string
	answer func(*http.Request) (*http.Response, error)
}

// sweep asks every operation of an upstream that is wrong in one way throughout.
func sweep(t *testing.T, s Suite) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for _, call := range f.calls(s) {
				t.Run(call.Tool, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var logs bytes.Buffer
						r := open(t, s.Config, false, roundTripper(f.answer), &logs).Call(t.Context(), call.Tool, call.Arguments)
						Sound(t, r)
						v := verdict(t, r)
						if v.Status == "empty" || v.Status == "success" || v.Failure.Reason == "uncaught_server_error" {
							t.Errorf("%s answers %s/%s/%s:\n%s", f.name, v.Status, v.Code, v.Failure.Reason, r.Text)
						}
						for what, text := range map[string]string{"text": r.Text, "structure": string(r.Structured), "log": logs.String()} {
							if strings.Contains(text, marker) || strings.Contains(text, Token) {
								t.Errorf("the %s repeats the body or the credential", what)
							}
						}
					})
				})
			}
		})
	}
}

// calls are all calls of the suite, but one for each tool where the fault is one
// of hundreds of statuses. Of tools that change something that status is told by
// [changes], where it matters.
func (f fault) calls(s Suite) []replay.Call {
	if !strings.HasPrefix(f.name, "status ") {
		return s.Calls
	}
	var out []replay.Call
	for _, c := range s.Calls {
		if !writes(c.Tool) && !slices.ContainsFunc(out, func(o replay.Call) bool { return o.Tool == c.Tool }) {
			out = append(out, c)
		}
	}
	return out
}

func faults() []fault {
	var out []fault
	jsonBody := `{"message":"` + marker + `","documentation_url":"x","total_count":0,"incomplete_results":false,"items":[]}`
	for code := 100; code <= 599; code++ {
		if code != http.StatusOK && code != http.StatusSwitchingProtocols {
			out = append(out, fault{"status " + strconv.Itoa(code), reply(code, "application/json; charset=utf-8", jsonBody)})
		}
	}
	out = append(out, bodies()...)
	return append(out, connections()...)
}

// bodies are answers with an accepted status whose body is none.
func bodies() []fault {
	var out []fault
	for _, b := range []struct{ name, media, body string }{
		{"502 as HTML", "text/html", "<html>" + marker + "</html>"},
		{"login page", "text/html; charset=utf-8", `<html><title>Sign in ` + marker + `</title><form action="/login"><input type="password"></form>`},
		{"empty body", "application/json", ""},
		{"cut JSON", "application/json", `[{"id":1,"title":"` + marker},
		{"cut object", "application/json", `{"total_count":1,"items":[{"id":1`},
		{"empty object", "application/json", "{}"},
		{"null", "application/json", "null"},
		{"null data", "application/json", `{"data":null}`},
		{"null items", "application/json", `{"total_count":0,"incomplete_results":false,"items":null}`},
		{"a number", "application/json", "0"},
		{"a text", "application/json", `"` + marker + `"`},
		{"list of nulls", "application/json", "[null]"},
		{"list of empty objects", "application/json", "[{}]"},
		{"trailing garbage", "application/json", "[]" + marker},
		{"two values", "application/json", "[] []"},
		{"error inside 200", "application/json", `{"errors":[{"message":"` + marker + `"}]}`},
		{"message inside 200", "application/json", `{"message":"` + marker + `"}`},
		{"wrong media type", "text/plain", "[]"},
		{"no media type", "", "[]"},
		{"deep nesting", "application/json", strings.Repeat("[", 20_000)},
	} {
		code := http.StatusOK
		if strings.HasPrefix(b.name, "502") {
			code = http.StatusBadGateway
		}
		out = append(out, fault{b.name, reply(code, b.media, b.body)})
	}
	return out
}

// connections are the ways in which no answer comes at all.
func connections() []fault {
	broken := func(err error) func(*http.Request) (*http.Response, error) {
		return func(*http.Request) (*http.Response, error) { return nil, err }
	}
	return []fault{
		{"refused", broken(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})},
		{"reset", broken(&net.OpError{Op: "read", Err: syscall.ECONNRESET})},
		{"no such host", broken(&net.DNSError{Err: marker, Name: "x", IsNotFound: true})},
		{"unknown authority", broken(x509.UnknownAuthorityError{})},
		{"foreign error", broken(errors.New(marker))},
		{"hang", func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		}},
		{"body hangs", func(r *http.Request) (*http.Response, error) {
			resp, _ := reply(http.StatusOK, "application/json", "")(r)
			resp.Body, resp.ContentLength = hanging{r.Context()}, 100
			return resp, nil
		}},
		{"body breaks", func(r *http.Request) (*http.Response, error) {
			resp, _ := reply(http.StatusOK, "application/json", "")(r)
			resp.Body, resp.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader("["), failing{})), 100
			return resp, nil
		}},
		{"foreign redirect", func(r *http.Request) (*http.Response, error) {
			resp, _ := reply(http.StatusFound, "text/html", marker)(r)
			resp.Header.Set("Location", "https://login.example.net/"+marker)
			return resp, nil
		}},
		{"redirect loop", func(r *http.Request) (*http.Response, error) {
			resp, _ := reply(http.StatusFound, "text/html", marker)(r)
			resp.Header.Set("Location", r.URL.String())
			return resp, nil
		}},
		{"endless body", func(r *http.Request) (*http.Response, error) {
			resp, _ := reply(http.StatusOK, "application/json", "")(r)
			resp.Body, resp.ContentLength = io.NopCloser(spaces{}), -1
			return resp, nil
		}},
	}
}

func reply(code int, media, body string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{}
		if media != "" {
			h.Set("Content-Type", media)
		}
		return &http.Response{
			StatusCode: code, Status: fmt.Sprintf("%d x", code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
		}, nil
	}
}

type hanging struct{ ctx context.Context }

func (h hanging) Read([]byte) (int, error) {
	<-h.ctx.Done()
	return 0, context.Cause(h.ctx)
}

func (hanging) Close() error { return nil }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New(marker) }

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
