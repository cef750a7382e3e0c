package github

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-querystring/query"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// call is one request to one endpoint.
type call struct {
	method   string     // empty: GET
	body     any        // of a change, encoded as JSON
	fresh    bool       // of a read: neither out of a store nor shared with other callers
	class    string     // for logs and proofs, without values: GET /repos/{owner}/{repo}
	path     []string   // segments as they are; each is escaped by itself (GH-59)
	query    url.Values // may be nil
	accept   string     // empty: GitHub's JSON
	statuses []int      // usable ones; nil: 200
	media    upstream.Media
	maxBody  int64 // 0: the client's own limit
	// shows is what the answer must show where nothing else of it is read: a key of
	// an object, or "[]" for an array. An answer that is only "something" proves
	// nothing.
	shows string
	asked names // what the answer must be for, if it tells
}

// options turns one of go-github's option structs into a query.
func options(v any) url.Values {
	q, err := query.Values(v)
	if err != nil { // only for something that is not a struct
		return url.Values{}
	}
	return q
}

// repoCall is a call below /repos/{owner}/{repo}. The class shows the rest with
// its variable segments in braces, such as /issues/{number}.
func repoCall(r repoName, rest string, segments ...string) call {
	return call{class: "GET /repos/{owner}/{repo}" + rest, path: append([]string{"repos", r.owner, r.name}, segments...)}
}

// with adds a query.
func (k call) with(q url.Values) call { k.query = q; return k }

// get sends the call. As in [upstream.Client.Send], both results are set if an
// answer was read but is not usable.
func (c *client) get(ctx context.Context, k call) (*upstream.Exchange, *status.Failure) {
	req, f := c.request(ctx, k)
	if f != nil {
		return nil, f
	}
	x, f := c.up.Send(req, upstream.Want{Class: k.class, Statuses: k.statuses, Media: k.media, MaxBody: k.maxBody, NoCache: k.fresh})
	if f == nil && k.shows != "" {
		f = k.shown(x)
	}
	return x, c.ssoAddress(x, c.unmask(x, f))
}

func (k call) shown(x *upstream.Exchange) *status.Failure {
	if k.shows == "[]" {
		var rows []map[string]json.RawMessage
		f := x.Array(&rows)
		if f == nil && slices.ContainsFunc(rows, func(row map[string]json.RawMessage) bool { return len(row) == 0 }) {
			f = x.Misshapen("rows")
		}
		return f
	}
	object := map[string]json.RawMessage{}
	if f := x.Object(&object); f != nil {
		return f
	}
	v, ok := object[k.shows]
	if !ok || string(v) == "null" {
		return x.Misshapen(k.shows)
	}
	var shown string
	if json.Unmarshal(v, &shown) != nil {
		return nil
	}
	return k.asked.echoed(x, map[string]names{"name": {label: shown}, "login": {login: shown}}[k.shows])
}

func (c *client) request(ctx context.Context, k call) (*http.Request, *status.Failure) {
	var path strings.Builder
	for i, s := range k.path {
		if s == "" || s == "." || s == ".." {
			return nil, c.badArgument("path", "has an empty or dot segment")
		}
		if i > 0 {
			path.WriteByte('/')
		}
		path.WriteString(url.PathEscape(s))
	}
	if len(k.query) > 0 {
		path.WriteByte('?')
		path.WriteString(k.query.Encode())
	}
	// A leading colon in the first segment would read as a scheme; no endpoint has one.
	method := k.method
	if method == "" {
		method = http.MethodGet
	}
	req, err := c.build.NewRequest(method, path.String(), k.body)
	if err != nil {
		f := status.Fail(status.UncaughtServerError, status.By(c.source), status.NotCalled)
		return nil, &f
	}
	if k.accept != "" {
		req.Header.Set("Accept", k.accept)
	}
	return req.WithContext(ctx), nil
}

// unmask finds an answer that was given to nobody although a credential is
// configured: GitHub serves such a request as anonymous, with the public part of
// the truth. GH-05, GH-01.
func (c *client) unmask(x *upstream.Exchange, f *status.Failure) *status.Failure {
	if x == nil || c.anonymous() || counted(x.Header) != ignored {
		return f
	}
	if f != nil && f.Reason() != status.AbsentOrHidden && f.Reason() != status.ScopeMissing {
		return f
	}
	hidden := status.Fail(status.AuthContextRequired, status.By(c.source), status.WasCalled,
		status.HTTPStatus.Is(x.Status), status.Header.Is("X-RateLimit-Limit"))
	return &hidden
}

// one gets and decodes an object.
func one[T upstream.Wire](ctx context.Context, c *client, k call) (T, *upstream.Exchange, *status.Failure) {
	v, x, f := upstream.One[T](c.get(ctx, k))
	if n, ok := any(v).(named); ok && f == nil {
		f = k.asked.echoed(x, n.called())
	}
	return v, x, f
}

// many gets and decodes an array. Null, an object or an absent body is a failure.
func many[T upstream.Wire](ctx context.Context, c *client, k call) ([]T, *upstream.Exchange, *status.Failure) {
	return upstream.Many[T](c.get(ctx, k))
}
