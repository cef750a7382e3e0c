package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is one client of the fixture on loopback.
type client struct {
	t       *testing.T
	url     string
	http    http.Client
	session string
}

func start(t *testing.T) *client {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	addr, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		done <- newFixture(nil).srv.ListenHTTP(ctx, server.HTTPOptions{Addr: "127.0.0.1:0", Listening: func(a net.Addr) { addr <- a }})
	}()
	transport := &http.Transport{}
	c := &client{t: t, url: "http://" + (<-addr).String() + "/mcp", http: http.Client{Transport: transport}}
	t.Cleanup(func() {
		stop()
		transport.CloseIdleConnections()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	res := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	io.Copy(io.Discard, res.Body)
	res.Body.Close()
	c.session = res.Header.Get("Mcp-Session-Id")
	return c
}

func (c *client) post(body string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	res, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	return res
}

// converse calls a tool, answers what it asks with reply, and returns the
// methods that it asked for and its last message.
func (c *client) converse(call, reply string) (asked []string, last string) {
	c.t.Helper()
	res := c.post(call)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			c.t.Fatal(err)
		}
		last = data
		if m.Method != "" && m.ID != nil {
			asked = append(asked, m.Method)
			c.post(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + reply + `}`).Body.Close()
		}
	}
	return asked, last
}

func TestToolsAskTheClientOnTheStreamOfTheirCall(t *testing.T) {
	c := start(t)
	for tool, tc := range map[string]struct{ method, reply, want string }{
		"test_elicitation":                      {"elicitation/create", `"result":{"action":"accept","content":{"username":"u"}}`, `action=accept, content={\"username\":\"u\"}`},
		"test_sampling":                         {"sampling/createMessage", `"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}`, "LLM response: Paris"},
		"test_input_required_result_list_roots": {"roots/list", `"result":{"roots":[{"uri":"file:///r","name":"r"}]}`, "file:///r"},
		"test_elicitation_sep1034_defaults":     {"elicitation/create", `"error":{"code":-1,"message":"no"}`, "does not elicit"},
	} {
		asked, last := c.converse(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":{"message":"m","prompt":"p"}}}`, tc.reply)
		if strings.Join(asked, " ") != tc.method || !strings.Contains(last, tc.want) {
			t.Errorf("%s asked %v and ended with %s", tool, asked, last)
		}
	}
}

func TestErrorOfAWrappedToolIsNotShown(t *testing.T) {
	res := start(t).post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_input_required_result_tampered_state","requestState":"x"}}`)
	defer res.Body.Close()
	if raw, _ := io.ReadAll(res.Body); strings.Contains(string(raw), errTampered.Error()) || !strings.Contains(string(raw), "-32603") {
		t.Errorf("%s", raw)
	}
}

func TestPanicOfAWrappedToolIsNotShown(t *testing.T) {
	c := start(t)
	res := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panics"}}`)
	defer res.Body.Close()
	if raw, _ := io.ReadAll(res.Body); strings.Contains(string(raw), "no client may see") || !strings.Contains(string(raw), "-32603") {
		t.Errorf("%s", raw)
	}
}
