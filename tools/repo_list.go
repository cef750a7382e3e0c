package tools

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type repoListArgs struct {
	What      string `arg:"what" enum:"files,repos,branches,tags" default:"files"`
	Repo      string `arg:"repo" word:"of %" doc:"owner/name, or an owner for repos; default: the source's own" max:"256"`
	Path      string `arg:"path" word:"in %" doc:"directory" max:"1024"`
	Revision  string `arg:"revision" word:"at %" max:"256"`
	Recursive bool   `arg:"recursive"`
	Source    string `arg:"source" max:"64"`
	Limit     int    `arg:"limit" min:"1" max:"100" default:"20"`
	Cursor    string `arg:"cursor" max:"12000"`
}

var repoListSpec = Spec{
	Name: "repo_list", Title: "List files, repositories, branches or tags", Operation: "repo.list", Kind: connectors.KindRepo, Needs: connectors.RefRead,
	One: "entry", Many: "entries",
	Description: "List files, repositories, branches or tags.",
}

var repoList = tool[repoListArgs]{repoListSpec, listRepo}

func listRepo(ctx context.Context, d *Deps, a repoListArgs) status.Envelope {
	spec := repoListSpec
	nouns := map[string][2]string{"files": {"entry", "entries"}, "repos": {"repository", "repositories"}, "branches": {"branch", "branches"}, "tags": {"tag", "tags"}}
	spec.One, spec.Many = nouns[a.What][0], nouns[a.What][1]
	container := a.Repo
	if a.What == "repos" && container == "" {
		container = connectors.Everywhere
	}
	q := set{
		spec: spec, args: a, source: a.Source, container: container, limit: a.Limit, cursor: a.Cursor,
	}
	return askSet(ctx, d, q, func(ctx context.Context, s connectors.Source, p connectors.Paging) status.Result[connectors.Entry] {
		return s.Repo.List(ctx, connectors.RepoList{
			What: a.What, Repo: given(s, a.Repo), Path: a.Path, Revision: a.Revision, Recursive: a.Recursive, Paging: p,
		})
	})
}
