package local_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/config"
)

// each is how many issues each of the writers creates.
const each = 8

// TestWriterProcess is one of the processes of the test below; by itself it does nothing.
func TestWriterProcess(t *testing.T) {
	root, name, ok := strings.Cut(os.Getenv("FRANK_TEST_WRITER"), "\n")
	if !ok {
		t.Skip("runs as a process of another test")
	}
	src := start(t, config.Source{Root: root})
	for i := range each {
		r := src.create(connectors.IssueCreate{Title: fmt.Sprint(name, " ", i), Body: "x"})
		src.comment(r.one().Ref, "by "+name).one()
	}
}

func TestTwoProcessesLoseNothing(t *testing.T) {
	trackers(t, func(t *testing.T, s *shelf, _, dir, _ string) {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		failed := make([]error, 3)
		for n := range failed {
			group.Go(func() {
				cmd := exec.Command(exe, "-test.run=^TestWriterProcess$")
				cmd.Env = append(os.Environ(), "FRANK_TEST_WRITER="+s.root+"\nwriter "+fmt.Sprint(n))
				if out, err := cmd.CombinedOutput(); err != nil {
					failed[n] = fmt.Errorf("%w: %s", err, out)
				}
			})
		}
		group.Wait()
		if err := errors.Join(failed...); err != nil {
			t.Fatal(err)
		}
		r := issues(s.source(), connectors.IssueQuery{Text: "writer", Paging: connectors.Paging{Limit: 100}})
		want(t, r.verdict(), "success NONE")
		var ids, titles []string
		for _, i := range r.items {
			ids, titles = append(ids, i.Ref), append(titles, i.Title)
			if i.Comments == nil || *i.Comments != 1 {
				t.Errorf("%s lost its comment", i.Ref)
			}
		}
		slices.Sort(ids)
		slices.Sort(titles)
		if n := len(failed) * each; len(slices.Compact(ids)) != n || len(slices.Compact(titles)) != n {
			t.Errorf("%d ids, %d titles, want %d", len(slices.Compact(ids)), len(slices.Compact(titles)), n)
		}
		if strings.Contains(s.names(dir), ".frank") {
			t.Error(s.names(dir))
		}
	})
}
