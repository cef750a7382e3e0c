package tools

import (
	"context"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

type resolveReferenceArgs struct {
	Reference string `arg:"reference" need:"true" doc:"link, id, path or name" max:"2000"`
}

var resolveReferenceSpec = Spec{
	Name: "resolve_reference", Title: "Resolve a reference", Operation: "reference.resolve", One: "reference", Many: "references",
	Description: "Find out what a link, id, path or name means: in which source it is and which tool reads it.",
}

var resolveReference = tool[resolveReferenceArgs]{resolveReferenceSpec, resolve}

// Resolution is what a reference means, read once to be sure that it is there.
type Resolution struct {
	connectors.Origin
	Kind      string    `json:"kind"`
	Tool      string    `json:"tool"`
	Arguments Arguments `json:"arguments"`
}

// Arguments are those that make the tool read it.
type Arguments struct {
	Ref      string `json:"ref,omitempty"`
	Path     string `json:"path,omitempty"`
	Repo     string `json:"repo,omitempty"`
	Project  string `json:"project,omitempty"`
	Revision string `json:"revision,omitempty"`
	Source   string `json:"source,omitempty"`
}

// lookup is one way to read a reference: by a tool, in the sources of its kind.
type lookup struct {
	spec Spec
	ask  func(context.Context, connectors.Source, ref.Ref) status.Result[Resolution]
}

func resolve(ctx context.Context, d *Deps, a resolveReferenceArgs) status.Envelope {
	r, failure := parseRef("reference", a.Reference)
	if failure != nil {
		return resolveReferenceSpec.refuse(*failure)
	}
	var results []status.Result[Resolution]
	var no *status.Failure
	for _, kind := range []ref.Kind{r.Kind, r.Also} {
		for _, l := range lookups(kind, kind == r.Kind) {
			meant := r
			meant.Kind = kind
			sources, f := d.forRef(l.spec.Kind, "", meant)
			if f != nil {
				no = graver(no, f)
				continue
			}
			results = append(results, askNamed(ctx, d, target{l.spec, meant, sources}, l.ask)...)
		}
	}
	return resolved(r, results, no)
}

// graver keeps the first failure to select sources; a link's own is as good as any.
func graver(have, next *status.Failure) *status.Failure {
	if have == nil {
		return next
	}
	return have
}

// resolved is the one object that the reference means, the several it may mean,
// or what kept it from being found out.
func resolved(r ref.Ref, results []status.Result[Resolution], no *status.Failure) status.Envelope {
	q := resolveReferenceSpec.question("reference " + r.String())
	if len(results) == 0 {
		if no == nil {
			f := status.Fail(status.NoCandidates, status.NotCalled, status.Reference.Is(r.String()))
			no = &f
		}
		return status.Refuse(q, *no)
	}
	var hits []status.Result[Resolution]
	n := 0
	for _, x := range results {
		if k := len(x.Items()); k > 0 {
			hits, n = append(hits, x), n+k
		}
	}
	switch {
	case n == 1:
		return status.Single(hits[0]).Envelope(q)
	case n > 1:
		return status.Refuse(q, ambiguous(r, hits))
	default:
		merged := status.Merge(results...)
		return status.Unresolved(merged, status.Fail(status.NoCandidates, status.Reference.Is(r.String()))).Envelope(q)
	}
}

// lookups lists the ways to read a reference of that kind; first is false for
// the second meaning of the same text.
func lookups(k ref.Kind, first bool) []lookup {
	switch k {
	case ref.Issue:
		return []lookup{issueLookup}
	case ref.Change, ref.Commit, ref.Compare:
		return []lookup{changeLookup}
	case ref.File:
		return []lookup{fileLookup}
	case ref.Directory:
		return []lookup{directoryLookup}
	case ref.Repository:
		return []lookup{repositoryLookup}
	case ref.Page:
		return []lookup{pageLookup}
	case ref.Project:
		return []lookup{projectLookup}
	case ref.Unknown, ref.Discussion, ref.Release:
		if first {
			return []lookup{nameLookup, pageLookup}
		}
		return nil
	default:
		return nil
	}
}

var issueLookup = lookup{trackerGetIssueSpec, func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Tracker.Get(ctx, connectors.IssueGet{Ref: r}), func(i connectors.Issue) Resolution {
		return Resolution{i.Origin, "issue", trackerGetIssueSpec.Name, Arguments{Ref: i.Ref, Source: s.Name}}
	})
}}

var changeLookup = lookup{repoGetChangeSpec, func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Repo.GetChange(ctx, connectors.ChangeGet{Ref: r}), func(c connectors.Change) Resolution {
		return Resolution{c.Origin, c.Kind, repoGetChangeSpec.Name, Arguments{Ref: c.Ref, Source: s.Name}}
	})
}}

var fileLookup = lookup{repoReadFileSpec, func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	get := connectors.FileGet{Repo: r.Project, Path: r.Path, Revision: r.Revision, RevPath: r.RevPath, StartLine: 1, EndLine: 1}
	return status.Map(s.Repo.ReadFile(ctx, get), func(f connectors.File) Resolution {
		return Resolution{f.Origin, "file", repoReadFileSpec.Name, Arguments{Path: f.Path, Repo: f.Repo, Revision: f.Revision, Source: s.Name}}
	})
}}

var directoryLookup = lookup{repoListSpec, func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	found := s.Repo.List(ctx, connectors.RepoList{What: "files", Repo: r.Project, Path: r.Path, Revision: r.Revision, Paging: connectors.Paging{Limit: 1}})
	return status.Map(status.Single(found), func(e connectors.Entry) Resolution {
		o := e.Origin
		o.Ref, o.Title, o.URL = r.String(), r.Path, r.URL()
		return Resolution{o, "directory", repoListSpec.Name, Arguments{Path: r.Path, Repo: r.Project, Revision: r.Revision, Source: s.Name}}
	})
}}

var repositoryLookup = lookup{repoListSpec, func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	found := s.Repo.List(ctx, connectors.RepoList{What: "branches", Repo: r.Project, Paging: connectors.Paging{Limit: 1}})
	return status.Map(status.Single(found), func(e connectors.Entry) Resolution {
		o := e.Origin
		o.Ref, o.Title, o.URL = r.Project, r.Project, r.URL()
		return Resolution{o, "repository", repoListSpec.Name, Arguments{Repo: r.Project, Source: s.Name}}
	})
}}

var pageLookup = lookup{docsReadSpec, func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Docs.Read(ctx, connectors.PageGet{Ref: r, Section: r.Anchor}), func(p connectors.Page) Resolution {
		return Resolution{p.Origin, "document", docsReadSpec.Name, Arguments{Ref: p.Ref, Source: s.Name}}
	})
}}

var projectLookup = lookup{trackerDescribeSpec, func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Tracker.Describe(ctx, connectors.DescribeQuery{Project: r.Project}), projectResolution(s))
}}

// nameLookup reads a bare name: a project whose name contains it.
var nameLookup = lookup{trackerDescribeSpec, func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	name := strings.ToLower(r.Raw)
	all := s.Tracker.Describe(ctx, connectors.DescribeQuery{})
	return status.Map(status.Select(all, func(p connectors.Project) bool {
		return strings.Contains(strings.ToLower(p.Ref), name) || strings.Contains(strings.ToLower(p.Title), name)
	}), projectResolution(s))
}}

func projectResolution(s connectors.Source) func(connectors.Project) Resolution {
	return func(p connectors.Project) Resolution {
		return Resolution{p.Origin, "project", trackerDescribeSpec.Name, Arguments{Project: p.Ref, Source: s.Name}}
	}
}
