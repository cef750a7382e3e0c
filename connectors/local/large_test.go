//go:build unix

package local_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

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
