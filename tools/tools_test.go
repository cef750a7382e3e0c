package tools_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/internal/replay"
	"github.com/frank-mcp/frank/status"
	"github.com/frank-mcp/frank/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestCases runs the review paths and the bad arguments through the public tools.
func TestCases(t *testing.T) {
	replay.Each(t, filepath.Join("testdata", "*.txtar"), func(t *testing.T, c replay.Case) { contracttest.Case(t, c) })
}

// TestReviewPathsLeadToDifferentNextActions: six ways to fail, six different moves.
func TestReviewPathsLeadToDifferentNextActions(t *testing.T) {
	seen := map[string]string{}
	replay.Each(t, filepath.Join("testdata", "review-*.txtar"), func(t *testing.T, c replay.Case) {
		w := c.Wants[0]
		r, ok := status.ReasonNamed(w.Reason)
		if !ok {
			t.Fatalf("unknown reason %q", w.Reason)
		}
		move := w.Status + " / " + r.Action()
		if other, twice := seen[move]; twice {
			t.Errorf("%s and %s lead to the same next action %q", c.Name, other, move)
		}
		seen[move] = c.Name
	})
	if len(seen) < 6 {
		t.Errorf("only %d review paths", len(seen))
	}
}

func TestSchemasAreSmallStrictAndComplete(t *testing.T) {
	total := 0
	for _, x := range tools.All() {
		s := x.Spec()
		total += len(s.Name) + len(s.Description) + len(x.InputSchema())
		var schema struct {
			Type                 string
			Properties           map[string]struct{ Type string }
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(x.InputSchema(), &schema); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if schema.Type != "object" || schema.AdditionalProperties == nil || *schema.AdditionalProperties {
			t.Errorf("%s: the schema is not closed", s.Name)
		}
		for name, p := range schema.Properties {
			if p.Type == "" {
				t.Errorf("%s: %s has no type", s.Name, name)
			}
		}
		if s.Title == "" || s.Description == "" || s.Operation == "" || s.One == "" {
			t.Errorf("%s: its declaration is incomplete", s.Name)
		}
	}
	if total > 12<<10 {
		t.Errorf("names, descriptions and input schemas have %d bytes, at most 12288 are allowed", total)
	}
}

func TestTheToolsAreThoseOfTheContract(t *testing.T) {
	want := strings.Fields(`tracker_search tracker_get_issue tracker_describe tracker_create_issue tracker_update_issue tracker_add_comment repo_search_code repo_read_file repo_list
		repo_get_change repo_history docs_search docs_read docs_list list_capabilities resolve_reference escalate get_escalation list_failures`)
	var got []string
	for _, x := range tools.All() {
		got = append(got, x.Spec().Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the tools are %v", got)
	}
}
