package cli_test

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// talk FILE starts frank as a host does and makes the calls in the file, one a
// line as TOOL ARGUMENTS, each when the one before is answered. What was answered
// is what the command printed, one result a line.
func talk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: talk FILE")
	}
	cmd := exec.Command("frank", "--log-level", "error")
	cmd.Dir = ts.Getenv("WORK")
	for _, name := range []string{"PATH", "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "GOOD", "TZ", "GIT_CONFIG_NOSYSTEM"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	replies := bufio.NewReader(out)
	say := func(line string, wantReply bool) string {
		_, err := in.Write([]byte(line + "\n"))
		ts.Check(err)
		if !wantReply {
			return ""
		}
		reply, err := replies.ReadString('\n')
		ts.Check(err)
		return reply
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"script","version":"0"}}}`, true)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, false)
	for i, line := range strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n") {
		tool, arguments, _ := strings.Cut(line, " ")
		var compact json.RawMessage
		ts.Check(json.Unmarshal([]byte(arguments), &compact))
		reply := say(`{"jsonrpc":"2.0","id":`+strconv.Itoa(i+2)+`,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+string(compact)+`}}`, true)
		_, err := ts.Stdout().Write([]byte(reply))
		ts.Check(err)
	}
	ts.Check(in.Close())
	ts.Check(cmd.Wait())
}
