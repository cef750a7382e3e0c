package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// TestNoEventAndNoLineOfTheLogHoldsAnArgument: every tool is called with one that can
// be told in each argument, in the right type and in a wrong one, over an upstream that
// fails, answers, and repeats the words in its errors.
func TestNoEventAndNoLineOfTheLogHoldsAnArgument(t *testing.T) {
	const canary = "zanzibarcanary"
	cfg, err := config.Parse("frank.yaml", []byte("sources: [{name: github, provider: github, auth: {token_env: T}}, {name: here, provider: local, root: "+t.TempDir()+"}]\nwrites: true\nretry: {max_attempts: 2, cooldown: 1ns}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var events, log guardedBuffer
	host := config.SystemHost()
	host.LookupEnv = func(string) (string, bool) { return "t0ken-of-eight", true }
	var n atomic.Int64
	a, err := app.New(cfg, app.Options{
		Version: "test", Host: host, Journal: filepath.Join(t.TempDir(), "journal.db"), Events: &events,
		Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if n.Add(1)%3 != 0 {
				return payments(r)
			}
			body := `{"message":"` + canary + `","status":"502"}`
			h := http.Header{"Content-Type": {"application/json"}, "X-Github-Request-Id": {canary}, "Retry-After": {"0"}}
			return &http.Response{StatusCode: http.StatusBadGateway, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range a.Tools() {
		before := events.String()
		for _, arguments := range canaries(t, tool.InputSchema, canary) {
			a.Call(t.Context(), tool.Name, arguments)
		}
		seen := strings.TrimPrefix(events.String(), before)
		if !strings.Contains(seen, `"event":"call.started","version":1`) || !strings.Contains(seen, `"tool":"`+tool.Name+`"`) {
			t.Errorf("%s has no event: %s", tool.Name, seen)
		}
	}
	if err := a.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"event": events.String(), "line of the log": log.String()} {
		for line := range strings.Lines(text) {
			if strings.Contains(strings.ToLower(line), canary) {
				t.Errorf("a %s holds an argument: %s", what, line)
			}
		}
	}
	if !strings.Contains(events.String(), "escalation.opened") || !strings.Contains(events.String(), "call.failed") || !strings.Contains(events.String(), "call.retry") {
		t.Errorf("not all happened:\n%s", events.String())
	}
}

// canaries are calls of a tool with that word in every argument that can hold it.
func canaries(t *testing.T, schema json.RawMessage, word string) []json.RawMessage {
	t.Helper()
	var s struct {
		Properties map[string]struct {
			Type json.RawMessage
			Enum []string
		}
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	right, wrong := map[string]any{}, map[string]any{word: word}
	for name, p := range s.Properties {
		wrong[name] = word
		switch {
		case name == "source":
			right[name] = "github"
		case name == "trigger": // a hard one needs its failure
			right[name] = "ambiguous_intent"
		case len(p.Enum) > 0:
			right[name] = p.Enum[0]
		case name == "project" || name == "repo":
			right[name] = word + "/" + word
		case name == "ref":
			right[name] = word + "/" + word + "#7"
		case bytes.Contains(p.Type, []byte("string")):
			right[name] = word
		case bytes.Contains(p.Type, []byte("array")):
			right[name] = []string{word}
		case name == "confidence":
			right[name] = 0.1
		}
	}
	delete(right, "cursor")
	for _, when := range []string{"since", "until", "updated_since"} {
		if right[when] != nil {
			right[when] = "2026-11-01"
		}
	}
	few := map[string]any{}
	for name, x := range right {
		if name != "native_query" && name != "include" && name != "idempotency_key" && name != "assignee" {
			few[name] = x
		}
	}
	var out []json.RawMessage
	for _, arguments := range []map[string]any{right, few, wrong} {
		raw, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, raw)
	}
	return out
}
