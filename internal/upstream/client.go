package upstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	if r.Cooldown == 0 {
		r.Cooldown = defaultCooldown
	}
	r.Cooldown = max(r.Cooldown, 0)
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
func (c *Client) Close(ctx context.Context) {
	c.breaker.close()
	c.tellCircuits(ctx)
}

// Configured reports whether a credential is meant to be sent.
func (c *Client) Configured() bool { return c.opts.Credential.Configured() }

type probeKey struct{}

// Probing marks requests that find out whether the source works again: an open
// circuit lets them through, and a usable answer closes it.
func Probing(ctx context.Context) context.Context { return context.WithValue(ctx, probeKey{}, true) }
