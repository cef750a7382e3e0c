package github

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

const (
	timelineRows  = "100"
	timelinePages = 5
)

// noteLinks: links from places that the account does not see are left out.
const noteLinks = "links_hidden_from_account"

// timeline reads links and history, which GitHub keeps in one list. A part that
// was not read makes the answer partial.
func (t tracker) timeline(ctx context.Context, a *status.Audit, item *connectors.Issue, p part, q connectors.IssueGet) {
	pos := position{page: url.Values{}}
	s := scrub{removed: item.Removed}
	defer func() { item.Removed = s.removed }()
	if q.Links {
		a.Unprovable(noteLinks)
	}
	query := url.Values{"per_page": {timelineRows}}
	for range timelinePages {
		rows, x, f := many[wireTimeline](ctx, t.client, issueCall(p.repo, p.number, "/timeline").with(pos.onto(query)))
		if f != nil {
			a.Unmade(status.Completeness, f.With(status.Part.Is("links and history")))
			return
		}
		t.hear(ctx, a, x)
		mine, rest := share(rows, position{}, maxLimit)
		for _, w := range mine {
			if link, ok := t.linkOf(w, p.repo, &s); ok && q.Links {
				item.Links = append(item.Links, link)
			}
			if event, ok := eventOf(w, &s); ok && q.History {
				item.History = append(item.History, event)
			}
		}
		next, more := nextPage(x.Header)
		switch {
		case rest != nil:
			a.Unmade(status.Completeness, status.Fail(status.OwnCap, status.Part.Is("links and history"), status.Limit.Is(maxLimit)))
			return
		case !more:
			return
		}
		onward, loop := pos.onward(next)
		if pos = onward; loop {
			a.Fail(status.Completeness, status.Fail(status.CursorLoop, status.Part.Is("links and history")))
			return
		}
	}
	a.Unmade(status.Completeness, status.Fail(status.OwnCap, status.Part.Is("links and history"), status.Limit.Is(100*timelinePages)))
}

// linkOf is the relation that an event tells of, if it is one.
func (t tracker) linkOf(w wireTimeline, here repoName, s *scrub) (connectors.Link, bool) {
	switch {
	case w.Source != nil && w.Source.Issue != nil && w.Source.Issue.Missing() == "":
		return t.link("mentioned_in", *w.Source.Issue, here, s), true
	case w.CommitID != "" && (*w.Event == "referenced" || *w.Event == "closed"):
		return connectors.Link{Type: *w.Event + "_by_commit", Ref: here.String() + "@" + s.word(w.CommitID), Container: here.String()}, true
	}
	return connectors.Link{}, false
}

func (t tracker) link(kind string, w wireIssue, here repoName, s *scrub) connectors.Link {
	if w.PullRequest != nil {
		kind += "_change"
	}
	return connectors.Link{
		Type: kind, Ref: refOf(homeOf(w, here), *w.Number), Title: s.line(*w.Title), URL: s.url(w.HTMLURL), State: s.word(w.State),
		Container: homeOf(w, repoName{}).String(), // unless it says so, it may be anywhere
	}
}

// eventOf is a step of the issue's history; comments and links are told elsewhere.
func eventOf(w wireTimeline, s *scrub) (connectors.Event, bool) {
	e := connectors.Event{At: w.CreatedAt, Actor: s.login(w.Actor), What: s.word(*w.Event)}
	switch *w.Event {
	case "commented", "cross-referenced", "mentioned", "subscribed", "unsubscribed":
		return e, false
	case "renamed":
		if w.Rename != nil {
			e.From, e.To = s.line(w.Rename.From), s.line(w.Rename.To)
		}
	case "closed", "reopened":
		e.To = s.word(w.Reason)
	}
	value := ""
	switch {
	case w.Label != nil && w.Label.Name != nil:
		value = s.line(*w.Label.Name)
	case w.Assignee != nil:
		value = s.login(w.Assignee)
	case w.Milestone != nil && w.Milestone.Title != nil:
		value = s.line(*w.Milestone.Title)
	}
	if strings.HasPrefix(e.What, "un") || strings.HasPrefix(e.What, "de") {
		e.From += value
	} else {
		e.To += value
	}
	return e, true
}

// family adds the issues above and below. The issue itself tells whether it has
// any; servers that do not know them tell nothing.
func (t tracker) family(ctx context.Context, a *status.Audit, item *connectors.Issue, p part, w wireIssue) {
	if r, ok := repoIn(w.ParentURL); ok {
		_, number, _ := strings.Cut(w.ParentURL, "/issues/")
		if n, err := strconv.Atoi(number); err == nil {
			item.Links = append(item.Links, connectors.Link{Type: "parent", Ref: refOf(r, n), Container: r.String()})
		}
	}
	if w.SubIssues == nil || w.SubIssues.Total == 0 {
		return
	}
	rows, x, f := many[wireIssue](ctx, t.client, issueCall(p.repo, p.number, "/sub_issues").with(url.Values{"per_page": {timelineRows}}))
	if f != nil {
		a.Unmade(status.Completeness, f.With(status.Part.Is("sub-issues")))
		return
	}
	t.hear(ctx, a, x)
	s := scrub{removed: item.Removed}
	mine, _ := share(rows, position{}, maxLimit)
	for _, row := range mine {
		item.Links = append(item.Links, t.link("sub_issue", row, p.repo, &s))
	}
	item.Removed = s.removed
	if _, more := nextPage(x.Header); more || len(mine) < max(w.SubIssues.Total, len(rows)) {
		a.Unmade(status.Completeness, status.Fail(status.ProviderCap, status.Part.Is("sub-issues"),
			status.Total.Is(w.SubIssues.Total), status.Examined.Is(len(mine))))
	}
}
