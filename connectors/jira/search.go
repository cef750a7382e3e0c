package jira

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

const (
	// maxPages bounds how many pages one call walks over. The cursor goes on.
	maxPages = 5
	// maxChecks bounds how many projects one call looks up.
	maxChecks = 12
)

// listed are the fields of an issue in a listing. Without them Cloud answers with
// bare ids (JR-13).
const listed = "summary,status,issuetype,priority,resolution,assignee,reporter,creator,labels,fixVersions,created,updated,resolutiondate,project"

// wireFound is one page of a search: Cloud turns pages by token and knows no total
// (JR-11), Data Center by offset.
type wireFound struct {
	Issues *[]wireIssue `json:"issues"`
	Token  string       `json:"nextPageToken"`
	Last   *bool        `json:"isLast"`
	Start  *int         `json:"startAt"`
	Total  *int         `json:"total"`
}

func (w wireFound) Missing() string {
	if w.Issues == nil {
		return "issues"
	}
	return upstream.MissingIn("", *w.Issues)
}

// seeker is one search under way.
type seeker struct {
	tracker
	srv      server
	q        connectors.IssueQuery
	plan     plan
	at       position
	audit    *status.Audit
	items    []connectors.Issue
	examined int
	foreign  int // rows that are not what was asked
	old      int // rows from before the time that was asked, see [zones]
	last     *upstream.Exchange
	shown    map[string]bool // rows that were seen: one that changes meanwhile comes again
	turned   []string        // tokens that were followed
	total    int             // of the page before
	lost     bool            // a later page was not read
}

func (s *seeker) call() call {
	q := url.Values{"jql": {s.plan.jql}, "fields": {listed}, "maxResults": {strconv.Itoa(s.q.Limit)}}
	if !s.srv.cloud {
		q.Set("startAt", strconv.Itoa(s.at.start))
		return s.srv.get("/search", "search").with(q)
	}
	if s.at.token != "" { // JR-15: the token alone turns pages here
		q.Set("nextPageToken", s.at.token)
	}
	return s.srv.get("/search/jql", "search", "jql").with(q)
}

// run reads pages until the limit is reached or the listing ends. A failure of the
// first page is the answer; a later one leaves what was read before it. HT-10.
func (s *seeker) run(ctx context.Context) *status.Failure {
	for range maxPages {
		w, x, f := one[wireFound](ctx, s.client, s.call())
		if f != nil && s.last == nil {
			return s.refusedBy(ctx, x, *f)
		}
		if f != nil {
			if f.Reason() == status.QueryRefused { // it took the query before: it is the place that it does not take
				f = x.Contradicts("a place that it named itself is refused")
			}
			s.lost = true
			s.audit.Unmade(status.Completeness, *f)
			s.audit.Next(s.at.cursor())
			return nil
		}
		if s.hear(s.audit, x); s.last == nil {
			s.identify(ctx, s.audit, x)
		}
		s.last = x
		if f := s.warned(w, x); f != nil {
			return f
		}
		next, more := s.onward(ctx, w, x)
		if next == nil { // the page contradicts itself
			return nil
		}
		if s.take(ctx, *w.Issues) {
			s.audit.Next(s.at.cursor())
			return nil
		}
		if !more {
			s.audit.Hold(x.Proof(), status.Completeness)
			return nil
		}
		s.turned = append(s.turned, s.at.token)
		if s.at = *next; len(s.items) == s.q.Limit {
			break
		}
	}
	s.audit.Next(s.at.cursor())
	return nil
}

// warned: Data Center leaves parts of a query out, and says so beside the rows. JR-09.
func (s *seeker) warned(w wireFound, x *upstream.Exchange) *status.Failure {
	if len(x.Markers) == 0 {
		return nil
	}
	f := x.Fail(status.FilterUnresolved, status.Filter.Is("a part of the query"), status.Marker.Is(strings.Join(x.Markers, ", ")), status.Container.Is(s.plan.project))
	if len(*w.Issues) == 0 {
		return f
	}
	s.audit.Fail(status.InBand, *f)
	return nil
}

// onward is the position of the page after this one, by Jira's own marker. It is nil
// if the page contradicts itself or its order; the audit then has it.
func (s *seeker) onward(ctx context.Context, w wireFound, x *upstream.Exchange) (next *position, more bool) {
	stop := func(f *status.Failure) (*position, bool) {
		s.audit.Fail(status.Completeness, *f)
		s.take(ctx, *w.Issues)
		return nil, false
	}
	if !s.srv.cloud {
		if w.Start == nil && s.at.start == 0 { // the first page need not say that it is
			w.Start = new(int)
		}
		switch {
		case w.Total == nil || w.Start == nil:
			return stop(x.Misshapen("total"))
		case *w.Start != s.at.start:
			return stop(x.Contradicts("another page than was asked came back"))
		}
		end := *w.Start + len(*w.Issues) // JR-12: what came counts, not what was asked for
		switch {
		case end < *w.Total && len(*w.Issues) == 0:
			return stop(x.Contradicts("total exceeds the rows, and there are no more"))
		case end > *w.Total && len(*w.Issues) > 0: // so that it does not tell where the listing ends
			return stop(x.Contradicts("there are more rows than total counts"))
		case *w.Total < s.total:
			return stop(shrank(x))
		}
		s.total = *w.Total
		return &position{start: end}, end < *w.Total
	}
	first := ""
	if len(*w.Issues) > 0 {
		first = *(*w.Issues)[0].Key
	}
	switch {
	case w.Token != "" && (w.Token == s.at.token || slices.Contains(s.turned, w.Token)), first != "" && first == s.at.first && s.at.skip == 0: // JR-15
		return stop(x.Fail(status.CursorLoop))
	case w.Token == "" && w.Last == nil:
		return stop(x.Misshapen("isLast"))
	case w.Token == "" && !*w.Last:
		return stop(x.Contradicts("isLast is false, and there is no nextPageToken"))
	case w.Token != "" && w.Last != nil && *w.Last:
		return stop(x.Contradicts("isLast is true, and there is a nextPageToken"))
	}
	return &position{token: w.Token, first: first}, w.Token != ""
}

// take moves over the rows of one page. It reports whether the limit was reached
// before its end; the position then stands on the first row that was not handed out.
func (s *seeker) take(ctx context.Context, rows []wireIssue) (full bool) {
	if s.shown == nil {
		s.shown = map[string]bool{}
	}
	for i := s.at.skip; i < len(rows); i++ {
		if len(s.items) == s.q.Limit {
			s.at.skip = i
			return true
		}
		if s.shown[*rows[i].Key] {
			continue
		}
		s.shown[*rows[i].Key] = true
		s.examined++
		switch fits, old := s.fits(ctx, rows[i]); {
		case old:
			s.old++
		case fits:
			s.items = append(s.items, s.issue(rows[i], s.srv))
		default:
			s.foreign++
		}
	}
	return false
}

// judge records that there were rows that are not what was asked.
func (s *seeker) judge() {
	if s.foreign > 0 {
		s.audit.Fail(status.Effectiveness, *s.last.Fail(status.Contradictory, status.Withheld.Is(s.foreign),
			status.Marker.Is("rows came back that do not fit the filters")))
	}
}

// fits checks a row against the question as far as a row tells. old is one from
// before the time that was asked, which Jira was bound to send.
func (s *seeker) fits(ctx context.Context, w wireIssue) (fits, old bool) {
	f := w.Fields
	closed, known := f.Status.closed()
	carries := func(l string) bool {
		return f.Labels == nil || slices.ContainsFunc(*f.Labels, func(has string) bool { return strings.EqualFold(has, l) })
	}
	switch {
	case !s.within(ctx, w),
		known && (s.q.State == "open" && closed || s.q.State == "closed" && !closed),
		slices.ContainsFunc(s.q.Labels, func(l string) bool { return !carries(l) }),
		!s.is(ctx, f.Assignee, s.q.Assignee), !s.is(ctx, f.Reporter, s.q.Author):
		return false, false
	}
	return true, !s.q.UpdatedSince.IsZero() && f.Updated.at() != nil && f.Updated.Before(s.q.UpdatedSince)
}

// within reports whether the row is in the project that was asked, which may go by
// another key now.
func (s *seeker) within(ctx context.Context, w wireIssue) bool {
	home := w.home()
	if p := w.Fields.Project; p != nil && p.Key != nil && !strings.EqualFold(*p.Key, home) {
		return false // the row contradicts itself
	}
	if s.plan.project == "" || strings.EqualFold(home, s.plan.project) {
		return true
	}
	k, f := s.visible(ctx, s.plan.project)
	return f == nil && k.moved && strings.EqualFold(k.key, home)
}

// is reports whether the account is the one that was asked for; where that cannot
// be told, Jira is taken at its word.
func (s *seeker) is(ctx context.Context, u person, name string) bool {
	switch {
	case name == "" || !u.told:
		return true
	case u.wireUser == nil || name == "none":
		return u.wireUser == nil && name == "none"
	case name == "*":
		return true
	case name == "@me":
		id, f := s.who(ctx)
		return f != nil || id.id == u.handle(s.srv)
	}
	yes, sure := u.goesBy(name)
	return yes || !sure
}

// refusedBy says why Jira did not take a query, as far as the parts of the question
// tell: its project may not be visible, an account not known, an issue that it names
// absent or hidden. What is left is the query itself. JR-02, JR-10, JR-14.
func (s *seeker) refusedBy(ctx context.Context, x *upstream.Exchange, f status.Failure) *status.Failure {
	if x == nil || x.Status != http.StatusBadRequest || f.Reason() != status.QueryRefused {
		return &f
	}
	if counted(x.Header) != accepted { // the words of JR-02 depend on the language of the site
		if lost := s.known(ctx); lost != nil {
			return lost
		}
	}
	if s.at.token != "" { // a token of Cloud does not live long
		return x.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
			Name: "cursor", Reason: status.InvalidArgument.Name(), Problem: "Jira does not take it any more; leave it out to begin again",
		}}))
	}
	for _, key := range s.plan.keys[:min(len(s.plan.keys), maxChecks)] {
		if _, lost := s.visible(ctx, key); lost != nil {
			return lost
		}
	}
	for _, a := range s.accounts() {
		if _, lost := s.knows(ctx, a); lost != nil {
			return lost
		}
	}
	if s.plan.native == "" {
		return &f
	}
	if lost := s.unnamed(ctx); lost != nil {
		return lost
	}
	f = f.With(status.Arguments.Is([]status.Argument{{Name: "native_query", Reason: status.QueryRefused.Name(), Problem: "Jira does not take it as it stands"}}))
	return &f
}

// unnamed is the failure to read a project or an issue that the caller's own query
// names: nothing tells an absent one from a hidden one. Nil: all that were looked up
// are visible.
func (s *seeker) unnamed(ctx context.Context) *status.Failure {
	left := maxChecks
	for _, key := range projectsIn(s.plan.native) {
		if connectors.Admits(ctx, key) != nil {
			continue
		}
		if left--; left < 0 {
			return nil
		}
		if _, f := s.visible(ctx, key); f != nil {
			return f
		}
	}
	if !s.plan.byIssue {
		return nil
	}
	for _, w := range lex(s.plan.native) {
		key := strings.ToUpper(w.text)
		if projectOf(key) == "" || connectors.Admits(ctx, projectOf(key)) != nil {
			continue
		}
		if left--; left < 0 {
			return nil
		}
		k := s.srv.get("/issue/{key}", "issue", key).with(url.Values{"fields": {"summary,status"}})
		if _, _, f := one[wireIssue](ctx, s.client, k); f != nil {
			named := f.With(status.Reference.Is(key), status.Container.Is(projectOf(key)))
			return &named
		}
	}
	return nil
}
