package connectors

import (
	"context"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// MaxOptions bounds how many values one failure offers to choose from.
const MaxOptions = 20

// Options are containers of one source from which an argument can be chosen, spelt as
// the argument takes them, in an order that does not change from call to call. They
// need not be all: More says that there are others.
type Options struct {
	Names []string
	More  bool
	// Note, if there is one, limits what the names say, as a clause: "only public ones
	// were looked for".
	Note string
}

// Lister lists the containers (projects, repositories, spaces) of a source that an
// argument of a question of that kind could name. It gets by with one request, or
// none: it is asked under a bound. That it names none says nothing about the source.
type Lister func(ctx context.Context, k Kind) (Options, *status.Failure)

// List asks the source for its containers of that kind, by one request at most. asked
// reports whether there was one. A source without a lister has nothing to offer.
func (s Source) List(ctx context.Context, k Kind) (o Options, asked bool, f *status.Failure) {
	if s.Options == nil {
		return Options{}, false, nil
	}
	ctx = upstream.AtMost(ctx, 1)
	o, f = s.Options(ctx, k)
	return o, upstream.Sent(ctx) > 0, f
}

// Choice is the failure for an argument whose value must be one of what the source
// has. It offers the first [MaxOptions] of the values, and their number where that
// is more. problem completes "the argument …".
func Choice(argument, problem string, values []string, opts ...status.Option) *status.Failure {
	if n := len(values); n > MaxOptions {
		values, opts = values[:MaxOptions], append(opts, status.Total.Is(n))
	}
	f := status.Fail(status.DynamicOptionRequired, append(opts, status.Options.Is(values), status.Arguments.Is([]status.Argument{{
		Name: argument, Reason: status.DynamicOptionRequired.Name(), Problem: problem, Allowed: values,
	}}))...)
	return &f
}
