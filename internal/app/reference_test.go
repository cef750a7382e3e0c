package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// atlas answers who is asking and which server it is, for all of the products, and
// for everything else that it is not there. It notes what was asked beyond that.
type atlas struct {
	mu    sync.Mutex
	asked []string
	hosts map[string]bool // whatever was asked there
}

var worldly = map[string]string{
	"acme.atlassian.net/rest/api/2/serverInfo":                        `{"baseUrl":"https://acme.atlassian.net","version":"1001.0.0","deploymentType":"Cloud"}`,
	"corp.example/jira/rest/api/2/serverInfo":                         `{"baseUrl":"https://corp.example/jira","version":"9.12.0","deploymentType":"Server"}`,
	"api.atlassian.com/ex/jira/11aa/rest/api/2/serverInfo":            `{"baseUrl":"https://gate.atlassian.net","version":"1001.0.0","deploymentType":"Cloud"}`,
	"api.atlassian.com/ex/jira/22bb/rest/api/2/serverInfo":            `{"baseUrl":"https://second.atlassian.net","version":"1001.0.0","deploymentType":"Cloud"}`,
	"acme.atlassian.net/rest/api/3/myself":                            `{"accountId":"1","displayName":"Frank","active":true}`,
	"api.atlassian.com/ex/jira/11aa/rest/api/3/myself":                `{"accountId":"1","displayName":"Frank","active":true}`,
	"corp.example/jira/rest/api/2/myself":                             `{"name":"frank","displayName":"Frank","active":true}`,
	"acme.atlassian.net/wiki/rest/api/user/current":                   `{"type":"known","accountId":"1","publicName":"Frank","displayName":"Frank"}`,
	"api.atlassian.com/ex/confluence/11aa/wiki/rest/api/user/current": `{"type":"known","accountId":"1","publicName":"Frank","displayName":"Frank"}`,
	"api.atlassian.com/ex/confluence/11aa/wiki/api/v2/spaces":         `{"results":[],"_links":{"base":"https://gate.atlassian.net/wiki"}}`,
	"docs.example/rest/api/user/current":                              `{"type":"known","username":"frank","userKey":"1","displayName":"Frank"}`,
	"corp.example/a/redmine/users/current.json":                       `{"user":{"id":5,"login":"frank","firstname":"F","lastname":"R"}}`,
	"api.github.com/user":                                             `{"login":"frank","id":1}`,
	"code.example/api/v3/user":                                        `{"login":"frank","id":1}`,
	"know.example/w/api.php":                                          wikiInfo,
}

const wikiInfo = `{"batchcomplete":true,"query":{"general":{"mainpage":"Main Page","sitename":"Know","generator":"MediaWiki 1.39.17","case":"first-letter","articlepath":"/$1","scriptpath":"/w","script":"/w/index.php","server":"https://know.example"},"namespaces":{"0":{"id":0,"case":"first-letter","name":"","subpages":false,"content":true,"nonincludable":false},"14":{"id":14,"case":"first-letter","name":"Category","subpages":false,"content":false,"nonincludable":false,"canonical":"Category"}},"namespacealiases":[],"extensions":[],"userinfo":{"id":3,"name":"Frank"}}}`

func (w *atlas) RoundTrip(r *http.Request) (*http.Response, error) {
	at := r.URL.Host + r.URL.Path
	body, known := worldly[at]
	titles := r.URL.Query().Get("titles")
	if titles != "" {
		body, known = "", false
		at += "?titles=" + titles
	}
	status := http.StatusOK
	w.mu.Lock()
	if w.hosts == nil {
		w.hosts = map[string]bool{}
	}
	w.hosts[r.URL.Host] = true
	w.mu.Unlock()
	if !known {
		status, body = http.StatusNotFound, `{"message":"Not Found","errorMessages":["Issue does not exist or you do not have permission to see it."],"errors":{}}`
		w.mu.Lock()
		w.asked = append(w.asked, at)
		w.mu.Unlock()
	}
	h := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "X-Github-Request-Id": {"A:1"}, "X-Arequestid": {"1"}, "X-Request-Id": {"1"}}
	return &http.Response{StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

const worldwide = `sources:
  - {name: gh, provider: github, base_url: "https://api.github.com", default_project: acme/app, auth: {token_env: T}}
  - {name: ghe, provider: github, base_url: "https://code.example/api/v3", auth: {token_env: T}}
  - {name: jira, provider: jira, base_url: "https://acme.atlassian.net", auth: {token_env: T}}
  - {name: dc, provider: jira, base_url: "https://corp.example/jira", auth: {token_env: T}}
  - {name: gate, provider: jira, base_url: "https://api.atlassian.com/ex/jira/11aa", auth: {token_env: T}}
  - {name: docs, provider: confluence, base_url: "https://acme.atlassian.net/wiki", auth: {token_env: T}}
  - {name: olddocs, provider: confluence, base_url: "https://docs.example", auth: {token_env: T}}
  - {name: gatedocs, provider: confluence, base_url: "https://api.atlassian.com/ex/confluence/11aa/wiki", auth: {token_env: T}}
  - {name: red, provider: redmine, base_url: "https://corp.example/a/redmine", default_project: app, auth: {token_env: T}}
  - {name: know, provider: mediawiki, base_url: "https://know.example/w/api.php", auth: {token_env: T}}
  - {name: lab, provider: gitlab, base_url: "https://lab.example/git", auth: {token_env: T}}
  - {name: tea, provider: gitea, base_url: "https://corp.example/tea", auth: {token_env: T}}
retry: {max_attempts: 1, cooldown: 0s}
`

// lead is a link, and what is first asked for it.
type lead struct{ tool, link, asks string }

var leads = []lead{
	{"tracker_get_issue", "https://github.com/acme/web/issues/12", "api.github.com/repos/acme/web/issues/12"},
	{"tracker_get_issue", "https://github.com/acme/web/issues/12#issuecomment-5", "api.github.com/repos/acme/web/issues/12"},
	{"tracker_get_issue", "acme/web#12", "api.github.com/repos/acme/web/issues/12"},
	{"tracker_get_issue", "gh#12", "api.github.com/repos/acme/app/issues/12"},
	{"tracker_get_issue", "https://code.example/acme/wiki/issues/12", "code.example/api/v3/repos/acme/wiki/issues/12"},
	{"tracker_get_issue", "code.example/acme/app/issues/12", "code.example/api/v3/repos/acme/app/issues/12"},
	{"repo_get_change", "https://github.com/acme/app/pull/7/files", "api.github.com/repos/acme/app/pulls/7"},
	{"repo_get_change", "https://code.example/acme/app/commit/abcdef1", "code.example/api/v3/repos/acme/app/commits/abcdef1"},
	{"repo_get_change", "acme/app@abcdef1234", "api.github.com/repos/acme/app/commits/abcdef1234"},
	{"docs_read", "https://github.com/acme/app/blob/main/docs/guide.md#set-up", "api.github.com/repos/acme/app/contents/docs/guide.md"},
	{"docs_read", "acme/web@main:docs/guide.md", "api.github.com/repos/acme/web/contents/docs/guide.md"},
	{"resolve_reference", "main:src/a.go#L10", "api.github.com/repos/acme/app/contents/src/a.go"},
	{"tracker_get_issue", "https://acme.atlassian.net/browse/PAY-12?focusedCommentId=3", "acme.atlassian.net/rest/api/3/issue/PAY-12"},
	{"tracker_get_issue", "https://acme.atlassian.net/jira/software/c/projects/PAY/boards/1?selectedIssue=PAY-12", "acme.atlassian.net/rest/api/3/issue/PAY-12"},
	{"tracker_get_issue", "https://acme.atlassian.net/jira/servicedesk/projects/PAY/queues/custom/1/PAY-12", "acme.atlassian.net/rest/api/3/issue/PAY-12"},
	{"tracker_get_issue", "https://acme.atlassian.net/servicedesk/customer/portal/3/PAY-12", "acme.atlassian.net/rest/api/3/issue/PAY-12"},
	{"tracker_get_issue", "https://acme.atlassian.net/rest/api/3/issue/PAY-12/comment", "acme.atlassian.net/rest/api/3/issue/PAY-12"},
	{"tracker_get_issue", "https://corp.example/jira/browse/pay-12", "corp.example/jira/rest/api/2/issue/PAY-12"},
	{"tracker_get_issue", "http://corp.example:80/jira/browse/PAY-12", "corp.example/jira/rest/api/2/issue/PAY-12"},
	{"tracker_get_issue", "corp.example/jira/projects/PAY/issues/PAY-12", "corp.example/jira/rest/api/2/issue/PAY-12"},
	{"tracker_get_issue", "dc:PAY-12", "corp.example/jira/rest/api/2/issue/PAY-12"},
	{"tracker_get_issue", "https://gate.atlassian.net/browse/PAY-12", "api.atlassian.com/ex/jira/11aa/rest/api/3/issue/PAY-12"},
	{"tracker_get_issue", "https://api.atlassian.com/ex/jira/11aa/rest/api/3/issue/PAY-12", "api.atlassian.com/ex/jira/11aa/rest/api/3/issue/PAY-12"},
	{"docs_read", "https://acme.atlassian.net/wiki/spaces/ENG/pages/101/Crane+manual?focusedCommentId=9", "acme.atlassian.net/wiki/api/v2/pages/101"},
	{"docs_read", "https://acme.atlassian.net/wiki/x/ZQ", "acme.atlassian.net/wiki/api/v2/pages/101"},
	{"docs_read", "https://acme.atlassian.net/wiki/pages/viewpage.action?pageId=101", "acme.atlassian.net/wiki/api/v2/pages/101"},
	{"docs_read", "https://acme.atlassian.net/wiki/spaces/ENG/pages/edit-v2/101", "acme.atlassian.net/wiki/api/v2/pages/101"},
	{"docs_read", "https://gate.atlassian.net/wiki/spaces/ENG/pages/101/Crane", "api.atlassian.com/ex/confluence/11aa/wiki/api/v2/pages/101"},
	{"resolve_reference", "https://docs.example/x/ZQ", "docs.example/rest/api/content/101"},
	{"resolve_reference", "https://docs.example/pages/viewpage.action?pageId=101", "docs.example/rest/api/content/101"},
	{"docs_read", "https://docs.example/display/ENG/Crane+manual", "docs.example/rest/api/space/ENG"},
	{"tracker_get_issue", "https://corp.example/a/redmine/issues/12#note-3", "corp.example/a/redmine/issues/12.json"},
	{"tracker_get_issue", "https://corp.example/a/redmine/issues/12.pdf", "corp.example/a/redmine/issues/12.json"},
	{"docs_read", "https://corp.example/a/redmine/projects/app/wiki/Set_Up/history", "corp.example/a/redmine/projects/app.json"},
	{"docs_read", "https://know.example/Crane_(bird)", "know.example/w/api.php?titles=Crane (bird)"},
	{"resolve_reference", "https://know.example/Crane/Nest", "know.example/w/api.php?titles=Crane/Nest"},
	{"docs_read", "https://know.example/w/index.php?title=Crane_(bird)&action=edit", "know.example/w/api.php?titles=Crane (bird)"},
	{"docs_read", "https://know.example/w/index.php/Crane_%28bird%29", "know.example/w/api.php?titles=Crane (bird)"},
}

// TestALinkLeadsToItsSource: each link asks for its object, at its source and no other.
func TestALinkLeadsToItsSource(t *testing.T) {
	for _, l := range leads {
		t.Run(l.tool+" "+l.link, func(t *testing.T) {
			w := &atlas{}
			r, v := ask(t, configured(t, worldwide, w), l.tool, argued(t, l.tool, l.link))
			if !slices.Contains(w.asked, l.asks) {
				t.Fatalf("asked %q, want %s\n%s", w.asked, l.asks, r.Text)
			}
			if !strings.Contains(l.link, "example/") && !strings.Contains(l.link, "://") {
				return // a text may be meant in several
			}
			server, _, _ := strings.Cut(l.asks, "/")
			for _, at := range w.asked {
				if !strings.HasPrefix(at, server+"/") {
					t.Errorf("asked %s too", at)
				}
			}
			for host := range w.hosts {
				if host != server {
					t.Errorf("asked %s too", host)
				}
			}
			if v.Status == "success" || v.Code == "INPUT_MISSING" || v.Failure.Reason == "connector_not_configured" {
				t.Errorf("%s", r.Text)
			}
		})
	}
}

func argued(t *testing.T, tool, link string) string {
	t.Helper()
	name := map[string]string{"resolve_reference": "reference", "repo_read_file": "path"}[tool]
	if name == "" {
		name = "ref"
	}
	raw, err := json.Marshal(map[string]string{name: link})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestALinkToElsewhereNamesItsProvider: nothing is asked, and what is missing is named;
// of an unknown host that it is unknown.
func TestALinkToElsewhereNamesItsProvider(t *testing.T) {
	for _, c := range []struct{ link, provider, says string }{
		{"https://github.example.org/a/b/issues/7", "github", "Add a source with provider: github for github.example.org"},
		{"https://gitlab.com/g/s/p/-/issues/4", "gitlab", "but not gitlab"},
		{"https://git.example.org/g/s/p/-/merge_requests/4", "gitlab", "but not gitlab"},
		{"https://git.example.org/g/p/-/issues/incident/4", "gitlab", "but not gitlab"},
		{"https://codeberg.org/a/b/src/branch/main/x.go#L3", "gitea", "but not gitea"},
		{"https://git.example.org/a/b/src/branch/main/x.go", "gitea", "but not gitea"},
		{"https://linear.app/acme/issue/ENG-1/a-slug", "linear", "but not linear"},
		{"https://linear.app/acme/document/notes-0a1b2c", "linear", "but not linear"},
		{"https://www.notion.so/acme/Crane-0123456789abcdef0123456789abcdef?pvs=4", "notion", "but not notion"},
		{"https://acme.notion.site/Crane-0123456789abcdef0123456789abcdef#fedcba9876543210fedcba9876543210", "notion", "but not notion"},
		{"https://other.atlassian.net/browse/PAY-12", "jira", "Add a source with provider: jira for other.atlassian.net"},
		{"https://other.atlassian.net/wiki/spaces/ENG/pages/101/Crane", "confluence", "provider: confluence for other.atlassian.net"},
		{"https://tickets.example.org/browse/PAY-12", "jira", "provider: jira for tickets.example.org"},
		{"https://r.example.org/issues/12", "redmine", "provider: redmine for r.example.org"},
		{"https://en.m.wikipedia.org/wiki/Crane_(bird)", "mediawiki", "provider: mediawiki for en.m.wikipedia.org"},
		{"https://git.example.org/a/b/issues/7", "git.example.org", "git.example.org is an unknown host"},
		{"https://trello.com/c/abc/1-card", "trello.com", "trello.com is an unknown host"},
	} {
		t.Run(c.link, func(t *testing.T) {
			a := configured(t, `sources: [{name: gh, provider: github, base_url: "https://api.github.com", auth: {token_env: T}}]`, roundTripper(func(r *http.Request) (*http.Response, error) {
				return nil, fmt.Errorf("asked %s", r.URL)
			}))
			for _, tool := range []string{"tracker_get_issue", "repo_get_change", "docs_read", "resolve_reference"} {
				r, v := ask(t, a, tool, argued(t, tool, "<"+c.link+">."))
				var more struct {
					Failure struct {
						APICalled string `json:"api_called"`
						Evidence  struct{ Provider, Host string }
					}
				}
				if err := json.Unmarshal(r.Structured, &more); err != nil {
					t.Fatal(err)
				}
				if v.Code != "CAPABILITY_UNAVAILABLE" || v.Failure.Reason != "connector_not_configured" || more.Failure.APICalled != "no" ||
					more.Failure.Evidence.Provider != c.provider || !strings.Contains(c.link, "/"+more.Failure.Evidence.Host+"/") || !strings.Contains(r.Text, c.says) {
					t.Errorf("%s: %s", tool, r.Text)
				}
			}
		})
	}
}

// TestTwoSitesBehindTheGateway: each is asked for its address, and the one that the link
// does not lead to has no part in the answer.
func TestTwoSitesBehindTheGateway(t *testing.T) {
	w := &atlas{}
	r, v := ask(t, configured(t, `sources:
  - {name: gate, provider: jira, base_url: "https://api.atlassian.com/ex/jira/11aa", auth: {token_env: T}}
  - {name: other, provider: jira, base_url: "https://api.atlassian.com/ex/jira/22bb", auth: {token_env: T}}
retry: {max_attempts: 1, cooldown: 0s}
`, w), "tracker_get_issue", `{"ref":"https://gate.atlassian.net/browse/PAY-12"}`)
	if slices.Contains(w.asked, "api.atlassian.com/ex/jira/22bb/rest/api/3/issue/PAY-12") || v.Failure.Reason == "connector_not_configured" || strings.Contains(r.Text, "other") {
		t.Errorf("asked %q: %s", w.asked, r.Text)
	}
}

// TestALinkBesideTheConfiguredPathSaysSo: the same host, and nothing there that is configured.
func TestALinkBesideTheConfiguredPathSaysSo(t *testing.T) {
	w := &atlas{}
	a := configured(t, worldwide, w)
	r, v := ask(t, a, "tracker_get_issue", `{"ref":"https://corp.example/browse/PAY-12"}`)
	if v.Failure.Reason != "connector_not_configured" || !strings.Contains(r.Text, "configured for https://corp.example/jira:") || !strings.Contains(r.Text, "base_url") || len(w.asked) > 0 {
		t.Errorf("asked %q: %s", w.asked, r.Text)
	}
	if r, v := ask(t, a, "tracker_get_issue", `{"ref":"https://corp.example/jira/browse/PAY-12","source":"jira"}`); v.Code != "INPUT_MISSING" || len(w.asked) > 0 {
		t.Errorf("asked %q: %s", w.asked, r.Text)
	}
}

// TestALinkToAFolderBelowASourceIsNotItsOwn: another server of that product answers there.
func TestALinkToAFolderBelowASourceIsNotItsOwn(t *testing.T) {
	for _, link := range []string{
		"https://corp.example/a/redmine/team/issues/12", "https://corp.example/a/redmine/team/projects/app/wiki/Set_Up",
		"https://corp.example/jira/team/browse/PAY-12", "https://docs.example/team/display/ENG/Crane+manual", "https://docs.example/team/pages/viewpage.action?pageId=101",
	} {
		for _, tool := range []string{"resolve_reference", "tracker_get_issue", "docs_read"} {
			w := &atlas{}
			r, v := ask(t, configured(t, worldwide, w), tool, argued(t, tool, link))
			if v.Failure.Reason != "connector_not_configured" || len(w.asked) > 0 {
				t.Errorf("%s of %s asked %q: %s", tool, link, w.asked, r.Text)
			}
		}
	}
	w := &atlas{}
	team := strings.Replace(worldwide, "retry:", "  - {name: team, provider: redmine, base_url: \"https://corp.example/a/redmine/team\", auth: {token_env: T}}\nretry:", 1)
	ask(t, configured(t, team, w), "tracker_get_issue", `{"ref":"https://corp.example/a/redmine/team/issues/12"}`)
	if len(w.asked) == 0 || slices.ContainsFunc(w.asked, func(at string) bool { return !strings.HasPrefix(at, "corp.example/a/redmine/team/") }) {
		t.Errorf("asked %q", w.asked)
	}
}

// TestAnotherWikiOfTheHostIsNotAsked for the page of that name.
func TestAnotherWikiOfTheHostIsNotAsked(t *testing.T) {
	for _, link := range []string{"https://know.example/de/index.php?title=Crane", "https://know.example/de/index.php/Crane"} {
		for _, tool := range []string{"docs_read", "resolve_reference"} {
			w := &atlas{}
			if r, v := ask(t, configured(t, worldwide, w), tool, argued(t, tool, link)); v.Failure.Reason != "connector_not_configured" || len(w.asked) > 0 {
				t.Errorf("%s of %s asked %q: %s", tool, link, w.asked, r.Text)
			}
		}
	}
}

// TestAKeyIsAskedInEverySourceThatCanHaveIt, and a foreign site's key in none.
func TestAKeyIsAskedInEverySourceThatCanHaveIt(t *testing.T) {
	w := &atlas{}
	ask(t, configured(t, worldwide, w), "resolve_reference", `{"reference":"PAY-12"}`)
	slices.Sort(w.asked)
	asked := strings.Join(w.asked, " ")
	for _, at := range []string{"acme.atlassian.net/rest/api/3/issue/PAY-12", "corp.example/jira/rest/api/2/issue/PAY-12", "api.atlassian.com/ex/jira/11aa/rest/api/3/issue/PAY-12"} {
		if !strings.Contains(asked, at) {
			t.Errorf("%s was not asked: %s", at, asked)
		}
	}
	for _, link := range []string{"https://other.atlassian.net/browse/PAY-12", "https://other.atlassian.net/wiki/spaces/ENG/pages/101"} {
		for _, tool := range []string{"resolve_reference", "tracker_get_issue", "docs_read"} {
			w := &atlas{}
			r, v := ask(t, configured(t, worldwide, w), tool, argued(t, tool, link))
			if len(w.asked) > 0 || v.Code != "CAPABILITY_UNAVAILABLE" {
				t.Errorf("%s of %s asked %q: %s", tool, link, w.asked, r.Text)
			}
		}
	}
}

// TestAKeyIsNobodysNumber: PAY-12 is not the 12 of a tracker that counts, whoever is
// asked for it and in whatever case, neither to read nor to change.
func TestAKeyIsNobodysNumber(t *testing.T) {
	for _, key := range []string{"PAY-12", "pay-12", "v2-12", "bd-12"} {
		for _, tool := range []string{"tracker_get_issue", "tracker_add_comment", "tracker_update_issue"} {
			for _, source := range []string{"red", "gh"} {
				w := &atlas{}
				more := map[string]string{"tracker_add_comment": `,"body":"B"`, "tracker_update_issue": `,"state":"closed"`}[tool]
				r, v := ask(t, configured(t, worldwide+"writes: true\n", w), tool, fmt.Sprintf(`{"ref":%q,"source":%q%s}`, key, source, more))
				if v.Code != "INPUT_MISSING" || len(w.asked) > 0 {
					t.Errorf("%s of %s in %s asked %q: %s", tool, key, source, w.asked, r.Text)
				}
			}
		}
	}
	w := &atlas{}
	ask(t, configured(t, worldwide, w), "tracker_get_issue", `{"ref":"pay-12"}`)
	asked := strings.Join(w.asked, " ")
	if strings.Contains(asked, "/12") || strings.Count(asked, "issue/PAY-12") != 3 {
		t.Errorf("asked %q", w.asked)
	}
}

// TestWhatOnlyLooksLikeAKeyIsAName if no tracker has that key.
func TestWhatOnlyLooksLikeAKeyIsAName(t *testing.T) {
	w := &atlas{}
	ask(t, configured(t, worldwide, w), "resolve_reference", `{"reference":"release-2"}`)
	for _, at := range []string{"api.github.com/repos/acme/app/commits/release-2", "know.example/w/api.php?titles=release-2", "acme.atlassian.net/rest/api/3/issue/RELEASE-2"} {
		if !slices.Contains(w.asked, at) {
			t.Errorf("%s was not asked: %q", at, w.asked)
		}
	}
}
