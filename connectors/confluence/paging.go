package confluence

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// position is where a listing goes on: a cursor of the provider's, or how many rows
// stand before.
type position struct {
	name, value string
}

func (p position) String() string {
	if p.name == "" {
		return ""
	}
	return p.name + ":" + p.value
}

// set adds the position to a request.
func (p position) set(v url.Values) {
	if p.name != "" {
		v.Set(p.name, p.value)
	}
}

// place reads a cursor that we handed out.
func (c *client) place(cursor string) (position, *status.Failure) {
	if cursor == "" {
		return position{}, nil
	}
	name, value, ok := strings.Cut(cursor, ":")
	n, err := strconv.Atoi(value)
	if !ok || value == "" || name != "cursor" && (name != "start" || err != nil || n < 1) {
		return position{}, c.badArgument("cursor", "was not handed out by this source")
	}
	return position{name, value}, nil
}

// outdated is the failure of a request for a later page. Where a place is told in an
// address that Confluence made, a refusal of the request is one of the place: cursors
// do not live long.
func outdated(at position, x *upstream.Exchange, f *status.Failure) *status.Failure {
	if f == nil || at.name == "" || x == nil || x.Status != http.StatusBadRequest || f.Reason() != status.QueryRefused {
		return f
	}
	return x.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
		Name: "cursor", Reason: status.InvalidArgument.Name(), Problem: "Confluence does not take it any more; leave it out to begin again",
	}}))
}

// next reads the provider's own marker of more: a link to the next page. A page may be
// short, or have no row at all, and yet not be the last. CF-05, CF-06.
func next(out *status.Audit, x *upstream.Exchange, links wireLinks, at position) (more bool) {
	if links.Next == "" {
		out.Hold(x.AskedProof(), status.Completeness)
		return false
	}
	u, err := url.Parse(links.Next)
	if err != nil {
		out.Unmade(status.Completeness, *x.Misshapen("_links.next"))
		return false
	}
	to := position{}
	for _, name := range []string{"cursor", "start"} {
		if v := u.Query().Get(name); v != "" {
			to = position{name, v}
			break
		}
	}
	before, _ := strconv.Atoi(at.value)
	after, err := strconv.Atoi(to.value)
	switch {
	case to.name == "" || to.name == "start" && err != nil:
		out.Unmade(status.Completeness, *x.Misshapen("_links.next"))
	case to == at || to.name == "start" && after <= before:
		out.Fail(status.Completeness, *x.Fail(status.CursorLoop))
	default:
		out.Next(to.String())
		return true
	}
	return false
}
