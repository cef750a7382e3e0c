package tools

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type repoSearchCodeArgs struct {
	Query    string `arg:"query" word:"containing “%”" need:"true" doc:"literal text, any case" max:"10000"`
	Source   string `arg:"source" doc:"default: all repositories" max:"64"`
	Repo     string `arg:"repo" word:"of %" doc:"owner/name; default: the source's own" max:"256"`
	Path     string `arg:"path" word:"in %" doc:"path prefix or glob" max:"1024"`
	Revision string `arg:"revision" word:"at %" doc:"branch, tag or commit; local default: files as on disk" max:"256"`
	Limit    int    `arg:"limit" min:"1" max:"100" default:"20"`
	Cursor   string `arg:"cursor" max:"12000"`
}

var repoSearchCodeSpec = Spec{
	Name: "repo_search_code", Title: "Search code", Operation: "repo.search_code", Kind: connectors.KindRepo, Needs: connectors.CodeSearch,
	One: "file", Many: "files",
	Description: "Find the files and lines in which a literal text occurs.",
}

var repoSearchCode = tool[repoSearchCodeArgs]{repoSearchCodeSpec, searchCode}

func searchCode(ctx context.Context, d *Deps, a repoSearchCodeArgs) status.Envelope {
	q := set{
		spec: repoSearchCodeSpec, args: a, source: a.Source, container: a.Repo, limit: a.Limit, cursor: a.Cursor,
	}
	return askSet(ctx, d, q, func(ctx context.Context, s connectors.Source, p connectors.Paging) status.Result[connectors.CodeHit] {
		return s.Repo.SearchCode(ctx, connectors.CodeQuery{
			Text: a.Query, Repo: given(s, a.Repo), Path: a.Path, Revision: a.Revision, Paging: p,
		})
	})
}
