package jira

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// prober proves live what the source can do.
type prober struct{ *client }

// needs are the capabilities in the order of the manifest.
var needs = []connectors.Capability{connectors.IssueRead, connectors.ProjectRead, connectors.IssueWrite}

// Probe asks which Jira it is, whose the credential is, and whether the default
// project is visible and what may be done there.
func (p prober) Probe(ctx context.Context) connectors.Probe {
	ctx = upstream.Probing(ctx)
	p.servers.Clear()
	p.people.Clear()
	p.projects.Clear()
	out := connectors.Probe{State: connectors.Ready, Fingerprint: p.up.Fingerprint(ctx), Anonymous: p.anonymous()}
	s, f := p.which(ctx)
	var id account
	if f == nil && !p.anonymous() {
		id, f = p.who(ctx)
	}
	if f != nil {
		return p.refused(out, *f)
	}
	p.up.Close(ctx)
	out.Identity = new(scrub).line(id.name)
	out.Notes = append(out.Notes, map[bool]string{true: "Jira Cloud", false: "Jira Data Center: texts are kept in its own markup"}[s.cloud])
	if p.anonymous() {
		out.Notes = append(out.Notes, "asked without a credential: only what is public is visible")
	}
	switch {
	case p.project == "":
		out.GrantAll(p.source, needs, connectors.UnknownGrant, nil)
		return out
	case !isProject(p.project):
		return p.refused(out, status.Fail(status.Misconfigured, status.ConfigKey.Is("default_project")))
	}
	return p.withProject(ctx, out)
}

// refused is the manifest of a source whose identity could not be proved.
func (p prober) refused(out connectors.Probe, f status.Failure) connectors.Probe {
	out.GrantAll(p.source, needs, out.Refuse(p.source, f), &f)
	return out
}

// withProject asks what the account may do in the default project; other projects
// may grant more or less.
func (p prober) withProject(ctx context.Context, out connectors.Probe) connectors.Probe {
	k, f := p.visible(ctx, p.project)
	if f != nil && f.Code() == status.SourceUnreliable {
		return p.refused(out, *f)
	}
	if f != nil {
		f := f.Within(p.source, "", "")
		out.State, out.Failure = connectors.Degraded, &f
		out.Notes = append(out.Notes, "default_project "+p.project+" is absent or hidden from the account")
		out.GrantAll(p.source, needs, connectors.UnknownGrant, nil)
		return out
	}
	if k.moved {
		out.Notes = append(out.Notes, "default_project "+p.project+" is now "+k.key)
	}
	for _, n := range needs {
		g := p.grantIn(ctx, k, n)
		if g.State != connectors.Granted && n != connectors.IssueWrite {
			out.State = connectors.Degraded
		}
		out.Capabilities = append(out.Capabilities, g)
	}
	return out
}

func (p prober) grantIn(ctx context.Context, k container, capability connectors.Capability) connectors.Grant {
	if capability != connectors.IssueWrite { // the project was read
		return connectors.NewGrant(p.source, capability, connectors.Granted, nil)
	}
	if k.archived {
		f := archived(k)
		g := connectors.NewGrant(p.source, capability, connectors.Unsupported, &f)
		g.Container = k.key
		return g
	}
	may, x, f := p.permitted(ctx, k.key, "CREATE_ISSUES", "EDIT_ISSUES", "ADD_COMMENTS")
	switch {
	case f != nil:
		return connectors.NewGrant(p.source, capability, connectors.UnknownGrant, nil)
	case may:
		return connectors.NewGrant(p.source, capability, connectors.Granted, nil)
	}
	g := connectors.NewGrant(p.source, capability, connectors.NotGranted, x.Fail(status.ScopeMissing, status.MissingScope.Is("the permission Create Issues, Edit Issues or Add Comments"), status.Container.Is(k.key)))
	g.Container = k.key
	return g
}

// archived is the failure of a project that can only be read.
func archived(k container) status.Failure {
	return status.Fail(status.FeatureDisabled, status.WasCalled, status.Feature.Is("every change"), status.Container.Is(k.key),
		status.Remedy.Is("The project is "+k.put()+": let an administrator of Jira restore "+k.key+", or write elsewhere."))
}
