package status_test

import (
	"context"
	"testing"

	"github.com/frank-mcp/frank/status"
)

// TestWithoutAWatcherNothingIsPaid: no allocation for anything that a watcher would
// be told, inside a call and outside.
func TestWithoutAWatcherNothingIsPaid(t *testing.T) {
	for name, ctx := range map[string]context.Context{
		"a call": status.WithCall(context.Background(), &status.Call{ID: "1", Tool: "t"}), "no call": context.Background(),
	} {
		if n := testing.AllocsPerRun(100, func() {
			inside, end := status.Begin(ctx, status.Work{Kind: status.AttemptWork, Source: "s", Endpoint: "GET /x", Method: "GET", Attempt: 1})
			status.Retrying{Source: "s", Reason: status.Timeout, Attempt: 1}.Tell(inside)
			status.Resting(inside, "s", 1)
			if status.Watched(inside) || status.Outgoing(inside) != "" {
				t.Error("somebody watches")
			}
			end(status.Ending{Reason: "timeout"})
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
