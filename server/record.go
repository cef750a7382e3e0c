package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/status"
)

// order tells the answer of a tool from one that is given in its place, since
// both may come to be recorded.
type order bool

const (
	first   order = false
	instead order = true
)

// newCall is a call as it comes in over the connection with that id. Stdio and
// what has no connection are one session for each process. The id itself is a
// credential of the client and goes no further.
func (s *seal) newCall(connection, tool string, arguments json.RawMessage) Call {
	if connection == "" || connection == stdioClient {
		connection = s.process
	}
	sum := sha256.Sum256([]byte(connection))
	return Call{Tool: tool, Arguments: arguments, CallID: rand.Text(), Session: hex.EncodeToString(sum[:8]), Began: time.Now()}
}

// accompany makes what goes with the call through the layers.
func accompany(c Call) *status.Call {
	return &status.Call{
		ID: c.CallID, Tool: c.Tool, Session: c.Session, Began: c.Began, TraceID: c.TraceID, SpanID: c.SpanID, Parent: c.Traceparent,
	}
}

// record journals the call and every failure of it, and logs the failures. A look
// into the journal is recorded without its own failures: they must not bury what
// it holds.
func (h *Handler) record(e status.Envelope, call *status.Call, order order, found hard) {
	now := h.Deps.Now()
	c := journal.Call{
		At: now.UTC(), ID: call.ID, TraceID: call.TraceID, Tool: call.Tool, Status: e.Status().String(), Code: e.Code().String(), Attempts: e.Attempts(),
		Session: call.Session, Answered: e.Answered(), Recovered: e.Recovered(), Instead: order == instead,
	}
	if !call.Began.IsZero() {
		c.Duration = time.Since(call.Began)
	}
	t, ok := h.tools[call.Tool]
	if !ok || t.Spec().Operation != journalRead {
		top, _ := e.Failure()
		escalation := top.Text("escalation_id")
		for _, f := range e.Failures() {
			r := journal.Of(f, now)
			if f.Reason() == top.Reason() { // an escalation is opened for the gravest
				r.Escalation, escalation = escalation, ""
			}
			r.CallID, r.TraceID, r.Tool, r.Outcome, r.Attempts = c.ID, c.TraceID, c.Tool, c.Status, c.Attempts
			if ok && !t.Spec().Local {
				r.Trigger = string(found.of(f, t.Spec()))
			}
			c.Failures = append(c.Failures, r)
			h.logged(r, e.IsError())
		}
	}
	h.Deps.Journal.Note(c)
}

// journalRead is the operation of the tools that show the journal.
const journalRead = "journal.list"

func (h *Handler) logged(r journal.Record, failed bool) {
	level := slog.LevelInfo
	if failed {
		level = slog.LevelWarn
	}
	h.Log.Log(context.Background(), level, "call failed",
		"tool", r.Tool, "source", r.Source, "endpoint", r.Endpoint, "stage", r.Stage, "reason", r.Reason, "code", r.Code, "outcome", r.Outcome,
		"attempts", r.Attempts, "http_status", r.HTTPStatus, "fingerprint", r.Fingerprint, "call_id", r.CallID, "trace_id", r.TraceID)
}
