package app_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/server"
)

// world is trackers that page as the real ones do. A list is that of a host and,
// where two sources look at the same host, of their credential.
type world struct {
	mu    sync.Mutex
	lists map[string][]ticket
	// meets, if it is there for a list, happens to whoever asks for it; an error is
	// that of the connection.
	meets map[string]func(*http.Request) error
	asked map[string]int // how often a page of the list was asked for
	retry string         // line of the configuration; empty: budgetYAML
}

// ticket is an issue with a number, changed so many hours after the year began.
type ticket struct{ n, hour int }

func (t ticket) at() string {
	return time.Date(2026, 1, 1, t.hour, 0, 0, 0, time.UTC).Format(time.RFC3339)
}

// tickets makes a list, newest first.
func tickets(hours ...int) (out []ticket) {
	slices.Sort(hours)
	slices.Reverse(hours)
	for _, h := range hours {
		out = append(out, ticket{h, h})
	}
	return out
}

const (
	oneYAML     = "  - {name: one, provider: github, base_url: https://one.example/api/v3, default_project: acme/app, auth: {token_env: ONE}}\n"
	otherYAML   = "  - {name: other, provider: github, base_url: https://other.example/api/v3, default_project: acme/app, auth: {token_env: OTHER}}\n"
	twinYAML    = "  - {name: twin, provider: github, base_url: https://ONE.example:443/api/v3, default_project: ACME/App, auth: {token_env: TWIN}}\n"
	jiraYAML    = "  - {name: jira, provider: jira, base_url: https://jira.example, default_project: PAY, auth: {token_env: JIRA}}\n"
	redmineYAML = "  - {name: redmine, provider: redmine, base_url: https://redmine.example, default_project: app, auth: {token_env: REDMINE}}\n"
	budgetYAML  = "retry: {max_attempts: 2, budget: 8s, timeout: 4s}\n"
)

// hereYAML is a file-based tracker with those tickets.
func hereYAML(t *testing.T, list []ticket) string {
	root := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(root, "backlog", "tasks"), 0o755))
	for _, x := range list {
		text := fmt.Sprintf("---\nid: task-%d\ntitle: Ticket %d\nstatus: To Do\nupdated_date: '%s'\n---\n", x.n, x.n, strings.NewReplacer("T", " ", ":00Z", "").Replace(x.at()))
		must(t, os.WriteFile(filepath.Join(root, "backlog", "tasks", fmt.Sprintf("task-%d - Ticket.md", x.n)), []byte(text), 0o644))
	}
	return "  - {name: here, provider: local, root: " + root + "}\n"
}

func (w *world) frank(t *testing.T, sources ...string) *app.App {
	return w.franked(t, app.Options{}, sources...)
}

func (w *world) franked(t *testing.T, o app.Options, sources ...string) *app.App {
	t.Helper()
	cfg, err := config.Parse("frank.yaml", []byte("sources:\n"+strings.Join(sources, "")+cmp.Or(w.retry, budgetYAML)))
	must(t, err)
	o.Version, o.Transport, o.Now, o.Host = "test", w, time.Now, config.SystemHost()
	o.Host.LookupEnv = func(name string) (string, bool) { return name, true }
	a, err := app.New(cfg, o)
	must(t, err)
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	return a
}

// RoundTrip answers as GitHub, Jira Data Center or Redmine.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	h := http.Header{"Content-Type": {"application/json"}}
	var body string
	var err error
	switch strings.ToLower(r.URL.Hostname()) {
	case "one.example", "other.example":
		body, err = w.github(r, h)
	case "jira.example":
		body, err = w.jira(r, h)
	default:
		body, err = w.redmine(r)
	}
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

// page is rows start to end of a list, once what meets the asker is over.
func (w *world) page(r *http.Request, list string, start, size int) (rows []ticket, total int, err error) {
	w.mu.Lock()
	meet := w.meets[list]
	if w.asked == nil {
		w.asked = map[string]int{}
	}
	w.asked[list]++
	all := w.lists[list]
	w.mu.Unlock()
	if meet != nil {
		if err := meet(r); err != nil {
			return nil, 0, err
		}
	}
	return all[min(start, len(all)):min(start+size, len(all))], len(all), nil
}

func number(r *http.Request, name string, otherwise int) int {
	if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil {
		return n
	}
	return otherwise
}

func (w *world) github(r *http.Request, h http.Header) (string, error) {
	for name, value := range map[string]string{"X-Github-Request-Id": "A:1", "X-Oauth-Scopes": "repo", "X-Ratelimit-Limit": "5000", "X-Ratelimit-Remaining": "4999"} {
		h.Set(name, value)
	}
	host, list, labels := strings.ToLower(r.URL.Hostname()), strings.TrimSuffix(r.URL.Hostname(), ".example"), ""
	if strings.HasSuffix(r.Header.Get("Authorization"), "TWIN") { // which sees the labels, too
		list, labels = "twin", `{"name":"bug"}`
	}
	one := func(x ticket) string {
		return fmt.Sprintf(`{"number":%d,"title":"Ticket %d","state":"open","html_url":"https://%s/acme/app/issues/%d","repository_url":"https://%s/api/v3/repos/acme/app","user":{"login":"ada"},"updated_at":"%s","labels":[%s],"assignees":[]}`,
			x.n, x.n, host, x.n, host, x.at(), labels)
	}
	switch name := filepath.Base(r.URL.Path); {
	case name == "user":
		return `{"login":"ada"}`, nil
	case name == "issues":
		number, size := number(r, "page", 1), number(r, "per_page", 30)
		rows, total, err := w.page(r, list, (number-1)*size, size)
		if number*size < total {
			next := *r.URL
			q := next.Query()
			q.Set("page", strconv.Itoa(number+1))
			next.RawQuery = q.Encode()
			h.Set("Link", "<"+next.String()+`>; rel="next"`)
		}
		return fmt.Sprintf(`{"total_count":%d,"incomplete_results":false,"items":%s}`, total, joined(rows, one)), err
	case filepath.Base(filepath.Dir(r.URL.Path)) == "issues":
		n, _ := strconv.Atoi(name)
		rows, _, err := w.page(r, list, 0, 100)
		if i := slices.IndexFunc(rows, func(x ticket) bool { return x.n == n }); err == nil && i >= 0 {
			return one(rows[i]), nil
		}
		return "{}", err
	default:
		return `{"full_name":"acme/app","private":false,"has_issues":true,"default_branch":"main","html_url":"https://one.example/acme/app","open_issues_count":0}`, nil
	}
}

func (w *world) jira(r *http.Request, h http.Header) (string, error) {
	h.Set("X-Ausername", "ada")
	h.Set("X-Arequestid", "1")
	switch filepath.Base(r.URL.Path) {
	case "serverInfo":
		return `{"baseUrl":"https://jira.example","version":"9.12.0","deploymentType":"Server"}`, nil
	case "search":
		start, size := number(r, "startAt", 0), number(r, "maxResults", 50)
		rows, total, err := w.page(r, "jira", start, size)
		return fmt.Sprintf(`{"startAt":%d,"maxResults":%d,"total":%d,"issues":%s}`, start, size, total, joined(rows, func(x ticket) string {
			at := strings.Replace(x.at(), "Z", ".000+0000", 1)
			return fmt.Sprintf(`{"id":"%d","key":"PAY-%d","fields":{"summary":"Ticket %d","status":{"name":"New","statusCategory":{"key":"new"}},"labels":[],"created":"%s","updated":"%s","project":{"id":"1","key":"PAY","name":"Pay"}}}`, x.n, x.n, x.n, at, at)
		})), err
	case "PAY":
		return `{"id":"1","key":"PAY","name":"Pay"}`, nil
	default:
		return `{"name":"ada","key":"ada","displayName":"Ada","active":true}`, nil
	}
}

func (w *world) redmine(r *http.Request) (string, error) {
	switch filepath.Base(r.URL.Path) {
	case "current.json":
		return `{"user":{"id":5,"login":"ada","admin":false,"firstname":"Ada","lastname":"Smith"}}`, nil
	case "issues.json":
		start, size := number(r, "offset", 0), number(r, "limit", 25)
		rows, total, err := w.page(r, "redmine", start, size)
		return fmt.Sprintf(`{"issues":%s,"total_count":%d,"offset":%d,"limit":%d}`, joined(rows, func(x ticket) string {
			return fmt.Sprintf(`{"id":%d,"project":{"id":1,"name":"App"},"tracker":{"id":1,"name":"Bug"},"status":{"id":1,"name":"New","is_closed":false},"priority":{"id":2,"name":"Normal"},"author":{"id":5,"name":"Ada Smith"},"subject":"Ticket %d","description":"","created_on":"%s","updated_on":"%s","closed_on":null}`, x.n, x.n, x.at(), x.at())
		}), total, start, size), err
	default:
		return `{"project":{"id":1,"name":"App","identifier":"app","description":"","status":1,"is_public":true,"trackers":[{"id":1,"name":"Bug"}],"issue_categories":[],"issue_custom_fields":[],"updated_on":"2026-01-01T00:00:00Z","enabled_modules":[{"id":0,"name":"issue_tracking"}]}}`, nil
	}
}

func joined(rows []ticket, one func(ticket) string) string {
	out := make([]string, len(rows))
	for i, x := range rows {
		out[i] = one(x)
	}
	return "[" + strings.Join(out, ",") + "]"
}

// several is what these tests read of an answer.
type several struct {
	Status, Code, Summary string
	Failure               struct {
		Reason    string
		Retryable bool
		Called    string `json:"api_called"`
	}
	Data struct {
		Item  found
		Items []found
	}
	Coverage struct {
		Sources []struct {
			Source, Status, Code, Reason string
			Items                        int
			ProvedBy                     json.RawMessage `json:"proved_by"`
		}
		Unproven []string
		Next     string `json:"next_cursor"`
	}
}

type found struct {
	Source, Ref string
	URL         string
	At          time.Time `json:"updated_at"`
	AlsoIn      []string  `json:"also_in"`
	Body        string
}

// since asks for all issues, since that is a listing everywhere.
func since(t *testing.T, a *app.App, limit int, cursor string) several {
	t.Helper()
	return read(t, a.Call(t.Context(), "tracker_search", fmt.Appendf(nil, `{"updated_since":"2025-01-01","limit":%d,"cursor":%q}`, limit, cursor)))
}

func read(t *testing.T, r server.Reply) (v several) {
	t.Helper()
	contracttest.Sound(t, r)
	must(t, json.Unmarshal(r.Structured, &v))
	return v
}

// row is "status code items" of a source.
func (v several) row(source string) string {
	for _, r := range v.Coverage.Sources {
		if r.Source == source {
			return strings.TrimSpace(fmt.Sprintf("%s %s %d %s", r.Status, r.Code, r.Items, r.Reason))
		}
	}
	return ""
}

func (v several) refs() []string {
	out := []string{}
	for _, i := range v.Data.Items {
		out = append(out, i.Source+":"+i.Ref)
	}
	return out
}

// walk reads all pages, checks of each what holds of every page, and returns what
// was shown, in order.
func walk(t *testing.T, a *app.App, limit int) (all []found) {
	t.Helper()
	cursor := ""
	for pages := 0; ; pages++ {
		v := since(t, a, limit, cursor)
		if len(v.Data.Items) > limit || pages > 60 {
			t.Fatalf("limit %d, page %d: %d items: %s", limit, pages, len(v.Data.Items), v.Summary)
		}
		counted := 0
		for _, r := range v.Coverage.Sources {
			counted += r.Items
		}
		if counted != len(v.Data.Items) {
			t.Errorf("limit %d: the rows count %d of %d items", limit, counted, len(v.Data.Items))
		}
		if !slices.IsSortedFunc(v.Data.Items, func(x, y found) int { return y.At.Compare(x.At) }) {
			t.Errorf("limit %d: not newest first: %v", limit, v.refs())
		}
		all = append(all, v.Data.Items...)
		if cursor = v.Coverage.Next; cursor == "" {
			if v.Status != "success" {
				t.Errorf("limit %d: the last page is %s: %s", limit, v.Status, v.Summary)
			}
			return all
		}
		if v.Status != "partial" || v.Code != "NONE" {
			t.Fatalf("limit %d: a page with others behind it is %s/%s: %s", limit, v.Status, v.Code, v.Summary)
		}
	}
}

// TestAWalkOverSeveralSourcesShowsEverythingOnceNewestFirst whatever the limit, also
// one below the number of sources.
func TestAWalkOverSeveralSourcesShowsEverythingOnceNewestFirst(t *testing.T) {
	list := tickets(2, 6, 10)
	here := hereYAML(t, list)
	for _, limit := range []int{1, 2, 3, 4, 5, 7, 11, 20, 100} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{lists: map[string][]ticket{"one": tickets(1, 5, 9, 13, 17, 21, 22, 23), "jira": tickets(3, 7, 11, 15, 19), "redmine": tickets(4)}}
			all := walk(t, w.frank(t, oneYAML, jiraYAML, redmineYAML, here), limit)
			seen := map[string]int{}
			for _, i := range all {
				seen[i.Source+":"+i.Ref]++
			}
			if len(all) != 8+5+1+3 || len(seen) != len(all) {
				t.Errorf("limit %d: %d items, of which %d are different: %v", limit, len(all), len(seen), seen)
			}
			if limit == 1 && !slices.IsSortedFunc(all, func(x, y found) int { return y.At.Compare(x.At) }) {
				t.Errorf("one by one, the newest of all comes next")
			}
		})
	}
}

// TestAnAnswerNamesWhatEachSourceContributed, and what proved to have nothing stays
// visible beside the data.
func TestAnAnswerNamesWhatEachSourceContributed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]ticket{"one": tickets(1, 5, 9), "jira": tickets(3, 7)}}
		v := since(t, w.frank(t, oneYAML, jiraYAML), 20, "")
		if !strings.HasSuffix(v.Summary, ": 3 from one, 2 from jira.") && !strings.HasSuffix(v.Summary, ": 2 from jira, 3 from one.") || !strings.HasPrefix(v.Summary, "Found 5 issues") {
			t.Error(v.Summary)
		}
		if want := []string{"one:acme/app#9", "jira:PAY-7", "one:acme/app#5", "jira:PAY-3", "one:acme/app#1"}; !slices.Equal(v.refs(), want) {
			t.Errorf("%v, want %v", v.refs(), want)
		}
		v = since(t, w.frank(t, oneYAML, jiraYAML, redmineYAML), 4, "")
		if v.row("redmine") != "empty NONE 0" || v.Status != "partial" || !strings.Contains(v.Summary, "from one") || !strings.Contains(v.Summary, "from jira") {
			t.Errorf("%s: %+v", v.Summary, v.Coverage.Sources)
		}
		v = since(t, w.frank(t, jiraYAML, redmineYAML), 4, "")
		if v.Status != "success" || !strings.HasSuffix(v.Summary, "in jira, redmine: 2 from jira.") {
			t.Errorf("%s: %+v", v.Summary, v.Coverage.Sources)
		}
	})
}
