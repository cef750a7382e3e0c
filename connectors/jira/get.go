package jira

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// commentRows is how many comments one answer holds; the cursor goes on.
const commentRows = 50

// wireWhole is an issue with all that one request tells of it. Raw holds the fields
// by id, Names what people call them (JR-22).
type wireWhole struct {
	wireIssue
	Raw     map[string]json.RawMessage
	Names   map[string]string
	History *wireHistory
}

// UnmarshalJSON reads the fields twice: those that are known by what they mean, and
// all by id.
func (w *wireWhole) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &w.wireIssue); err != nil {
		return err
	}
	var rest struct {
		Fields  map[string]json.RawMessage `json:"fields"`
		Names   map[string]string          `json:"names"`
		History *wireHistory               `json:"changelog"`
	}
	err := json.Unmarshal(b, &rest)
	w.Raw, w.Names, w.History = rest.Fields, rest.Names, rest.History
	return err
}

// whole reads an issue. Comments have an endpoint of their own: those inside the
// issue are capped (JR-19).
func (c *client) whole(ctx context.Context, s server, key string, fresh, history bool) (wireWhole, *upstream.Exchange, *status.Failure) {
	expand := "names"
	if history && !s.cloud { // Cloud has an endpoint of its own for it
		expand += ",changelog"
	}
	k := s.get("/issue/{key}", "issue", key).with(url.Values{"fields": {"*all,-comment"}, "expand": {expand}})
	k.fresh = fresh
	w, x, f := one[wireWhole](ctx, c, k)
	if f == nil && w.Fields.Project != nil && w.Fields.Project.Key != nil && !strings.EqualFold(*w.Fields.Project.Key, w.home()) {
		f = x.Contradicts("the issue's key and project differ")
	}
	return w, x, f
}

// place finds the server and the key that a reference means.
func (c *client) place(ctx context.Context, r ref.Ref) (server, string, *status.Failure) {
	key, f := c.key(r)
	if f != nil {
		return server{}, "", f
	}
	s, f := c.which(ctx)
	switch {
	case f != nil || r.Host == "" || r.Match(c.base.String()) || r.Match(s.site): // see owns
	case strings.EqualFold(ref.HostOf(s.site), gateway): // it does not tell of which site it is
		unknown := status.Fail(status.ShapeError, status.By(c.source), status.WasCalled, status.MissingKey.Is("baseUrl"), status.Reference.Is(key))
		f = &unknown
	default:
		elsewhere := status.Fail(status.ConnectorNotConfigured, status.By(c.source), status.Host.Is(r.Host), status.Provider.Is("jira"), status.Reference.Is(key))
		f = &elsewhere
	}
	return s, key, f
}

// Get reads one issue and the parts that were asked for. An issue that went to
// another project still answers to its former key.
func (t tracker) Get(ctx context.Context, q connectors.IssueGet) status.Result[connectors.Issue] {
	at, f := t.parts(q.Cursor)
	if f != nil {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	s, key, f := t.place(ctx, q.Ref)
	if f != nil {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	w, x, f := t.whole(ctx, s, key, false, q.History)
	if f != nil {
		return absent[connectors.Issue](ctx, t.client, x, *f, key)
	}
	if f := admits(ctx, w.home(), projectOf(key)); f != nil {
		return status.Failed[connectors.Issue](t.source, *f)
	}
	a := t.audit(ctx, x)
	a.Hold(x.Proof(), status.Completeness)
	g := &getting{srv: s, audit: a, item: t.full(w, s, a), x: x, next: parts{read, read}}
	if !strings.EqualFold(g.item.Ref, key) {
		g.item.MovedTo = g.item.Ref
	}
	if q.Comments && at.comments != read {
		t.comments(ctx, g, at.comments)
	}
	if q.Links {
		t.links(ctx, a, &g.item, s, w)
	}
	if q.History && at.history != read {
		t.history(ctx, g, w, at.history)
	}
	if next := g.next.cursor(); next != "" {
		a.Next(next)
	}
	return status.One(t.source, g.item, a)
}

// getting is an issue whose parts are being read.
type getting struct {
	srv   server
	audit *status.Audit
	item  connectors.Issue
	x     *upstream.Exchange // that brought the issue
	next  parts
}

// full is an issue with its body and the fields that its site has added. JR-22.
func (t tracker) full(w wireWhole, s server, a *status.Audit) connectors.Issue {
	item := t.issue(w.wireIssue, s)
	text := scrub{removed: item.Removed}
	if raw, there := w.Raw["description"]; there {
		item.Body = text.body(raw)
	} else {
		a.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.WasCalled, status.Part.Is("the description, which the field configuration hides")))
	}
	text.judge(a, "description")
	item.Fields = text.custom(w, a)
	item.Removed = text.removed
	return item
}

// wireComment is one comment.
type wireComment struct {
	ID      *string         `json:"id"`
	Author  *wireUser       `json:"author"`
	Created *stamp          `json:"created"`
	Body    json.RawMessage `json:"body"`
}

func (w wireComment) Missing() string {
	if w.ID == nil || *w.ID == "" {
		return "id"
	}
	return upstream.Absent("body", len(w.Body) == 0)
}

type wireComments struct {
	Comments *[]wireComment `json:"comments"`
	Start    *int           `json:"startAt"`
	Total    *int           `json:"total"`
}

func (w wireComments) Missing() string {
	switch {
	case w.Comments == nil:
		return "comments"
	case w.Start == nil:
		return "startAt"
	case w.Total == nil:
		return "total"
	}
	return upstream.MissingIn("", *w.Comments)
}

// commentsAt is a page of the comments of an issue.
type commentsAt struct {
	key         string
	start, rows int
	fresh       bool
}

// commentPage reads one page of the comments of an issue, from the oldest on.
func (c *client) commentPage(ctx context.Context, s server, at commentsAt) (wireComments, *upstream.Exchange, *status.Failure) {
	k := s.get("/issue/{key}/comment", "issue", at.key, "comment").with(url.Values{
		"startAt": {strconv.Itoa(at.start)}, "maxResults": {strconv.Itoa(at.rows)}, "orderBy": {"created"},
	})
	k.fresh = at.fresh
	w, x, f := one[wireComments](ctx, c, k)
	if f == nil && *w.Start != at.start {
		f = x.Contradicts("another page than was asked came back")
	}
	if f == nil && len(*w.Comments) == 0 && at.start < *w.Total {
		f = x.Contradicts("total exceeds the comments, and there are no more")
	}
	return w, x, f
}

// comments reads one page of comments. Those that cannot be read take nothing from the
// rest. JR-19.
func (t tracker) comments(ctx context.Context, g *getting, from int) {
	w, x, f := t.commentPage(ctx, g.srv, commentsAt{g.item.Ref, from, commentRows, false})
	if f != nil {
		g.audit.Unmade(status.Completeness, f.With(status.Part.Is("comments")))
		return
	}
	t.hear(g.audit, x)
	g.audit.Unprovable(noteComments)
	text := scrub{removed: g.item.Removed}
	for _, c := range *w.Comments {
		g.item.Thread = append(g.item.Thread, text.comment(c, g.srv, g.item.Ref))
	}
	text.judge(g.audit, "comments")
	g.item.Removed, g.item.Comments = text.removed, w.Total
	if end := from + len(*w.Comments); end < *w.Total {
		g.next.comments = end
	}
}

func (t *scrub) comment(c wireComment, s server, key string) connectors.Comment {
	return connectors.Comment{
		ID: t.line(*c.ID), Author: t.user(c.Author), CreatedAt: c.Created.at(), Body: t.body(c.Body),
		URL: s.browse(key) + "?focusedCommentId=" + url.QueryEscape(*c.ID),
	}
}
