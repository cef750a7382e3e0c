package confluence

import (
	"context"
	"net/http"
	"strings"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// credential sends email:token, as Cloud wants it, by HTTP Basic, and any other
// secret as bearer: a personal access token of a Data Center, or a token of OAuth.
type credential struct {
	secret upstream.TokenFunc
	basic  *upstream.Token
	bearer *upstream.Token
}

func newCredential(secret upstream.TokenFunc) upstream.Credential {
	return &credential{secret, upstream.BasicToken(secret), upstream.BearerToken(secret)}
}

// Authorize sets the header that carries the secret.
func (k *credential) Authorize(ctx context.Context, h http.Header) *status.Failure {
	secret, f := k.secret(ctx)
	if f != nil {
		return f
	}
	if strings.Contains(secret, ":") {
		return k.basic.Authorize(ctx, h)
	}
	return k.bearer.Authorize(ctx, h)
}

// Identity is that of the secret.
func (k *credential) Identity(ctx context.Context) string { return k.bearer.Identity(ctx) }

// Configured is true: a secret is meant to be used, even if it is missing.
func (k *credential) Configured() bool { return true }
