package tools

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type trackerAddCommentArgs struct {
	Ref    string `arg:"ref" need:"true" doc:"owner/repo#12, PAY-12, #12 in the default project, or a web link" max:"2000"`
	Body   string `arg:"body" need:"true" doc:"Markdown" max:"65000"`
	Source string `arg:"source" max:"64"`
	Key    string `arg:"idempotency_key" doc:"see tracker_create_issue" max:"200"`
}

var trackerAddCommentSpec = Spec{
	Name: "tracker_add_comment", Title: "Comment on an issue", Operation: "tracker.comment", Kind: connectors.KindTracker, Needs: connectors.IssueWrite,
	One: "issue", Many: "issues", Named: "ref", Writes: true,
	Description: "Add a comment to an issue. Repeating the call does not add a second one.",
}

var trackerAddComment = tool[trackerAddCommentArgs]{trackerAddCommentSpec, addComment}

func addComment(ctx context.Context, d *Deps, a trackerAddCommentArgs) status.Envelope {
	r, f := d.parseRef("ref", a.Ref)
	if f != nil {
		return trackerAddCommentSpec.refuse(*f)
	}
	key, source := a.Key, a.Source
	a.Key, a.Source = "", ""
	return write(ctx, d, change{
		spec: trackerAddCommentSpec, args: a, key: key, source: source, ref: &r,
		doing: "the comment on an issue", done: "added a comment to issue ",
		trace: func(_ connectors.Source, to place, m connectors.Mark) connectors.WriteTrace {
			return connectors.WriteTrace{Comment: &connectors.CommentAdd{Ref: to.ref, Body: a.Body, Mark: m}}
		},
	})
}
