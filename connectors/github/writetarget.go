package github

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// target is an issue as it is before a change.
type target struct {
	repo   repoName // where it is by now
	number int
	wire   wireIssue
	item   connectors.Issue
	x      *upstream.Exchange
	has    shown
}

// shown are the keys of an issue that GitHub has shown. What it leaves out is not
// known: it is neither empty, nor as asked, nor can it be put back.
type shown map[string]bool

func shownBy(x *upstream.Exchange) shown {
	keys := map[string]json.RawMessage{}
	_ = json.Unmarshal(x.Body, &keys) // it was decoded before
	has := shown{}
	for key := range keys {
		has[key] = true
	}
	return has
}

func (t target) ref() string { return refOf(t.repo, t.number) }

// named says what a failure is about.
func (t target) named(f status.Failure) status.Failure {
	return f.With(status.Reference.Is(t.ref()), status.Container.Is(t.repo.String()))
}

// target reads the issue that is to be changed: it is there, it is no pull
// request, and policy admits where it is by now. Otherwise the result is the answer.
func (w writer) target(ctx context.Context, asked ref.Ref) (target, *status.Result[connectors.Issue]) {
	stop := func(r status.Result[connectors.Issue]) (target, *status.Result[connectors.Issue]) {
		return target{}, &r
	}
	fail := func(f status.Failure) (target, *status.Result[connectors.Issue]) {
		return stop(status.Failed[connectors.Issue](w.source, f))
	}
	r, f := w.repo("ref", asked.Project)
	if f == nil && asked.Number <= 0 {
		f = w.badArgument("ref", "must name an issue by its number, such as "+r.String()+"#1")
	}
	if f != nil {
		return fail(*f)
	}
	read := issueCall(r, asked.Number, "")
	read.fresh = true
	wire, x, f := one[wireIssue](ctx, w.client, read)
	if f != nil {
		return stop(w.noIssue(ctx, lost{exchange: x, failure: *f, repo: r, ref: refOf(r, asked.Number), issue: true}))
	}
	home, f := w.home(ctx, x, r, wire.RepositoryURL, wire.HTMLURL)
	if f == nil && home == (repoName{}) {
		f = x.Contradicts("the issue moved, and does not say where to")
	}
	if f != nil {
		return fail(*f)
	}
	item := w.whole(w.issue(wire, home, r), wire)
	if wire.PullRequest != nil {
		return fail(w.isChange(item, x))
	}
	return target{home, *wire.Number, wire, item, x, shownBy(x)}, nil
}

// settling is for how long a change may still be under way after it was sent:
// GitHub ends whatever takes longer than ten seconds.
const settling = 12 * time.Second

// notThere is the proof that a change did not take effect.
func notThere(source string, a *status.Audit) status.Result[connectors.Issue] {
	return status.List[connectors.Issue](source, nil, a)
}

// goneAlready: a label that is not there needs no removal.
func goneAlready(x *upstream.Exchange) bool { return x != nil && x.Status == http.StatusNotFound }
