// Package bench measures frank beside what it is built on, in one run on
// loopback, so that a busy machine slows both alike. It proves nothing about
// answers and is never part of a timed test.
package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// page is a listing of 20 issues as GitHub sends it, with all the keys that
// nobody reads.
func page() []byte {
	user := `{"login":"octocat","id":1,"node_id":"MDQ6VXNlcjE=","avatar_url":"https://github.com/images/error/octocat_happy.gif","gravatar_id":"","url":"https://api.github.com/users/octocat","html_url":"https://github.com/octocat","followers_url":"https://api.github.com/users/octocat/followers","following_url":"https://api.github.com/users/octocat/following{/other_user}","gists_url":"https://api.github.com/users/octocat/gists{/gist_id}","starred_url":"https://api.github.com/users/octocat/starred{/owner}{/repo}","subscriptions_url":"https://api.github.com/users/octocat/subscriptions","organizations_url":"https://api.github.com/users/octocat/orgs","repos_url":"https://api.github.com/users/octocat/repos","events_url":"https://api.github.com/users/octocat/events{/privacy}","received_events_url":"https://api.github.com/users/octocat/received_events","type":"User","site_admin":false}`
	body := "It crashes when the file is saved twice.\\n\\n1. open\\n2. save\\n3. save\\n\\nExpected: it is saved. Actual: it crashes with a long trace that is pasted here in part, as people do, so that the body has a usual length of some hundred bytes."
	var items []json.RawMessage
	for n := range 20 {
		items = append(items, json.RawMessage(fmt.Sprintf(`{"id":%[1]d,"node_id":"MDU6SXNzdWUx","url":"https://api.github.com/repos/acme/app/issues/%[1]d","repository_url":"https://api.github.com/repos/acme/app","labels_url":"https://api.github.com/repos/acme/app/issues/%[1]d/labels{/name}","comments_url":"https://api.github.com/repos/acme/app/issues/%[1]d/comments","events_url":"https://api.github.com/repos/acme/app/issues/%[1]d/events","html_url":"https://github.com/acme/app/issues/%[1]d","number":%[1]d,"state":"open","title":"Crash when saving a file twice, number %[1]d","body":"%[2]s","user":%[3]s,"labels":[{"id":208045946,"node_id":"MDU6TGFiZWwyMDgwNDU5NDY=","url":"https://api.github.com/repos/acme/app/labels/bug","name":"bug","description":"Something isn't working","color":"f29513","default":true}],"assignee":%[3]s,"assignees":[%[3]s],"milestone":null,"locked":false,"active_lock_reason":null,"comments":3,"closed_at":null,"created_at":"2026-04-22T13:33:48Z","updated_at":"2026-04-22T13:33:48Z","author_association":"MEMBER","state_reason":null,"reactions":{"url":"https://api.github.com/repos/acme/app/issues/%[1]d/reactions","total_count":0,"+1":0,"-1":0,"laugh":0,"hooray":0,"confused":0,"heart":0,"rocket":0,"eyes":0}}`, n+1, body, user)))
	}
	b, err := json.Marshal(items)
	if err != nil {
		panic(err)
	}
	return b
}

func upstream(tb testing.TB) string {
	body := page()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("X-GitHub-Request-Id", "C0DE:1")
		w.Header().Set("X-RateLimit-Limit", "5000")
		w.Header().Set("X-RateLimit-Remaining", "4999")
		w.Header().Set("X-RateLimit-Resource", "core")
		w.Header().Set("X-OAuth-Scopes", "repo")
		_, _ = w.Write(body)
	}))
	tb.Cleanup(s.Close)
	return s.URL
}

func bare(tb testing.TB, url string) func() {
	c, err := gh.NewClient(nil).WithAuthToken("token").WithEnterpriseURLs(url, url)
	if err != nil {
		tb.Fatal(err)
	}
	return func() {
		issues, _, err := c.Issues.ListByRepo(context.Background(), "acme", "app", &gh.IssueListByRepoOptions{State: "all", ListOptions: gh.ListOptions{PerPage: 20}})
		if err != nil || len(issues) != 20 {
			tb.Fatal(len(issues), err)
		}
	}
}

func frank(tb testing.TB, url, journal string) func() {
	a := wired(tb, url, journal)
	arguments := json.RawMessage(`{"project":"acme/app","limit":20}`)
	return func() {
		if r := a.Call(context.Background(), "tracker_search", arguments); r.IsError || len(r.Structured) > 8<<10 || len(r.Text) > 8<<10 {
			tb.Fatalf("%d and %d bytes:\n%s", len(r.Text), len(r.Structured), r.Text)
		}
	}
}

// wired is frank over that upstream, with a journal at that path.
func wired(tb testing.TB, url, journal string) *app.App {
	cfg, err := config.Parse("frank.yaml", []byte("sources:\n  - {name: github, provider: github, base_url: "+url+", auth: {token_env: T}}\n"))
	if err != nil {
		tb.Fatal(err)
	}
	host := config.SystemHost()
	host.LookupEnv = func(string) (string, bool) { return "token", true }
	a, err := app.New(cfg, app.Options{Version: "bench", Host: host, Journal: journal})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return a
}

// BenchmarkPage lists 20 issues with the bare client and with frank in turn, and
// reports the medians and what frank adds.
func BenchmarkPage(b *testing.B) {
	url := upstream(b)
	one, other := bare(b, url+"/api/v3/"), frank(b, url, "")
	one()
	other()
	var with, without []time.Duration
	for b.Loop() {
		without = append(without, clock(one))
		with = append(with, clock(other))
	}
	m, n := median(with), median(without)
	b.ReportMetric(float64(n.Microseconds()), "bare-µs")
	b.ReportMetric(float64(m.Microseconds()), "frank-µs")
	b.ReportMetric(float64((m - n).Microseconds()), "added-µs")
	b.ReportMetric(float64(m)/float64(n), "ratio")
}

// BenchmarkJournal lists 20 issues without a journal and with one in a file in
// turn, and so a call that fails at once, and reports the medians and what the
// journal adds to a call. What it writes behind the call's back is reported, too.
func BenchmarkJournal(b *testing.B) {
	url := upstream(b)
	off, on := wired(b, url, ""), wired(b, url, filepath.Join(b.TempDir(), "journal.db"))
	off.Deps.Journal = nil
	for name, c := range map[string]struct{ tool, arguments string }{
		"page":    {"tracker_search", `{"project":"acme/app","limit":20}`},
		"local":   {"list_capabilities", `{}`},
		"failure": {"tracker_search", `{"source":"nowhere","query":"x"}`},
	} {
		b.Run(name, func(b *testing.B) {
			call := func(a *app.App) func() {
				return func() { a.Call(context.Background(), c.tool, json.RawMessage(c.arguments)) }
			}
			one, other := call(off), call(on)
			one()
			other()
			var with, without, after []time.Duration
			for b.Loop() {
				without = append(without, clock(one))
				with = append(with, clock(other))
				// What nobody waits for, and so that the next call without does not run beside it.
				after = append(after, clock(func() { _ = on.Deps.Journal.Flush(context.Background()) }))
			}
			m, n := median(with), median(without)
			b.ReportMetric(float64(median(after).Nanoseconds())/1e3, "behind-µs")
			b.ReportMetric(float64(n.Nanoseconds())/1e3, "off-µs")
			b.ReportMetric(float64(m.Nanoseconds())/1e3, "on-µs")
			b.ReportMetric(float64((m-n).Nanoseconds())/1e3, "added-µs")
			b.ReportMetric(float64(with[len(with)*99/100].Nanoseconds())/1e3, "on-p99-µs")
		})
	}
}

func clock(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}
