package jira

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
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
	return fail(x, status.AuthFailed, status.Marker.Is("the answer was given to nobody"))
}

// wire is a struct of an answer. missing names a key that must be there and is
// not, or is empty.
type wire interface{ missing() string }

// one sends the call and decodes an object.
func one[T wire](ctx context.Context, c *client, k call) (T, *upstream.Exchange, *status.Failure) {
	var v T
	x, f := c.send(ctx, k)
	if f != nil {
		return v, x, f
	}
	if f = decode(x, '{', &v); f == nil {
		if key := v.missing(); key != "" {
			f = misshapen(x, key)
		}
	}
	return v, x, f
}

// many sends the call and decodes an array.
func many[T wire](ctx context.Context, c *client, k call) ([]T, *upstream.Exchange, *status.Failure) {
	x, f := c.send(ctx, k)
	if f != nil {
		return nil, x, f
	}
	var vs []T
	if f := decode(x, '[', &vs); f != nil {
		return nil, x, f
	}
	if key := missingIn(vs); key != "" {
		return nil, x, misshapen(x, key)
	}
	return vs, x, nil
}

func missingIn[T wire](vs []T) string {
	for i := range vs {
		if key := vs[i].missing(); key != "" {
			return "[" + strconv.Itoa(i) + "]." + key
		}
	}
	return ""
}

// decode reads the whole body as one JSON value that opens as it must. HT-13. A
// report of errors inside a usable answer takes back its status.
func decode(x *upstream.Exchange, opens byte, v any) *status.Failure {
	body := bytes.TrimLeft(x.Body, " \t\r\n")
	if len(body) == 0 || body[0] != opens {
		kind := map[byte]string{'{': "object", '[': "array"}[opens]
		return misshapen(x, kind)
	}
	if opens == '{' && len(reportIn(x).Messages) > 0 {
		return fail(x, status.GraphQLError, status.Marker.Is("errorMessages"))
	}
	err := json.Unmarshal(body, v)
	if err == nil {
		x.Decoded = true
		return nil
	}
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return misshapen(x, wrong.Field)
	case !errors.As(err, &syntax): // a time that is none, and the like
		return misshapen(x, "a readable value")
	}
	return fail(x, status.TruncatedBody, status.SizeBytes.Is(int64(len(x.Body))))
}

func misshapen(x *upstream.Exchange, key string) *status.Failure {
	return fail(x, status.ShapeError, status.MissingKey.Is(key))
}

func contradicts(x *upstream.Exchange, marker string) *status.Failure {
	return fail(x, status.Contradictory, status.Marker.Is(marker))
}

func fail(x *upstream.Exchange, r status.Reason, opts ...status.Option) *status.Failure {
	f := status.Fail(r, append([]status.Option{status.WasCalled, status.HTTPStatus.Is(x.Status)}, opts...)...)
	return &f
}
