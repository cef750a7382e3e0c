package upstream

import (
	"context"
	"errors"
	"net/http"

	"github.com/frank-mcp/frank/status"
)

// Client speaks to one source.
type Client struct{ opts Options }

// New makes the client of a source. It sends nothing. The failure is
// misconfigured if the address cannot be used.
func New(o Options) (*Client, *status.Failure) { return &Client{opts: o}, nil }

// Send makes the request and returns its usable answer. If it fails after an
// answer was read, both results are set, so that a connector can look at the
// status and headers of, say, a 404.
func (c *Client) Send(req *http.Request, w Want) (*Exchange, *status.Failure) {
	f := status.Fail(status.UncaughtServerError)
	return nil, &f
}

// RoundTrip lets a provider's own library send through Send. What the answer must
// be comes from the request's context, see [WithWant]. The error, if any, is a
// *[Error]; the answer's body is the whole [Exchange], see [ExchangeOf].
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) { return nil, errors.New("unfinished") }

// Fingerprint identifies the dependency: endpoint, credential identity, scopes,
// configuration; never the secret.
func (c *Client) Fingerprint(ctx context.Context) string { return "" }

// Close closes the circuit: a probe succeeded.
func (c *Client) Close(ctx context.Context) {}

// Configured reports whether a credential is meant to be sent.
func (c *Client) Configured() bool { return c.opts.Credential != nil && c.opts.Credential.Configured() }

type wantKey struct{}

// WithWant says what the answer to the next request must be.
func WithWant(ctx context.Context, w Want) context.Context { return context.WithValue(ctx, wantKey{}, w) }

// Error carries a failure through a library that only knows Go errors.
type Error struct {
	Failure  status.Failure
	Exchange *Exchange // nil if no answer was read
}

// Error names the reason only.
func (e *Error) Error() string { return "upstream: " + e.Failure.Reason().Name() }

// FailureOf returns the failure inside err. An error that did not come from this
// package is uncaught_server_error.
func FailureOf(err error) (*Exchange, status.Failure) {
	var e *Error
	if errors.As(err, &e) {
		return e.Exchange, e.Failure
	}
	return nil, status.Fail(status.UncaughtServerError)
}

// ExchangeOf returns the exchange behind an answer of RoundTrip, or nil.
func ExchangeOf(resp *http.Response) *Exchange { return nil }
