package github

import (
	"context"
	"net/url"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

const (
	describeRows  = "100"
	describePages = 3
)

// Describe says what one repository's issues can be filtered by; without a
// project, which repositories with a tracker the account sees.
func (t tracker) Describe(ctx context.Context, q connectors.DescribeQuery) status.Result[connectors.Project] {
	if q.Project == connectors.Everywhere || q.Project == "" && t.project == "" {
		return t.projects(ctx)
	}
	failed := func(f status.Failure) status.Result[connectors.Project] {
		return status.Failed[connectors.Project](t.source, f)
	}
	r, f := t.repo("project", q.Project)
	if f != nil {
		return failed(*f)
	}
	k, f := t.visible(ctx, r)
	if f != nil {
		return failed(f.With(status.Reference.Is(r.String())))
	}
	if k.trackerless() {
		return failed(t.trackerOff(k))
	}
	a := &status.Audit{}
	a.Hold(k.proof, status.Transport, status.Shape, status.InBand, status.Completeness)
	k.vouch(a)
	p := t.about(k)
	labels := pages[wireNamed](ctx, t.client, a, repoCall(k.name, "/labels", "labels"), "labels")
	milestones := pages[wireTitled](ctx, t.client, a, repoCall(k.name, "/milestones", "milestones").with(url.Values{"state": {"all"}}), "milestones")
	people := pages[wireAccount](ctx, t.client, a, repoCall(k.name, "/assignees", "assignees"), "people")
	var s scrub
	p.Labels = s.lines(namesOf(labels))
	for _, m := range milestones {
		p.Milestones = append(p.Milestones, s.line(*m.Title))
	}
	for _, w := range people {
		p.People = append(p.People, s.line(*w.Login))
	}
	p.Removed += s.removed
	return status.One(t.source, p, a)
}

// about is what the repository itself tells.
func (t tracker) about(k container) connectors.Project {
	var s scrub
	p := connectors.Project{
		Origin: connectors.Origin{Source: t.source, Container: k.name.String(), Ref: k.name.String(), URL: s.url(k.url), Title: k.name.String(), UpdatedAt: k.pushedAt},
		States: []string{"open", "closed"}, Visibility: "public", Description: s.line(k.about),
		Filters:     []string{"query", "state", "assignee", "author", "labels", "updated_since", "native_query"},
		NativeQuery: "GitHub's issue search (q), without is:pr",
	}
	if k.private {
		p.Visibility = "private"
	}
	p.Removed = s.removed
	return p
}

// pages reads a whole listing, within bounds. What was not read makes the answer
// partial and is named by part.
func pages[T upstream.Wire](ctx context.Context, c *client, a *status.Audit, k call, part string) []T {
	var out []T
	pos, base := position{page: url.Values{}}, url.Values{"per_page": {describeRows}}
	for key, v := range k.query {
		base[key] = v
	}
	for range describePages {
		rows, x, f := many[T](ctx, c, k.with(pos.onto(base)))
		if f != nil {
			a.Unmade(status.Completeness, f.With(status.Part.Is(part)))
			return out
		}
		c.hear(ctx, a, x)
		mine, rest := share(rows, position{}, maxLimit)
		out = append(out, mine...)
		if rest != nil {
			break
		}
		next, more := nextPage(x.Header)
		if !more {
			return out
		}
		onward, loop := pos.onward(next)
		if pos = onward; loop {
			a.Fail(status.Completeness, status.Fail(status.CursorLoop, status.Part.Is(part)))
			return out
		}
	}
	a.Unmade(status.Completeness, status.Fail(status.OwnCap, status.Part.Is(part), status.Limit.Is(len(out))))
	return out
}

// wireRepoPage is the answer of an application's installation, an object.
type wireRepoPage struct {
	Repositories *[]wireRepo `json:"repositories"`
}

func (w wireRepoPage) Missing() string {
	if w.Repositories == nil {
		return "repositories"
	}
	return upstream.MissingIn("", *w.Repositories)
}

// projects lists the repositories with a tracker that the account sees, the most
// recently pushed first. GH-07 may hide some; of those of others that are only
// public, GitHub lists none.
func (t tracker) projects(ctx context.Context) status.Result[connectors.Project] {
	if t.anonymous() {
		_, f := t.repo("project", "") // names the missing argument
		if f == nil {
			f = t.badArgument("project", "must be owner/name: without a credential there is no account whose repositories could be listed")
		}
		return status.Failed[connectors.Project](t.source, *f)
	}
	rows, x, f := t.repositories(ctx)
	if f != nil {
		return status.Failed[connectors.Project](t.source, *f)
	}
	a := t.audit(ctx, x)
	a.Hold(x.Proof(), status.Scope, status.Effectiveness)
	a.Unprovable(noteHidden)
	var items []connectors.Project
	given, rest := share(rows, position{}, maxLimit)
	odd := 0
	for _, w := range given {
		k := containerOf(w, repoName{})
		if k.name == (repoName{}) {
			odd++
		}
		if !k.trackerless() && k.name != (repoName{}) {
			p := t.about(k)
			p.Filters, p.NativeQuery, p.States = nil, "", nil
			items = append(items, p)
		}
	}
	a.Examined(len(given))
	if odd > 0 {
		a.Fail(status.Completeness, status.Fail(status.ShapeError, status.HTTPStatus.Is(x.Status), status.MissingKey.Is("full_name"),
			status.Skipped.Is(map[string]int{"repositories": odd})))
	}
	if _, more := nextPage(x.Header); more || rest != nil {
		a.Unmade(status.Completeness, status.Fail(status.OwnCap, status.Part.Is("repositories"), status.Limit.Is(len(given))))
	} else {
		a.Hold(x.Proof(), status.Completeness)
	}
	return status.List(t.source, items, a)
}

func (t tracker) repositories(ctx context.Context) ([]wireRepo, *upstream.Exchange, *status.Failure) {
	query := url.Values{"per_page": {describeRows}, "sort": {"pushed"}}
	rows, x, f := many[wireRepo](ctx, t.client, call{class: "GET /user/repos", path: []string{"user", "repos"}, query: query})
	if f == nil || f.Reason() != status.ScopeMissing {
		return rows, x, f
	}
	k := call{class: "GET /installation/repositories", path: []string{"installation", "repositories"}, query: url.Values{"per_page": {describeRows}}}
	page, x, f := one[wireRepoPage](ctx, t.client, k)
	if f != nil {
		return nil, x, f
	}
	return *page.Repositories, x, nil
}
