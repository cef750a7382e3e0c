package app_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}` + "\n" +
	`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"

// A host's first questions need no source, and must not wait for git.
func TestLaterOpensSourcesWithTheFirstCall(t *testing.T) {
	var made atomic.Int32
	a, err := app.Later(func() *config.Config {
		made.Add(1)
		return &config.Config{Retry: config.DefaultRetry()}
	}, app.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := a.Server.ServeStdio(context.Background(), strings.NewReader(initialize), &out); err != nil {
		t.Fatal(err)
	}
	if made.Load() != 0 || !strings.Contains(out.String(), `"id":1,"result"`) || !strings.Contains(out.String(), `"id":2,"result"`) {
		t.Fatalf("configured %d times; answered %.200s", made.Load(), out.String())
	}
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			if r := a.Call(context.Background(), "list_capabilities", nil); r.IsError {
				t.Errorf("got %s", r.Text)
			}
		})
	}
	calls.Wait()
	if made.Load() != 1 {
		t.Errorf("configured %d times", made.Load())
	}
}
