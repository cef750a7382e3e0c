package redmine

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// call is one request of one endpoint.
type call struct {
	method   string     // empty: GET
	class    string     // for logs and proofs, without values: GET /issues/{id}.json
	path     []string   // segments as they are; the last one gets its .json when it is sent (RM-18)
	query    url.Values // may be nil
	body     any        // of a change, sent as JSON
	statuses []int      // usable ones; nil: 200
	fresh    bool       // not out of what was read before
	silent   bool       // the answer has no body
}

func get(class string, path ...string) call { return call{class: "GET " + class, path: path} }

func (k call) with(q url.Values) call { k.query = q; return k }

// send sends the call. As in [upstream.Client.Send], both results are set if an
// answer was read but is not usable.
func (c *client) send(ctx context.Context, k call) (*upstream.Exchange, *status.Failure) {
	req, f := c.request(ctx, k)
	if f != nil {
		return nil, f
	}
	want := upstream.Want{Class: k.class, Statuses: k.statuses, NoCache: k.fresh}
	if k.silent {
		want.Media = upstream.NoBody
	}
	return c.up.Send(req, want)
}

func (c *client) request(ctx context.Context, k call) (*http.Request, *status.Failure) {
	to := *c.base
	raw := strings.TrimRight(c.base.EscapedPath(), "/")
	for i, s := range k.path {
		if s == "" || s == "." || s == ".." {
			return nil, c.badArgument("ref", "has an empty or dot segment")
		}
		if i == len(k.path)-1 {
			s += ".json"
		}
		raw += "/" + url.PathEscape(s)
	}
	path, err := url.PathUnescape(raw)
	if err != nil { // of base_url, which was parsed before
		return nil, broken(c.source)
	}
	to.Path, to.RawPath, to.RawQuery = path, raw, k.query.Encode()
	var body []byte
	if k.body != nil {
		if body, err = json.Marshal(k.body); err != nil { // structs of texts and numbers always encode
			return nil, broken(c.source)
		}
	}
	method := k.method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, broken(c.source)
	}
	if k.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

func broken(source string) *status.Failure {
	f := status.Fail(status.UncaughtServerError, status.By(source), status.NotCalled)
	return &f
}

// one sends the call and decodes the object that comes back.
func one[T upstream.Wire](ctx context.Context, c *client, k call) (T, *upstream.Exchange, *status.Failure) {
	return upstream.One[T](c.send(ctx, k))
}

func itoa(n int) string { return strconv.Itoa(n) }
