package upstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"golang.org/x/oauth2"

	"github.com/frank-mcp/frank/status"
)

// TokenFunc yields the secret of a source, or why there is none (stage
// auth_preflight). It is asked for every call and should remember its answer.
type TokenFunc func(context.Context) (string, *status.Failure)

// FromSource asks an oauth2 token source. Its errors are dropped, since their
// text may quote the answer of a token endpoint.
func FromSource(src oauth2.TokenSource) TokenFunc {
	return func(context.Context) (string, *status.Failure) {
		t, err := src.Token()
		if err != nil {
			f := status.Fail(status.AuthProfileMissing)
			return "", &f
		}
		return t.AccessToken, nil
	}
}

// Refresher is a [Credential] that may yield another secret after the source
// rejected the first, such as one from a command. It is asked once per call.
type Refresher interface {
	Refresh(context.Context) *status.Failure
}

// Token is a [Credential] that sends one secret in one header.
type Token struct {
	header  string
	prefix  string
	basic   bool
	secret  TokenFunc
	refresh func(context.Context) *status.Failure
}

// BearerToken sends "Authorization: Bearer …".
func BearerToken(secret TokenFunc) *Token { return &Token{prefix: "Bearer", secret: secret} }

// SchemeToken sends "Authorization: <scheme> …", such as "token …" for Gitea.
func SchemeToken(scheme string, secret TokenFunc) *Token {
	return &Token{prefix: scheme, secret: secret}
}

// HeaderToken sends the bare secret in the named header.
func HeaderToken(header string, secret TokenFunc) *Token {
	return &Token{header: header, secret: secret}
}

// BasicToken sends a secret of the form user:password as HTTP Basic.
func BasicToken(secret TokenFunc) *Token { return &Token{basic: true, secret: secret} }

// Refreshing lets a 401 ask for another secret, once per call. It returns t.
func (t *Token) Refreshing(again func(context.Context) *status.Failure) *Token {
	t.refresh = again
	return t
}

// Authorize sets the header. A secret that can only be a slip of the
// configuration is never sent.
func (t *Token) Authorize(ctx context.Context, h http.Header) *status.Failure {
	secret, f := t.secret(ctx)
	if f != nil {
		return f
	}
	if slip := mangled(secret, t.basic); slip != "" {
		f := status.Fail(status.AuthHeaderResolutionFailed, status.NotCalled, status.Marker.Is(slip))
		return &f
	}
	carrier := &http.Request{Header: h}
	switch {
	case t.header != "":
		h.Set(t.header, secret)
	case t.basic:
		user, password, _ := strings.Cut(secret, ":")
		carrier.SetBasicAuth(user, password)
	default:
		(&oauth2.Token{AccessToken: secret, TokenType: t.prefix}).SetAuthHeader(carrier)
	}
	return nil
}

// Identity is a short hash of the secret, empty if there is none to be had.
func (t *Token) Identity(ctx context.Context) string {
	secret, f := t.secret(ctx)
	if f != nil || secret == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("frank credential\x00" + secret))
	return hex.EncodeToString(sum[:6])
}

// Configured is true: a token is meant to be sent, even if it is missing.
func (t *Token) Configured() bool { return true }

// Refresh asks for another secret; without a way to get one it does nothing.
func (t *Token) Refresh(ctx context.Context) *status.Failure {
	if t.refresh == nil {
		return nil
	}
	return t.refresh(ctx)
}

// mangled names what is wrong with a secret, without quoting it (HT-16).
func mangled(secret string, basic bool) string {
	user, _, pair := strings.Cut(secret, ":")
	switch {
	case strings.TrimSpace(secret) == "":
		return "blank"
	case strings.ContainsAny(secret, "\r\n"):
		return "line end"
	case strings.Contains(secret, "${"):
		return "unresolved variable"
	case strings.ContainsAny(secret[:1]+secret[len(secret)-1:], `"'`):
		return "quotes"
	case strings.TrimSpace(secret) != secret || !basic && strings.ContainsAny(secret, " \t"):
		return "white space"
	case basic && (!pair || user == ""):
		return "not user:password"
	case strings.ContainsFunc(secret, func(r rune) bool { return r < ' ' || r == 0x7f || !basic && r > 0x7f }):
		return "control or foreign character"
	case !basic && strings.ContainsAny(secret, `"'`):
		return "quotes"
	}
	return ""
}

// Anonymous sends nothing, by configuration.
func Anonymous() Credential { return anonymous{} }

type anonymous struct{}

func (anonymous) Authorize(context.Context, http.Header) *status.Failure { return nil }
func (anonymous) Identity(context.Context) string                        { return "" }
func (anonymous) Configured() bool                                       { return false }
