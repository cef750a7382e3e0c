package mediawiki

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// prober proves live what the source can do.
type prober struct{ *client }

// Probe asks for the wiki and the account that it is shown to, in one request.
func (p prober) Probe(ctx context.Context) connectors.Probe {
	ctx = upstream.Probing(ctx)
	p.sites.Clear()
	p.indexes.Clear()
	out := connectors.Probe{State: connectors.Ready, Fingerprint: p.up.Fingerprint(ctx), Anonymous: p.anonymous()}
	s, f := p.look(ctx)
	if f != nil {
		return p.refused(out, *f)
	}
	p.up.Close(ctx)
	if p.anonymous() {
		out.Notes = append(out.Notes, "asked without a credential: what the wiki keeps from visitors is out of reach")
	} else {
		out.Identity = s.user
	}
	if !s.cirrus {
		out.Notes = append(out.Notes, "the search of the wiki "+s.name+" finds whole words only (CirrusSearch is not installed)")
	}
	if _, f := p.scope(ctx, s, p.space); f != nil {
		bad := f.Within(p.source, "", "")
		out.State, out.Failure = connectors.Degraded, &bad
		out.Notes = append(out.Notes, "default_project names no namespace or category of the wiki")
	}
	out.GrantAll(p.source, Provider.Capabilities, connectors.Granted, nil)
	return out
}

// refused is the manifest of a source that could not be looked at.
func (p prober) refused(out connectors.Probe, f status.Failure) connectors.Probe {
	out.GrantAll(p.source, Provider.Capabilities, out.Refuse(p.source, f), &f)
	return out
}
