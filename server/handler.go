package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/frank-mcp/frank/prompts"
	"github.com/frank-mcp/frank/status"
	"github.com/frank-mcp/frank/tools"
)

// ManifestURI is the resource that holds the capability manifest.
const ManifestURI = "frank://capabilities"

// Handler answers calls with frank's tools: it gives each call its ids, journals
// and logs what failed, and renders the envelope into both channels.
type Handler struct {
	Deps *tools.Deps
	Log  *slog.Logger

	tools   map[string]tools.Tool
	watched sync.Map     // by call id: what ends the watching, a func(status.Ending)
	hung    atomic.Int64 // until when the file of the escalations is believed to hang
}

// Configure makes the configuration of a server that offers frank's tools,
// prompts and resources over these dependencies.
func Configure(version string, d *tools.Deps, log *slog.Logger) Config {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	h := &Handler{Deps: d, Log: log, tools: map[string]tools.Tool{}}
	cfg := Config{Version: version, Instructions: prompts.Instructions(), Call: h.Call, Fallback: h.Fallback, Log: log}
	for _, t := range tools.All() {
		h.tools[t.Spec().Name] = t
	}
	cfg.Tools, cfg.Known = offered, func(tool string) bool { return h.tools[tool] != nil }
	for _, p := range prompts.All() {
		cfg.Prompts = append(cfg.Prompts, promptOf(p))
	}
	cfg.Resources = []Resource{{
		URI: ManifestURI, Name: "capabilities", Title: "Capability manifest", MIMEType: "application/json",
		Description: "What each source can do right now, proved by live probes.",
		Read: func(ctx context.Context) (string, error) {
			b, err := json.MarshalIndent(d.Manifest.Manifest(ctx, "", false), "", "  ")
			return string(b), err
		},
	}}
	cfg.Templates = []Template{escalations(d)}
	return cfg
}

// offered describes frank's tools as clients see them.
func offered() []Tool {
	schema := status.OutputSchema()
	var out []Tool
	for _, t := range tools.All() {
		s := t.Spec()
		out = append(out, Tool{
			Name: s.Name, Title: s.Title, Description: s.Description, InputSchema: t.InputSchema(), OutputSchema: schema,
			ReadOnly: !s.Writes && !s.Keeps, Destructive: s.Overwrites, Idempotent: s.Writes, OpenWorld: !s.Local,
		})
	}
	return out
}

func promptOf(p prompts.Prompt) Prompt {
	out := Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	for _, a := range p.Arguments {
		out.Arguments = append(out.Arguments, PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required, Values: a.Values})
	}
	out.Render = func(_ context.Context, args map[string]string) ([]PromptMessage, error) {
		text, err := p.Render(args)
		return []PromptMessage{{Text: text}}, err
	}
	return out
}

// Call answers one call.
func (h *Handler) Call(ctx context.Context, c Call) Reply {
	call := accompany(c)
	if c.Progress != nil {
		step := 0.0
		call.Progress = func(message string) {
			step++
			c.Progress(message, step, 0)
		}
	}
	t, ok := h.tools[c.Tool]
	if !ok { // the transport refuses unknown names before they get here
		return h.reply(status.Envelope{}, call, first)
	}
	ctx = h.watch(status.WithCall(ctx, call), c)
	if c.Chosen != nil {
		ctx = tools.Choose(ctx, *c.Chosen)
		call.Recovered("", status.AmbiguousTarget, 1, h.Deps.Now())
	}
	e := t.Call(ctx, h.Deps, c.Arguments)
	if ctx.Err() != nil && e.IsError() {
		e = h.ended(ctx, t.Spec(), e)
	}
	r := h.reply(e, call, first)
	r.Choices = e.Choices()
	if f, _ := e.Failure(); len(r.Choices) > 0 {
		r.Question = c.Tool + ": " + f.Because() + ". Which one is meant?"
		if t.Spec().Writes {
			r.Question += " The one you choose will be changed."
		}
	}
	h.unwatch(c, e)
	return r
}

// ended keeps a failure that has a reason of its own and names the end of the
// call where the failure is only its echo.
func (h *Handler) ended(ctx context.Context, s tools.Spec, e status.Envelope) status.Envelope {
	f, _ := e.Failure()
	if f.Reason() != status.UncaughtServerError {
		return e
	}
	reason := status.Cancelled
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		reason = status.Timeout
	}
	return status.Refuse(status.Question{Operation: s.Operation, Capability: string(s.Needs), One: "what " + s.Name + " was asked for"}, status.Fail(reason, status.MaybeCalled))
}

// Fallback answers a call that Call could not answer.
func (h *Handler) Fallback(f Fault, c Call) Reply {
	reason := status.UncaughtServerError
	switch f {
	case FaultCancelled:
		reason = status.Cancelled
	case FaultDeadline:
		reason = status.Timeout
	case FaultPanic, FaultNoReply, FaultSchema:
	}
	q := status.Question{One: "what " + c.Tool + " was asked for"}
	if t, ok := h.tools[c.Tool]; ok {
		q.Operation, q.Capability = t.Spec().Operation, string(t.Spec().Needs)
	}
	e := status.Refuse(q, status.Fail(reason, status.MaybeCalled))
	r := h.reply(e, accompany(c), instead)
	h.unwatch(c, e)
	return r
}

func (h *Handler) reply(e status.Envelope, call *status.Call, order order) Reply {
	e, found := h.escalated(e, call)
	e = e.Traced(call)
	reached(e)
	h.record(e, call, order, found)
	structured, err := e.Structured()
	if err != nil {
		return Reply{} // the seal answers with the fallback
	}
	r := Reply{Text: e.Text(), Structured: structured, IsError: e.IsError()}
	if tf, ok := e.ToolFailure(); ok {
		if b, err := json.Marshal(tf); err == nil {
			r.Meta = map[string]json.RawMessage{"io.modelcontextprotocol/toolFailure": b}
		}
	}
	return r
}

// Call answers one call outside any transport, through the same seal. The name
// of a tool that is not configured is answered by the fallback.
func (s *Server) Call(ctx context.Context, tool string, arguments json.RawMessage) Reply {
	c := s.seal.newCall("", tool, arguments)
	c.TraceID, c.SpanID = traceIDs("")
	schema := s.answerOf(tool)
	if schema == nil {
		return s.seal.fallback(FaultNoReply, c)
	}
	reply, fault := s.seal.run(ctx, c, schema)
	if fault != nil {
		s.log.Error("tool call answered by the fallback", "tool", c.Tool, "call_id", c.CallID, "fault", fault.String())
		return s.seal.fallback(*fault, c)
	}
	return reply
}

// answerOf is the output schema of a tool; nil if there is no such tool.
func (s *Server) answerOf(tool string) *schema {
	if s.known != nil && s.known(tool) {
		return common()
	}
	s.offer()
	return s.answers[tool]
}

// traceIDs takes the trace id of a W3C traceparent and makes a span id; without
// one both are new.
func traceIDs(parent string) (trace, span string) {
	trace, span = randomHex(16), randomHex(8)
	if parts := strings.Split(parent, "-"); len(parts) == 4 {
		trace = parts[1]
	}
	return trace, span
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}
