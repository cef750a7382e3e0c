package redmine

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// filters are the arguments of tracker_search that work here.
var filters = []string{"query", "state", "assignee", "author", "labels (one category)", "updated_since"}

// Describe says what one project's issues can be filtered by; without a project,
// which projects the account sees.
func (t tracker) Describe(ctx context.Context, q connectors.DescribeQuery) status.Result[connectors.Project] {
	if q.Project == "" {
		q.Project = t.project
	}
	if q.Project == "" || q.Project == connectors.Everywhere {
		return t.everything(ctx)
	}
	if !isProject(q.Project) {
		return status.Failed[connectors.Project](t.source, *t.badArgument("project", "must be the identifier of a project, as it stands in its address"))
	}
	id, f := t.proved(ctx)
	if f != nil {
		return status.Failed[connectors.Project](t.source, *f)
	}
	k, u := t.enabled(ctx, q.Project, moduleTracker)
	if u != nil {
		return unread[connectors.Project](t.source, u)
	}
	a := &status.Audit{}
	a.Hold(k.proof, status.Transport, status.Shape, status.InBand, status.Completeness)
	a.Hold(k.proof, status.Identity)
	if !t.anonymous() {
		a.Hold(id.proof, status.Identity)
	}
	k.vouch(a)
	return status.One(t.source, t.detailed(ctx, a, k), a)
}

// detailed is a project with all that its issues can be filtered by. A part that
// was not read makes the answer partial.
func (t tracker) detailed(ctx context.Context, a *status.Audit, k container) connectors.Project {
	lack := func(part string, f *status.Failure) {
		if f != nil {
			a.Unmade(status.Completeness, f.With(status.Part.Is(part), status.Container.Is(k.identifier)))
		}
	}
	p := t.about(k)
	s := scrub{removed: p.Removed}
	p.Filters, p.NativeQuery = filters, ""
	p.Types, p.Labels = s.names(k.trackers), s.names(k.categories)
	states, f := t.listStatuses(ctx)
	lack("states", f)
	for _, st := range states {
		p.States = append(p.States, s.line(st.Name))
	}
	versions, x, f := one[wireVersions](ctx, t.client, get("/projects/{id}/versions.json", "projects", k.identifier, "versions"))
	lack("milestones", f)
	if f == nil {
		t.hear(ctx, a, x)
		p.Milestones = s.names(*versions.Versions)
		if n := versions.Total; n != nil && *n != len(*versions.Versions) { // they come in one piece
			lack("milestones", x.Contradicts("total_count is not the number of rows that came"))
		}
	}
	members := t.members(ctx, k)
	lack("people", members.gap)
	for _, m := range members.rows {
		p.People = append(p.People, s.optional(m.who())...)
	}
	priorities, _, f := one[wirePriorities](ctx, t.client, get("/enumerations/issue_priorities.json", "enumerations", "issue_priorities"))
	lack("priorities", f)
	if f == nil {
		p.Fields = append(p.Fields, "priority ("+strings.Join(s.names(*priorities.Priorities), ", ")+")")
	}
	fields, f := t.fieldsIn(ctx, k)
	lack("fields", f)
	for _, name := range s.names(fields) {
		if !slices.Contains(p.Fields, name) {
			p.Fields = append(p.Fields, name)
		}
	}
	p.Removed = s.removed
	return p
}

// fieldsIn are the custom fields of a project: those that were made for it, and those
// of its latest issue, since those for all projects are told to administrators only.
func (t tracker) fieldsIn(ctx context.Context, k container) ([]wireRef, *status.Failure) {
	fields := k.fields
	q := url.Values{"status_id": {"*"}, "subproject_id": {"!*"}, "sort": {"updated_on:desc,id:desc"}}
	w, _, f := one[wireIssues](ctx, t.client, get("/projects/{id}/issues.json", "projects", k.identifier, "issues").with(part(q, 0, 1)))
	if f != nil {
		return fields, f
	}
	for _, row := range *w.Issues {
		for _, field := range row.Fields {
			fields = append(fields, wireRef{ID: field.ID, Name: field.Name})
		}
	}
	return fields, nil
}

// about is what the project's record itself tells.
func (t tracker) about(k container) connectors.Project {
	var s scrub
	p := connectors.Project{
		Origin: connectors.Origin{
			Source: t.source, Container: k.identifier, Ref: k.identifier, URL: t.web("projects", k.identifier), Title: s.line(k.name), UpdatedAt: k.updatedOn,
		},
		Description: s.line(k.about), Visibility: "private",
	}
	if k.public {
		p.Visibility = "public"
	}
	if k.status == projectClosed {
		p.Visibility += ", closed: can only be read"
	}
	p.Removed = s.removed
	return p
}

// everything lists the projects that the account sees, closed ones included. RM-10.
func (t tracker) everything(ctx context.Context) status.Result[connectors.Project] {
	if _, f := t.proved(ctx); f != nil { // RM-01
		return status.Failed[connectors.Project](t.source, *f)
	}
	all := walkProjects(ctx, t.client)
	if len(all.rows) == 0 && all.gap != nil {
		return status.Failed[connectors.Project](t.source, *all.gap)
	}
	a := t.audit(ctx, all.last)
	a.Examined(len(all.rows))
	a.Hold(all.last.Proof(), status.Scope)
	t.limits(ctx, a, noteHidden)
	var items []connectors.Project
	odd := 0
	for _, w := range all.rows {
		if w.Status != 0 && w.Status != projectActive && w.Status != projectClosed { // RM-07: the filter was not applied
			odd++
			continue
		}
		items = append(items, t.about(containerOf(w)))
	}
	if odd > 0 {
		a.Fail(status.Effectiveness, status.Fail(status.FilterUnresolved, status.By(t.source), status.Filter.Is("status"), status.Withheld.Is(odd)))
	} else {
		a.Hold(all.last.Proof(), status.Effectiveness)
	}
	if all.gap != nil {
		a.Unmade(status.Completeness, all.gap.With(status.Part.Is("projects")))
	} else {
		a.Hold(all.last.Proof(), status.Completeness)
	}
	return status.List(t.source, items, a)
}
