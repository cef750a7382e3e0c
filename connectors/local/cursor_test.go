//go:build unix

package local_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// forged is a cursor for the same question with another place in it.
func forged(t *testing.T, cursor, place string) string {
	t.Helper()
	var c map[string]any
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		t.Fatalf("%v in cursor %q", err, cursor)
	}
	c["s"] = map[string]string{"here": place}
	if b, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func TestACursorThatNoPageEndedAtIsRefused(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	files := map[string]string{".beads/issues.jsonl": ""}
	for i := range 101 {
		files[fmt.Sprintf("f%03d.md", i)] = "needle\n"
	}
	for i := range 3 {
		files[fmt.Sprintf("backlog/tasks/task-%d - Needle.md", i)] = fmt.Sprintf("---\nid: task-%d\ntitle: Needle\n---\n", i)
	}
	l.commit(o, "one", files)
	head := l.commit(o, "two", map[string]string{"f000.md": "needle 2\n"})
	l.git(o, "tag", "t1")
	l.git(o, "tag", "t2")
	s := l.source(o)
	one := connectors.Paging{Limit: 1}
	type verdict struct{ next, said string }
	for name, q := range map[string]struct {
		ask    func(connectors.Paging) verdict
		places []string
	}{
		"history": {func(p connectors.Paging) verdict {
			a := history(t, s, connectors.HistoryQuery{Paging: p})
			return verdict{a.next, a.verdict()}
		}, []string{head + ":99999", head + ":9223372036854775807", head + ":0", strings.Repeat("0", 40) + ":1", head + ":2"}},
		"history of a path": {func(p connectors.Paging) verdict {
			a := history(t, s, connectors.HistoryQuery{Path: "f000.md", Paging: p})
			return verdict{a.next, a.verdict()}
		}, []string{head + ":99999", strings.Repeat("a", 40) + ":1"}},
		"files": {func(p connectors.Paging) verdict {
			a := list(t, s, connectors.RepoList{Paging: p})
			return verdict{a.next, a.verdict()}
		}, []string{"zzz", "f999.md"}},
		"tags": {func(p connectors.Paging) verdict {
			a := list(t, s, connectors.RepoList{What: "tags", Paging: p})
			return verdict{a.next, a.verdict()}
		}, []string{"refs/tags/z", "zzz"}},
		"lines": {func(p connectors.Paging) verdict {
			a := search(t, s, connectors.CodeQuery{Text: "needle", Paging: p})
			return verdict{a.next, a.verdict()}
		}, []string{"1:zzz"}},
		"files of a change": {func(p connectors.Paging) verdict {
			a := change(t, s, connectors.ChangeGet{Ref: commitRef("HEAD~1"), Files: true, Cursor: p.Cursor})
			return verdict{a.next, a.verdict()}
		}, []string{"99999", "0", "9223372036854775807", "-1"}},
		"documents": {func(p connectors.Paging) verdict {
			a := findFrom(s, "needle", p)
			return verdict{a.next, a.verdict()}
		}, []string{"pzzz.md"}},
		"issues": {func(p connectors.Paging) verdict {
			a := issues(s, connectors.IssueQuery{Text: "needle", Paging: p})
			return verdict{a.next, a.verdict()}
		}, []string{"0001-01-01T00:00:00Z\tx-1\tzzz"}},
	} {
		first := q.ask(one)
		if first.next == "" {
			t.Errorf("%s: %s and no cursor", name, first.said)
			continue
		}
		for _, place := range q.places {
			got := q.ask(connectors.Paging{Limit: 1, Cursor: forged(t, first.next, place)}).said
			if got != "access_failure INPUT_MISSING invalid_argument" {
				t.Errorf("%s at %q: %s", name, place, got)
			}
		}
	}
}

func TestTheEntryAtWhichAPageEndedMayBeTheLastByNow(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "one", map[string]string{"a.md": "needle\n", "b.md": "needle\n"})
	s := l.source(o)
	first := list(t, s, connectors.RepoList{Paging: connectors.Paging{Limit: 1}})
	if err := os.Remove(filepath.Join(l.path(o), "b.md")); err != nil {
		t.Fatal(err)
	}
	l.commit(o, "two", nil)
	a := list(t, s, connectors.RepoList{Paging: connectors.Paging{Limit: 1, Cursor: first.next}})
	if a.status == status.AccessFailure {
		t.Errorf("a cursor was refused: %s", a.verdict())
	}
}

func TestTheOutlineOfALongDocumentIsCutAndSaysSo(t *testing.T) {
	s := newShelf(t, "long.md", "# Long\n\n"+strings.Repeat("## Part\n\n", 300)).source()
	a := read(s, "long.md", "").is(status.Partial, status.CapabilityUnavailable, "own_cap", 1)
	if n := len(a.items[0].Outline); n != 200 || a.fact("total") != "301" {
		t.Errorf("%d headings of %s", n, a.fact("total"))
	}
}
