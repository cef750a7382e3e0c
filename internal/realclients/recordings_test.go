//go:build realclients

package realclients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// answer is what frank call --json prints, as far as it is looked at here.
type answer struct {
	Status, Code, Summary string
	Failure               struct {
		Reason    string
		Retryable bool
		Evidence  struct {
			HTTPStatus int `json:"http_status"`
		}
	}
	Data struct {
		Items []item
		Item  *item
	}
	Coverage struct {
		Unproven   []string
		NextCursor string `json:"next_cursor"`
	}
	exit int
}

type item struct {
	Ref, Title, State, Text string
	Labels                  []string
}

func (a answer) verdict() string {
	v := a.Status + " " + a.Code
	if a.Failure.Reason != "" {
		v += " " + a.Failure.Reason
	}
	return v
}

func (a answer) refs() []string {
	var out []string
	for _, i := range a.Data.Items {
		out = append(out, i.Ref)
	}
	return out
}

// ask puts one question through the command.
func ask(t *testing.T, p place, base, tool string, arguments ...string) answer {
	t.Helper()
	config := fmt.Sprintf("sources:\n  - name: github\n    provider: github\n    base_url: %s\n    auth: {token_env: GITHUB_TOKEN}\nretry: {max_attempts: 1}\n", base)
	if err := os.WriteFile(filepath.Join(p.dir, "frank.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p.env = append(slices.Clip(p.env), "GITHUB_TOKEN="+token)
	o := p.run(t, append([]string{programs.frank, "call", "--json", tool}, arguments...)...)
	var a answer
	if err := json.Unmarshal([]byte(o.stdout), &a); err != nil {
		t.Fatalf("%v: %v", err, o)
	}
	if strings.Contains(o.stdout+o.stderr, token) {
		t.Errorf("the token is in the answer: %v", o)
	}
	a.exit = o.status
	t.Logf("%s %s: %s: %s", tool, strings.Join(arguments, " "), a.verdict(), a.Summary)
	return a
}

const org = "octokit-fixture-org"

// issuesAt is how frank asks for a page of a recorded listing of issues.
func issuesAt(page string) exchange {
	const ask = "GET /repos/" + org + "/paginate-issues/issues?direction=desc&"
	if page == "" {
		return exchange{ask: ask + "per_page=20&sort=updated&state=all", scenario: "paginate-issues",
			recorded: "GET /repos/" + org + "/paginate-issues/issues?per_page=3"}
	}
	return exchange{ask: ask + "page=" + page + "&per_page=3&sort=updated&state=all", scenario: "paginate-issues",
		recorded: "GET /repositories/1000/issues?per_page=3&page=" + page}
}

func TestRecordedIssuesArePagedToTheEnd(t *testing.T) {
	p, r := newPlace(t), newRelay(t)
	base := r.begin(t, []exchange{issuesAt(""), issuesAt("2"), issuesAt("3"), issuesAt("4"), issuesAt("5")})
	var got []string
	cursor := []string(nil)
	for page := 1; page <= 5; page++ {
		a := ask(t, p, base, "tracker_search", append([]string{"project=" + org + "/paginate-issues", "limit=3"}, cursor...)...)
		got = append(got, a.refs()...)
		cursor = []string{"cursor=" + a.Coverage.NextCursor}
		last := page == 5
		switch {
		case last && (a.verdict() != "success NONE" || a.exit != 0 || a.Coverage.NextCursor != ""):
			t.Errorf("the last page: %+v", a)
		case !last && (a.verdict() != "partial NONE" || a.exit != 3 || a.Coverage.NextCursor == ""):
			t.Fatalf("page %d: %+v", page, a)
		}
	}
	var want []string
	for n := 13; n > 0; n-- {
		want = append(want, fmt.Sprintf("%s/paginate-issues#%d", org, n))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	r.wantEnd(t)
}

func TestRecordedIssuesAreWalkedInOneCall(t *testing.T) {
	p, r := newPlace(t), newRelay(t)
	base := r.begin(t, []exchange{issuesAt(""), issuesAt("2"), issuesAt("3"), issuesAt("4"), issuesAt("5")})
	a := ask(t, p, base, "tracker_search", "project="+org+"/paginate-issues")
	if a.verdict() != "success NONE" || len(a.Data.Items) != 13 || a.Data.Items[12].Title != "Test issue 1" {
		t.Errorf("%+v", a)
	}
	r.wantEnd(t)
}

func TestRecordedIssueIsRead(t *testing.T) {
	p, r := newPlace(t), newRelay(t)
	x := issuesAt("")
	x.ask, x.shape = "GET /repos/"+org+"/paginate-issues/issues/13", firstRow
	a := ask(t, p, r.begin(t, []exchange{x}), "tracker_get_issue", "ref="+org+"/paginate-issues#13")
	if i := a.Data.Item; a.verdict() != "success NONE" || i == nil || i.Ref != org+"/paginate-issues#13" || i.Title != "Test issue 13" || i.State != "open" {
		t.Errorf("%+v", a)
	}
	r.wantEnd(t)
}

func TestRecordedSearchFindsBothIssues(t *testing.T) {
	p, r := newPlace(t), newRelay(t)
	base := r.begin(t, []exchange{{
		ask:      "GET /search/issues?order=desc&per_page=20&q=is%3Aissue+%22sesame%22+repo%3A" + org + "%2Fsearch-issues&sort=updated",
		scenario: "search-issues", recorded: "GET /search/issues?q=sesame%20repo%3A" + org + "%2Fsearch-issues",
	}})
	a := ask(t, p, base, "tracker_search", "query=sesame", "project="+org+"/search-issues")
	if a.verdict() != "success NONE" || a.exit != 0 || len(a.Data.Items) != 2 {
		t.Errorf("%+v", a)
	}
	r.wantEnd(t)
}

// The only recorded refusal is that of a label with a colour that is none; the
// answer has the form that GitHub gives it at every address.
func TestRecordedValidationErrorIsNoAbsence(t *testing.T) {
	p, r := newPlace(t), newRelay(t)
	base := r.begin(t, []exchange{{
		ask:      "GET /search/issues?order=desc&per_page=20&q=is%3Aissue+%22sesame%22+repo%3A" + org + "%2Ferrors&sort=updated",
		scenario: "errors", recorded: "POST /repos/" + org + "/errors/labels", body: `{"name":"foo","color":"invalid"}`,
	}})
	a := ask(t, p, base, "tracker_search", "query=sesame", "project="+org+"/errors")
	if a.verdict() != "access_failure INPUT_MISSING query_refused" || a.exit != 4 || a.Failure.Retryable || a.Failure.Evidence.HTTPStatus != 422 {
		t.Errorf("%+v", a)
	}
	r.wantEnd(t)
}

// helloWorld is the recorded repository of that name, as frank asks for it.
var helloWorld = exchange{
	ask: "GET /repos/" + org + "/hello-world", scenario: "get-repository", recorded: "GET /repos/" + org + "/hello-world",
}

// contents is the recorded listing of its files.
var contents = exchange{
	ask: "GET /repos/" + org + "/hello-world/contents/README.md", scenario: "get-content",
	recorded: "GET /repos/" + org + "/hello-world/contents/",
}

func TestRecordedFileIsRead(t *testing.T) {
	p, r := newPlace(t), newRelay(t)
	entry := contents // a row of the listing says of a file all but its content
	entry.shape = firstRow
	base := r.begin(t, []exchange{entry, helloWorld, {
		ask: "GET /repos/" + org + "/hello-world/git/blobs/93a078d1c3f76aa1ca11def8f882a06df1d4a01b", scenario: "get-content",
		recorded: "GET /repos/" + org + "/hello-world/contents/README.md", accept: "application/vnd.github.v3.raw",
		shape: asBlob,
	}})
	a := ask(t, p, base, "repo_read_file", "repo="+org+"/hello-world", "path=README.md")
	if a.verdict() != "success NONE" || a.Data.Item == nil || a.Data.Item.Text != "# hello-world" {
		t.Errorf("%+v", a)
	}
	r.wantEnd(t)
}

func TestRecordedDirectoryIsNoFile(t *testing.T) {
	p, r := newPlace(t), newRelay(t)
	a := ask(t, p, r.begin(t, []exchange{contents}), "repo_read_file", "repo="+org+"/hello-world", "path=README.md")
	if a.Status != "access_failure" || a.Failure.Reason != "wrong_kind" || a.exit != 4 {
		t.Errorf("%+v", a)
	}
	r.wantEnd(t)
}

func TestRecordedAnswerOfAnotherMediaTypeIsNoFile(t *testing.T) {
	p, r := newPlace(t), newRelay(t)
	raw := exchange{
		ask: "GET /repos/" + org + "/hello-world/contents/README.md", scenario: "get-content",
		recorded: "GET /repos/" + org + "/hello-world/contents/README.md", accept: "application/vnd.github.v3.raw",
	}
	base := r.begin(t, []exchange{raw})
	r.advance(t, contents) // the recordings keep their order
	a := ask(t, p, base, "repo_read_file", "repo="+org+"/hello-world", "path=README.md")
	if a.verdict() != "access_failure SOURCE_UNRELIABLE not_json" || a.exit != 4 {
		t.Errorf("%+v", a)
	}
	r.wantEnd(t)
}

// Nothing but the labels is recorded of what frank asks to describe a project:
// they are there, and the answer says that the rest was not seen.
func TestRecordedLabelsAreDescribed(t *testing.T) {
	p, r := newPlace(t), newRelay(t)
	base := r.begin(t, []exchange{helloWorld, {
		ask: "GET /repos/" + org + "/hello-world/labels?per_page=100", scenario: "labels", recorded: "GET /repos/" + org + "/labels/labels",
	}})
	a := ask(t, p, base, "tracker_describe", "project="+org+"/hello-world")
	labels := []string{"bug", "documentation", "duplicate", "enhancement", "good first issue", "help wanted", "invalid", "question", "wontfix"}
	if a.Status != "partial" || a.exit != 3 || a.Data.Item == nil || !slices.Equal(a.Data.Item.Labels, labels) {
		t.Errorf("%+v", a)
	}
	r.wantEnd(t, "GET /repos/"+org+"/hello-world/milestones?per_page=100&state=all", "GET /repos/"+org+"/hello-world/assignees?per_page=100")
}

func TestRecordedRenamedRepositoryIsFollowed(t *testing.T) {
	p, r := newPlace(t), newRelay(t)
	const old, address = "GET /repos/" + org + "/rename-repository", "GET /repositories/1000"
	base := r.begin(t, []exchange{
		{ask: old, scenario: "rename-repository", recorded: old},
		{ask: address, scenario: "rename-repository", recorded: address},
	})
	// The recording begins with the renaming itself.
	r.advance(t, exchange{scenario: "rename-repository", recorded: "PATCH /repos/" + org + "/rename-repository", body: `{"name":"rename-repository-newname"}`})
	a := ask(t, p, base, "tracker_describe", "project="+org+"/rename-repository")
	if a.Status != "partial" || a.Data.Item == nil || a.Data.Item.Ref != org+"/rename-repository-newname" {
		t.Errorf("%+v", a)
	}
	const now = "GET /repos/" + org + "/rename-repository-newname/"
	r.wantEnd(t, now+"labels?per_page=100", now+"milestones?per_page=100&state=all", now+"assignees?per_page=100")
}
