package github

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// GetChange reads a pull request, a commit or a comparison with the parts that
// were asked for. A part that cannot be read is named and leaves the answer
// partial; it never looks like a part without content.
func (r repository) GetChange(ctx context.Context, q connectors.ChangeGet) status.Result[connectors.Change] {
	name, f := r.repo("ref", q.Ref.Project)
	if f != nil {
		return status.Failed[connectors.Change](r.source, *f)
	}
	pos, f := r.position(q.Cursor)
	if f != nil {
		return status.Failed[connectors.Change](r.source, *f)
	}
	g := &gathering{client: r.client, q: q, name: name, pos: pos, going: q.Cursor != ""}
	switch k := q.Ref.Kind; {
	case q.Ref.Number > 0 && (k == ref.Change || k == ref.Issue):
		return g.pull(ctx)
	case k == ref.Compare:
		return g.comparison(ctx)
	case q.Ref.Revision != "" && (k == ref.Commit || k == ref.Repository):
		return g.commit(ctx)
	}
	return status.Failed[connectors.Change](r.source, *r.badArgument("ref", "names no pull request, commit or comparison"))
}

// gathering collects one change and its parts.
type gathering struct {
	*client
	q     connectors.ChangeGet
	name  repoName
	at    repoName // where the change is, as the answer shows; empty if it does not
	pos   position
	going bool // a cursor goes on in the first part; the others were given before
	a     *status.Audit
	out   connectors.Change
	text  scrub
}

// answer closes the audit: all parts that were asked for were tried.
func (g *gathering) answer(x *upstream.Exchange) status.Result[connectors.Change] {
	g.a.Hold(x.Proof(), status.Completeness)
	g.out.Removed += g.text.removed
	return status.One(g.source, g.out, g.a)
}

// lack records that a part is missing or not whole.
func (g *gathering) lack(part string, f status.Failure) {
	g.a.Unmade(status.Completeness, f.With(status.Part.Is(part), status.Container.Is(g.name.String())))
}

func (g *gathering) pull(ctx context.Context) status.Result[connectors.Change] {
	number := strconv.Itoa(g.q.Ref.Number)
	k := repoCall(g.name, "/pulls/{number}", "pulls", number)
	k.asked = names{number: g.q.Ref.Number}
	w, x, f := one[wirePull](ctx, g.client, k)
	if f != nil {
		return g.noPull(ctx, x, *f, number)
	}
	if g.at, f = g.home(ctx, x, g.name, w.Base.fullName(), w.HTMLURL); f != nil {
		return status.Failed[connectors.Change](g.source, *f)
	}
	g.a = g.audit(ctx, x)
	g.out = g.pullChange(w)
	head := w.Head.SHA
	g.parts(ctx, partCalls{
		files: []call{repoCall(g.name, "/pulls/{number}/files", "pulls", number, "files")},
		diff:  repoCall(g.name, "/pulls/{number}", "pulls", number),
		comments: []call{
			repoCall(g.name, "/issues/{number}/comments", "issues", number, "comments"),
			repoCall(g.name, "/pulls/{number}/comments", "pulls", number, "comments"),
			repoCall(g.name, "/pulls/{number}/reviews", "pulls", number, "reviews"),
		},
		reviews:  []call{repoCall(g.name, "/pulls/{number}/reviews", "pulls", number, "reviews")},
		checks:   head,
		promised: []*int{w.Comments, w.ReviewComments},
		listed:   w.ChangedFiles,
	})
	return g.answer(x)
}

func (g *gathering) pullChange(w wirePull) connectors.Change {
	out := connectors.Change{
		Origin: connectors.Origin{Source: g.source, Container: g.at.String(), Ref: refOf(g.name, *w.Number), URL: g.text.url(w.HTMLURL), Title: g.text.line(w.Title), UpdatedAt: w.UpdatedAt},
		Kind:   "pull_request", State: g.text.word(*w.State), Draft: w.Draft, Author: g.text.login(w.User),
		CreatedAt: w.CreatedAt, MergedAt: w.MergedAt, Base: g.text.line(w.Base.Ref), Head: g.text.line(w.Head.Label), HeadSHA: g.text.word(w.Head.SHA),
		Body: g.text.prose(w.Body), Additions: w.Additions, Deletions: w.Deletions, Commits: w.Commits,
	}
	if w.ChangedFiles != nil {
		out.FileCount = *w.ChangedFiles
	}
	if w.MergedAt != nil {
		out.State = "merged"
	}
	for _, l := range w.Labels {
		out.Labels = append(out.Labels, g.text.line(l.Name))
	}
	if g.at != (repoName{}) && !strings.EqualFold(g.at.String(), g.name.String()) { // GH-43
		out.MovedTo = refOf(g.at, *w.Number)
	}
	return out
}

// noPull answers for a number without a pull request: issues are counted
// together with them, so that it may be one of those.
func (g *gathering) noPull(ctx context.Context, x *upstream.Exchange, f status.Failure, number string) status.Result[connectors.Change] {
	name := g.name.String() + "#" + number
	l := lost{exchange: x, failure: f, repo: g.name, ref: "pull request " + name}
	if x == nil || x.Status != http.StatusNotFound || f.Reason() != status.AbsentOrHidden {
		return absent[connectors.Change](ctx, g.client, l)
	}
	w, found, missed := one[wireIssue](ctx, g.client, issueCall(g.name, g.q.Ref.Number, ""))
	if missed == nil {
		if _, kept := g.home(ctx, found, g.name, w.RepositoryURL, w.HTMLURL); kept != nil {
			return status.Failed[connectors.Change](g.source, *kept)
		}
	}
	switch {
	case missed == nil && w.PullRequest == nil:
		return status.Failed[connectors.Change](g.source, status.Fail(status.WrongKind, status.Reference.Is(name), status.Part.Is("an issue"),
			status.Container.Is(g.name.String()), status.Among(status.Candidate{Ref: name, Title: g.text.line(*w.Title), URL: g.text.url(w.HTMLURL), Source: g.source}),
			status.Fallback("read it with tracker_get_issue, ref="+name)))
	case missed == nil:
		l.readable = true
	case missed.Code() == status.AccessDenied: // GH-03: the token lacks what both need
		return status.Failed[connectors.Change](g.source, missed.With(status.Reference.Is(l.ref), status.Container.Is(g.name.String())))
	case missed.Code() == status.SourceUnreliable:
		return status.Failed[connectors.Change](g.source, *missed)
	}
	return absent[connectors.Change](ctx, g.client, l)
}

// commit reads one commit. Its files come 300 a page, at most 3,000. GH-50.
func (g *gathering) commit(ctx context.Context) status.Result[connectors.Change] {
	rev := g.q.Ref.Revision
	k := repoCall(g.name, "/commits/{ref}", "commits", rev)
	k.maxBody, k.asked = maxTree, names{sha: rev}
	if f := g.revision(rev); f != nil {
		return status.Failed[connectors.Change](g.source, *f)
	}
	w, x, f := one[wireCommit](ctx, g.client, k)
	if f != nil {
		if x != nil && x.Status == http.StatusUnprocessableEntity { // what could be a hash and is none
			missing := status.Fail(status.AbsentOrHidden, status.HTTPStatus.Is(x.Status))
			f = &missing
		}
		return absent[connectors.Change](ctx, g.client, lost{exchange: x, failure: *f, repo: g.name, ref: "commit " + rev})
	}
	if g.at, f = g.home(ctx, x, g.name, w.HTMLURL); f != nil {
		return status.Failed[connectors.Change](g.source, *f)
	}
	g.a = g.audit(ctx, x)
	g.out = g.commitChange(w)
	g.parts(ctx, partCalls{
		diff:     k,
		listed:   new(int), // its stats say how much it changes
		comments: []call{repoCall(g.name, "/commits/{ref}/comments", "commits", *w.SHA, "comments")},
		checks:   *w.SHA,
		promised: []*int{w.Commit.CommentCount},
	})
	if g.q.Files {
		g.commitFiles(ctx, k, w, x)
	}
	return g.answer(x)
}

func (g *gathering) commitChange(w wireCommit) connectors.Change {
	title, rest, _ := strings.Cut(w.Commit.Message, "\n")
	out := connectors.Change{
		Origin: connectors.Origin{Source: g.source, Container: g.at.String(), Ref: g.name.String() + "@" + *w.SHA, URL: g.text.url(w.HTMLURL), Title: g.text.line(title)},
		Kind:   "commit", Author: authorOf(w, &g.text), HeadSHA: *w.SHA, Body: strings.TrimSpace(g.text.plain(rest)), Commits: 1,
	}
	if w.Commit.Author != nil {
		out.CreatedAt = w.Commit.Author.Date
	}
	if len(w.Parents) > 0 {
		out.Base = g.text.word(w.Parents[0].SHA)
	}
	if w.Stats != nil {
		out.Additions, out.Deletions = w.Stats.Additions, w.Stats.Deletions
	}
	return out
}

// commitFiles takes the files of the first answer and goes on where it says.
func (g *gathering) commitFiles(ctx context.Context, k call, w wireCommit, x *upstream.Exchange) {
	pos := position{}
	for page := 0; ; page++ {
		if w.Files == nil {
			g.lack("files", *x.Misshapen("files"))
			return
		}
		g.addFiles(*w.Files)
		next, more := nextPage(x.Header)
		if !more {
			break
		}
		if page == partPages {
			g.lack("files", status.Fail(status.OwnCap, status.Examined.Is(len(g.out.Files))))
			return
		}
		onward, loop := pos.onward(next)
		if pos = onward; loop {
			g.lack("files", status.Fail(status.CursorLoop))
			return
		}
		var f *status.Failure
		if w, x, f = one[wireCommit](ctx, g.client, k.with(pos.onto(nil))); f != nil {
			g.lack("files", *f)
			return
		}
		g.hear(ctx, g.a, x)
	}
	g.out.FileCount = len(g.out.Files)
	if g.out.FileCount == 0 && g.out.Additions+g.out.Deletions > 0 {
		g.lack("files", status.Fail(status.Contradictory, status.Examined.Is(0), status.Marker.Is("the commit changes lines, and none of its files is listed")))
	}
	if len(g.out.Files) >= commitFileCap {
		g.lack("files", status.Fail(status.ProviderCap, status.Limit.Is(commitFileCap)))
	}
}

// Caps of GitHub on the files it lists.
const (
	commitFileCap  = 3000 // GH-50
	compareFileCap = 300  // GH-49
)

// comparison reads what head has since it left base. GitHub compares from the
// merge base only, which is the same as base..head if base is that.
func (g *gathering) comparison(ctx context.Context) status.Result[connectors.Change] {
	base, head := g.q.Ref.Base, g.q.Ref.Head
	if base == "" {
		k, f := g.visible(ctx, g.name)
		if f != nil {
			return status.Failed[connectors.Change](g.source, *f)
		}
		base = k.branch
	}
	if f := cmp.Or(g.revision(base), g.revision(head)); f != nil {
		return status.Failed[connectors.Change](g.source, *f)
	}
	k := repoCall(g.name, "/compare/{basehead}", "compare", base+"..."+head).with(perPage(1))
	k.maxBody, k.asked = maxTree, names{sha: base}
	w, x, f := one[wireCompare](ctx, g.client, k)
	if f != nil {
		return g.noComparison(ctx, x, f, []string{base, head})
	}
	if g.at, f = g.home(ctx, x, g.name, w.HTMLURL); f != nil {
		return status.Failed[connectors.Change](g.source, *f)
	}
	g.a = g.audit(ctx, x)
	g.out = connectors.Change{
		Origin: connectors.Origin{Source: g.source, Container: g.at.String(), Ref: g.name.String() + "@" + base + "..." + head, URL: g.text.url(w.HTMLURL)},
		Kind:   "comparison", State: g.text.word(*w.Status), Base: base, Head: head, Commits: *w.TotalCommits,
	}
	if !g.q.Ref.ThreeDot && g.q.Ref.Base != "" && w.MergeBase.SHA != w.BaseCommit.SHA {
		g.lack("changes on the side of "+base, status.Fail(status.OperationUnsupported, status.WasCalled,
			status.Feature.Is("comparing two revisions other than from their merge base")))
	}
	g.compareFiles(w, x)
	g.parts(ctx, partCalls{diff: k.with(nil), listed: w.filed()})
	return g.answer(x)
}

// compareFiles takes the files of the first page, the only one that has any. GH-49.
func (g *gathering) compareFiles(w wireCompare, x *upstream.Exchange) {
	if w.Files != nil {
		g.out.FileCount = len(*w.Files)
	}
	if !g.q.Files {
		return
	}
	if w.Files == nil {
		g.lack("files", *x.Misshapen("files"))
		return
	}
	g.addFiles(*w.Files)
	g.out.FileCount = len(g.out.Files)
	if len(g.out.Files) >= compareFileCap {
		g.lack("files", status.Fail(status.ProviderCap, status.Limit.Is(compareFileCap)))
	}
}

// noComparison says which of the two revisions is not there.
func (g *gathering) noComparison(ctx context.Context, x *upstream.Exchange, f *status.Failure, ends []string) status.Result[connectors.Change] {
	if x != nil && x.Status == http.StatusNotFound && f.Reason() == status.AbsentOrHidden {
		if _, hidden := g.visible(ctx, g.name); hidden != nil {
			return status.Failed[connectors.Change](g.source, *hidden)
		}
		for _, end := range ends {
			if _, u := g.commitOf(ctx, g.name, end); u != nil {
				return unread[connectors.Change](g.source, u)
			}
		}
	}
	return status.Failed[connectors.Change](g.source, f.With(status.Container.Is(g.name.String()), status.Reference.Is(strings.Join(ends, "..."))))
}
