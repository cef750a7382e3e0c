package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/server"
)

// wired is frank without sources over a journal at that path.
func wired(t *testing.T, journal string) *app.App {
	t.Helper()
	a, err := app.New(&config.Config{}, app.Options{Version: "test", Journal: journal})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ask(t *testing.T, a *app.App, tool, arguments string) (server.Reply, verdict) {
	t.Helper()
	r := a.Call(t.Context(), tool, json.RawMessage(arguments))
	contracttest.Sound(t, r)
	var v verdict
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatal(err)
	}
	return r, v
}

type verdict struct {
	Status, Code string
	Failure      struct{ Reason string }
	Data         struct {
		Items []struct {
			Tool, Reason, CallID string
		}
		Item struct{ Notes []string }
	}
}

func TestFailuresAreJournalledOnceAndSharedBetweenProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "failures.jsonl")
	one, other := wired(t, path), wired(t, path)
	if _, v := ask(t, one, "list_failures", `{}`); v.Status != "empty" {
		t.Fatalf("a journal that was never written is %s", v.Status)
	}
	ask(t, one, "tracker_search", `{"query":"hunter2 hunter2"}`)
	ask(t, other, "docs_search", `{"bad":"hunter2"}`)
	_, v := ask(t, one, "list_failures", `{}`)
	if v.Status != "success" || len(v.Data.Items) != 2 || v.Data.Items[0].Tool != "docs_search" || v.Data.Items[1].Reason != "connector_not_configured" {
		t.Errorf("%+v", v)
	}
	if _, v := ask(t, one, "list_failures", `{"code":"INPUT_MISSING"}`); len(v.Data.Items) != 1 {
		t.Errorf("by code: %+v", v)
	}
	if _, v := ask(t, one, "list_failures", `{"limit":1}`); v.Status != "partial" || v.Code != "CAPABILITY_UNAVAILABLE" || v.Failure.Reason != "own_cap" {
		t.Errorf("with a limit: %+v", v)
	}
	kept, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(kept), "hunter2") {
		t.Errorf("the journal holds arguments: %v\n%s", err, kept)
	}
}

func TestADamagedJournalIsNeverEmptyOrComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "failures.jsonl")
	if err := os.WriteFile(path, []byte("{\"at\":\"2026-11-30T12:00:00Z\",\"rea\nnot json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, v := ask(t, wired(t, path), "list_failures", `{}`); v.Status != "partial" || v.Failure.Reason != "corrupt" {
		t.Errorf("%+v", v)
	}
}

func TestAJournalThatCannotBeWrittenFailsNoCallAndIsVisible(t *testing.T) {
	path := t.TempDir() // a directory in the place of the file
	a := wired(t, path)
	if _, v := ask(t, a, "tracker_search", `{}`); v.Failure.Reason != "missing_required_argument" {
		t.Errorf("the call itself: %+v", v)
	}
	if _, v := ask(t, a, "list_failures", `{}`); v.Status != "partial" || v.Failure.Reason != "corrupt" || len(v.Data.Items) != 1 {
		t.Errorf("what is in memory: %+v", v)
	}
	if _, v := ask(t, a, "list_capabilities", `{}`); len(v.Data.Item.Notes) != 1 || !strings.Contains(v.Data.Item.Notes[0], "journal") {
		t.Errorf("the manifest: %+v", v)
	}
}

func cursorIn(t *testing.T, structured []byte) string {
	t.Helper()
	var v struct {
		Coverage struct {
			Next string `json:"next_cursor"`
		} `json:"coverage"`
	}
	if err := json.Unmarshal(structured, &v); err != nil {
		t.Fatal(err)
	}
	return v.Coverage.Next
}
