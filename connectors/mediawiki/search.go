package mediawiki

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// searchWindow is how far CirrusSearch pages through its hits. MW-10.
const searchWindow = 10_000

// What of the pages is searched. The database engine looks at one or the other, and
// at titles alone if nobody says which.
const (
	inTitles = "title"
	inTexts  = "text"
)

// Search finds a literal text in titles, then in texts. CirrusSearch, where it is
// installed, looks at both at once. The index knows words, not letters: what it does
// not find inside a word may be there, and the answer says so.
func (d documents) Search(ctx context.Context, q connectors.PageQuery) status.Result[connectors.Page] {
	fail := func(f status.Failure) status.Result[connectors.Page] {
		return status.Failed[connectors.Page](d.source, f)
	}
	at, f := d.place(q.Cursor)
	if f != nil {
		return fail(*f)
	}
	s, f := d.look(ctx)
	if f != nil {
		return fail(*f)
	}
	in, f := d.scope(ctx, s, q.Space)
	if f != nil {
		return fail(*f)
	}
	h := hunt{documents: d, site: s, in: in, text: literal(q.Text), left: q.Limit, audit: &status.Audit{}, seen: map[int]bool{}}
	switch {
	case h.text == "":
		return fail(status.Fail(status.IndexNotCovering, status.NotCalled, status.Container.Is(s.name), status.Part.Is("punctuation"),
			status.Fallback("search for a word beside it")))
	case in.category != "" && !s.cirrus:
		return fail(status.Fail(status.OperationUnsupported, status.Feature.Is("a search inside a category"), status.Container.Is(in.category),
			status.Fallback("list the category with docs_list, or search its namespace")))
	}
	return h.run(ctx, at)
}

// hunt is one search under way.
type hunt struct {
	documents
	site  site
	in    scope
	text  string
	left  int
	audit *status.Audit
	seen  map[int]bool
	pages []connectors.Page
	off   []status.Failure // why a part is not searched
	began bool             // it is the first page of the answer
	flaw  bool             // an answer has a gap already
}

// place is where a search goes on.
type place struct {
	what   string
	offset int
}

func (p place) cursor() string { return p.what + ":" + strconv.Itoa(p.offset) }

func (d documents) place(cursor string) (place, *status.Failure) {
	if cursor == "" {
		return place{}, nil
	}
	what, rest, _ := strings.Cut(cursor, ":")
	offset, err := strconv.Atoi(rest)
	if err != nil || offset < 0 || what != inTitles && what != inTexts {
		return place{}, d.badArgument("cursor", "was not handed out by this source")
	}
	return place{what, offset}, nil
}

// run looks at titles, then at texts, until the page of the answer is full.
func (h *hunt) run(ctx context.Context, at place) status.Result[connectors.Page] {
	h.began = at == place{}
	parts := []string{inTitles, inTexts}
	if h.site.cirrus || at.what == inTexts { // its texts hold the titles
		parts = parts[1:]
	}
	for i, what := range parts {
		if at.what != what {
			at = place{what: what}
		}
		if h.left <= 0 {
			h.audit.Next(at.cursor())
			break
		}
		on, f := h.part(ctx, at)
		switch {
		case f != nil && f.Reason() == status.FeatureDisabled: // MW-09
			h.off = append(h.off, f.With(status.Feature.Is("the search in "+what+"s"), status.Container.Is(h.site.name)))
		case f != nil && len(h.pages) == 0 && i == 0:
			return status.Failed[connectors.Page](h.source, *f)
		case f != nil: // HT-10: what was found stands
			h.audit.Fail(status.Completeness, *f)
			return h.told()
		case on:
			return h.told()
		}
	}
	if len(h.off) == len(parts) {
		f := h.off[len(h.off)-1]
		return status.Failed[connectors.Page](h.source, f.With(status.Fallback("list the pages with docs_list")))
	}
	h.prove(ctx)
	return h.told()
}

func (h *hunt) told() status.Result[connectors.Page] {
	for _, f := range h.off {
		h.audit.Fail(status.Effectiveness, f)
	}
	h.bounded(h.audit)
	h.audit.Unprovable(noteLag)
	if !h.site.cirrus {
		h.audit.Uncovered(noteWords)
	}
	return status.List(h.source, h.pages, h.audit)
}

// part asks for one page of hits. on tells that the cursor is set.
func (h *hunt) part(ctx context.Context, at place) (on bool, f *status.Failure) {
	text := h.text
	if h.in.category != "" {
		_, name := h.site.split(h.in.category)
		text += ` incategory:"` + strings.ReplaceAll(name, `"`, "") + `"`
	}
	a, f := h.ask(ctx, query("list=search", url.Values{
		"list": {"search"}, "srsearch": {text}, "srwhat": {at.what}, "srnamespace": {h.in.numbers()}, "srlimit": {strconv.Itoa(h.left)},
		"sroffset": {strconv.Itoa(at.offset)}, "srinfo": {"totalhits"}, "srprop": {"snippet|timestamp|sectiontitle"},
	}))
	if f != nil {
		return false, f
	}
	if a.Query == nil || a.Query.Search == nil {
		return false, a.x.Misshapen("query.search")
	}
	rows := *a.Query.Search
	if key := upstream.MissingIn("", rows); key != "" {
		return false, a.x.Misshapen(key)
	}
	h.hear(h.audit, a, h.site)
	h.flaw = h.flaw || a.doubt() != nil
	h.audit.Examined(len(rows))
	if i := a.Query.SearchInfo; i != nil && i.Rewritten != "" { // the hits are those of another question
		h.gap(status.Effectiveness, a.x.Fail(status.FilterUnresolved, status.Filter.Is("query, in place of which the wiki searched for another,"), status.Withheld.Is(len(rows))))
		return h.goOn(a, at, len(rows)), nil
	}
	h.take(a, rows)
	return h.goOn(a, at, len(rows)), nil
}

// take keeps the rows that lie where was asked, each page once.
func (h *hunt) take(a answer, rows []wireRow) {
	odd := 0
	for _, r := range rows {
		switch {
		case !h.in.holds(*r.Namespace):
			odd++
			continue
		case h.seen[r.ID]:
			continue
		}
		h.seen[r.ID] = true
		p := h.page(h.site, r)
		p.UpdatedAt, p.Snippet, p.Section = r.Timestamp, plain(r.Snippet), plain(r.Section)
		h.pages = append(h.pages, p)
		h.left--
	}
	if odd > 0 {
		h.gap(status.Effectiveness, misplaced(a, odd))
		return
	}
	h.audit.Hold(a.x.AskedProof(), status.Effectiveness)
}

// gap records a check that does not hold.
func (h *hunt) gap(c status.Check, f *status.Failure) {
	h.flaw = true
	h.audit.Fail(c, *f)
}

// misplaced is the failure for rows that lie elsewhere than was asked.
func misplaced(a answer, n int) *status.Failure {
	return a.x.Fail(status.Contradictory, status.Marker.Is("rows outside of what was asked"), status.Skipped.Is(map[string]int{"rows": n}))
}

// goOn reads the wiki's own marker of more, and where its hits end before their
// number does. MW-05, MW-10.
func (h *hunt) goOn(a answer, at place, rows int) bool {
	total := -1
	if i := a.Query.SearchInfo; i != nil && i.Total != nil {
		total = *i.Total
	}
	switch {
	case a.Continue != nil && a.Continue.SearchOffset == nil:
		h.flaw = true
		h.audit.Unmade(status.Completeness, *a.x.Misshapen("continue.sroffset"))
	case a.Continue != nil && *a.Continue.SearchOffset <= at.offset:
		h.gap(status.Completeness, a.x.Fail(status.CursorLoop))
	case a.Continue != nil && *a.Continue.SearchOffset >= searchWindow:
		h.gap(status.Completeness, a.x.Fail(status.ProviderCap, status.Limit.Is(searchWindow), status.Total.Is(max(total, 0))))
	case a.Continue != nil:
		h.audit.Next(place{at.what, *a.Continue.SearchOffset}.cursor())
		return true
	case total > 0 && rows == 0 && at.offset == 0:
		h.gap(status.Completeness, a.x.Fail(status.Contradictory, status.Total.Is(total), status.Marker.Is("hits are counted and none is shown")))
	case total > at.offset+rows:
		h.gap(status.Completeness, a.x.Fail(status.ProviderCap, status.Total.Is(total), status.Examined.Is(at.offset+rows)))
	default:
		h.flaw = h.flaw || !a.BatchComplete
		a.done(h.audit)
	}
	return false
}

// canary is what an index was seen to find, and how far behind it may be.
type canary struct {
	finds *status.Failure // nil: the main page by its title
	lag   *status.Failure
	proof status.Proof
	blind bool // there is no main page to look for
}

// prove lets an index that found nothing show that it finds anything. MW-09.
func (h *hunt) prove(ctx context.Context) {
	if len(h.pages) > 0 || !h.began || h.flaw || len(h.off) > 0 {
		return
	}
	if !h.site.cirrus && strings.ContainsFunc(h.text, unspaced) {
		h.audit.Fail(status.Effectiveness, status.Fail(status.IndexNotCovering, status.WasCalled, status.Container.Is(h.site.name),
			status.Part.Is("words of a script that puts no spaces between them")))
	}
	c, f := h.canary(ctx)
	switch {
	case f != nil:
		h.audit.Unmade(status.Effectiveness, *f)
	case c.finds != nil:
		h.audit.Fail(status.Effectiveness, *c.finds)
	case c.lag != nil && h.site.cirrus: // the table of words is filled without jobs
		h.audit.Fail(status.Effectiveness, *c.lag)
	case c.blind:
		h.audit.Unprovable("use_of_the_search_index")
	default:
		h.audit.Hold(c.proof, status.Effectiveness)
	}
}

func (h *hunt) canary(ctx context.Context) (canary, *status.Failure) {
	key := h.up.Fingerprint(ctx)
	if c, ok := h.indexes.Get(key); ok {
		return c, nil
	}
	what := inTitles
	if h.site.cirrus {
		what = inTexts
	}
	main := literal(h.site.main)
	if main == "" {
		return canary{blind: true}, nil
	}
	a, f := h.ask(ctx, query("list=search&titles&meta=siteinfo", url.Values{
		"list": {"search"}, "srsearch": {main}, "srwhat": {what}, "srnamespace": {"*"}, "srlimit": {"1"}, "srinfo": {"totalhits"}, "srprop": {""},
		"titles": {h.site.main}, "meta": {"siteinfo"}, "siprop": {"statistics"},
	}))
	if f != nil && f.Reason() == status.FeatureDisabled {
		return canary{blind: true}, nil
	}
	if f != nil {
		return canary{}, f
	}
	if a.Query == nil || a.Query.Search == nil || len(a.Query.Pages) != 1 {
		return canary{}, a.x.Misshapen("query.search")
	}
	if f := a.doubt(); f != nil {
		return canary{}, f
	}
	c := canary{proof: a.x.AskedProof(), lag: jobsWaiting(a.x, a.Query.Statistics), blind: a.Query.Pages[0].Missing}
	if len(*a.Query.Search) == 0 && !c.blind {
		c.finds = a.x.Fail(status.IndexIncomplete, status.Marker.Is("its index lacks the main page"))
	}
	if c.finds == nil && c.lag == nil {
		h.indexes.Put(key, c)
	}
	return c, nil
}

// literal is a text as a phrase, in which no word is an operator; empty if there is
// no word in it. The index does not know punctuation.
func literal(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return ""
	}
	text, _ = markup.Clean(text)
	text = strings.Map(func(r rune) rune {
		if r == '"' || r == '\\' || r == '*' {
			return ' '
		}
		return r
	}, text)
	return `"` + strings.Join(strings.Fields(text), " ") + `"`
}

// unspaced reports whether words of the script of r stand without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
