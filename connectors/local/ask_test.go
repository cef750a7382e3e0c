package local_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/server"
	"github.com/frank-mcp/frank/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// frank is frank as its clients have it, with one local source called here. The
// tests ask it through its tools and read the structured channel of its answers.
type frank struct {
	testing.TB
	app *app.App
}

// start wires frank with a source here, which s describes further.
func start(t testing.TB, s config.Source) *frank {
	t.Helper()
	return wired(t, config.Config{Sources: []config.Source{s}})
}

// wired wires frank with the one source of a configuration, which is called here.
func wired(t testing.TB, c config.Config) *frank {
	t.Helper()
	c.Sources[0].Name, c.Sources[0].Provider = "here", config.Local
	c.Retry, c.IdempotencyWindow = config.DefaultRetry(), config.DefaultIdempotencyWindow
	a, err := app.New(&c, app.Options{Version: "test", Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	return &frank{t, a}
}

// alter puts another source in the place of here. It is for failures and limits
// that no directory can produce for every user: they are put under the source,
// and the question still goes through the tools.
func (f *frank) alter(change func(connectors.Source) connectors.Source) *frank {
	f.app.Deps.Sources[0] = change(f.app.Deps.Sources[0])
	return f
}

// arguments of a call; those that are zero are left out.
type arguments map[string]any

func (a arguments) json(t testing.TB) json.RawMessage {
	t.Helper()
	var parts []string
	for name, value := range a {
		if reflect.ValueOf(value).IsZero() {
			continue
		}
		if at, ok := value.(time.Time); ok {
			value = at.Format(time.RFC3339Nano)
		}
		b, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := value.(string); ok && !utf8.ValidString(s) { // as it is, not replaced
			b = []byte(`"` + s + `"`)
		}
		parts = append(parts, `"`+name+`":`+string(b))
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// answer is what a question got, in the terms of the catalogue.
type answer[T any] struct {
	t          testing.TB
	status     status.Status
	code       status.Code
	reason     string
	retry      bool
	items      []T
	next       string
	unproven   []string
	candidates []status.Candidate
	facts      map[string]json.RawMessage
	said       string // the whole structured channel
	called     string // whether the source was asked
}

// ask calls a tool and takes its answer, which has to be sound, apart.
func ask[T any](ctx context.Context, f *frank, tool string, args arguments) answer[T] {
	f.Helper()
	return parse[T](f, f.app.Call(ctx, tool, args.json(f)))
}

func parse[T any](t testing.TB, r server.Reply) answer[T] {
	t.Helper()
	contracttest.Sound(t, r)
	var v struct {
		Status, Code string
		Failure      struct {
			Reason     string
			Called     string `json:"api_called"`
			Retryable  bool
			Evidence   map[string]json.RawMessage
			Candidates []status.Candidate
		}
		Data struct {
			Items []T
			Item  *T
		}
		Coverage struct {
			Unproven []string
			Next     string `json:"next_cursor"`
		}
	}
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatalf("%v in %s", err, r.Structured)
	}
	a := answer[T]{t: t, reason: v.Failure.Reason, called: v.Failure.Called, retry: v.Failure.Retryable, items: v.Data.Items, next: v.Coverage.Next,
		unproven: v.Coverage.Unproven, candidates: v.Failure.Candidates, facts: v.Failure.Evidence, said: string(r.Structured)}
	if v.Data.Item != nil {
		a.items = append(a.items, *v.Data.Item)
	}
	a.status, _ = status.ParseStatus(v.Status) // Sound has parsed both
	a.code, _ = status.ParseCode(v.Code)
	return a
}

// is fails the test unless the verdict is this one, which no repetition changes.
func (a answer[T]) is(s status.Status, c status.Code, reason string, items int) answer[T] {
	a.t.Helper()
	a.retries(false)
	return a.was(s, c, reason, items)
}

// retriable is [answer.is] for what a repetition may change.
func (a answer[T]) retriable(s status.Status, c status.Code, reason string, items int) answer[T] {
	a.t.Helper()
	a.retries(true)
	return a.was(s, c, reason, items)
}

func (a answer[T]) was(s status.Status, c status.Code, reason string, items int) answer[T] {
	a.t.Helper()
	if a.status != s || a.code != c || a.reason != reason || len(a.items) != items {
		a.t.Fatalf("got %s/%s %q with %d items, want %s/%s %q with %d\n%s", a.status, a.code, a.reason, len(a.items), s, c, reason, items, a.said)
	}
	return a
}

func (a answer[T]) retries(want bool) {
	a.t.Helper()
	if a.retry != want {
		a.t.Fatalf("retryable %t for %s, want %t", a.retry, a.reason, want)
	}
}

// fact is the evidence of that name, a text without its quotes.
func (a answer[T]) fact(name string) string { return strings.Trim(string(a.facts[name]), `"`) }

// verdict is status, code and reason in one line.
func (a answer[T]) verdict() string {
	return strings.TrimSpace(a.status.String() + " " + a.code.String() + " " + a.reason)
}

// offered are the references of the candidates.
func (a answer[T]) offered() string {
	var refs []string
	for _, c := range a.candidates {
		refs = append(refs, c.Ref)
	}
	return strings.Join(refs, " ")
}

// refs are the references of the items in order.
func refs[T connectors.Item](a answer[T]) string {
	var out []string
	for _, i := range a.items {
		out = append(out, i.Candidate().Ref)
	}
	return strings.Join(out, " ")
}

func want(t testing.TB, got, wanted string) {
	t.Helper()
	if got != wanted {
		t.Errorf("got  %s\nwant %s", got, wanted)
	}
}

// The questions about the repository.

func search(t testing.TB, f *frank, q connectors.CodeQuery) answer[connectors.CodeHit] {
	t.Helper()
	return ask[connectors.CodeHit](t.Context(), f, "repo_search_code", arguments{
		"query": q.Text, "repo": q.Repo, "path": q.Path, "revision": q.Revision, "limit": q.Limit, "cursor": q.Cursor,
	})
}

func readFile(t testing.TB, f *frank, q connectors.FileGet) answer[connectors.File] {
	t.Helper()
	return ask[connectors.File](t.Context(), f, "repo_read_file", arguments{
		"path": q.Path, "repo": q.Repo, "revision": q.Revision, "start_line": q.StartLine, "end_line": q.EndLine,
	})
}

func list(t testing.TB, f *frank, q connectors.RepoList) answer[connectors.Entry] {
	t.Helper()
	return ask[connectors.Entry](t.Context(), f, "repo_list", arguments{
		"what": q.What, "repo": q.Repo, "path": q.Path, "revision": q.Revision, "recursive": q.Recursive, "limit": q.Limit, "cursor": q.Cursor,
	})
}

func change(t testing.TB, f *frank, q connectors.ChangeGet) answer[connectors.Change] {
	t.Helper()
	var include []string
	for _, part := range []struct {
		name   string
		wanted bool
	}{{"files", q.Files}, {"diff", q.Diff}, {"comments", q.Comments}, {"reviews", q.Reviews}, {"checks", q.Checks}} {
		if part.wanted {
			include = append(include, part.name)
		}
	}
	return ask[connectors.Change](t.Context(), f, "repo_get_change", arguments{"ref": q.Ref.Raw, "include": include, "cursor": q.Cursor})
}

func history(t testing.TB, f *frank, q connectors.HistoryQuery) answer[connectors.Commit] {
	t.Helper()
	return ask[connectors.Commit](t.Context(), f, "repo_history", arguments{
		"repo": q.Repo, "path": q.Path, "revision": q.Revision, "author": q.Author, "since": q.Since, "until": q.Until, "text": q.Text,
		"limit": q.Limit, "cursor": q.Cursor,
	})
}

// The questions about documents.

func find(f *frank, text string) answer[connectors.Page] {
	f.Helper()
	return findFrom(f, text, connectors.Paging{})
}

func findFrom(f *frank, text string, p connectors.Paging) answer[connectors.Page] {
	f.Helper()
	return ask[connectors.Page](f.Context(), f, "docs_search", arguments{"query": text, "limit": p.Limit, "cursor": p.Cursor})
}

// shelved lists documents. The source is named, so that it is asked about folders
// that it does not have.
func shelved(f *frank, space, parent string) answer[connectors.Page] {
	f.Helper()
	return ask[connectors.Page](f.Context(), f, "docs_list", arguments{"space": space, "parent": parent, "source": "here"})
}

func read(f *frank, name, section string) answer[connectors.Page] {
	f.Helper()
	return ask[connectors.Page](f.Context(), f, "docs_read", arguments{"ref": name, "section": section})
}

// The questions about issues.

// issues searches the tracker. The source is named, so that it is asked about
// projects that it does not have, and the project is given where nothing else is.
func issues(f *frank, q connectors.IssueQuery) answer[connectors.Issue] {
	f.Helper()
	if q.Project == "" && q.Text == "" {
		q.Project = "here"
	}
	return ask[connectors.Issue](f.Context(), f, "tracker_search", arguments{
		"source": "here", "query": q.Text, "project": q.Project, "state": q.State, "assignee": q.Assignee, "author": q.Author,
		"labels": q.Labels, "updated_since": q.UpdatedSince, "native_query": q.Native, "limit": q.Limit, "cursor": q.Cursor,
	})
}

func get(f *frank, name string, include ...string) answer[connectors.Issue] {
	f.Helper()
	if include == nil {
		include = []string{"comments", "links"}
	}
	return ask[connectors.Issue](f.Context(), f, "tracker_get_issue", arguments{"ref": name, "include": include})
}

// manifest is what the manifest says of the source, probed now.
func manifest(f *frank) app.ManifestSource {
	f.Helper()
	a := ask[app.Manifest](f.Context(), f, "list_capabilities", arguments{"refresh": true})
	if len(a.items) != 1 || len(a.items[0].Sources) != 1 {
		f.Fatalf("no manifest of one source: %s", a.said)
	}
	return a.items[0].Sources[0]
}

// capability is what the manifest says of one capability.
func capability(f *frank, id connectors.Capability) app.ManifestCapability {
	f.Helper()
	for _, c := range manifest(f).Capabilities {
		if c.ID == id {
			return c
		}
	}
	f.Fatalf("the manifest lacks %s", id)
	return app.ManifestCapability{}
}

func commitRef(name string) ref.Ref { return ref.Ref{Raw: name} }

func compareRef(base, head string, three bool) ref.Ref {
	if three {
		return ref.Ref{Raw: base + "..." + head}
	}
	return ref.Ref{Raw: base + ".." + head}
}

// titles are the titles of commits in order.
func titles(items []connectors.Commit) string {
	var out []string
	for _, c := range items {
		out = append(out, c.Title)
	}
	return strings.Join(out, " ")
}

func paths[T any](items []T, of func(T) string) string {
	var out []string
	for _, i := range items {
		out = append(out, of(i))
	}
	return strings.Join(out, " ")
}

func hitPath(h connectors.CodeHit) string { return h.Path }
func entryRef(e connectors.Entry) string  { return e.Ref }
