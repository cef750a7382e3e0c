package tools

import (
	"errors"

	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// parseRef reads the reference in the argument of that name.
func parseRef(argument, s string) (ref.Ref, *status.Failure) {
	r, err := ref.Parse(s)
	if err == nil {
		return r, nil
	}
	problem := "cannot be read as a reference"
	var known *ref.Error
	if errors.As(err, &known) { // its texts are ours and hold nothing of what was given
		problem = known.Text
	}
	f := status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
		Name: argument, Reason: status.InvalidArgument.Name(), Problem: problem,
	}}))
	return ref.Ref{}, &f
}

// as reads a reference in the sense that the tool gives to bare texts: "12" is an
// issue to a tracker and a change to a repository.
func as(r ref.Ref, kinds ...ref.Kind) ref.Ref {
	for _, k := range kinds {
		if r.Kind == k {
			if k == ref.File && r.Also == ref.Repository && r.URL() == "" {
				r.Project = "" // it is that of the other reading
			}
			return r
		}
	}
	for _, k := range kinds {
		if r.Also == k && k != ref.Unknown {
			r.Also, r.Kind = r.Kind, k
			return r
		}
	}
	return r
}
