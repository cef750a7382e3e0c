package app

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// credential gets a source's secret when it is first wanted and lets the provider
// put it into its headers. Where the configuration allows to go without (no login
// in gh), it turns anonymous once that is known.
type credential struct {
	found     *config.Credential
	inner     upstream.Credential
	anonymous atomic.Bool
	vault     *vault
}

func credentialOf(p connectors.Provider, s config.Source, h config.Host, v *vault) upstream.Credential {
	if s.Auth.Method == config.MethodNone {
		return upstream.Anonymous()
	}
	c := &credential{found: config.NewCredential(s.Auth, h), vault: v}
	c.inner = p.Credential(func(ctx context.Context) (string, *status.Failure) {
		secret, problem := c.resolve(ctx)
		if problem != nil {
			return "", failureOf(ctx, problem)
		}
		return secret.Open(), nil
	})
	return c
}

// Authorize sets the provider's headers, or none if there is no secret to be had
// and none is needed.
func (c *credential) Authorize(ctx context.Context, h http.Header) *status.Failure {
	secret, problem := c.resolve(ctx)
	if problem != nil {
		return failureOf(ctx, problem)
	}
	if secret.IsZero() {
		return nil
	}
	return c.inner.Authorize(ctx, h)
}

func (c *credential) resolve(ctx context.Context) (config.Secret, *config.Problem) {
	secret, problem := c.found.Resolve(ctx)
	c.vault.learn(secret.Open())
	c.anonymous.Store(problem == nil && secret.IsZero())
	return secret, problem
}

// Identity is a hash of the secret, empty without one.
func (c *credential) Identity(ctx context.Context) string {
	if secret, problem := c.resolve(ctx); problem != nil || secret.IsZero() {
		return ""
	}
	return c.inner.Identity(ctx)
}

// Configured is false once it is known that there is no secret and none is needed.
func (c *credential) Configured() bool { return !c.anonymous.Load() }

// Refresh gets the secret again, after the provider rejected it.
func (c *credential) Refresh(ctx context.Context) *status.Failure {
	secret, problem := c.found.Refresh(ctx)
	if problem != nil {
		return failureOf(ctx, problem)
	}
	c.vault.learn(secret.Open())
	return nil
}

// failureOf names why there is no secret to send. A call that has ended says
// nothing about the credential.
func failureOf(ctx context.Context, p *config.Problem) *status.Failure {
	if ctx.Err() != nil {
		f := status.Fail(status.Cancelled, status.NotCalled, status.By(p.Source))
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			f = status.Fail(status.Timeout, status.NotCalled, status.By(p.Source))
		}
		return &f
	}
	reason := status.AuthHeaderResolutionFailed
	if p.Kind == config.Missing {
		reason = status.AuthProfileMissing
	}
	f := status.Fail(reason, status.By(p.Source), status.ConfigKey.Is("auth."+p.Method.String()), status.Marker.Is(p.Kind.String()), status.Remedy.Is(p.Text))
	return &f
}
