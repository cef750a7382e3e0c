package redmine

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Classify reads an answer in Redmine's terms: it refuses with a status and an
// empty body (RM-03). A 403 is for what is there and hidden, a 404 for what is not
// there at all (RM-04). It returns nil for a usable answer, for rate limits, which
// only something in front of Redmine sets, and for what it does not know.
func Classify(x *upstream.Exchange) *status.Failure {
	if x.Status != http.StatusForbidden && x.Status != http.StatusNotFound {
		return nil
	}
	h := x.Header
	edge := h.Get("Cf-Mitigated") != "" || h.Get("X-Amzn-Waf-Action") != "" || h.Get("Cf-Ray") != "" && h.Get("X-Request-Id") == ""
	limited := h.Get("Retry-After") != "" || h.Get("X-Ratelimit-Remaining") == "0"
	switch {
	case edge, limited: // HT-08
		return nil
	case !bare(x) && isJSON(h):
		return x.Fail(status.HTTP4xx, status.Marker.Is("the answer did not come from Redmine itself"))
	case !bare(x):
		return nil // a page, which the client knows to read
	case x.Status == http.StatusForbidden:
		return x.Fail(status.ScopeMissing, status.MissingScope.Is("a role that allows it"))
	}
	return x.Fail(status.AbsentOrHidden, status.Existence.Is(status.ExistenceUnknown))
}

// bare reports whether an answer has no body, as all refusals of Redmine's.
func bare(x *upstream.Exchange) bool { return len(bytes.TrimSpace(x.Body)) == 0 }

func isJSON(h http.Header) bool {
	return bytes.Contains(bytes.ToLower([]byte(h.Get("Content-Type"))), []byte("json"))
}

// isAbsent reports whether Redmine itself said that there is no such thing. RM-04.
// What is not there at the end of a redirect says nothing of what was asked for.
func (c *client) isAbsent(x *upstream.Exchange, f *status.Failure) bool {
	return f != nil && x != nil && x.Status == http.StatusNotFound && f.Reason() == status.AbsentOrHidden && !c.led(x)
}

// led reports whether a redirect on this host led to something else than was asked
// for: not to the same address with another prefix, such as that of a Redmine that
// was moved on its server.
func (c *client) led(x *upstream.Exchange) bool {
	asked := strings.TrimPrefix(x.Path, strings.TrimRight(c.base.Path, "/"))
	return x.Location != "" && !strings.HasSuffix(strings.TrimRight(x.Location, "/"), asked)
}
