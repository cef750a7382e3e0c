package mediawiki

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// lagWait is what the documentation of maxlag asks for where no time is named.
const lagWait = 5 * time.Second

// Classify reads an answer in MediaWiki's terms. Errors come with status 200 and a
// code; only codes are read. MW-01.
func Classify(x *upstream.Exchange) *status.Failure {
	if x.Status == http.StatusNotFound { // MW-19: api.php itself never answers 404
		return x.Fail(status.Misconfigured, status.ConfigKey.Is("base_url"), findAPI)
	}
	if isArticle(x) {
		return x.Fail(status.Misconfigured, status.ConfigKey.Is("base_url"), status.Part.Is("it answers with pages for people, not as api.php"), findAPI)
	}
	code := errorCode(x)
	if code == "" {
		return nil
	}
	f := byCode(x, code)
	if f == nil {
		f = x.Fail(status.HTTP4xx)
	}
	g := f.With(status.Marker.Is(code))
	return &g
}

// errorCode is the code of an error report, empty if the answer is none. The header
// says it too, and is believed where the body does not.
func errorCode(x *upstream.Exchange) string {
	var body struct {
		Errors []struct{ Code string }
		Error  *struct{ Code string }
	}
	if json.Unmarshal(x.Body, &body) == nil {
		switch {
		case len(body.Errors) > 0 && body.Errors[0].Code != "":
			return body.Errors[0].Code
		case body.Error != nil && body.Error.Code != "":
			return body.Error.Code
		}
	}
	return x.Header.Get("MediaWiki-API-Error")
}

// isArticle recognises a page of the wiki in place of an answer of its API. MW-19.
func isArticle(x *upstream.Exchange) bool {
	html := strings.Contains(strings.ToLower(x.Header.Get("Content-Type")), "html")
	return x.Status == http.StatusOK && html && bytes.Contains(x.Body[:min(len(x.Body), 64<<10)], []byte(`content="MediaWiki`))
}

func byCode(x *upstream.Exchange, code string) *status.Failure {
	if f := busy(x, code); f != nil {
		return f
	}
	if f := denied(x, code); f != nil {
		return f
	}
	switch code {
	case "search-text-disabled", "search-title-disabled", "search-disabled":
		return x.Fail(status.FeatureDisabled, status.Feature.Is("the search"))
	case "apidisabled", "apiunavailable", "module-disabled", "moduledisabled":
		return x.Fail(status.FeatureDisabled, status.Feature.Is("the API"))
	case "unknown_action":
		return x.Fail(status.EndpointGone)
	case "missingtitle", "nosuchpageid", "nosuchrevid", "nosuchsection":
		return x.Fail(status.AbsentOrHidden, status.Existence.Is(status.ExistenceUnknown))
	case "pagecannotexist":
		return x.Fail(status.WrongKind, status.Part.Is("a special page"))
	case "missingcontent-pageid", "missingcontent-revid": // the page is there
		return x.Fail(status.ContentNotIncluded, status.Part.Is("the text, which the wiki keeps back or has lost"))
	case "maxbytes", "maxchars", "cirrussearch-query-too-long":
		return x.Fail(status.QueryRefused, status.WasCalled)
	case "badcontinue":
		return x.Fail(status.InvalidArgument, status.WasCalled, status.Arguments.Is([]status.Argument{{
			Name: "cursor", Reason: status.InvalidArgument.Name(), Problem: "the wiki no longer takes it; leave it out",
		}}))
	}
	return nil
}

// busy finds what passes: limits first, since nothing else is known then. MW-08, MW-14.
func busy(x *upstream.Exchange, code string) *status.Failure {
	switch code {
	case "ratelimited", "actionthrottledtext", "concurrency-limit", "cirrussearch-too-busy-error", "cirrussearch-regex-too-busy-error":
		return x.Fail(status.RateLimited, status.After(told(x)))
	case "maxlag":
		wait := told(x)
		if wait == 0 {
			wait = lagWait
		}
		return x.Fail(status.RateLimited, status.After(wait), status.RateResource.Is("replication lag"))
	case "readonly", "cirrussearch-backend-error", "search-error", "badtoken", "timeout", "internalerror", "unknownerror":
		return x.Fail(status.HTTP5xx)
	}
	if strings.HasPrefix(code, "internal_api_error") {
		return x.Fail(status.HTTP5xx)
	}
	return nil
}

// told is how long the answer asks to wait.
func told(x *upstream.Exchange) time.Duration {
	s, err := strconv.Atoi(x.Header.Get("Retry-After"))
	if err != nil || s < 0 {
		return 0
	}
	return time.Duration(min(s, 24*60*60)) * time.Second
}

// denied finds what an account or a right is missing for. MW-03, MW-04.
func denied(x *upstream.Exchange, code string) *status.Failure {
	switch code {
	case "assertuserfailed", "assertnameduserfailed", "assertbotfailed":
		return x.Fail(status.AuthFailed)
	case "readapidenied":
		return x.Fail(status.ScopeMissing, status.MissingScope.Is("the right to read the wiki"))
	case "permissiondenied", "accessdenied", "protectedpage", "protectednamespace":
		return x.Fail(status.ScopeMissing, status.MissingScope.Is("the right to read it"))
	case "mustbeloggedin", "mustbeloggedin-generic", "notloggedin":
		return x.Fail(status.AuthContextRequired)
	case "blocked", "autoblocked", "systemblocked":
		return x.Fail(status.AccountBlocked)
	}
	switch {
	case strings.HasPrefix(code, "mwoauth-"): // the extension OAuth refuses the token
		return x.Fail(status.AuthFailed)
	case strings.HasPrefix(code, "badaccess-"):
		return x.Fail(status.ScopeMissing, status.MissingScope.Is("the right to read it"))
	case strings.HasPrefix(code, "globalblocking-"), strings.HasPrefix(code, "wikimedia-globalblocking"), strings.HasPrefix(code, "torblock-"):
		return x.Fail(status.AccountBlocked)
	}
	return nil
}
