package tools

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type docsListArgs struct {
	Space  string `arg:"space" word:"of %" doc:"space, repository or folder; default: the source's own" max:"256"`
	Parent string `arg:"parent" word:"below %" doc:"folder or parent page" max:"1024"`
	Source string `arg:"source" max:"64"`
	Limit  int    `arg:"limit" min:"1" max:"100" default:"20"`
	Cursor string `arg:"cursor" max:"12000"`
}

var docsListSpec = Spec{
	Name: "docs_list", Title: "List documents", Operation: "docs.list", Kind: connectors.KindDocs, Needs: connectors.PageRead,
	One: "document", Many: "documents",
	Description: "List the documents of a space or below a parent.",
}

var docsList = tool[docsListArgs]{docsListSpec, listDocs}

func listDocs(ctx context.Context, d *Deps, a docsListArgs) status.Envelope {
	q := set{
		spec: docsListSpec, args: a, source: a.Source, container: a.Space, limit: a.Limit, cursor: a.Cursor,
	}
	return askSet(ctx, d, q, func(ctx context.Context, s connectors.Source, p connectors.Paging) status.Result[connectors.Page] {
		return s.Docs.List(ctx, connectors.PageList{Space: given(s, a.Space), Parent: a.Parent, Paging: p})
	})
}
