package mediawiki

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// question is one request of api.php.
type question struct {
	class  string // for logs, without values
	values url.Values
	form   url.Values // of a login, sent as the body
	fresh  bool       // neither kept nor shared, and of a login: it asserts nothing
}

// query is a question by action=query.
func query(class string, values url.Values) question {
	values.Set("action", "query")
	return question{class: "GET api.php?" + class, values: values}
}

// answer is what api.php said, decoded, and the exchange that it came by.
type answer struct {
	wireAnswer
	x       *upstream.Exchange
	account string // whose bot password was used; empty if none was
}

// ask puts a question in the name of the account: assert=user lets the wiki itself
// refuse one that it would otherwise answer as to anybody. MW-04. A session of a bot
// password that was lost is renewed once.
func (c *client) ask(ctx context.Context, q question) (answer, *status.Failure) {
	if c.anonymous() {
		a, f := c.send(ctx, q)
		return a, c.unread(f)
	}
	q.values.Set("assert", "user")
	w := &wallet{}
	in := withWallet(ctx, w)
	fingerprint := c.up.Fingerprint(in)
	if w.user == "" {
		a, f := c.send(in, q)
		return a, c.unread(f)
	}
	d := c.door(fingerprint)
	kept := d.session()
	if f := c.enter(ctx, d, w, ""); f != nil {
		return answer{}, f
	}
	a, f := c.send(in, q)
	if f == nil || kept == "" || f.Reason() != status.AuthFailed {
		a.account, _, _ = strings.Cut(w.user, "@")
		return a, f
	}
	status.CallFrom(ctx).Recovered(c.source, status.AuthFailed, 1, a.x.At)
	if f := c.enter(ctx, d, w, kept); f != nil {
		return a, f
	}
	a, f = c.send(in, q)
	a.account, _, _ = strings.Cut(w.user, "@")
	return a, f
}

// unread says of a wiki that nobody may read without an account that an account is
// what is missing. MW-03.
func (c *client) unread(f *status.Failure) *status.Failure {
	if f == nil || f.Reason() != status.ScopeMissing || !c.anonymous() {
		return f
	}
	g := status.Fail(status.AuthContextRequired, status.By(c.source), status.WasCalled, status.Marker.Is(f.Text("marker")), status.HTTPStatus.Is(http.StatusOK))
	return &g
}

// send sends a question once and decodes the answer. As in [upstream.Client.Send],
// the exchange is there if an answer was read, usable or not.
func (c *client) send(ctx context.Context, q question) (answer, *status.Failure) {
	values := url.Values{"format": {"json"}, "formatversion": {"2"}, "errorformat": {"none"}}
	for name, v := range q.values {
		values[name] = v
	}
	u := *c.api
	u.RawQuery = values.Encode()
	method, body := http.MethodGet, ""
	if q.form != nil {
		method, body = http.MethodPost, q.form.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(body))
	if err != nil {
		f := status.Fail(status.UncaughtServerError, status.By(c.source), status.NotCalled)
		return answer{}, &f
	}
	if q.form == nil {
		req.Body = http.NoBody
	} else {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	x, f := c.up.Send(req, upstream.Want{Class: q.class, NoCache: q.fresh, Repeatable: q.form != nil})
	a := answer{x: x}
	if f != nil {
		return a, f
	}
	return a, a.x.Object(&a.wireAnswer)
}
