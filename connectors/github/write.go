package github

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// writer changes issues. Before it sends a change it reads what is to be changed:
// that shows whether it is there, where it is by now and what it is like, so that
// an answer to the change itself leaves little to guess.
type writer struct{ tracker }

var _ connectors.Writer = writer{}

// wireWritten is an issue as the answer to its creation shows it.
type wireWritten struct{ wireIssue }

func (w wireWritten) Missing() string {
	if key := w.wireIssue.Missing(); key != "" {
		return key
	}
	return absentKey("html_url", w.HTMLURL == "")
}

// Create makes an issue, with the mark at the end of its body.
func (w writer) Create(ctx context.Context, q connectors.IssueCreate) status.Result[connectors.Issue] {
	k, f := w.writable(ctx, q.Project)
	if f != nil {
		return status.Failed[connectors.Issue](w.source, *f)
	}
	body := marked(q.Body, q.Mark.ID)
	post := repoCall(k.name, "/issues", "issues").posts(http.MethodPost, gh.IssueRequest{
		Title: &q.Title, Body: &body, Labels: listed(q.Labels), Assignees: listed(q.Assignees),
	})
	post.statuses = []int{http.StatusCreated}
	made, x, f := changed[wireWritten](ctx, w.client, post)
	if f == nil && (!bears(made.Body, q.Mark.ID) || !strings.EqualFold(homeOf(made.wireIssue, repoName{}).String(), k.name.String())) {
		f = connectors.Unsure(*x.Contradicts("what was created is not what was asked for"))
	}
	if f != nil {
		return status.Failed[connectors.Issue](w.source, f.With(status.Container.Is(k.name.String())))
	}
	return w.created(made.wireIssue, k, q, x)
}

// created answers with an issue that was made as q asks.
func (w writer) created(made wireIssue, k container, q connectors.IssueCreate, x *upstream.Exchange) status.Result[connectors.Issue] {
	a := confirmed(x)
	missing := wish{without(q.Labels, namesOf(made.Labels)), without(q.Assignees, loginsOf(made.Assignees))}
	if made.Labels == nil && len(missing.labels) > 0 { // not shown, which is not the same as none
		a.Fail(status.Completeness, *x.Misshapen("labels"))
		missing.labels = nil
	}
	if made.Assignees == nil && len(missing.assignees) > 0 {
		a.Fail(status.Completeness, *x.Misshapen("assignees"))
		missing.assignees = nil
	}
	dropped(a, k, missing)
	return status.One(w.source, brief(w.whole(w.issue(made, k.name, repoName{}), made)), a)
}

// writable proves a repository visible, with a tracker that takes changes.
func (w writer) writable(ctx context.Context, project string) (container, *status.Failure) {
	r, f := w.repo("project", project)
	if f != nil {
		return container{}, f
	}
	k, f := w.visible(ctx, r)
	switch {
	case f != nil:
		return k, f
	case k.trackerless():
		off := w.trackerOff(k)
		return k, &off
	case k.archived:
		off := archived(k.name)
		return k, &off
	}
	return k, nil
}

// archived is the failure of a repository that can only be read.
func archived(r repoName) status.Failure {
	return status.Fail(status.FeatureDisabled, status.WasCalled, status.Feature.Is("every change"), status.Container.Is(r.String()),
		status.Remedy.Is("The repository is archived: let an administrator of "+r.String()+" unarchive it, or write elsewhere."))
}

// Comment adds a comment, with the mark at its end.
func (w writer) Comment(ctx context.Context, q connectors.CommentAdd) status.Result[connectors.Issue] {
	t, lost := w.target(ctx, q.Ref)
	if lost != nil {
		return *lost
	}
	body := marked(q.Body, q.Mark.ID)
	post := issueCall(t.repo, t.number, "/comments").posts(http.MethodPost, gh.IssueComment{Body: &body})
	post.statuses, post.asked = []int{http.StatusCreated}, names{}
	made, x, f := changed[wireComment](ctx, w.client, post)
	if f == nil && !bears(*made.Body, q.Mark.ID) {
		f = connectors.Unsure(*x.Contradicts("what was added is not what was asked for"))
	}
	if f != nil {
		return status.Failed[connectors.Issue](w.source, t.named(*f))
	}
	return w.commented(t, made, x)
}

// commented answers with the issue and the comment alone.
func (w writer) commented(t target, made wireComment, x *upstream.Exchange) status.Result[connectors.Issue] {
	s := scrub{removed: t.item.Removed}
	item := connectors.Issue{Origin: t.item.Origin, State: t.item.State, MovedTo: t.item.MovedTo}
	item.Thread = []connectors.Comment{{
		ID: strconv.FormatInt(*made.ID, 10), Author: s.login(made.User), CreatedAt: made.CreatedAt, Body: s.prose(unmarked(*made.Body)), URL: s.url(made.HTMLURL),
	}}
	item.Removed = s.removed
	return status.One(w.source, item, confirmed(x))
}

// posts makes a change of the call.
func (k call) posts(method string, body any) call {
	_, rest, _ := strings.Cut(k.class, " ")
	k.method, k.class, k.body = method, method+" "+rest, body
	return k
}

// changed sends a change and decodes its answer. What was accepted and cannot be
// read as it must be leaves open what came of it.
func changed[T upstream.Wire](ctx context.Context, c *client, k call) (T, *upstream.Exchange, *status.Failure) {
	v, x, f := one[T](ctx, c, k)
	return v, x, connectors.Doubtful(x, f)
}

// confirmed is the audit of a change that GitHub confirmed: it was read whole, and
// GitHub takes none from somebody whom it does not know.
func confirmed(x *upstream.Exchange) *status.Audit {
	a := &status.Audit{}
	a.Hold(x.Proof(), status.Transport, status.Shape, status.InBand, status.Identity, status.Completeness)
	return a
}

// wish is what was asked for beside texts and did not come about.
type wish struct{ labels, assignees []string }

// dropped tells of what GitHub left out without a word: labels and assignees where
// the account may not set them, and people who cannot be assigned.
func dropped(a *status.Audit, k container, missing wish) {
	labels, people := missing.labels, missing.assignees
	lacks := len(labels) > 0 || k.role != nil && !k.role.triages()
	if len(labels) > 0 || len(people) > 0 && lacks {
		a.Fail(status.Completeness, status.Fail(status.ScopeMissing, status.WasCalled, status.Container.Is(k.name.String()),
			status.MissingScope.Is("the triage role, without which GitHub drops labels and assignees"), status.Part.Is(strings.Join(append(labels, people...), ", "))))
		return
	}
	if len(people) > 0 {
		a.Fail(status.Completeness, status.Fail(status.FilterUnresolved, status.WasCalled, status.Container.Is(k.name.String()),
			status.Filter.Is("assignee "+strings.Join(people, ", ")), status.Remedy.Is("Assign somebody who has access to "+k.name.String()+".")))
	}
}

// without are the texts that others do not hold, whatever their case.
func without(texts, others []string) []string {
	var out []string
	for _, t := range texts {
		if !holds(others, t) {
			out = append(out, t)
		}
	}
	return out
}

func holds(texts []string, t string) bool {
	for _, x := range texts {
		if strings.EqualFold(strings.TrimSpace(x), strings.TrimSpace(t)) {
			return true
		}
	}
	return false
}

func loginsOf(ws []wireLogin) []string {
	var out []string
	for _, w := range ws {
		out = append(out, w.Login)
	}
	return out
}

func listed(texts []string) *[]string {
	if len(texts) == 0 {
		return nil
	}
	return &texts
}

// maxEcho is up to how many bytes of a body an answer to a change repeats.
const maxEcho = 2000

// brief leaves a large body out: whoever wrote it has it.
func brief(item connectors.Issue) connectors.Issue {
	if len(item.Body) > maxEcho {
		item.Body, item.BodyCut = "", true
	}
	return item
}
