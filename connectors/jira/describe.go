package jira

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// What one listing of projects may hold.
const (
	projectRows  = 50
	projectPages = 2
)

// wireProjects is one page of the projects of Cloud.
type wireProjects struct {
	Values *[]wireProject `json:"values"`
	Start  *int           `json:"startAt"`
	Total  *int           `json:"total"`
	Last   *bool          `json:"isLast"`
}

func (w wireProjects) Missing() string {
	switch {
	case w.Values == nil:
		return "values"
	case w.Last == nil:
		return "isLast"
	}
	return upstream.MissingIn("", *w.Values)
}

// elsewhere reports whether the page is another one than that which goes on after the
// rows: as it says, or, where it says nothing, as its first row shows.
func (w wireProjects) elsewhere(rows []wireProject) bool {
	if w.Start != nil {
		return *w.Start != len(rows)
	}
	return len(rows) > 0 && len(*w.Values) > 0 && *(*w.Values)[0].Key == *rows[0].Key
}

// wireStates are the statuses of one type of issue.
type wireStates struct {
	Name     string        `json:"name"`
	Statuses *[]wireStatus `json:"statuses"`
}

func (w wireStates) Missing() string { return upstream.Absent("statuses", w.Statuses == nil) }

// Describe says what the issues of one project can be filtered by; without a
// project, which projects the account sees.
func (t tracker) Describe(ctx context.Context, q connectors.DescribeQuery) status.Result[connectors.Project] {
	failed := func(f status.Failure) status.Result[connectors.Project] {
		return status.Failed[connectors.Project](t.source, f)
	}
	key := q.Project
	if key == "" {
		key = t.project
	}
	s, f := t.which(ctx)
	switch {
	case f != nil:
		return failed(*f)
	case key == "" || key == connectors.Everywhere:
		return t.projectsOf(ctx, s)
	case !isProject(key):
		return failed(*t.badArgument("project", "must be the key of a project, such as PAY"))
	}
	key = strings.ToUpper(key)
	k, f := t.visible(ctx, key)
	if f != nil {
		return failed(f.With(status.Reference.Is(key)))
	}
	a := &status.Audit{}
	a.Hold(k.proof, status.Transport, status.Shape, status.InBand, status.Completeness, status.Scope)
	p := t.about(k.wire, s)
	states, x, f := many[wireStates](ctx, t.client, s.get("/project/{key}/statuses", "project", k.key, "statuses"))
	if f != nil {
		a.Unmade(status.Completeness, f.With(status.Part.Is("states")))
		t.identity(ctx, a)
	} else {
		t.hear(a, x)
		t.identify(ctx, a, x)
		p.States = statesOf(states)
	}
	fields, x, f := many[wireNamed](ctx, t.client, s.get("/field", "field"))
	if f != nil {
		a.Unmade(status.Completeness, f.With(status.Part.Is("fields")))
	} else {
		t.hear(a, x)
		p.Fields = fieldsOf(fields)
	}
	p.Labels = t.labels(ctx, s, a)
	p.People = t.people(ctx, s, k.key, a)
	return status.One(t.source, p, a)
}

// identity adds that the credential counted, where no answer is at hand.
func (c *client) identity(ctx context.Context, a *status.Audit) {
	c.identify(ctx, a, &upstream.Exchange{At: c.now()})
}

func statesOf(all []wireStates) []string {
	var out []string
	var t scrub
	for _, one := range all {
		for _, s := range *one.Statuses {
			if name := t.line(s.Name); name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// fieldsOf are the names of the fields that a query may use, each once.
func fieldsOf(all []wireNamed) []string {
	var out []string
	var t scrub
	for _, f := range all {
		out = append(out, t.line(f.Name))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// about is what the record of a project tells.
func (t tracker) about(w wireProject, s server) connectors.Project {
	var text scrub
	key := *w.Key
	p := connectors.Project{
		Origin:      connectors.Origin{Source: t.source, Container: key, Ref: key, URL: s.browse(key), Title: text.line(w.Name)},
		Description: text.line(w.Description), NativeQuery: "JQL",
		Filters: []string{"query", "state", "assignee", "author", "labels", "updated_since", "native_query"},
	}
	if w.Private != nil {
		p.Visibility = map[bool]string{true: "private", false: "public"}[*w.Private]
	}
	if w.Archived || w.Deleted {
		p.Visibility = container{wire: w}.put()
	}
	for _, it := range w.Types {
		p.Types = append(p.Types, text.line(it.Name))
	}
	p.Removed = text.removed
	return p
}

// projectsOf lists the projects that the account sees. JR-26.
func (t tracker) projectsOf(ctx context.Context, s server) status.Result[connectors.Project] {
	a := &status.Audit{}
	rows, x, f := t.projectRows(ctx, s, a)
	if f != nil {
		return status.Failed[connectors.Project](t.source, *f)
	}
	a.Unprovable(noteHidden)
	a.Uncovered(noteNotLive)
	a.Hold(x.Proof(), status.Scope, status.Effectiveness)
	var out []connectors.Project
	for _, w := range rows {
		out = append(out, t.about(w, s))
	}
	return status.List(t.source, out, a)
}

// projectRows reads the listing of projects, within bounds: Data Center sends all
// at once, Cloud page by page.
func (t tracker) projectRows(ctx context.Context, s server, a *status.Audit) ([]wireProject, *upstream.Exchange, *status.Failure) {
	const most = projectRows * projectPages
	if !s.cloud {
		rows, x, f := many[wireProject](ctx, t.client, s.get("/project", "project"))
		if f != nil {
			return nil, x, f
		}
		t.hear(a, x)
		t.identify(ctx, a, x)
		if len(rows) > most { // HT-17
			a.Fail(status.Completeness, *x.Fail(status.OwnCap, status.Limit.Is(most), status.Total.Is(len(rows))))
			return rows[:most], x, nil
		}
		a.Hold(x.Proof(), status.Completeness)
		return rows, x, nil
	}
	var out []wireProject
	var first *upstream.Exchange
	total := 0
	for range projectPages {
		w, x, f := one[wireProjects](ctx, t.client, s.get("/project/search", "project", "search").with(url.Values{
			"startAt": {strconv.Itoa(len(out))}, "maxResults": {strconv.Itoa(projectRows)}, "expand": {"description,issueTypes"},
		}))
		switch {
		case f != nil && first == nil:
			return nil, x, f
		case f != nil: // HT-10
			a.Unmade(status.Completeness, *f)
			return out, first, nil
		case w.elsewhere(out) || len(*w.Values) == 0 && !*w.Last:
			a.Fail(status.Completeness, *x.Contradicts("another page than was asked came back"))
			return out, x, nil
		case *w.Last && w.Total != nil && *w.Total > len(out)+len(*w.Values):
			a.Fail(status.Completeness, *x.Contradicts("isLast is true, and total exceeds the projects"))
		case w.Total != nil && *w.Total < total:
			a.Fail(status.Completeness, *shrank(x))
		}
		if w.Total != nil {
			total = *w.Total
		}
		t.hear(a, x)
		if first == nil {
			first = x
			t.identify(ctx, a, x)
		}
		if out = append(out, *w.Values...); *w.Last {
			a.Hold(x.Proof(), status.Completeness)
			return out, first, nil
		}
	}
	a.Fail(status.Completeness, *first.Fail(status.OwnCap, status.Limit.Is(most)))
	return out, first, nil
}
