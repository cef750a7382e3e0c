package tools

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type docsSearchArgs struct {
	Query  string `arg:"query" word:"containing “%”" need:"true" doc:"literal text, any case" max:"10000"`
	Source string `arg:"source" doc:"default: all document sources" max:"64"`
	Space  string `arg:"space" word:"of %" doc:"space, repository or folder; default: the source's own" max:"256"`
	Limit  int    `arg:"limit" min:"1" max:"100" default:"20"`
	Cursor string `arg:"cursor" max:"12000"`
}

var docsSearchSpec = Spec{
	Name: "docs_search", Title: "Search documents", Operation: "docs.search", Kind: connectors.KindDocs, Needs: connectors.PageSearch,
	One: "document", Many: "documents",
	Description: "Find documents that contain a literal text.",
}

var docsSearch = tool[docsSearchArgs]{docsSearchSpec, searchDocs}

func searchDocs(ctx context.Context, d *Deps, a docsSearchArgs) status.Envelope {
	q := set{
		spec: docsSearchSpec, args: a, source: a.Source, container: a.Space, limit: a.Limit, cursor: a.Cursor,
	}
	return askSet(ctx, d, q, func(ctx context.Context, s connectors.Source, p connectors.Paging) status.Result[connectors.Page] {
		return s.Docs.Search(ctx, connectors.PageQuery{Text: a.Query, Space: given(s, a.Space), Paging: p})
	})
}
