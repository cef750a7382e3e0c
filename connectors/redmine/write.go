package redmine

import (
	"context"
	"net/http"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// writer changes issues. Redmine confirms a change without saying what came of it,
// and drops without a word what the account may not set: a status that its roles do
// not allow, an assignee, a category. So each change is read back and compared.
//
// Redmine shows HTML comments to readers, so that texts carry no mark; what an
// earlier attempt has left is found by author, text and time.
type writer struct{ tracker }

var _ connectors.Writer = writer{}

// wireChange is an issue as Redmine takes it. A nil field stays as it is; an empty
// number takes a value away.
type wireChange struct {
	Issue changed `json:"issue"`
}

type changed struct {
	Project     int     `json:"project_id,omitempty"`
	Subject     *string `json:"subject,omitempty"`
	Description *string `json:"description,omitempty"`
	Status      int     `json:"status_id,omitempty"`
	Category    *string `json:"category_id,omitempty"`
	Assignee    *string `json:"assigned_to_id,omitempty"`
	Notes       string  `json:"notes,omitempty"`
}

// Create makes an issue, with the default tracker, priority and state of its project.
func (w writer) Create(ctx context.Context, q connectors.IssueCreate) status.Result[connectors.Issue] {
	n, u := w.newIssue(ctx, q)
	if u != nil {
		return unread[connectors.Issue](w.source, u)
	}
	post := call{method: http.MethodPost, class: "POST /issues.json", path: []string{"issues"}, statuses: []int{http.StatusCreated}, body: wireChange{n.fields}}
	made, x, f := one[wireIssueOne](ctx, w.client, post)
	f = connectors.Doubtful(x, w.refused(x, f))
	if f == nil && (!made.Issue.Project.is(n.home.id) || strings.TrimSpace(*made.Issue.Subject) != strings.TrimSpace(q.Title)) {
		f = connectors.Unsure(*x.Contradicts("what was created is not what was asked for"))
	}
	if f != nil {
		return status.Failed[connectors.Issue](w.source, f.With(status.Container.Is(n.home.identifier)))
	}
	return w.created(n, *made.Issue, x)
}

// newIssue is a new issue with its names looked up.
type newIssue struct {
	home   container
	fields changed
	asked  connectors.IssueCreate
	me     identity
}

func (w writer) newIssue(ctx context.Context, q connectors.IssueCreate) (newIssue, *unfound) {
	n := newIssue{asked: q}
	p, u := w.plan(ctx, connectors.IssueQuery{Project: q.Project})
	if u != nil {
		return n, u
	}
	if p.home.id == 0 {
		return n, stop(w.badArgument("project", "must name one project"))
	}
	if p.home.status == projectClosed {
		f := w.closedProject(p.home)
		return n, stop(&f)
	}
	n.home, n.me = p.home, p.me
	n.fields = changed{Project: p.home.id, Subject: &q.Title}
	if q.Body != "" {
		n.fields.Description = &q.Body
	}
	var f *status.Failure
	p.chooses = true
	if n.fields.Category, f = w.oneCategory(p.home, "labels", q.Labels); f == nil && len(q.Assignees) > 0 {
		n.fields.Assignee, f = p.oneAssignee(ctx, q.Assignees)
	}
	if f != nil {
		return n, stop(f)
	}
	return n, nil
}

// oneCategory is the category that labels name; nil for none. Of an unknown one the
// failure offers those that there are.
func (c *client) oneCategory(k container, argument string, labels []string) (*string, *status.Failure) {
	switch len(labels) {
	case 0:
		return nil, nil
	case 1:
	default:
		return nil, c.badArgument(argument, "must be one: an issue of Redmine has one category, and no labels beside it")
	}
	id, f := c.categoryOf(k, labels[0])
	var s scrub
	if names := s.names(k.categories); f != nil && len(names) > 0 {
		f = connectors.Choice(argument, "must be a category of the project; Redmine has no other labels", names,
			status.By(c.source), status.WasCalled, status.Container.Is(k.identifier))
	}
	number := itoa(id)
	return &number, f
}

// oneAssignee is the account that is named; the empty text for nobody.
func (p *plan) oneAssignee(ctx context.Context, names []string) (*string, *status.Failure) {
	nobody := ""
	switch len(names) {
	case 0:
		return &nobody, nil
	case 1:
	default:
		return nil, p.badArgument("assignees", "must be one: an issue of Redmine has one assignee, a person or a group")
	}
	id, f := p.person(ctx, "assignee", names[0])
	if id == 0 && f == nil {
		f = p.unknownPerson("assignee", names[0], nil)
	}
	if f != nil {
		named := f.With(status.Takes("assignees"))
		f = &named
	}
	number := itoa(id)
	return &number, f
}

// created answers with an issue that was made as n asks.
func (w writer) created(n newIssue, made wireIssue, x *upstream.Exchange) status.Result[connectors.Issue] {
	a := w.confirmed(x)
	missing, _ := w.compare(n.fields, nil, made)
	for _, f := range missing {
		a.Fail(status.Completeness, f.With(status.Container.Is(n.home.identifier)))
	}
	return status.One(w.source, brief(w.whole(w.issue(made, n.home.identifier), made)), a)
}

// confirmed is the audit of a change that Redmine confirmed, by what was read back;
// it takes none from a key that it does not know.
func (w writer) confirmed(x *upstream.Exchange) *status.Audit {
	a := &status.Audit{}
	a.Hold(x.Proof(), status.Transport, status.Shape, status.InBand, status.Identity, status.Completeness)
	return a
}

// compare tells of what was asked for and did not come about: Redmine dropped it
// without a word, or, where the value is neither the old nor the new one, somebody
// else changed it meanwhile. Whole is true if nothing of the change took effect.
func (w writer) compare(asked changed, before *wireIssue, is wireIssue) (missing []status.Failure, whole bool) {
	var dropped, overtaken []string
	wanted := 0
	check := func(name, want string, value func(wireIssue) string) {
		wanted++
		switch now := value(is); {
		case now == want:
		case before != nil && now != value(*before):
			overtaken = append(overtaken, name)
		default:
			dropped = append(dropped, name)
		}
	}
	if asked.Status != 0 {
		check("state", itoa(asked.Status), func(i wireIssue) string { return itoa(*i.Status.ID) })
	}
	if asked.Subject != nil {
		check("title", strings.TrimSpace(*asked.Subject), func(i wireIssue) string { return strings.TrimSpace(*i.Subject) })
	}
	if asked.Description != nil {
		check("body", plain(*asked.Description), func(i wireIssue) string { return plain(i.Description) })
	}
	if asked.Category != nil {
		check("labels", *asked.Category, func(i wireIssue) string { return numberOf(i.Category) })
	}
	if asked.Assignee != nil {
		check("assignees", *asked.Assignee, func(i wireIssue) string { return numberOf(i.AssignedTo) })
	}
	if len(dropped) > 0 {
		what := strings.Join(dropped, ", ")
		missing = append(missing, status.Fail(status.ScopeMissing, status.By(w.source), status.WasCalled, status.Part.Is(what),
			status.MissingScope.Is("a role that may set "+what), status.Marker.Is("Redmine accepted the change and dropped it")))
	}
	if len(overtaken) > 0 {
		missing = append(missing, status.Fail(status.Contradictory, status.By(w.source), status.WasCalled, status.Part.Is(strings.Join(overtaken, ", ")),
			status.Marker.Is("somebody else changed it at the same time")))
	}
	return missing, wanted > 0 && len(dropped) == wanted
}

func numberOf(w *wireRef) string {
	if w == nil || w.ID == nil {
		return ""
	}
	return itoa(*w.ID)
}

// sameText compares texts apart from line ends and space at the end, which
// Redmine's form changes.
func sameText(a, b string) bool { return plain(a) == plain(b) }

func plain(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

// refused reads a change that Redmine turned away: 422 comes with sentences for
// people, in the language of the account. RM-03 does not hold for it.
func (w writer) refused(x *upstream.Exchange, f *status.Failure) *status.Failure {
	if f == nil || x == nil || x.Status != http.StatusUnprocessableEntity {
		return f
	}
	no := x.Fail(status.InvalidArgument, status.WasCalled, status.Arguments.Is([]status.Argument{{
		Name: "issue", Reason: status.InvalidArgument.Name(),
		Problem: "Redmine refused a value, wants a field that frank cannot set, or gives this account no role to do it here",
	}}))
	return no
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
