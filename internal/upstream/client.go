package upstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/status"
)

// The documented defaults of the configuration, and of what it leaves open.
const (
	defaultAttempts = 3
	defaultBudget   = 20 * time.Second
	defaultTimeout  = 10 * time.Second
	defaultCooldown = 60 * time.Second
	defaultMaxBody  = 8 << 20
)

// Client speaks to one source. It is safe for concurrent use.
type Client struct {
	opts    Options
	base    *url.URL
	wire    http.RoundTripper
	store   *store
	flights flights
	breaker breaker
	scratch scratch
}

// New makes the client of a source. It sends nothing. The failure is
// misconfigured if the address cannot be used.
func New(o Options) (*Client, *status.Failure) {
	base, err := url.Parse(o.BaseURL)
	usable := err == nil && base.Host != "" && base.User == nil && base.RawQuery == "" && base.Fragment == "" &&
		(base.Scheme == "https" || base.Scheme == "http" && (o.Insecure || loopback(base.Hostname())))
	if !usable {
		f := status.Fail(status.Misconfigured, status.NotCalled, status.By(o.Source), status.ConfigKey.Is("base_url"))
		return nil, &f
	}
	o.Retry = o.Retry.withDefaults()
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Credential == nil {
		o.Credential = Anonymous()
	}
	c := &Client{opts: o, base: base, wire: o.Transport, store: newStore(storeBytes, storeEntries)}
	if c.wire == nil {
		c.wire = sharedPool()
	}
	c.breaker.cooldown = o.Retry.Cooldown
	return c, nil
}

func (r Retry) withDefaults() Retry {
	if r.MaxAttempts <= 0 {
		r.MaxAttempts = defaultAttempts
	}
	if r.Budget <= 0 {
		r.Budget = defaultBudget
	}
	if r.Timeout <= 0 {
		r.Timeout = defaultTimeout
	}
	if r.Cooldown <= 0 {
		r.Cooldown = defaultCooldown
	}
	return r
}

// loopback reports whether plain http to that host stays on this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// pinned reports whether u is on the configured host, by the configured scheme.
func (c *Client) pinned(u *url.URL) bool {
	return u.User == nil && strings.EqualFold(u.Scheme, c.base.Scheme) && authority(u) == authority(c.base)
}

// authority is host and port in one spelling.
func authority(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "443"
		if strings.EqualFold(u.Scheme, "http") {
			port = "80"
		}
	}
	return strings.ToLower(u.Hostname()) + ":" + port
}

// Fingerprint identifies the dependency: endpoint, credential identity, scopes,
// configuration; never the secret.
func (c *Client) Fingerprint(ctx context.Context) string {
	return c.fingerprint(c.opts.Credential.Identity(ctx))
}

func (c *Client) fingerprint(identity string) string {
	h := sha256.New()
	for _, part := range []string{c.opts.BaseURL, identity, c.opts.Scopes, strconv.FormatBool(c.opts.Insecure)} {
		// Writing to a hash never fails.
		_, _ = io.WriteString(h, part)
		_, _ = h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// Close closes the circuit: a probe succeeded.
func (c *Client) Close(context.Context) { c.breaker.close() }

// Configured reports whether a credential is meant to be sent.
func (c *Client) Configured() bool { return c.opts.Credential.Configured() }

type wantKey struct{}

// WithWant says what the answer to the next request must be.
func WithWant(ctx context.Context, w Want) context.Context {
	return context.WithValue(ctx, wantKey{}, w)
}

type probeKey struct{}

// Probing marks requests that find out whether the source works again: an open
// circuit lets them through, and a usable answer closes it.
func Probing(ctx context.Context) context.Context { return context.WithValue(ctx, probeKey{}, true) }

// Error carries a failure through a library that only knows Go errors.
type Error struct {
	Failure  status.Failure
	Exchange *Exchange // nil if no answer was read
}

// Error names the reason only.
func (e *Error) Error() string { return "upstream: " + e.Failure.Reason().Name() }

// FailureOf returns the failure inside err. A library may put the error of an
// ended context in place of ours: that is cancelled or timeout. Any other error
// that did not come from this package is uncaught_server_error.
func FailureOf(err error) (*Exchange, status.Failure) {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Exchange, e.Failure
	case errors.Is(err, context.Canceled):
		return nil, status.Fail(status.Cancelled)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, status.Fail(status.Timeout, status.MaybeCalled)
	}
	return nil, status.Fail(status.UncaughtServerError)
}

// RoundTrip lets a provider's own library send through Send. What the answer must
// be comes from the request's context, see [WithWant]. The error, if any, is a
// *[Error]; the answer's body is the whole [Exchange], see [ExchangeOf].
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) {
	w, _ := req.Context().Value(wantKey{}).(Want)
	x, f := c.Send(req, w)
	if f != nil {
		return nil, &Error{*f, x}
	}
	return &http.Response{
		Status:     strconv.Itoa(x.Status) + " " + http.StatusText(x.Status),
		StatusCode: x.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: withoutLimits(x.Header), Body: &readBody{bytes.NewReader(x.Body), x}, ContentLength: int64(len(x.Body)), Request: req,
	}, nil
}

// limitHeaders are what libraries read to hold requests back by themselves, with
// errors of their own. Waiting is for this package to decide.
var limitHeaders = [...]string{"X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Ratelimit-Remaining", "Ratelimit-Reset", "Retry-After"}

// withoutLimits is what a library may see of an answer's header; the exchange
// has all of it.
func withoutLimits(h http.Header) http.Header {
	out := h.Clone()
	for _, name := range limitHeaders {
		delete(out, name)
	}
	return out
}

// readBody is the body of an answer that was read to its end.
type readBody struct {
	*bytes.Reader
	x *Exchange
}

// Close has nothing to release.
func (*readBody) Close() error { return nil }

// ExchangeOf returns the exchange behind an answer of RoundTrip, or nil.
func ExchangeOf(resp *http.Response) *Exchange {
	if resp == nil {
		return nil
	}
	if b, ok := resp.Body.(*readBody); ok {
		return b.x
	}
	return nil
}
