package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type trackerUpdateIssueArgs struct {
	Ref          string   `arg:"ref" need:"true" doc:"owner/repo#12, PAY-12, #12 in the default project, or a web link" max:"2000"`
	State        string   `arg:"state" doc:"open, closed, or a state of the tracker's own" max:"64"`
	Title        string   `arg:"title" max:"256"`
	Body         string   `arg:"body" doc:"Markdown; replaces the body" max:"65000"`
	AddLabels    []string `arg:"add_labels" max:"256"`
	RemoveLabels []string `arg:"remove_labels" max:"256"`
	Assignees    []string `arg:"assignees" doc:"replaces the list; [] for nobody" max:"256" clears:"true"`
	Source       string   `arg:"source" max:"64"`
	Key          string   `arg:"idempotency_key" doc:"see tracker_create_issue" max:"200"`
}

var trackerUpdateIssueSpec = Spec{
	Name: "tracker_update_issue", Title: "Change an issue", Operation: "tracker.update", Kind: connectors.KindTracker, Needs: connectors.IssueWrite,
	One: "issue", Many: "issues", Named: "ref", Writes: true, Overwrites: true,
	Description: "Change the state, title, body, labels or assignees of an issue. What is not given stays.",
}

var trackerUpdateIssue = tool[trackerUpdateIssueArgs]{trackerUpdateIssueSpec, updateIssue}

func updateIssue(ctx context.Context, d *Deps, a trackerUpdateIssueArgs) status.Envelope {
	if f := a.unusable(); f != nil {
		return trackerUpdateIssueSpec.refuse(*f)
	}
	r, f := d.parseRef("ref", a.Ref)
	if f != nil {
		return trackerUpdateIssueSpec.refuse(*f)
	}
	key, source := a.Key, a.Source
	a.Key, a.Source = "", ""
	return write(ctx, d, change{
		spec: trackerUpdateIssueSpec, args: a, key: key, source: source, ref: &r,
		doing: "the change of an issue", done: "updated issue ",
		trace: func(_ connectors.Source, to place, m connectors.Mark) connectors.WriteTrace {
			u := &connectors.IssueUpdate{Ref: to.ref, State: a.State, AddLabels: a.AddLabels, RemoveLabels: a.RemoveLabels, Mark: m}
			if a.Title != "" {
				u.Title = &a.Title
			}
			if a.Body != "" {
				u.Body = &a.Body
			}
			if a.Assignees != nil {
				u.Assignees = &a.Assignees
			}
			return connectors.WriteTrace{Update: u}
		},
	})
}

// unusable: a change must change something, and not two ways.
func (a trackerUpdateIssueArgs) unusable() *status.Failure {
	if a.State == "" && a.Title == "" && a.Body == "" && len(a.AddLabels)+len(a.RemoveLabels) == 0 && a.Assignees == nil {
		names := []string{"state", "title", "body", "add_labels", "remove_labels", "assignees"}
		f := status.Fail(status.MissingRequiredArgument, status.Arguments.Is([]status.Argument{{
			Name: "one of " + strings.Join(names, ", "), Reason: status.MissingRequiredArgument.Name(), Problem: "at least one of them is required", Allowed: names,
		}}))
		return &f
	}
	for _, l := range a.AddLabels {
		if slices.ContainsFunc(a.RemoveLabels, func(r string) bool { return strings.EqualFold(r, l) }) {
			f := status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
				Name: "remove_labels", Reason: status.InvalidArgument.Name(), Problem: "holds a label that add_labels holds too",
			}}))
			return &f
		}
	}
	return nil
}
