package local

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// shelf is a directory of documents under test.
type shelf struct {
	testing.TB
	root string
}

func newShelf(t testing.TB, files ...string) *shelf {
	t.Helper()
	root := filepath.Join(t.TempDir(), "shelf")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &shelf{t, root}
	for i := 0; i+1 < len(files); i += 2 {
		s.put(files[i], files[i+1])
	}
	return s
}

func (s *shelf) put(name, text string) {
	s.Helper()
	at := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) link(target, name string) {
	s.Helper()
	if err := os.Symlink(target, filepath.Join(s.root, name)); err != nil {
		s.Fatal(err)
	}
}

// git makes the shelf a checkout of all that is in it.
func (s *shelf) git() {
	s.Helper()
	s.run("init", "-q", "-b", "main")
	s.run("add", "-A")
	s.run("commit", "-q", "--allow-empty", "-m", "all")
}

func (s *shelf) run(args ...string) {
	s.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir = s.root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func (s *shelf) source() connectors.Source {
	s.Helper()
	src, failure := Provider.Open(connectors.Setup{Name: "here", Root: s.root, Now: noon})
	if failure != nil {
		s.Fatal(failure.Because())
	}
	return src
}

func (s *shelf) docs() *documents { return s.source().Docs.(*documents) }

// faulty is a volume that fails where it is told to.
type faulty struct {
	volume
	fails map[string]error
}

func (f faulty) Open(name string) (fs.ReadDirFile, error) {
	if err := f.fails[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.volume.Open(name)
}

// failing puts failures in front of the shelf.
func (s *shelf) failing(fails map[string]error) *documents {
	d := s.docs()
	own := *d.tree
	own.mount = func(root string) (volume, error) {
		v, err := mountRoot(root)
		return faulty{v, fails}, err
	}
	return &documents{&own}
}

// verdict is status, code and reasons in one line.
func verdict[T any](r status.Result[T]) string {
	s, c := r.Verdict()
	words := []string{s.String(), c.String()}
	for _, row := range r.Rows() {
		for _, f := range row.Failures {
			words = append(words, f.Reason().Name())
		}
	}
	return strings.Join(words, " ")
}

func paths(r status.Result[connectors.Page]) string {
	var out []string
	for _, p := range r.Items() {
		out = append(out, p.Ref)
	}
	return strings.Join(out, " ")
}

func want(t testing.TB, got, wanted string) {
	t.Helper()
	if got != wanted {
		t.Errorf("got  %s\nwant %s", got, wanted)
	}
}

func find(d connectors.Docs, text string) status.Result[connectors.Page] {
	return d.Search(context.Background(), connectors.PageQuery{Text: text, Paging: connectors.Paging{Limit: 20}})
}

func list(d connectors.Docs, space, parent string) status.Result[connectors.Page] {
	return d.List(context.Background(), connectors.PageList{Space: space, Parent: parent, Paging: connectors.Paging{Limit: 20}})
}

func read(t testing.TB, d connectors.Docs, name, section string) status.Result[connectors.Page] {
	t.Helper()
	r, err := ref.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	if section == "" {
		section = r.Anchor
	}
	return d.Read(context.Background(), connectors.PageGet{Ref: r, Section: section})
}

func TestSearchFindsAndProvesAbsence(t *testing.T) {
	s := newShelf(t, "README.md", "# Shelf\n\nThe Café is\nopen.\n", "docs/a/b/deep.adoc", "= Deep\n\nneedle here\n",
		"notes.txt", "nothing", "x.rst", "Title\n=====\n\nneedle\n", "main.go", "package main // needle")
	d := s.docs()
	r := find(d, "NEEDLE") // LD-03: at any depth
	want(t, verdict(r), "success NONE")
	want(t, paths(r), "docs/a/b/deep.adoc x.rst")
	hit := r.Items()[0]
	at := hit.UpdatedAt
	hit.UpdatedAt = nil
	if at == nil || at.Location() != time.UTC {
		t.Errorf("updated_at %v is no UTC time", at)
	}
	if diff := cmp.Diff(connectors.Page{
		Origin: connectors.Origin{Source: "here", Ref: "docs/a/b/deep.adoc", Title: "Deep", Container: "shelf"},
		Space:  "docs", Format: "asciidoc", Line: 3, Snippet: "needle here",
	}, hit); diff != "" {
		t.Error(diff)
	}
	want(t, verdict(find(d, "absent")), "empty NONE")
	want(t, paths(find(d, "cafe\u0301 IS")), "README.md") // another normal form
	want(t, paths(find(d, "deep.AD")), "docs/a/b/deep.adoc")
	want(t, verdict(find(d, "\u200b")), "access_failure INPUT_MISSING invalid_argument")
}

func TestSearchLooksAtTitles(t *testing.T) {
	s := newShelf(t, "a.md", "# The *quick* fox\n", "b.md", "# un**common** x\n", "c.md", "# R&eacute;sum\u00e9\n", "d.md", "# See [the](x.md)re\n")
	for text, wanted := range map[string]string{"the quick fox": "a.md", "uncommon x": "b.md", "r\u00e9sum\u00e9": "c.md", "see there": "d.md"} {
		want(t, text+": "+paths(find(s.docs(), text)), text+": "+wanted)
	}
}

func TestSearchSeesWhatReadersDoNotSeeAndShowsItNot(t *testing.T) {
	s := newShelf(t, "a.md", "# A\n\nfoo\u200bbar <!-- secret plan -->\n")
	hit := find(s.docs(), "foobar").Items()[0]
	want(t, hit.Snippet, "foobar")
	hit = find(s.docs(), "secret plan").Items()[0]
	if hit.Snippet != "" || hit.Line != 3 || hit.Removed == 0 {
		t.Errorf("a hidden match was shown or not counted: %+v", hit)
	}
}

func TestSearchPages(t *testing.T) {
	s := newShelf(t)
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		s.put(n+"/x.md", "same")
	}
	var got []string
	cursor := ""
	for range 4 {
		r := s.docs().Search(context.Background(), connectors.PageQuery{Text: "same", Paging: connectors.Paging{Limit: 2, Cursor: cursor}})
		got = append(got, verdict(r)+": "+paths(r))
		if cursor = r.Rows()[0].NextCursor; cursor == "" {
			break
		}
	}
	want(t, strings.Join(got, "\n"), "partial NONE: a/x.md b/x.md\npartial NONE: c/x.md d/x.md\nsuccess NONE: e/x.md")
	want(t, verdict(s.docs().Search(context.Background(), connectors.PageQuery{Text: "same", Paging: connectors.Paging{Limit: 2, Cursor: "?"}})),
		"access_failure INPUT_MISSING invalid_argument")
}
