package github

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
)

func TestMatchLinesCountsFromOneAndIgnoresCase(t *testing.T) {
	got := matchLines("one\nTwo two\nthree\nTWO", markup.NewNeedle("two"))
	want := []connectors.LineMatch{{Line: 2, Text: "Two two"}, {Line: 4, Text: "TWO"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := matchLines("one\n", markup.NewNeedle("two")); got != nil {
		t.Errorf("no match: got %v", got)
	}
}

func TestMatchLinesShowsTheMatchOfALongLine(t *testing.T) {
	text := strings.Repeat("é", 5000) + "needle" + strings.Repeat("x", 5000)
	got := matchLines(text, markup.NewNeedle("needle"))
	if len(got) != 1 || !strings.Contains(got[0].Text, "needle") || len([]rune(got[0].Text)) > maxMatchRunes {
		t.Errorf("got %v", got)
	}
}
