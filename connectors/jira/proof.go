package jira

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// indexLag is how far Cloud's search may be behind what was written: seconds to
// minutes, as its documentation says. JR-17.
const indexLag = 5 * time.Minute

const (
	userRows  = 50 // of one search for people, which it does not give more of unasked
	labelHits = 15 // of one search for labels, which Jira cuts there without a sign
)

// prove makes the checks that the pages themselves do not settle: that what was
// searched is visible, and that a zero means something.
func (s *seeker) prove(ctx context.Context) *status.Failure {
	s.audit.Unprovable(noteHidden) // JR-08, JR-18: a project that is seen is not all seen
	if s.q.Text != "" && len(s.items) > 0 {
		s.audit.Unprovable(noteStems)
	}
	if s.examined > s.foreign { // rows that fit show that the query was understood
		s.audit.Hold(s.last.Proof(), status.Scope, status.Effectiveness)
	}
	if len(s.items) > 0 {
		return nil
	}
	if s.lost {
		return nil
	}
	if s.plan.byIssue { // JR-10: a search does not tell an absent issue from a hidden one
		return s.last.Fail(status.AbsentOrHidden, status.Existence.Is(status.ExistenceUnknown), status.Filter.Is("key"),
			status.Fallback("ask for the single issue with tracker_get_issue"))
	}
	s.audit.Uncovered(noteArchived) // JR-27
	var f *status.Failure
	if s.plan.project == "" {
		f = s.proveSome(ctx)
	} else {
		f = s.proveProject(ctx)
	}
	if f == nil && s.old == 0 {
		s.proveFilters(ctx)
	}
	return f
}

// proveProject: the project is visible, is searched at all, and its index is not behind.
func (s *seeker) proveProject(ctx context.Context) *status.Failure {
	k, f := s.visible(ctx, s.plan.project)
	switch {
	case f != nil && f.Code() == status.SourceUnreliable:
		s.audit.Unmade(status.Scope, *f)
		return nil
	case f != nil:
		return f
	}
	s.audit.Hold(k.proof, status.Scope)
	if k.archived { // JR-27
		s.audit.Fail(status.Effectiveness, status.Fail(status.IndexNotCovering, status.WasCalled, status.Container.Is(k.key), status.Marker.Is(k.put())))
		return nil
	}
	s.upToDate(k)
	return nil
}

// upToDate compares Cloud's search with what the project says of itself: when its
// last issue changed, and how many it holds. JR-17.
func (s *seeker) upToDate(k container) {
	in := k.wire.Insight
	if in == nil || in.Last.at() == nil && in.Total == nil {
		s.audit.Unprovable(noteLag)
		return
	}
	if at := in.Last.at(); at != nil && s.last.At.Sub(*at) < indexLag {
		s.audit.Unmade(status.Effectiveness, *s.last.Fail(status.Stale, status.Container.Is(k.key),
			status.AgeSeconds.Is(int64(indexLag/time.Second)), status.After(indexLag)))
		return
	}
	if in.Total != nil && *in.Total > 0 && s.plan.clauses == 0 && s.at == (position{}) && s.foreign == 0 {
		s.audit.Fail(status.Completeness, *s.last.Fail(status.Contradictory, status.Container.Is(k.key), status.Total.Is(*in.Total), status.Examined.Is(0),
			status.Marker.Is("the project counts issues, and the search shows none")))
	}
}

// proveSome: where no single project was asked, some must be visible at all. JR-08.
func (s *seeker) proveSome(ctx context.Context) *status.Failure {
	s.audit.Unprovable(noteLag)
	if len(s.plan.keys) > 0 {
		return s.proveEach(ctx)
	}
	n, x, f := s.countProjects(ctx)
	switch {
	case f != nil && f.Code() == status.SourceUnreliable:
		s.audit.Unmade(status.Scope, *f)
	case f != nil:
		return f
	case n == 0:
		return x.Fail(status.RowsHidden, status.Container.Is("every project"), status.Examined.Is(0))
	default:
		s.audit.Hold(x.Proof(), status.Scope)
	}
	return nil
}

// proveEach: where the allow-list names the projects, each must be visible.
func (s *seeker) proveEach(ctx context.Context) *status.Failure {
	hidden := 0
	for i, key := range s.plan.keys {
		if i == maxChecks {
			s.audit.Unmade(status.Scope, status.Fail(status.OwnCap, status.Limit.Is(maxChecks)))
			break
		}
		k, f := s.visible(ctx, key)
		switch {
		case f == nil:
			s.audit.Hold(k.proof, status.Scope)
		case f.Code() == status.SourceUnreliable:
			s.audit.Unmade(status.Scope, *f)
		default:
			hidden++
			s.audit.Fail(status.Scope, *f)
			if hidden == len(s.plan.keys) {
				return f
			}
		}
	}
	return nil
}

func (s *seeker) countProjects(ctx context.Context) (int, *upstream.Exchange, *status.Failure) {
	if s.srv.cloud {
		w, x, f := one[wireProjects](ctx, s.client, s.srv.get("/project/search", "project", "search").with(url.Values{"maxResults": {"1"}}))
		if f != nil {
			return 0, x, f
		}
		return len(*w.Values), x, nil
	}
	rows, x, f := many[wireProject](ctx, s.client, s.srv.get("/project", "project"))
	return len(rows), x, f
}

// proveFilters tells a filter that matched nothing from one that could not. Jira
// refuses a query with a value that it does not know, except for labels and texts,
// and accounts are looked up in case it did not.
func (s *seeker) proveFilters(ctx context.Context) {
	proof := s.last.Proof()
	if s.q.Text != "" {
		s.audit.Unprovable(noteWords)
	}
	if slices.ContainsFunc(phrases(s.q.Text), connectors.Unindexed) {
		s.audit.Fail(status.Effectiveness, status.Fail(status.IndexNotCovering, status.WasCalled, status.Part.Is("words that the index leaves out"),
			status.Fallback("search for a rarer word")))
	}
	if s.plan.native != "" {
		s.audit.Unprovable(noteNative)
	}
	for _, l := range s.q.Labels {
		if f := s.labelled(ctx, l); f != nil {
			s.unresolved(*f)
		}
	}
	for _, a := range s.accounts() {
		p, f := s.knows(ctx, a)
		if f != nil {
			s.unresolved(*f)
			continue
		}
		proof = p
	}
	s.audit.Hold(proof, status.Effectiveness)
}

func (s *seeker) unresolved(f status.Failure) {
	if f.Reason() == status.FilterUnresolved {
		s.audit.Fail(status.Effectiveness, f)
		return
	}
	s.audit.Unmade(status.Effectiveness, f)
}

// accounts are the names of accounts in the question, each once.
func (s *seeker) accounts() []string {
	var out []string
	for _, name := range []string{s.q.Assignee, s.q.Author} {
		if name != "" && name != "@me" && name != "none" && name != "*" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// wireSuggestions is what Jira offers to complete a value in JQL with.
type wireSuggestions struct {
	Results *[]struct {
		Value string `json:"value"`
	} `json:"results"`
}

func (w wireSuggestions) Missing() string { return upstream.Absent("results", w.Results == nil) }

// labelled looks a label up: there is no register of labels, only what issues bear.
func (s *seeker) labelled(ctx context.Context, label string) *status.Failure {
	filter := status.Filter.Is("label " + label)
	k := s.srv.get("/jql/autocompletedata/suggestions", "jql", "autocompletedata", "suggestions")
	w, x, f := one[wireSuggestions](ctx, s.client, k.with(url.Values{"fieldName": {"labels"}, "fieldValue": {label}}))
	if f != nil && x != nil && x.Status == http.StatusNotFound { // a server that completes nothing
		return x.Fail(status.EndpointGone, filter)
	}
	if f != nil {
		named := f.With(filter)
		return &named
	}
	for _, r := range *w.Results {
		if strings.EqualFold(strings.Trim(r.Value, `"`), label) {
			return nil
		}
	}
	if len(*w.Results) >= labelHits {
		return x.Fail(status.ProviderCap, filter, status.Examined.Is(len(*w.Results)))
	}
	return x.Fail(status.FilterUnresolved, filter, status.Container.Is(s.plan.project))
}

// knows looks an account up. An account that may not search for others is told that
// there are none, so that an empty list proves nothing by itself. JR-29.
func (s *seeker) knows(ctx context.Context, name string) (status.Proof, *status.Failure) {
	filter := status.Filter.Is("account " + name)
	found, x, f := s.users(ctx, s.srv.get("/user/search", "user", "search"), name)
	if f != nil {
		named := f.With(filter)
		return status.Proof{}, &named
	}
	if len(found) > 0 {
		return x.Proof(), nil
	}
	if f := s.unseen(ctx); f != nil {
		named := f.With(filter)
		return status.Proof{}, &named
	}
	return status.Proof{}, x.Fail(status.FilterUnresolved, filter)
}

// users are the accounts that go by that name exactly. The listing, which has others too
// whose names begin so, does not tell where it ends: of a full page that lacks the
// account nothing follows.
func (c *client) users(ctx context.Context, k call, name string) ([]wireUser, *upstream.Exchange, *status.Failure) {
	q := url.Values{"query": {name}}
	if k.version == "2" {
		q = url.Values{"username": {name}}
	}
	for key, v := range k.query {
		q[key] = v
	}
	rows, x, f := many[wireUser](ctx, c, k.with(q))
	if f != nil {
		return nil, x, f
	}
	full := len(rows) >= userRows
	rows = slices.DeleteFunc(rows, func(u wireUser) bool {
		yes, _ := u.goesBy(name)
		return !yes
	})
	if full && len(rows) == 0 {
		return nil, x, x.Fail(status.OwnCap, status.Limit.Is(userRows), status.Part.Is("people whose names begin so"),
			status.Fallback("name the account by its id or e-mail"))
	}
	return rows, x, nil
}
