package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}` + "\n"

// frank makes the program ready to start in an empty directory.
func frank(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	c := exec.Command("frank", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "GITHUB_TOKEN="+goodToken, "FRANK_HTTP_TOKEN="+goodToken)
	return c
}

// SIGTERM is how hosts and service managers end a server: that is no failure.
func TestSIGTERMEndsStdioWithStatus0(t *testing.T) {
	c := frank(t)
	in, err := c.StdinPipe() // stays open: only the signal ends the server
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte(initialize)); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, `"id":1`) {
		t.Fatalf("got %q, %v", line, err)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestSIGTERMEndsServeWithStatus0(t *testing.T) {
	c := frank(t, "serve", "--http", "127.0.0.1:0", "--log-format", "json")
	log, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"msg":"listening"`) {
		t.Fatalf("got %q, %v", lines.Text(), lines.Err())
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // to its end, before Wait closes it
	}
	if err := c.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// An argument that is not text would reach the tool as another one.
func TestInvalidUTF8ArgumentIsRefused(t *testing.T) {
	c := frank(t, "call", "tracker_search", "query=\xff\xfe")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if c.ProcessState.ExitCode() != 2 || len(out) > 0 || !strings.Contains(stderr.String(), "not valid UTF-8") {
		t.Errorf("got %v, %q, %q", err, out, stderr.String())
	}
}

// No way of getting a token, no format and no level of the log may show it, nor
// may the journal.
func TestNoTokenInAnyOutput(t *testing.T) {
	github := newGitHub(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "token")
	write(t, file, goodToken+"\n")
	write(t, filepath.Join(dir, "mangled"), goodToken+" "+goodToken)
	wrong := strings.Replace(goodToken, "Zk4Q", "Wr0n", 1)
	write(t, filepath.Join(dir, "wrong"), wrong)
	var sources strings.Builder
	for name, auth := range map[string]string{
		"env": "token_env: GITHUB_TOKEN", "file": "token_file: " + file, "command": "token_command: [cat, " + file + "]",
		"mangled": "token_file: " + filepath.Join(dir, "mangled"), "wrong": "token_file: " + filepath.Join(dir, "wrong"),
	} {
		fmt.Fprintf(&sources, "  - name: %s\n    provider: github\n    base_url: %s\n    default_project: acme/app\n    auth: {%s}\n", name, github.URL, auth)
	}
	good, bad := filepath.Join(dir, "good.yaml"), filepath.Join(dir, "bad.yaml")
	write(t, good, "sources:\n"+sources.String())
	write(t, bad, "sources:\n  - name: x\n    provider: github\n    auth: {token_env: "+goodToken+"}\n    "+goodToken+": "+goodToken+"\n")
	reached := false
	for _, args := range [][]string{
		{"doctor"}, {"doctor", "--json"}, {"call", "list_capabilities"}, {"call", "list_capabilities", "--raw"},
		{"call", "tracker_get_issue", "ref=acme/app#1", "source=env"}, {"call", "tracker_get_issue", "ref=acme/app#1"},
		{"call", "tracker_get_issue", "ref=acme/app#1", "source=wrong", "--raw"}, {"call", "tracker_get_issue", "ref=acme/app#1", "source=mangled"},
		{"failures"}, {"failures", "--json"}, {"stdio"}, {"doctor", "--config", bad}, {"stdio", "--config", bad},
	} {
		for _, format := range []string{"text", "json"} {
			c := frank(t, append(args, "--log-level", "debug", "--log-format", format)...)
			c.Env = append(c.Env, "FRANK_CONFIG="+good, "XDG_STATE_HOME="+dir)
			c.Stdin = strings.NewReader(initialize + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tracker_get_issue","arguments":{"ref":"acme/app#1"}}}` + "\n")
			out, _ := c.CombinedOutput() // whatever the status
			reached = reached || bytes.Contains(out, []byte("Payments fail at midnight"))
			check(t, strings.Join(args, " "), out, wrong)
		}
	}
	if !reached {
		t.Error("no call got as far as an answer, so nothing was shown that could hold a token")
	}
	files, err := filepath.Glob(filepath.Join(dir, "frank", "journal.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		journal, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "journal", journal, wrong)
	}
}

func check(t *testing.T, what string, out []byte, wrong string) {
	t.Helper()
	for _, token := range []string{goodToken, wrong} {
		for _, part := range []string{token, token[4:], token[:12], token[len(token)-12:]} {
			if i := bytes.Index(out, []byte(part)); i >= 0 {
				t.Errorf("%s shows %q of a token: …%.120s", what, part, out[max(0, i-60):])
			}
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
