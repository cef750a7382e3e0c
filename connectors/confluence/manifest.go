package confluence

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// prober proves live what the source can do.
type prober struct{ *client }

// Probe asks who the answers are for, and for the default space if there is one.
func (p prober) Probe(ctx context.Context) connectors.Probe {
	ctx = upstream.Probing(ctx)
	p.sites.Clear()
	p.spaces.Clear()
	out := connectors.Probe{State: connectors.Ready, Fingerprint: p.up.Fingerprint(ctx), Anonymous: p.anonymous()}
	s, f := p.look(ctx)
	if f != nil {
		return p.refused(out, *f)
	}
	p.up.Close(ctx)
	if p.anonymous() {
		out.Notes = append(out.Notes, "asked without a credential: what the Confluence keeps from visitors is out of reach")
	} else {
		out.Identity = s.user
	}
	if s.cloud {
		out.Notes = append(out.Notes, "Confluence Cloud: its search never shows archived pages")
	} else {
		out.Notes = append(out.Notes, "Confluence Data Center")
	}
	out.Notes = append(out.Notes, "pages that are restricted to others leave no trace in listings and searches")
	state := connectors.Granted
	if p.gateway() { // each request needs a scope of its own, and none lists those that there are
		state = connectors.UnknownGrant
	}
	out.GrantAll(p.source, Provider.Capabilities, state, nil)
	if p.space != "" && p.space != connectors.Everywhere {
		if _, f := p.visible(ctx, s, p.space); f != nil {
			bad := f.With(status.Container.Is(p.space)).Within(p.source, "", "")
			out.State, out.Failure = connectors.Degraded, &bad
			out.Notes = append(out.Notes, "default_project is no space that this account sees")
		}
	}
	return out
}

// refused is the manifest of a source that could not be looked at.
func (p prober) refused(out connectors.Probe, f status.Failure) connectors.Probe {
	out.GrantAll(p.source, Provider.Capabilities, out.Refuse(p.source, f), &f)
	return out
}
