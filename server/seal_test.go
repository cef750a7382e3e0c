package server_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/server"
)

func TestWhateverAToolDoesEndsInATypedReply(t *testing.T) {
	c := startStdio(t, newBench(nil))
	for tool, want := range map[string]string{
		"panic": "panic", "goexit": "panic", "none": "no_reply", "textless": "no_reply",
		"wrong": "schema_violation", "wrongerror": "schema_violation", "notjson": "schema_violation",
	} {
		m := c.ask(call("1", tool))
		if m.Result == nil || !m.Result.IsError || m.text() != "fallback: "+want || string(m.Result.StructuredContent) != `{"status":"access_failure"}` {
			t.Errorf("%s: %s", tool, m.raw)
		}
	}
	if m := c.ask(call("2", "echo")); m.text() != "echo:{}" || m.Result.IsError {
		t.Errorf("the server is not well afterwards: %s", m.raw)
	}
}

// virtual runs one conversation over in-memory pipes inside a synctest bubble.
func virtual(t *testing.T, b *bench, script func(send func(string), next func() message, stop func())) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() {
		done <- b.server.ServeStdio(ctx, inR, outW)
		outW.Close()
	}()
	dec := json.NewDecoder(outR)
	next := func() message {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return message{raw: err.Error()}
		}
		return decode(t, raw)
	}
	script(func(line string) { io.WriteString(inW, line+"\n") }, next, stop)
	stop()
	close(b.release)
	inW.Close()
	outR.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestHangIsAnsweredAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(c *server.Config) { c.Deadline = 3 * time.Second })
		virtual(t, b, func(send func(string), next func() message, _ func()) {
			start := time.Now()
			send(call("1", "hang"))
			if m := next(); m.text() != "fallback: deadline" {
				t.Error(m.raw)
			}
			if d := time.Since(start); d < 3*time.Second || d > 4*time.Second {
				t.Errorf("answered after %v", d)
			}
		})
	})
}

func TestNothingFollowsTheAnswerOfAnAbandonedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan struct{})
		b := newBench(func(c *server.Config) {
			c.Deadline = time.Second
			c.Call = func(_ context.Context, c server.Call) server.Reply {
				<-late
				c.Progress("late", 1, 2)
				return success("late")
			}
		})
		virtual(t, b, func(send func(string), next func() message, _ func()) {
			send(request("1", "tools/call", `{"name":"echo","_meta":{"progressToken":1}}`))
			if m := next(); m.text() != "fallback: deadline" {
				t.Error(m.raw)
			}
			close(late)
			synctest.Wait()
			send(request("2", "ping", "{}"))
			if m := next(); string(m.ID) != "2" {
				t.Error(m.raw)
			}
		})
	})
}

func TestToolThatHeedsTheDeadlineHasTheLastWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(c *server.Config) { c.Deadline = 3 * time.Second })
		virtual(t, b, func(send func(string), next func() message, _ func()) {
			send(call("1", "block"))
			if m := next(); m.text() != "block ended" {
				t.Error(m.raw)
			}
		})
	})
}

func TestDrainGivesUpAfterFiveSecondsWithATypedReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(nil)
		virtual(t, b, func(send func(string), next func() message, stop func()) {
			send(call("1", "hang"))
			<-b.started
			start := time.Now()
			stop()
			if m := next(); m.text() != "fallback: cancelled" {
				t.Error(m.raw)
			}
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("answered only after %v", d)
			}
		})
	})
}

func TestShutdownDoesNotWaitForStreamsThatOnlyListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		virtual(t, newBench(nil), func(send func(string), next func() message, stop func()) {
			send(request("1", "subscriptions/listen", `{"notifications":{"toolsListChanged":true},`+modernMeta+`}`))
			next() // the acknowledgement
			start := time.Now()
			stop()
			if m := next(); m.Result == nil || time.Since(start) > time.Second {
				t.Errorf("after %v: %s", time.Since(start), m.raw)
			}
		})
	})
}

func TestDrainWaitsForCallsToEndByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(c *server.Config) {
			c.Call = func(ctx context.Context, _ server.Call) server.Reply {
				select {
				case <-ctx.Done():
					return success("cut short")
				case <-time.After(3900 * time.Millisecond):
					return success("whole")
				}
			}
		})
		virtual(t, b, func(send func(string), next func() message, stop func()) {
			send(call("1", "echo"))
			synctest.Wait()
			stop()
			if m := next(); m.text() != "whole" {
				t.Error(m.raw)
			}
		})
	})
}

func TestTraceContextGoesInAndComesBack(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	c := startStdio(t, newBench(nil))
	m := c.ask(request("1", "tools/call", `{"name":"trace","_meta":{"traceparent":"`+parent+`"}}`))
	if m.text() != "trace:"+parent || string(m.Result.Meta["traceparent"]) != `"`+parent+`"` {
		t.Error(m.raw)
	}
	for _, bad := range []string{"00-xyz", "00-0", strings.Repeat("a", 55), "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01"} {
		if m := c.ask(request("2", "tools/call", `{"name":"trace","_meta":{"traceparent":"`+bad+`"}}`)); m.text() != "trace:" || m.Result.Meta != nil {
			t.Errorf("%s was taken: %s", bad, m.raw)
		}
	}
}

func TestProgressGrowsPrecedesTheAnswerAndIsOnlySentOnRequest(t *testing.T) {
	c := startStdio(t, newBench(nil))
	if c.ask(call("1", "progress")); len(c.seen) != 0 {
		t.Errorf("progress without a token: %+v", c.seen)
	}
	c.ask(request("2", "tools/call", `{"name":"progress","_meta":{"progressToken":9007199254740993}}`))
	if len(c.seen) != 3 {
		t.Fatalf("got %d notifications, want 3: repeats must not go out", len(c.seen))
	}
	for _, m := range c.seen {
		if m.Method != "notifications/progress" || !strings.Contains(string(m.Params), `"progressToken":9007199254740993,`) {
			t.Errorf("the token is not what it was: %s", m.raw)
		}
	}
}

func TestStructureKeepsItsKeyOrder(t *testing.T) {
	b := newBench(func(c *server.Config) {
		c.Call = func(context.Context, server.Call) server.Reply {
			return server.Reply{Text: "x", Structured: json.RawMessage(`{"status":"success","n":1,"data":{"z":1,"a":2}}`), Meta: map[string]json.RawMessage{"k": json.RawMessage(`[1]`)}}
		}
	})
	m := startStdio(t, b).ask(call("1", "echo"))
	if string(m.Result.StructuredContent) != `{"status":"success","n":1,"data":{"z":1,"a":2}}` || string(m.Result.Meta["k"]) != `[1]` {
		t.Error(m.raw)
	}
}

func TestStructureWithLineBreaksStaysOneMessage(t *testing.T) {
	b := newBench(func(c *server.Config) {
		c.Call = func(context.Context, server.Call) server.Reply {
			return server.Reply{Text: "a\nb <c>", Structured: json.RawMessage("{\n \"status\":\r\n\"success\"}")}
		}
	})
	m := startStdio(t, b).ask(call("1", "echo"))
	if m.text() != "a\nb <c>" || string(m.Result.StructuredContent) != `{"status":"success"}` {
		t.Error(m.raw)
	}
}
