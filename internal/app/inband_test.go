package app_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const searched = "sources: [{name: github, provider: github, auth: {token_env: T}}]\nretry: {max_attempts: 1, budget: 6s}"

// github answers with those bodies by path; the rest is a visible repository.
func github(issues func(*http.Request) (http.Header, string)) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}, "X-Github-Request-Id": {"A:1"}, "X-Oauth-Scopes": {"repo"}, "X-Ratelimit-Limit": {"5000"}, "X-Ratelimit-Remaining": {"4999"}}
		body := `{"full_name":"acme/app","private":false,"has_issues":true,"default_branch":"main","html_url":"https://github.com/acme/app","open_issues_count":3}`
		switch {
		case r.URL.Path == "/user":
			body = `{"login":"ada"}`
		case strings.HasPrefix(r.URL.Path, "/search/"), strings.HasSuffix(r.URL.Path, "/issues"):
			var more http.Header
			if more, body = issues(r); more != nil {
				for name, values := range more {
					h[name] = values
				}
			}
		}
		return &http.Response{StatusCode: 200, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
	}
}

// TestAnErrorInsideAnAnswerIsNeverAnAbsence, nor is an answer that says a thing twice.
func TestAnErrorInsideAnAnswerIsNeverAnAbsence(t *testing.T) {
	for body, reason := range map[string]string{
		`{"total_count":0,"incomplete_results":false,"items":[],"errors":[{"message":"x"}]}`:                         "graphql_error",
		`{"total_count":0,"incomplete_results":false,"items":[],"error":"x"}`:                                        "graphql_error",
		`{"total_count":0,"incomplete_results":false,"items":[],"ok":false}`:                                         "graphql_error",
		`{"total_count":0,"incomplete_results":false,"items":[],"message":"x","documentation_url":"https://docs/x"}`: "graphql_error",
		`{"total_count":0,"incomplete_results":true,"items":[],"Incomplete_Results":false}`:                          "contradictory",
		`{"total_count":0,"incomplete_results":false,"items":[{"number":1}],"items":[]}`:                             "contradictory",
	} {
		synctest.Test(t, func(t *testing.T) {
			a := configured(t, searched, github(func(*http.Request) (http.Header, string) { return nil, body }))
			if r, v := ask(t, a, "tracker_search", `{"project":"acme/app","query":"zzz"}`); v.Status != "access_failure" || v.Code != "SOURCE_UNRELIABLE" || v.Failure.Reason != reason {
				t.Errorf("%s\n%s", body, r.Text)
			}
		})
	}
}

// TestTheBudgetBoundsTheWholeCall: pages that each come in time do not add up to
// more than the budget, and what came is not thrown away.
func TestTheBudgetBoundsTheWholeCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := configured(t, searched, github(func(r *http.Request) (http.Header, string) {
			select {
			case <-time.After(2 * time.Second):
			case <-r.Context().Done():
			}
			return http.Header{"Link": {`<https://api.github.com/repositories/1/issues?page=` + r.URL.Query().Get("page") + `2>; rel="next"`}},
				`[{"number":2,"title":"A change","state":"open","html_url":"https://github.com/acme/app/pull/2","user":{"login":"ada"},"pull_request":{"url":"x"}},` +
					`{"number":1,"title":"Crash","state":"open","html_url":"https://github.com/acme/app/issues/1","user":{"login":"ada"}}]`
		}))
		start := time.Now()
		r, v := ask(t, a, "tracker_search", `{"project":"acme/app","limit":100}`)
		if took := time.Since(start); took > 6*time.Second || v.Status != "partial" || v.Code != "SOURCE_UNRELIABLE" || v.Failure.Reason != "timeout" || len(v.Data.Items) == 0 {
			t.Errorf("after %s: %s", took, r.Text)
		}
	})
}
