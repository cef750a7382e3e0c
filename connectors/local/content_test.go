//go:build unix

package local_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
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
	if e := search(t, s, connectors.CodeQuery{Text: "nowhere"}).said; !strings.Contains(e, `"status":"empty"`) || !strings.Contains(e, "ignored_files") {
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

func TestLG12_LD05_AScopeThatGitDoesNotEnterIsNoAbsence(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "rules", map[string]string{".gitignore": "ign/\n", "real/t.txt": "needle\n", "real/deep/u.txt": "needle\n"})
	l.write("r/ign/sub/i.md", "needle\n")
	if err := os.Mkdir(l.path("r/void"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "real", "skipped": "ign", "away": ".."} {
		if err := os.Symlink(target, l.path("r", name)); err != nil {
			t.Fatal(err)
		}
	}
	l.commit(o, "links", nil)
	s := l.source(o)
	for _, p := range []string{"ign", "ign/sub", "skipped", "skipped/sub"} {
		search(t, s, connectors.CodeQuery{Text: "needle", Path: p}).is(status.AccessFailure, status.CapabilityUnavailable, "operation_unsupported", 0)
		list(t, s, connectors.RepoList{Path: p}).is(status.AccessFailure, status.CapabilityUnavailable, "operation_unsupported", 0)
	}
	for _, revision := range []string{"", "HEAD"} {
		search(t, s, connectors.CodeQuery{Text: "needle", Path: "link", Revision: revision}).is(status.Success, status.None, "", 2)
		search(t, s, connectors.CodeQuery{Text: "needle", Path: "link/deep", Revision: revision}).is(status.Success, status.None, "", 1)
		list(t, s, connectors.RepoList{Path: "link", Revision: revision}).is(status.Success, status.None, "", 2)
		list(t, s, connectors.RepoList{Path: "away", Revision: revision}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0)
	}
	search(t, s, connectors.CodeQuery{Text: "needle", Path: "void"}).is(status.Empty, status.None, "", 0)
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

func TestLG22_AFileIsFollowedThroughRenames(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	text := strings.Repeat("a line of the file\n", 20)
	l.commit(o, "one", map[string]string{"old.txt": text})
	l.commit(o, "two", map[string]string{"old.txt": text + "more\n"})
	l.git(o, "mv", "old.txt", "mid.txt")
	l.git(o, "commit", "-q", "-m", "three")
	l.commit(o, "other", map[string]string{"old.txt": "another file\n"})
	l.git(o, "mv", "mid.txt", "new.txt")
	l.git(o, "commit", "-q", "-m", "four")
	a := history(t, l.source(o), connectors.HistoryQuery{Path: "new.txt"}).is(status.Success, status.None, "", 4)
	if titles(a.items) != "four three two one" {
		t.Errorf("history: %s", titles(a.items))
	}
}

func TestLG23_CommitsOfSideBranchesAreInTheHistoryOfAPath(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "base", map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	l.git(o, "checkout", "-q", "-b", "side")
	l.commit(o, "there", map[string]string{"a.txt": "changed\n"})
	l.commit(o, "back", map[string]string{"a.txt": "a\n"})
	l.git(o, "checkout", "-q", "main")
	l.commit(o, "main", map[string]string{"b.txt": "bb\n"})
	l.git(o, "merge", "-q", "-m", "merge", "side")
	a := history(t, l.source(o), connectors.HistoryQuery{Path: "a.txt"}).is(status.Success, status.None, "", 3)
	if titles(a.items) != "back there base" {
		t.Errorf("history: %s", titles(a.items))
	}
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

func TestLD08_LongLinesHideNothing(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	long := strings.Repeat("x", 200_000)
	l.commit(o, "long", map[string]string{"a.txt": long + "needle" + long + "\nneedle at the end\n"})
	s := l.source(o)
	a := search(t, s, connectors.CodeQuery{Text: "needle"}).is(status.Success, status.None, "", 1)
	if m := a.items[0].Matches; len(m) != 2 || m[1].Line != 2 || !strings.Contains(m[0].Text, "needle") || len(m[0].Text) > 300 {
		t.Errorf("matches: %+v", m)
	}
	f := readFile(t, s, connectors.FileGet{Path: "a.txt", StartLine: 2}).is(status.Success, status.None, "", 1)
	if f.items[0].Text != "needle at the end\n" {
		t.Errorf("text %q", f.items[0].Text)
	}
	readFile(t, s, connectors.FileGet{Path: "a.txt"}).is(status.Partial, status.CapabilityUnavailable, "own_cap", 1)
}

func TestLD17_NothingOutsideTheRootIsRead(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	l.write("outside.txt", "secret\n")
	for name, target := range map[string]string{"out": "../outside.txt", "abs": l.path("outside.txt"), "dir": "..", "conf": ".git/config", "in": "lib/x.txt", "loop": "loop"} {
		if err := os.Symlink(target, l.path(o, name)); err != nil {
			t.Fatal(err)
		}
	}
	l.commit(o, "links", nil)
	s := l.source(o)
	for _, p := range []string{"../outside.txt", l.path("outside.txt"), "lib/../../outside.txt", ".git/config", "lib/../.GIT/config", "out", "abs", "dir/outside.txt", "conf", ".g\u200cit/config"} {
		for _, revision := range []string{"", "HEAD"} {
			readFile(t, s, connectors.FileGet{Path: p, Revision: revision}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0)
		}
	}
	search(t, s, connectors.CodeQuery{Text: "x", Path: "../*"}).is(status.AccessFailure, status.AccessDenied, "policy_denied", 0)
	for _, revision := range []string{"", "HEAD"} {
		readFile(t, s, connectors.FileGet{Path: "in", Revision: revision}).is(status.Success, status.None, "", 1)
		if a := readFile(t, s, connectors.FileGet{Path: "loop", Revision: revision}); a.status != status.AccessFailure || a.reason != "contradictory" {
			t.Errorf("loop: %s %s", a.status, a.reason)
		}
	}
	readFile(t, s, connectors.FileGet{Path: l.path(o, "a.txt")}).is(status.Success, status.None, "", 1)
	if err := syscall.Mkfifo(l.path(o, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	readFile(t, s, connectors.FileGet{Path: "pipe"}).is(status.AccessFailure, status.CapabilityUnavailable, "operation_unsupported", 0)
}

func TestAHostileRepositoryRunsNothing(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	mark := l.path("ran")
	script := "#!/bin/sh\ntouch " + mark + "\nexec cat\n"
	l.write("evil.sh", script)
	if err := os.Chmod(l.path("evil.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	evil := l.path("evil.sh")
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "reference-transaction"} {
		l.write("origin/.git/hooks/"+hook, script)
		if err := os.Chmod(l.path("origin/.git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l.write("origin/.gitattributes", "*.txt diff=evil filter=evil\n")
	l.write("origin/.git/info/attributes", "*.txt diff=evil filter=evil\n")
	config := "[core]\n fsmonitor = %[1]s\n pager = %[1]s\n sshCommand = %[1]s\n hooksPath = .git/hooks\n alternateRefsCommand = %[1]s\n askPass = %[1]s\n editor = %[1]s\n" +
		"[diff]\n external = %[1]s\n[diff \"evil\"]\n command = %[1]s\n textconv = %[1]s\n[filter \"evil\"]\n clean = %[1]s\n smudge = %[1]s\n process = %[1]s\n" +
		"[log]\n showSignature = true\n[gpg]\n program = %[1]s\n[grep]\n recurseSubmodules = true\n[pager]\n log = %[1]s\n grep = %[1]s\n[credential]\n helper = %[1]s\n[alias]\n grep = !%[1]s\n"
	f, err := os.OpenFile(l.path("origin/.git/config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, config, evil)
	f.Close()
	l.write("origin/a.txt", "changed on disk, needle\n")
	signed := "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n"
	l.write("commit", strings.Replace(l.git(o, "cat-file", "commit", "HEAD")+"\n", "\n\n", "\n"+signed, 1))
	l.git(o, "update-ref", "refs/heads/main", l.git(o, "hash-object", "-t", "commit", "-w", l.path("commit")))
	if err := os.Remove(mark); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	s := l.source(o)
	for _, revision := range []string{"", "HEAD"} {
		search(t, s, connectors.CodeQuery{Text: "needle", Revision: revision})
		readFile(t, s, connectors.FileGet{Path: "a.txt", Revision: revision}).is(status.Success, status.None, "", 1)
		list(t, s, connectors.RepoList{Revision: revision, Recursive: true})
		history(t, s, connectors.HistoryQuery{Revision: revision, Path: "a.txt", Text: "first"}).is(status.Success, status.None, "", 1)
	}
	for _, name := range []string{"HEAD", "HEAD~1"} {
		change(t, s, connectors.ChangeGet{Ref: commitRef(name), Files: true, Diff: true}).is(status.Success, status.None, "", 1)
	}
	change(t, s, connectors.ChangeGet{Ref: compareRef("HEAD~2", "HEAD", true), Files: true, Diff: true}).is(status.Success, status.None, "", 1)
	manifest(s)
	if _, err := os.Lstat(mark); err == nil {
		t.Fatal("a program that the repository names was run")
	}
}

func TestAChangeHasItsPartsAndSaysWhatACloneDoesNotKeep(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	text := strings.Repeat("a line of the file\n", 20)
	l.commit(o, "one", map[string]string{"a.txt": text, "gone.txt": "x\n", "b.bin": "\x00\x01"})
	l.git(o, "mv", "a.txt", "name with\ttab.txt")
	if err := os.Remove(l.path(o, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	sha := l.commit(o, "Subject\n\nBody \u202ewith bidi", map[string]string{"b.bin": "\x00\x02", "new.txt": "1\n2\n"})
	s := l.source(o)
	a := change(t, s, connectors.ChangeGet{Ref: commitRef(sha[:10]), Files: true, Diff: true}).is(status.Success, status.None, "", 1)
	c := a.items[0]
	if c.Kind != "commit" || c.Title != "Subject" || c.Body != "Body with bidi" || c.Removed == 0 || c.HeadSHA != sha || c.Author != "Ann Author" {
		t.Errorf("commit: %+v", c)
	}
	got := ""
	for _, f := range c.Files {
		got += fmt.Sprintf("%s %s<%s +%d -%d %t;", f.Status, f.Path, f.Previous, f.Additions, f.Deletions, f.Binary)
	}
	want := "modified b.bin< +0 -0 true;removed gone.txt< +0 -1 false;renamed name with tab.txt<a.txt +0 -0 false;added new.txt< +2 -0 false;"
	if got != want || c.FileCount != 4 || c.Additions != 2 || c.Deletions != 1 || !strings.Contains(c.Diff, "+2\n") {
		t.Errorf("files: %s\nwant: %s\n%d +%d -%d\n%s", got, want, c.FileCount, c.Additions, c.Deletions, c.Diff)
	}
	root := change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD~1"), Files: true}).is(status.Success, status.None, "", 1)
	if len(root.items[0].Files) != 3 {
		t.Errorf("root commit: %+v", root.items[0].Files)
	}
	change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Comments: true, Reviews: true, Checks: true}).is(status.Partial, status.CapabilityUnavailable, "operation_unsupported", 1)
	change(t, s, connectors.ChangeGet{Ref: ref.Ref{Raw: "#1"}}).is(status.AccessFailure, status.CapabilityUnavailable, "operation_unsupported", 0)
}

func TestABigDiffIsCutAndSaysSo(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	files := map[string]string{"big.txt": strings.Repeat("some text on a line\n", 20_000)}
	for i := range 150 {
		files[fmt.Sprintf("f%03d.txt", i)] = "x\n"
	}
	l.commit(o, "big", files)
	s := l.source(o)
	a := change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Diff: true}).is(status.Partial, status.CapabilityUnavailable, "own_cap", 1)
	if n := len(a.items[0].Diff); n == 0 || n > 128<<10 {
		t.Errorf("diff of %d bytes", n)
	}
	one := change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Files: true}).is(status.Partial, status.None, "", 1)
	two := change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD"), Files: true, Cursor: one.next}).is(status.Success, status.None, "", 1)
	if len(one.items[0].Files) != 100 || len(two.items[0].Files) != 51 {
		t.Errorf("pages of %d and %d files", len(one.items[0].Files), len(two.items[0].Files))
	}
}

func TestPagesJoinUpToTheWhole(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	for i := range 7 {
		l.commit(o, fmt.Sprintf("c%d", i), map[string]string{
			fmt.Sprintf("d%d/f.txt", i%3): strings.Repeat("needle\nother\n", i+1), fmt.Sprintf("n%d.txt", i): "needle\n",
		})
		l.git(o, "tag", fmt.Sprintf("v%d", i))
	}
	l.write("r/untracked.txt", "needle\nneedle\n")
	s := l.source(o)
	walk := func(name string, want int, page func(cursor string) ([]string, string, status.Status)) {
		seen, cursor := map[string]bool{}, ""
		for range 100 {
			items, next, st := page(cursor)
			for _, i := range items {
				if seen[i] {
					t.Errorf("%s: %s twice", name, i)
				}
				seen[i] = true
			}
			if (st == status.Partial) != (next != "") {
				t.Fatalf("%s: %s with cursor %q", name, st, next)
			}
			if cursor = next; cursor == "" {
				break
			}
		}
		if len(seen) != want {
			t.Errorf("%s: %d of %d: %v", name, len(seen), want, seen)
		}
	}
	for _, revision := range []string{"", "main"} {
		want := 7 + 7 + 5 + 6
		if revision == "" {
			want += 2
		}
		walk("search "+revision, want, func(cursor string) (out []string, next string, st status.Status) {
			a := search(t, s, connectors.CodeQuery{Text: "needle", Revision: revision, Paging: connectors.Paging{Limit: 4, Cursor: cursor}})
			for _, h := range a.items {
				for _, m := range h.Matches {
					out = append(out, fmt.Sprint(h.Path, m.Line))
				}
			}
			return out, a.next, a.status
		})
		walk("files "+revision, map[bool]int{true: 11, false: 10}[revision == ""], func(cursor string) (out []string, next string, st status.Status) {
			a := list(t, s, connectors.RepoList{Revision: revision, Paging: connectors.Paging{Limit: 2, Cursor: cursor}})
			return strings.Fields(paths(a.items, entryRef)), a.next, a.status
		})
	}
	walk("tags", 7, func(cursor string) (out []string, next string, st status.Status) {
		a := list(t, s, connectors.RepoList{What: "tags", Paging: connectors.Paging{Limit: 3, Cursor: cursor}})
		return strings.Fields(paths(a.items, entryRef)), a.next, a.status
	})
	for _, path := range []string{"", "d0"} {
		walk("history "+path, map[bool]int{true: 7, false: 3}[path == ""], func(cursor string) (out []string, next string, st status.Status) {
			a := history(t, s, connectors.HistoryQuery{Path: path, Paging: connectors.Paging{Limit: 2, Cursor: cursor}})
			return strings.Fields(titles(a.items)), a.next, a.status
		})
	}
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

func TestHistoryFilters(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "Grüße aus Köln", map[string]string{"a.txt": "a\n"})
	l.commit(o, "second", map[string]string{"a.txt": "b\n"})
	// A clock that ran wrong: the newest commit says that it is the oldest.
	l.tick = -1_000_000
	l.commit(o, "skewed", map[string]string{"a.txt": "c\n"})
	l.tick = 100
	l.commit(o, "last", map[string]string{"a.txt": "d\n"})
	s := l.source(o)
	at := func(minute int) connectors.HistoryQuery {
		return connectors.HistoryQuery{Since: epoch(minute)}
	}
	if a := history(t, s, at(0)).is(status.Success, status.None, "", 3); titles(a.items) != "last second Grüße aus Köln" {
		t.Errorf("since: %s", titles(a.items))
	}
	history(t, s, connectors.HistoryQuery{Until: epoch(0)}).is(status.Success, status.None, "", 1)
	history(t, s, connectors.HistoryQuery{Text: "GRÜSSE"}).is(status.Empty, status.None, "", 0)
	history(t, s, connectors.HistoryQuery{Text: "gRÜßE"}).is(status.Success, status.None, "", 1)
	history(t, s, connectors.HistoryQuery{Author: "ANN@"}).is(status.Success, status.None, "", 4)
	history(t, s, connectors.HistoryQuery{Author: "ann", Text: "second"}).is(status.Success, status.None, "", 1)
	history(t, s, connectors.HistoryQuery{Author: "carl"}).is(status.Empty, status.None, "", 0)
	history(t, s, connectors.HistoryQuery{Text: ".*"}).is(status.Empty, status.None, "", 0)
}

func TestABigFileIsReadInPart(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	f, err := os.Create(l.path(o, "big.log"))
	if err != nil {
		t.Fatal(err)
	}
	block := strings.Repeat("a line of the log, one of many\n", 32<<10)
	for range 30 {
		if _, err := f.WriteString(block); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	s := l.source(o)
	a := readFile(t, s, connectors.FileGet{Path: "big.log"}).is(status.Partial, status.CapabilityUnavailable, "own_cap", 1)
	if n := len(a.items[0].Text); n == 0 || n > 128<<10 || a.items[0].TotalLines != 0 {
		t.Errorf("%d bytes of text, %d lines", n, a.items[0].TotalLines)
	}
	a = readFile(t, s, connectors.FileGet{Path: "big.log", StartLine: 900_000, EndLine: 900_001}).is(status.Success, status.None, "", 1)
	if a.items[0].StartLine != 900_000 || a.items[0].EndLine != 900_001 {
		t.Errorf("lines %d to %d", a.items[0].StartLine, a.items[0].EndLine)
	}
	readFile(t, s, connectors.FileGet{Path: "a.txt", StartLine: 9}).is(status.AccessFailure, status.InputMissing, "invalid_argument", 0)
}

func TestThousandsOfFiles(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	for i := range 4000 {
		l.write(fmt.Sprintf("r/d%d/f%d.txt", i%40, i), fmt.Sprintf("file %d\nneedle\n", i))
	}
	l.git(o, "add", "-A")
	l.git(o, "commit", "-q", "-m", "many")
	for i := range 6_000 {
		l.write(fmt.Sprintf("r/u%d/g%d.txt", i%40, i), "x\n")
	}
	l.write("r/u1/last.txt", "needle\n")
	s := l.source(o)
	a := search(t, s, connectors.CodeQuery{Text: "needle", Paging: connectors.Paging{Limit: 100}}).is(status.Partial, status.None, "", 100)
	if a.items[99].Path == "" || a.next == "" {
		t.Errorf("page: %s", a.said)
	}
	search(t, s, connectors.CodeQuery{Text: "needle", Path: "u1"}).is(status.Success, status.None, "", 1)
	search(t, s, connectors.CodeQuery{Text: "nowhere"}).is(status.Empty, status.None, "", 0)
	list(t, s, connectors.RepoList{Recursive: true, Paging: connectors.Paging{Limit: 100}}).is(status.Partial, status.None, "", 100)
}

func TestAPageOfCommitsIsSmall(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	for i := range 20 {
		l.commit(o, fmt.Sprintf("Change number %d of the parser so that it reads more\n\n%s", i, strings.Repeat("body ", 200)), nil)
	}
	if e := history(t, l.source(o), connectors.HistoryQuery{}).said; len(e) > 8<<10 {
		t.Errorf("%d bytes", len(e))
	}
}
