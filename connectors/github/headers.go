package github

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/pattern"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// What GitHub writes into its headers and errors has a grammar. A value may be
// told in a summary or as evidence, so that what does not fit is left out: no
// free text of an upstream gets there.
var (
	permissionForm = pattern.New(`^[a-z_]+=(read|write|admin)$`)
	scopeForm      = pattern.New(`^[a-z_:/-]{1,64}$`)
	fieldForm      = pattern.New(`^[a-z][a-z0-9_]{0,39}$`)
	numberForm     = pattern.New(`^[0-9]{1,20}$`)
	loginForm      = pattern.New(`^[A-Za-z0-9_-]{1,39}(\[bot\])?$`) // an underscore in managed accounts
)

// permissionsIn are the permissions that a fine-grained token needs: sets, any of
// which is enough, with semicolons between them. One value that does not fit
// makes nothing of the whole, since a part would say something else.
func permissionsIn(h http.Header) string {
	header := strings.TrimSpace(h.Get("X-Accepted-GitHub-Permissions"))
	for _, set := range strings.Split(header, ";") {
		ps := commas(set)
		for _, p := range ps {
			if !permissionForm.MatchString(p) {
				return ""
			}
		}
		if len(ps) == 0 {
			return ""
		}
	}
	return header
}

// scopesIn are the scopes that a header names.
func scopesIn(h http.Header, name string) []string { return fitting(commas(h.Get(name)), scopeForm) }

func fitting(values []string, form pattern.Pattern) []string {
	var out []string
	for _, v := range values {
		if form.MatchString(v) {
			out = append(out, v)
		}
	}
	return out
}

// isField holds for the name of a field or qualifier.
func isField(s string) bool { return fieldForm.MatchString(s) }

// plainLogin is the name of an account, or nothing.
func plainLogin(s string) string {
	if !loginForm.MatchString(s) {
		return ""
	}
	return s
}

// plainRef is the name of a branch, or nothing if some of it cannot be seen.
func plainRef(s string) string {
	if clean, r := markup.Clean(s); r.Total() > 0 || markup.Line(clean, maxPath) != s {
		return ""
	}
	return s
}

// partialResults reads that the rows of organizations were left out, and of
// which. GH-07.
func partialResults(h http.Header) (organizations []string, dropped bool) {
	what, rest, _ := strings.Cut(h.Get("X-GitHub-SSO"), ";")
	if !strings.EqualFold(strings.TrimSpace(what), "partial-results") {
		return nil, false
	}
	_, ids, _ := strings.Cut(rest, "=")
	return fitting(commas(ids), numberForm), true
}

// resourceOf is the name of the rate limit that an answer counted against.
func resourceOf(h http.Header) string {
	r := strings.ToLower(strings.TrimSpace(h.Get("X-RateLimit-Resource")))
	if !fieldForm.MatchString(r) {
		return ""
	}
	return r
}

// ssoAddress adds where a person can authorize the token for an organization: a
// page of this GitHub or of github.com, never anywhere else.
func (c *client) ssoAddress(x *upstream.Exchange, f *status.Failure) *status.Failure {
	if f == nil || x == nil || f.Reason() != status.SSORequired {
		return f
	}
	_, address, _ := strings.Cut(x.Header.Get("X-GitHub-SSO"), "url=")
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "https" || u.User != nil || !(strings.EqualFold(u.Host, c.web.Host) || strings.EqualFold(u.Host, "github.com")) {
		return f
	}
	known := f.With(status.UnblockURL.Is(status.Address(u.String())))
	return &known
}

func commas(s string) []string {
	var out []string
	for _, p := range strings.Split(s, ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// verdict is what the headers of an answer tell about the credential.
type verdict int

const (
	unclear verdict = iota
	accepted
	ignored
)

// counted reads from the headers of an answer whether the credential counted:
// anonymous requests have limits of their own, 60 an hour and 10 searches a
// minute. Something in between may have repeated a header. GH-05.
func counted(h http.Header) verdict {
	first, _, _ := strings.Cut(h.Get("X-RateLimit-Limit"), ",")
	limit, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		limit = 0
	}
	search := resourceOf(h) == "search"
	anonymous := search && limit == 10 || !search && limit == 60
	switch {
	case len(commas(h.Get("X-OAuth-Scopes"))) > 0:
		return accepted
	case anonymous:
		return ignored
	case len(h.Values("X-OAuth-Scopes")) > 0, limit > 60, search && limit > 10:
		return accepted
	default:
		return unclear
	}
}
