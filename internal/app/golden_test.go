package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// talk sends lines to a server over stdio, ends the input and returns the replies.
func talk(t *testing.T, cfg string, lines ...string) []json.RawMessage {
	t.Helper()
	c, err := config.Parse("frank.yaml", []byte(cfg))
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(c, app.Options{Version: "test", Now: func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in := io.NopCloser(strings.NewReader(strings.Join(lines, "\n") + "\n"))
	if err := a.Server.ServeStdio(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	var replies []json.RawMessage
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, `"id":`) { // a notification may come at any time
			replies = append(replies, json.RawMessage(line))
		}
	}
	return replies
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func TestTheListOfToolsIsGoldenAndSmall(t *testing.T) {
	replies := talk(t, "sources: []\n", hello, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	list := replies[len(replies)-1]
	if len(list) > 28<<10 {
		t.Errorf("tools/list has %d bytes, at most 28672 are allowed", len(list))
	}
	golden(t, "tools-list.json", list)
}

func TestTheManifestIsGolden(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "backlog"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "a.md"), []byte("# A\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg := "sources:\n  - {name: here, provider: local, root: " + root + "}\n  - {name: gone, provider: local, root: " + root + "/gone}\n" +
		"  - {name: tracker, provider: linear, base_url: https://linear.example.com, auth: {none: true}}\n"
	replies := talk(t, cfg, hello, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_capabilities","arguments":{}}}`)
	var v struct {
		Result struct {
			Structured struct {
				Data json.RawMessage `json:"data"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(replies[len(replies)-1], &v); err != nil {
		t.Fatal(err)
	}
	hash := regexp.MustCompile(`"fingerprint":"[0-9a-f]+"`) // changes with the directory
	data := bytes.ReplaceAll(v.Result.Structured.Data, []byte(root), []byte("ROOT"))
	golden(t, "manifest.json", hash.ReplaceAll(data, []byte(`"fingerprint":"…"`)))
}

// golden compares indented JSON with a file; -update rewrites it.
func golden(t *testing.T, name string, got json.RawMessage) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(got), "", " "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(want, b.Bytes()) {
		t.Errorf("%s differs (run go test ./internal/app -update to see how): %v", path, err)
	}
}
