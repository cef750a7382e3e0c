package tools

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

// TestEveryFilterIsWorded: a summary that left a filter out would claim more than
// was asked. What only selects sources, pages or kinds is worded otherwise.
func TestEveryFilterIsWorded(t *testing.T) {
	elsewhere := []string{"source", "limit", "cursor", "what", "recursive"}
	for _, args := range []any{
		trackerSearchArgs{}, trackerDescribeArgs{}, repoSearchCodeArgs{}, repoListArgs{}, repoHistoryArgs{}, docsSearchArgs{}, docsListArgs{}, listFailuresArgs{},
	} {
		typ := reflect.TypeOf(args)
		for _, f := range fieldsOf(typ) {
			if f.word == "" && (typ.Name() == "listFailuresArgs" && f.name == "source" || !slices.Contains(elsewhere, f.name)) {
				t.Errorf("%s: %s has no word", typ.Name(), f.name)
			}
		}
	}
	got := phrase(trackerSearchArgs{
		Query: "x", Project: "acme/app", State: "open", Assignee: "ada", Author: "bob", Labels: []string{"bug", "ui"},
		UpdatedSince: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), NativeQuery: "q",
	})
	want := "of acme/app matching “x” in state open assigned to ada by bob labelled bug, ui updated since 2026-01-02T00:00:00Z matching “q”"
	if got != want {
		t.Errorf("worded as %q", got)
	}
	if got := phrase(trackerSearchArgs{Project: "*", State: "all"}); got != "" {
		t.Errorf("defaults are worded as %q", got)
	}
}
