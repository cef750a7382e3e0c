package upstream

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/status"
)

// staleAfter is the age from which an answer out of somebody's cache is stale.
const staleAfter = 5 * time.Minute

// classify says why an answer is not usable, or nil. The provider's reading goes
// first, but only of what was read to its end.
func (s *sending) classify(a answer) *status.Failure {
	switch {
	case a.bar != nil:
		return a.bar
	case a.gap != nil:
		return s.classifyGap(a)
	case locked(a.x):
		return failed(status.CaptchaRequired)
	}
	if s.c.opts.Classify != nil {
		if f := s.c.opts.Classify(a.x); f != nil {
			return f
		}
	}
	if slices.Contains(s.want.Statuses, a.x.Status) {
		return s.checkBody(a.x)
	}
	return s.byStatus(a.x)
}

// locked knows how products of Atlassian say that a login was locked until a
// person solves a challenge; no other answer has that header (JR-05).
func locked(x *Exchange) bool {
	refused := x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden
	return refused && strings.HasPrefix(x.Header.Get("X-Authentication-Denied-Reason"), "CAPTCHA_CHALLENGE")
}

// classifyGap reads an answer of which a part is missing: only a limit or a
// breakdown shows in the status line and headers alone.
func (s *sending) classifyGap(a answer) *status.Failure {
	if f := s.rateLimit(a.x); f != nil {
		return f
	}
	if a.x.Status >= 500 || a.x.Status == http.StatusUnauthorized {
		return s.byStatus(a.x)
	}
	return a.gap
}

// rateLimit recognizes a limit by its own signs, before anything else is read
// into a 403.
func (s *sending) rateLimit(x *Exchange) *status.Failure {
	if slices.Contains(s.want.Statuses, x.Status) {
		return nil
	}
	r := rateOf(x.Header, s.c.opts.Now())
	limited := x.Status == http.StatusTooManyRequests || x.Status == http.StatusForbidden && (r.spent || r.told)
	if !limited {
		return nil
	}
	return failed(status.RateLimited, r.facts()...)
}

// facts is what a rate limit's failure says of it.
func (r rate) facts() []status.Option {
	opts := []status.Option{status.After(r.wait)}
	if r.resource != "" {
		opts = append(opts, status.RateResource.Is(r.resource))
	}
	if !r.reset.IsZero() {
		opts = append(opts, status.ResetAt.Is(r.reset.UTC().Format(time.RFC3339)))
	}
	return opts
}

func failed(r status.Reason, opts ...status.Option) *status.Failure {
	f := status.Fail(r, opts...)
	return &f
}

// byStatus reads a status that was not wanted.
func (s *sending) byStatus(x *Exchange) *status.Failure {
	if f := s.rateLimit(x); f != nil {
		return f
	}
	switch {
	case x.Status >= 500 && x.Status <= 599:
		return s.broken(x)
	case x.Status >= 400 && x.Status <= 499:
		return s.refused(x)
	case x.Status == http.StatusAccepted:
		wait := rateOf(x.Header, s.c.opts.Now()).wait
		if wait == 0 {
			wait = 2 * time.Second
		}
		return failed(status.Pending, status.After(wait))
	case x.Status >= 300 && x.Status <= 399:
		return failed(status.HTTP4xx)
	default: // 1xx, 201, 203 to 299: an answer, but not the one that was asked for
		return failed(status.ShapeError, status.MissingKey.Is("status 200"))
	}
}

// broken reads a 5xx.
func (s *sending) broken(x *Exchange) *status.Failure {
	switch x.Status {
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return failed(status.HTTP5xx, status.Retryable(false))
	case http.StatusNetworkAuthenticationRequired: // a captive portal
		return failed(status.NetworkPolicyBlocked)
	}
	return failed(status.HTTP5xx, status.After(rateOf(x.Header, s.c.opts.Now()).wait))
}

// refused reads a 4xx that is no rate limit.
func (s *sending) refused(x *Exchange) *status.Failure {
	switch x.Status {
	case http.StatusUnauthorized:
		if !s.c.Configured() {
			return failed(status.AuthContextRequired)
		}
		return failed(status.AuthFailed)
	case http.StatusForbidden:
		return s.forbidden(x)
	case http.StatusNotFound:
		return s.missing(x)
	case http.StatusProxyAuthRequired:
		return failed(status.NetworkPolicyBlocked)
	case http.StatusRequestTimeout:
		return failed(status.Timeout)
	case http.StatusGone:
		return failed(status.EndpointGone)
	case http.StatusRequestURITooLong, http.StatusRequestHeaderFieldsTooLarge: // of all that is in a head, the query alone has no bound
		return failed(status.QueryRefused)
	case http.StatusTooEarly:
		return failed(status.HTTP4xx, status.Retryable(true))
	case http.StatusUnavailableForLegalReasons:
		return failed(status.AccountBlocked)
	}
	return failed(status.HTTP4xx)
}

// forbidden tells a refusal by the source from one by something in front of it.
func (s *sending) forbidden(x *Exchange) *status.Failure {
	if name := challenge(x); name != "" && !isJSON(x.Header) { // HT-08
		return failed(status.NotJSON, status.Header.Is(name))
	}
	if AddressBlocked(x) {
		return failed(status.NetworkPolicyBlocked)
	}
	if isHTML(x) {
		f := s.page(x)
		if f.Reason() == status.NotJSON { // JR-32: what blocks us does so again
			own := f.With(status.Retryable(false))
			f = &own
		}
		return f
	}
	if !s.c.Configured() {
		return failed(status.AuthContextRequired)
	}
	return failed(status.ScopeMissing)
}

// AddressBlocked reports whether a 403 is about the address that we come from, which a
// site or an organization does not admit. There is no code or header for it; a page says
// so as well as a report does.
func AddressBlocked(x *Exchange) bool {
	text := bytes.ToLower(x.Body[:min(len(x.Body), lookAt)])
	if x.Status != http.StatusForbidden || !bytes.Contains(text, []byte("ip address")) {
		return false
	}
	for _, sign := range [...]string{"allowlist", "allow list", "allow-list", "whitelist", "allowed ip"} {
		if bytes.Contains(text, []byte(sign)) {
			return true
		}
	}
	return false
}

// missing reads a 404. Without the source's own answer behind it, it speaks of
// our address and not of the object (HT-03).
func (s *sending) missing(x *Exchange) *status.Failure {
	switch {
	case isHTML(x) && challenge(x) == "":
		return failed(status.Misconfigured, status.ConfigKey.Is("base_url"))
	case isJSON(x.Header) && len(x.Body) > 0, s.req.Method == http.MethodHead && isJSON(x.Header):
		return failed(status.AbsentOrHidden, status.Existence.Is(status.ExistenceUnknown))
	}
	return failed(status.HTTP4xx)
}

// challenge names the header by which an edge in front of the source shows that
// the answer is its own.
func challenge(x *Exchange) string {
	h := x.Header
	blocked := x.Status == http.StatusForbidden || x.Status == http.StatusTooManyRequests || x.Status == http.StatusServiceUnavailable
	switch {
	case h.Get("Cf-Mitigated") != "":
		return "cf-mitigated"
	case h.Get("X-Amzn-Waf-Action") != "":
		return "x-amzn-waf-action"
	case blocked && strings.EqualFold(h.Get("Server"), "cloudflare") && requestID(h) == "" && h.Get("X-Gitlab-Meta") == "":
		return "server"
	}
	return ""
}

// Stale returns why the answer may be out of date, or nil: something between the
// source and us answered from its cache (HT-15). The answer itself is usable.
func (x *Exchange) Stale() *status.Failure {
	age := rateSeconds(x.Header.Get("Age"))
	warned := false
	for _, w := range x.Header.Values("Warning") {
		warned = warned || strings.HasPrefix(strings.TrimSpace(w), "110")
	}
	if age <= staleAfter && !warned {
		return nil
	}
	return failed(status.Stale, status.WasCalled, status.HTTPStatus.Is(x.Status), status.AgeSeconds.Is(int64(age/time.Second)))
}
