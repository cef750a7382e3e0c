package github

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// mediaMatches makes GitHub show where in a file a hit is.
const mediaMatches = "application/vnd.github.text-match+json"

// codeSearch is one question for code.
type codeSearch struct {
	connectors.CodeQuery
	at     place
	pos    position
	needle markup.Needle
	fits   func(path string) bool
}

// found is what a search found and what it proved, or why it failed.
type found struct {
	hits    []connectors.CodeHit
	audit   *status.Audit
	failure *status.Failure
}

func lostSearch(f status.Failure) found { return found{failure: &f} }

// SearchCode finds a literal text.
//
// GitHub's index holds only the default branch, leaves files out by size and
// kind, forgets idle repositories, matches whole words and ignores punctuation.
// So what it finds is never all, and that it finds nothing proves nothing
// (GH-28, GH-29): its answers are partial. Only where the files in question are
// few are they read one by one, which finds the text or proves that it is not
// there. That is done when the index found nothing, and on other revisions.
func (r repository) SearchCode(ctx context.Context, q connectors.CodeQuery) status.Result[connectors.CodeHit] {
	s := codeSearch{CodeQuery: q, needle: markup.NewNeedle(q.Text)}
	var f *status.Failure
	if s.pos, f = r.position(q.Cursor); f != nil {
		return status.Failed[connectors.CodeHit](r.source, *f)
	}
	if s.fits, f = r.pathFilter(q.Path); f != nil {
		return status.Failed[connectors.CodeHit](r.source, *f)
	}
	var u *unfound
	if s.at, u = r.place(ctx, "repo", q.Repo, q.Revision); u != nil {
		return unread[connectors.CodeHit](r.source, u)
	}
	got := r.find(ctx, s)
	if got.failure != nil {
		return status.Failed[connectors.CodeHit](r.source, *got.failure)
	}
	return status.List(r.source, got.hits, got.audit)
}

func (c *client) find(ctx context.Context, s codeSearch) found {
	if s.pos.scope == byReading || s.at.revision != s.at.repo.branch {
		return c.readAll(ctx, s)
	}
	return c.searchIndex(ctx, s)
}

// byReading is the scope of a cursor that goes on in files that were read.
const byReading = 1

// pathFilter reads a path prefix or a glob.
func (c *client) pathFilter(pattern string) (func(string) bool, *status.Failure) {
	if strings.Contains(pattern, "*") {
		return func(p string) bool { return ref.MatchGlob(pattern, p) }, nil
	}
	prefix, f := c.cleanPath(pattern)
	return func(p string) bool { return prefix == "" || p == prefix || strings.HasPrefix(p, prefix+"/") }, f
}

// readAll answers from the files themselves, if they are few enough.
func (c *client) readAll(ctx context.Context, s codeSearch) found {
	t, f := c.readTree(ctx, s.at.repo.name, s.at.treeish, true)
	if f != nil {
		return lostSearch(*f)
	}
	w := s.through(t)
	if t.truncated || !c.scannable(w.files) {
		return lostSearch(notIndexed(s).With(status.Total.Is(len(w.files)), status.Limit.Is(scanFiles)))
	}
	return c.hitsOf(ctx, s, t, w)
}

// notIndexed is the failure for what the index does not hold.
func notIndexed(s codeSearch) status.Failure {
	return status.Fail(status.IndexNotCovering, status.Revision.Is(s.at.revision),
		status.Container.Is(s.at.repo.name.String()+" at "+s.at.revision),
		status.Fallback("search a local clone, or give a path below which at most "+strconv.Itoa(scanFiles)+" files lie, and label the answer partial"))
}

func (c *client) hitsOf(ctx context.Context, s codeSearch, t tree, w through) found {
	read, f := c.scan(ctx, s.at.repo.name, w.files)
	a := c.treeAudit(ctx, s.at, t)
	var hits []connectors.CodeHit
	for _, got := range read {
		var texts scrub
		if lines := matchLines(texts.plain(got.text), s.needle); len(lines) > 0 && got.skip == "" {
			hits = append(hits, c.hit(s, got.entry.Path, lines, texts.removed))
		}
	}
	c.scanAudit(ctx, a, w, scanned{t, read, f, len(hits)})
	from, to := cut(len(hits), s.pos.skip, s.Limit)
	if to < len(hits) {
		a.Next(position{page: url.Values{}, skip: to, scope: byReading}.cursor())
	}
	return found{hits: hits[from:to], audit: a}
}

func (c *client) hit(s codeSearch, path string, lines []connectors.LineMatch, removed int) connectors.CodeHit {
	o := c.fileOrigin(s.at, path, "file")
	o.Removed += removed
	var texts scrub // what it takes out is counted in the origin
	return connectors.CodeHit{Origin: o, Repo: s.at.repo.name.String(), Path: texts.path(path), Revision: s.at.revision, Matches: lines}
}

// searchIndex asks GitHub's index of the default branch.
func (c *client) searchIndex(ctx context.Context, s codeSearch) found {
	w, x, f := c.askIndex(ctx, s.pos, s.Limit, indexQuery(s))
	if f != nil {
		closed := f.Reason() == status.QueryRefused || c.anonymous() && f.Reason() == status.AuthContextRequired // GH-27, GH-30
		if got, _, ok := c.readFew(ctx, s, closed); ok {
			return got
		}
		return lostSearch(f.With(status.Container.Is(s.at.repo.name.String())))
	}
	a := c.audit(ctx, x)
	s.at.repo.vouch(a)
	a.Examined(len(*w.Items))
	var hits []connectors.CodeHit
	mine, rest := share(*w.Items, s.pos, s.Limit)
	for _, h := range mine {
		if h, ok := c.indexHit(s, h); ok {
			hits = append(hits, h)
		}
	}
	_, more := nextPage(x.Header)
	if len(hits) == 0 && !more && rest == nil && s.pos.page.Get("page") == "" && !*w.IncompleteResults {
		return c.nothingIndexed(ctx, s, a)
	}
	if c.turnSearch(a, x, s.pos, w); rest != nil {
		a.Next(rest.cursor())
	}
	c.judgeIndex(a, s, *w.IncompleteResults)
	return found{hits: hits, audit: a}
}

// judgeIndex says why the index may have missed something: for a reason that
// passes (GH-22, GH-31), or because it does not hold everything (GH-29).
func (c *client) judgeIndex(a *status.Audit, s codeSearch, incomplete bool) {
	pushed := s.at.repo.pushedAt
	switch {
	case incomplete:
		a.Fail(status.Effectiveness, status.Fail(status.IndexIncomplete, status.Marker.Is("incomplete_results")))
	case pushed != nil && c.now().Sub(*pushed) < indexLag:
		a.Fail(status.Effectiveness, status.Fail(status.Stale, status.Marker.Is("pushed after the index was made"), status.After(indexLag),
			status.AgeSeconds.Is(int64(c.now().Sub(*pushed).Seconds()))))
	default:
		a.Fail(status.Effectiveness, notIndexed(s))
		return
	}
	a.Unprovable(noteIndexCoverage)
}

// noteIndexCoverage: the index does not hold every file, whatever else is the matter.
const noteIndexCoverage = "search_index_coverage"

// turnSearch adds what the markers of a search say about its end. GH-22, GH-23.
func (c *client) turnSearch(a *status.Audit, x *upstream.Exchange, pos position, w wireCodeSearch) {
	_, more := nextPage(x.Header)
	page, _ := strconv.Atoi(pos.page.Get("page"))
	size, _ := strconv.Atoi(pos.page.Get("per_page"))
	seen := max(page-1, 0)*size + len(*w.Items)
	switch {
	case *w.IncompleteResults:
		a.Fail(status.InBand, status.Fail(status.IndexIncomplete, status.Marker.Is("incomplete_results"), status.Total.Is(*w.TotalCount)))
	case !more && *w.TotalCount > seen:
		a.Fail(status.Completeness, status.Fail(status.ProviderCap, status.Total.Is(*w.TotalCount), status.Limit.Is(searchCap)))
		return
	}
	c.turn(a, x, pos)
}

// indexHit takes a hit over if it is one: the index ignores punctuation, so a
// fragment shows whether the text is really there.
func (c *client) indexHit(s codeSearch, w wireCodeHit) (connectors.CodeHit, bool) {
	if !strings.EqualFold(w.Repository.FullName, s.at.repo.name.String()) || !s.fits(w.Path) {
		return connectors.CodeHit{}, false
	}
	var lines []connectors.LineMatch
	var texts scrub
	for _, m := range w.TextMatches {
		for _, line := range matchLines(texts.plain(m.Fragment), s.needle) {
			lines = append(lines, connectors.LineMatch{Text: line.Text}) // fragments have no line numbers
		}
	}
	if len(lines) == 0 && len(w.TextMatches) > 0 {
		return connectors.CodeHit{}, false
	}
	return c.hit(s, w.Path, lines[:min(len(lines), maxMatches)], texts.removed), true
}

// readFew answers from the files themselves if it is worth a try and they are
// few. Otherwise it returns what it knows of the tree.
func (c *client) readFew(ctx context.Context, s codeSearch, try bool) (found, tree, bool) {
	if !try {
		return found{}, tree{}, false
	}
	t, f := c.readTree(ctx, s.at.repo.name, s.at.treeish, true)
	if f != nil || t.truncated {
		return found{}, t, false
	}
	w := s.through(t)
	if !c.scannable(w.files) {
		return found{}, t, false
	}
	return c.hitsOf(ctx, s, t, w), t, true
}

// nothingIndexed judges an index that found nothing: by the files themselves if
// they are few; else a canary, a name that must be found, shows whether the
// repository is in the index at all. GH-28.
func (c *client) nothingIndexed(ctx context.Context, s codeSearch, a *status.Audit) found {
	got, t, ok := c.readFew(ctx, s, true)
	if ok {
		return got
	}
	w, x, f := c.askIndex(ctx, position{}, 1, canary(s.at, t))
	switch {
	case f != nil:
		a.Unmade(status.Completeness, *f)
	case *w.TotalCount == 0 && !*w.IncompleteResults:
		return lostSearch(notIndexed(s).With(status.WasCalled, status.Marker.Is("a file that is there is not among the hits")))
	default:
		a.Hold(x.Proof(), status.Completeness)
	}
	c.judgeIndex(a, s, false)
	return found{audit: a}
}

// canary is a search for the name of a file that is there.
func canary(p place, t tree) string {
	name := "README"
	for _, e := range t.entries {
		if base := e.Path[strings.LastIndexByte(e.Path, '/')+1:]; e.kind() == "file" && plainName(base) && e.Size > 0 && e.Size < indexFile {
			name = base
			if strings.HasPrefix(strings.ToUpper(base), "README") {
				break
			}
		}
	}
	return "filename:" + name + within(p)
}

// maxQuery is the longest text that GitHub searches for, qualifiers apart. What
// is twice as long altogether is not sent: it may not even fit into an address.
const maxQuery = 256

// indexFile is the size from which on the index leaves a file out. GH-29.
const indexFile = 384 << 10

// within restricts a search to a repository. Forks are left out unless asked for. GH-28.
func within(p place) string {
	q := " repo:" + p.repo.name.String()
	if p.repo.fork {
		q += " fork:true"
	}
	return q
}

// indexQuery asks for the text as a phrase. A path restricts the search as far
// as the index can; the rest is done on what it finds.
func indexQuery(s codeSearch) string {
	q := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s.Text) + `"` + within(s.at)
	dir, _, glob := strings.Cut(s.Path, "*")
	last := strings.LastIndexByte(dir, '/') + 1
	if glob || strings.Contains(dir[last:], ".") { // what stands last may be a file or a part of a name
		dir = dir[:last]
	}
	dir = strings.Trim(strings.TrimPrefix(dir, "./"), "/")
	if dir != "" {
		q += ` path:"` + strings.ReplaceAll(dir, `"`, "") + `"`
	}
	return q
}

func (c *client) askIndex(ctx context.Context, pos position, limit int, query string) (wireCodeSearch, *upstream.Exchange, *status.Failure) {
	if utf8.RuneCountInString(query) > 2*maxQuery {
		f := status.Fail(status.QueryRefused, status.By(c.source), status.NotCalled, status.Limit.Is(maxQuery))
		return wireCodeSearch{}, nil, &f
	}
	q := perPage(limit)
	q.Set("q", query)
	k := call{class: "GET /search/code", path: []string{"search", "code"}, query: pos.onto(q), accept: mediaMatches}
	return one[wireCodeSearch](ctx, c, k)
}
