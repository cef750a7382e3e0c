package jira

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// writer changes issues. Before it sends a change it reads what is to be changed,
// and afterwards it reads the issue again: Jira answers most changes with nothing.
type writer struct{ tracker }

var _ connectors.Writer = writer{}

// markName is the property of issues and comments that holds the mark. People do
// not see it.
const markName = "frank"

// property is a value that Jira keeps beside an issue or comment.
type property struct {
	Key   string    `json:"key"`
	Value markValue `json:"value"`
}

type markValue struct {
	Mark string `json:"mark"`
}

func marks(m connectors.Mark) []property {
	return []property{{markName, markValue{"frank:" + m.ID}}}
}

// prose is a text as this Jira takes it.
func (s server) prose(markdown string) json.RawMessage {
	if s.cloud {
		return markup.ToADF(markdown)
	}
	raw, err := json.Marshal(markdown)
	if err != nil { // a text always encodes
		panic("jira: text: " + err.Error())
	}
	return raw
}

// someone is an account as a change names it.
type someone struct {
	AccountID *string `json:"accountId,omitempty"`
	Name      *string `json:"name,omitempty"`
}

func (s server) someone(handle string) *someone {
	if s.cloud {
		return &someone{AccountID: &handle}
	}
	return &someone{Name: &handle}
}

type keyed struct {
	Key string `json:"key"`
}

type byID struct {
	ID string `json:"id"`
}

type newFields struct {
	Project     keyed           `json:"project"`
	Summary     string          `json:"summary"`
	Type        byID            `json:"issuetype"`
	Description json.RawMessage `json:"description,omitempty"`
	Labels      []string        `json:"labels,omitempty"`
	Assignee    *someone        `json:"assignee,omitempty"`
}

type newIssue struct {
	Fields     newFields  `json:"fields"`
	Properties []property `json:"properties"`
}

// wireMade is the answer to a creation.
type wireMade struct {
	Key *string `json:"key"`
}

func (w wireMade) Missing() string {
	return upstream.Absent("key", w.Key == nil || projectOf(*w.Key) == "")
}

// Create makes an issue of the project's plainest type, with the mark as a property.
// What the form of that type asks for beyond the arguments is told before anything is
// sent.
func (w writer) Create(ctx context.Context, q connectors.IssueCreate) status.Result[connectors.Issue] {
	failed := func(f status.Failure) status.Result[connectors.Issue] {
		return status.Failed[connectors.Issue](w.source, f)
	}
	s, k, f := w.writable(ctx, q.Project)
	if f != nil {
		return failed(*f)
	}
	fields := newFields{Project: keyed{k.key}, Summary: q.Title, Labels: q.Labels}
	if strings.TrimSpace(q.Body) != "" {
		fields.Description = s.prose(q.Body)
	}
	if len(q.Assignees) > 0 {
		handle, f := w.assignee(ctx, s, k.key, q.Assignees)
		if f != nil {
			return failed(*f)
		}
		fields.Assignee = s.someone(handle)
	}
	kind, f := w.kind(ctx, s, k, q)
	if f != nil {
		return failed(*f)
	}
	fields.Type = byID{kind.ID}
	post := s.get("/issue", "issue").posts(http.MethodPost, newIssue{fields, marks(q.Mark)}, http.StatusCreated)
	made, x, f := one[wireMade](ctx, w.client, post)
	if f == nil && !strings.EqualFold(projectOf(*made.Key), k.key) {
		f = x.Contradicts("what was created is in another project than was asked for")
	}
	if f = connectors.Doubtful(x, f); f != nil {
		return failed(f.With(status.Container.Is(k.key)))
	}
	return w.confirm(ctx, s, *made.Key, func(i wireWhole) string { return lacksOf(i, q.Title, q.Labels) })
}

// lacksOf names what an issue lacks of what was asked for.
func lacksOf(w wireWhole, title string, labels []string) string {
	if !sameLine(*w.Fields.Summary, title) {
		return "title"
	}
	if len(without(labels, w.Fields.labels())) > 0 {
		return "labels"
	}
	return ""
}

// writable proves a project visible, and that it takes changes.
func (w writer) writable(ctx context.Context, project string) (server, container, *status.Failure) {
	if project == "" {
		project = w.project
	}
	if !isProject(project) {
		return server{}, container{}, w.badArgument("project", "must be the key of a project, such as PAY")
	}
	s, f := w.which(ctx)
	if f != nil {
		return s, container{}, f
	}
	k, f := w.visible(ctx, strings.ToUpper(project))
	if f == nil && k.archived {
		off := archived(k)
		f = &off
	}
	return s, k, f
}

// assignee finds the one account that may be given issues of a project. Jira knows
// one assignee only.
func (w writer) assignee(ctx context.Context, s server, project string, names []string) (string, *status.Failure) {
	if len(names) > 1 {
		return "", w.badArgument("assignees", "Jira knows one assignee for an issue")
	}
	if names[0] == "@me" && !w.anonymous() {
		id, f := w.who(ctx)
		return id.id, f
	}
	k := s.get("/user/assignable/search", "user", "assignable", "search").with(url.Values{"project": {project}})
	found, x, f := w.users(ctx, k, names[0])
	switch {
	case f != nil:
		return "", f
	case len(found) == 1 && found[0].handle(s) != "":
		return found[0].handle(s), nil
	case len(found) == 0: // JR-29: or the account may not search for people
		return "", x.Fail(status.FilterUnresolved, status.Filter.Is("assignee "+names[0]), status.Container.Is(project),
			status.Remedy.Is("Name somebody who may be assigned issues of "+project+", by account id, e-mail or full name; the account of source "+w.source+" needs the permission Browse users and groups."))
	}
	var cs []status.Candidate
	for _, u := range found {
		cs = append(cs, status.Candidate{Ref: u.handle(s), Title: u.shown(), Source: w.source, Sets: []status.Setting{status.Set("assignees", u.handle(s))}})
	}
	return "", x.Fail(status.AmbiguousTarget, status.Reference.Is(names[0]), status.Margin.Is(0), status.Among(cs...))
}

// confirm reads an issue after a change that Jira accepted and answers with it. lacks
// names what is not as it was asked for. If it cannot be read the change is no less
// made: the answer is the key alone, in part.
func (w writer) confirm(ctx context.Context, s server, key string, lacks func(wireWhole) string) status.Result[connectors.Issue] {
	now, x, f := w.whole(ctx, s, key, true, false)
	a := &status.Audit{}
	if f != nil {
		a.Unmade(status.Completeness, f.With(status.Reference.Is(key), status.Container.Is(projectOf(key))))
		a.Hold(status.Proof{Request: "the change itself", At: w.now()}, status.Transport, status.Shape, status.InBand, status.Identity)
		return status.One(w.source, connectors.Issue{Origin: connectors.Origin{Source: w.source, Ref: key, URL: s.browse(key), Container: projectOf(key)}}, a)
	}
	w.hear(a, x)
	a.Hold(x.Proof(), status.Identity, status.Completeness) // Jira takes no change from somebody whom it does not know
	item := brief(w.full(now, s, &status.Audit{}))
	if part := lacks(now); part != "" {
		a.Fail(status.Completeness, *x.Fail(status.Contradictory, status.Part.Is(part), status.Marker.Is("it accepted a change and shows the issue without it")))
	}
	return status.One(w.source, item, a)
}

// maxEcho is up to how many bytes of a body an answer to a change repeats.
const maxEcho = 2000

// brief leaves a large body out, and the fields of the site's own: they were not changed.
func brief(item connectors.Issue) connectors.Issue {
	item.Fields = nil
	if len(item.Body) > maxEcho {
		item.Body, item.BodyCut = "", true
	}
	return item
}

// target is an issue as it is before a change.
type target struct {
	server server
	key    string
	asked  string
	wire   wireWhole
	x      *upstream.Exchange
}

// target reads the issue that is to be changed, and asks the policy about where it
// is by now. Otherwise the result is the answer.
func (w writer) target(ctx context.Context, r ref.Ref) (target, *status.Result[connectors.Issue]) {
	stop := func(r status.Result[connectors.Issue]) (target, *status.Result[connectors.Issue]) {
		return target{}, &r
	}
	s, key, f := w.place(ctx, r)
	if f != nil {
		return stop(status.Failed[connectors.Issue](w.source, *f))
	}
	wire, x, f := w.whole(ctx, s, key, true, false)
	if f != nil {
		return stop(absent[connectors.Issue](ctx, w.client, x, *f, key))
	}
	if f := admits(ctx, wire.home(), projectOf(key)); f != nil {
		return stop(status.Failed[connectors.Issue](w.source, *f))
	}
	return target{s, *wire.Key, key, wire, x}, nil
}

// named says what a failure is about.
func (t target) named(f status.Failure) status.Failure {
	return f.With(status.Reference.Is(t.key), status.Container.Is(projectOf(t.key)))
}

type newComment struct {
	Body       json.RawMessage `json:"body"`
	Properties []property      `json:"properties"`
}

// Comment adds a comment, with the mark as a property.
func (w writer) Comment(ctx context.Context, q connectors.CommentAdd) status.Result[connectors.Issue] {
	t, lost := w.target(ctx, q.Ref)
	if lost != nil {
		return *lost
	}
	post := t.server.get("/issue/{key}/comment", "issue", t.key, "comment").posts(http.MethodPost,
		newComment{t.server.prose(q.Body), marks(q.Mark)}, http.StatusCreated)
	made, x, f := one[wireComment](ctx, w.client, post)
	if f = connectors.Doubtful(x, f); f != nil {
		return status.Failed[connectors.Issue](w.source, t.named(*f))
	}
	return w.commented(t, made, q, x)
}

// commented answers with the issue and the comment alone.
func (w writer) commented(t target, made wireComment, q connectors.CommentAdd, x *upstream.Exchange) status.Result[connectors.Issue] {
	item := w.issue(t.wire.wireIssue, t.server)
	text := scrub{removed: item.Removed}
	thread := []connectors.Comment{text.comment(made, t.server, t.key)}
	item = connectors.Issue{Origin: item.Origin, State: item.State, Thread: thread}
	item.Removed = text.removed
	a := &status.Audit{}
	w.hear(a, x)
	a.Hold(x.Proof(), status.Identity, status.Completeness)
	if !sameText(made.Body, t.server.prose(q.Body)) {
		a.Fail(status.Completeness, *x.Fail(status.Contradictory, status.Part.Is("body"), status.Marker.Is("it added the comment and shows it otherwise than it was sent")))
	}
	return status.One(w.source, item, a)
}

// sameText compares two bodies by what they say.
func sameText(a, b json.RawMessage) bool {
	plain := func(raw json.RawMessage) string {
		var s scrub
		return strings.Join(strings.Fields(s.body(raw)), " ")
	}
	return plain(a) == plain(b)
}

// sameLine compares two titles apart from white space.
func sameLine(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}

// without are the texts that others do not hold, whatever their case.
func without(texts, others []string) []string {
	var out []string
	for _, t := range texts {
		if !slices.ContainsFunc(others, func(o string) bool { return strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(t)) }) {
			out = append(out, t)
		}
	}
	return out
}
