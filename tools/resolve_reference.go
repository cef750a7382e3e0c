package tools

import (
	"context"
	"slices"
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
	What     string `json:"what,omitempty"`
	Path     string `json:"path,omitempty"`
	Repo     string `json:"repo,omitempty"`
	Project  string `json:"project,omitempty"`
	Space    string `json:"space,omitempty"`
	Revision string `json:"revision,omitempty"`
	Section  string `json:"section,omitempty"`
	Start    int    `json:"start_line,omitempty"`
	End      int    `json:"end_line,omitempty"`
	Source   string `json:"source,omitempty"`
}

// lookup is one way to read a reference: by a tool, in the sources of its kind.
type lookup struct {
	spec Spec
	ask  func(context.Context, connectors.Source, ref.Ref) status.Result[Resolution]
	// named reads a bare name as what the tool wants; nil: the reference as it is.
	named func(ref.Ref) ref.Ref
	// instead is asked where no source of the tool's kind can be; nil: nothing.
	instead *lookup
}

func (l lookup) read(r ref.Ref, kind ref.Kind) ref.Ref {
	r.Kind = kind
	if l.named != nil {
		return l.named(r)
	}
	return r
}

func resolve(ctx context.Context, d *Deps, a resolveReferenceArgs) status.Envelope {
	r, failure := d.parseRef("reference", a.Reference)
	if failure != nil {
		return resolveReferenceSpec.refuse(*failure)
	}
	var results []status.Result[Resolution]
	var no *status.Failure
	for _, kind := range slices.Compact([]ref.Kind{r.Kind, r.Also}) {
		for _, l := range lookups(r, kind) {
			sources, f := d.forRef(l.spec.Kind, "", l.read(r, kind))
			if f != nil && l.instead != nil {
				l = *l.instead
				sources, f = d.forRef(l.spec.Kind, "", l.read(r, kind))
			}
			switch {
			case f != nil && kind == ref.Unknown && d.covers(r): // a view, a dashboard: it names no object
				continue
			case f != nil:
				no = graver(no, f)
				continue
			}
			results = append(results, askNamed(ctx, d, target{l.spec, l.read(r, kind), sources}, l.ask)...)
		}
	}
	if r.URL() != "" {
		results = slices.DeleteFunc(results, refusedForm)
	}
	return d.resolved(r, results, no)
}

// refusedForm tells the answer of a source that has no such thing at an address of that
// form: what the link is given for is no argument of resolve_reference.
func refusedForm(x status.Result[Resolution]) bool {
	s, c := x.Verdict()
	return s == status.AccessFailure && c == status.InputMissing
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
func (d *Deps) resolved(r ref.Ref, results []status.Result[Resolution], no *status.Failure) status.Envelope {
	q := resolveReferenceSpec.question("reference " + r.String())
	if len(results) == 0 {
		if no == nil {
			f := status.Fail(status.NoCandidates, status.NotCalled, status.Reference.Is(r.String()))
			if r.URL() != "" {
				f = f.With(status.Remedy.Is("The link leads to a view, such as a list or a dashboard; give that of an issue, change, file, page or project."))
			}
			no = &f
		}
		return status.Refuse(q, *no)
	}
	hits, n := distinct(results)
	switch {
	case n == 1:
		return status.Named(status.Merge(append(d.unchecked(results), status.Single(hits[0]))...)).Envelope(q)
	case n > 1:
		return status.Refuse(q, ambiguous(r, hits))
	default:
		merged := status.Merge(results...)
		return status.Unresolved(merged, status.Fail(status.NoCandidates, status.Reference.Is(r.String()))).Envelope(q)
	}
}

// unchecked keeps the answers of sources in which the thing may be as well, but which
// could not be asked: what was found is then not proved to be all that is meant. What
// lies outside the allow-list of a source is not looked for there by intention.
func (d *Deps) unchecked(results []status.Result[Resolution]) []status.Result[Resolution] {
	return slices.DeleteFunc(slices.Clone(results), func(x status.Result[Resolution]) bool {
		if s, _ := x.Verdict(); s != status.AccessFailure {
			return true
		}
		return !slices.ContainsFunc(x.Rows(), func(row status.Row) bool {
			return slices.ContainsFunc(row.Failures, func(f status.Failure) bool {
				switch f.Code() {
				case status.AccessDenied:
					return f.Text("rule") != "only"
				case status.SourceUnreliable:
					return true
				default:
					return slices.ContainsFunc(d.Sources, func(s connectors.Source) bool { return s.Name == row.Source && s.Broken != nil })
				}
			})
		})
	})
}

// distinct keeps the results that hold something, each object once: a document is
// a file too.
func distinct(results []status.Result[Resolution]) (hits []status.Result[Resolution], n int) {
	seen := map[string]bool{}
	for _, x := range results {
		fresh := 0
		for _, item := range x.Items() {
			key := item.Source + "\x00" + item.Kind + "\x00" + item.Ref
			if item.Kind == "file" || item.Kind == "document" {
				key = item.Source + "\x00" + first(item.Arguments.Path, item.Arguments.Ref)
			}
			if !seen[key] {
				seen[key] = true
				fresh++
			}
		}
		if fresh > 0 {
			hits, n = append(hits, x), n+fresh
		}
	}
	return hits, n
}

// lookups lists the ways to read the reference as one of that kind.
func lookups(r ref.Ref, k ref.Kind) []lookup {
	switch k {
	case ref.Issue:
		return []lookup{issueLookup}
	case ref.Change, ref.Commit, ref.Compare:
		return []lookup{changeLookup}
	case ref.File:
		if r.Anchor != "" {
			return []lookup{pageLookup}
		}
		if r.URL() == "" { // without a repository it may still be the title of a page
			return []lookup{fileOrPageLookup}
		}
		return []lookup{fileLookup}
	case ref.Directory:
		return []lookup{directoryLookup}
	case ref.Repository:
		if r.URL() == "" { // owner/name is also how a branch of a remote is written
			return []lookup{repositoryLookup, revisionLookup}
		}
		return []lookup{repositoryLookup}
	case ref.Page:
		return []lookup{pageLookup}
	case ref.Project:
		return []lookup{projectLookup, ownerLookup}
	case ref.Release:
		return []lookup{releaseLookup}
	case ref.Unknown, ref.Discussion:
		return namedLookups(r, k)
	default:
		return nil
	}
}

// namedLookups reads a bare name as everything that can have one. The second
// meaning of a text that has a first is no name.
func namedLookups(r ref.Ref, k ref.Kind) []lookup {
	switch {
	case k != r.Kind:
		return nil
	case r.URL() != "": // only documents have addresses of any form
		return []lookup{pageLookup}
	case strings.ContainsAny(r.Raw, " \t"): // a title
		return []lookup{nameLookup, pageLookup}
	default:
		return []lookup{nameLookup, pageLookup, revisionLookup, pathLookup, folderLookup}
	}
}

var issueLookup = lookup{spec: trackerGetIssueSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Tracker.Get(ctx, connectors.IssueGet{Ref: r}), func(i connectors.Issue) Resolution {
		return Resolution{i.Origin, "issue", trackerGetIssueSpec.Name, Arguments{Ref: i.Ref, Source: s.Name}}
	})
}}

var changeLookup = lookup{spec: repoGetChangeSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Repo.GetChange(ctx, connectors.ChangeGet{Ref: r}), func(c connectors.Change) Resolution {
		return Resolution{c.Origin, c.Kind, repoGetChangeSpec.Name, Arguments{Ref: c.Ref, Source: s.Name}}
	})
}}

var fileLookup = lookup{spec: repoReadFileSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	get := connectors.FileGet{Repo: r.Project, Path: r.Path, Revision: r.Revision, RevPath: r.RevPath, StartLine: max(r.StartLine, 1), EndLine: max(r.StartLine, 1)}
	return status.Map(s.Repo.ReadFile(ctx, get), func(f connectors.File) Resolution {
		args := Arguments{Path: f.Path, Repo: f.Repo, Revision: f.Revision, Start: r.StartLine, End: r.EndLine, Source: s.Name}
		return Resolution{f.Origin, "file", repoReadFileSpec.Name, args}
	})
}}

var directoryLookup = lookup{spec: repoListSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	found := s.Repo.List(ctx, connectors.RepoList{What: "files", Repo: r.Project, Path: r.Path, Revision: r.Revision, Paging: connectors.Paging{Limit: 1}})
	return status.Map(status.Single(found), func(e connectors.Entry) Resolution {
		o := e.Origin
		o.Ref, o.Title, o.URL = r.String(), r.Path, r.URL()
		return Resolution{o, "directory", repoListSpec.Name, Arguments{Path: r.Path, Repo: r.Project, Revision: r.Revision, Source: s.Name}}
	})
}}

var repositoryLookup = lookup{spec: repoListSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	found := s.Repo.List(ctx, connectors.RepoList{What: "branches", Repo: r.Project, Paging: connectors.Paging{Limit: 1}})
	return status.Map(status.Single(found), func(e connectors.Entry) Resolution {
		o := e.Origin
		o.Ref, o.Title, o.URL = r.Project, r.Project, r.URL()
		return Resolution{o, "repository", repoListSpec.Name, Arguments{Repo: r.Project, Source: s.Name}}
	})
}}

var pageLookup = lookup{spec: docsReadSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Docs.Read(ctx, connectors.PageGet{Ref: r, Section: r.Anchor}), func(p connectors.Page) Resolution {
		return Resolution{p.Origin, "document", docsReadSpec.Name, Arguments{Ref: p.Ref, Section: first(p.Section, r.Anchor), Source: s.Name}}
	})
}}

// projectLookup reads a container: a project of a tracker, else a space of documents.
var projectLookup = lookup{spec: trackerDescribeSpec, instead: &spaceLookup, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Tracker.Describe(ctx, connectors.DescribeQuery{Project: r.Project}), projectResolution(s))
}}

var spaceLookup = lookup{spec: docsListSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	found := s.Docs.List(ctx, connectors.PageList{Space: r.Project, Paging: connectors.Paging{Limit: 1}})
	return status.Map(status.Single(found), func(p connectors.Page) Resolution {
		o := p.Origin
		o.Ref, o.Title, o.URL = r.Project, r.Project, r.URL()
		return Resolution{o, "space", docsListSpec.Name, Arguments{Space: r.Project, Source: s.Name}}
	})
}}

// ownerLookup reads who owns repositories.
var ownerLookup = lookup{spec: repoListSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	found := s.Repo.List(ctx, connectors.RepoList{What: "repos", Repo: r.Project, Paging: connectors.Paging{Limit: 1}})
	return status.Map(status.Single(found), func(e connectors.Entry) Resolution {
		o := e.Origin
		o.Ref, o.Title, o.URL = r.Project, r.Project, r.URL()
		return Resolution{o, "owner", repoListSpec.Name, Arguments{What: "repos", Repo: r.Project, Source: s.Name}}
	})
}}

// fileOrPageLookup is for texts with the form of a file's name.
var fileOrPageLookup = lookup{spec: fileLookup.spec, ask: fileLookup.ask, instead: &pageLookup}

// releaseLookup reads the commit that a release was made of.
var releaseLookup = lookup{spec: changeLookup.spec, ask: changeLookup.ask, named: func(r ref.Ref) ref.Ref {
	r.Kind = ref.Commit
	return r
}}

// nameLookup reads a bare name: a project whose name contains it.
var nameLookup = lookup{spec: trackerDescribeSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
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

// A bare name may be a branch, tag or hash; a file; or a directory.
var (
	revisionLookup = lookup{spec: changeLookup.spec, ask: changeLookup.ask, named: func(r ref.Ref) ref.Ref {
		return ref.Ref{Kind: ref.Commit, Raw: r.Raw, Revision: r.Raw, ID: r.Raw}
	}}
	pathLookup = lookup{spec: fileLookup.spec, ask: fileLookup.ask, named: func(r ref.Ref) ref.Ref {
		return ref.Ref{Kind: ref.File, Raw: r.Raw, Path: r.Raw}
	}}
	folderLookup = lookup{spec: directoryLookup.spec, ask: directoryLookup.ask, named: func(r ref.Ref) ref.Ref {
		return ref.Ref{Kind: ref.Directory, Raw: r.Raw, Path: r.Raw}
	}}
)
