package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/capabilities"
	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
	"github.com/frank-mcp/frank/tools"
)

// writable is a tracker of which only what it offers is of interest.
type writable struct {
	connectors.Tracker
	connectors.Writer
}

// TestWhatIsOfferedComesFromOneSourceOnly: a producer that panics, that was given up,
// or that is not to be had leaves the argument missing, and nothing else.
func TestWhatIsOfferedComesFromOneSourceOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		lister  connectors.Lister
		want    string
		told    int
		options string
	}{
		"none": {nil, "missing_required_argument", 0, ""},
		"panics": {func(context.Context, connectors.Kind) (connectors.Options, *status.Failure) { panic("secret") },
			"missing_required_argument", 1, ""},
		"names nothing": {func(context.Context, connectors.Kind) (connectors.Options, *status.Failure) {
			return connectors.Options{}, nil
		}, "missing_required_argument", 0, ""},
		"is asked for its kind, and in time": {func(ctx context.Context, k connectors.Kind) (connectors.Options, *status.Failure) {
			if _, bounded := ctx.Deadline(); k != connectors.KindTracker || !bounded {
				return connectors.Options{}, nil
			}
			return connectors.Options{Names: []string{"A", "a", "B"}}, nil
		}, "dynamic_option_required", 0, "A, B"},
	} {
		t.Run(name, func(t *testing.T) {
			told := 0
			d := &tools.Deps{
				Sources:  []connectors.Source{{Name: "one", Tracker: writable{}, Writer: writable{}, Options: tc.lister}},
				Manifest: capabilities.New(capabilities.Options{Now: time.Now}), Writes: true, Now: time.Now,
				Panicked: func(string, string, any) { told++ },
			}
			for _, x := range tools.All() {
				if x.Spec().Name != "tracker_create_issue" {
					continue
				}
				e := x.Call(t.Context(), d, json.RawMessage(`{"title":"T"}`))
				f, _ := e.Failure()
				if f.Reason().Name() != tc.want || told != tc.told {
					t.Errorf("%s, told %d times of a panic:\n%s", f.Reason(), told, e.Text())
				}
				if f.Text("options") != tc.options || strings.Contains(e.Text(), "secret") {
					t.Errorf("it says:\n%s", e.Text())
				}
			}
		})
	}
}
