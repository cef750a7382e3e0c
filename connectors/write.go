package connectors

import (
	"context"
	"time"

	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// Writer changes issues. Each method makes one change and answers with the issue
// as the source confirmed it, or says what is known about the change:
//
//   - api_called "no": nothing was sent, or the source refused it; nothing changed.
//   - api_called "maybe": it was sent and no answer tells whether it took effect.
//     The caller then asks Find before anything is sent again.
//   - api_called "yes" with a failure: the source said no, or a later step failed;
//     completed steps are in the trace of the call, and those that were undone are not.
//
// A change that the source carried out in part (it dropped a label, say) is partial
// and names what is missing. A method never repeats a request whose outcome is not
// known. Policy and the switch for writes are the caller's to check.
type Writer interface {
	// Create makes an issue in a project. Success holds the new issue with its ref.
	Create(ctx context.Context, w IssueCreate) status.Result[Issue]
	// Update changes the fields that are set. What already is as asked stays so, and
	// the answer is success all the same.
	Update(ctx context.Context, w IssueUpdate) status.Result[Issue]
	// Comment adds a comment. Success holds the issue with that comment alone in Thread.
	Comment(ctx context.Context, w CommentAdd) status.Result[Issue]
	// Find looks for what an earlier attempt of the same change may have left. Success
	// holds it, as the method itself would have answered; empty proves that the change
	// did not take effect; all else is not known.
	Find(ctx context.Context, t WriteTrace) status.Result[Issue]
}

// IssueCreate asks for a new issue. Texts are Markdown.
type IssueCreate struct {
	Project   string
	Title     string
	Body      string
	Labels    []string
	Assignees []string
	Mark      Mark
}

// IssueUpdate asks for changes of one issue. A nil field stays as it is.
type IssueUpdate struct {
	Ref          ref.Ref
	State        string // open, closed, or a state of the tracker's own; empty: as it is
	Title        *string
	Body         *string
	AddLabels    []string
	RemoveLabels []string
	Assignees    *[]string // replaces the list; empty: nobody
	Mark         Mark
}

// CommentAdd asks for a new comment on one issue.
type CommentAdd struct {
	Ref  ref.Ref
	Body string
	Mark Mark
}

// Mark lets a change be found again. ID is 16 hex digits that are the same for
// every repetition of one call and for no other; a source that keeps something
// invisible beside a text keeps it there, others are searched by what was written,
// by whom and since when.
type Mark struct {
	ID    string
	Since time.Time // when the first attempt began
	// Tried is the latest time at which an earlier attempt may have been sent; zero
	// if there was none. What a source may still be busy with is not absent yet.
	Tried time.Time
}

// WriteTrace is the change to look for; exactly one of its fields is set.
type WriteTrace struct {
	Create  *IssueCreate
	Update  *IssueUpdate
	Comment *CommentAdd
}
