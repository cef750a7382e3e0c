package local

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

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
	info, err := os.Stat(filepath.Join(s.root, "cloud.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n, known := blocks(info); known && n == 0 && !dataless(info) {
		t.Error("a file without data would be read")
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
