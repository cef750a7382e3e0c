package jira

import (
	"net/url"
	"strconv"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// position is a place in a listing: a page as Jira names it, and how many of its
// rows were handed out already.
type position struct {
	token string // Cloud
	start int    // Data Center
	skip  int
	first string // the first issue of the page before, by which a loop shows (JR-15)
}

// position reads a cursor that cursor has made; an empty one is the start.
func (c *client) position(s string) (position, *status.Failure) {
	q, err := url.ParseQuery(s)
	bad := func() (position, *status.Failure) {
		return position{}, c.badArgument("cursor", "was not handed out by this source")
	}
	if err != nil {
		return bad()
	}
	p := position{token: q.Get("token"), first: q.Get("first")}
	for name, n := range map[string]*int{"start": &p.start, "skip": &p.skip} {
		if v := q.Get(name); v != "" {
			if *n, err = strconv.Atoi(v); err != nil || *n < 0 {
				return bad()
			}
		}
	}
	return p, nil
}

// cursor is the position as text, never empty.
func (p position) cursor() string {
	q := url.Values{"start": {strconv.Itoa(p.start)}}
	for name, v := range map[string]string{"token": p.token, "first": p.first} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if p.skip > 0 {
		q.Set("skip", strconv.Itoa(p.skip))
	}
	return q.Encode()
}

// shrank is the failure of a listing that was longer when its pages before were read:
// what is gone drew the rows after it on, past the place where this page begins.
func shrank(x *upstream.Exchange) *status.Failure {
	return x.Contradicts("total shrank while the listing was read")
}
