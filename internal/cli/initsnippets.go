package cli

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/config"
)

// snippets says how the clients are told of frank: the same as in the README, with
// the paths of this machine.
func (s *setup) snippets(sources []config.Source) string {
	program, err := os.Executable()
	if err != nil {
		program = "frank"
	}
	var names []string
	for _, source := range sources {
		for _, name := range variables(source.Auth) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	var b strings.Builder
	b.WriteString("Claude Code, which passes on the variables of its shell:\n\n  claude mcp add frank -- " + shellWord(program) + " --config " + shellWord(s.path) + "\n")
	b.WriteString("\nClaude Desktop (claude_desktop_config.json) and Cursor (.cursor/mcp.json)")
	if len(names) > 0 {
		b.WriteString(",\nwith the values of the variables in place of …")
	}
	b.WriteString(":\n\n" + indented(mcpServers(program, s.path, names)))
	b.WriteString("\nVS Code (.vscode/mcp.json):\n\n" + indented(codeServers(program, s.path, names)))
	return b.String()
}

// server is one server in the file of a client.
type clientServer struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// clientInput is a value that VS Code asks for.
type clientInput struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Password    bool   `json:"password"`
	Description string `json:"description"`
}

func mcpServers(program, path string, names []string) any {
	server := clientServer{Command: program, Args: []string{"--config", path}, Env: map[string]string{}}
	for _, name := range names {
		server.Env[name] = "…"
	}
	return struct {
		Servers map[string]clientServer `json:"mcpServers"`
	}{map[string]clientServer{"frank": server}}
}

func codeServers(program, path string, names []string) any {
	server := clientServer{Type: "stdio", Command: program, Args: []string{"--config", path}, Env: map[string]string{}}
	var inputs []clientInput
	for _, name := range names {
		id := strings.ReplaceAll(strings.ToLower(name), "_", "-")
		server.Env[name] = "${input:" + id + "}"
		inputs = append(inputs, clientInput{id, "promptString", true, name})
	}
	return struct {
		Servers map[string]clientServer `json:"servers"`
		Inputs  []clientInput           `json:"inputs,omitempty"`
	}{map[string]clientServer{"frank": server}, inputs}
}

// indented is the JSON of a value, two spaces from the edge.
func indented(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("  ", "  ")
	if err := e.Encode(value); err != nil { // plain structs always encode
		panic("cli: snippets: " + err.Error())
	}
	return "  " + b.String()
}

// shellWord quotes a word for a shell if it needs that.
func shellWord(s string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._-+:@%", c)
	}
	if s != "" && !strings.ContainsFunc(s, func(c rune) bool { return !plain(c) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
