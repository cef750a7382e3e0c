package replay

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

// TB is what the transport needs of a test.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(func())
}

// ErrUnexpected ends a request that no exchange covers.
var ErrUnexpected = errors.New("replay: no exchange covers this request")

// Transport answers requests from the exchanges, matched by method, path and
// query. Exchanges for the same request answer in the order in which they stand.
// It is safe for concurrent use. At the end of the test, what was not used fails it.
func Transport(t TB, exchanges []Exchange) http.RoundTripper {
	t.Helper()
	p := &player{t: t, left: make([]int, len(exchanges)), exchanges: exchanges}
	for i, x := range exchanges {
		p.left[i] = x.times
	}
	t.Cleanup(p.finish)
	return p
}

type player struct {
	t         TB
	mu        sync.Mutex
	exchanges []Exchange
	left      []int // uses; an exchange with times: any is not counted
	over      bool
	mark      string // in the last body of a request that had one
}

// markIn finds the mark by which frank recognizes what it has written.
var markIn = regexp.MustCompile(`frank:[0-9a-f]{16}`)

// RoundTrip answers one request.
func (p *player) RoundTrip(req *http.Request) (*http.Response, error) {
	body := ""
	if req.Body != nil {
		b, err := io.ReadAll(req.Body)
		_ = req.Body.Close() // it was read to its end
		if err != nil {
			return nil, fmt.Errorf("replay: read request: %w", err)
		}
		body = string(b)
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	x, ok := p.take(req, body)
	if !ok {
		return nil, ErrUnexpected
	}
	if x.fault != "" {
		return nil, fail(req.Context(), x.fault, req.URL.Hostname())
	}
	return x.respond(req), nil
}

// take finds the exchange for a request and checks the request against it.
func (p *player) take(req *http.Request, body string) (Exchange, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := markIn.FindString(body); m != "" {
		p.mark = m
	}
	method, path, query := req.Method, req.URL.EscapedPath(), req.URL.Query().Encode()
	for i, x := range p.exchanges {
		used := x.times > 0 && p.left[i] == 0
		same := x.Method == method && x.Path == path && x.Query == query
		if used || !same {
			if !used && x.ordered && x.times > 0 {
				break // this one has to come first
			}
			continue
		}
		if x.times > 0 {
			p.left[i]--
		}
		p.check(x, req, body)
		x.text = strings.ReplaceAll(x.text, "{mark}", p.mark)
		return x, true
	}
	p.errorf("unexpected request: %s", target(method, path, query))
	return Exchange{}, false
}

// check compares a request with what its exchange says of it. Values are not
// printed: they may be credentials.
func (p *player) check(x Exchange, req *http.Request, body string) {
	where := x.Section + " (" + target(x.Method, x.Path, x.Query) + ")"
	for _, h := range x.has {
		if got := req.Header.Get(h.name); got != h.value {
			p.errorf("%s: the request's header %s is not as recorded (sent: %t)", where, h.name, got != "")
		}
	}
	for _, name := range x.lacks {
		if req.Header.Get(name) != "" {
			p.errorf("%s: the request has the header %s", where, name)
		}
	}
	for _, text := range x.body {
		if !strings.Contains(body, text) {
			p.errorf("%s: the request's body lacks %s", where, text)
		}
	}
}

// errorf fails the test, unless it is over: then there is nobody to tell.
func (p *player) errorf(format string, args ...any) {
	if !p.over {
		p.t.Helper()
		p.t.Errorf("replay: "+format, args...)
	}
}

func (p *player) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, x := range p.exchanges {
		if x.times > 0 && p.left[i] > 0 {
			p.errorf("%s was used %d times of %d: %s", x.Section, x.times-p.left[i], x.times, target(x.Method, x.Path, x.Query))
		}
	}
	p.over = true
}

// respond makes the answer.
func (x Exchange) respond(req *http.Request) *http.Response {
	fill := func(s string) string { return strings.ReplaceAll(s, "{host}", req.URL.Host) }
	h := http.Header{}
	for _, one := range x.header {
		h.Add(one.name, fill(one.value))
	}
	text := fill(x.text)
	length := int64(len(text))
	var body io.Reader = strings.NewReader(text)
	switch {
	case x.cut >= 0 && x.cut < len(text):
		body = io.MultiReader(strings.NewReader(text[:x.cut]), broken{})
	case x.end >= 0 && x.end < len(text):
		body, length = strings.NewReader(text[:x.end]), -1
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", x.status, http.StatusText(x.status)), StatusCode: x.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(body), ContentLength: length, Request: req,
	}
}

// broken is the rest of a body whose connection is gone.
type broken struct{}

// Read fails as net/http does when fewer bytes come than were declared.
func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// fail is the error that a real transport gives for that fault.
func fail(ctx context.Context, fault, host string) error {
	switch fault {
	case "hang":
		<-ctx.Done()
		return ctx.Err()
	case "refused":
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case "dns":
		return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
	case "tls":
		return &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	case "closed":
		return io.EOF
	default:
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
}
