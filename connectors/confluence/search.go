package confluence

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Search finds a literal text in titles and texts of pages, those of archived spaces
// too. The index knows words by their stem, not letters: what it does not find inside
// a word may be there, and the answer says so. An index that finds nothing shows that
// it works and covers the space by finding another page of it.
func (d documents) Search(ctx context.Context, q connectors.PageQuery) status.Result[connectors.Page] {
	at, f := d.place(q.Cursor)
	if f != nil {
		return d.stop(f)
	}
	words := literal(q.Text)
	if words == "" {
		f := status.Fail(status.IndexNotCovering, status.NotCalled, status.By(d.source), status.Part.Is("punctuation"), status.Fallback("search for a word beside it"))
		return d.stop(&f)
	}
	s, f := d.look(ctx)
	if f != nil {
		return d.stop(f)
	}
	in, f := d.within(ctx, s, q.Space)
	if f != nil {
		return d.stop(f)
	}
	h := hunt{documents: d, site: s, in: in, words: words, audit: &status.Audit{}}
	return h.run(ctx, at, q.Limit)
}

// hunt is one search under way.
type hunt struct {
	documents
	site  site
	in    space
	words string
	audit *status.Audit
	pages []connectors.Page
}

// rows is a page of hits, whichever of the two interfaces gave it.
type rows struct {
	x     *upstream.Exchange
	hits  []wireHit
	total int // -1: not told
	links wireLinks
}

func (h *hunt) run(ctx context.Context, at position, limit int) status.Result[connectors.Page] {
	r, f := h.ask(ctx, h.cql(true), at, limit)
	if f != nil {
		return h.stop(f)
	}
	h.hear(h.audit, h.site, r.x)
	h.audit.Hold(h.scope(), status.Scope)
	h.audit.Examined(len(r.hits))
	odd := h.take(ctx, r)
	if odd > 0 {
		h.audit.Fail(status.Effectiveness, *misplaced(r.x, odd))
	}
	more := next(h.audit, r.x, r.links, at)
	if at.name == "" && !more {
		h.count(r)
	}
	if len(r.hits) == 0 && at.name == "" && !more {
		h.prove(ctx)
	} else if odd == 0 {
		h.audit.Hold(r.x.AskedProof(), status.Effectiveness)
	}
	h.bounded(h.audit)
	h.audit.Unprovable(noteLag)
	h.audit.Uncovered(noteWords)
	h.audit.Uncovered(noteOthers)
	h.audit.Uncovered(noteDrafts)
	if h.site.cloud {
		h.audit.Uncovered(noteArchived)
	}
	return status.List(h.source, h.pages, h.audit)
}

// scope is the proof that what is searched is visible: the space, or the account that
// all of it is searched for.
func (h *hunt) scope() status.Proof {
	if h.in.key != "" {
		return h.in.proof
	}
	return h.site.proof
}

// count compares the hits with how many the answer says that there are. CF-03.
func (h *hunt) count(r rows) {
	if r.total > len(r.hits) {
		h.audit.Fail(status.Completeness, *r.x.Fail(status.Contradictory, status.Total.Is(r.total), status.Examined.Is(len(r.hits)),
			status.Marker.Is("more hits are counted than shown, and there is no further page")))
	}
}

// cql is the query. Every value is quoted; the text is one phrase.
func (h *hunt) cql(pages bool) string {
	var parts []string
	if pages {
		parts = append(parts, "type = "+quoted("page"))
	}
	if h.in.key != "" {
		parts = append(parts, "space = "+quoted(h.in.key))
	}
	return strings.Join(append(parts, "text ~ "+quoted(`"`+h.words+`"`)), " and ")
}

// quoted is a value of CQL.
// https://confluence.atlassian.com/doc/confluence-search-syntax-158720.html
func quoted(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
}

// ask puts a query to the search. Where something in front of it refuses the address
// for its form, the search of contents is asked, which knows no excerpts. CF-11.
func (h *hunt) ask(ctx context.Context, cql string, at position, limit int) (rows, *status.Failure) {
	v := url.Values{"cql": {cql}, "limit": {strconv.Itoa(limit)}, "expand": {"content.space,content.version"}, "excerpt": {"highlight"}, "includeArchivedSpaces": {"true"}}
	at.set(v)
	a, f := ask[wireList[wireHit]](ctx, h.client, question{class: "GET /rest/api/search", path: "/rest/api/search", values: v})
	if f != nil && refused(a.x) {
		v.Set("expand", "space,version")
		v.Del("excerpt")
		b, g := ask[wireList[wireContent]](ctx, h.client, question{class: "GET /rest/api/content/search", path: "/rest/api/content/search", values: v})
		if g == nil {
			g = listed(b)
		}
		if g != nil {
			return rows{}, f
		}
		status.CallFrom(ctx).Recovered(h.source, f.Reason(), 1, a.x.At)
		r := rows{x: b.x, total: totalOf(b.body.Total), links: b.body.Links}
		for _, w := range *b.body.Results {
			r.hits = append(r.hits, wireHit{Content: &w})
		}
		return r, nil
	}
	switch {
	case f != nil:
		return rows{}, outdated(at, a.x, f)
	case a.body.Results == nil: // CF-17
		return rows{}, a.x.Misshapen("results")
	}
	if key := upstream.MissingIn("results", *a.body.Results); key != "" {
		return rows{}, a.x.Misshapen(key)
	}
	return rows{x: a.x, hits: *a.body.Results, total: totalOf(a.body.Total), links: a.body.Links}, nil
}

// refused reports whether a query was refused by something that does not speak JSON.
func refused(x *upstream.Exchange) bool {
	return x != nil && x.Status == http.StatusBadRequest && !json.Valid(x.Body)
}

func totalOf(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

// take keeps the rows that are pages of the space, each once, and says how many are not.
func (h *hunt) take(ctx context.Context, r rows) (odd int) {
	seen := map[wireID]bool{}
	for _, hit := range r.hits {
		w := hit.Content
		if w == nil || w.Type != "page" || !inSpace(*w, h.in) {
			odd++
			continue
		}
		if seen[w.ID] {
			continue
		}
		seen[w.ID] = true
		key, f := h.keyed(ctx, *w, h.in)
		if f != nil { // the item is there all the same; without its space it passes no allow-list
			h.audit.Fail(status.Effectiveness, *f)
		}
		p := h.item(h.site, *w, key, r.links.Base)
		if p.UpdatedAt == nil {
			p.UpdatedAt = moment(hit.Modified.at)
		}
		p.Snippet = plain(hit.Excerpt)
		h.pages = append(h.pages, p)
	}
	return odd
}

// prove lets an index that found no page show that it covers the space, by one page
// that a listing shows, and says what it found that is no page. CF-13, CF-14, CF-21.
func (h *hunt) prove(ctx context.Context) {
	if connectors.Unindexed(h.words) {
		h.audit.Fail(status.Effectiveness, status.Fail(status.IndexNotCovering, status.WasCalled, status.Part.Is("words that the index leaves out"),
			status.Fallback("search for a rarer word")))
		return
	}
	known, x, f := h.canary(ctx)
	switch {
	case f != nil:
		h.audit.Unmade(status.Effectiveness, *f)
		return
	case known == "": // there is no page to be found
		h.audit.Hold(x.AskedProof(), status.Effectiveness)
		return
	}
	cql := "id = " + quoted(known) + " or (" + h.cql(false) + ")"
	r, f := h.ask(ctx, cql, position{}, 5)
	if f == nil {
		f = doubt(r.x)
	}
	if f != nil {
		h.audit.Unmade(status.Effectiveness, *f)
		return
	}
	finds, others := false, map[string]int{}
	for _, hit := range r.hits {
		switch {
		case hit.Content == nil:
			others["other"]++
		case string(hit.Content.ID) == known:
			finds = true
		default:
			others[kind(hit.Content.Type)]++
		}
	}
	switch {
	case len(others) > 0:
		h.audit.Fail(status.Effectiveness, *r.x.Fail(status.ContentNotIncluded, status.Part.Is("hits that are no pages"), status.Skipped.Is(others)))
	case !finds:
		h.audit.Fail(status.Effectiveness, *r.x.Fail(status.IndexIncomplete, status.Marker.Is("its index lacks a page that a listing shows")))
	default:
		h.audit.Hold(r.x.AskedProof(), status.Effectiveness)
	}
}

// kind is the name of a type of content; only those that we know are told.
func kind(t string) string {
	if slices.Contains([]string{"page", "blogpost", "comment", "attachment", "folder", "whiteboard", "database", "embed"}, t) {
		return t
	}
	return "other"
}

// canary is the number of a page of the space: on Cloud the one that was changed last,
// of a Data Center the first that it lists. Empty: there is no page.
func (h *hunt) canary(ctx context.Context) (string, *upstream.Exchange, *status.Failure) {
	q := question{class: "GET /api/v2/pages?sort", path: "/api/v2/pages", values: url.Values{"sort": {"-modified-date"}, "limit": {"1"}, "status": {"current"}}}
	if h.in.id != "" {
		q.values.Set("space-id", h.in.id)
	}
	if !h.site.cloud {
		q = question{class: "GET /rest/api/content?type", path: "/rest/api/content", values: url.Values{"type": {"page"}, "limit": {"1"}, "expand": {"version,space"}}}
		if h.in.key != "" {
			q.values.Set("spaceKey", h.in.key)
		}
	}
	a, f := ask[wireList[wireContent]](ctx, h.client, q)
	if f == nil {
		f = listed(a)
	}
	if f == nil {
		f = doubt(a.x)
	}
	switch {
	case f != nil:
		return "", a.x, f
	case len(*a.body.Results) > 0:
		return string((*a.body.Results)[0].ID), a.x, nil
	case a.body.Links.Next != "": // what came first is hidden
		return "", a.x, a.x.Fail(status.IndexIncomplete, status.Marker.Is("_links.next"))
	}
	return "", a.x, nil
}

// literal is a text as the words of one phrase, in which no character is an operator;
// empty if there is no word in it. The index does not know punctuation.
func literal(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return ""
	}
	text, _ = markup.Clean(text)
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"\\*?~", r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
