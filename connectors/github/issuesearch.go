package github

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// search answers from GitHub's index, scope by scope.
func (t tracker) search(ctx context.Context, q connectors.IssueQuery) status.Result[connectors.Issue] {
	failed := func(f *status.Failure) status.Result[connectors.Issue] {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	p, f := t.plan(q)
	if f != nil {
		return failed(f)
	}
	start, f := t.position(q.Cursor)
	if f != nil {
		return failed(f)
	}
	s := &seeker{tracker: t, q: q, plan: p, walk: walk{limit: q.Limit, at: start}, audit: &status.Audit{}}
	f = s.run(ctx)
	if f == nil {
		s.audit.Examined(s.examined)
		s.judgeForeign(s.audit)
		f = s.prove(ctx)
	}
	switch {
	case s.moved != "": // GH-43: the index knows the repository under its new name only
		q.Project = s.moved
		return t.search(ctx, q)
	case f != nil && s.lost != nil && echoes(*f): // the first cause, not what follows from it
		return failed(s.lost)
	case f != nil:
		return failed(f)
	}
	return status.List(t.source, s.items, s.audit)
}

// seeker is one search under way.
type seeker struct {
	tracker
	q    connectors.IssueQuery
	plan plan
	walk
	audit *status.Audit
	last  *upstream.Exchange
	cut   bool            // the last page said that its search was not complete
	lost  *status.Failure // why a later page was not read
	moved string          // the only repository asked goes by this name now
}

func (s *seeker) query() url.Values {
	v := options(gh.SearchOptions{Sort: "updated", Order: "desc", ListOptions: gh.ListOptions{PerPage: s.q.Limit}})
	scope := s.plan.scopes[min(s.at.scope, len(s.plan.scopes)-1)]
	v.Set("q", strings.TrimSpace(s.plan.terms+" "+scope))
	return v
}

// run reads pages until the limit is reached or every scope was searched to its
// end. A failure of the first page is the answer; a later one leaves what was
// read before it. HT-10.
func (s *seeker) run(ctx context.Context) *status.Failure {
	for range maxPages {
		k := call{class: "GET /search/issues", path: []string{"search", "issues"}, query: s.at.onto(s.query())}
		w, x, f := one[wireIssueSearch](ctx, s.client, k)
		if f != nil && s.last == nil {
			return s.unseen(ctx, *f)
		}
		if f != nil {
			s.lost = f
			s.audit.Unmade(status.Completeness, *f)
			break
		}
		s.last = x
		s.hear(ctx, s.audit, x)
		next, more := nextPage(x.Header)
		s.judge(w, more)
		full := s.take(*w.Items, func(i wireIssue) (connectors.Issue, bool) {
			home := homeOf(i, s.plan.only())
			return s.issue(i, home, repoName{}), s.within(ctx, home)
		})
		loop := false
		switch {
		case full:
		case more:
			s.at, loop = s.at.onward(next)
		case s.at.scope+1 < len(s.plan.scopes):
			s.at = position{page: url.Values{}, scope: s.at.scope + 1}
		default:
			s.audit.Hold(x.Proof(), status.Completeness)
			return nil
		}
		if loop {
			s.audit.Fail(status.Completeness, status.Fail(status.CursorLoop))
			return nil
		}
		if len(s.items) == s.limit {
			break
		}
	}
	s.audit.Next(s.at.cursor())
	return nil
}

// judge reads GitHub's own markers: a search that ran out of time, its cap, and
// a total that the rows do not reach. GH-22, GH-23.
func (s *seeker) judge(w wireIssueSearch, more bool) {
	about := []status.Option{status.Total.Is(*w.Total), status.HTTPStatus.Is(s.last.Status)}
	if *w.Incomplete {
		s.cut = true
		s.audit.Fail(status.InBand, status.Fail(status.IndexIncomplete, append(about, status.Marker.Is("incomplete_results"))...))
	}
	seen := s.before() + len(*w.Items)
	about = append(about, status.Examined.Is(seen))
	switch {
	case *w.Total > searchCap:
		s.audit.Fail(status.Completeness, status.Fail(status.ProviderCap, append(about, status.Limit.Is(searchCap))...))
	case !more && seen < *w.Total:
		s.audit.Fail(status.Completeness, status.Fail(status.Contradictory, append(about,
			status.Marker.Is("total_count exceeds the rows, and there is no further page"))...))
	}
}

// before is how many rows of this scope stand on the pages before this one.
func (s *seeker) before() int {
	page, err := strconv.Atoi(s.at.page.Get("page"))
	if err != nil || page < 1 {
		return 0
	}
	size, err := strconv.Atoi(s.at.page.Get("per_page"))
	if err != nil {
		size = s.q.Limit
	}
	return (page - 1) * size
}

// unseen reads a refused search: GitHub does not tell a repository or account
// that is absent from one that is hidden. If the repository is visible, it is an
// account in a filter that did not resolve. GH-24.
func (s *seeker) unseen(ctx context.Context, f status.Failure) *status.Failure {
	repos, _ := s.plan.targets()
	if f.Reason() != status.AbsentOrHidden || len(repos) == 0 {
		return &f
	}
	for _, r := range repos[:min(len(repos), maxChecks)] {
		k, lost := s.visible(ctx, r)
		if lost != nil {
			return lost
		}
		if k.moved && len(repos) == 1 {
			s.moved = k.name.String()
			return &f
		}
	}
	unresolved := status.Fail(status.FilterUnresolved, status.Filter.Is(s.accounts()), status.Container.Is(repos[0].String()))
	return &unresolved
}

// accounts names the filters of the question that hold an account.
func (s *seeker) accounts() string {
	var out []string
	if s.q.Author != "" {
		out = append(out, "author "+s.q.Author)
	}
	if s.q.Assignee != "" {
		out = append(out, "assignee "+s.q.Assignee)
	}
	for _, w := range s.plan.native {
		if w.key != "" && w.key != "repo" && w.key != "is" {
			out = append(out, w.key+":"+w.value)
		}
	}
	return strings.Join(out, ", ")
}

// only is the repository that is searched where the plan searches one alone.
func (p plan) only() repoName {
	repos, owners := p.targets()
	if len(repos) == 1 && len(owners) == 0 && len(p.native) == 0 {
		return repos[0]
	}
	return repoName{}
}

// within reports whether what was searched holds that repository. A row that
// does not say where it is counts as within.
func (s *seeker) within(ctx context.Context, home repoName) bool {
	repos, owners := s.plan.targets()
	same := func(owner string) bool { return strings.EqualFold(owner, home.owner) }
	if len(repos)+len(owners) == 0 || home == (repoName{}) || slices.ContainsFunc(owners, same) {
		return true
	}
	return slices.ContainsFunc(repos, func(r repoName) bool {
		if strings.EqualFold(r.String(), home.String()) {
			return true
		}
		k, f := s.visible(ctx, r) // it may go by another name now
		return f == nil && k.moved && strings.EqualFold(k.name.String(), home.String())
	})
}
