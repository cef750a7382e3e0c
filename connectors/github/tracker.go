package github

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// searchCap is how many results GitHub's search hands out at most. GH-23.
const searchCap = 1000

// tracker answers questions about issues.
type tracker struct{ *client }

func (t tracker) Search(ctx context.Context, q connectors.IssueQuery) status.Result[connectors.Issue] {
	return status.Failed[connectors.Issue](t.source, status.Fail(status.UncaughtServerError))
}

func (t tracker) Get(ctx context.Context, q connectors.IssueGet) status.Result[connectors.Issue] {
	return status.Failed[connectors.Issue](t.source, status.Fail(status.UncaughtServerError))
}

func (t tracker) Describe(ctx context.Context, q connectors.DescribeQuery) status.Result[connectors.Project] {
	return status.Failed[connectors.Project](t.source, status.Fail(status.UncaughtServerError))
}
