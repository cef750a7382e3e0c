package cli_test

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/frank-mcp/frank/internal/escalation"
)

// hookKey is what a script signs webhooks with.
const hookKey = "a-signing-key-that-nobody-knows"

// hook is a webhook that a script turns on and off. Off, it refuses connections.
type hook struct {
	address string
	mu      sync.Mutex
	server  *http.Server
	got     map[string]int // deliveries with a good signature, by id
}

func newHook() (*hook, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &hook{address: l.Addr().String(), got: map[string]int{}}
	return h, l.Close()
}

func (h *hook) up() error {
	l, err := net.Listen("tcp", h.address)
	if err != nil {
		return err
	}
	h.server = &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		stamp := r.Header.Get(escalation.HeaderTimestamp)
		if err == nil && r.Header.Get(escalation.HeaderSignature) == escalation.Sign(hookKey, stamp, body) {
			h.mu.Lock()
			h.got[r.Header.Get(escalation.HeaderDelivery)]++
			h.mu.Unlock()
		}
	})}
	go func(s *http.Server) { _ = s.Serve(l) }(h.server)
	return nil
}

func (h *hook) down() {
	if h.server != nil {
		_ = h.server.Close()
		h.server = nil
	}
}

func (h *hook) times(id string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.got[id]
}

type hookOfScript struct{}

// hookOf is the hook of a script.
func hookOf(ts *testscript.TestScript) *hook {
	h, _ := ts.Value(hookOfScript{}).(*hook)
	return h
}

// environment is that of the programs of a script.
func environment(ts *testscript.TestScript) []string {
	env := os.Environ()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "GITHUB", "GOOD", "FRANK_HOOK_KEY"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// hookCommand: hook up|down.
func hookCommand(ts *testscript.TestScript, _ bool, args []string) {
	if args[0] == "down" {
		hookOf(ts).down()
		return
	}
	ts.Check(hookOf(ts).up())
}

// hooked DELIVERY: it arrived once, or does so soon.
func hooked(ts *testscript.TestScript, _ bool, args []string) {
	h := hookOf(ts)
	for limit := time.Now().Add(20 * time.Second); h.times(args[0]) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			ts.Fatalf("%s never arrived", args[0])
		}
	}
	if n := h.times(args[0]); n != 1 {
		ts.Fatalf("%s arrived %d times", args[0], n)
	}
}

// servedUntilHooked DELIVERY serves over stdio until it arrived.
func servedUntilHooked(ts *testscript.TestScript, neg bool, args []string) {
	in, out, err := os.Pipe()
	ts.Check(err)
	c := exec.Command("frank")
	c.Dir, c.Stdin, c.Env = ts.Getenv("WORK"), in, environment(ts)
	ts.Check(c.Start())
	_ = in.Close()
	_, err = io.WriteString(out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_failures","arguments":{}}}`+"\n")
	ts.Check(err)
	hooked(ts, neg, args)
	_ = out.Close()
	ts.Check(c.Wait())
}

// captured NAME REGEXP sets a variable to what the last command printed there.
func captured(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("standard output has no %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}
