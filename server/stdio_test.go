package server_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/server"
)

func TestOversizedLineIsRefusedWithItsIDAndTheNextOneIsServed(t *testing.T) {
	c := startStdio(t, newBench(nil))
	huge := strings.Repeat("x", server.MaxMessage)
	for name, tc := range map[string]struct{ line, id string }{
		"id first": {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + huge + `"}}}`, "7"},
		"id last":  {`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"` + huge + `"}},"id": "a-b"}`, `"a-b"`},
		"no id":    {`{"jsonrpc":"2.0","method":"x","params":"` + huge + `\"id\":5}"}`, "null"},
	} {
		c.send(tc.line)
		if m := c.reply(tc.id); m.code() != -32600 || !strings.Contains(m.Error.Message, "4194304 bytes") {
			t.Errorf("%s: %s", name, m.raw)
		}
		if m := c.ask(request("8", "ping", "{}")); m.Result == nil {
			t.Errorf("%s: the next line got %s", name, m.raw)
		}
	}
}

func TestLineOfTheFullSizeIsServed(t *testing.T) {
	c := startStdio(t, newBench(nil))
	line := request("1", "ping", `{"pad":"`+strings.Repeat("x", server.MaxMessage-100)+`"}`)
	if m := c.ask(line); m.Result == nil {
		t.Errorf("%.200s", m.raw)
	}
}

func TestMalformedMessagesAreAnsweredInOurWords(t *testing.T) {
	c := startStdio(t, newBench(nil))
	for _, tc := range []struct {
		line, id string
		code     int
	}{
		{`{bad json`, "null", -32700},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, "null", -32700},
		{`"text"`, "null", -32600},
		{`{"jsonrpc":"1.0","id":2,"method":"ping"}`, "2", -32600},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600},
		{`{"jsonrpc":"2.0","id":3,"method":5}`, "3", -32600},
		{`{"jsonrpc":"2.0","id":4}`, "4", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}", "5", -32700},
		{request("6", "tools/call", `[]`), "6", -32602},
		{request("7", "tools/call", `{"name":5}`), "7", -32602},
		{request("8", "tools/call", `{"name":"echo","_meta":5}`), "8", -32600},
		{request("9", "resources/list", `{"cursor":5}`), "9", -32600},
		{request("10", "tools/list", `{"cursor":"!!"}`), "10", -32602},
		{request("11", "no/such<b>", `{}`), "11", -32601},
		{request("12", "logging/setLevel", `{"level":"loud<b>"}`), "12", -32602},
		{request("13", "tasks/list", `{}`), "13", -32601},
		{`[]`, "null", -32600},
		{`[` + request("14", "ping", "{}") + `]`, "null", -32600},
	} {
		c.send(tc.line)
		m := c.reply(tc.id)
		if m.code() != tc.code {
			t.Errorf("%s: %s", tc.line, m.raw)
		}
		for _, leak := range []string{"json:", "Go ", "unmarshal", "<b>", "base64", "mcp."} {
			if m.Error != nil && strings.Contains(m.Error.Message, leak) {
				t.Errorf("%s: a foreign text came back: %s", tc.line, m.raw)
			}
		}
	}
	c.send("", "  ")
	if m := c.ask(request("99", "ping", "{}")); m.Result == nil {
		t.Errorf("blank lines are not skipped: %s", m.raw)
	}
}

func TestIDsComeBackExactly(t *testing.T) {
	c := startStdio(t, newBench(nil))
	for _, id := range []string{"9007199254740993", `"a\u00e9"`, "-1", "1.5", `""`} {
		if m := c.ask(request(id, "ping", "{}")); m.Result == nil {
			t.Error(m.raw)
		}
	}
}

func TestEOFAnswersCallsInFlightAndEndsWithoutError(t *testing.T) {
	b := newBench(nil)
	c := startStdio(t, b)
	for i := range 8 {
		c.send(call(strconv.Itoa(i), "wait"))
	}
	for range 8 {
		await(t, b.started)
	}
	c.send(call("8", "echo"), call("9", "echo"))
	io.WriteString(c.in, call("10", "echo")) // a last line without a newline
	c.in.Close()
	close(b.release)
	answered := map[string]bool{}
	for range 11 {
		answered[string(c.next().ID)] = true
	}
	if len(answered) != 11 {
		t.Errorf("answered only %v", answered)
	}
	if err := await(t, c.done); err != nil {
		t.Error(err)
	}
}

func TestSIGTERMAnswersTheCallInFlightAndExitsWithZero(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asProcess+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	notes, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, call("1", "block")+"\n")
	if _, err := bufio.NewReader(notes).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	// The call would never end by itself: it is told to stop, and answers.
	if m := decode(t, line); m.text() != "block ended" {
		t.Error(m.raw)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestCancelStopsOneCallAndGetsNoAnswer(t *testing.T) {
	b := newBench(nil)
	c := startStdio(t, b)
	c.send(call("1", "block"), call("2", "block"))
	await(t, b.started)
	await(t, b.started)
	c.send(cancelled("1"))
	if err := await(t, b.stopped); !strings.Contains(err.Error(), "cancelled") {
		t.Error(err)
	}
	close(b.release)
	if m := c.reply("2"); m.text() != "block ended" || len(c.seen) != 0 {
		t.Errorf("%s, before it %v", m.raw, c.seen)
	}
	if m := c.ask(request("3", "ping", "{}")); m.Result == nil || len(c.seen) != 0 {
		t.Errorf("%s, before it %v", m.raw, c.seen)
	}
}

func TestWritesNeverInterleave(t *testing.T) {
	c := startStdio(t, newBench(nil))
	for i := range 40 {
		c.send(request(strconv.Itoa(2*i), "tools/call", `{"name":"progress","_meta":{"progressToken":1}}`), call(strconv.Itoa(2*i+1), "big"))
	}
	for left := 80; left > 0; {
		if m := c.next(); m.Method == "" { // decode fails on anything but whole messages
			left--
		}
	}
}

func TestPingIsAnsweredWhileCallsRun(t *testing.T) {
	b := newBench(nil)
	defer close(b.release)
	c := startStdio(t, b)
	for i := range 50 {
		c.send(call(strconv.Itoa(i), "wait"))
	}
	if m := c.ask(request("100", "ping", "{}")); m.Result == nil {
		t.Error(m.raw)
	}
}

func TestClientThatStopsReadingEndsTheServer(t *testing.T) {
	b := newBench(nil)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	outR.CloseWithError(errors.New("gone"))
	done := make(chan error, 1)
	go func() { done <- b.server.ServeStdio(t.Context(), inR, outW) }()
	io.WriteString(inW, call("1", "block")+"\n")
	await(t, b.started)
	io.WriteString(inW, request("2", "ping", "{}")+"\n")
	if err := await(t, b.stopped); !strings.Contains(err.Error(), "gone") {
		t.Error(err)
	}
	inW.Close()
	if err := await(t, done); err != nil {
		t.Error(err)
	}
}

// stuck is an output whose reader does not read until it is released.
type stuck struct {
	begun   atomic.Int32
	release chan struct{}
}

func (s *stuck) Write(b []byte) (int, error) {
	s.begun.Add(1)
	<-s.release
	return len(b), nil
}

// TestNothingIsWrittenOnceTheServerIsOver: the output is the caller's again then.
func TestNothingIsWrittenOnceTheServerIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(nil)
		in, to := io.Pipe()
		out := &stuck{release: make(chan struct{})}
		done := make(chan error, 1)
		go func() { done <- b.server.ServeStdio(t.Context(), in, out) }()
		io.WriteString(to, call("1", "big")+"\n"+call("2", "big")+"\n")
		to.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		close(out.release)
		synctest.Wait()
		if n := out.begun.Load(); n != 1 {
			t.Errorf("%d lines were begun, of which one before the end", n)
		}
	})
}
