package github

import (
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/status"
)

// pageKeys are the parameters by which GitHub turns pages.
var pageKeys = [...]string{"page", "after", "before", "per_page"}

// position is a place in a listing: a page as GitHub names it, and how many of
// its rows were handed out already.
type position struct {
	page  url.Values
	skip  int
	scope int    // which of several searches
	trail string // marks of the pages that led here, where no number orders them
}

// position reads a cursor that cursor has made; an empty one is the start.
func (c *client) position(s string) (position, *status.Failure) {
	q, err := url.ParseQuery(s)
	p := position{page: url.Values{}}
	if err != nil {
		return p, c.badArgument("cursor", "was not handed out by this source")
	}
	for _, key := range pageKeys {
		if v := q.Get(key); v != "" {
			p.page.Set(key, v)
		}
	}
	p.trail = q.Get("trail")
	for key, n := range map[string]*int{"skip": &p.skip, "scope": &p.scope} {
		if v := q.Get(key); v != "" {
			if *n, err = strconv.Atoi(v); err != nil || *n < 0 {
				return p, c.badArgument("cursor", "was not handed out by this source")
			}
		}
	}
	return p, nil
}

// cursor is the position as text.
func (p position) cursor() string {
	q := url.Values{}
	for _, key := range pageKeys {
		if v := p.page.Get(key); v != "" {
			q.Set(key, v)
		}
	}
	if p.skip > 0 {
		q.Set("skip", strconv.Itoa(p.skip))
	}
	if p.scope > 0 {
		q.Set("scope", strconv.Itoa(p.scope))
	}
	if p.trail != "" {
		q.Set("trail", p.trail)
	}
	if len(q) == 0 {
		q.Set("page", "1") // never empty, which would be the end
	}
	return q.Encode()
}

// onto returns the query with the position's page in it.
func (p position) onto(q url.Values) url.Values {
	out := url.Values{}
	for k, v := range q {
		out[k] = v
	}
	for k, v := range p.page {
		out[k] = v
	}
	return out
}

// share takes those rows of the page p that one answer holds: what was not handed
// out yet, at most limit rows however many came. If rows are left, rest is where
// the next answer goes on.
func share[T any](rows []T, p position, limit int) (mine []T, rest *position) {
	from, to := cut(len(rows), p.skip, limit)
	if to < len(rows) {
		p.skip = to
		rest = &p
	}
	return rows[from:to], rest
}

// at is the position of the page that the query of a Link names.
func at(next url.Values, scope int) position {
	p := position{page: url.Values{}, scope: scope}
	for _, key := range pageKeys {
		if v := next.Get(key); v != "" {
			p.page.Set(key, v)
		}
	}
	return p
}

// maxTrail is how many pages a cursor remembers.
const maxTrail = 8

// onward is the position of the page that a Link on the page p calls next. It is
// a loop if that page came before: one with a lower number, or one on the trail.
func (p position) onward(next url.Values) (n position, loop bool) {
	n = at(next, p.scope)
	here, err := strconv.Atoi(p.page.Get("page"))
	if err != nil && p.page.Get("after") == "" && p.page.Get("before") == "" {
		here, err = 1, nil // the first page is called by no name
	}
	if there, bad := strconv.Atoi(n.page.Get("page")); err == nil && bad == nil {
		return n, there <= here
	}
	trail := append(strings.FieldsFunc(p.trail, func(r rune) bool { return r == '.' }), mark(p))
	for _, m := range trail {
		loop = loop || m == mark(n)
	}
	n.trail = strings.Join(trail[max(0, len(trail)-maxTrail):], ".")
	return n, loop
}

// mark is a short name of a page.
func mark(p position) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.page.Get("page") + " " + p.page.Get("after") + " " + p.page.Get("before"))) // never fails
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}
