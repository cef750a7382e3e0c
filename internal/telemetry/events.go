package telemetry

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/frank-mcp/frank/status"
)

// The events. Others may be added; none of them changes its meaning.
const (
	CallStarted        = "call.started"
	CallRetry          = "call.retry"
	CallFailed         = "call.failed"
	CallRecovered      = "call.recovered"
	EscalationOpened   = "escalation.opened"
	EscalationResolved = "escalation.resolved"
)

// eventVersion grows only if a key changes its meaning. New keys are no new version.
const eventVersion = 1

// Events is a status.Watcher that writes what calls do as JSON, one object a line,
// each line with one Write. Every event has the same shape; keys with nothing to
// say are left out, and metadata may be ignored as a whole.
type Events struct {
	to  io.Writer
	now func() time.Time
}

type event struct {
	Event    string   `json:"event"`
	Version  int      `json:"version"`
	Time     string   `json:"time"`
	CallID   string   `json:"call_id,omitempty"`
	TraceID  string   `json:"trace_id,omitempty"`
	SpanID   string   `json:"span_id,omitempty"`
	Tool     string   `json:"tool,omitempty"`
	Source   string   `json:"source,omitempty"`
	Stage    string   `json:"stage,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Code     string   `json:"code,omitempty"`
	Status   string   `json:"status,omitempty"`
	Severity string   `json:"severity,omitempty"`
	Attempt  int      `json:"attempt,omitempty"`
	Metadata metadata `json:"metadata"`
}

// metadata is what no consumer needs.
type metadata struct {
	Endpoint     string `json:"endpoint,omitempty"`
	WaitMS       int64  `json:"wait_ms,omitempty"`
	DurationMS   *int64 `json:"duration_ms,omitempty"`
	Items        int    `json:"items,omitempty"`
	EscalationID string `json:"escalation_id,omitempty"`
	Trigger      string `json:"trigger,omitempty"`
	Destination  string `json:"destination,omitempty"`
	Outcome      string `json:"outcome,omitempty"`
}

// Escalation is what an event tells of an escalation: ids and words of closed
// lists. What is neither is left out.
type Escalation struct {
	Event       string // EscalationOpened or EscalationResolved
	ID          string
	Trigger     string
	Destination string
	Outcome     string // of one that was resolved
	CallID      string
	TraceID     string
	SpanID      string
	Tool        string
	Source      string
	Reason      string // of the failure behind it; stage and severity follow from it
	Code        string
}

// Escalation writes the event.
func (v *Events) Escalation(x Escalation) {
	e := event{
		Event: word(x.Event), CallID: word(x.CallID), TraceID: word(x.TraceID), SpanID: word(x.SpanID), Tool: word(x.Tool), Source: word(x.Source), Code: word(x.Code),
		Metadata: metadata{EscalationID: word(x.ID), Trigger: word(x.Trigger), Destination: word(x.Destination), Outcome: word(x.Outcome)},
	}
	e.because(x.Reason)
	v.write(e)
}

type startKey struct{}

// Begin implements status.Watcher.
func (v *Events) Begin(ctx context.Context, w status.Work) context.Context {
	if w.Kind != status.CallWork {
		return ctx
	}
	v.write(of(ctx, CallStarted))
	return context.WithValue(ctx, startKey{}, v.now())
}

// End implements status.Watcher: what was overcome on the way, then how it failed.
func (v *Events) End(ctx context.Context, w status.Work, e status.Ending) {
	if w.Kind != status.CallWork {
		return
	}
	for _, x := range status.CallFrom(ctx).Recoveries() {
		line := of(ctx, CallRecovered)
		line.Source, line.Attempt = word(x.Source), x.Attempt
		line.because(x.Reason)
		v.write(line)
	}
	if e.Code == status.None || e.Code == 0 || e.Status == status.Empty { // a proved absence is an answer
		return
	}
	line := of(ctx, CallFailed)
	line.Source, line.Code, line.Status, line.Attempt = word(e.Source), e.Code.String(), e.Status.String(), status.CallFrom(ctx).Attempts()
	line.because(e.Reason)
	line.Metadata.Items = e.Items
	if began, ok := ctx.Value(startKey{}).(time.Time); ok {
		took := v.now().Sub(began).Milliseconds()
		line.Metadata.DurationMS = &took
	}
	v.write(line)
}

// Retrying implements status.Watcher.
func (v *Events) Retrying(ctx context.Context, r status.Retrying) {
	line := of(ctx, CallRetry)
	line.Source, line.Attempt, line.Code = word(r.Source), r.Attempt, r.Reason.Code().String()
	line.Metadata = metadata{Endpoint: status.Line(r.Endpoint, 120), WaitMS: r.Wait.Milliseconds()}
	line.because(r.Reason.Name())
	v.write(line)
}

// Resting implements status.Watcher: no event tells of circuits.
func (*Events) Resting(context.Context, string, int) {}

// Outgoing implements status.Watcher: events have no spans that could be a parent.
func (*Events) Outgoing(context.Context) string { return "" }

// of is an event of the call.
func of(ctx context.Context, name string) event {
	c := status.CallFrom(ctx)
	return event{Event: name, CallID: c.ID, TraceID: c.TraceID, SpanID: c.SpanID, Tool: c.Tool}
}

// because adds what the table knows of the reason.
func (e *event) because(reason string) {
	r, ok := status.ReasonNamed(reason)
	if !ok {
		return
	}
	e.Reason, e.Stage, e.Severity = r.Name(), r.Stage().String(), r.Severity().String()
}

// write ends in one Write, so that lines stay whole.
func (v *Events) write(e event) {
	e.Version, e.Time = eventVersion, v.now().UTC().Format("2006-01-02T15:04:05.000Z")
	line, err := json.Marshal(e)
	if err != nil {
		return // a struct of texts and numbers always encodes
	}
	_, _ = v.to.Write(append(line, '\n')) // nobody is left to tell if it cannot be written
}

// word is s if it can be an id or a word of a closed list, else nothing.
func word(s string) string {
	if len(s) > 80 {
		return ""
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' && c != ':' {
			return ""
		}
	}
	return s
}
