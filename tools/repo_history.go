package tools

import (
	"context"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type repoHistoryArgs struct {
	Repo     string    `arg:"repo" word:"of %" doc:"owner/name; default: the source's own" max:"256"`
	Path     string    `arg:"path" word:"in %" max:"1024"`
	Revision string    `arg:"revision" word:"at %" doc:"default: the default branch or HEAD" max:"256"`
	Author   string    `arg:"author" word:"by %" max:"256"`
	Since    time.Time `arg:"since" word:"since %"`
	Until    time.Time `arg:"until" word:"until %"`
	Text     string    `arg:"text" word:"mentioning “%”" doc:"literal text in the message" max:"10000"`
	Source   string    `arg:"source" max:"64"`
	Limit    int       `arg:"limit" min:"1" max:"100" default:"20"`
	Cursor   string    `arg:"cursor" max:"12000"`
}

var repoHistorySpec = Spec{
	Name: "repo_history", Title: "List commits", Operation: "repo.history", Kind: connectors.KindRepo, Needs: connectors.HistoryRead,
	One: "commit", Many: "commits",
	Description: "List commits, newest first, by path, author, time and text of the message.",
}

var repoHistory = tool[repoHistoryArgs]{repoHistorySpec, listHistory}

func listHistory(ctx context.Context, d *Deps, a repoHistoryArgs) status.Envelope {
	q := set{
		spec: repoHistorySpec, args: a, source: a.Source, container: a.Repo, limit: a.Limit, cursor: a.Cursor,
	}
	return askSet(ctx, d, q, func(ctx context.Context, s connectors.Source, p connectors.Paging) status.Result[connectors.Commit] {
		return s.Repo.History(ctx, connectors.HistoryQuery{
			Repo: given(s, a.Repo), Path: a.Path, Revision: a.Revision, Author: a.Author, Since: a.Since, Until: a.Until, Text: a.Text, Paging: p,
		})
	})
}
