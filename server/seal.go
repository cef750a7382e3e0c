package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// grace is how long a call may still take once its context has ended: a tool
// that heeds the context has something better to say than the fallback.
const grace = 500 * time.Millisecond

// seal stands between mcp-go and everything that answers calls. It is the only
// code that makes a mcp.CallToolResult. Whatever happens below, the client gets
// a Reply that Config.Call or Config.Fallback wrote.
type seal struct {
	call     func(context.Context, Call) Reply
	fallback func(Fault, Call) Reply
	deadline time.Duration
	process  string // stands for this process among all sessions
	states   states
	schemas  schemas
	log      *slog.Logger
}

func newSeal(cfg Config, log *slog.Logger) *seal {
	s := &seal{call: cfg.Call, fallback: cfg.Fallback, deadline: cfg.Deadline, process: rand.Text(), states: newStates(), log: log}
	if s.deadline <= 0 {
		s.deadline = DefaultDeadline
	}
	return s
}

// handle answers one tools/call.
func (s *seal) handle(ctx context.Context, r mcp.CallToolRequest, schema *schema) *mcp.CallToolResult {
	e, connection := exchangeOf(ctx), ""
	if e != nil {
		connection = e.client.id
	}
	c := s.newCall(connection, r.Params.Name, r.Params.RawArguments)
	if e != nil {
		c.Traceparent, c.Transport = traceparent(e.meta.Traceparent), e.transport
		c.Progress = progress(e)
		if e.arguments != nil {
			c.Arguments = e.arguments
		}
	}
	c.TraceID, c.SpanID = traceIDs(c.Traceparent)
	made := func(ctx context.Context, c Call) Reply {
		reply, fault := s.run(ctx, c, schema)
		if fault != nil {
			s.log.Error("tool call answered by the fallback", "tool", c.Tool, "call_id", c.CallID, "fault", fault.String())
			reply = s.fallback(*fault, c)
		}
		return reply
	}
	if e != nil && e.modern {
		if c, asked := s.answered(c, r.Params); asked { // once is enough
			return render(made(ctx, c), c)
		}
	}
	return s.choose(ctx, e, c, made)
}

// run calls and checks. A non-nil fault means that the reply is unusable.
func (s *seal) run(ctx context.Context, c Call, schema *schema) (Reply, *Fault) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	type outcome struct {
		reply Reply
		fault *Fault
	}
	done := make(chan outcome, 1) // buffered: an abandoned call must be able to end
	go func() {
		o := outcome{fault: new(FaultPanic)} // what stays if the call ends its goroutine
		defer func() { done <- o }()
		reply, fault := s.recovered(ctx, c)
		if fault == nil {
			fault = verify(reply, schema)
		}
		o = outcome{reply, fault}
	}()
	select {
	case o := <-done:
		return o.reply, o.fault
	case <-ctx.Done():
	}
	last := time.NewTimer(grace)
	defer last.Stop()
	select {
	case o := <-done:
		return o.reply, o.fault
	case <-last.C:
	}
	fault := FaultCancelled
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		fault = FaultDeadline
	}
	return Reply{}, &fault
}

func (s *seal) recovered(ctx context.Context, c Call) (reply Reply, fault *Fault) {
	fault = new(FaultPanic)
	defer func() {
		if v := recover(); v != nil {
			// The value may quote anything; its type and the stack do not.
			s.log.Error("panic in a tool", "tool", c.Tool, "call_id", c.CallID, "type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
		}
	}()
	reply = s.call(ctx, c)
	return reply, nil
}

func verify(r Reply, schema *schema) *Fault {
	if r.Text == "" || len(r.Structured) == 0 {
		return new(FaultNoReply)
	}
	if !schema.accepts(r.Structured) {
		return new(FaultSchema)
	}
	return nil
}

// render makes the result; _meta carries back the trace context that came in.
func render(r Reply, c Call) *mcp.CallToolResult {
	result := &mcp.CallToolResult{
		Content:              []mcp.Content{mcp.NewTextContent(r.Text)},
		RawStructuredContent: r.Structured,
		IsError:              r.IsError,
	}
	result.Meta = carried(c)
	for k, v := range r.Meta {
		if json.Valid(v) {
			if result.Meta == nil {
				result.Meta = &mcp.Meta{AdditionalFields: map[string]any{}}
			}
			result.Meta.AdditionalFields[k] = v
		}
	}
	return result
}

// carried is the _meta of what answers the call, nil if nothing came in with it.
func carried(c Call) *mcp.Meta {
	if c.Traceparent == "" {
		return nil
	}
	return &mcp.Meta{AdditionalFields: map[string]any{"traceparent": c.Traceparent}}
}

// progress returns nil if the client did not ask for progress.
func progress(e *exchange) func(string, float64, float64) {
	token := e.meta.ProgressToken
	if !validID(token) {
		return nil
	}
	var mu sync.Mutex
	last := -1.0
	return func(message string, done, total float64) {
		mu.Lock()
		defer mu.Unlock()
		if done <= last { // the specification wants it to grow
			if total > 0 {
				return
			}
			done = last + 1
		}
		last = done
		e.notify("notifications/progress", struct {
			Token    json.RawMessage `json:"progressToken"`
			Progress float64         `json:"progress"`
			Total    float64         `json:"total,omitempty"`
			Message  string          `json:"message,omitempty"`
		}{token, done, total, message})
	}
}

// traceparent returns the value if it is one: version, trace id, parent id and
// flags in hex (W3C Trace Context, 3.2), neither id all zero, else "".
func traceparent(v string) string {
	if len(v) != 55 {
		return ""
	}
	for i, c := range []byte(v) {
		dash := i == 2 || i == 35 || i == 52
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		if dash != (c == '-') || !dash && !hex {
			return ""
		}
	}
	if v[:2] == "ff" || v[3:35] == noTrace || v[36:52] == noTrace[:16] {
		return ""
	}
	return v
}

// noTrace is the trace id that is none.
const noTrace = "00000000000000000000000000000000"
