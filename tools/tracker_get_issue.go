package tools

import (
	"context"
	"slices"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

type trackerGetIssueArgs struct {
	Ref     string   `arg:"ref" need:"true" doc:"owner/repo#12, PAY-12, #12 in the default project, or a web link" max:"2000"`
	Source  string   `arg:"source" max:"64"`
	Include []string `arg:"include" enum:"comments,links,history"`
	Cursor  string   `arg:"cursor" doc:"goes on in the comments" max:"12000"`
}

var trackerGetIssueSpec = Spec{
	Name: "tracker_get_issue", Title: "Read an issue", Operation: "tracker.get", Kind: connectors.KindTracker, Needs: connectors.IssueRead,
	One: "issue", Many: "issues", Named: "ref",
	Description: "Read one issue, with comments, links and history if included.",
}

var trackerGetIssue = tool[trackerGetIssueArgs]{trackerGetIssueSpec, getIssue}

func getIssue(ctx context.Context, d *Deps, a trackerGetIssueArgs) status.Envelope {
	r, failure := d.parseRef("ref", a.Ref)
	if failure != nil {
		return trackerGetIssueSpec.refuse(*failure)
	}
	q := one{spec: trackerGetIssueSpec, args: a, source: a.Source, ref: as(r, ref.Issue), cursor: a.Cursor, rest: r.String()}
	return askOne(ctx, d, q, func(ctx context.Context, s connectors.Source, r ref.Ref, cursor string) status.Result[connectors.Issue] {
		return s.Tracker.Get(ctx, connectors.IssueGet{
			Ref: r, Comments: slices.Contains(a.Include, "comments"), Links: slices.Contains(a.Include, "links"),
			History: slices.Contains(a.Include, "history"), Cursor: cursor,
		})
	})
}
