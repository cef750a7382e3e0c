package config

import (
	"context"
	"time"
)

// failureAge is how long a failed look for a credential is not repeated, so
// that a burst of calls does not run token_command for each of them.
const failureAge = 5 * time.Second

// Credential gets a credential when it is first wanted and keeps it. Use
// NewCredential; it is safe for concurrent use.
type Credential struct {
	auth Auth
	host Host
	// turn holds one token: whoever has it may look. Unlike a mutex, waiting
	// for it ends with the caller's context.
	turn chan struct{}

	have    bool
	secret  Secret
	problem *Problem
	at      time.Time
}

// NewCredential returns the credential that a describes. Nothing is looked up
// yet.
func NewCredential(a Auth, h Host) *Credential {
	c := &Credential{auth: a, host: h, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// Resolve returns the credential as it was last found, looking for it if it
// was not yet, or failed more than some seconds ago.
func (c *Credential) Resolve(ctx context.Context) (Secret, *Problem) {
	return c.get(ctx, false)
}

// Refresh looks again, for use when the provider refused the credential: a
// token_command may give a new one.
func (c *Credential) Refresh(ctx context.Context) (Secret, *Problem) {
	return c.get(ctx, true)
}

func (c *Credential) get(ctx context.Context, again bool) (Secret, *Problem) {
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return c.auth.problem(CommandFailed, "the call ended before the credential was there; try again")
	}
	fresh := c.have && (c.problem == nil || c.host.Now().Sub(c.at) < failureAge)
	if fresh && !again {
		return c.secret, c.problem
	}
	secret, problem := c.auth.Resolve(ctx, c.host)
	if problem != nil && ctx.Err() != nil {
		// The caller left: that says nothing about the credential.
		return secret, problem
	}
	c.have, c.secret, c.problem, c.at = true, secret, problem, c.host.Now()
	return secret, problem
}
