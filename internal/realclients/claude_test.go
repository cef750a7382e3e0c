//go:build realclients

package realclients

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// claudePrograms is where npm puts the program of Claude Code; beside it there
// may be one for another C library.
const claudePrograms = "claude-code/node_modules/@anthropic-ai/claude-code-linux-*/claude"

func claude(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(programs.npm, claudePrograms))
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range found {
		if !strings.Contains(program, "musl") {
			return program
		}
	}
	t.Fatalf("no Claude Code in %s", programs.npm)
	return ""
}

func TestClaudeCodeConnectsOverEveryTransport(t *testing.T) {
	p, program := newPlace(t).offline(), claude(t)
	p.env = append(p.env, "CLAUDE_CONFIG_DIR="+p.home, "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
	address := p.serveFrank(t)
	for _, args := range [][]string{
		{"frank-stdio", "--", programs.frank},
		{"--transport", "http", "frank-http", address},
		{"--transport", "sse", "frank-sse", strings.TrimSuffix(address, "/mcp") + "/sse"},
		{"broken", "--", "/bin/false"}, // shows that the listing below can say no
	} {
		if o := p.run(t, append([]string{program, "mcp", "add"}, args...)...); o.status != 0 {
			t.Fatalf("claude mcp add %v: %v", args, o)
		}
	}
	o := p.run(t, program, "mcp", "list")
	for name, connected := range map[string]bool{"frank-stdio": true, "frank-http": true, "frank-sse": true, "broken": false} {
		line := regexp.MustCompile(`(?m)^` + name + `: .*$`).FindString(o.stdout)
		if line == "" || strings.HasSuffix(line, "✔ Connected") != connected {
			t.Errorf("%s: connected = %v is not what claude mcp list says: %q: %v", name, connected, line, o)
		}
	}
}

// The command that frank init prints makes Claude Code start frank with that file.
func TestClaudeCodeTakesTheSnippetOfInit(t *testing.T) {
	p, program := newPlace(t).offline(), claude(t)
	p.env = append(p.env, "CLAUDE_CONFIG_DIR="+p.home, "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
	o := p.run(t, programs.frank, "init", "--yes", "--source", "provider=local")
	snippet := regexp.MustCompile(`(?m)^  claude (mcp add frank -- .*)$`).FindStringSubmatch(o.stdout)
	if o.status != 0 || snippet == nil {
		t.Fatal(o)
	}
	if o := p.run(t, "sh", "-c", program+" "+snippet[1]); o.status != 0 {
		t.Fatal(o)
	}
	if o := p.run(t, program, "mcp", "list"); !regexp.MustCompile(`(?m)^frank: .*frank\.yaml .*✔ Connected$`).MatchString(o.stdout) {
		t.Errorf("claude mcp list does not connect it: %v", o)
	}
}
