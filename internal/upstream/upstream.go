// Package upstream is the only HTTP client of frank. It authorizes requests,
// pins them to the configured host, reads answers to their end within a limit,
// has every attempt classified, retries what the contract lists, opens the
// circuit of a dependency that keeps failing, revalidates what it has read
// before, and shares one flight among identical concurrent reads.
//
// It knows no provider and decides nothing about absence: it returns either an
// [Exchange] that a connector may interpret, or a [status.Failure]. It never
// logs a body, a credential or the value of a header that carries one.
package upstream

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/frank-mcp/frank/status"
)

// Credential authorizes the requests of one source.
type Credential interface {
	// Authorize sets the headers that carry the credential. A failure is one of
	// stage auth_preflight; nothing is sent then.
	Authorize(ctx context.Context, h http.Header) *status.Failure
	// Identity is a short hash that changes with the credential and from which it
	// cannot be recovered; empty for anonymous access.
	Identity(ctx context.Context) string
	// Configured reports whether a credential is meant to be used at all.
	Configured() bool
}

// Retry bounds what one call may spend. A zero field takes the default that the
// configuration documents: 3 attempts, 20 s, 10 s, 60 s.
type Retry struct {
	MaxAttempts int
	Budget      time.Duration // of all requests that one tool call makes to the source, waiting included
	Timeout     time.Duration // of one attempt, body included
	Cooldown    time.Duration // of an open circuit; negative: none
}

// Options configures the client of one source.
type Options struct {
	Source     string // its name, for failures and logs
	BaseURL    string // absolute, without a final slash
	Insecure   bool   // plain http to a host that is not loopback is allowed
	Credential Credential
	Scopes     string // extra text for the fingerprint: configuration that changes what is granted
	Retry      Retry
	MaxBody    int64             // bytes; 0: 8 MiB
	Transport  http.RoundTripper // nil: one shared pool
	Classify   Classifier        // the provider's reading of an attempt; may be nil
	UserAgent  string
	Log        *slog.Logger
	Now        func() time.Time
}

// Classifier reads one attempt in the provider's terms, rate limits before
// permissions. It returns nil if it has nothing to add; then the generic reading
// applies, by which only an accepted status with the wanted media type is usable.
// A rate limit that it finds without saying how long to wait is completed from the
// headers. It sees every answer that was read to its end, also accepted ones, so that it
// can find in-band errors and signals in headers.
type Classifier func(*Exchange) *status.Failure

// Media is what the body must be.
type Media uint8

// The media of an answer.
const (
	JSON  Media = iota // application/json or +json; an accepted status with anything else fails
	Bytes              // whatever was asked for, except an HTML page that nobody asked for
	NoBody
)

// Want says what an answer must be to be usable.
type Want struct {
	Class    string // endpoint class for logs and proofs: GET /repos/{owner}/{repo}/issues
	Statuses []int  // usable statuses; nil: 200
	Media    Media
	NoCache  bool // neither revalidate nor share
	MaxBody  int64
	// Repeatable marks a request that changes nothing although it is no GET, or that
	// the source itself recognizes when it comes twice. Any other write is repeated
	// only if it surely had no effect, and follows no redirect.
	Repeatable bool
}

// Exchange is one answer, read to its end. Header and Body may be shared with
// other callers and with the store: they are read, never changed.
type Exchange struct {
	Method   string
	Path     string // as sent, without host and query
	Class    string
	Status   int
	Header   http.Header // of the answer
	Body     []byte
	At       time.Time // when the answer was read
	Attempts int
	Cached   bool   // the provider confirmed what was read before (304)
	Location string // path of the final address if a redirect on the same host was followed
	// Markers names the keys of the outermost object that say, with more than null,
	// false or nothing, that the answer is not whole: truncated, warnings,
	// incomplete_results and the like, in lower case. What they mean is the
	// connector's to know; an error in the answer never gets this far.
	Markers []string
	Want    Want
	Decoded bool // set by the connector that has decoded the whole body
}

// Proof names the exchange as the proof of a check.
func (x *Exchange) Proof() status.Proof {
	return status.Proof{Request: x.Method + " " + x.Path, At: x.At}
}

// AskedProof is Proof by what was asked, for a source of which every request has the
// same path or whose paths hold numbers that say nothing.
func (x *Exchange) AskedProof() status.Proof { return status.Proof{Request: x.Class, At: x.At} }

// NobodyProof is the proof of who an answer was made for where no credential is used,
// by configuration: nothing is left to prove.
func (x *Exchange) NobodyProof() status.Proof {
	return status.Proof{Request: "configuration: no credential", At: x.At}
}
