package status_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/frank-mcp/frank/status"
)

// arranged draws several answers, and shows of each either all items or none; which
// of the latter wait, is drawn too.
func arranged(t *rapid.T) (before, after status.Result[int], shown, waiting int) {
	var parts []status.Result[int]
	for i := range rapid.IntRange(1, 4).Draw(t, "n") {
		parts = append(parts, anyOf(t, fmt.Sprint("s", i)))
	}
	before = status.Merge(parts...)
	var list []status.Shown[int]
	held := map[string]bool{}
	for _, p := range parts {
		for _, row := range p.Rows() {
			if row.Items > 0 && rapid.Bool().Draw(t, "waits") {
				held[row.Source] = true
				continue
			}
			for range row.Items {
				list = append(list, status.Shown[int]{Source: row.Source, Item: len(list)})
			}
		}
	}
	slices.Reverse(list)
	return before, status.Arrange(before, list, held), len(list), len(held)
}

// anyOf is an answer of that source.
func anyOf(t *rapid.T, source string) status.Result[int] {
	if rapid.IntRange(0, 3).Draw(t, "failed") == 0 {
		return status.Failed[int](source, status.Fail(rapid.SampledFrom(status.Reasons()).Draw(t, "reason")))
	}
	a := proved()
	if rapid.Bool().Draw(t, "gap") {
		a.Unmade(status.Completeness, status.Fail(status.Timeout))
	}
	if rapid.Bool().Draw(t, "more") {
		a.Next("c")
	}
	return status.List(source, make([]int, rapid.IntRange(0, 3).Draw(t, "items")), a)
}

// TestAnArrangementConcludesNoMoreThanTheAnswersDo: it shows what it is given in its
// order, counts it by source, and takes what waits for more to come.
func TestAnArrangementConcludesNoMoreThanTheAnswersDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after, shown, waiting := arranged(t)
		counted, held := 0, 0
		for _, row := range after.Rows() {
			counted += row.Items
			if row.Held {
				held++
			}
			if row.Held && row.Status != status.Partial {
				t.Fatalf("what waits is told as %s", row.Status)
			}
		}
		items := after.Items()
		if counted != shown || len(items) != shown || held != waiting {
			t.Fatalf("%d shown, %d counted, %d items; %d of %d wait", shown, counted, len(items), held, waiting)
		}
		for i, item := range items {
			if item != shown-1-i {
				t.Fatalf("not in order: %v", items)
			}
		}
		was, _ := before.Verdict()
		is, _ := after.Verdict()
		if was != is && (waiting == 0 || was != status.Success || is != status.Partial) {
			t.Fatalf("%s became %s while %d wait", was, is, waiting)
		}
		checkEnvelope(t, after.Envelope(asked))
	})
}

// TestASummaryCountsWhatEachSourceShows, and speaks of no absence beside data.
func TestASummaryCountsWhatEachSourceShows(t *testing.T) {
	q := asked
	q.NextCursor = ""
	a, b := status.List("a", []int{1, 2}, proved()), status.List("b", []int{3}, proved())
	none, down := status.List[int]("none", nil, proved()), status.Failed[int]("down", status.Fail(status.Timeout))
	for want, r := range map[string]status.Result[int]{
		"Found 2 issues of acme/app in a.":                                      a,
		"Found 3 issues of acme/app: 2 from a, 1 from b.":                       status.Merge(a, b),
		"Found 3 issues of acme/app in a, b, none: 2 from a, 1 from b.":         status.Merge(a, b, none),
		"Partial results: 2 issues of acme/app (2 from a) seen so far; down ":   status.Merge(a, down),
		"Partial results: 0 issues of acme/app seen so far; down ":              status.Merge(none, down),
		"Partial results: 1 issue of acme/app (1 from b) seen so far; down did": status.Merge(b, none, down),
	} {
		if e := r.Envelope(q); !strings.HasPrefix(e.Summary(), want) {
			t.Errorf("%q, want %q", e.Summary(), want)
		}
	}
	q.Further = true
	if e := none.Envelope(q); e.Status() != status.Success || e.Summary() != "Found 0 more issues of acme/app in none; the list ends here." {
		t.Errorf("a page after others: %s %q", e.Status(), e.Summary())
	}
}
