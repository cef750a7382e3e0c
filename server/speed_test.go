package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/server"
)

// BenchmarkCall measures a whole call over pipes in memory, with an answer as
// big as a page of 20 issues in each channel.
func BenchmarkCall(b *testing.B) {
	var items []string
	for i := range 20 {
		items = append(items, fmt.Sprintf(`{"source":"github","ref":"acme/app#%d","title":"Something is wrong","url":"https://example.com/acme/app/issues/%d","body":%q}`, i, i, strings.Repeat("word ", 45)))
	}
	page := json.RawMessage(`{"status":"success","n":20,"data":{"items":[` + strings.Join(items, ",") + `]}}`)
	s := newBench(func(c *server.Config) {
		c.Call = func(context.Context, server.Call) server.Reply {
			return server.Reply{Text: string(page), Structured: page}
		}
	}).server
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(b.Context(), inR, outW) }()
	out := bufio.NewReaderSize(outR, 1<<20)
	line := []byte(call("1", "echo") + "\n")
	for b.Loop() {
		if _, err := inW.Write(line); err != nil {
			b.Fatal(err)
		}
		if _, err := out.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	inW.Close()
	if err := <-done; err != nil {
		b.Error(err)
	}
}
