package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/frank-mcp/frank/status"
)

// DefaultDeadline is how long a tool call may take when Config sets nothing:
// longer than any retry budget, shorter than the minute after which common
// hosts give up waiting.
const DefaultDeadline = 55 * time.Second

// Config is what a Server offers. The zero value of every optional field is
// usable; Call and Fallback are required.
type Config struct {
	// Version is reported to clients as the version of the server.
	Version string
	// Instructions is shown to the model by most hosts.
	Instructions string
	// Tools in any order; clients get them sorted by name. It is called once, when
	// a request other than initialize comes: hosts wait for that at every start. A
	// tool that lacks a name or a schema panics.
	Tools func() []Tool
	// Known, if set, tells the tools whose answers have the schema of
	// status.OutputSchema, so that [Server.Call] need not have all described.
	Known func(tool string) bool
	// Call answers a call of one of Tools. It may run several times at once.
	// Whatever it does (panic, hang, nothing), the client gets a Reply.
	Call func(ctx context.Context, c Call) Reply
	// Fallback makes the Reply for a call that Call could not answer. It must
	// return at once and must not fail.
	Fallback func(f Fault, c Call) Reply
	// Prompts and Resources on offer.
	Prompts   []Prompt
	Resources []Resource
	Templates []Template
	// Listening, if set, is told whenever somebody may have begun to listen to
	// changes of a resource; see [Server.Listened]. It must return soon.
	Listening func()
	// Redact, if set, takes secrets out of whatever is about to leave: text or
	// JSON, which stays JSON. It returns what it was given if there is nothing to do.
	Redact func([]byte) []byte
	// Deadline of a tool call; DefaultDeadline if zero.
	Deadline time.Duration
	// Log gets records about the transport; never arguments, bodies, header
	// values or error texts. Nothing is logged if nil.
	Log *slog.Logger
}

// Tool describes one tool as clients see it. The schemas are JSON Schema 2020-12.
type Tool struct {
	Name, Title, Description          string
	InputSchema, OutputSchema         json.RawMessage
	ReadOnly, Destructive, Idempotent bool
	// OpenWorld: the tool reaches things outside this machine.
	OpenWorld bool
}

// Call is one call of a tool.
type Call struct {
	// Tool is the name of a configured tool.
	Tool string
	// Arguments as they were sent: valid JSON of any type, nil if there were none.
	Arguments json.RawMessage
	// CallID is unique for the call, made here, safe to show.
	CallID string
	// Traceparent is the caller's W3C trace context, "" if there was none or
	// it was malformed.
	Traceparent string
	// Session is a hash, the same for all calls of one connection.
	Session string
	// Began is when the call came in.
	Began time.Time
	// TraceID and SpanID are those of the call in W3C Trace Context: the trace is
	// that of Traceparent if there is one.
	TraceID, SpanID string
	// Chosen is what a person chose of the Choices that an earlier Reply to the same
	// call offered; nil if nobody was asked. Where its tool is that of the call, its
	// arguments have been put into Arguments.
	Chosen *status.NextCall
	// Transport is "pipe" or "tcp", empty for a call that came by none.
	Transport string
	// Progress tells the client how far the call is; nil if the client did
	// not ask. done must grow; total is 0 if unknown, and done is counted on then
	// where it does not. Delivery is best effort.
	Progress func(message string, done, total float64)
}

// Reply answers a Call.
type Reply struct {
	// Text is the text channel, Structured the structured one; both carry the
	// whole answer.
	Text string
	// Structured must satisfy the tool's output schema, on errors too.
	Structured json.RawMessage
	// Meta is added to the result's _meta.
	Meta map[string]json.RawMessage
	// IsError marks the result as an error of the tool.
	IsError bool
	// Choices are what the call may mean, each with its Call: a person at the client
	// who can be asked is asked Question before the reply is given.
	Choices  []status.Candidate
	Question string
}

// Fault says why a call had to be answered by Fallback.
type Fault int

// The faults. The zero Fault is FaultPanic, so that an unset one is never mild.
const (
	// FaultPanic: Call panicked.
	FaultPanic Fault = iota
	// FaultNoReply: Call returned a Reply without text or without structure.
	FaultNoReply
	// FaultSchema: the structured reply is not JSON or violates the output schema.
	FaultSchema
	// FaultDeadline: no reply before the deadline.
	FaultDeadline
	// FaultCancelled: the caller cancelled, went away, or the server is shutting down.
	FaultCancelled
)

// String names the fault for logs.
func (f Fault) String() string {
	switch f {
	case FaultPanic:
		return "panic"
	case FaultNoReply:
		return "no_reply"
	case FaultSchema:
		return "schema_violation"
	case FaultDeadline:
		return "deadline"
	case FaultCancelled:
		return "cancelled"
	}
	return "unknown"
}

// Prompt is one prompt on offer.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
	// Render makes the messages. Every required argument is there and not
	// blank; others may be missing. The text of its error is shown to the caller
	// as the reason why the arguments cannot be used: it must be the prompt's own.
	Render func(ctx context.Context, arguments map[string]string) ([]PromptMessage, error)
}

// PromptArgument is one argument of a Prompt.
type PromptArgument struct {
	Name, Description string
	Required          bool
	// Values completes what the user typed; nil if there is nothing to offer.
	Values []string
}

// PromptMessage is one text message of a rendered prompt.
type PromptMessage struct {
	// Assistant marks a message of the model; others are the user's.
	Assistant bool
	Text      string
}

// Resource is one text resource on offer.
type Resource struct {
	URI, Name, Title, Description, MIMEType string
	// Read returns the content as it is now. The text of its error is shown
	// to nobody.
	Read func(ctx context.Context) (string, error)
}

// Template is a family of text resources on offer.
type Template struct {
	// URI is an RFC 6570 template.
	URI, Name, Title, Description, MIMEType string
	// Read returns the content of one of them as it is now, and whether there is
	// such a one. The text of its error is shown to nobody.
	Read func(ctx context.Context, uri string) (text string, found bool, err error)
}
