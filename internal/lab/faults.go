package lab

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/frank-mcp/frank/internal/config"
)

// Fault is one way in which an upstream fails: every request gets the same.
type Fault struct {
	Name string // snake_case
	send func(*http.Request) (*http.Response, error)
}

// Faults lists those that are tried, at any provider that speaks HTTP.
func Faults(provider string) []Fault {
	at := upstream{signs: signs(provider)}
	list := unreachable()
	list = append(list, at.broken()...)
	list = append(list, at.refusing()...)
	return append(list, at.misleading()...)
}

// signs are headers by which a provider's own answers are known. A provider
// without any is tried as if something in between had answered.
func signs(provider string) map[string]string {
	if provider == config.GitHub {
		return map[string]string{
			"X-GitHub-Request-Id": "FA17:1", "X-OAuth-Scopes": "repo", "X-RateLimit-Limit": "5000",
			"X-RateLimit-Remaining": "4999", "X-RateLimit-Resource": "core",
		}
	}
	return nil
}

// unreachable is what happens before there is an answer.
func unreachable() []Fault {
	fails := func(name string, err error) Fault {
		return Fault{name, func(*http.Request) (*http.Response, error) { return nil, err }}
	}
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	return []Fault{
		fails("connection_refused", dial(os.NewSyscallError("connect", syscall.ECONNREFUSED))),
		fails("dns_failure", dial(&net.DNSError{Err: "no such host", Name: "upstream.invalid", IsNotFound: true})),
		fails("tls_failure", &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}),
		fails("timeout", context.DeadlineExceeded),
		fails("reset_after_sending", &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}),
	}
}

// upstream answers with the signs of a provider.
type upstream struct{ signs map[string]string }

// reply is one answer.
type reply struct {
	code    int
	media   string
	body    string
	headers map[string]string
	foreign bool // it was not the provider that answered
}

const (
	asJSON = "application/json; charset=utf-8"
	asHTML = "text/html; charset=utf-8"
)

func (u upstream) fault(name string, r reply) Fault {
	return Fault{name, func(req *http.Request) (*http.Response, error) {
		h := http.Header{}
		if !r.foreign {
			for k, v := range u.signs {
				h.Set(k, v)
			}
		}
		for k, v := range r.headers {
			h.Set(k, v)
		}
		if r.media != "" {
			h.Set("Content-Type", r.media)
		}
		return &http.Response{
			StatusCode: r.code, Status: http.StatusText(r.code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: h, Body: io.NopCloser(strings.NewReader(r.body)), ContentLength: int64(len(r.body)), Request: req,
		}, nil
	}}
}

// broken is an answer that is none, although its status may say otherwise.
func (u upstream) broken() []Fault {
	page := func(title string) string {
		return "<!DOCTYPE html><html><head><title>" + title + "</title></head><body><h1>" + title + "</h1></body></html>"
	}
	login := `<!DOCTYPE html><html><head><title>Sign in</title></head><body><form action="/login" method="post"><input type="password" name="password"></form></body></html>`
	return []Fault{
		u.changed(u.fault("body_cut", reply{code: 200, media: asJSON, body: `[{"id":1,"na`}), func(r *http.Response) {
			r.ContentLength += 4000
		}),
		u.changed(u.fault("body_too_large", reply{code: 200, media: asJSON, body: "["}), func(r *http.Response) {
			r.ContentLength = 1 << 30
		}),
		u.fault("login_page_with_200", reply{code: 200, media: asHTML, body: login, foreign: true}),
		u.fault("proxy_wants_login_407", reply{code: 407, media: asHTML, body: page("Proxy Authentication Required"), foreign: true}),
		u.fault("proxy_502_page", reply{code: 502, media: asHTML, body: page("Bad Gateway"), foreign: true}),
		u.fault("empty_body_with_200", reply{code: 200, media: asJSON}),
		u.fault("empty_list_with_200", reply{code: 200, media: asJSON, body: "[]"}),
		u.fault("empty_object_with_200", reply{code: 200, media: asJSON, body: "{}"}),
		u.fault("null_with_200", reply{code: 200, media: asJSON, body: "null"}),
		u.fault("wrong_content_type", reply{code: 200, media: "text/plain", body: "[]"}),
		u.fault("no_content_204", reply{code: 204}),
		u.fault("not_modified_unasked", reply{code: 304}),
		u.fault("redirect_to_foreign_host", reply{code: 302, headers: map[string]string{"Location": "https://elsewhere.invalid/login"}}),
	}
}

func (u upstream) changed(f Fault, change func(*http.Response)) Fault {
	return Fault{f.Name, func(req *http.Request) (*http.Response, error) {
		r, err := f.send(req)
		if err == nil {
			change(r)
		}
		return r, err
	}}
}

// refusing is an answer that says no.
func (u upstream) refusing() []Fault {
	said := func(text string) string { return `{"message":"` + text + `"}` }
	list := []Fault{
		u.fault("unauthorized_401", reply{code: 401, media: asJSON, body: said("Bad credentials")}),
		u.fault("forbidden_403", reply{code: 403, media: asJSON, body: said("Forbidden")}),
		u.fault("rate_limit_403", reply{code: 403, media: asJSON, body: said("API rate limit exceeded"), headers: map[string]string{
			"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1200"}}),
		u.fault("rate_limit_429", reply{code: 429, media: asJSON, body: said("Too many requests"), headers: map[string]string{"Retry-After": "90"}}),
	}
	for _, c := range []struct {
		name string
		code int
	}{{"not_found_404", 404}, {"gone_410", 410}, {"unprocessable_422", 422}, {"internal_error_500", 500}, {"unavailable_503", 503}} {
		list = append(list, u.fault(c.name, reply{code: c.code, media: asJSON, body: said(http.StatusText(c.code))}))
	}
	return list
}

// misleading is an answer that looks like a success and says inside that it is none.
func (u upstream) misleading() []Fault {
	inside := func(name, body string) Fault {
		return u.fault("in_band_"+name, reply{code: 200, media: asJSON, body: body})
	}
	return []Fault{
		inside("error_message", `{"message":"Bad credentials","documentation_url":"https://docs.invalid"}`),
		inside("errors_list", `{"errors":[{"message":"Something went wrong"}],"data":null,"items":[]}`),
		inside("ok_false", `{"ok":false,"error":"invalid_auth","items":[]}`),
		inside("incomplete_search", `{"total_count":0,"incomplete_results":true,"items":[]}`),
		inside("truncated_listing", `{"sha":"x","tree":[],"truncated":true}`),
	}
}

// RoundTrip answers as the fault says. Nothing is sent.
func (f Fault) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close() // of no interest
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	return f.send(req)
}

// patience is what one call may take; no fault waits for it.
const patience = 20 * time.Second
