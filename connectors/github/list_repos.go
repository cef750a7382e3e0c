package github

import (
	"context"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// noteUngranted: a token that is granted single repositories is not told which
// others there are. GH-14.
const noteUngranted = "repositories_not_granted_to_token"

const ownRepos = "GET /user/repos"

// listRepos lists the repositories of an owner, or those of the account.
func (r repository) listRepos(ctx context.Context, q connectors.RepoList) status.Result[connectors.Entry] {
	pos, f := r.position(q.Cursor)
	if f != nil {
		return status.Failed[connectors.Entry](r.source, *f)
	}
	owner := q.Repo
	if owner == connectors.Everywhere {
		owner = ""
	}
	if owner == "" && r.anonymous() { // there is no account
		owner, _, _ = strings.Cut(r.project, "/")
	}
	lists, public, f := r.repoLists(ctx, owner)
	if f != nil {
		return status.Failed[connectors.Entry](r.source, f.With(status.Reference.Is(owner), status.Container.Is(owner)))
	}
	if pos.scope >= len(lists) {
		return status.Failed[connectors.Entry](r.source, *r.badArgument("cursor", "was not handed out by this source"))
	}
	l := lists[pos.scope]
	k := l.call
	k.query.Set("per_page", perPage(q.Limit).Get("per_page"))
	repos, x, f := many[wireListedRepo](ctx, r.client, k.with(pos.onto(k.query)))
	if f != nil {
		return status.Failed[connectors.Entry](r.source, f.With(status.Container.Is(owner)))
	}
	a := r.audit(ctx, x)
	mine, rest := share(repos, pos, q.Limit)
	items := r.ofOwner(a, mine, owner, l.mixed)
	a.Hold(x.Proof(), status.Effectiveness)
	a.Examined(len(mine))
	if f := r.ungranted(a, x); f != nil && len(items) == 0 && len(repos) == 0 {
		return status.Failed[connectors.Entry](r.source, *f)
	}
	a.Hold(x.Proof(), status.Scope)
	if len(repos) == 0 && q.Cursor == "" && public > 0 {
		a.Fail(status.Completeness, status.Fail(status.Contradictory, status.HTTPStatus.Is(x.Status), status.Container.Is(owner),
			status.Total.Is(public), status.Examined.Is(0), status.Marker.Is("public_repos is above zero, and the listing is empty")))
	}
	if _, more := nextPage(x.Header); !more && rest == nil && pos.scope+1 < len(lists) {
		a.Next(position{page: url.Values{}, scope: pos.scope + 1}.cursor())
	} else {
		r.goOn(a, x, pos, rest)
	}
	return status.List(r.source, items, a)
}

// repoList is a listing of repositories. A mixed one holds those of many owners
// by design.
type repoList struct {
	call
	mixed bool
}

// ofOwner takes the rows of one owner, or all. Others in a listing that should
// hold none show that GitHub did not answer what was asked.
func (r repository) ofOwner(a *status.Audit, rows []wireListedRepo, owner string, mixed bool) []connectors.Entry {
	var items []connectors.Entry
	foreign := 0
	for _, w := range rows {
		home, ok := w.home()
		switch {
		case ok && (owner == "" || strings.EqualFold(home.owner, owner)):
			items = append(items, r.repoEntry(w))
		case !ok || !mixed:
			foreign++
		}
	}
	if foreign > 0 {
		a.Fail(status.Effectiveness, status.Fail(status.Contradictory, status.Skipped.Is(map[string]int{"repositories": foreign}),
			status.Marker.Is("repositories that are not of the owner who was asked for")))
	}
	return items
}

// repoLists names the listings that together hold the repositories of an owner.
// That of another person shows the public ones only, so those that were shared
// with the account come from its own listing. public is how many public ones the
// owner has.
func (r repository) repoLists(ctx context.Context, owner string) (lists []repoList, public int, f *status.Failure) {
	own := func(affiliation string) call {
		return call{class: ownRepos, path: []string{"user", "repos"},
			query: options(gh.RepositoryListByAuthenticatedUserOptions{Affiliation: affiliation, Sort: "full_name"})}
	}
	switch {
	case owner == "" && r.anonymous():
		_, f := r.repo("repo", "") // names the missing argument
		return nil, 0, f
	case owner == "":
		return []repoList{{call: own("")}}, 0, nil
	case !plainName(owner):
		return nil, 0, r.badArgument("repo", "must be the name of an owner to list repositories")
	}
	w, _, f := one[wireOwner](ctx, r.client, call{class: "GET /users/{owner}", path: []string{"users", owner}, asked: names{login: owner}})
	switch {
	case f != nil:
		return nil, 0, f
	case *w.Type == "Organization":
		return []repoList{{call: call{class: "GET /orgs/{org}/repos", path: []string{"orgs", owner, "repos"},
			query: options(gh.RepositoryListByOrgOptions{Type: "all", Sort: "full_name"})}}}, w.Public, nil
	}
	open := repoList{call: call{class: "GET /users/{owner}/repos", path: []string{"users", owner, "repos"},
		query: options(gh.RepositoryListByUserOptions{Type: "owner", Sort: "full_name"})}}
	if r.anonymous() {
		return []repoList{open}, w.Public, nil
	}
	id, f := r.who(ctx)
	switch {
	case f != nil:
		return nil, 0, f
	case strings.EqualFold(id.login, owner):
		return []repoList{{call: own("owner")}}, w.Public, nil
	case id.login == "": // an installation has no collaborations
		return []repoList{open}, w.Public, nil
	}
	return []repoList{open, {call: own("collaborator"), mixed: true}}, w.Public, nil
}

// ungranted records what the kind of token keeps out of a listing of
// repositories. A classic token without the scope repo is shown public ones
// only (GH-04). One that is granted single repositories is not told of others:
// if it sees none at all, that says nothing (GH-12, GH-14), and the failure says so.
func (c *client) ungranted(a *status.Audit, x *upstream.Exchange) *status.Failure {
	if c.anonymous() {
		return nil
	}
	hidden := status.Fail(status.RowsHidden, status.HTTPStatus.Is(x.Status))
	if len(x.Header.Values("X-OAuth-Scopes")) == 0 {
		a.Unprovable(noteUngranted)
		return &hidden
	}
	granted := scopesIn(x.Header, "X-OAuth-Scopes")
	if !covers(granted, "repo") {
		a.Fail(status.Scope, status.Fail(status.ScopeMissing, status.MissingScope.Is("repo"),
			status.GrantedScopes.Is(strings.Join(granted, ", ")), status.HTTPStatus.Is(x.Status)))
	}
	return nil
}

func (r repository) repoEntry(w wireListedRepo) connectors.Entry {
	var s scrub
	about, address := s.line(w.Description), s.url(w.HTMLURL)
	return connectors.Entry{
		Origin: connectors.Origin{Source: r.source, Container: *w.FullName, Ref: *w.FullName, URL: address, UpdatedAt: w.PushedAt, Removed: s.removed},
		Type:   "repo", Private: w.Private, Archived: w.Archived, Description: about,
	}
}
