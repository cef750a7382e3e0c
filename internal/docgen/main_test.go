package main

import (
	"strings"
	"testing"

	"github.com/frank-mcp/frank/status"
)

func TestTheDocumentationIsUpToDate(t *testing.T) {
	if err := run("../..", true); err != nil {
		t.Error(err)
	}
}

func TestAChangedTableIsNoticed(t *testing.T) {
	old := []byte("a\n<!-- generated: x -->\nold\n<!-- end: x -->\nb\n")
	fresh, err := fill(old, []part{{"x", func() string { return "new\n" }}})
	if err != nil || string(fresh) != "a\n<!-- generated: x -->\nnew\n<!-- end: x -->\nb\n" {
		t.Errorf("filled to %q, %v", fresh, err)
	}
	if _, err := fill([]byte("no markers"), []part{{"x", func() string { return "" }}}); err == nil {
		t.Error("missing markers are not noticed")
	}
}

func TestAReasonThatNoTestReachesIsNamed(t *testing.T) {
	var all []string
	for _, r := range status.Reasons() {
		all = append(all, r.Name())
	}
	if err := unreached(strings.Join(all, "\n")); err != nil {
		t.Error(err)
	}
	if err := unreached(strings.Join(all[1:], "\n")); err == nil || !strings.Contains(err.Error(), all[0]) {
		t.Errorf("the reason %s is not missed: %v", all[0], err)
	}
}
