package redmine

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// What of a search is an issue or a page of a wiki, by Redmine's own word: closed
// issues have a word of their own.
const (
	hitIssue = "issue"
	hitPage  = "wiki-page"
)

// phrase is a text as Redmine's search takes it. In quotes it is looked for as it
// stands, anywhere in a text and without case. Redmine ignores a word of one
// character and all that follow the fifth, so that only the whole may be sent.
type phrase struct {
	text   string
	q      string
	exact  bool // false: quotes in the text keep it from being sent as one
	needle markup.Needle
}

// phraseOf reads what is looked for.
func (c *client) phraseOf(text string) (phrase, *status.Failure) {
	text = strings.TrimSpace(text)
	p := phrase{text: text, q: `"` + text + `"`, exact: !strings.Contains(text, `"`), needle: markup.NewNeedle(text)}
	if !p.exact {
		var parts []string
		for _, part := range strings.Split(text, `"`) {
			if part = strings.TrimSpace(part); utf8.RuneCountInString(part) > 1 && len(parts) < 5 {
				parts = append(parts, `"`+part+`"`)
			}
		}
		p.q = strings.Join(parts, " ")
	}
	han := strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	if p.q == "" || utf8.RuneCountInString(text) < 2 && !han {
		return p, c.badArgument("query", "must have two characters or more beside quotation marks: Redmine ignores shorter ones")
	}
	return p, nil
}

// folds reports whether the text has letters whose case a database may not fold.
func (p phrase) folds() bool {
	return strings.ContainsFunc(p.text, func(r rune) bool { return r > unicode.MaxASCII && unicode.ToLower(r) != unicode.ToUpper(r) })
}

// searching is a call of Redmine's search for one kind of thing.
func searching(home container, kind string, p phrase) call {
	q := url.Values{"q": {p.q}, kind: {"1"}, "all_words": {"1"}}
	if home.id == 0 {
		q.Set("scope", "all")
		return get("/search.json", "search").with(q)
	}
	return get("/projects/{id}/search.json", "projects", home.identifier, "search").with(q)
}

// hits are the rows of a search that are of the kind that was asked for. Where the
// account may not see that kind, Redmine silently answers with others. RM-12.
// Each is taken once.
func hits(a *status.Audit, x *upstream.Exchange, all []wireHit, kind string) []wireHit {
	own := slices.DeleteFunc(slices.Clone(all), func(h wireHit) bool {
		return h.Type != kind && !(kind == hitIssue && h.isIssue())
	})
	if n := len(all) - len(own); n > 0 { // nothing else was asked for
		a.Fail(status.Scope, *x.Fail(status.ScopeMissing, status.MissingScope.Is("a role that may view this kind of thing"), status.Withheld.Is(n)))
	}
	own, f := once(x, own, func(h wireHit) int { return *h.ID })
	if f != nil {
		a.Fail(status.Completeness, *f)
	}
	return own
}

func (h wireHit) isIssue() bool { return strings.HasPrefix(h.Type, hitIssue) }

// search answers a question with a text: the search names the issues, and the
// listing shows them and applies the other filters.
func (t tracker) search(ctx context.Context, s *seek) status.Result[connectors.Issue] {
	if f := s.run(ctx); f != nil {
		return status.Failed[connectors.Issue](t.source, s.named(*f))
	}
	s.prove(ctx, s.audit, s.last)
	if len(s.rows) == 0 && s.home.id != 0 {
		s.permitted(ctx)
	}
	if s.unseen > 0 {
		s.audit.Fail(status.Effectiveness, status.Fail(status.FilterUnresolved, status.By(t.source), status.Filter.Is("query, which has quotation marks"),
			status.Withheld.Is(s.unseen), status.Remedy.Is("Search for the text without its quotation marks.")))
	}
	if s.folds() {
		s.audit.Uncovered(noteCase)
	}
	return status.List(t.source, t.items(ctx, s.rows, s.home), s.audit)
}

// seek walks over the hits of a search.
type seek struct {
	plan
	phrase
	audit  *status.Audit
	offset int // of the next hit
	rows   []wireIssue
	last   *upstream.Exchange
	unseen int // issues in which the text itself could not be seen
}

// run reads pages of hits until the limit is reached, the search ends, or this call
// has read enough. A failure of the first page is the answer; one of a later page
// leaves what was read before it. HT-10, HT-20.
func (s *seek) run(ctx context.Context) *status.Failure {
	size := s.asked.Limit
	if s.filtered() || !s.exact {
		size = maxLimit
	}
	for n := range maxPages {
		k := searching(s.home, "issues", s.phrase)
		w, x, f := one[wireHits](ctx, s.client, k.with(part(k.query, s.offset, size)))
		var rows map[int]wireIssue
		if f == nil {
			s.hear(ctx, s.audit, x)
			rows, f = s.show(ctx, hits(s.audit, x, *w.Results, hitIssue))
		}
		if f != nil && n == 0 {
			return f
		}
		if f != nil {
			s.audit.Unmade(status.Completeness, *f)
			s.audit.Next(itoa(s.offset))
			return nil
		}
		s.last = x
		at := page{offset: s.offset, rows: len(*w.Results), listing: w.wireListing, x: x}
		full := s.take(*w.Results, rows)
		end, f := at.ends()
		switch {
		case !full && (end || f != nil):
			at.settle(s.audit)
			return nil
		case full || len(s.rows) == s.asked.Limit:
			s.audit.Next(itoa(s.offset))
			return nil
		}
		status.CallFrom(ctx).Report("reading on in the hits of the search")
	}
	s.audit.Next(itoa(s.offset))
	return nil
}

// take moves over hits in their order. It reports whether one more than the limit
// fits; the offset then stands on it.
func (s *seek) take(all []wireHit, rows map[int]wireIssue) (full bool) {
	for _, h := range all {
		w, fits := rows[*h.ID]
		fits = fits && h.isIssue() && !slices.ContainsFunc(s.rows, func(w wireIssue) bool { return *w.ID == *h.ID })
		if fits && len(s.rows) == s.asked.Limit {
			return true
		}
		if fits {
			s.rows = append(s.rows, w)
		}
		s.offset++
		s.audit.Examined(1)
	}
	return false
}

// show reads the issues behind hits, as far as they fit the other filters.
func (s *seek) show(ctx context.Context, found []wireHit) (map[int]wireIssue, *status.Failure) {
	out := map[int]wireIssue{}
	if len(found) == 0 {
		return out, nil
	}
	var ids []string
	for _, h := range found {
		ids = append(ids, itoa(*h.ID))
	}
	q := s.query()
	q.Set("issue_id", strings.Join(ids, ","))
	w, x, f := one[wireIssues](ctx, s.client, s.listing().with(part(q, 0, maxLimit)))
	if f != nil {
		return nil, f
	}
	s.hear(ctx, s.audit, x)
	rows := *w.Issues
	end, f := page{rows: len(rows), listing: w.wireListing, x: x}.ends()
	foreign := slices.ContainsFunc(rows, func(w wireIssue) bool { return !slices.Contains(ids, itoa(*w.ID)) })
	switch {
	case f != nil:
		return nil, f
	case !end || foreign: // RM-07
		return nil, x.Fail(status.FilterUnresolved, status.Filter.Is("issue_id"))
	case !s.filtered() && len(rows) < len(found):
		s.audit.Fail(status.Completeness, *x.Fail(status.Contradictory, status.Total.Is(len(found)), status.Examined.Is(len(rows)),
			status.Marker.Is("the search finds issues that the listing does not show")))
	}
	for _, w := range s.sift(ctx, s.audit, rows) {
		if !s.exact && !s.needle.In(*w.Subject) && !s.needle.In(w.Description) {
			s.unseen++
			continue
		}
		out[*w.ID] = w
	}
	return out, nil
}

// permitted proves that the account may view issues of the project: without that a
// search for issues finds none and does not say so. RM-12.
func (s *seek) permitted(ctx context.Context) {
	q := url.Values{"status_id": {"*"}, "subproject_id": {"!*"}}
	w, x, f := one[wireIssues](ctx, s.client, s.listing().with(part(q, 0, 1)))
	if f == nil {
		s.hear(ctx, s.audit, x)
		_, f = page{rows: len(*w.Issues), listing: w.wireListing, x: x}.ends()
	}
	switch {
	case f == nil:
	case f.Code() == status.SourceUnreliable:
		s.audit.Unmade(status.Scope, *f)
	default:
		s.audit.Fail(status.Scope, s.named(*f))
	}
}
