package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/server"
)

const (
	// secret stands in errors and panics, and must never be seen outside.
	secret  = "text-of-a-go-error"
	inputs  = `{"type":"object","properties":{"text":{"type":"string"}}}`
	outputs = `{"type":"object","properties":{"status":{"type":"string","enum":["success","access_failure"]},"data":{"type":"object"},"n":{"type":"integer"}},"required":["status"],"additionalProperties":false}`
	// patience bounds how long a test waits before it fails.
	patience = 15 * time.Second
)

// bench is a server whose tools misbehave on request.
type bench struct {
	server  *server.Server
	started chan string   // one value for each call of block or hang
	stopped chan error    // why the context of a call of block ended
	release chan struct{} // lets calls of hang and wait end
}

func newBench(change func(*server.Config)) *bench {
	b := &bench{started: make(chan string, 100), stopped: make(chan error, 100), release: make(chan struct{})}
	cfg := server.Config{
		Version: "1", Instructions: "use it", Call: b.call,
		Fallback: func(f server.Fault, _ server.Call) server.Reply {
			return server.Reply{Text: "fallback: " + f.String(), Structured: json.RawMessage(`{"status":"access_failure"}`), IsError: true}
		},
		Prompts: []server.Prompt{
			{Name: "ask", Arguments: []server.PromptArgument{{Name: "question", Required: true, Values: []string{"What", "Why", "who"}}},
				Render: func(_ context.Context, a map[string]string) ([]server.PromptMessage, error) {
					return []server.PromptMessage{{Text: "Q: " + a["question"]}}, nil
				}},
			{Name: "broken", Render: func(context.Context, map[string]string) ([]server.PromptMessage, error) { panic(errors.New(secret)) }},
		},
		Resources: []server.Resource{
			{URI: "frank://capabilities", Name: "capabilities", MIMEType: "application/json", Read: func(context.Context) (string, error) { return `{"version":1}`, nil }},
			{URI: "frank://broken", Name: "broken", Read: func(context.Context) (string, error) { return "", errors.New(secret) }},
			{URI: "frank://panics", Name: "panics", Read: func(context.Context) (string, error) { panic(errors.New(secret)) }},
		},
	}
	var offered []server.Tool
	for _, name := range []string{"echo", "panic", "goexit", "none", "textless", "wrong", "wrongerror", "notjson", "block", "hang", "wait", "trace", "progress", "big"} {
		offered = append(offered, server.Tool{Name: name, Description: name, InputSchema: json.RawMessage(inputs), OutputSchema: json.RawMessage(outputs), ReadOnly: true})
	}
	cfg.Tools = func() []server.Tool { return offered }
	if change != nil {
		change(&cfg)
	}
	var err error
	if b.server, err = server.New(cfg); err != nil {
		panic(err)
	}
	return b
}

func success(text string) server.Reply {
	return server.Reply{Text: text, Structured: json.RawMessage(`{"status":"success"}`)}
}

func (b *bench) call(ctx context.Context, c server.Call) server.Reply {
	switch c.Tool {
	case "panic":
		panic(errors.New(secret))
	case "goexit":
		runtime.Goexit()
	case "none":
		return server.Reply{}
	case "textless":
		return server.Reply{Structured: json.RawMessage(`{"status":"success"}`)}
	case "wrong":
		return server.Reply{Text: secret, Structured: json.RawMessage(`{"status":"bogus"}`)}
	case "wrongerror":
		return server.Reply{Text: secret, Structured: json.RawMessage(`{"n":1}`), IsError: true}
	case "notjson":
		return server.Reply{Text: secret, Structured: json.RawMessage(`{"status":`)}
	case "block":
		b.started <- c.CallID
		select {
		case <-ctx.Done():
			b.stopped <- context.Cause(ctx)
		case <-b.release:
		}
		return success("block ended")
	case "hang", "wait":
		b.started <- c.CallID
		<-b.release
		return success("hang ended")
	case "trace":
		return success("trace:" + c.Traceparent)
	case "progress":
		for i := range 3 {
			if c.Progress != nil {
				c.Progress("step", float64(i), 3)
				c.Progress("again", float64(i), 3)
			}
		}
		return success("progressed")
	case "big":
		return success(strings.Repeat("x", 200_000))
	}
	return success("echo:" + string(c.Arguments))
}

// message is any JSON-RPC message as a client sees it.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result *struct {
		Content           []struct{ Text string }    `json:"content"`
		StructuredContent json.RawMessage            `json:"structuredContent"`
		IsError           bool                       `json:"isError"`
		Meta              map[string]json.RawMessage `json:"_meta"`
		ProtocolVersion   string                     `json:"protocolVersion"`
		Capabilities      map[string]json.RawMessage `json:"capabilities"`
		Supported         []string                   `json:"supportedVersions"`
		Completion        struct{ Values []string }  `json:"completion"`
	} `json:"result"`
	Error *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
	raw string
}

func decode(t *testing.T, raw []byte) message {
	t.Helper()
	m := message{raw: string(raw)}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("not a JSON-RPC message: %v: %.200s", err, raw)
	}
	if strings.Contains(m.raw, secret) {
		t.Errorf("the text of a Go error reached the client: %s", raw)
	}
	return m
}

func (m message) text() string {
	if m.Result == nil || len(m.Result.Content) == 0 {
		return ""
	}
	return m.Result.Content[0].Text
}

func (m message) code() int {
	if m.Error == nil {
		return 0
	}
	return m.Error.Code
}

func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

func call(id, tool string) string {
	return request(id, "tools/call", `{"name":"`+tool+`","arguments":{}}`)
}

func initialize(version string) string {
	return request("0", "initialize", `{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
}

func cancelled(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// await takes the next value or fails the test.
func await[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case v, ok := <-c:
		if !ok {
			t.Fatal("the channel was closed")
		}
		return v
	case <-timer.C:
		t.Fatal("nothing came")
	}
	panic("unreachable")
}

// stdio is a client at the other end of a pair of real pipes.
type stdio struct {
	t     *testing.T
	in    *os.File
	lines chan []byte
	done  chan error
	stop  context.CancelFunc
	seen  []message
}

func startStdio(t *testing.T, b *bench) *stdio {
	t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &stdio{t: t, in: inW, lines: make(chan []byte, 1000), done: make(chan error, 1), stop: stop}
	go func() {
		c.done <- b.server.ServeStdio(ctx, inR, outW)
		outW.Close()
	}()
	go func() {
		defer close(c.lines)
		lines := bufio.NewScanner(outR)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			c.lines <- bytes.Clone(lines.Bytes())
		}
	}()
	t.Cleanup(func() {
		stop()
		inW.Close()
		for range c.lines {
		}
		inR.Close()
		outR.Close()
	})
	return c
}

func (c *stdio) send(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *stdio) next() message {
	c.t.Helper()
	return decode(c.t, await(c.t, c.lines))
}

// reply waits for the answer with that id; what comes before is kept in seen.
func (c *stdio) reply(id string) message {
	c.t.Helper()
	for {
		m := c.next()
		if m.Method == "" && string(m.ID) == id {
			return m
		}
		c.seen = append(c.seen, m)
	}
}

func (c *stdio) ask(line string) message {
	c.t.Helper()
	c.send(line)
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.t.Fatal(err)
	}
	return c.reply(string(m.ID))
}
