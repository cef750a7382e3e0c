package redmine

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// plan is a question for issues with its names looked up: Redmine filters by
// number, answers a number that it does not know with an empty listing, and a
// filter that it does not know with everything. RM-07.
type plan struct {
	tracker
	asked    connectors.IssueQuery
	home     container // zero for all that the account sees
	me       identity
	assignee int
	author   int
	category int
	lookup   *status.Proof // what showed the last of the names to be known
	chooses  bool          // the question is a change, whose people must be known
}

func (t tracker) plan(ctx context.Context, q connectors.IssueQuery) (plan, *unfound) {
	p := plan{tracker: t, asked: q}
	var f *status.Failure
	if p.me, f = t.proved(ctx); f != nil { // RM-01, RM-02, RM-13
		return p, stop(f)
	}
	if q.Project == "" {
		q.Project = t.project
	}
	if q.Project != "" && q.Project != connectors.Everywhere {
		var u *unfound
		if !isProject(q.Project) {
			return p, stop(t.badArgument("project", "must be the identifier of a project, as it stands in its address"))
		}
		if p.home, u = t.enabled(ctx, q.Project, moduleTracker); u != nil {
			return p, u
		}
	}
	if f = p.people(ctx); f == nil {
		f = p.label()
	}
	if f != nil {
		return p, stop(f)
	}
	return p, nil
}

// people looks up assignee and author.
func (p *plan) people(ctx context.Context) (f *status.Failure) {
	if a := p.asked.Assignee; a != "" && a != "none" && a != "*" {
		if p.assignee, f = p.person(ctx, "assignee", a); f != nil {
			return f
		}
	}
	if p.asked.Author != "" {
		p.author, f = p.person(ctx, "author", p.asked.Author)
	}
	return f
}

// label takes a label for the category of an issue, of which it has one at most.
func (p *plan) label() *status.Failure {
	labels := p.asked.Labels
	switch {
	case len(labels) == 0:
		return nil
	case len(labels) > 1:
		return p.badArgument("labels", "must be one: an issue of Redmine has one category, and no labels beside it")
	case p.home.id == 0:
		return p.badArgument("labels", "needs a project: categories belong to one")
	}
	id, f := p.categoryOf(p.home, labels[0])
	p.category, p.lookup = id, &p.home.proof
	return f
}

// categoryOf is the number of a project's category.
func (c *client) categoryOf(k container, name string) (int, *status.Failure) {
	var names []string
	for _, w := range k.categories {
		if w.ID != nil && markup.Fold(w.Name) == markup.Fold(name) {
			return *w.ID, nil
		}
		names = append(names, w.Name)
	}
	f := status.Fail(status.FilterUnresolved, status.By(c.source), status.Filter.Is("label "+name), status.Container.Is(k.identifier),
		status.ValidValues.Is(names), status.Remedy.Is("Use a category of the project; Redmine has no other labels."))
	return 0, &f
}

// listing is the call that lists the issues.
func (p plan) listing() call {
	if p.home.id == 0 {
		return get("/issues.json", "issues")
	}
	return get("/projects/{id}/issues.json", "projects", p.home.identifier, "issues")
}

// query is the filters as Redmine takes them. Closed issues are left out unless all
// are asked for (RM-05), and those of subprojects are others' (subproject_id).
func (p plan) query() url.Values {
	q := url.Values{"sort": {"updated_on:desc,id:desc"}, "status_id": {"*"}}
	if p.asked.State == "open" || p.asked.State == "closed" {
		q.Set("status_id", p.asked.State)
	}
	if p.home.id != 0 {
		q.Set("subproject_id", "!*")
	}
	switch {
	case p.assignee != 0:
		q.Set("assigned_to_id", itoa(p.assignee))
	case p.asked.Assignee == "none":
		q.Set("assigned_to_id", "!*")
	case p.asked.Assignee == "*":
		q.Set("assigned_to_id", "*")
	}
	if p.author != 0 {
		q.Set("author_id", itoa(p.author))
	}
	if p.category != 0 {
		q.Set("category_id", itoa(p.category))
	}
	if !p.asked.UpdatedSince.IsZero() {
		q.Set("updated_on", ">="+p.asked.UpdatedSince.UTC().Format(time.RFC3339))
	}
	return q
}

// filtered reports whether the listing leaves out more than other projects.
func (p plan) filtered() bool { return len(p.query()) > 3 || p.asked.State != "all" }

// breaks names the first filter that a row does not fit, if any.
func (p plan) breaks(ctx context.Context, w wireIssue) string {
	a := p.asked
	closed := a.State == "closed"
	switch is := p.closed(ctx, w.Status); {
	case p.home.id != 0 && !w.Project.is(p.home.id):
		return "project"
	case (a.State == "open" || closed) && (is == nil || *is != closed):
		return "state"
	case p.assignee != 0 && !w.AssignedTo.is(p.assignee), a.Assignee == "none" && w.AssignedTo != nil, a.Assignee == "*" && w.AssignedTo == nil:
		return "assignee"
	case p.author != 0 && !w.Author.is(p.author):
		return "author"
	case p.category != 0 && !w.Category.is(p.category):
		return "labels"
	case !a.UpdatedSince.IsZero() && (w.UpdatedOn == nil || w.UpdatedOn.Before(a.UpdatedSince.Truncate(time.Second))):
		return "updated_since"
	}
	return ""
}

// sift keeps the rows that fit the question. That some do not shows that a filter
// was not applied. RM-07.
func (p plan) sift(ctx context.Context, a *status.Audit, rows []wireIssue) []wireIssue {
	var out []wireIssue
	ignored := map[string]int{}
	for _, w := range rows {
		if name := p.breaks(ctx, w); name != "" {
			ignored[name]++
			continue
		}
		out = append(out, w)
	}
	for _, name := range []string{"project", "state", "assignee", "author", "labels", "updated_since"} {
		if ignored[name] > 0 {
			a.Fail(status.Effectiveness, status.Fail(status.FilterUnresolved, status.By(p.source), status.Filter.Is(name), status.Withheld.Is(ignored[name])))
		}
	}
	return out
}

// prove holds scope and effectiveness: the rows are looked at one by one, and where
// none came each name in the question is known to be one.
func (p plan) prove(ctx context.Context, a *status.Audit, x *upstream.Exchange) {
	if p.home.id != 0 {
		p.home.holdModule(a)
	} else {
		a.Hold(x.Proof(), status.Scope)
	}
	p.limits(ctx, a, noteHidden)
	if p.lookup != nil {
		a.Hold(*p.lookup, status.Effectiveness)
		return
	}
	a.Hold(x.Proof(), status.Effectiveness)
}

// named says what a failure is about.
func (p plan) named(f status.Failure) status.Failure {
	if p.home.id != 0 {
		f = f.With(status.Container.Is(p.home.identifier))
	}
	if f.Reason() == status.ScopeMissing {
		f = f.With(status.MissingScope.Is("a role with “View issues”"))
	}
	return f
}

// person is the number of an account: the caller's own, one given by number, one
// found by an administrator, or a member of the project by the name that Redmine
// shows.
func (p *plan) person(ctx context.Context, filter, who string) (int, *status.Failure) {
	own := strings.TrimPrefix(strings.ToLower(who), "@") == "me"
	switch {
	case own && p.anonymous():
		f := status.Fail(status.AuthContextRequired, status.By(p.source))
		return 0, &f
	case own, !p.anonymous() && (strings.EqualFold(who, p.me.login) || markup.Fold(who) == markup.Fold(p.me.name)):
		p.lookup = &p.me.proof
		return p.me.id, nil
	}
	if id, err := strconv.Atoi(who); err == nil && id > 0 {
		return p.numbered(ctx, filter, id)
	}
	if p.me.admin {
		if id, f := p.account(ctx, filter, who); id != 0 || f != nil {
			return id, f
		}
	}
	return p.member(ctx, filter, who)
}

// numbered proves that there is an account of that number.
func (p *plan) numbered(ctx context.Context, filter string, id int) (int, *status.Failure) {
	w, x, f := one[wireMe](ctx, p.client, get("/users/{id}.json", "users", itoa(id)))
	switch {
	case p.isAbsent(x, f):
		return 0, p.unknownPerson(filter, itoa(id), nil)
	case f != nil:
		return 0, f
	case *w.User.ID != id:
		return 0, x.Contradicts("another account came back")
	}
	proof := x.Proof()
	p.lookup = &proof
	return id, nil
}

// account finds an account by login, name or address, which only administrators may.
func (p *plan) account(ctx context.Context, filter, who string) (int, *status.Failure) {
	k := get("/users.json", "users").with(url.Values{"name": {who}, "status": {""}, "limit": {itoa(maxLimit)}})
	w, x, f := one[wireUsers](ctx, p.client, k)
	if f != nil {
		return 0, f
	}
	fits := map[int]string{}
	for _, u := range *w.Users {
		if u.ID != nil && (strings.EqualFold(u.login(), who) || strings.EqualFold(u.Mail, who) || markup.Fold(u.name()) == markup.Fold(who)) {
			fits[*u.ID] = u.login()
		}
	}
	end, f := page{rows: len(*w.Users), listing: w.wireListing, x: x}.ends()
	if f == nil && !end {
		f = x.Fail(status.OwnCap, status.Limit.Is(maxLimit))
	}
	if f != nil { // another account beyond may be called so too
		named := f.With(status.Filter.Is(filter + " " + who))
		return 0, &named
	}
	proof := x.Proof()
	p.lookup = &proof
	return p.only(filter, who, fits)
}

// member finds a member of the project by the name that is shown.
func (p *plan) member(ctx context.Context, filter, who string) (int, *status.Failure) {
	if p.home.id == 0 {
		f := p.unknownPerson(filter, who, nil).With(status.Remedy.Is("Name a project of which " + status.Line(who, 60) + " is a member, or give the number of the account."))
		return 0, &f
	}
	all := p.members(ctx, p.home)
	fits, names := map[int]string{}, []string{}
	for _, w := range all.rows {
		m := w.who()
		if m == nil || m.ID == nil {
			continue
		}
		names = append(names, m.Name)
		if markup.Fold(m.Name) == markup.Fold(who) {
			fits[*m.ID] = m.Name
		}
	}
	if len(fits) == 0 && all.gap != nil {
		named := all.gap.With(status.Filter.Is(filter+" "+who), status.Container.Is(p.home.identifier))
		return 0, &named
	}
	if len(fits) == 0 {
		return 0, p.unknownPerson(filter, who, names)
	}
	proof := all.last.Proof()
	p.lookup = &proof
	return p.only(filter, who, fits)
}

// members are the people and groups that belong to a project.
func (c *client) members(ctx context.Context, k container) walked[wireMember] {
	return walk(ctx, c, lister[wireMembers, wireMember]{
		get("/projects/{id}/memberships.json", "projects", k.identifier, "memberships"),
		func(w wireMembers) ([]wireMember, wireListing) { return *w.Members, w.wireListing },
		func(w wireMember) int {
			if m := w.who(); m != nil && m.ID != nil {
				return *m.ID
			}
			return 0
		},
	})
}

// only is the one account of several that fit; zero if there is none.
func (p *plan) only(filter, who string, fits map[int]string) (int, *status.Failure) {
	var among []status.Candidate
	id := 0
	for n, name := range fits {
		id = n
		among = append(among, status.Candidate{Ref: itoa(n), Title: name, Source: p.source, Sets: []status.Setting{status.Set(filter, itoa(n))}})
	}
	if len(fits) < 2 {
		return id, nil
	}
	slices.SortFunc(among, func(a, b status.Candidate) int { return strings.Compare(a.Ref, b.Ref) })
	f := status.Fail(status.AmbiguousTarget, status.By(p.source), status.WasCalled, status.Reference.Is(filter+" "+who), status.Margin.Is(0), status.Among(among...),
		status.Remedy.Is("Give the number of the account that is meant."))
	return 0, &f
}

// unknownPerson is the failure for somebody whom Redmine does not know, with those
// whom it does, if they are known. A change has those to choose from.
func (p *plan) unknownPerson(filter, who string, names []string) *status.Failure {
	if p.chooses && len(names) > 0 {
		return connectors.Choice("assignees", "must be a member of the project, the number of an account, or me", names,
			status.By(p.source), status.WasCalled, status.Container.Is(p.home.identifier))
	}
	f := status.Fail(status.FilterUnresolved, status.By(p.source), status.Filter.Is(filter+" "+who), status.ValidValues.Is(names),
		status.Remedy.Is("Use the name that Redmine shows for a member of the project, the number of an account, or me."))
	return &f
}
