package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// goodToken is what the fake accepts. It has the form of a token, so that what
// looks for tokens by their form sees it too.
const goodToken = "ghp_Zk4Qm9Xw2Rt7Lp5Vb8Nc3Hd6Js1Fg0Ya4Ue"

// newGitHub is as much of GitHub as the commands need: one repository with one
// issue, seen by one account.
func newGitHub(t testing.TB) *httptest.Server {
	t.Helper()
	answers := map[string]string{
		"/user":                                `{"login":"octocat"}`,
		"/repos/acme/app":                      `{"full_name":"acme/app","private":false,"has_issues":true,"has_wiki":false,"default_branch":"main","html_url":"https://github.com/acme/app","open_issues_count":1}`,
		"/repos/acme/app/issues/1":             `{"number":1,"title":"Payments fail at midnight","state":"open","html_url":"https://github.com/acme/app/issues/1","repository_url":"https://api.github.com/repos/acme/app","user":{"login":"octocat"},"labels":[],"assignees":[],"comments":0,"body":"First line\nSecond \u001b[31mline","created_at":"2026-11-01T10:00:00Z","updated_at":"2026-11-02T10:00:00Z"}`,
		"/repos/acme/app/issues/1/comments":    `[]`,
		"/repos/acme/app/issues/1/timeline":    `[]`,
		"/repos/acme/app/issues/1/sub_issues":  `[]`,
		"/repos/acme/app/collaborators/nobody": `{}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("X-GitHub-Request-Id", "C0DE:1")
		h.Set("X-RateLimit-Limit", "5000")
		h.Set("X-RateLimit-Remaining", "4999")
		h.Set("X-RateLimit-Resource", "core")
		if !strings.HasSuffix(r.Header.Get("Authorization"), goodToken) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"message":"Bad credentials","status":"401"}`)
			return
		}
		h.Set("X-OAuth-Scopes", "repo")
		body, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			body = `{"message":"Not Found","status":"404"}`
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

// newFlaky is the fake behind a gateway: every other request for issue 1 fails, and
// every one for issue 2.
func newFlaky(t testing.TB, github string) *httptest.Server {
	t.Helper()
	to, err := url.Parse(github)
	if err != nil {
		t.Fatal(err)
	}
	behind := httputil.NewSingleHostReverseProxy(to)
	behind.Transport = &http.Transport{DisableKeepAlives: true}
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/repos/acme/app/issues/2", r.URL.Path == "/repos/acme/app/issues/1" && asked.Add(1)%2 == 1:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, `{"message":"down"}`)
		default:
			behind.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}
