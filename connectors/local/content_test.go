//go:build unix

package local_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/connectors/local"
	"github.com/frank-mcp/frank/status"
)

const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"

func TestLG11_APointerOfGitLFSIsNotTheContent(t *testing.T) {
	l := newLab(t)
	o := l.repo("lfs")
	l.commit(o, "pointer", map[string]string{"model.bin": pointer, "a.txt": "needle\n", "docs/about.md": "A pointer opens with\nversion https://git-lfs.github.com/spec/v1\n" + strings.Repeat("words ", 300)})
	s := l.source(o)
	readFile(t, s, connectors.FileGet{Path: "model.bin"}).is(status.Partial, status.CapabilityUnavailable, "content_not_included", 1)
	a := readFile(t, s, connectors.FileGet{Path: "model.bin", Revision: "HEAD"}).is(status.Partial, status.CapabilityUnavailable, "content_not_included", 1)
	if a.items[0].Text != "" || a.fact("size_bytes") != "12345" {
		t.Errorf("pointer: %+v", a)
	}
	search(t, s, connectors.CodeQuery{Text: "nowhere"}).is(status.Partial, status.CapabilityUnavailable, "content_not_included", 0)
	search(t, s, connectors.CodeQuery{Text: "nowhere", Path: "docs"}).is(status.Empty, status.None, "", 0)
	search(t, s, connectors.CodeQuery{Text: "needle", Revision: "HEAD"}).is(status.Partial, status.CapabilityUnavailable, "content_not_included", 1)
}

func TestLG11_AFileThatOnlyNamesGitLFSIsNoPointer(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	line := "version https://git-lfs.github.com/spec/v1\n"
	l.commit(o, "one", map[string]string{
		"docs/about.md": "A pointer opens with\n" + line, "test.go": "const pointer = `" + line + "`\n", "long.txt": line + strings.Repeat("words ", 300),
	})
	s := l.source(o)
	for _, revision := range []string{"", "HEAD", "main"} {
		search(t, s, connectors.CodeQuery{Text: "nowhere", Revision: revision}).is(status.Empty, status.None, "", 0)
		search(t, s, connectors.CodeQuery{Text: "words", Revision: revision}).is(status.Success, status.None, "", 1)
	}
	l.commit(o, "two", map[string]string{"model.bin": pointer})
	search(t, s, connectors.CodeQuery{Text: "nowhere", Revision: "HEAD"}).is(status.Partial, status.CapabilityUnavailable, "content_not_included", 0)
	search(t, s, connectors.CodeQuery{Text: "nowhere", Revision: "HEAD~1"}).is(status.Empty, status.None, "", 0)
}

func TestLG12_UntrackedFilesAreSearchedAndIgnoredOnesAreNamed(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "rules", map[string]string{".gitignore": "ign/\n*.env\n", "t.txt": "tracked needle\n"})
	l.write("r/forced.env", "forced needle\n")
	l.git(o, "add", "-f", "forced.env")
	l.write("r/u.md", "untracked needle\n")
	l.write("r/ign/i.md", "ignored needle\n")
	l.write("r/secret.env", "needle\n")
	l.write("r/t.txt", "tracked and changed needle\n")
	s := l.source(o)
	a := search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.Success, status.None, "", 3)
	if got := paths(a.items, hitPath); got != "forced.env t.txt u.md" {
		t.Errorf("hits: %s", got)
	}
	if e := search(t, s, connectors.CodeQuery{Text: "nowhere"}).said; !strings.Contains(e, `"status":"empty"`) || !strings.Contains(e, "ignored_files") ||
		!strings.Contains(e, "Found nothing in what source here covers: here was searched") {
		t.Errorf("no note of ignored files: %s", e)
	}
	readFile(t, s, connectors.FileGet{Path: "u.md"}).is(status.Success, status.None, "", 1)
	readFile(t, s, connectors.FileGet{Path: "forced.env"}).is(status.Success, status.None, "", 1)
	readFile(t, s, connectors.FileGet{Path: "secret.env"}).is(status.AccessFailure, status.CapabilityUnavailable, "operation_unsupported", 0)
	if err := os.Symlink("secret.env", l.path("r/link.txt")); err != nil {
		t.Fatal(err)
	}
	readFile(t, s, connectors.FileGet{Path: "link.txt"}).is(status.AccessFailure, status.CapabilityUnavailable, "operation_unsupported", 0)
}

func TestLG12_FilesThatGitAssumesUnchangedAreReadFromTheDisk(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "one", map[string]string{"a.txt": "old\n"})
	l.git(o, "update-index", "--assume-unchanged", "a.txt")
	l.write("r/a.txt", "needle\n")
	search(t, l.source(o), connectors.CodeQuery{Text: "needle"}).is(status.Success, status.None, "", 1)
}

func TestLG13_TheWorkingDirectoryOfFrankDoesNotMatter(t *testing.T) {
	l := newLab(t)
	s := l.source(l.origin())
	t.Chdir(l.path("origin/lib"))
	search(t, s, connectors.CodeQuery{Text: "one"}).is(status.Success, status.None, "", 1)
	a := list(t, s, connectors.RepoList{}).is(status.Success, status.None, "", 3)
	if got := paths(a.items, entryRef); got != "a.txt b.txt lib" {
		t.Errorf("files: %s", got)
	}
}

func wide(text string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			b.WriteString(string([]byte{byte(u >> 8), byte(u)}))
		} else {
			b.WriteString(string([]byte{byte(u), byte(u >> 8)}))
		}
	}
	return b.String()
}

// wider is a text of ASCII in UTF-32, little end first.
func wider(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteString(text[i:i+1] + "\x00\x00\x00")
	}
	return b.String()
}

func TestLG14_LD09_TextInOtherEncodingsIsFound(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "encodings", map[string]string{
		"le.txt":     "\xff\xfe" + wide("first\r\nÄrger with a Needle\r\n", false),
		"wide.txt":   "\xff\xfe\x00\x00" + wider("and a needle\r\n"),
		"be.txt":     wide("no mark but a needle here\n", true),
		"latin.txt":  "\xc4rger with a needle\n",
		"utf8.txt":   "ärger needle\n",
		"nfd.txt":    "A\u0308rger needle\n",
		"data.bin":   "a\x00needle\x00b",
		"other.bin":  "a\x00\x01\x02b",
		"chinese.md": "\u91e5rger: no hit\n",
	})
	for _, revision := range []string{"", "HEAD"} {
		s := l.source(o)
		a := search(t, s, connectors.CodeQuery{Text: "NEEDLE", Revision: revision}).is(status.Success, status.None, "", 7)
		if got := paths(a.items, hitPath); got != "be.txt data.bin latin.txt le.txt nfd.txt utf8.txt wide.txt" {
			t.Errorf("at %q: %s", revision, got)
		}
		if m := a.items[3].Matches; len(m) != 1 || m[0].Line != 2 || m[0].Text != "Ärger with a Needle" {
			t.Errorf("UTF-16: %+v", m)
		}
		a = search(t, s, connectors.CodeQuery{Text: "äRGER", Revision: revision}).is(status.Success, status.None, "", 4)
		if got := paths(a.items, hitPath); got != "latin.txt le.txt nfd.txt utf8.txt" {
			t.Errorf("at %q: %s", revision, got)
		}
		f := readFile(t, s, connectors.FileGet{Path: "le.txt", Revision: revision}).is(status.Success, status.None, "", 1)
		if f.items[0].Text != "first\nÄrger with a Needle\n" || f.items[0].Encoding != "utf-16le" {
			t.Errorf("UTF-16: %+v", f.items[0])
		}
		readFile(t, s, connectors.FileGet{Path: "data.bin", Revision: revision}).is(status.Partial, status.CapabilityUnavailable, "content_not_included", 1)
	}
}

func TestLG14_AGitWithoutPerlPatternsSaysWhatItCannotFind(t *testing.T) {
	l := newLab(t)
	s := l.source(l.origin())
	l.fakeGit(`for a in "$@"; do [ "$a" = -P ] && { echo 'fatal: cannot use Perl-compatible regexes when not compiled with USE_LIBPCRE' >&2; exit 128; }; done`)
	search(t, s, connectors.CodeQuery{Text: "NEEdle"}).is(status.Partial, status.CapabilityUnavailable, "operation_unsupported", 1)
	search(t, s, connectors.CodeQuery{Text: "nowhere"}).is(status.Partial, status.CapabilityUnavailable, "operation_unsupported", 0)
	history(t, s, connectors.HistoryQuery{Text: "FIRST", Author: "ann"}).is(status.Success, status.None, "", 1)
}

func TestLD01_AnUnreadableFileIsNoEmptyAnswer(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	l := newLab(t)
	o := l.origin()
	if err := os.Chmod(l.path(o, "lib/x.txt"), 0); err != nil {
		t.Fatal(err)
	}
	s := l.source(o)
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.AccessFailure, status.AccessDenied, "permission_denied", 0)
	search(t, s, connectors.CodeQuery{Text: "two"}).is(status.Partial, status.AccessDenied, "permission_denied", 1)
	readFile(t, s, connectors.FileGet{Path: "lib/x.txt"}).is(status.AccessFailure, status.AccessDenied, "permission_denied", 0)
}

func TestLD01_AComplaintOfGitIsNoEmptyAnswer(t *testing.T) {
	l := newLab(t)
	s := l.source(l.origin())
	search(t, s, connectors.CodeQuery{Text: "nowhere"}).is(status.Empty, status.None, "", 0)
	l.fakeGit(`case "$*" in *" grep "*) "$real" "$@"; rc=$?; echo "error: failed to stat 'lib/x.txt': Permission denied" >&2; exit $rc;; esac`)
	search(t, s, connectors.CodeQuery{Text: "nowhere"}).is(status.AccessFailure, status.AccessDenied, "permission_denied", 0)
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.Partial, status.AccessDenied, "permission_denied", 1)
	l.fakeGit(`case "$*" in *" grep "*) echo "fatal: something nobody foresaw" >&2; exit 128;; esac`)
	a := search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.AccessFailure, status.SourceUnreliable, "program_failed", 0)
	if strings.Contains(a.said, "foresaw") {
		t.Error("what git wrote is in the answer")
	}
	l.fakeGit(`case "$*" in *" ls-files "*"--others"*) echo "warning: could not open directory 'lock/': Permission denied" >&2;; esac`)
	search(t, s, connectors.CodeQuery{Text: "nowhere"}).is(status.Partial, status.AccessDenied, "permission_denied", 0)
	list(t, s, connectors.RepoList{}).is(status.Partial, status.AccessDenied, "permission_denied", 3)
}

func TestLD13_AFileThatGoesAwayMeanwhileIsNoEmptyAnswer(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	l.write("origin/new.txt", "needle too\n")
	s := l.source(o)
	l.fakeGit(`case "$*" in *" grep "*" -P "*) "$real" "$@"; rc=$?; rm -f '` + l.path(o, "lib/x.txt") + `'; exit $rc;; esac`)
	search(t, s, connectors.CodeQuery{Text: "needle"}).retriable(status.Partial, status.SourceUnreliable, "contradictory", 1)
	search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.Success, status.None, "", 1)
}

func TestLD14_APlaceholderIsNotRead(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	l.write("origin/cloud.txt", "")
	if err := os.Truncate(l.path(o, "cloud.txt"), 100_000); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(l.path(o, "cloud.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if yes, known := local.Dataless(info); !known || !yes {
		t.Skip("the file system does not tell a file without data")
	}
	a := readFile(t, l.source(o), connectors.FileGet{Path: "cloud.txt"}).is(status.AccessFailure, status.CapabilityUnavailable, "content_not_included", 0)
	want(t, a.fact("part"), "files of which only a placeholder is here")
}

func TestLD03_AGlobCrossesDirectoriesWithTwoStars(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "tree", map[string]string{"a.go": "needle", "d/b.go": "needle", "d/e/c.go": "needle", "d/e/c.md": "needle"})
	s := l.source(o)
	for glob, want := range map[string]string{
		"*.go": "a.go d/b.go d/e/c.go", "d/*.go": "d/b.go", "d/**/*.go": "d/b.go d/e/c.go", "**/*.md": "d/e/c.md",
		"d/[!b].go": "", "d/?.go": "d/b.go", "[ab].go": "a.go d/b.go", "d/e/*": "d/e/c.go d/e/c.md", "d": "d/b.go d/e/c.go d/e/c.md",
	} {
		for _, revision := range []string{"", "HEAD"} {
			a := search(t, s, connectors.CodeQuery{Text: "needle", Path: glob, Revision: revision})
			if got := paths(a.items, hitPath); got != want {
				t.Errorf("%s at %q: %q, want %q", glob, revision, got, want)
			}
		}
	}
	search(t, s, connectors.CodeQuery{Text: "needle", Path: "*.rs"}).is(status.Partial, status.ReferenceUnresolved, "filter_unresolved", 0)
	search(t, s, connectors.CodeQuery{Text: "needle", Path: "d[.go"}).is(status.AccessFailure, status.InputMissing, "invalid_argument", 0)
}

func TestAQueryThatCannotBeSearchedIsRefused(t *testing.T) {
	l := newLab(t)
	s := l.source(l.origin())
	for q, reason := range map[string]string{"a\nb": "query_refused", strings.Repeat("q", 10_000): "query_refused",
		strings.Repeat("q", 10_001): "invalid_argument", "a\x00b": "invalid_argument", "\xff\xfe": "invalid_argument"} {
		search(t, s, connectors.CodeQuery{Text: q}).is(status.AccessFailure, status.InputMissing, reason, 0)
	}
	search(t, s, connectors.CodeQuery{Text: " "}).is(status.AccessFailure, status.InputMissing, "missing_required_argument", 0)
	search(t, s, connectors.CodeQuery{Text: `-e.*[x](\d){2}$^|needle?`}).is(status.Empty, status.None, "", 0)
	search(t, s, connectors.CodeQuery{Text: "needle", Repo: "acme/other"}).is(status.AccessFailure, status.ReferenceUnresolved, "no_candidates", 0)
	search(t, s, connectors.CodeQuery{Text: "needle", Paging: connectors.Paging{Cursor: "bogus"}}).is(status.AccessFailure, status.InputMissing, "invalid_argument", 0)
}

func TestLG14_AHitInABinaryFileSaysThatItIsBinary(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "one", map[string]string{"a.bin": "\x00\x01needle\x00\n", "b.txt": "needle\n", "c.bin": "\x00needle"})
	s := l.source(o)
	for _, revision := range []string{"", "HEAD"} {
		a := search(t, s, connectors.CodeQuery{Text: "needle", Revision: revision}).is(status.Success, status.None, "", 3)
		if hit := a.items[0]; hit.Path != "a.bin" || len(hit.Matches) != 1 || hit.Matches[0] != (connectors.LineMatch{Text: "(binary file)"}) {
			t.Errorf("binary hit: %+v", hit)
		}
		var pages []string
		for cursor := ""; len(pages) < 4; {
			a := search(t, s, connectors.CodeQuery{Text: "needle", Revision: revision, Paging: connectors.Paging{Limit: 1, Cursor: cursor}})
			pages = append(pages, refs(a))
			if cursor = a.next; cursor == "" {
				break
			}
		}
		want(t, strings.Join(pages, " "), "a.bin b.txt:1 c.bin")
	}
}
