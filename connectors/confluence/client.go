package confluence

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// question is one request.
type question struct {
	class  string // for logs and proofs, without values
	path   string // below base_url, escaped
	values url.Values
}

// answer is an answer that was decoded, and the exchange that it came by.
type answer[T any] struct {
	body T
	x    *upstream.Exchange
}

// ask sends a question and decodes the answer. As in [upstream.Client.Send], the
// exchange is there if an answer was read, usable or not.
func ask[T any](ctx context.Context, c *client, q question) (answer[T], *status.Failure) {
	return fetch[T](ctx, c, c.base+q.path, q)
}

func fetch[T any](ctx context.Context, c *client, address string, q question) (answer[T], *status.Failure) {
	if len(q.values) > 0 {
		address += "?" + q.values.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		f := status.Fail(status.UncaughtServerError, status.By(c.source), status.NotCalled)
		return answer[T]{}, &f
	}
	x, f := c.up.Send(req, upstream.Want{Class: q.class})
	a := answer[T]{x: x}
	if x != nil && c.unknown(x) {
		return a, x.Fail(status.AuthFailed, status.Header.Is("X-AUSERNAME"))
	}
	if f != nil {
		return a, f
	}
	if f = x.Object(&a.body); f != nil {
		return a, f
	}
	if l, ok := any(&a.body).(interface {
		weigh(*upstream.Exchange) *upstream.Exchange
	}); ok {
		a.x = l.weigh(x)
	}
	return a, nil
}

// unknown reports whether an answer was made for nobody although a credential was
// sent. CF-10.
func (c *client) unknown(x *upstream.Exchange) bool {
	if c.anonymous() || x.Status >= 500 || x.Status == http.StatusTooManyRequests {
		return false
	}
	return strings.EqualFold(x.Header.Get("X-Ausername"), "anonymous") || strings.EqualFold(x.Header.Get("X-Seraph-Loginreason"), "OUT")
}

// doubt is what an answer says against itself: that it is not whole, or an old copy.
// HT-15.
func doubt(x *upstream.Exchange) *status.Failure {
	if f := x.Stale(); f != nil {
		return f
	}
	if len(x.Markers) > 0 {
		return x.Fail(status.IndexIncomplete, status.Marker.Is(strings.Join(x.Markers, ", ")))
	}
	return nil
}

// isAbsent reports whether a failure is the source's own answer that a thing is not there.
func isAbsent(f *status.Failure) bool { return f != nil && f.Reason() == status.AbsentOrHidden }
