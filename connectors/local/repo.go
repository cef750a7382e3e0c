package local

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// checkout is the repository of a source. It implements [connectors.Repo].
type checkout struct {
	source string
	top    string // absolute, without symbolic links
	git    *git
	now    func() time.Time
	cache  factCache
	// perlless is set once git turned out to have no Perl-compatible patterns.
	perlless atomic.Bool
}

var _ connectors.Repo = (*checkout)(nil)

func newCheckout(s connectors.Setup, top string) *checkout {
	now := s.Clock()
	return &checkout{source: s.Name, top: top, git: newGit(top), now: now}
}

// visit is one question to a checkout, with the facts as they are at its start.
type visit struct {
	*checkout
	ctx      context.Context
	facts    *facts
	argument string // that names a revision
}

// begin reads the facts and makes sure that the question is about this repository.
func (c *checkout) begin(ctx context.Context, repo string) (*visit, *status.Failure) {
	if ctx.Err() != nil {
		f := ended(ctx)
		return nil, &f
	}
	status.CallFrom(ctx).Attempted()
	f, failure := c.factsNow(ctx)
	if failure != nil {
		return nil, failure
	}
	v := &visit{c, ctx, f, "revision"}
	if repo != "" && !v.named(repo) {
		f := status.Fail(status.NoCandidates, status.Reference.Is(repo), status.Container.Is(c.source),
			status.Among(status.Candidate{Ref: f.name, Title: "the only repository of this source", Source: c.source}))
		return nil, &f
	}
	return v, nil
}

// named reports whether a person may call this repository so.
func (v *visit) named(repo string) bool {
	repo = strings.TrimSuffix(strings.TrimSuffix(repo, "/"), ".git")
	_, short, _ := strings.Cut(v.facts.name, "/")
	for _, name := range []string{v.source, v.facts.name, short, lastPart(v.top), v.top, "."} {
		if name != "" && strings.EqualFold(name, repo) {
			return true
		}
	}
	return false
}

func lastPart(path string) string {
	path = strings.ReplaceAll(path, "\\", "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// run runs git for this question.
func (v *visit) run(c command) output { return v.git.run(v.ctx, c) }

// runPattern runs a command with a pattern, in plainer words if this git lacks
// Perl-compatible ones.
func (v *visit) runPattern(make func(perl bool) command) output {
	if !v.perlless.Load() {
		out := v.run(make(true))
		if out.fault == nil || out.fault.Text("feature") != featurePerl {
			return out
		}
		v.perlless.Store(true)
	}
	return v.run(make(false))
}

// audit starts the seven checks of an answer that rests on q. Every command
// that made it has ended well by the time this is called; what the clone cannot
// know for such a question becomes a gap. There is no credential here: whoever
// runs frank is the account, and git opened the repository for it.
func (v *visit) audit(by string, q question) *status.Audit {
	a := &status.Audit{}
	a.Hold(status.Proof{Request: by, At: v.now()}, status.Transport, status.Shape, status.InBand,
		status.Identity, status.Scope, status.Completeness, status.Effectiveness)
	for _, f := range v.facts.gaps(q) {
		a.Unmade(status.Completeness, f)
	}
	for _, note := range v.facts.notes(q) {
		a.Uncovered(note)
	}
	if q&(ofHistory|ofRefs) != 0 && v.facts.remote && !v.facts.lastMove.IsZero() {
		a.Stamp(v.facts.lastMove) // LG-21
	}
	return a
}

// doubt adds what a command left out, if it said so.
func doubt(a *status.Audit, outs ...output) {
	for _, o := range outs {
		if o.doubt != nil {
			a.Fail(status.Completeness, *o.doubt)
		}
		if o.cut {
			a.Unmade(status.Completeness, ownCap(maxOutput))
		}
	}
}

// ownCap says that an answer was cut at a limit of frank's own.
func ownCap(limit int) status.Failure { return status.Fail(status.OwnCap, status.Limit.Is(limit)) }

// maxSkip is more than any cursor that counts can stand for.
const maxSkip = 1 << 30

// stray refuses a cursor behind which there is nothing and that names nothing
// itself: no page ends there, so that it proves no absence.
func stray() *status.Failure {
	f := unusable("cursor", "no page of this listing ends there; leave it out to begin anew").With(status.WasCalled)
	return &f
}

// unusable refuses an argument and says what is wrong with it.
func unusable(name, problem string) *status.Failure {
	f := status.Fail(status.InvalidArgument, status.NotCalled,
		status.Arguments.Is([]status.Argument{{Name: name, Reason: "invalid_argument", Problem: problem}}))
	return &f
}
