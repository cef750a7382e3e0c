package redmine

import (
	"context"
	"net/url"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// prober proves live what the source can do.
type prober struct{ *client }

// needs names the module of a project behind each capability.
var needs = []struct {
	capability connectors.Capability
	module     string
}{
	{connectors.IssueRead, moduleTracker}, {connectors.IssueWrite, moduleTracker}, {connectors.ProjectRead, moduleTracker},
	{connectors.PageSearch, moduleWiki}, {connectors.PageRead, moduleWiki},
}

// Probe asks who the account is, whether the default project is visible and with
// which modules, and whether its roles let the account look into these.
func (p prober) Probe(ctx context.Context) connectors.Probe {
	ctx = upstream.Probing(ctx)
	p.people.Clear()
	p.projects.Clear()
	p.homes.Clear()
	p.statuses.Clear()
	out := connectors.Probe{State: connectors.Ready, Fingerprint: p.up.Fingerprint(ctx), Anonymous: p.anonymous()}
	id, f := p.proved(ctx)
	if f == nil && p.anonymous() {
		out.Notes = append(out.Notes, "asked without a credential: only public projects are in reach")
		_, _, f = one[wireProjects](ctx, p.client, get("/projects.json", "projects").with(part(nil, 0, 1)))
	}
	if f != nil {
		return p.refused(out, *f)
	}
	p.up.Close(ctx)
	out.Identity = id.login
	if p.project == "" {
		out.Notes = append(out.Notes, "what the account may do differs by project; set default_project to have it proved")
		return p.all(out, connectors.UnknownGrant, nil)
	}
	return p.withProject(ctx, out)
}

// refused is the manifest of a source whose identity could not be proved.
func (p prober) refused(out connectors.Probe, f status.Failure) connectors.Probe {
	return p.all(out, out.Refuse(p.source, f), &f)
}

// all gives every capability one state.
func (p prober) all(out connectors.Probe, state connectors.GrantState, f *status.Failure) connectors.Probe {
	for _, n := range needs {
		out.Capabilities = append(out.Capabilities, connectors.NewGrant(p.source, n.capability, state, f))
	}
	return out
}

// withProject goes by the modules of the default project, and by a look into each:
// a project can be visible to an account whose roles show neither its issues nor its
// wiki. Writing stays unknown: only an attempt shows what the roles allow.
func (p prober) withProject(ctx context.Context, out connectors.Probe) connectors.Probe {
	k, _, f := p.visible(ctx, p.project)
	if f != nil {
		lost := f.Within(p.source, "", "")
		out.State, out.Failure = connectors.Degraded, &lost
		return p.all(out, connectors.UnknownGrant, nil)
	}
	seen := map[string]*status.Failure{}
	for _, module := range []string{moduleTracker, moduleWiki} {
		if !k.lacks(module) {
			seen[module] = p.into(ctx, k, module)
		}
	}
	for _, n := range needs {
		g := connectors.Grant{Capability: n.capability, State: connectors.Granted}
		off := p.switchedOff(k, n.module).Within(p.source, "", string(n.capability))
		closed := p.closedProject(k).Within(p.source, "", string(n.capability))
		switch {
		case k.lacks(n.module):
			g.State, g.Failure, g.Container = connectors.Unsupported, &off, k.identifier
			out.State = connectors.Degraded
		case n.capability != connectors.ProjectRead && seen[n.module] != nil && seen[n.module].Code() == status.AccessDenied:
			shut := seen[n.module].Within(p.source, "", string(n.capability))
			g.State, g.Failure, g.Container = connectors.NotGranted, &shut, k.identifier
			out.State = connectors.Degraded
		case n.capability == connectors.IssueWrite && k.status == projectClosed:
			g.State, g.Failure, g.Container = connectors.Unsupported, &closed, k.identifier
		case n.capability == connectors.IssueWrite, k.modules == nil, n.capability != connectors.ProjectRead && seen[n.module] != nil:
			g.State = connectors.UnknownGrant
		}
		out.Capabilities = append(out.Capabilities, g)
	}
	return out
}

// into looks into a module of a visible project; nil if the account may.
func (p prober) into(ctx context.Context, k container, module string) *status.Failure {
	if module == moduleWiki {
		d := documents(p)
		_, x, f := d.index(ctx, k)
		if d.isAbsent(x, f) { // a wiki that nobody has begun
			return nil
		}
		return f
	}
	at := plan{tracker: tracker(p), home: k}
	_, _, f := one[wireIssues](ctx, p.client, at.listing().with(part(url.Values{"status_id": {"*"}}, 0, 1)))
	if f == nil {
		return nil
	}
	named := at.named(*f)
	return &named
}

// closedProject is the failure of a project that can only be read.
func (c *client) closedProject(k container) status.Failure {
	return status.Fail(status.FeatureDisabled, status.By(c.source), status.WasCalled, status.Feature.Is("every change"), status.Container.Is(k.identifier),
		status.Remedy.Is("The project is closed: let a manager of "+k.identifier+" reopen it, or write elsewhere."))
}
