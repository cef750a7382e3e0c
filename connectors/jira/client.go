package jira

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// call is one request to one endpoint.
type call struct {
	method   string   // empty: GET
	class    string   // for logs and proofs, without values: /issue/{key}
	version  string   // of the interface: 2 or 3
	path     []string // segments as they are; each is escaped by itself
	query    url.Values
	body     any
	fresh    bool  // neither out of a store nor shared
	statuses []int // usable ones; nil: 200
	media    upstream.Media
}

// get is a call of the server's own version of the interface.
func (s server) get(class string, path ...string) call {
	return call{class: class, version: s.version(), path: path}
}

// with adds a query.
func (k call) with(q url.Values) call { k.query = q; return k }

// posts makes a change of the call.
func (k call) posts(method string, body any, statuses ...int) call {
	k.method, k.body, k.statuses = method, body, statuses
	if statuses[0] == http.StatusNoContent {
		k.media = upstream.NoBody
	}
	return k
}

// send sends the call. As in [upstream.Client.Send], both results are set if an
// answer was read but is not usable.
func (c *client) send(ctx context.Context, k call) (*upstream.Exchange, *status.Failure) {
	req, f := c.request(ctx, k)
	if f != nil {
		return nil, f
	}
	x, f := c.up.Send(req, upstream.Want{Class: req.Method + " " + k.class, Statuses: k.statuses, Media: k.media, NoCache: k.fresh})
	return x, c.unmask(x, f)
}

func (c *client) request(ctx context.Context, k call) (*http.Request, *status.Failure) {
	address := strings.Builder{}
	address.WriteString(c.base.String() + "/rest/api/" + k.version)
	for _, s := range k.path {
		if s == "" || s == "." || s == ".." {
			return nil, c.badArgument("ref", "has an empty or dot segment")
		}
		address.WriteString("/" + url.PathEscape(s))
	}
	if len(k.query) > 0 {
		address.WriteString("?" + k.query.Encode())
	}
	method := k.method
	if method == "" {
		method = http.MethodGet
	}
	var body bytes.Buffer
	if k.body != nil {
		e := json.NewEncoder(&body)
		e.SetEscapeHTML(false)
		if e.Encode(k.body) != nil {
			f := status.Fail(status.UncaughtServerError, status.By(c.source), status.NotCalled)
			return nil, &f
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, address.String(), &body)
	if err != nil {
		f := status.Fail(status.UncaughtServerError, status.By(c.source), status.NotCalled)
		return nil, &f
	}
	if k.body == nil {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
		// Data Center takes a change without it for one that a page of another site sent.
		req.Header.Set("X-Atlassian-Token", "no-check")
	}
	return req, nil
}

// unmask finds an answer that was given to nobody although a credential is
// configured: Jira serves such a request as anonymous, with the public part of the
// truth. JR-01, JR-24.
func (c *client) unmask(x *upstream.Exchange, f *status.Failure) *status.Failure {
	if x == nil || c.anonymous() || counted(x.Header) != ignored {
		return f
	}
	if f != nil && f.Reason() != status.AbsentOrHidden && f.Reason() != status.ScopeMissing {
		return f
	}
	return x.Fail(status.AuthFailed, status.Marker.Is("the answer was given to nobody"))
}

// one sends the call and decodes an object.
func one[T upstream.Wire](ctx context.Context, c *client, k call) (T, *upstream.Exchange, *status.Failure) {
	x, f := c.send(ctx, k)
	if f == nil && len(reportIn(x).Messages) > 0 { // it takes back the status of the answer
		f = x.Fail(status.GraphQLError, status.Marker.Is("errorMessages"))
	}
	return upstream.One[T](x, f)
}

// many sends the call and decodes an array.
func many[T upstream.Wire](ctx context.Context, c *client, k call) ([]T, *upstream.Exchange, *status.Failure) {
	return upstream.Many[T](c.send(ctx, k))
}
