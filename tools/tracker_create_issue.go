package tools

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type trackerCreateIssueArgs struct {
	Project   string   `arg:"project" need:"true" doc:"owner/repo or project key" max:"256"`
	Title     string   `arg:"title" need:"true" max:"256"`
	Body      string   `arg:"body" doc:"Markdown" max:"65000"`
	Labels    []string `arg:"labels" max:"256"`
	Assignees []string `arg:"assignees" doc:"account names" max:"256"`
	Source    string   `arg:"source" max:"64"`
	Key       string   `arg:"idempotency_key" doc:"the same key and arguments make one issue, whatever happens; default: made from the arguments" max:"200"`
}

var trackerCreateIssueSpec = Spec{
	Name: "tracker_create_issue", Title: "Create an issue", Operation: "tracker.create", Kind: connectors.KindTracker, Needs: connectors.IssueWrite,
	One: "issue", Many: "issues", Writes: true,
	Description: "Create an issue. Repeating the call does not create a second one.",
}

var trackerCreateIssue = tool[trackerCreateIssueArgs]{trackerCreateIssueSpec, createIssue}

func createIssue(ctx context.Context, d *Deps, a trackerCreateIssueArgs) status.Envelope {
	key, source := a.Key, a.Source
	a.Key, a.Source = "", ""
	return write(ctx, d, change{
		spec: trackerCreateIssueSpec, args: a, key: key, source: source, project: a.Project, title: a.Title,
		doing: "the creation of an issue", done: "created issue ",
		trace: func(_ connectors.Source, to place, m connectors.Mark) connectors.WriteTrace {
			return connectors.WriteTrace{Create: &connectors.IssueCreate{
				Project: to.project, Title: a.Title, Body: a.Body, Labels: a.Labels, Assignees: a.Assignees, Mark: m,
			}}
		},
	})
}
