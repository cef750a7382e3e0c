package local

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
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
		Space:  "docs", Path: "docs/a/b/deep.adoc", Format: "asciidoc", Parent: "docs/a/b", Line: 3, Snippet: "needle here",
	}, hit); diff != "" {
		t.Error(diff)
	}
	want(t, verdict(find(d, "absent")), "empty NONE")
	want(t, paths(find(d, "cafe\u0301 IS")), "README.md") // another normal form
	want(t, paths(find(d, "deep.AD")), "docs/a/b/deep.adoc")
	want(t, verdict(find(d, "\u200b")), "access_failure INPUT_MISSING invalid_argument")
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

func TestLD01UnreadableDirectory(t *testing.T) {
	s := newShelf(t, "a.md", "x", "locked/b.md", "needle")
	d := s.failing(map[string]error{"locked": fs.ErrPermission})
	r := find(d, "needle")
	want(t, verdict(r), "partial ACCESS_DENIED permission_denied")
	want(t, r.Rows()[0].Failures[0].Text("skipped"), `{"unreadable":1}`)
	want(t, verdict(list(d, "", "")), "partial ACCESS_DENIED permission_denied")
	want(t, verdict(read(t, d, "locked/b.md", "")), "success NONE") // only listing the directory fails
	file := s.failing(map[string]error{"locked/b.md": fs.ErrPermission})
	want(t, verdict(find(file, "needle")), "partial ACCESS_DENIED permission_denied")
	want(t, verdict(read(t, file, "locked/b.md", "")), "access_failure ACCESS_DENIED permission_denied")
	want(t, verdict(read(t, file, "No such title", "")), "access_failure ACCESS_DENIED permission_denied")
}

func TestLD02UnreadableOrMissingFolder(t *testing.T) {
	s := newShelf(t, "docs/a.md", "x")
	want(t, verdict(list(s.failing(map[string]error{"docs": fs.ErrPermission}), "docs", "")), "access_failure ACCESS_DENIED permission_denied")
	want(t, verdict(find(s.failing(map[string]error{".": fs.ErrPermission}), "x")), "access_failure ACCESS_DENIED permission_denied")
	r := list(s.docs(), "nope", "")
	want(t, verdict(r), "empty REFERENCE_UNRESOLVED not_found_confirmed")
}

func TestLD04RootIsASymlink(t *testing.T) {
	s := newShelf(t, "docs/a.md", "needle")
	s.link(s.root, "../alias")
	src, failure := Provider.Open(connectors.Setup{Name: "here", Root: filepath.Join(filepath.Dir(s.root), "alias"), Now: noon})
	if failure != nil {
		t.Fatal(failure.Because())
	}
	want(t, verdict(find(src.Docs, "needle")), "success NONE")
	want(t, verdict(read(t, src.Docs, filepath.Join(filepath.Dir(s.root), "alias", "docs", "a.md"), "")), "success NONE")
}

func TestLD05SymbolicLinks(t *testing.T) {
	s := newShelf(t, "docs/a.md", "needle", "../outside/secret.md", "needle")
	s.link("..", "docs/up")
	s.link("loop", "loop")
	s.link("docs", "same")
	r := find(s.docs(), "needle")
	want(t, verdict(r), "success NONE")
	want(t, paths(r), "docs/a.md")
	s.put(".hidden/in.md", "needle")
	s.link(filepath.Join(s.root, ".hidden"), "shown")
	want(t, paths(find(s.docs(), "needle")), "docs/a.md shown/in.md")
	want(t, verdict(read(t, s.docs(), "shown/in.md", "")), "success NONE")
	s.link("../outside", "out")
	r = find(s.docs(), "needle")
	want(t, verdict(r), "partial CAPABILITY_UNAVAILABLE content_not_included")
	want(t, paths(r), "docs/a.md shown/in.md")
	want(t, verdict(read(t, s.docs(), "out/secret.md", "")), "access_failure ACCESS_DENIED policy_denied")
}

func TestLD07RootGoneOrNotMounted(t *testing.T) {
	s := newShelf(t)
	d := s.docs()
	want(t, verdict(find(d, "x")), "partial CAPABILITY_UNAVAILABLE misconfigured")
	s.put("main.go", "x")
	want(t, verdict(find(d, "x")), "empty NONE")
	if err := os.RemoveAll(s.root); err != nil {
		t.Fatal(err)
	}
	for _, r := range []status.Result[connectors.Page]{find(d, "x"), list(d, "", ""), read(t, d, "a.md", "")} {
		want(t, verdict(r), "access_failure CAPABILITY_UNAVAILABLE misconfigured")
	}
}

func TestLD08LongLine(t *testing.T) {
	s := newShelf(t, "a.md", strings.Repeat("x", 200_000)+"\nneedle "+strings.Repeat("y", 100_000)+"end\n")
	hit := find(s.docs(), "needle").Items()[0]
	if hit.Line != 2 || len(hit.Snippet) > 4*maxSnippet || !strings.Contains(hit.Snippet, "needle") {
		t.Errorf("line %d, snippet of %d bytes", hit.Line, len(hit.Snippet))
	}
	want(t, verdict(find(s.docs(), "yend")), "success NONE")
}

func TestLD09Encodings(t *testing.T) {
	s := newShelf(t, "u16.md", "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00", "latin.txt", "un caf\xe9 noir, s'il vous pla\xeet, needle\n")
	r := find(s.docs(), "needle")
	want(t, verdict(r), "success NONE")
	want(t, paths(r), "latin.txt u16.md")
	want(t, r.Items()[1].Encoding, "utf-16le")
	want(t, verdict(find(s.docs(), "café")), "success NONE")
	want(t, verdict(find(s.docs(), "absent")), "empty NONE")
	want(t, verdict(find(s.docs(), "naïve")), "partial CAPABILITY_UNAVAILABLE content_not_included") // the guess may be wrong
}

func TestLD11ExcludedByRule(t *testing.T) {
	s := newShelf(t, "a.md", "x", ".cfg/b.md", "needle", "node_modules/m/README.md", "needle")
	r := find(s.docs(), "needle")
	want(t, verdict(r), "empty NONE")
	want(t, unproven(t, r), "hidden_directories vendored_directories")
	s.put(".gitignore", "build/\n*.tmp.md\n")
	s.put("build/c.md", "needle")
	s.put("d.tmp.md", "needle")
	s.put("docs/new.md", "untracked")
	s.git()
	r = find(s.docs(), "needle") // in a checkout Git's rules decide
	want(t, paths(r), ".cfg/b.md node_modules/m/README.md")
	want(t, unproven(t, r), "ignored_files")
	s.put("docs/later.md", "untracked needle")
	want(t, paths(find(s.docs(), "untracked")), "docs/later.md docs/new.md")
	want(t, verdict(read(t, s.docs(), "build/c.md", "")), "access_failure CAPABILITY_UNAVAILABLE content_not_included")
	want(t, verdict(read(t, s.docs(), ".git/config", "")), "access_failure ACCESS_DENIED policy_denied")
}

// unproven is what the answer says it cannot prove.
func unproven[T any](t testing.TB, r status.Result[T]) string {
	t.Helper()
	b, err := r.Envelope(status.Question{One: "document", Many: "documents"}).Structured()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), `"unproven":[`)
	names, _, _ := strings.Cut(rest, "]")
	return strings.NewReplacer(`"`, "", ",", " ").Replace(names)
}

func TestLD12BinaryLargeAndForeignFormats(t *testing.T) {
	s := newShelf(t, "a.md", "x", "b.md", "\x00\x01\x02bin\x00")
	want(t, verdict(find(s.docs(), "needle")), "partial CAPABILITY_UNAVAILABLE content_not_included")
	want(t, verdict(read(t, s.docs(), "b.md", "")), "access_failure CAPABILITY_UNAVAILABLE content_not_included")
	s = newShelf(t, "a.md", "x", "plan.docx", "PK", "logo.png", "PNG")
	r := find(s.docs(), "needle")
	want(t, verdict(r), "partial CAPABILITY_UNAVAILABLE content_not_included")
	want(t, r.Rows()[0].Failures[0].Text("skipped"), `{"other_extension":1}`)
	want(t, paths(list(s.docs(), "", "")), "a.md plan.docx")
	want(t, verdict(read(t, s.docs(), "plan.docx", "")), "access_failure CAPABILITY_UNAVAILABLE operation_unsupported")
	s = newShelf(t, "a.md", strings.Repeat("x\n", 5<<20))
	want(t, verdict(find(s.docs(), "needle")), "partial CAPABILITY_UNAVAILABLE own_cap")
	want(t, verdict(read(t, s.docs(), "a.md", "")), "access_failure CAPABILITY_UNAVAILABLE own_cap")
	want(t, verdict(list(s.docs(), "", "")), "success NONE")
}

func TestLD13ChangedWhileScanning(t *testing.T) {
	s := newShelf(t, "a.md", "needle", "b.md", "needle")
	for err, wanted := range map[error]string{
		fs.ErrNotExist:  "partial SOURCE_UNRELIABLE contradictory",
		syscall.ESTALE:  "partial SOURCE_UNRELIABLE contradictory",
		syscall.EIO:     "partial SOURCE_UNRELIABLE truncated_body",
		syscall.ENOTDIR: "partial SOURCE_UNRELIABLE contradictory",
	} {
		r := find(s.failing(map[string]error{"b.md": err}), "needle")
		want(t, verdict(r), wanted)
		if !r.Rows()[0].Failures[0].Retryable() || paths(r) != "a.md" {
			t.Errorf("%v: retryable %t, items %s", err, r.Rows()[0].Failures[0].Retryable(), paths(r))
		}
	}
}

func TestLD14Placeholder(t *testing.T) {
	s := newShelf(t, "a.md", "x", "small.md", "\x00\x00\x00")
	want(t, verdict(find(s.docs(), "needle")), "partial CAPABILITY_UNAVAILABLE content_not_included")
	s = newShelf(t, "a.md", "x", "cloud.md", "")
	if err := os.Truncate(filepath.Join(s.root, "cloud.md"), 100_000); err != nil {
		t.Fatal(err)
	}
	r := find(s.docs(), "needle")
	want(t, verdict(r), "partial CAPABILITY_UNAVAILABLE content_not_included")
	want(t, r.Rows()[0].Failures[0].Text("skipped"), `{"placeholder":1}`)
}

func TestLG11Pointer(t *testing.T) {
	s := newShelf(t, "a.md", "version https://git-lfs.github.com/spec/v1\noid sha256:"+strings.Repeat("a", 64)+"\nsize 12345\n")
	want(t, verdict(find(s.docs(), "needle")), "partial CAPABILITY_UNAVAILABLE content_not_included")
	want(t, verdict(read(t, s.docs(), "a.md", "")), "access_failure CAPABILITY_UNAVAILABLE content_not_included")
}

func TestLD16Caps(t *testing.T) {
	s := newShelf(t, "a.md", "needle", "b.md", "needle", "c.md", "needle")
	capped := func(b bounds) *documents {
		own := *s.docs().tree
		own.bounds = b
		return &documents{&own}
	}
	b := usualBounds()
	b.entries = 2
	r := find(capped(b), "needle")
	want(t, verdict(r), "partial CAPABILITY_UNAVAILABLE own_cap")
	if len(r.Items()) == 0 {
		t.Error("what was found before the cap is lost")
	}
	b = usualBounds()
	b.total = 5
	r = find(capped(b), "needle")
	want(t, verdict(r)+": "+paths(r), "partial CAPABILITY_UNAVAILABLE own_cap: a.md")
	r = capped(b).Search(context.Background(), connectors.PageQuery{Text: "needle", Paging: connectors.Paging{Limit: 20, Cursor: r.Rows()[0].NextCursor}})
	want(t, paths(r), "b.md") // it goes on where it was cut
	tick := noon()
	d := capped(usualBounds())
	d.now = func() time.Time { tick = tick.Add(5 * time.Second); return tick }
	want(t, verdict(find(d, "needle")), "partial CAPABILITY_UNAVAILABLE own_cap")
}

func TestLD16Cancelled(t *testing.T) {
	s := newShelf(t, "a.md", "needle")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := s.docs().Search(ctx, connectors.PageQuery{Text: "needle", Paging: connectors.Paging{Limit: 20}})
	want(t, verdict(r), "partial SOURCE_UNRELIABLE cancelled")
}

func TestLD17OutsideTheRoot(t *testing.T) {
	s := newShelf(t, "a.md", "x", "../b.md", "secret")
	for _, name := range []string{"../b.md", "docs/../../b.md", "/etc/motd.md", filepath.Join(filepath.Dir(s.root), "b.md")} {
		want(t, verdict(read(t, s.docs(), name, "")), "access_failure ACCESS_DENIED policy_denied")
	}
	want(t, verdict(list(s.docs(), "..", "")), "access_failure ACCESS_DENIED policy_denied")
	want(t, verdict(list(s.docs(), "", "../x")), "access_failure ACCESS_DENIED policy_denied")
	want(t, verdict(read(t, s.docs(), filepath.Join(s.root, "a.md"), "")), "success NONE")
}

func TestLG08SparseAndLG09Submodule(t *testing.T) {
	s := newShelf(t, "a.md", "x", "docs/b.md", "needle", "src/c.go", "x")
	s.git()
	s.run("sparse-checkout", "set", "--no-cone", "/*", "!/src/")
	want(t, verdict(find(s.docs(), "needle")), "success NONE") // no document is away
	s.run("sparse-checkout", "set", "--no-cone", "/*", "!/docs/")
	want(t, verdict(find(s.docs(), "needle")), "partial CAPABILITY_UNAVAILABLE clone_incomplete")
}
