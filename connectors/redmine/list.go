package redmine

import (
	"context"
	"maps"
	"net/url"
	"strconv"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

const (
	defaultLimit = 20
	// maxLimit is the largest page that Redmine serves; more is cut without a word. RM-06.
	maxLimit = 100
	// maxPages bounds how many pages of a listing one call reads.
	maxPages = 5
)

// page is one part of a listing: how it was asked for and what came.
type page struct {
	offset  int
	rows    int
	listing wireListing
	x       *upstream.Exchange
}

// ends reports whether the listing ends with this page, by Redmine's own count, or
// why that is not known. RM-06, RM-15.
func (p page) ends() (bool, *status.Failure) {
	l := p.listing
	switch {
	case l.Total == nil: // RM-15
		return false, p.x.Misshapen("total_count")
	case l.Offset != nil && *l.Offset != p.offset:
		return false, p.x.Contradicts("another part of the listing came back")
	case *l.Total < 0 || p.offset+p.rows > *l.Total:
		return false, p.x.Contradicts("more rows came than total_count says")
	case p.rows == 0 && p.offset < *l.Total, l.Limit != nil && p.rows < min(*l.Limit, *l.Total-p.offset):
		return false, p.x.Fail(status.Contradictory, status.Total.Is(*l.Total), status.Examined.Is(p.offset+p.rows),
			status.Marker.Is("total_count is more than the rows that came"))
	}
	return p.offset+p.rows >= *l.Total, nil
}

// settle records how far the listing goes: its end, where it goes on, or that
// neither is known.
func (p page) settle(a *status.Audit) {
	end, f := p.ends()
	switch {
	case f != nil:
		a.Fail(status.Completeness, *f)
	case end:
		a.Hold(p.x.Proof(), status.Completeness)
	default:
		a.Next(itoa(p.offset + p.rows))
	}
}

// once keeps each row once. One that comes twice shows that a listing moved while it
// was read, or that its offset was not heeded: another row may be missing for it.
func once[R any](x *upstream.Exchange, rows []R, number func(R) int) ([]R, *status.Failure) {
	seen := map[int]bool{}
	var out []R
	for _, r := range rows {
		n := number(r)
		if n == 0 || !seen[n] { // zero: it has no number
			out = append(out, r)
		}
		seen[n] = true
	}
	if len(out) < len(rows) {
		return out, x.Contradicts("the same row came twice")
	}
	return out, nil
}

func numberOfIssue(w wireIssue) int { return *w.ID }

// offset reads a cursor, which is the number of rows that were passed.
func (c *client) offset(cursor string) (int, *status.Failure) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(cursor)
	if err != nil || n < 0 {
		return 0, c.badArgument("cursor", "was not handed out by this source")
	}
	return n, nil
}

// part adds offset and limit to a query.
func part(q url.Values, offset, limit int) url.Values {
	out := url.Values{}
	maps.Copy(out, q)
	out.Set("offset", itoa(offset))
	out.Set("limit", itoa(limit))
	return out
}

// lister is a listing that can be read to its end.
type lister[T upstream.Wire, R any] struct {
	call   call
	rows   func(T) ([]R, wireListing)
	number func(R) int
}

// walked is a listing as far as it was read; gap says why that is not its end.
type walked[R any] struct {
	rows []R
	last *upstream.Exchange
	gap  *status.Failure
}

// maxWalks is how often a listing is read that contradicts itself: one that changes
// meanwhile shows a row twice, or another count than it has rows.
const maxWalks = 3

// walk reads a listing page by page, within bounds. A failure of the first page
// leaves last unset or unusable.
func walk[T upstream.Wire, R any](ctx context.Context, c *client, l lister[T, R]) walked[R] {
	var before walked[R]
	for try := 1; ; try++ {
		out := walkAll[T](ctx, c, l)
		if rows, f := once(out.last, out.rows, l.number); f != nil {
			out.rows, out.gap = rows, f
		}
		switch {
		case out.gap == nil:
			return out
		case out.gap.Reason() != status.Contradictory && try > 1: // not read again: what there was counts
			return before
		case out.gap.Reason() != status.Contradictory || try == maxWalks:
			return out
		}
		before, l.call.fresh = out, true
	}
}

// overlap is how many rows at the start of a page are those with which the pages
// before it end: so many have been made meanwhile, and moved the others on. That the
// pages meet shows that none between them is missing. A page that holds nothing else
// shows rather that the offset was not heeded.
func overlap[R any](before, rows []R, number func(R) int) int {
	for n := min(len(before), len(rows)-1); n > 0; n-- {
		same := true
		for i, r := range before[len(before)-n:] {
			same = same && number(r) != 0 && number(r) == number(rows[i])
		}
		if same {
			return n
		}
	}
	return 0
}

func walkAll[T upstream.Wire, R any](ctx context.Context, c *client, l lister[T, R]) walked[R] {
	var out walked[R]
	offset, total := 0, 0
	for range maxPages {
		v, x, f := one[T](ctx, c, l.call.with(part(l.call.query, offset, maxLimit)))
		if f != nil {
			out.gap = f
			if out.last == nil {
				out.last = x
			}
			return out
		}
		rows, listing := l.rows(v)
		p := page{offset: offset, rows: len(rows), listing: listing, x: x}
		offset += len(rows)
		out.rows, out.last = append(out.rows, rows[overlap(out.rows, rows, l.number):]...), x
		end, f := p.ends()
		if f == nil && *listing.Total < total { // what is gone drew the others on, past the place where this page begins
			f = x.Contradicts("total_count shrank while the listing was read")
		}
		if f != nil || end {
			out.gap = f
			return out
		}
		total = *listing.Total
	}
	capped := status.Fail(status.OwnCap, status.WasCalled, status.Limit.Is(maxPages*maxLimit), status.Examined.Is(len(out.rows)))
	out.gap = &capped
	return out
}

// walkProjects lists every project that the account sees, closed ones included,
// which Redmine leaves out unless it is told. RM-10.
func walkProjects(ctx context.Context, c *client) walked[wireProject] {
	return walk(ctx, c, lister[wireProjects, wireProject]{
		get("/projects.json", "projects").with(url.Values{"status": {"1|5"}}),
		func(w wireProjects) ([]wireProject, wireListing) { return *w.Projects, w.wireListing },
		func(w wireProject) int { return *w.ID },
	})
}
