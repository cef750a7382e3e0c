package connectors

import "github.com/frank-mcp/frank/status"

// NewGrant is the state of one capability of a source. The failure, nil for none, is
// told only where the state is what it says: neither granted nor unknown.
func NewGrant(source string, c Capability, state GrantState, f *status.Failure) Grant {
	g := Grant{Capability: c, State: state}
	if f != nil && state != Granted && state != UnknownGrant {
		named := f.Within(source, "", string(c))
		g.Failure = &named
	}
	return g
}

// GrantAll gives every capability one state.
func (p *Probe) GrantAll(source string, all []Capability, state GrantState, f *status.Failure) {
	for _, c := range all {
		p.Capabilities = append(p.Capabilities, NewGrant(source, c, state, f))
	}
}

// Refuse records why a source could not be looked at, and returns what that makes of
// each of its capabilities: denied where access is, else unknown.
func (p *Probe) Refuse(source string, f status.Failure) GrantState {
	f = f.Within(source, "", "")
	p.Failure = &f
	switch f.Code() {
	case status.AccessDenied:
		p.State = Denied
		return NotGranted
	case status.CapabilityUnavailable:
		p.State = Misconfigured
	default:
		p.State = Unreachable
	}
	return UnknownGrant
}

// BadArgument is the failure for an argument that a source cannot be asked with.
func BadArgument(source, argument, problem string) *status.Failure {
	return RefusedArgument(source, status.InvalidArgument, argument, problem)
}

// RefusedArgument is the failure for an argument that is refused for that reason
// before anything is sent.
func RefusedArgument(source string, r status.Reason, argument, problem string) *status.Failure {
	f := status.Fail(r, status.By(source), status.NotCalled, status.Arguments.Is([]status.Argument{{
		Name: argument, Reason: r.Name(), Problem: problem,
	}}))
	return &f
}
