package github

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

const (
	// historyPages bounds how many pages one call looks through for what GitHub
	// cannot filter by. The cursor goes on.
	historyPages = 5
	// noteRenames: the history of a path ends where the path was renamed. LG-22.
	noteRenames = "renames_not_followed"
)

// log is one question for commits.
type log struct {
	connectors.HistoryQuery
	repo   container
	query  url.Values
	fits   func(wireCommit) bool // nil: everything that GitHub lists
	needle markup.Needle
	asName bool // the author is a name, which GitHub cannot filter by
}

// History lists commits, newest first. A text in the message, and an author who
// is named as no account or address is, are looked for in the listing itself:
// the search for commits knows the default branch only (GH-32) and is an index,
// the listing is the history. How many commits were examined is said (HT-20).
func (r repository) History(ctx context.Context, q connectors.HistoryQuery) status.Result[connectors.Commit] {
	fail := func(f *status.Failure) status.Result[connectors.Commit] {
		return status.Failed[connectors.Commit](r.source, *f)
	}
	pos, f := r.position(q.Cursor)
	if f != nil {
		return fail(f)
	}
	path, f := r.cleanPath(q.Path)
	if f != nil {
		return fail(f)
	}
	name, f := r.repo("repo", q.Repo)
	if f != nil {
		return fail(f)
	}
	if f := r.revision(q.Revision); f != nil {
		return fail(f)
	}
	k, f := r.visible(ctx, name)
	if f != nil {
		return fail(f)
	}
	q.Path = path
	return r.walkLog(ctx, newLog(q, k), pos)
}

func newLog(q connectors.HistoryQuery, k container) log {
	l := log{HistoryQuery: q, repo: k, needle: markup.NewNeedle(q.Text)}
	l.asName = strings.ContainsAny(strings.TrimSpace(q.Author), " ")
	author := markup.Fold(strings.Join(strings.Fields(q.Author), " "))
	opts := gh.CommitsListOptions{SHA: q.Revision, Path: q.Path, Author: q.Author, Since: q.Since, Until: q.Until}
	if l.asName {
		opts.Author = ""
	}
	opts.PerPage = q.Limit
	if q.Text != "" || l.asName {
		opts.PerPage = pageSize
		l.fits = func(w wireCommit) bool {
			by := w.Commit.Author
			return (q.Text == "" || l.needle.In(w.Commit.Message)) && (!l.asName || (by != nil && markup.Fold(by.Name) == author))
		}
	}
	l.query = options(opts)
	return l
}

// walkLog reads pages until the limit is reached or the history ends. A failure
// of a later page leaves what was read before it. HT-10, GH-38.
func (r repository) walkLog(ctx context.Context, l log, pos position) status.Result[connectors.Commit] {
	a := &status.Audit{}
	l.repo.vouch(a)
	var items []connectors.Commit
	for page := range historyPages {
		commits, x, f := r.logPage(ctx, l, pos)
		if f != nil && page == 0 {
			return status.Failed[connectors.Commit](r.source, *r.logLost(ctx, l, x, f))
		}
		if f != nil {
			a.Unmade(status.Completeness, *f)
			a.Next(pos.cursor())
			break
		}
		r.hear(ctx, a, x)
		if l.hollow(x, commits) {
			a.Fail(status.Completeness, l.repo.hollow(x, "commits"))
		}
		for ; pos.skip < len(commits) && len(items) < l.Limit; pos.skip++ {
			a.Examined(1)
			if w := commits[pos.skip]; l.fits == nil || l.fits(w) {
				items = append(items, r.commit(l.repo, w, l.needle))
			}
		}
		if pos.skip < len(commits) { // the cursor stands on the first that was not handed out
			a.Next(pos.cursor())
			break
		}
		pos.skip = 0
		r.turn(a, x, pos)
		next, more := nextPage(x.Header)
		onward, loop := pos.onward(next)
		if pos = onward; !more || l.fits == nil || loop {
			break
		}
		status.CallFrom(ctx).Report("looking through the history of " + l.repo.name.String())
	}
	r.judgeLog(ctx, a, l, len(items) == 0)
	return status.List(r.source, items, a)
}

// hollow reports whether the first page shows no commits where nothing was asked
// that could leave any out.
func (l log) hollow(x *upstream.Exchange, commits []wireCommit) bool {
	return len(commits) == 0 && x.Status == http.StatusOK && l.repo.filled() && l.Cursor == "" && l.Path == "" && l.Since.IsZero() && l.Until.IsZero() &&
		(l.Author == "" || l.asName)
}

// logPage reads one page. 409 is a repository without commits.
func (r repository) logPage(ctx context.Context, l log, pos position) ([]wireCommit, *upstream.Exchange, *status.Failure) {
	k := repoCall(l.repo.name, "/commits", "commits").with(pos.onto(l.query))
	k.statuses, k.maxBody = []int{http.StatusOK, http.StatusConflict}, maxTree
	x, f := r.get(ctx, k)
	if f == nil && x.Status == http.StatusConflict {
		f = r.withoutCommits(ctx, l.repo.name, x)
	}
	if f == nil {
		f = settled(x, l.repo.name)
	}
	if f != nil || x.Status == http.StatusConflict {
		return nil, x, f
	}
	var commits []wireCommit
	if f := x.Array(&commits); f != nil {
		return nil, x, f
	}
	if key := upstream.MissingIn("", commits); key != "" {
		return nil, x, x.Misshapen(key)
	}
	return commits, x, nil
}

// logLost: in a visible repository a 404 or 422 means that the revision is not there.
func (r repository) logLost(ctx context.Context, l log, x *upstream.Exchange, f *status.Failure) *status.Failure {
	if noCommit(x) && l.Revision != "" && f.Code() != status.AccessDenied {
		return r.noRevision(ctx, l.repo.name, l.Revision)
	}
	named := f.With(status.Container.Is(l.repo.name.String()))
	return &named
}

// judgeLog says whether the filters could match. GitHub answers an author that
// it does not know with an empty list.
func (r repository) judgeLog(ctx context.Context, a *status.Audit, l log, nothing bool) {
	if l.Path != "" {
		a.Unprovable(noteRenames)
	}
	a.Hold(status.Proof{Request: "GET /repos/" + l.repo.name.String() + "/commits", At: l.repo.proof.At}, status.Effectiveness)
	if !nothing || l.Author == "" || l.asName {
		return
	}
	if strings.Contains(l.Author, "@") {
		a.Unprovable("author_address")
		return
	}
	_, x, f := one[wireAccount](ctx, r.client, call{class: "GET /users/{username}", path: []string{"users", l.Author}, asked: names{login: l.Author}})
	switch {
	case f == nil:
		a.Hold(x.Proof(), status.Effectiveness)
	case f.Reason() == status.AbsentOrHidden:
		a.Fail(status.Effectiveness, status.Fail(status.FilterUnresolved, status.Filter.Is("author "+l.Author), status.HTTPStatus.Is(x.Status)))
	default:
		a.Unmade(status.Effectiveness, f.With(status.Filter.Is("author "+l.Author)))
	}
}

// commit is a commit as a listing shows it: the first line of its message, and
// the line in which the text was found if that is another one.
func (c *client) commit(k container, w wireCommit, needle markup.Needle) connectors.Commit {
	var s scrub
	title, rest, _ := strings.Cut(w.Commit.Message, "\n")
	out := connectors.Commit{
		Origin: connectors.Origin{Source: c.source, Container: k.name.String(), Ref: k.name.String() + "@" + *w.SHA, URL: s.url(w.HTMLURL), Title: s.line(title)},
		SHA:    *w.SHA, Author: authorOf(w, &s),
	}
	if w.Commit.Author != nil {
		out.AuthoredAt = w.Commit.Author.Date
	}
	if at := w.Commit.Committer; at != nil && (out.AuthoredAt == nil || !when(at.Date).Equal(*out.AuthoredAt)) {
		out.CommittedAt = at.Date // left out where both are the same
	}
	if !needle.In(title) {
		if found := matchLines(rest, needle); len(found) > 0 {
			out.Message = found[0].Text
		}
	}
	out.Removed = s.removed
	return out
}

// authorOf is the account, else the name that the commit carries.
func authorOf(w wireCommit, s *scrub) string {
	switch {
	case w.Author != nil && w.Author.Login != "":
		return s.line(w.Author.Login)
	case w.Commit.Author != nil:
		return s.line(w.Commit.Author.Name)
	}
	return ""
}
