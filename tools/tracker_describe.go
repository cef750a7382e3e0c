package tools

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type trackerDescribeArgs struct {
	Source  string `arg:"source" max:"64"`
	Project string `arg:"project" word:"%" doc:"default: the source's own; * for all visible" max:"256"`
}

var trackerDescribeSpec = Spec{
	Name: "tracker_describe", Title: "Describe a tracker", Operation: "tracker.describe", Kind: connectors.KindTracker, Needs: connectors.ProjectRead,
	One: "project", Many: "projects",
	Description: "What a tracker can be asked: its projects, states, types, labels, people, fields and filters.",
}

var trackerDescribe = tool[trackerDescribeArgs]{trackerDescribeSpec, describeTracker}

func describeTracker(ctx context.Context, d *Deps, a trackerDescribeArgs) status.Envelope {
	q := set{spec: trackerDescribeSpec, args: a, source: a.Source, container: a.Project, limit: 100}
	return askSet(ctx, d, q, func(ctx context.Context, s connectors.Source, _ connectors.Paging) status.Result[connectors.Project] {
		return s.Tracker.Describe(ctx, connectors.DescribeQuery{Project: given(s, a.Project)})
	})
}
