package local_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

func TestLD16_LongListsOfATrackerAreCutAndSaySo(t *testing.T) {
	var lines strings.Builder
	for i := range 250 {
		fmt.Fprintf(&lines, `{"id":"bd-%d","title":"t","status":"open","created_by":"p%d","labels":["l%d"],"dependencies":[{"issue_id":"bd-%d","depends_on_id":"bd-0","type":"blocks"}]}`+"\n", i+1, i, i, i+1)
	}
	lines.WriteString(`{"id":"bd-0","title":"root","status":"open"}` + "\n")
	s := newShelf(t, ".beads/issues.jsonl", lines.String()).source()
	p := ask[connectors.Project](t.Context(), s, "tracker_describe", nil).is(status.Partial, status.CapabilityUnavailable, "own_cap", 1)
	if n, m := len(p.items[0].Labels), len(p.items[0].People); n != 200 || m != 200 || p.fact("total") != "250" {
		t.Errorf("%d labels and %d people of %s", n, m, p.fact("total"))
	}
	i := get(s, "bd-0", "links").is(status.Partial, status.CapabilityUnavailable, "own_cap", 1)
	if n := len(i.items[0].Links); n != 200 || i.fact("total") != "250" {
		t.Errorf("%d links of %s", n, i.fact("total"))
	}
}
