//go:build realclients

package realclients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inspector is the Inspector's command line before one server.
type inspector struct {
	place
	config, server string
}

// ask runs one method and decodes what the server answered. Any exit status but
// zero fails: with --strict it tells of schemas that some hosts cannot use.
func (i inspector) ask(t *testing.T, into any, method string, flags ...string) {
	t.Helper()
	program := filepath.Join(programs.npm, "inspector/node_modules/.bin/mcp-inspector")
	argv := append([]string{programs.node, program, "--cli", "--config", i.config, "--server", i.server, "--method", method}, flags...)
	o := i.run(t, argv...)
	if o.status != 0 {
		t.Fatalf("%s %v: %v", method, flags, o)
	}
	if strings.Contains(o.stderr, "portability") {
		t.Errorf("%s: the Inspector warns of schemas:\n%s", method, o.stderr)
	}
	if err := json.Unmarshal([]byte(o.stdout), into); err != nil {
		t.Fatalf("%s: %v\n%s", method, err, o.stdout)
	}
}

func TestInspectorUsesEveryTransport(t *testing.T) {
	p := newPlace(t)
	p.env = append(p.env, "MCP_INSPECTOR_SECRET_STORE=memory")
	address := p.serveFrank(t)
	type target struct {
		Type    string   `json:"type"`
		Command string   `json:"command,omitempty"`
		Args    []string `json:"args,omitempty"`
		URL     string   `json:"url,omitempty"`
	}
	config, err := json.Marshal(map[string]map[string]target{"mcpServers": {
		"stdio": {Type: "stdio", Command: programs.frank},
		"http":  {Type: "streamable-http", URL: address},
		"sse":   {Type: "sse", URL: strings.TrimSuffix(address, "/mcp") + "/sse"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.home, "mcp.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"stdio", "http", "sse"} {
		t.Run(server, func(t *testing.T) { inspect(t, inspector{p, file, server}) })
	}
}

func inspect(t *testing.T, i inspector) {
	type named struct{ Name, URI string }
	var tools struct{ Tools []named }
	i.ask(t, &tools, "tools/list", "--strict")
	for _, want := range []string{"tracker_search", "repo_read_file", "docs_search", "list_capabilities", "resolve_reference", "list_failures"} {
		if !slices.ContainsFunc(tools.Tools, func(n named) bool { return n.Name == want }) {
			t.Errorf("tools/list has no %s: %v", want, tools.Tools)
		}
	}
	var answer struct {
		IsError           bool
		Content           []struct{ Type, Text string }
		StructuredContent struct{ Status, Code, Summary string }
	}
	i.ask(t, &answer, "tools/call", "--tool-name", "list_capabilities")
	if answer.IsError || answer.StructuredContent.Status != "success" || answer.StructuredContent.Code != "NONE" || answer.StructuredContent.Summary == "" {
		t.Errorf("list_capabilities: %+v", answer)
	}
	if len(answer.Content) == 0 || !strings.HasPrefix(answer.Content[0].Text, "status=success code=NONE retryable=false\n") {
		t.Errorf("list_capabilities, text: %+v", answer.Content)
	}
	var prompts struct{ Prompts []named }
	i.ask(t, &prompts, "prompts/list")
	if len(prompts.Prompts) != 2 || prompts.Prompts[0].Name != "answer_with_status" || prompts.Prompts[1].Name != "report_failure" {
		t.Errorf("prompts/list: %+v", prompts)
	}
	var resources struct{ Resources []named }
	i.ask(t, &resources, "resources/list")
	if len(resources.Resources) != 1 || resources.Resources[0].URI != "frank://capabilities" {
		t.Errorf("resources/list: %+v", resources)
	}
}
