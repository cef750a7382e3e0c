package github

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Texts by which GitHub alone tells these cases apart: it sends no code for them.
const (
	saysSecondary  = "secondary rate limit"
	saysAbuse      = "abuse"
	saysPrimary    = "rate limit exceeded"
	saysLockout    = "Maximum number of login attempts exceeded"
	saysRequires   = "Requires authentication"
	saysAppBlocked = "has enabled OAuth App access restrictions"
	saysIPBlocked  = "has an IP allow list enabled"
	saysSAML       = "SAML enforcement"
	saysSuspended  = "account was suspended"
	saysDisabled   = "disabled"
	saysDeleted    = "deleted"
	saysArchived   = "was archived"
	saysLocked     = "is locked"
	saysUnseen     = "cannot be searched"
	saysCap        = "Only the first 1000"
)

// secondaryWait is what GitHub asks for where a secondary limit names no time.
const secondaryWait = time.Minute

// Classify reads an answer in GitHub's terms: rate limits first, since they come
// as 403, then everything that shows why access was denied. It returns nil for a
// usable answer and for what it does not know.
func Classify(x *upstream.Exchange) *status.Failure {
	if x.Status < 400 {
		return nil
	}
	body := errorBody(x)
	if f := classifyRate(x, body); f != nil {
		return f
	}
	if !fromGitHub(x, body) {
		return classifyEdge(x)
	}
	switch x.Status {
	case http.StatusUnauthorized:
		if strings.Contains(body.Message, saysRequires) { // GH-30
			return x.Fail(status.AuthContextRequired, status.WasCalled)
		}
		return x.Fail(status.AuthFailed) // GH-37
	case http.StatusForbidden:
		return classifyForbidden(x, body)
	case http.StatusNotFound:
		return classifyNotFound(x)
	case http.StatusGone:
		if strings.Contains(body.Message, saysDisabled) { // GH-41
			return x.Fail(status.FeatureDisabled, status.Feature.Is("the issue tracker"))
		}
		return x.Fail(status.EndpointGone)
	case http.StatusUnprocessableEntity:
		return classifyRefused(x, body)
	case http.StatusUnavailableForLegalReasons:
		return x.Fail(status.AccountBlocked)
	}
	return nil
}

func errorBody(x *upstream.Exchange) gh.ErrorResponse {
	var body gh.ErrorResponse
	if json.Unmarshal(x.Body, &body) != nil {
		return gh.ErrorResponse{}
	}
	return body
}

// fromGitHub reports whether GitHub itself answered, not something in front of
// it or a host that is no GitHub. HT-03, HT-08.
func fromGitHub(x *upstream.Exchange, body gh.ErrorResponse) bool {
	if body.Message == "" {
		return false
	}
	// The bare words are GitHub's, and those of other servers too: whether this one
	// is GitHub comes out at the identity or the repository that is asked next.
	bare := x.Status == http.StatusNotFound && body.Message == "Not Found"
	return bare || x.Header.Get("X-GitHub-Request-Id") != "" || body.DocumentationURL != "" || x.Status == http.StatusUnauthorized
}

func classifyEdge(x *upstream.Exchange) *status.Failure {
	switch {
	case x.Status == http.StatusNotFound: // HT-03
		return x.Fail(status.Misconfigured, status.ConfigKey.Is("base_url"), status.WasCalled)
	case x.Status == http.StatusForbidden && strings.Contains(x.Header.Get("Content-Type"), "json"):
		// HT-08: what stands in front of GitHub proves nothing about permissions. A
		// page is read by the client, which knows sign-in pages and challenges.
		return x.Fail(status.HTTP4xx, status.Marker.Is("the answer did not come from GitHub itself"))
	}
	return nil
}

// classifyRate finds primary and secondary limits and the lock-out after bad
// sign-ins. GH-34, GH-35, GH-36, GH-37.
func classifyRate(x *upstream.Exchange, body gh.ErrorResponse) *status.Failure {
	if x.Status != http.StatusForbidden && x.Status != http.StatusTooManyRequests {
		return nil
	}
	h := x.Header
	var opts []status.Option
	if r := resourceOf(h); r != "" {
		opts = append(opts, status.RateResource.Is(r))
	}
	if s, err := strconv.Atoi(h.Get("Retry-After")); err == nil {
		return x.Fail(status.RateLimited, append(opts, status.After(time.Duration(s)*time.Second))...)
	}
	if h.Get("X-RateLimit-Remaining") == "0" || strings.Contains(body.Message, saysPrimary) {
		return x.Fail(status.RateLimited, append(opts, untilReset(x)...)...)
	}
	says := func(s string) bool { return strings.Contains(body.Message, s) }
	if says(saysSecondary) || says(saysAbuse) || says(saysLockout) {
		return x.Fail(status.RateLimited, append(opts, status.After(secondaryWait))...)
	}
	if x.Status == http.StatusTooManyRequests && fromGitHub(x, body) {
		return x.Fail(status.RateLimited, append(opts, status.After(secondaryWait))...)
	}
	return nil
}

func untilReset(x *upstream.Exchange) []status.Option {
	s, err := strconv.ParseInt(x.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil {
		return nil
	}
	reset := time.Unix(s, 0)
	return []status.Option{status.After(reset.Sub(x.At)), status.ResetAt.Is(reset.UTC().Format(time.RFC3339))}
}

func classifyForbidden(x *upstream.Exchange, body gh.ErrorResponse) *status.Failure {
	says := func(s string) bool { return strings.Contains(body.Message, s) }
	sso := x.Header.Get("X-GitHub-SSO")
	tooLarge := func(e gh.Error) bool { return e.Code == "too_large" }
	switch {
	case strings.HasPrefix(strings.ToLower(sso), "required") || says(saysSAML): // GH-06
		return x.Fail(status.SSORequired) // where to grant it is added by who knows the host
	case says(saysAppBlocked): // GH-09
		return x.Fail(status.NetworkPolicyBlocked, status.Marker.Is("oauth_app_access_restrictions"))
	case says(saysIPBlocked): // GH-10
		return x.Fail(status.NetworkPolicyBlocked, status.Marker.Is("ip_allow_list"))
	case says(saysArchived) && x.Method != http.MethodGet:
		return x.Fail(status.FeatureDisabled, status.Feature.Is("every change"), status.Marker.Is("archived"))
	case says(saysLocked) && x.Method != http.MethodGet:
		return x.Fail(status.ScopeMissing, status.MissingScope.Is("the right to write in a locked conversation"), status.Marker.Is("locked"))
	case body.Block != nil || says(saysSuspended):
		return x.Fail(status.AccountBlocked)
	case slices.ContainsFunc(body.Errors, tooLarge): // GH-47
		return x.Fail(status.ContentNotIncluded, status.Part.Is("a file over 100 MB"))
	}
	if f := missingScope(x); f != nil { // GH-04
		return f
	}
	opts := []status.Option{status.MissingScope.Is("a permission for this operation")}
	if p := permissionsIn(x.Header); p != "" { // GH-03
		opts = []status.Option{status.MissingScope.Is(p), status.AcceptedPermissions.Is(p)}
	}
	return x.Fail(status.ScopeMissing, opts...)
}

// classifyNotFound names a missing scope where the headers show one; otherwise
// GitHub does not tell an absent thing from a hidden one. GH-01, GH-02, GH-04.
func classifyNotFound(x *upstream.Exchange) *status.Failure {
	if strings.HasPrefix(strings.ToLower(x.Header.Get("X-GitHub-SSO")), "required") {
		return classifyForbidden(x, gh.ErrorResponse{})
	}
	if f := missingScope(x); f != nil {
		return f
	}
	return x.Fail(status.AbsentOrHidden, status.Existence.Is(status.ExistenceUnknown))
}

func classifyRefused(x *upstream.Exchange, body gh.ErrorResponse) *status.Failure {
	if x.Method != http.MethodGet && x.Method != http.MethodHead {
		return classifyInvalid(x, body)
	}
	says := func(s string) bool {
		return strings.Contains(body.Message, s) ||
			slices.ContainsFunc(body.Errors, func(e gh.Error) bool { return strings.Contains(e.Message, s) })
	}
	switch {
	case says(saysUnseen): // GH-24
		return x.Fail(status.AbsentOrHidden, status.Existence.Is(status.ExistenceUnknown))
	case says(saysCap): // GH-23
		return x.Fail(status.ProviderCap, status.Limit.Is(searchCap))
	case strings.HasPrefix(x.Class, "GET /search/"): // GH-27
		return x.Fail(status.QueryRefused, status.WasCalled)
	}
	for _, e := range body.Errors {
		if isField(e.Field) {
			return x.Fail(status.FilterUnresolved, status.Filter.Is(e.Field))
		}
	}
	return nil
}

// classifyInvalid names what GitHub would not take of a change.
func classifyInvalid(x *upstream.Exchange, body gh.ErrorResponse) *status.Failure {
	bad := status.Argument{Name: "arguments", Reason: status.InvalidArgument.Name(), Problem: "GitHub does not take the change as it stands"}
	for _, e := range body.Errors {
		if isField(e.Field) {
			bad.Name, bad.Problem = argumentOf(x, e.Field), "GitHub does not take it"
			break
		}
	}
	return x.Fail(status.InvalidArgument, status.WasCalled, status.Arguments.Is([]status.Argument{bad}))
}

// argumentOf is what the tools call a field of GitHub's.
func argumentOf(x *upstream.Exchange, field string) string {
	if (field == "name" || field == "labels" || field == "label") && strings.HasSuffix(x.Class, "/labels") {
		return "add_labels"
	}
	return field
}

// missingScope compares the scopes of a classic token with those that the
// endpoint accepts, any one of which is enough. Other tokens have no such header.
func missingScope(x *upstream.Exchange) *status.Failure {
	if len(x.Header.Values("X-OAuth-Scopes")) == 0 {
		return nil
	}
	granted, wanted := scopesIn(x.Header, "X-OAuth-Scopes"), scopesIn(x.Header, "X-Accepted-OAuth-Scopes")
	if len(wanted) == 0 || slices.ContainsFunc(wanted, func(a string) bool { return covers(granted, a) }) {
		return nil
	}
	return x.Fail(status.ScopeMissing, status.MissingScope.Is(strings.Join(wanted, " or ")),
		status.GrantedScopes.Is(strings.Join(granted, ", ")))
}

// implied lists the scopes that a broader one holds, as GitHub documents them.
var implied = map[string][]string{
	"repo":    {"repo:status", "repo_deployment", "public_repo", "repo:invite", "security_events"},
	"user":    {"read:user", "user:email", "user:follow"},
	"project": {"read:project"},
}

func covers(granted []string, scope string) bool {
	level, object, ok := strings.Cut(scope, ":")
	for _, g := range granted {
		switch {
		case g == scope, slices.Contains(implied[g], scope):
			return true
		case ok && (level == "read" || level == "write") && g == "admin:"+object:
			return true
		case ok && level == "read" && g == "write:"+object:
			return true
		}
	}
	return false
}
