package github

import (
	"context"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

const (
	// minRows is the least that one page asks for: pages hold pull requests too.
	minRows = 20
	// maxPages bounds how many pages one call walks over. The cursor goes on.
	maxPages = 10
	// maxChecks bounds how many filter values one call looks up.
	maxChecks = 12
)

// walk collects issues over pages that hold pull requests too. GH-39.
type walk struct {
	limit    int
	at       position
	items    []connectors.Issue
	examined int
	foreign  int // rows of a repository that was not asked
}

// take moves over the rows of one page. It reports whether the walk ends here,
// and the cursor to go on with, which is empty at the end of the listing. Rows of
// which item says that they do not belong here are counted and left out.
func (w *walk) take(rows []wireIssue, item func(wireIssue) (connectors.Issue, bool)) (full bool) {
	for i := w.at.skip; i < len(rows); i++ {
		if rows[i].PullRequest != nil {
			w.examined++
			continue
		}
		if len(w.items) == w.limit { // the cursor stands on the first that was not handed out
			w.at.skip = i
			return true
		}
		w.examined++
		if it, ok := item(rows[i]); ok {
			w.items = append(w.items, it)
		} else {
			w.foreign++
		}
	}
	return false
}

// judgeForeign records that there were rows of other repositories.
func (w *walk) judgeForeign(a *status.Audit) {
	if w.foreign > 0 {
		a.Fail(status.Effectiveness, status.Fail(status.Contradictory, status.Withheld.Is(w.foreign),
			status.Marker.Is("rows of another repository than was asked came back")))
	}
}

// list answers from the listing of one repository, which lags behind nothing.
func (t tracker) list(ctx context.Context, r repoName, q connectors.IssueQuery) status.Result[connectors.Issue] {
	start, f := t.position(q.Cursor)
	if f != nil {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	a := &status.Audit{}
	w := &walk{limit: q.Limit, at: start}
	first, f := t.walkList(ctx, r, listOptions(q), w, a)
	if f != nil {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	a.Examined(w.examined)
	w.judgeForeign(a)
	if len(w.items) > 0 {
		a.Hold(first.Proof(), status.Scope)
	} else if off := t.container(ctx, a, r); off != nil {
		return status.Failed[connectors.Issue](t.source, *off)
	}
	if w.examined == 0 && unfiltered(q) {
		t.uncounted(ctx, a, r, first)
	}
	switch {
	case w.foreign > 0:
	case w.examined > 0: // a row matched, be it a pull request
		a.Hold(first.Proof(), status.Effectiveness)
	default:
		t.resolveFilters(ctx, a, r, q)
	}
	return status.List(t.source, w.items, a)
}

// unfiltered reports whether the first page of the listing would show every open
// issue and pull request.
func unfiltered(q connectors.IssueQuery) bool {
	return q.Cursor == "" && q.State != "closed" && q.Assignee == "" && q.Author == "" && len(q.Labels) == 0 && q.UpdatedSince.IsZero()
}

// uncounted compares a listing x of everything, which shows nothing, with the
// number of open issues and pull requests that the repository names.
func (t tracker) uncounted(ctx context.Context, a *status.Audit, r repoName, x *upstream.Exchange) {
	k, f := t.visible(ctx, r)
	if f == nil && k.openItems > 0 && k.proof.At.Before(x.At) { // the last may have been closed since
		k, f = t.look(ctx, r)
	}
	switch {
	case f != nil:
		a.Fail(status.Scope, *f)
	case k.openItems > 0:
		a.Fail(status.Completeness, status.Fail(status.Contradictory, status.HTTPStatus.Is(x.Status), status.Container.Is(k.name.String()),
			status.Total.Is(k.openItems), status.Examined.Is(0), status.Marker.Is("open_issues_count is above zero, and the listing is empty")))
	}
}

func listOptions(q connectors.IssueQuery) url.Values {
	return options(gh.IssueListByRepoOptions{
		State: q.State, Assignee: q.Assignee, Creator: q.Author, Labels: q.Labels, Since: q.UpdatedSince.UTC(),
		Sort: "updated", Direction: "desc", ListOptions: gh.ListOptions{PerPage: max(q.Limit, minRows)},
	})
}

// walkList reads pages until the limit is reached, the listing ends, or this call
// has walked far enough. A failure of the first page is the answer; one of a
// later page leaves what was read before it. HT-10, GH-38.
func (t tracker) walkList(ctx context.Context, r repoName, query url.Values, w *walk, a *status.Audit) (*upstream.Exchange, *status.Failure) {
	var first *upstream.Exchange
	for range maxPages {
		rows, x, f := many[wireIssue](ctx, t.client, repoCall(r, "/issues", "issues").with(w.at.onto(query)))
		if f != nil && first == nil {
			return nil, t.listingLost(ctx, x, *f, r)
		}
		if f != nil {
			a.Unmade(status.Completeness, *f)
			a.Next(w.at.cursor())
			return first, nil
		}
		if first == nil {
			first = x
		}
		t.hear(ctx, a, x)
		next, more := nextPage(x.Header)
		full := w.take(rows, func(i wireIssue) (connectors.Issue, bool) {
			home := homeOf(i, repoName{})
			if home == (repoName{}) {
				home = t.whence(ctx, x, r)
			}
			item := t.issue(i, home, r)
			return item, item.MovedTo == "" || x.Location != ""
		})
		switch {
		case full:
			a.Next(w.at.cursor())
			return first, nil
		case !more:
			a.Hold(x.Proof(), status.Completeness)
			return first, nil
		}
		onward, loop := w.at.onward(next)
		if w.at = onward; loop {
			a.Fail(status.Completeness, status.Fail(status.CursorLoop))
			return first, nil
		}
		if len(w.items) == w.limit {
			break
		}
		status.CallFrom(ctx).Report("walking over pull requests in the issues of " + r.String())
	}
	a.Next(w.at.cursor())
	return first, nil
}

// listingLost reads a failure of a listing inside a repository: a 404 there says
// nothing by itself about the repository. GH-01, GH-03, GH-41.
func (c *client) listingLost(ctx context.Context, x *upstream.Exchange, f status.Failure, r repoName) *status.Failure {
	f = f.With(status.Container.Is(r.String()))
	if x == nil || f.Reason() != status.AbsentOrHidden {
		return &f
	}
	k, lost := c.visible(ctx, r)
	switch {
	case lost != nil:
		return lost
	case k.trackerless():
		off := c.trackerOff(k)
		return &off
	case permissionsIn(x.Header) != "":
		p := permissionsIn(x.Header)
		denied := status.Fail(status.ScopeMissing, status.HTTPStatus.Is(x.Status), status.MissingScope.Is(p),
			status.AcceptedPermissions.Is(p), status.Container.Is(r.String()))
		return &denied
	}
	odd := status.Fail(status.Contradictory, status.HTTPStatus.Is(x.Status), status.Container.Is(r.String()),
		status.Marker.Is("the repository answers, a listing inside it does not"))
	return &odd
}

// container proves the repository visible with its tracker on. The failure is
// that the tracker is off, or that nothing may be concluded without the proof.
func (t tracker) container(ctx context.Context, a *status.Audit, r repoName) *status.Failure {
	k, f := t.visible(ctx, r)
	switch {
	case f == nil && k.trackerless():
		off := t.trackerOff(k)
		return &off
	case f == nil:
		k.holdTracker(a)
	case f.Code() == status.SourceUnreliable:
		a.Unmade(status.Scope, *f)
	default:
		return f
	}
	return nil
}

// resolveFilters tells a filter that matched nothing from one that could not:
// GitHub answers an unknown label or account with an empty list.
func (t tracker) resolveFilters(ctx context.Context, a *status.Audit, r repoName, q connectors.IssueQuery) {
	proof := status.Proof{Request: "filters in use have fixed values", At: t.now()}
	left := maxChecks
	for _, v := range t.filterValues(r, q) {
		if left--; left < 0 {
			a.Unmade(status.Effectiveness, status.Fail(status.OwnCap, status.Filter.Is(v.name), status.Limit.Is(maxChecks)))
			return
		}
		x, f := t.known(ctx, v)
		switch {
		case f == nil:
			proof = x.Proof()
		case f.Reason() == status.AbsentOrHidden:
			a.Fail(status.Effectiveness, status.Fail(status.FilterUnresolved, status.HTTPStatus.Is(x.Status),
				status.Filter.Is(v.name), status.Container.Is(r.String())))
		default:
			a.Unmade(status.Effectiveness, f.With(status.Filter.Is(v.name)))
		}
	}
	a.Hold(proof, status.Effectiveness)
}

// filterValue is a value of a filter and the calls of which one succeeds if
// there is such a value.
type filterValue struct {
	name  string
	calls []call
}

func (t tracker) filterValues(r repoName, q connectors.IssueQuery) []filterValue {
	var out []filterValue
	for _, l := range q.Labels {
		k := repoCall(r, "/labels/{name}", "labels", l)
		k.shows, k.asked = "name", names{label: l}
		out = append(out, filterValue{"label " + l, []call{k}})
	}
	user := func(login string) call {
		return call{class: "GET /users/{username}", path: []string{"users", login}, shows: "login", asked: names{login: login}}
	}
	if q.Assignee != "" && q.Assignee != "*" && q.Assignee != "none" {
		// Whoever left can still be assigned to old issues, hence the second call.
		k := repoCall(r, "/assignees/{assignee}", "assignees", q.Assignee)
		k.statuses, k.media = []int{http.StatusNoContent}, upstream.NoBody
		out = append(out, filterValue{"assignee " + q.Assignee, []call{k, user(q.Assignee)}})
	}
	if q.Author != "" {
		out = append(out, filterValue{"author " + q.Author, []call{user(q.Author)}})
	}
	return out
}

// known looks a value up. Reason absent_or_hidden means that GitHub has none such.
func (t tracker) known(ctx context.Context, v filterValue) (x *upstream.Exchange, f *status.Failure) {
	for _, k := range v.calls {
		if x, f = t.get(ctx, k); f == nil || f.Reason() != status.AbsentOrHidden {
			return x, f
		}
	}
	return x, f
}
