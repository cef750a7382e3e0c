package github

import (
	"context"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// prober proves live what the source can do.
type prober struct{ *client }

// needs names the permission of a fine-grained token behind each capability.
var needs = []struct {
	capability connectors.Capability
	permission string
}{
	{connectors.IssueRead, "issues"}, {connectors.IssueWrite, "issues"}, {connectors.ProjectRead, "issues"},
	{connectors.CodeSearch, "contents"}, {connectors.FileRead, "contents"}, {connectors.RefRead, "contents"},
	{connectors.ChangeRead, "pull_requests"}, {connectors.HistoryRead, "contents"},
	{connectors.PageSearch, "contents"}, {connectors.PageRead, "contents"},
}

// Probe asks who the account is, whether the default project is visible, and,
// where a private project is asked with a token that has permissions rather than
// scopes, one row for each permission.
func (p prober) Probe(ctx context.Context) connectors.Probe {
	ctx = upstream.Probing(ctx)
	p.people.Clear()
	p.repos.Clear()
	out := connectors.Probe{State: connectors.Ready, Fingerprint: p.up.Fingerprint(ctx), Anonymous: p.anonymous()}
	var id identity
	var f *status.Failure
	if p.anonymous() {
		out.Notes = append(out.Notes, "asked without a credential: private repositories and code search are out of reach, 60 requests an hour")
		f = p.reachable(ctx)
	} else {
		id, f = p.who(ctx)
	}
	if f != nil {
		return p.refused(out, *f)
	}
	p.up.Close(ctx)
	out.Identity, out.Scopes = id.login, id.scopes
	if p.project == "" {
		return p.withoutProject(out, id)
	}
	return p.withProject(ctx, out, id)
}

// reachable proves that GitHub answers at all.
func (p prober) reachable(ctx context.Context) *status.Failure {
	k := call{class: "GET /meta", path: []string{"meta"}}
	if r, ok := parseRepo(p.project); ok {
		k = repoCall(r, "")
		k.shows = "full_name"
	}
	_, f := p.get(ctx, k)
	if f != nil && f.Reason() == status.AbsentOrHidden {
		return nil // GitHub's own answer; what it means for the project is said there
	}
	return f
}

// refused is the manifest of a source whose identity could not be proved.
func (p prober) refused(out connectors.Probe, f status.Failure) connectors.Probe {
	state := out.Refuse(p.source, f)
	for _, n := range needs {
		out.Capabilities = append(out.Capabilities, p.grant(n.capability, state, &f))
	}
	return out
}

// withoutProject goes by the scopes of a classic token; other tokens carry
// permissions for each repository, which show only when one is asked.
func (p prober) withoutProject(out connectors.Probe, id identity) connectors.Probe {
	state := connectors.UnknownGrant
	switch {
	case p.anonymous():
		state = connectors.Granted
	case id.classic && covers(id.scopes, "repo"):
		state = connectors.Granted
	case id.classic:
		state = connectors.Granted
		out.Notes = append(out.Notes, "the token lacks the scope repo: only public repositories are visible")
	default:
		out.Notes = append(out.Notes, "what the token may read differs by repository; set default_project to have it proved")
	}
	for _, n := range needs {
		g := p.grant(n.capability, state, nil)
		if n.capability == connectors.IssueWrite && !p.anonymous() {
			g = p.writes(id, nil)
		}
		out.Capabilities = append(out.Capabilities, g)
	}
	return out
}

func (p prober) withProject(ctx context.Context, out connectors.Probe, id identity) connectors.Probe {
	r, ok := parseRepo(p.project)
	if !ok {
		return p.refused(out, status.Fail(status.Misconfigured, status.ConfigKey.Is("default_project")))
	}
	k, f := p.visible(ctx, r)
	if f != nil {
		return p.hidden(out, r, *f)
	}
	if k.moved {
		out.Notes = append(out.Notes, "default_project "+r.String()+" is now "+k.name.String())
	}
	proved := map[string]*status.Failure{}
	for _, n := range needs {
		f, known := proved[n.permission]
		if !known && k.private && !id.classic {
			f = p.try(ctx, k, n.permission)
			proved[n.permission] = f
		}
		g := p.grantIn(k, n.capability, f)
		if n.capability == connectors.IssueWrite && g.State == connectors.Granted {
			g = p.writes(id, &k)
		}
		if g.State == connectors.NotGranted && (f != nil || g.Capability == connectors.IssueWrite) || g.State == connectors.Unsupported {
			g.Container = k.name.String()
		}
		out.Capabilities = append(out.Capabilities, g)
	}
	// Whether something could be changed says nothing of what can be read.
	if slices.ContainsFunc(out.Capabilities, func(g connectors.Grant) bool {
		return g.State != connectors.Granted && g.Capability != connectors.IssueWrite
	}) {
		out.State = connectors.Degraded
	}
	return out
}

// hidden is the manifest of a source that works but does not see its default
// project: other repositories may well be visible.
func (p prober) hidden(out connectors.Probe, r repoName, f status.Failure) connectors.Probe {
	if f.Code() == status.SourceUnreliable || f.Reason() == status.Misconfigured {
		return p.refused(out, f)
	}
	f = f.Within(p.source, "", "")
	out.State, out.Failure = connectors.Degraded, &f
	out.Notes = append(out.Notes, "default_project "+r.String()+" is absent or hidden from the account")
	for _, n := range needs {
		out.Capabilities = append(out.Capabilities, p.grant(n.capability, connectors.UnknownGrant, nil))
	}
	return out
}

// try reads one row with the permission; nil if it was granted.
func (p prober) try(ctx context.Context, k container, permission string) *status.Failure {
	s := siblings[permission]
	x, f := p.get(ctx, s.firstRow(k.name))
	if f != nil && x != nil && saysWithoutCommits(x) {
		return nil
	}
	return f
}

func (p prober) grantIn(k container, capability connectors.Capability, f *status.Failure) connectors.Grant {
	tracks := capability == connectors.IssueRead || capability == connectors.ProjectRead || capability == connectors.IssueWrite
	switch {
	case tracks && k.trackerless():
		off := p.trackerOff(k)
		return p.grant(capability, connectors.Unsupported, &off)
	case f == nil:
		return p.grant(capability, connectors.Granted, nil)
	case f.Code() == status.AccessDenied:
		return p.grant(capability, connectors.NotGranted, f)
	default:
		return p.grant(capability, connectors.UnknownGrant, f)
	}
}

// writes tells whether issues can be changed. Only an attempt shows what a token
// with permissions may do; what is surely missing shows before: the scope of a
// classic token, an archived repository. k is the default project, or nil.
func (p prober) writes(id identity, k *container) connectors.Grant {
	public := k == nil || !k.private
	switch {
	case k != nil && k.archived:
		off := archived(k.name)
		return p.grant(connectors.IssueWrite, connectors.Unsupported, &off)
	case id.classic && !covers(id.scopes, "repo") && !(public && covers(id.scopes, "public_repo")):
		f := status.Fail(status.ScopeMissing, status.MissingScope.Is("repo or, for public repositories, public_repo"),
			status.GrantedScopes.Is(strings.Join(id.scopes, ", ")))
		return p.grant(connectors.IssueWrite, connectors.NotGranted, &f)
	case id.classic && k != nil && k.role != nil && k.role.triages():
		return p.grant(connectors.IssueWrite, connectors.Granted, nil)
	}
	return p.grant(connectors.IssueWrite, connectors.UnknownGrant, nil)
}

// grant names what a capability needs; searching code needs a credential. GH-30.
func (p prober) grant(capability connectors.Capability, state connectors.GrantState, f *status.Failure) connectors.Grant {
	if p.anonymous() && (capability == connectors.CodeSearch || capability == connectors.IssueWrite) {
		state = connectors.NotGranted
		refused := status.Fail(status.AuthContextRequired)
		f = &refused
	}
	return connectors.NewGrant(p.source, capability, state, f)
}
