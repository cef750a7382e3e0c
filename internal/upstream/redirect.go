package upstream

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/status"
)

const maxHops = 5

// follow returns the request that a redirect leads to, or why it is not
// followed. Both are nil if the answer is no redirect, or is wanted as it is. A
// credential is only ever sent to the configured host.
func (s *sending) follow(req *http.Request, resp *http.Response, hops int) (*http.Request, *status.Failure) {
	code := resp.StatusCode
	switch code {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	if slices.Contains(s.want.Statuses, code) {
		return nil, nil
	}
	to, err := req.URL.Parse(resp.Header.Get("Location"))
	if err != nil || resp.Header.Get("Location") == "" {
		return nil, failed(status.ShapeError, status.MissingKey.Is("Location"))
	}
	if !s.c.pinned(to) {
		return nil, s.leadsAway(to, code)
	}
	if hops >= maxHops {
		return nil, failed(status.Contradictory, status.Marker.Is("redirects in a circle"))
	}
	reads := s.req.Method == http.MethodGet || s.req.Method == http.MethodHead
	keeps := code == http.StatusTemporaryRedirect || code == http.StatusPermanentRedirect
	if !reads && !(keeps && s.safe) { // nobody has agreed to a change of something else
		return nil, failed(status.HTTP4xx)
	}
	next := req.Clone(req.Context())
	next.URL, next.Host = to, ""
	for _, name := range []string{"If-None-Match", "If-Modified-Since"} {
		next.Header.Del(name) // they speak of the first address
	}
	s.load(next)
	return next, nil
}

// leadsAway reads a redirect off the configured host (HT-02). Only the name of
// the host is told; the rest of the address may hold a ticket.
func (s *sending) leadsAway(to *url.URL, code int) *status.Failure {
	host := status.RedirectHost.Is(hostName(to))
	same := strings.EqualFold(to.Hostname(), s.c.base.Hostname())
	permanent := code == http.StatusMovedPermanently || code == http.StatusPermanentRedirect
	switch {
	case same && s.c.base.Scheme == "https" && strings.EqualFold(to.Scheme, "http"):
		return failed(status.TLSError, host, status.ErrorClass.Is("downgrade"))
	case same || permanent && !signsIn(to):
		return failed(status.Misconfigured, host, status.ConfigKey.Is("base_url"))
	default: // for now, elsewhere: how sign-in services and portals send people off
		return failed(status.LoginPage, host)
	}
}

// hostName is the host of an address, or nothing if no host can be called so: it
// is told to people, and the upstream wrote it.
func hostName(u *url.URL) string {
	name := u.Hostname()
	if len(name) > 253 || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '-' && r != ':'
	}) {
		return ""
	}
	return name
}

func signsIn(u *url.URL) bool {
	address := strings.ToLower(u.Host + u.Path)
	for _, sign := range [...]string{"login", "logon", "signin", "sign-in", "sign_in", "sso", "saml", "oauth", "auth", "adfs", "idp", "session"} {
		if strings.Contains(address, sign) {
			return true
		}
	}
	return false
}
