package connectors

import (
	"context"

	"github.com/frank-mcp/frank/status"
)

// Gate says why policy keeps a container from the question under way, or nil. An
// empty name is a container that is not known.
type Gate func(container string) *status.Failure

type gateKey struct{}

// Gated puts the gate of a question into its context.
func Gated(ctx context.Context, g Gate) context.Context { return context.WithValue(ctx, gateKey{}, g) }

// Admits asks the gate of the question under way. A connector asks as soon as an
// answer shows another container than the one that was asked, such as a
// repository that was renamed: what is kept from the question is not asked any
// further, and nothing of it is told. Without a gate everything is admitted.
func Admits(ctx context.Context, container string) *status.Failure {
	if g, ok := ctx.Value(gateKey{}).(Gate); ok {
		return g(container)
	}
	return nil
}
