package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

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
	// takes lists the arguments of the tool.
	takes func() []string
	// everywhere: all that a source has is looked at, not what lies in its default.
	everywhere bool
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
	if tool, args, ok := chosen(ctx); ok {
		return resolveChosen(ctx, d, r, tool, args)
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
			results = append(results, l.askAll(ctx, d, l.read(r, kind), sources)...)
		}
	}
	if r.URL() != "" {
		results = slices.DeleteFunc(results, refusedForm)
	}
	if named := d.nameLikeKey(ctx, r, results); len(results) > 0 || slices.ContainsFunc(named, found) {
		results = append(results, named...)
	}
	return d.resolved(r, results, no)
}

// refusedForm tells the answer of a source that has no such thing at an address of that
// form: what the link is given for is no argument of resolve_reference.
func refusedForm(x status.Result[Resolution]) bool {
	s, c := x.Verdict()
	return s == status.AccessFailure && c == status.InputMissing
}

// askAll asks the sources. Where one of them cannot tell which of its things is
// meant, each of these is read by the tool of the lookup.
func (l lookup) askAll(ctx context.Context, d *Deps, r ref.Ref, sources []connectors.Source) []status.Result[Resolution] {
	results := askNamed(ctx, d, target{l.spec, r, sources, l.everywhere}, l.ask)
	for i, x := range results {
		results[i] = status.Located(x)
	}
	hits := slices.DeleteFunc(slices.Clone(results), func(x status.Result[Resolution]) bool { return !found(x) })
	results = append(slices.DeleteFunc(results, found), once(d, hits)...)
	for i, x := range results {
		if len(status.Ties(x)) > 0 {
			results[i] = status.Propose(x, status.Caller{Tool: l.spec.Name, Named: l.spec.Named, Takes: l.takes()})
		}
	}
	return results
}

// resolveChosen answers with the candidate that a person chose: it is read again,
// by its own arguments and only where it was found.
func resolveChosen(ctx context.Context, d *Deps, r ref.Ref, tool string, args Arguments) status.Envelope {
	q := resolveReferenceSpec.question("reference " + r.String())
	meant, way, ok := args.meant(d, tool)
	if !ok {
		return status.Refuse(q, status.Fail(status.NoCandidates, status.NotCalled, status.Reference.Is(r.String())))
	}
	sources, f := d.forRef(way.spec.Kind, args.Source, meant)
	if f != nil {
		return status.Refuse(q, *f)
	}
	return d.resolved(meant, way.askAll(ctx, d, meant, sources), nil)
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
	hits, ties := distinct(r, results), status.Ties(results...)
	switch {
	case len(hits) == 1 && len(ties) == 0 && hits[0].fit < 1: // wiki is no name of nowiki
		c := hits[0].Candidate()
		c.Call = &status.NextCall{Tool: hits[0].Tool, Arguments: hits[0].Arguments.settings()}
		return status.Refuse(q, status.Fail(status.LowConfidence, status.WasCalled, status.Reference.Is(r.String()), status.Among(c)))
	case len(hits) == 1 && len(ties) == 0:
		only := hits[0].key()
		one := status.Single(status.Select(hits[0].of, func(x Resolution) bool { return x.key() == only }))
		return status.Named(status.Merge(append(unchecked(d, results), one)...)).Envelope(q)
	case len(hits)+len(ties) > 0:
		return status.Refuse(q, undecided(r, hits, ties))
	default:
		merged := status.Merge(results...)
		return status.Unresolved(merged, status.Fail(status.NoCandidates, status.Reference.Is(r.String()))).Envelope(q)
	}
}

// hit is something that a reference may mean.
type hit struct {
	Resolution
	of  status.Result[Resolution]
	fit float64 // 1 for what is called just that; see fit
}

// undecided lists what a reference may mean, what fits it best first. The margin is
// the difference in fit between the first two.
func undecided(r ref.Ref, hits []hit, ties []status.Candidate) status.Failure {
	var cs []status.Candidate
	margin := 0.0
	for _, h := range hits {
		c := h.Candidate()
		c.Call = &status.NextCall{Tool: h.Tool, Arguments: h.Arguments.settings()}
		cs = append(cs, c)
	}
	if len(hits) > 1 && len(ties) == 0 {
		margin = math.Round((hits[0].fit-hits[1].fit)*100) / 100
	}
	return tie(r, margin, append(cs, ties...))
}

// settings are the arguments as a call lists them.
func (a Arguments) settings() status.Settings {
	var out status.Settings
	raw, err := json.Marshal(a)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil { // texts and numbers always encode
		panic("tools: arguments: " + err.Error())
	}
	return out
}

// key stands for the object: a document is a file too.
func (x Resolution) key() string {
	if x.Kind == "file" || x.Kind == "document" {
		return x.Source + "\x00" + first(x.Arguments.Path, x.Arguments.Ref)
	}
	return x.Source + "\x00" + x.Kind + "\x00" + x.Ref
}

// distinct is what the results hold, each object once,
// what fits best first. Something that is called just as the reference says leaves
// out what only contains the name.
func distinct(r ref.Ref, results []status.Result[Resolution]) []hit {
	var hits []hit
	seen := map[string]bool{}
	for _, x := range results {
		for _, item := range x.Items() {
			if key := item.key(); !seen[key] {
				seen[key] = true
				hits = append(hits, hit{item, x, fit(r, item)})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.fit, a.fit) })
	if len(hits) > 0 && hits[0].fit == 1 {
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.fit < 1 })
	}
	return hits
}

// fit says how well something fits a reference, from 0 to 1. A project that a bare
// name found fits by the share of its name that was given; whatever else was read
// goes by just that reference.
func fit(r ref.Ref, item Resolution) float64 {
	if r.Kind != ref.Unknown || r.URL() != "" || item.Tool != trackerDescribeSpec.Name {
		return 1
	}
	name, best := strings.ToLower(strings.TrimSpace(r.Raw)), 0.0
	for _, called := range []string{item.Ref, path.Base(item.Ref), item.Title} {
		called = strings.ToLower(called)
		if strings.Contains(called, name) {
			best = max(best, float64(utf8.RuneCountInString(name))/float64(utf8.RuneCountInString(called)))
		}
	}
	return best
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

var issueLookup = lookup{takes: takes[trackerGetIssueArgs], spec: trackerGetIssueSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Tracker.Get(ctx, connectors.IssueGet{Ref: r}), func(i connectors.Issue) Resolution {
		return Resolution{i.Origin, "issue", trackerGetIssueSpec.Name, Arguments{Ref: i.Ref, Source: s.Name}}
	})
}}

var changeLookup = lookup{takes: takes[repoGetChangeArgs], spec: repoGetChangeSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Repo.GetChange(ctx, connectors.ChangeGet{Ref: r}), func(c connectors.Change) Resolution {
		return Resolution{c.Origin, c.Kind, repoGetChangeSpec.Name, Arguments{Ref: c.Ref, Source: s.Name}}
	})
}}

var fileLookup = lookup{takes: takes[repoReadFileArgs], spec: repoReadFileSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	get := connectors.FileGet{Repo: r.Project, Path: r.Path, Revision: r.Revision, RevPath: r.RevPath, StartLine: max(r.StartLine, 1), EndLine: max(r.StartLine, 1)}
	return status.Map(s.Repo.ReadFile(ctx, get), func(f connectors.File) Resolution {
		args := Arguments{Path: f.Path, Repo: f.Repo, Revision: f.Revision, Start: r.StartLine, End: r.EndLine, Source: s.Name}
		return Resolution{f.Origin, "file", repoReadFileSpec.Name, args}
	})
}}

var directoryLookup = lookup{takes: takes[repoListArgs], spec: repoListSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	found := s.Repo.List(ctx, connectors.RepoList{What: "files", Repo: r.Project, Path: r.Path, Revision: r.Revision, Paging: connectors.Paging{Limit: 1}})
	return status.Map(status.Single(found), func(e connectors.Entry) Resolution {
		o := e.Origin
		o.Ref, o.Title, o.URL = r.String(), r.Path, r.URL()
		return Resolution{o, "directory", repoListSpec.Name, Arguments{Path: r.Path, Repo: r.Project, Revision: r.Revision, Source: s.Name}}
	})
}}

var repositoryLookup = lookup{takes: takes[repoListArgs], spec: repoListSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	found := s.Repo.List(ctx, connectors.RepoList{What: "branches", Repo: r.Project, Paging: connectors.Paging{Limit: 1}})
	return status.Map(status.Single(found), func(e connectors.Entry) Resolution {
		o := e.Origin
		o.Ref, o.Title, o.URL = r.Project, r.Project, r.URL()
		return Resolution{o, "repository", repoListSpec.Name, Arguments{Repo: r.Project, Source: s.Name}}
	})
}}

var pageLookup = lookup{takes: takes[docsReadArgs], spec: docsReadSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Docs.Read(ctx, connectors.PageGet{Ref: r, Section: r.Anchor}), func(p connectors.Page) Resolution {
		return Resolution{p.Origin, "document", docsReadSpec.Name, Arguments{Ref: p.Ref, Section: first(p.Section, r.Anchor), Source: s.Name}}
	})
}}

// projectLookup reads a container: a project of a tracker, else a space of documents.
var projectLookup = lookup{takes: takes[trackerDescribeArgs], spec: trackerDescribeSpec, instead: &spaceLookup, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	return status.Map(s.Tracker.Describe(ctx, connectors.DescribeQuery{Project: r.Project}), projectResolution(s))
}}

var spaceLookup = lookup{takes: takes[docsListArgs], spec: docsListSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	found := s.Docs.List(ctx, connectors.PageList{Space: r.Project, Paging: connectors.Paging{Limit: 1}})
	return status.Map(status.Single(found), func(p connectors.Page) Resolution {
		o := p.Origin
		o.Ref, o.Title, o.URL = r.Project, r.Project, r.URL()
		return Resolution{o, "space", docsListSpec.Name, Arguments{Space: r.Project, Source: s.Name}}
	})
}}

// ownerLookup reads who owns repositories.
var ownerLookup = lookup{takes: takes[repoListArgs], spec: repoListSpec, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	found := s.Repo.List(ctx, connectors.RepoList{What: "repos", Repo: r.Project, Paging: connectors.Paging{Limit: 1}})
	return status.Map(status.Single(found), func(e connectors.Entry) Resolution {
		o := e.Origin
		o.Ref, o.Title, o.URL = r.Project, r.Project, r.URL()
		return Resolution{o, "owner", repoListSpec.Name, Arguments{What: "repos", Repo: r.Project, Source: s.Name}}
	})
}}

// fileOrPageLookup is for texts with the form of a file's name.
var fileOrPageLookup = lookup{takes: fileLookup.takes, spec: fileLookup.spec, ask: fileLookup.ask, instead: &pageLookup}

// releaseLookup reads the commit that a release was made of.
var releaseLookup = lookup{takes: changeLookup.takes, spec: changeLookup.spec, ask: changeLookup.ask, named: func(r ref.Ref) ref.Ref {
	r.Kind = ref.Commit
	return r
}}

func projectResolution(s connectors.Source) func(connectors.Project) Resolution {
	return func(p connectors.Project) Resolution {
		return Resolution{p.Origin, "project", trackerDescribeSpec.Name, Arguments{Project: p.Ref, Source: s.Name}}
	}
}
