package github

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// commentRows is how many comments one answer holds; the cursor goes on.
const commentRows = 50

// Get reads one issue and the parts that were asked for. Numbers are shared with
// pull requests: for one of those the answer says so.
func (t tracker) Get(ctx context.Context, q connectors.IssueGet) status.Result[connectors.Issue] {
	r, f := t.repo("ref", q.Ref.Project)
	if f == nil && q.Ref.Number <= 0 {
		f = t.badArgument("ref", "must name an issue by its number, such as "+r.String()+"#1")
	}
	if f != nil {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	w, x, f := one[wireIssue](ctx, t.client, issueCall(r, q.Ref.Number, ""))
	if f != nil {
		return t.noIssue(ctx, lost{exchange: x, failure: *f, repo: r, ref: refOf(r, q.Ref.Number), issue: true})
	}
	home, f := t.home(ctx, x, r, w.RepositoryURL, w.HTMLURL)
	if f != nil {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	item := t.whole(t.issue(w, home, r), w)
	at := part{home, *w.Number, ""}
	if home == (repoName{}) { // asked again as before, it leads to where it is
		at = part{r, q.Ref.Number, ""}
	}
	if w.PullRequest != nil {
		return status.Failed[connectors.Issue](t.source, t.isChange(item, x))
	}
	a := t.audit(ctx, x)
	a.Hold(x.Proof(), status.Completeness)
	if q.Comments {
		if f := t.comments(ctx, a, &item, part{at.repo, at.number, q.Cursor}); f != nil {
			return status.Failed[connectors.Issue](t.source, *f)
		}
	}
	if q.Links || q.History {
		t.timeline(ctx, a, &item, at, q)
	}
	if q.Links {
		t.family(ctx, a, &item, at, w)
	}
	return status.One(t.source, item, a)
}

// part is a part of an issue that has an endpoint of its own.
type part struct {
	repo   repoName
	number int
	cursor string
}

func issueCall(r repoName, number int, rest string) call {
	k := repoCall(r, "/issues/{number}"+rest, "issues", strconv.Itoa(number))
	k.asked = names{number: number}
	if rest != "" {
		k.path = append(k.path, strings.TrimPrefix(rest, "/"))
	}
	return k
}

// isChange says that the number belongs to a pull request.
func (t tracker) isChange(item connectors.Issue, x *upstream.Exchange) status.Failure {
	return status.Fail(status.WrongKind, status.HTTPStatus.Is(x.Status), status.Reference.Is(item.Ref), status.Part.Is("a pull request"),
		status.Among(status.Candidate{Ref: item.Ref, Title: item.Title, URL: item.URL, Source: t.source}),
		status.Fallback("call repo_get_change with ref "+item.Ref))
}

// noIssue: 404 says little by itself, 410 that the issue was deleted or that the
// repository has no tracker. GH-02, GH-41, GH-42.
func (t tracker) noIssue(ctx context.Context, l lost) status.Result[connectors.Issue] {
	if l.exchange == nil || l.exchange.Status != http.StatusGone || l.failure.Reason() != status.EndpointGone {
		return absent[connectors.Issue](ctx, t.client, l)
	}
	if !strings.Contains(errorBody(l.exchange).Message, saysDeleted) { // something else is gone
		return status.Failed[connectors.Issue](t.source, l.failure.With(status.Reference.Is(l.ref), status.Container.Is(l.repo.String())))
	}
	a := &status.Audit{}
	a.Hold(l.exchange.Proof(), status.Transport)
	t.identify(ctx, a, l.exchange)
	k, f := t.visible(ctx, l.repo)
	switch {
	case f == nil && k.trackerless():
		return status.Failed[connectors.Issue](t.source, t.trackerOff(k))
	case f == nil:
		a.Hold(k.proof, status.Scope)
	default:
		a.Hold(l.exchange.Proof(), status.Scope) // GitHub tells this only to those who see the repository
	}
	return status.Absent[connectors.Issue](t.source, a, status.Reference.Is(l.ref), status.Container.Is(l.repo.String()))
}

// comments reads one page of comments. Only an unusable cursor fails the whole.
func (t tracker) comments(ctx context.Context, a *status.Audit, item *connectors.Issue, p part) *status.Failure {
	pos, f := t.position(p.cursor)
	if f != nil {
		return f
	}
	query := url.Values{"per_page": {strconv.Itoa(commentRows)}}
	rows, x, f := many[wireComment](ctx, t.client, issueCall(p.repo, p.number, "/comments").with(pos.onto(query)))
	if f != nil {
		a.Unmade(status.Completeness, f.With(status.Part.Is("comments")))
		return nil
	}
	t.hear(ctx, a, x)
	s := scrub{removed: item.Removed}
	mine, rest := share(rows, pos, commentRows)
	for _, c := range mine {
		item.Thread = append(item.Thread, connectors.Comment{
			ID: strconv.FormatInt(*c.ID, 10), Author: s.login(c.User), CreatedAt: c.CreatedAt, Body: s.prose(unmarked(*c.Body)), URL: s.url(c.HTMLURL),
		})
	}
	item.Removed = s.removed
	next, more := nextPage(x.Header)
	onward, loop := pos.onward(next)
	switch {
	case rest != nil:
		a.Next(rest.cursor())
	case more && loop:
		a.Fail(status.Completeness, status.Fail(status.CursorLoop, status.Part.Is("comments")))
	case more:
		a.Next(onward.cursor())
	case p.cursor == "" && item.Comments == nil && len(rows) == 0:
		a.Unmade(status.Completeness, status.Fail(status.ShapeError, status.Part.Is("comments"), status.MissingKey.Is("comments")))
	case p.cursor == "" && item.Comments != nil && len(rows) < *item.Comments:
		a.Fail(status.Completeness, status.Fail(status.Contradictory, status.Total.Is(*item.Comments), status.Examined.Is(len(rows)),
			status.Marker.Is("the issue counts more comments than it shows")))
	}
	return nil
}
