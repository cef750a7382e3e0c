package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

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

// nameLikeKey reads what looks like the key of an issue, such as release-2, as the name
// that it may be as well, if no issue has that key.
func (d *Deps) nameLikeKey(ctx context.Context, r ref.Ref, results []status.Result[Resolution]) []status.Result[Resolution] {
	lower := r.Kind == ref.Issue && r.Number == 0 && r.Project == "" && r.Provider == ""
	if !lower || r.URL() != "" || r.Source != "" || slices.ContainsFunc(results, found) || len(status.Ties(results...)) > 0 {
		return nil
	}
	r = ref.Ref{Raw: r.Raw}
	var named []status.Result[Resolution]
	for _, l := range namedLookups(r, ref.Unknown) {
		if sources, f := d.forRef(l.spec.Kind, "", l.read(r, ref.Unknown)); f == nil {
			named = append(named, l.askAll(ctx, d, l.read(r, ref.Unknown), sources)...)
		}
	}
	return named
}

// nameLookup reads a bare name: a project whose name contains it, among all that the
// source lists, whichever is its default.
var nameLookup = lookup{takes: takes[trackerDescribeArgs], spec: trackerDescribeSpec, everywhere: true, ask: func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[Resolution] {
	name := strings.ToLower(r.Raw)
	among := func(project string) status.Result[Resolution] {
		all := s.Tracker.Describe(ctx, connectors.DescribeQuery{Project: project})
		return status.Map(status.Select(all, func(p connectors.Project) bool {
			return strings.Contains(strings.ToLower(p.Ref), name) || strings.Contains(strings.ToLower(p.Title), name)
		}), projectResolution(s))
	}
	if s.DefaultProject == "" || s.Near {
		return among("")
	}
	listed := among(connectors.Everywhere)
	unlistable := refusedForm(listed) // to a caller without an account
	if found(listed) || !unlistable && !strings.Contains(strings.ToLower(s.DefaultProject), name) {
		return listed
	}
	if own := among(""); unlistable || found(own) { // a public one is in no list of the account
		return own
	}
	return listed
}}

// A bare name may be a branch, tag or hash; a file; or a directory.
var (
	revisionLookup = lookup{takes: changeLookup.takes, spec: changeLookup.spec, ask: changeLookup.ask, named: func(r ref.Ref) ref.Ref {
		return ref.Ref{Kind: ref.Commit, Raw: r.Raw, Revision: r.Raw, ID: r.Raw}
	}}
	pathLookup = lookup{takes: fileLookup.takes, spec: fileLookup.spec, ask: fileLookup.ask, named: func(r ref.Ref) ref.Ref {
		return ref.Ref{Kind: ref.File, Raw: r.Raw, Path: r.Raw}
	}}
	folderLookup = lookup{takes: directoryLookup.takes, spec: directoryLookup.spec, ask: directoryLookup.ask, named: func(r ref.Ref) ref.Ref {
		return ref.Ref{Kind: ref.Directory, Raw: r.Raw, Path: r.Raw}
	}}
)
