package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/internal/policy"
	"github.com/frank-mcp/frank/status"
)

type escalateArgs struct {
	Trigger    string   `arg:"trigger" need:"true" loose:"true" enum:"policy_denied,scope_outside_policy,repeated_failure,write_outcome_unknown,low_confidence,ambiguous_intent"`
	Question   string   `arg:"question" need:"true" doc:"what the person must decide, word for word" max:"4000"`
	Attempted  []string `arg:"attempted" doc:"what was tried; the server adds its own log" max:"1000"`
	NextStep   string   `arg:"suggested_next_step" need:"late" doc:"as a hypothesis" max:"1000"`
	Confidence float64  `arg:"confidence" need:"late" doc:"in the own conclusion" min:"0" max:"1"`
	Context    string   `arg:"context" need:"late" doc:"summary of the conversation"`
}

var escalateSpec = Spec{
	Name: "escalate", Title: "Escalate to a person", Operation: "escalation.open", One: "escalation", Local: true, Keeps: true,
	Description: "Hand a question to a person: complete, or refused. The server decides who gets it. Go on from the answer with get_escalation.",
}

var escalate = tool[escalateArgs]{escalateSpec, openEscalation}

// Handed is what became of an escalation.
type Handed struct {
	ID          string           `json:"id"`
	State       escalation.State `json:"state"`
	Destination string           `json:"destination"`
	Count       int              `json:"count"`          // how often it was escalated while open
	Joined      bool             `json:"joined"`         // an equal one was open already
	Held        bool             `json:"held,omitempty"` // delivered later, together with others
	GoOn        string           `json:"go_on"`
}

// OwnEscalations is frank's own list of them, where an answer names its source.
const OwnEscalations = "escalations"

// recent is how far back the server's own log of a session goes, and howMuch of it.
const (
	recent  = 12 * time.Hour
	howMuch = 50
)

func openEscalation(ctx context.Context, d *Deps, a escalateArgs) status.Envelope {
	if ctx.Err() != nil {
		return escalateSpec.refuse(status.Fail(status.Cancelled))
	}
	trigger, _ := escalation.TriggerNamed(a.Trigger) // bound to one of them
	rules := d.Escalations.Rules()
	if trigger == escalation.LowConfidence && a.Confidence >= rules.MinConfidence {
		return escalateSpec.refuse(status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
			Name: "confidence", Reason: status.InvalidArgument.Name(),
			Problem: fmt.Sprintf("low confidence is escalated below %g, the threshold of this server; go on by yourself", rules.MinConfidence),
		}})))
	}
	o := escalation.Opening{
		By: escalation.ByAgent, Trigger: trigger, Question: a.Question, Context: a.Context, Attempted: a.Attempted,
		NextStep: a.NextStep, Confidence: &a.Confidence, Call: status.CallFrom(ctx),
	}
	if f := d.because(ctx, &o); f != nil {
		return escalateSpec.refuse(*f)
	}
	out, err := d.Escalations.Open(ctx, o)
	if errors.Is(err, escalation.ErrFull) {
		return escalateSpec.refuse(status.Fail(status.OperationUnsupported, status.By(OwnEscalations), status.NotCalled,
			status.Feature.Is("room for another one while so many wait for people"),
			status.Remedy.Is("A person must end some of the open escalations first: frank escalations.")))
	}
	if err != nil {
		return escalateSpec.refuse(unusable(ctx))
	}
	audit := kept(d)
	if !out.Durable {
		audit.Unmade(status.Completeness, status.Fail(status.Corrupt, status.WasCalled, status.Part.Is("the file that people read: the escalation is kept in the memory of this process only")))
	}
	q := escalateSpec.question(escalateSpec.One)
	q.Rest = out.ID + ", " + string(out.State) + " and sent to " + out.Destination
	q.Fallback = "ask the person in this conversation"
	return status.One(OwnEscalations, Handed{
		out.ID, out.State, out.Destination, out.Count, out.Joined, out.Held,
		"Do what does not depend on the answer; then call get_escalation id=" + out.ID + ", or subscribe to frank://escalations/" + out.ID + ".",
	}, audit).Envelope(q)
}

// because adds what this server logged of the session: its calls, and the failure that
// the escalation is about. A hard trigger holds without judgement, so that the agent
// can name only one that the log has; otherwise it could choose who decides.
func (d *Deps) because(ctx context.Context, o *escalation.Opening) *status.Failure {
	session := status.CallFrom(ctx).Session
	if session != "" {
		o.Journal = d.Journal.Actions(ctx, session, d.Now().Add(-recent), howMuch)
	}
	failures, read := d.Journal.Failures(ctx, session, d.Now().Add(-recent), howMuch)
	failures = slices.DeleteFunc(failures, func(r journal.Record) bool { return r.Tool == escalateSpec.Name || r.Tool == getEscalationSpec.Name })
	hard := o.Trigger.Kind() == "hard"
	i := slices.IndexFunc(failures, func(r journal.Record) bool { return !hard || r.Trigger == string(o.Trigger) })
	switch {
	case i >= 0:
		r := failures[i]
		o.Code, o.Source, o.Fingerprint = r.Code, r.Source, cmp.Or(r.Fingerprint, r.Source)
		o.Failure = &escalation.Failure{
			CallID: r.CallID, TraceID: r.TraceID, Tool: r.Tool, Source: r.Source, Operation: r.Operation, Stage: r.Stage, Reason: r.Reason, Code: r.Code, Fingerprint: r.Fingerprint,
		}
	case hard && (!read || !d.Escalations.Whole()):
		f := unusable(ctx)
		return &f
	case hard:
		f := status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
			Name: "trigger", Reason: status.InvalidArgument.Name(), Problem: "this server's log of the session has no failure that is " + string(o.Trigger) + "; " + logged(failures),
		}}))
		return &f
	}
	return nil
}

// logged names the failures of a session, each kind once.
func logged(failures []journal.Record) string {
	var there []string
	for _, r := range failures {
		what := r.Reason
		if r.Source != "" {
			what += " of " + r.Source
		}
		if r.Trigger != "" {
			what += " (" + r.Trigger + ")"
		}
		if !slices.Contains(there, what) && len(there) < 5 {
			there = append(there, what)
		}
	}
	if len(there) == 0 {
		return "it has no failure at all"
	}
	return "it has " + strings.Join(there, ", ")
}

// kept is the audit of what was read from the store or written there.
func kept(d *Deps) *status.Audit {
	audit := new(status.Audit)
	audit.Hold(status.Proof{Request: "escalations", At: d.Now()}, status.Transport, status.Shape, status.InBand, status.Identity, status.Scope, status.Completeness, status.Effectiveness)
	audit.Stamp(d.Now())
	return audit
}

// unusable says that the store did not take or give an escalation.
func unusable(ctx context.Context) status.Failure {
	if ctx.Err() != nil {
		return status.Fail(status.Cancelled)
	}
	return status.Fail(status.Corrupt, status.By(OwnEscalations), status.Part.Is("the file of the escalations cannot be read or written"),
		status.Remedy.Is("Look at what frank doctor says of the journal, and repair its file; then repeat."))
}

// LeftOut reports whether no deny speaks of what was refused, but a list of what is
// allowed does not have it.
func LeftOut(f status.Failure) bool { return policy.LeftOut(f) }
