// Package escalation hands to a person what the server or the agent cannot
// decide. It keeps each question with what led to it, joins equal ones, routes
// them by the configuration, delivers them from an outbox that outlives the
// process, and keeps the answer for the agent to go on from.
//
// It decides nothing by itself and asks no source. Every text that it stores has
// passed the scrubber. It never fails or holds up the call that escalates: while
// the store cannot be used, an escalation is kept in memory and said to be.
package escalation

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/status"
)

// Trigger is why something is escalated.
type Trigger string

// The triggers. The hard ones hold without judgement, and the server opens them
// by itself in the path of the call; the soft ones are the agent's.
const (
	// PolicyDenied: a deny of the policy kept a source from being asked.
	PolicyDenied Trigger = "policy_denied"
	// ScopeOutsidePolicy: no deny speaks of it, but a list of what is allowed
	// (policy.allow, or only of a source) does not have it.
	ScopeOutsidePolicy Trigger = "scope_outside_policy"
	// RepeatedFailure: the same dependency failed after its retries, several times
	// without a success in between.
	RepeatedFailure Trigger = "repeated_failure"
	// WriteOutcomeUnknown: a change may or may not have been made.
	WriteOutcomeUnknown Trigger = "write_outcome_unknown"
	// LowConfidence: the agent trusts its own conclusion less than the threshold.
	LowConfidence Trigger = "low_confidence"
	// AmbiguousIntent: what is wanted can be read in more than one way.
	AmbiguousIntent Trigger = "ambiguous_intent"
)

// Triggers lists all of them, the hard ones first.
func Triggers() []Trigger {
	return []Trigger{PolicyDenied, ScopeOutsidePolicy, RepeatedFailure, WriteOutcomeUnknown, LowConfidence, AmbiguousIntent}
}

// Kind is hard or soft.
func (t Trigger) Kind() string {
	if t == LowConfidence || t == AmbiguousIntent {
		return "soft"
	}
	return "hard"
}

// TriggerNamed reads a trigger without regard to case, spaces and hyphens.
func TriggerNamed(s string) (Trigger, bool) {
	s = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
	for _, t := range Triggers() {
		if s == string(t) {
			return t, true
		}
	}
	return "", false
}

// State is how far an escalation is.
type State string

// The states.
const (
	Open     State = "open"
	Resolved State = "resolved"
	Rejected State = "rejected"
)

// Who opened an escalation.
const (
	ByAgent  = "agent"
	ByServer = "server"
)

// Action is one call of the session, as the server logged it.
type Action = journal.Action

// Failure is what failed, as the answer said it.
type Failure struct {
	CallID      string          `json:"call_id"`
	TraceID     string          `json:"trace_id,omitempty"`
	Tool        string          `json:"tool,omitempty"`
	Source      string          `json:"source,omitempty"`
	Operation   string          `json:"operation,omitempty"`
	Stage       string          `json:"stage,omitempty"`
	Reason      string          `json:"reason"`
	Code        string          `json:"code"`
	Fingerprint string          `json:"fingerprint,omitempty"`
	Evidence    json.RawMessage `json:"evidence,omitempty"`
}

// Hypothesis is a next step that somebody suggests and nobody has checked.
type Hypothesis struct {
	Hypothesis bool   `json:"hypothesis"` // always true: it must not be read as an instruction
	Text       string `json:"text"`
}

// Statement is what a later call said that escalated the same. Trigger and Question
// are there only if they differ from those of the record.
type Statement struct {
	At         time.Time   `json:"at"`
	By         string      `json:"by"`
	CallID     string      `json:"call_id,omitempty"` // of the call that escalated
	Trigger    Trigger     `json:"trigger,omitempty"`
	Question   string      `json:"question,omitempty"`
	Context    string      `json:"context,omitempty"`
	Attempted  []string    `json:"attempted,omitempty"`
	NextStep   *Hypothesis `json:"suggested_next_step,omitempty"`
	Confidence *float64    `json:"confidence,omitempty"`
}

// Record is one escalation as people, webhooks and commands see it. Fields are
// only ever added.
type Record struct {
	ID          string      `json:"id"`
	State       State       `json:"state"`
	OpenedAt    time.Time   `json:"opened_at"`
	OpenedBy    string      `json:"opened_by"`
	Trigger     Trigger     `json:"trigger"`
	Kind        string      `json:"kind"`
	Destination string      `json:"destination"`
	Question    string      `json:"question"`
	Context     string      `json:"context"`
	Attempted   []string    `json:"attempted,omitempty"`           // as the agent says
	Journal     []Action    `json:"journal,omitempty"`             // as the server logged it, oldest first
	NextStep    *Hypothesis `json:"suggested_next_step,omitempty"` // see Hypothesis
	Confidence  *float64    `json:"confidence,omitempty"`          // of the agent, 0 to 1
	Failure     *Failure    `json:"failure,omitempty"`
	// Further is what was said differently when it was escalated again while it was
	// open, oldest first, and Dropped how much of that was too much to keep.
	Further    []Statement `json:"further,omitempty"`
	Dropped    int         `json:"further_dropped,omitempty"`
	Count      int         `json:"count"` // how often it was escalated while open
	FirstAt    time.Time   `json:"first_at"`
	LastAt     time.Time   `json:"last_at"`
	Resolution *Resolution `json:"resolution,omitempty"`
	// Delivery says how far word of it has got; empty for the local inbox.
	Delivery []Delivery `json:"delivery,omitempty"`
}

// Resolution is a person's answer.
type Resolution struct {
	Outcome State     `json:"outcome"`
	Note    string    `json:"note"`
	At      time.Time `json:"at"`
	By      string    `json:"by,omitempty"` // only if the person gave a name
}

// Delivery is one message in the outbox.
type Delivery struct {
	ID       string     `json:"id"`
	Event    string     `json:"event"`
	State    string     `json:"state"` // waiting, held, digested, done, given_up
	Attempts int        `json:"attempts"`
	NextAt   *time.Time `json:"next_at,omitempty"`
	Problem  string     `json:"problem,omitempty"` // a reason, never a text of the other side
}

// Opening is what is escalated.
type Opening struct {
	By         string
	Trigger    Trigger
	Question   string // word for word
	Context    string
	Attempted  []string
	Journal    []Action
	NextStep   string
	Confidence *float64
	Failure    *Failure
	// Fingerprint and Question decide which escalations are equal; an empty Alike
	// is the question.
	Fingerprint, Alike string
	// Code and Source, with the trigger, decide where it goes.
	Code, Source string
	// Call is what opened it, for the event that tells of it; it may be nil.
	Call *status.Call
}

// Opened is what became of an [Opening].
type Opened struct {
	ID          string
	State       State
	Destination string
	Count       int
	Joined      bool // it was open already
	Held        bool // the rate limit makes it part of a later digest
	Durable     bool // it outlives the process
}

// Event tells that an escalation was opened or ended. Fields are only ever added.
type Event struct {
	Name        string // escalation.opened, escalation.resolved
	At          time.Time
	ID          string
	Trigger     Trigger
	Kind        string
	State       State
	Destination string
	CallID      string // of the call that opened it, with its trace and tool, if known; else of the one that failed
	TraceID     string
	SpanID      string
	Tool        string
	Source      string
	Code        string
	Reason      string
	Elapsed     time.Duration // from the opening to the end
}

// Names of events.
const (
	EventOpened   = "escalation.opened"
	EventResolved = "escalation.resolved"
)

func (e *Event) because(f *Failure) {
	if f == nil {
		return
	}
	e.Source, e.Code, e.Reason = f.Source, f.Code, f.Reason
	if e.CallID == "" {
		e.CallID, e.TraceID, e.Tool = f.CallID, f.TraceID, f.Tool
	}
}
