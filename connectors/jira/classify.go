package jira

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Texts by which Jira alone tells these cases apart: it sends no code for them.
const (
	saysAnonymous = "cannot be viewed by anonymous users" // JR-02
	saysScope     = "scope does not match"                // JR-23
)

// report is how Jira words an error. The gateway in front of Jira Cloud has a form
// of its own, with message alone.
type report struct {
	Messages []string   `json:"errorMessages"`
	Errors   fieldNames `json:"errors"`
	Message  string     `json:"message"`
}

// fieldNames are the names of the fields that an error is about. What stands beside a
// name is a text as a rule, and in answers of plug-ins an object; without any name the
// whole may be a list.
type fieldNames []string

// UnmarshalJSON takes whatever comes, since an error is to be read as far as possible.
func (n *fieldNames) UnmarshalJSON(b []byte) error {
	var by map[string]json.RawMessage
	if json.Unmarshal(b, &by) == nil {
		*n = slices.Sorted(maps.Keys(by))
	}
	return nil
}

func reportIn(x *upstream.Exchange) report {
	var r report
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(x.Body, &r); err != nil && !errors.As(err, &wrong) {
		return report{}
	}
	return r
}

func (r report) says(text string) bool {
	return strings.Contains(strings.Join(r.Messages, "\n")+r.Message, text)
}

// native reports whether the error is in Jira's own form.
func (r report) native() bool { return len(r.Messages)+len(r.Errors) > 0 }

// sight is what the headers of an answer say about the credential.
type sight uint8

const (
	untold   sight = iota
	accepted       // the request ran as the account
	ignored        // the request ran as nobody
	rejected       // the credential was looked at and refused
	locked         // the account has to sign in on a page first
)

// counted reads the headers by which Jira tells whose answer it is; it may send
// them with every one. JR-01, JR-05.
func counted(h http.Header) sight {
	login := loginIn(h)
	switch name := h.Get("X-AUSERNAME"); {
	case login != untold && login != accepted, name == "":
		return login
	case strings.EqualFold(name, "anonymous"): // a login may succeed and the request yet run as nobody
		return ignored
	}
	return accepted
}

// loginIn is what the login says, which may have had several tries.
func loginIn(h http.Header) sight {
	out := untold
	for _, v := range h.Values("X-Seraph-LoginReason") {
		for word := range strings.SplitSeq(v, ",") {
			switch strings.ToUpper(strings.TrimSpace(word)) {
			case "OK":
				return accepted
			case "AUTHENTICATED_FAILED":
				out = max(out, rejected)
			case "AUTHENTICATION_DENIED":
				out = max(out, locked)
			case "OUT":
				out = max(out, ignored)
			}
		}
	}
	return out
}

// Classify reads an answer in Jira's terms: rate limits first, then whether the
// credential counted, which Jira says in a header of an answer that may well be a
// 200 (JR-01). It returns nil for a usable answer and for what it does not know.
func Classify(x *upstream.Exchange) *status.Failure {
	if x.Status == http.StatusTooManyRequests { // JR-25
		return x.Fail(status.RateLimited, status.RateResource.Is(x.Header.Get("RateLimit-Reason")))
	}
	switch counted(x.Header) {
	case rejected:
		return x.Fail(status.AuthFailed, status.Header.Is("X-Seraph-LoginReason"))
	case locked:
		return x.Fail(status.CaptchaRequired, status.Header.Is("X-Seraph-LoginReason"))
	case untold, accepted, ignored:
	}
	if x.Status < 400 {
		return nil
	}
	r := reportIn(x)
	switch x.Status {
	case http.StatusUnauthorized:
		if r.says(saysScope) { // JR-23
			return lacksScope(x)
		}
	case http.StatusForbidden:
		return forbidden(x, r)
	case http.StatusNotFound:
		if isJSON(x) && !r.native() { // HT-03: not Jira's own, or an interface that it does not have
			return x.Fail(status.Misconfigured, status.ConfigKey.Is("base_url"))
		}
	case http.StatusBadRequest:
		return refused(x, r)
	case http.StatusRequestEntityTooLarge:
		if x.Method != http.MethodGet {
			return x.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{Name: "body", Reason: status.InvalidArgument.Name(), Problem: "is more than Jira takes at once"}}))
		}
		return x.Fail(status.QueryRefused)
	}
	return nil
}

func isJSON(x *upstream.Exchange) bool { return strings.Contains(x.Header.Get("Content-Type"), "json") }

func lacksScope(x *upstream.Exchange) *status.Failure {
	scope := "read:jira-work"
	switch {
	case x.Method != http.MethodGet:
		scope = "write:jira-work"
	case strings.HasSuffix(x.Class, "/myself"), strings.Contains(x.Class, "/user/"):
		scope = "read:jira-user"
	}
	return x.Fail(status.ScopeMissing, status.MissingScope.Is("the scope "+scope))
}

// forbidden tells a refusal by Jira from one by something in front of it; a page is
// read by the client, which knows sign-in pages and challenges. JR-05, JR-32.
func forbidden(x *upstream.Exchange, r report) *status.Failure {
	switch {
	case !isJSON(x), x.Header.Get("X-Authentication-Denied-Reason") != "", upstream.AddressBlocked(x):
		return nil
	case r.says(saysScope):
		return lacksScope(x)
	case r.native() || r.Message != "":
		return x.Fail(status.ScopeMissing, status.MissingScope.Is("the permission in Jira for this operation"))
	}
	return x.Fail(status.HTTP4xx, status.Marker.Is("the answer did not come from Jira itself"))
}

// refused reads a 400: a query or a change that Jira does not take as it stands.
func refused(x *upstream.Exchange, r report) *status.Failure {
	switch {
	case r.says(saysAnonymous): // JR-02
		return x.Fail(status.AuthContextRequired)
	case x.Method != http.MethodGet:
		return notTaken(x, r)
	case strings.Contains(x.Class, "/search") && r.native():
		return x.Fail(status.QueryRefused)
	}
	return nil
}

// notTaken names the fields that Jira did not take of a change.
func notTaken(x *upstream.Exchange, r report) *status.Failure {
	var bad []status.Argument
	for _, field := range r.Errors {
		bad = append(bad, status.Argument{Name: argumentOf(field), Reason: status.InvalidArgument.Name(), Problem: "Jira does not take it, or wants one"})
	}
	if len(bad) == 0 {
		bad = []status.Argument{{Name: "arguments", Reason: status.InvalidArgument.Name(), Problem: "Jira does not take the change as it stands"}}
	}
	return x.Fail(status.InvalidArgument, status.Arguments.Is(bad))
}

// argumentOf is what the tools call a field of Jira's.
func argumentOf(field string) string {
	switch field {
	case "summary":
		return "title"
	case "description", "comment", "body":
		return "body"
	case "assignee":
		return "assignees"
	}
	return field
}
