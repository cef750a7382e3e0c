package redmine

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// commentRows is how many comments one answer holds; the cursor goes on.
const commentRows = 50

// Get reads one issue and the parts that were asked for. Issues are numbered across
// all projects, so that the project of a reference is only where it was read.
func (t tracker) Get(ctx context.Context, q connectors.IssueGet) status.Result[connectors.Issue] {
	offset, f := t.offset(q.Cursor)
	if f == nil && q.Ref.Number <= 0 {
		f = t.badArgument("ref", "must name an issue by its number, such as #12")
	}
	if f != nil {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	if _, f := t.proved(ctx); f != nil { // RM-01: the public part would be read as anonymous
		return status.Failed[connectors.Issue](t.source, *f)
	}
	r, u := t.read(ctx, q.Ref.Number, includes(q), false)
	if u != nil {
		return unread[connectors.Issue](t.source, u)
	}
	item := t.whole(t.issue(r.wire, r.home), r.wire)
	a := t.audit(ctx, r.x)
	a.Hold(r.x.Proof(), status.Completeness)
	if item.Body, item.BodyCut = markup.Cut(item.Body, maxText); item.BodyCut {
		a.Fail(status.Completeness, status.Fail(status.OwnCap, status.Part.Is("the description"), status.Limit.Is(maxText)))
	}
	if q.Comments || q.History {
		t.journals(ctx, a, &item, thread{r, q, offset})
	}
	if q.Links {
		t.links(ctx, a, &item, r)
	}
	return status.One(t.source, item, a)
}

// includes names the parts that Redmine shows only when asked. RM-14.
func includes(q connectors.IssueGet) []string {
	var out []string
	if q.Comments || q.History {
		out = append(out, "journals")
	}
	if q.Links {
		out = append(out, "relations")
	}
	return out
}

// reading is one issue as it was read.
type reading struct {
	wire wireIssue
	home string // identifier of its project; empty if that could not be found out
	x    *upstream.Exchange
}

// read reads an issue. Policy is asked about the project in which it turns out to be.
func (t tracker) read(ctx context.Context, number int, include []string, fresh bool) (reading, *unfound) {
	k := get("/issues/{id}.json", "issues", itoa(number))
	k.fresh = fresh
	if len(include) > 0 {
		k.query = url.Values{"include": {strings.Join(include, ",")}}
	}
	w, x, f := one[wireIssueOne](ctx, t.client, k)
	name := "#" + itoa(number)
	switch {
	case t.isAbsent(x, f): // RM-04
		return reading{}, t.missingThing(ctx, x, status.Reference.Is(name), status.Container.Is(t.base.Host))
	case f != nil && f.Reason() == status.ScopeMissing: // RM-04: it is there
		named := f.With(status.Reference.Is(name), status.MissingScope.Is("sight of "+name),
			status.Remedy.Is("Give the account of source "+t.source+" a role that sees "+name+"; it is there."))
		return reading{}, stop(&named)
	case f != nil:
		named := f.With(status.Reference.Is(name))
		return reading{}, stop(&named)
	case *w.Issue.ID != number:
		return reading{}, stop(x.Contradicts("another issue came back"))
	}
	id := *w.Issue.Project.ID
	r := reading{wire: *w.Issue, home: t.homesOf(ctx, []int{id})[id], x: x}
	if f := t.admits(ctx, r.home, t.project); f != nil {
		return reading{}, stop(f)
	}
	return r, nil
}

// thread is an issue with what is wanted of its comments and history.
type thread struct {
	reading
	asked  connectors.IssueGet
	offset int // of the first comment
}

// journals reads comments and history, which Redmine keeps in one list, in the
// order in which the account prefers to see them.
func (t tracker) journals(ctx context.Context, a *status.Audit, item *connectors.Issue, r thread) {
	t.limits(ctx, a, notePrivate)
	if r.wire.Journals == nil { // RM-14
		a.Unmade(status.Completeness, status.Fail(status.ShapeError, status.Part.Is("comments and history"), status.MissingKey.Is("journals")))
		return
	}
	s := scrub{removed: item.Removed}
	defer func() { item.Removed = s.removed }()
	all := slices.SortedStableFunc(slices.Values(*r.wire.Journals), func(a, b wireJournal) int { return cmp.Compare(*a.ID, *b.ID) })
	var notes []connectors.Comment
	for _, j := range all {
		if strings.TrimSpace(j.Notes) != "" {
			notes = append(notes, t.comment(r.wire, j, &s))
		}
	}
	total := len(notes)
	item.Comments = &total
	if r.asked.Comments {
		from := min(r.offset, total)
		to := min(from+commentRows, total)
		item.Thread = notes[from:to]
		if to < total {
			a.Next(itoa(to))
		}
	}
	if r.asked.History {
		item.History = t.history(ctx, a, r.wire, all, &s)
	}
}

func (c *client) comment(w wireIssue, j wireJournal, s *scrub) connectors.Comment {
	return connectors.Comment{
		ID: itoa(*j.ID), Author: s.line(nameOf(j.User)), CreatedAt: j.CreatedOn, Body: s.text(j.Notes),
		URL: c.web("issues", itoa(*w.ID)) + "#change-" + itoa(*j.ID),
	}
}

// history is the details of the journals, with the names of statuses, people and
// fields as far as this issue and the list of statuses tell them.
func (t tracker) history(ctx context.Context, a *status.Audit, w wireIssue, all []wireJournal, s *scrub) []connectors.Event {
	names := t.namesIn(ctx, a, w, all)
	var out []connectors.Event
	for _, j := range all {
		for _, d := range j.Details {
			what := strings.TrimSuffix(d.Name, "_id")
			switch d.Property {
			case "attr":
			case "cf":
				what = names["cf "+d.Name]
				if what == "" {
					what = "field " + d.Name
				}
			default: // attachment, relation and the like, of which the name is a number or a kind
				what = strings.TrimSpace(d.Property + " " + what)
			}
			show := func(raw json.RawMessage) string {
				value := strings.Join(valuesOf(raw), ", ")
				if name, ok := names[d.Name+" "+value]; ok && d.Property == "attr" {
					return s.line(name)
				}
				return s.line(value)
			}
			out = append(out, connectors.Event{At: j.CreatedOn, Actor: s.line(nameOf(j.User)), What: s.line(what), From: show(d.Old), To: show(d.New)})
		}
	}
	return out
}

// namesIn are the names of numbers that a history shows, by field and number.
func (t tracker) namesIn(ctx context.Context, a *status.Audit, w wireIssue, all []wireJournal) map[string]string {
	names := map[string]string{}
	add := func(field string, w *wireRef) {
		if w != nil && w.ID != nil {
			names[field+" "+itoa(*w.ID)] = w.Name
		}
	}
	for _, f := range w.Fields {
		add("cf", &wireRef{ID: f.ID, Name: f.Name})
	}
	add("tracker_id", w.Tracker)
	add("priority_id", w.Priority)
	add("category_id", w.Category)
	add("fixed_version_id", w.Version)
	add("assigned_to_id", w.Author)
	add("assigned_to_id", w.AssignedTo)
	states := false
	for _, j := range all {
		add("assigned_to_id", j.User)
		states = states || slices.ContainsFunc(j.Details, func(d wireDetail) bool { return d.Name == "status_id" })
	}
	if !states {
		return names
	}
	known, f := t.listStatuses(ctx)
	if f != nil {
		a.Unmade(status.Completeness, f.With(status.Part.Is("the names of statuses in the history")))
	}
	for _, st := range known {
		add("status_id", &wireRef{ID: st.ID, Name: st.Name})
	}
	return names
}
