package github

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// indexLag is how far the search index may be behind what was written. GH-31.
const indexLag = 2 * time.Minute

// Notes on what a search offers no way to prove.
const (
	noteIndexLag   = "search_index_lag"
	noteWholeWords = "partial_words_not_searched"
	noteLabels     = "existence_of_labels"
)

// targets are the repositories and owners that the plan searches.
func (p plan) targets() (repos []repoName, owners []string) {
	add := func(key, value string) {
		if r, ok := parseRepo(value); ok && key == "repo" {
			repos = append(repos, r)
		} else if value != "" && value != "@me" {
			owners = append(owners, value)
		}
	}
	for _, s := range p.scopes {
		key, value, _ := strings.Cut(s, ":")
		add(key, value)
	}
	for _, w := range scopeTerms(p.native) {
		add(w.key, w.value)
	}
	return repos, owners
}

// prove makes the checks that the pages themselves do not settle: that what was
// searched is visible and was searched whole, and that a zero means something.
func (s *seeker) prove(ctx context.Context) *status.Failure {
	repos, owners := s.plan.targets()
	if len(repos) != 1 || len(owners) > 0 {
		s.audit.Unprovable(noteHidden)
	}
	if len(repos)+len(owners) == 0 { // GH-26
		s.audit.Unmade(status.Scope, status.Fail(status.ProviderCap, status.Limit.Is(searchReposCap), status.Container.Is("all repositories")))
	}
	if f := s.proveRepos(ctx, repos, len(owners) == 0); f != nil || s.moved != "" {
		return f
	}
	for _, o := range owners[:min(len(owners), maxChecks)] {
		s.proveOwner(ctx, o)
	}
	if len(repos)+len(owners) > maxChecks {
		s.audit.Unmade(status.Scope, status.Fail(status.OwnCap, status.Limit.Is(maxChecks)))
	}
	s.proveEffect(ctx, repos)
	return nil
}

// proveRepos: one repository that answered with issues is visible; otherwise each
// is asked, since a search leaves those out that the account does not see. GH-25.
func (s *seeker) proveRepos(ctx context.Context, repos []repoName, alone bool) *status.Failure {
	single := alone && len(repos) == 1
	if single && len(s.items) > 0 {
		s.audit.Hold(s.last.Proof(), status.Scope)
		return nil
	}
	var lost *status.Failure
	hidden := 0
	for _, r := range repos[:min(len(repos), maxChecks)] {
		k, f := s.visible(ctx, r)
		switch {
		case f != nil && single:
			return f
		case f != nil && f.Code() == status.SourceUnreliable:
			s.audit.Unmade(status.Scope, *f)
		case f != nil:
			hidden, lost = hidden+1, f
			s.audit.Fail(status.Scope, status.Fail(status.RowsHidden, status.Container.Is(r.String()),
				status.Existence.Is(status.ExistenceUnknown)))
		case k.moved && single:
			s.moved = k.name.String()
		case k.moved:
			s.audit.Fail(status.Scope, status.Fail(status.FilterUnresolved, status.Filter.Is("repo:"+r.String()), status.MovedTo.Is(k.name.String())))
		case k.trackerless() && single:
			off := s.trackerOff(k)
			return &off
		default:
			k.holdTracker(s.audit)
		}
	}
	if alone && hidden > 0 && hidden == len(repos) && len(s.items) == 0 {
		return lost
	}
	return nil
}

// proveOwner: the search looks into a limited number of repositories. GH-26.
func (s *seeker) proveOwner(ctx context.Context, owner string) {
	w, x, f := one[wireOwnerSize](ctx, s.client, call{class: "GET /orgs/{org}", path: []string{"orgs", owner}})
	if f != nil && f.Reason() == status.AbsentOrHidden {
		w, x, f = one[wireOwnerSize](ctx, s.client, call{class: "GET /users/{username}", path: []string{"users", owner}})
	}
	size := w.PublicRepos + w.PrivateRepos
	switch {
	case f != nil && f.Code() == status.SourceUnreliable:
		s.audit.Unmade(status.Scope, *f)
	case f != nil:
		s.audit.Fail(status.Scope, f.With(status.Container.Is(owner)))
	case size > searchReposCap:
		s.audit.Fail(status.Scope, status.Fail(status.ProviderCap, status.HTTPStatus.Is(x.Status),
			status.Limit.Is(searchReposCap), status.Total.Is(size), status.Container.Is(owner)))
	default:
		s.audit.Hold(x.Proof(), status.Scope)
	}
}

// proveEffect: rows show that the query was understood. Without any, each filter
// must be one that could match, and the index must not be behind.
func (s *seeker) proveEffect(ctx context.Context, repos []repoName) {
	if s.examined > s.foreign {
		s.audit.Hold(s.last.Proof(), status.Effectiveness)
		return
	}
	if s.cut { // the search did not end, so nothing rests on its filters
		return
	}
	if s.q.Text != "" {
		s.audit.Unprovable(noteWholeWords)
	}
	labels := slices.Clone(s.q.Labels)
	for _, w := range s.plan.native {
		if w.key == "label" && !strings.ContainsAny(w.value, `,"`) {
			labels = append(labels, w.value)
		} else {
			s.provable(w)
		}
	}
	if len(repos) != 1 {
		if len(labels) > 0 {
			s.audit.Unprovable(noteLabels)
		}
		s.audit.Unprovable(noteIndexLag)
		s.audit.Hold(s.last.Proof(), status.Effectiveness)
		return
	}
	s.resolveFilters(ctx, s.audit, repos[0], connectors.IssueQuery{Labels: labels})
	s.upToDate(ctx, repos[0])
}

// provable: GitHub reads a qualifier that it does not know as text, and ignores
// a value that it does not know; both give a zero that means nothing.
func (s *seeker) provable(w term) {
	if w.key == "" {
		return
	}
	filter := status.Filter.Is(w.key + ":" + w.value)
	if !slices.Contains(understood, w.key) {
		s.audit.Unmade(status.Effectiveness, status.Fail(status.FilterUnresolved, filter))
		return
	}
	values, closed := closedValues[w.key]
	for _, v := range strings.Split(strings.ToLower(w.value), ",") {
		if closed && !slices.Contains(values, v) {
			s.audit.Fail(status.Effectiveness, status.Fail(status.FilterUnresolved, filter, status.ValidValues.Is(values)))
			return
		}
	}
}

// upToDate asks the listing, which lags behind nothing, whether an issue changed
// so recently that the index may not have it. GH-31.
func (s *seeker) upToDate(ctx context.Context, r repoName) {
	rows, x, f := many[wireIssue](ctx, s.client, repoCall(r, "/issues", "issues").with(url.Values{
		"state": {"all"}, "sort": {"updated"}, "direction": {"desc"}, "per_page": {"30"},
	}))
	if f != nil {
		s.audit.Unmade(status.Effectiveness, *f)
		return
	}
	s.hear(ctx, s.audit, x)
	since, settled := x.At.Add(-indexLag), false
	needle := markup.NewNeedle(s.q.Text)
	for _, row := range rows {
		fresh := row.UpdatedAt == nil || !row.UpdatedAt.Before(since)
		settled = settled || !fresh
		switch {
		case row.PullRequest != nil:
		case fresh && s.couldMatch(row, needle):
			s.audit.Unmade(status.Effectiveness, stale(x))
			return
		case !fresh && s.mustMatch(row, needle):
			s.audit.Fail(status.Effectiveness, status.Fail(status.Contradictory, status.HTTPStatus.Is(x.Status), status.Container.Is(r.String()),
				status.Marker.Is("the listing shows an issue that fits, and the search does not")))
			return
		}
	}
	if _, more := nextPage(x.Header); more && !settled {
		s.audit.Unmade(status.Effectiveness, stale(x))
	}
	if len(rows) == 0 {
		s.uncounted(ctx, s.audit, r, x)
	}
}

func stale(x *upstream.Exchange) status.Failure {
	return status.Fail(status.Stale, status.HTTPStatus.Is(x.Status),
		status.AgeSeconds.Is(int64(indexLag/time.Second)), status.After(indexLag))
}

// mustMatch tells whether an issue certainly is one that was asked for, as far as
// the question can be judged without the search. GitHub looks for whole words; an
// issue that holds the text within one is no less there.
func (s *seeker) mustMatch(w wireIssue, text markup.Needle) bool {
	labels := namesOf(w.Labels)
	carries := func(l string) bool {
		return slices.ContainsFunc(labels, func(has string) bool { return strings.EqualFold(has, l) })
	}
	switch {
	case len(s.plan.native) > 0, s.q.State != "all" && s.q.State != w.State,
		s.q.Author != "" && !strings.EqualFold(s.q.Author, loginOf(w.User)),
		!s.q.UpdatedSince.IsZero() && (w.UpdatedAt == nil || w.UpdatedAt.Before(s.q.UpdatedSince)),
		slices.ContainsFunc(s.q.Labels, func(l string) bool { return !carries(l) }), !s.assignedTo(new(scrub).logins(w.Assignees)):
		return false
	}
	return s.q.Text == "" || text.In(*w.Title) || text.In(w.Body)
}

func (s *seeker) assignedTo(people []string) bool {
	switch s.q.Assignee {
	case "":
		return true
	case "none":
		return len(people) == 0
	case "*":
		return len(people) > 0
	}
	return slices.ContainsFunc(people, func(p string) bool { return strings.EqualFold(p, s.q.Assignee) })
}

// couldMatch tells whether an issue that the index may not have yet could be one
// that was asked for. Its comments are not known here.
func (s *seeker) couldMatch(w wireIssue, text markup.Needle) bool {
	switch {
	case s.q.State == "open" && w.State == "closed", s.q.State == "closed" && w.State == "open":
		return false
	case s.q.Author != "" && !strings.EqualFold(s.q.Author, loginOf(w.User)):
		return false
	case s.q.Text == "":
		return true
	}
	return w.Comments == nil || *w.Comments > 0 || text.In(*w.Title) || text.In(w.Body)
}
