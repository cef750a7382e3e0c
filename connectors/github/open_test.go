package github_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/connectors/github"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// TestOwns: which references are this source's to answer.
func TestOwns(t *testing.T) {
	const cloud, server, tenant = "https://api.github.com", "https://ghe.example.com/api/v3", "https://api.acme.ghe.com"
	for _, tc := range []struct {
		base, text string
		want       bool
	}{
		{cloud, "https://github.com/acme/app/issues/5", true},
		{cloud, "https://GitHub.com/acme/app/pull/5", true},
		{cloud, "https://api.github.com/repos/acme/app/issues/5", true},
		{cloud, "https://ghe.example.com/acme/app/issues/5", false},
		{cloud, "https://gitlab.com/acme/app/-/issues/5", false},
		{cloud, "acme/app#5", true},
		{cloud, "#5", true},
		{cloud, "group/sub/app#5", false},
		{server, "https://ghe.example.com/acme/app/issues/5", true},
		{server, "https://github.com/acme/app/issues/5", false},
		{tenant, "https://acme.ghe.com/acme/app/issues/5", true},
	} {
		src := open(t, "sources: [{name: github, provider: github, default_project: acme/app, base_url: "+tc.base+"}]", nil)
		r, err := ref.Parse(tc.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := src.Owns(r); got != tc.want {
			t.Errorf("%s owns %s: %t", tc.base, tc.text, got)
		}
	}
}

// TestOpenRefusesAnAddressThatIsNone: no source comes of it.
func TestOpenRefusesAnAddressThatIsNone(t *testing.T) {
	_, f := github.Provider.Open(connectors.Setup{Name: "github", BaseURL: "::"})
	if f == nil || f.Reason() != status.Misconfigured {
		t.Errorf("%v", f)
	}
}

// canned answers every request with the same body.
type canned []byte

func (b canned) RoundTrip(req *http.Request) (*http.Response, error) {
	h := http.Header{"Content-Type": {"application/json"}, "X-Ratelimit-Limit": {"5000"}, "X-Github-Request-Id": {"1"}}
	return &http.Response{StatusCode: 200, Header: h, Body: io.NopCloser(strings.NewReader(string(b))), ContentLength: int64(len(b)), Request: req}, nil
}

// page is a page of 20 issues, as large as GitHub sends them.
func page(t testing.TB) canned {
	t.Helper()
	user := func(login string) map[string]any {
		u := map[string]any{"login": login, "id": 1, "node_id": "MDQ6VXNlcjE=", "type": "User", "site_admin": false}
		for _, k := range []string{"avatar_url", "url", "html_url", "followers_url", "following_url", "gists_url", "starred_url",
			"subscriptions_url", "organizations_url", "repos_url", "events_url", "received_events_url"} {
			u[k] = "https://api.github.com/users/" + login + "/" + k
		}
		return u
	}
	var rows []map[string]any
	for n := range 20 {
		at := fmt.Sprintf("https://api.github.com/repos/acme/application/issues/%d", 4000+n)
		rows = append(rows, map[string]any{
			"url": at, "repository_url": "https://api.github.com/repos/acme/application", "comments_url": at + "/comments", "events_url": at + "/events",
			"html_url": fmt.Sprintf("https://github.com/acme/application/issues/%d", 4000+n), "id": 1000 + n, "node_id": "I_kwDOABCDEF", "number": 4000 + n,
			"title": "Saving a document with an umlaut in its name fails on the network drive", "user": user("ada-lovelace"), "state": "open", "locked": false,
			"labels":   []map[string]any{{"id": 1, "name": "bug", "color": "f00", "default": true, "description": "Something is not working"}, {"id": 2, "name": "area/storage"}},
			"assignee": user("grace-hopper"), "assignees": []any{user("grace-hopper")}, "milestone": nil, "comments": 7,
			"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z", "closed_at": nil, "author_association": "MEMBER",
			"body": strings.Repeat("It happens every time.\n", 60), "reactions": map[string]any{"url": at + "/reactions", "total_count": 3, "+1": 3}, "timeline_url": at + "/timeline",
		})
	}
	b, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAPageOfIssuesIsSmall: 20 issues stay under 8 KB in each channel.
func TestAPageOfIssuesIsSmall(t *testing.T) {
	src := open(t, "", page(t))
	e, _ := seal(src.Tracker.Search(t.Context(), connectors.IssueQuery{Project: "acme/application", Paging: connectors.Paging{Limit: 20}}))
	structured, err := e.Structured()
	if err != nil {
		t.Fatal(err)
	}
	if e.Status() != status.Success || len(structured) > 8<<10 || len(e.Text()) > 8<<10 {
		t.Errorf("%s, %d and %d bytes", e.Status(), len(structured), len(e.Text()))
	}
}

// BenchmarkSearch is a page of 20 issues through the connector and its client.
func BenchmarkSearch(b *testing.B) {
	client, f := upstream.New(upstream.Options{
		Source: "github", BaseURL: "https://api.github.com", Transport: page(b), Classify: github.Classify,
		Credential: upstream.BearerToken(func(context.Context) (string, *status.Failure) { return secret, nil }),
	})
	if f != nil {
		b.Fatal(f.Reason())
	}
	src, f := github.Provider.Open(connectors.Setup{Name: "github", BaseURL: "https://api.github.com", Upstream: client, Now: time.Now})
	if f != nil {
		b.Fatal(f.Reason())
	}
	q := connectors.IssueQuery{Project: "acme/application", Paging: connectors.Paging{Limit: 20}}
	for b.Loop() {
		if n := len(src.Tracker.Search(b.Context(), q).Items()); n != 20 {
			b.Fatal(n)
		}
	}
}

// BenchmarkGoGitHub is the same page through go-github alone.
func BenchmarkGoGitHub(b *testing.B) {
	client := gh.NewClient(&http.Client{Transport: page(b)}).WithAuthToken(secret)
	o := &gh.IssueListByRepoOptions{State: "all", Sort: "updated", ListOptions: gh.ListOptions{PerPage: 20}}
	for b.Loop() {
		issues, _, err := client.Issues.ListByRepo(b.Context(), "acme", "application", o)
		if err != nil || len(issues) != 20 {
			b.Fatal(err)
		}
	}
}

// TestItemsTellTheirContainer: by it the tools hold what was found to the
// allow-list. An issue that moved is held to where it is now.
func TestItemsTellTheirContainer(t *testing.T) {
	src := open(t, "", page(t))
	for _, item := range src.Tracker.Search(t.Context(), connectors.IssueQuery{Project: "old/name", Paging: connectors.Paging{Limit: 20}}).Items() {
		if item.Where() != "acme/application" {
			t.Fatalf("%q", item.Where())
		}
	}
}
