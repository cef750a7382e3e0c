package github_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/connectors/github"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/replay"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestCases runs every recorded case: the catalogue's rows by their ids.
func TestCases(t *testing.T) {
	replay.Each(t, "testdata/*.txtar", runCase)
}

// noon is when every case happens.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const secret = "ghp_donotshow"

func runCase(t *testing.T, c replay.Case) {
	src := open(t, c.Config, replay.Transport(t, c.Exchanges))
	cursor := ""
	for i, call := range c.Calls {
		e, next := ask(t, src, call, cursor)
		cursor = next
		got, err := e.Structured()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Wants[i].Check(got) {
			t.Errorf("call %d: %s", i+1, d)
		}
		if text := string(got) + e.Text(); strings.Contains(text, secret) {
			t.Error("the token is in the answer")
		}
		if t.Failed() {
			t.Logf("%s", got)
		}
	}
}

// open makes the source of a case: the first of its configuration.
func open(t *testing.T, config string, rt http.RoundTripper) connectors.Source {
	t.Helper()
	type source struct {
		Name           string         `yaml:"name"`
		Provider       string         `yaml:"provider"`
		BaseURL        string         `yaml:"base_url"`
		DefaultProject string         `yaml:"default_project"`
		Auth           map[string]any `yaml:"auth"`
		Only           []string       `yaml:"only"`
	}
	var file struct {
		Sources []source `yaml:"sources"`
	}
	if err := yaml.UnmarshalWithOptions([]byte(config), &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	s := source{Name: "github", DefaultProject: "acme/app"}
	if len(file.Sources) > 0 {
		s = file.Sources[0]
	}
	if s.BaseURL == "" {
		s.BaseURL = "https://api.github.com"
	}
	now := func() time.Time { return noon }
	o := upstream.Options{
		Source: s.Name, BaseURL: s.BaseURL, Transport: rt, Classify: github.Provider.Classify, Now: now, Retry: upstream.Retry{MaxAttempts: 1},
	}
	anonymous := s.Auth["none"] == true
	if !anonymous {
		o.Credential = upstream.BearerToken(func(context.Context) (string, *status.Failure) { return secret, nil })
	}
	client, f := upstream.New(o)
	if f != nil {
		t.Fatal(f.Reason())
	}
	src, f := github.Provider.Open(connectors.Setup{
		Name: s.Name, BaseURL: s.BaseURL, DefaultProject: s.DefaultProject, Anonymous: anonymous, Only: s.Only, Upstream: client, Now: now,
	})
	if f != nil {
		t.Fatal(f.Reason())
	}
	return src
}

// arguments are those of all tools that the cases call.
type arguments struct {
	Query        string    `json:"query"`
	Project      string    `json:"project"`
	State        string    `json:"state"`
	Assignee     string    `json:"assignee"`
	Author       string    `json:"author"`
	Labels       []string  `json:"labels"`
	UpdatedSince time.Time `json:"updated_since"`
	NativeQuery  string    `json:"native_query"`
	Ref          string    `json:"ref"`
	Include      []string  `json:"include"`
	What         string    `json:"what"`
	Repo         string    `json:"repo"`
	Path         string    `json:"path"`
	Revision     string    `json:"revision"`
	Recursive    bool      `json:"recursive"`
	StartLine    int       `json:"start_line"`
	EndLine      int       `json:"end_line"`
	Since        time.Time `json:"since"`
	Until        time.Time `json:"until"`
	Text         string    `json:"text"`
	Space        string    `json:"space"`
	Parent       string    `json:"parent"`
	Section      string    `json:"section"`
	Limit        int       `json:"limit"`
	Cursor       string    `json:"cursor"` // "next" goes on from the call before
}

func (a arguments) has(part string) bool {
	for _, p := range a.Include {
		if p == part {
			return true
		}
	}
	return false
}

func (a arguments) paging() connectors.Paging {
	return connectors.Paging{Limit: max(a.Limit, 0), Cursor: a.Cursor}
}

// ask stands in for the public tools. It returns the envelope and the cursor.
func ask(t *testing.T, src connectors.Source, call replay.Call, cursor string) (status.Envelope, string) {
	t.Helper()
	var a arguments
	if len(call.Arguments) > 0 {
		if err := json.Unmarshal(call.Arguments, &a); err != nil {
			t.Fatal(err)
		}
	}
	if a.Cursor == "next" {
		a.Cursor = cursor
	}
	switch a.Project { // as the tools do
	case "":
		a.Project = src.DefaultProject
	case "*":
		a.Project = ""
	}
	r, err := ref.Parse(a.Ref)
	if err != nil && a.Ref != "" {
		t.Fatal(err)
	}
	ctx := t.Context()
	switch call.Tool {
	case "tracker_search":
		return seal(src.Tracker.Search(ctx, connectors.IssueQuery{
			Text: a.Query, Project: a.Project, State: a.State, Assignee: a.Assignee, Author: a.Author, Labels: a.Labels,
			UpdatedSince: a.UpdatedSince, Native: a.NativeQuery, Paging: a.paging(),
		}))
	case "tracker_get_issue":
		return seal(src.Tracker.Get(ctx, connectors.IssueGet{
			Ref: r, Comments: a.has("comments"), Links: a.has("links"), History: a.has("history"), Cursor: a.Cursor,
		}))
	case "tracker_describe":
		return seal(src.Tracker.Describe(ctx, connectors.DescribeQuery{Project: a.Project}))
	}
	return askRepo(t, src, call.Tool, a, r)
}

func askRepo(t *testing.T, src connectors.Source, tool string, a arguments, r ref.Ref) (status.Envelope, string) {
	t.Helper()
	ctx := t.Context()
	switch tool {
	case "repo_search_code":
		return seal(src.Repo.SearchCode(ctx, connectors.CodeQuery{Text: a.Query, Repo: a.Repo, Path: a.Path, Revision: a.Revision, Paging: a.paging()}))
	case "repo_read_file":
		return seal(src.Repo.ReadFile(ctx, connectors.FileGet{Repo: a.Repo, Path: a.Path, Revision: a.Revision, StartLine: a.StartLine, EndLine: a.EndLine}))
	case "repo_list":
		return seal(src.Repo.List(ctx, connectors.RepoList{
			What: a.What, Repo: a.Repo, Path: a.Path, Revision: a.Revision, Recursive: a.Recursive, Paging: a.paging(),
		}))
	case "repo_get_change":
		return seal(src.Repo.GetChange(ctx, connectors.ChangeGet{
			Ref: r, Files: a.has("files"), Diff: a.has("diff"), Comments: a.has("comments"), Reviews: a.has("reviews"), Checks: a.has("checks"), Cursor: a.Cursor,
		}))
	case "repo_history":
		return seal(src.Repo.History(ctx, connectors.HistoryQuery{
			Repo: a.Repo, Path: a.Path, Revision: a.Revision, Author: a.Author, Since: a.Since, Until: a.Until, Text: a.Text, Paging: a.paging(),
		}))
	case "docs_search":
		return seal(src.Docs.Search(ctx, connectors.PageQuery{Text: a.Query, Space: a.Space, Paging: a.paging()}))
	case "docs_read":
		return seal(src.Docs.Read(ctx, connectors.PageGet{Ref: r, Section: a.Section}))
	case "docs_list":
		return seal(src.Docs.List(ctx, connectors.PageList{Space: a.Space, Parent: a.Parent, Paging: a.paging()}))
	}
	t.Fatalf("no tool %s", tool)
	return status.Envelope{}, ""
}

func seal[T any](r status.Result[T]) (status.Envelope, string) {
	next := ""
	for _, row := range r.Rows() {
		next += row.NextCursor
	}
	return r.Envelope(status.Question{One: "item", Many: "items", NextCursor: next}), next
}
