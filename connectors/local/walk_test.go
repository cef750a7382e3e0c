package local_test

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
	"github.com/frank-mcp/frank/connectors/local"
	"github.com/frank-mcp/frank/internal/config"
)

func TestLD01UnreadableDirectory(t *testing.T) {
	s := newShelf(t, "a.md", "x", "locked/b.md", "needle")
	d := s.failing(map[string]error{"locked": fs.ErrPermission})
	r := find(d, "needle")
	want(t, r.verdict(), "partial ACCESS_DENIED permission_denied")
	want(t, r.fact("skipped"), `{"unreadable":1}`)
	want(t, shelved(d, "", "").verdict(), "partial ACCESS_DENIED permission_denied")
	want(t, read(d, "locked/b.md", "").verdict(), "success NONE") // only listing the directory fails
	file := s.failing(map[string]error{"locked/b.md": fs.ErrPermission})
	want(t, find(file, "needle").verdict(), "partial ACCESS_DENIED permission_denied")
	want(t, read(file, "locked/b.md", "").verdict(), "access_failure ACCESS_DENIED permission_denied")
	want(t, read(file, "No such title", "").verdict(), "access_failure ACCESS_DENIED permission_denied")
}

func TestLD02UnreadableOrMissingFolder(t *testing.T) {
	s := newShelf(t, "docs/a.md", "x")
	want(t, shelved(s.failing(map[string]error{"docs": fs.ErrPermission}), "docs", "").verdict(), "access_failure ACCESS_DENIED permission_denied")
	want(t, find(s.failing(map[string]error{".": fs.ErrPermission}), "x").verdict(), "access_failure ACCESS_DENIED permission_denied")
	r := shelved(s.source(), "nope", "")
	want(t, r.verdict(), "empty REFERENCE_UNRESOLVED not_found_confirmed")
}

func TestLD04RootIsASymlink(t *testing.T) {
	s := newShelf(t, "docs/a.md", "needle")
	s.link(s.root, "../alias")
	src := start(t, config.Source{Root: filepath.Join(filepath.Dir(s.root), "alias")})
	want(t, find(src, "needle").verdict(), "success NONE")
	want(t, read(src, filepath.Join(filepath.Dir(s.root), "alias", "docs", "a.md"), "").verdict(), "success NONE")
}

func TestLD05SymbolicLinks(t *testing.T) {
	s := newShelf(t, "docs/a.md", "needle", "../outside/secret.md", "needle")
	s.link("..", "docs/up")
	s.link("loop", "loop")
	s.link("docs", "same")
	r := find(s.source(), "needle")
	want(t, r.verdict(), "success NONE")
	want(t, refs(r), "docs/a.md")
	s.put(".hidden/in.md", "needle")
	s.link(filepath.Join(s.root, ".hidden"), "shown")
	want(t, refs(find(s.source(), "needle")), "docs/a.md shown/in.md")
	want(t, read(s.source(), "shown/in.md", "").verdict(), "success NONE")
	s.link("../outside", "out")
	r = find(s.source(), "needle")
	want(t, r.verdict(), "partial CAPABILITY_UNAVAILABLE content_not_included")
	want(t, refs(r), "docs/a.md shown/in.md")
	want(t, read(s.source(), "out/secret.md", "").verdict(), "access_failure ACCESS_DENIED policy_denied")
}

func TestLD07RootGoneOrNotMounted(t *testing.T) {
	s := newShelf(t)
	d := s.source()
	want(t, find(d, "x").verdict(), "partial CAPABILITY_UNAVAILABLE misconfigured")
	s.put("main.go", "x")
	want(t, find(d, "x").verdict(), "empty NONE")
	if err := os.RemoveAll(s.root); err != nil {
		t.Fatal(err)
	}
	for _, r := range []answer[connectors.Page]{find(d, "x"), shelved(d, "", ""), read(d, "a.md", "")} {
		want(t, r.verdict(), "access_failure CAPABILITY_UNAVAILABLE misconfigured")
	}
}

func TestLD08LongLine(t *testing.T) {
	s := newShelf(t, "a.md", strings.Repeat("x", 200_000)+"\nneedle "+strings.Repeat("y", 100_000)+"end\n")
	hit := find(s.source(), "needle").items[0]
	if hit.Line != 2 || len(hit.Snippet) > 4*local.MaxSnippet || !strings.Contains(hit.Snippet, "needle") {
		t.Errorf("line %d, snippet of %d bytes", hit.Line, len(hit.Snippet))
	}
	want(t, find(s.source(), "yend").verdict(), "success NONE")
}

func TestLD09Encodings(t *testing.T) {
	s := newShelf(t, "u16.md", "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00", "latin.txt", "un caf\xe9 noir, s'il vous pla\xeet, needle\n")
	r := find(s.source(), "needle")
	want(t, r.verdict(), "success NONE")
	want(t, refs(r), "latin.txt u16.md")
	want(t, r.items[1].Encoding, "utf-16le")
	want(t, find(s.source(), "café").verdict(), "success NONE")
	want(t, find(s.source(), "absent").verdict(), "empty NONE")
	want(t, find(s.source(), "naïve").verdict(), "partial CAPABILITY_UNAVAILABLE content_not_included") // the guess may be wrong
}

func TestLD11ExcludedByRule(t *testing.T) {
	s := newShelf(t, "a.md", "x", ".cfg/b.md", "needle", "node_modules/m/README.md", "needle")
	r := find(s.source(), "needle")
	want(t, r.verdict(), "empty NONE")
	want(t, strings.Join(r.unproven, " "), "hidden_directories vendored_directories")
	s.put(".gitignore", "build/\n*.tmp.md\n")
	s.put("build/c.md", "needle")
	s.put("d.tmp.md", "needle")
	s.put("docs/new.md", "untracked")
	s.git()
	r = find(s.source(), "needle") // in a checkout Git's rules decide
	want(t, refs(r), ".cfg/b.md node_modules/m/README.md")
	want(t, strings.Join(r.unproven, " "), "ignored_files")
	s.put("docs/later.md", "untracked needle")
	want(t, refs(find(s.source(), "untracked")), "docs/later.md docs/new.md")
	want(t, read(s.source(), "build/c.md", "").verdict(), "access_failure CAPABILITY_UNAVAILABLE content_not_included")
	want(t, read(s.source(), ".git/config", "").verdict(), "access_failure ACCESS_DENIED policy_denied")
}

func TestLD12BinaryLargeAndForeignFormats(t *testing.T) {
	s := newShelf(t, "a.md", "x", "b.md", "\x00\x01\x02bin\x00")
	want(t, find(s.source(), "needle").verdict(), "partial CAPABILITY_UNAVAILABLE content_not_included")
	want(t, read(s.source(), "b.md", "").verdict(), "access_failure CAPABILITY_UNAVAILABLE content_not_included")
	s = newShelf(t, "a.md", "x", "plan.docx", "PK", "logo.png", "PNG")
	r := find(s.source(), "needle")
	want(t, r.verdict(), "partial CAPABILITY_UNAVAILABLE content_not_included")
	want(t, r.fact("skipped"), `{"other_extension":1}`)
	want(t, refs(shelved(s.source(), "", "")), "a.md plan.docx")
	want(t, read(s.source(), "plan.docx", "").verdict(), "access_failure CAPABILITY_UNAVAILABLE operation_unsupported")
	s = newShelf(t, "a.md", strings.Repeat("x\n", 5<<20))
	want(t, find(s.source(), "needle").verdict(), "partial CAPABILITY_UNAVAILABLE own_cap")
	want(t, read(s.source(), "a.md", "").verdict(), "access_failure CAPABILITY_UNAVAILABLE own_cap")
	want(t, shelved(s.source(), "", "").verdict(), "success NONE")
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
		want(t, r.verdict(), wanted)
		if !r.retry || refs(r) != "a.md" {
			t.Errorf("%v: retryable %t, items %s", err, r.retry, refs(r))
		}
	}
}

func TestLD14Placeholder(t *testing.T) {
	s := newShelf(t, "a.md", "x", "small.md", "\x00\x00\x00")
	want(t, find(s.source(), "needle").verdict(), "partial CAPABILITY_UNAVAILABLE content_not_included")
	s = newShelf(t, "a.md", "x", "cloud.md", "")
	if err := os.Truncate(filepath.Join(s.root, "cloud.md"), 100_000); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(s.root, "cloud.md"))
	if err != nil {
		t.Fatal(err)
	}
	if yes, known := local.Dataless(info); known && !yes {
		t.Error("a file without data would be read")
	}
	r := find(s.source(), "needle")
	want(t, r.verdict(), "partial CAPABILITY_UNAVAILABLE content_not_included")
	want(t, r.fact("skipped"), `{"placeholder":1}`)
}

func TestLG11Pointer(t *testing.T) {
	s := newShelf(t, "a.md", "version https://git-lfs.github.com/spec/v1\noid sha256:"+strings.Repeat("a", 64)+"\nsize 12345\n")
	want(t, find(s.source(), "needle").verdict(), "partial CAPABILITY_UNAVAILABLE content_not_included")
	want(t, read(s.source(), "a.md", "").verdict(), "access_failure CAPABILITY_UNAVAILABLE content_not_included")
}

func TestLD16Caps(t *testing.T) {
	s := newShelf(t, "a.md", "needle", "b.md", "needle", "c.md", "needle")
	capped := func(entries int, total int64) *frank {
		return s.source().alter(func(src connectors.Source) connectors.Source { return local.Bounded(src, entries, total) })
	}
	r := find(capped(2, 1<<20), "needle")
	want(t, r.verdict(), "partial CAPABILITY_UNAVAILABLE own_cap")
	if len(r.items) == 0 {
		t.Error("what was found before the cap is lost")
	}
	narrow := capped(1000, 5)
	r = find(narrow, "needle")
	want(t, r.verdict()+": "+refs(r), "partial CAPABILITY_UNAVAILABLE own_cap: a.md")
	r = findFrom(narrow, "needle", connectors.Paging{Cursor: r.next})
	want(t, refs(r), "b.md") // it goes on where it was cut
	tick := noon()
	slow := s.source().alter(func(src connectors.Source) connectors.Source {
		return local.Timed(src, func() time.Time { tick = tick.Add(5 * time.Second); return tick })
	})
	want(t, find(slow, "needle").verdict(), "partial CAPABILITY_UNAVAILABLE own_cap")
}

func TestLD16Cancelled(t *testing.T) {
	s := newShelf(t, "a.md", "needle")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := ask[connectors.Page](ctx, s.source(), "docs_search", arguments{"query": "needle"})
	want(t, r.verdict(), "access_failure SOURCE_UNRELIABLE cancelled")
}

func TestLD17OutsideTheRoot(t *testing.T) {
	s := newShelf(t, "a.md", "x", "../b.md", "secret")
	for _, name := range []string{"../b.md", "docs/../../b.md", "/etc/motd.md", filepath.Join(filepath.Dir(s.root), "b.md")} {
		want(t, read(s.source(), name, "").verdict(), "access_failure ACCESS_DENIED policy_denied")
	}
	want(t, shelved(s.source(), "..", "").verdict(), "access_failure ACCESS_DENIED policy_denied")
	want(t, shelved(s.source(), "", "../x").verdict(), "access_failure ACCESS_DENIED policy_denied")
	want(t, read(s.source(), filepath.Join(s.root, "a.md"), "").verdict(), "success NONE")
}

func TestLG08SparseAndLG09Submodule(t *testing.T) {
	s := newShelf(t, "a.md", "x", "docs/b.md", "needle", "src/c.go", "x")
	s.git()
	s.run("sparse-checkout", "set", "--no-cone", "/*", "!/src/")
	want(t, find(s.source(), "needle").verdict(), "success NONE") // no document is away
	s.run("sparse-checkout", "set", "--no-cone", "/*", "!/docs/")
	want(t, find(s.source(), "needle").verdict(), "partial CAPABILITY_UNAVAILABLE clone_incomplete")
}
