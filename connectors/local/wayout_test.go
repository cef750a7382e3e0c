//go:build unix

package local_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// What a person reads first when a name is another thing than was meant has to
// say which call would answer.

func TestAFileOfAnotherRevisionIsReadThere(t *testing.T) {
	l := newLab(t)
	o := l.origin()
	short := l.git(o, "rev-parse", "feature")[:12]
	s := l.source(o)
	a := readFile(t, s, connectors.FileGet{Path: "f.txt"}).is(status.AccessFailure, status.ReferenceUnresolved, "low_confidence", 0)
	want(t, a.fact("remedy"), "Call again with revision="+short+".")
	want(t, a.candidates[0].Title, "at revision "+short)
	readFile(t, s, connectors.FileGet{Path: "f.txt", Revision: short}).is(status.Success, status.None, "", 1)
}

func TestADirectoryIsListed(t *testing.T) {
	l := newLab(t)
	s := l.source(l.origin())
	for revision, remedy := range map[string]string{"": "List it with repo_list path=lib.", "HEAD": "List it with repo_list path=lib revision=HEAD."} {
		a := readFile(t, s, connectors.FileGet{Path: "lib", Revision: revision}).is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0)
		want(t, a.fact("remedy"), remedy)
		want(t, a.offered(), "lib/x.txt")
		if !strings.Contains(a.said, "Could not check file lib: lib is a directory.") {
			t.Errorf("said %s", a.said)
		}
	}
}

func TestAFileThatIsNoDocumentIsReadAsAFile(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "one", map[string]string{"main.go": "package main\n", "sub/main.go": "package sub\n", "sub/a.md": "a\n"})
	want(t, read(l.source(o), "main.go", "").is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0).fact("remedy"),
		"Read it with repo_read_file path=main.go.")
	plain := newShelf(t, "main.go", "package main\n")
	want(t, read(plain.source(), "main.go", "").is(status.AccessFailure, status.ReferenceUnresolved, "wrong_kind", 0).fact("remedy"),
		"Give the path or the title of a document; docs_list lists them.")
}

func TestLG12_AnIgnoredFileIsCalledIgnored(t *testing.T) {
	l := newLab(t)
	o := l.repo("r")
	l.commit(o, "one", map[string]string{".gitignore": "*.env\n", "a.md": "a\n"})
	l.write("r/secret.env", "x\n")
	s := l.source(o)
	for _, a := range []answer[json.RawMessage]{
		ask[json.RawMessage](t.Context(), s, "resolve_reference", arguments{"reference": "secret.env"}),
		ask[json.RawMessage](t.Context(), s, "docs_read", arguments{"ref": "secret.env"}),
	} {
		if a.status != status.AccessFailure || a.code != status.CapabilityUnavailable || strings.Contains(a.said, "a file of the repository") || !strings.Contains(a.said, ".gitignore") {
			t.Errorf("said %s", a.said)
		}
	}
}
