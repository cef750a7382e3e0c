package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/status"
	"github.com/frank-mcp/frank/tools"
)

// EscalationURI is the beginning of the resources that hold one escalation each.
const EscalationURI = "frank://escalations/"

// How long an answer waits at most for its escalation to be stored: it takes a few
// milliseconds, and a person is about to be asked. Where the file hung a moment ago,
// hardly at all.
const (
	escalateWithin = 3 * time.Second
	hungWithin     = 50 * time.Millisecond
	hungFor        = 30 * time.Second
)

// escalated opens an escalation where the answer shows a hard trigger, puts its id
// into the answer, and says which it was. It never fails the call: what cannot be stored leaves
// the answer without an id, and is logged.
func (h *Handler) escalated(e status.Envelope, call *status.Call) (status.Envelope, hard) {
	k, t := h.Deps.Escalations, h.tools[call.Tool]
	if e.Code() == status.None || t == nil || t.Spec().Local {
		return e, hard{}
	}
	within := escalateWithin
	if time.Now().UnixNano() < h.hung.Load() {
		within = hungWithin
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	found := h.trigger(ctx, e, t.Spec())
	if found.trigger == "" {
		return e, found
	}
	out, err := k.Open(ctx, h.opening(ctx, found, e, call))
	if ctx.Err() != nil {
		h.hung.Store(time.Now().Add(hungFor).UnixNano())
	}
	if err != nil || k.Problem() != "" {
		h.Log.Error("an escalation could not be stored", "tool", call.Tool, "call_id", call.ID, "trigger", string(found.trigger), "reason", found.failure.Reason().Name())
		return e, found
	}
	return e.Escalated(out.ID), found
}

// hard is a trigger without judgement, and the failure that is it.
type hard struct {
	trigger escalation.Trigger
	failure status.Failure
}

// plain is the trigger that the failure is whatever else has happened, or empty.
func plain(f status.Failure, s tools.Spec) escalation.Trigger {
	switch {
	case s.Writes && f.APICalled() == status.MaybeCalled:
		return escalation.WriteOutcomeUnknown
	case tools.LeftOut(f):
		return escalation.ScopeOutsidePolicy
	case f.Reason() == status.PolicyDenied:
		return escalation.PolicyDenied
	default:
		return ""
	}
}

// of is the hard trigger that a failure of the answer is, be it only counted in it.
func (found hard) of(f status.Failure, s tools.Spec) escalation.Trigger {
	if found.trigger == escalation.RepeatedFailure && exhausted(f) && f.DependencyFingerprint() == found.failure.DependencyFingerprint() {
		return found.trigger
	}
	return plain(f, s)
}

// trigger is the gravest hard trigger in the answer, and the failure that is it.
func (h *Handler) trigger(ctx context.Context, e status.Envelope, s tools.Spec) hard {
	all := e.Failures()
	if top, ok := e.Failure(); ok && len(all) == 0 {
		all = []status.Failure{top}
	}
	for _, f := range all {
		if t := plain(f, s); t == escalation.WriteOutcomeUnknown {
			return hard{t, f}
		}
	}
	for _, f := range all {
		// What policy left out of an answer that was given is counted there.
		if t := plain(f, s); t != "" && (f.APICalled() == status.NotCalled || e.IsError()) {
			return hard{t, f}
		}
	}
	for _, f := range all {
		if exhausted(f) && h.failing(ctx, f) {
			return hard{escalation.RepeatedFailure, f}
		}
	}
	return hard{}
}

// exhausted: a dependency failed, and repeating the request below did not help.
func exhausted(f status.Failure) bool {
	if f.DependencyFingerprint() == "" {
		return false
	}
	switch f.Reason() {
	case status.NetworkError, status.Timeout, status.TruncatedBody, status.RateLimited, status.HTTP5xx, status.CircuitOpen:
		return true
	default:
		return false
	}
}

// failing reports whether the dependency has failed often enough, this call
// included. An open circuit is no attempt of its own.
func (h *Handler) failing(ctx context.Context, f status.Failure) bool {
	n := h.Deps.Journal.Streak(ctx, f.DependencyFingerprint())
	if f.Reason() != status.CircuitOpen {
		n++
	}
	return n >= h.Deps.Escalations.Rules().AfterFailures
}

var errUnreadable = errors.New("server: the escalation cannot be read")

// opening is what a person is told of a hard trigger.
func (h *Handler) opening(ctx context.Context, found hard, e status.Envelope, call *status.Call) escalation.Opening {
	trigger, f := found.trigger, found.failure
	now := h.Deps.Now().UTC()
	o := escalation.Opening{
		By: escalation.ByServer, Trigger: trigger, Question: e.Summary(), NextStep: f.Action(),
		Context: "Opened by the server when a call of " + call.Tool + " ended so; it does not see the conversation.",
		Code:    f.Code().String(), Source: f.Source(), Fingerprint: f.DependencyFingerprint(), Call: call,
		Failure: &escalation.Failure{
			CallID: call.ID, TraceID: call.TraceID, Tool: call.Tool, Source: f.Source(), Operation: f.Operation(), Stage: f.Reason().Stage().String(), Reason: f.Reason().Name(),
			Code: f.Code().String(), Fingerprint: f.DependencyFingerprint(), Evidence: f.Evidence(),
		},
	}
	switch trigger {
	case escalation.RepeatedFailure:
		o.Alike = string(trigger) // one question for a dependency, whatever it was asked
	case escalation.WriteOutcomeUnknown:
		// One question for a change, however often it is repeated and whyever it cannot
		// be looked up; two changes are never the same.
		o.Fingerprint, o.Alike = string(trigger), cmp.Or(call.Key(), call.ID)
	default:
		if o.Fingerprint == "" {
			o.Fingerprint = strings.Join([]string{string(trigger), f.Source(), f.Capability(), f.Text("rule")}, "\x00")
		}
	}
	if call.Session != "" {
		o.Journal = h.Deps.Journal.Actions(ctx, call.Session, now.Add(-12*time.Hour), 50)
	}
	o.Journal = append(o.Journal, escalation.Action{ // it is recorded after this
		At: now, Tool: call.Tool, Source: f.Source(), Status: e.Status().String(), Code: e.Code().String(), Reason: f.Reason().Name(), CallID: call.ID,
	})
	return o
}

// escalations are the resources that hold one escalation each.
func escalations(d *tools.Deps) Template {
	return Template{
		URI: EscalationURI + "{id}", Name: "escalation", Title: "Escalation", MIMEType: "application/json",
		Description: "How an escalation stands, and the person's answer once it has ended. Subscribe to learn of it.",
		Read: func(ctx context.Context, uri string) (string, bool, error) {
			id := strings.TrimPrefix(uri, EscalationURI)
			if !escalation.ValidID(id) {
				return "", false, nil
			}
			e := tools.ReadEscalation(ctx, d, id)
			if e.Status() == status.Empty {
				return "", false, nil
			}
			raw, err := e.Structured()
			if err != nil {
				return "", false, err
			}
			var answer struct {
				Data struct {
					Item json.RawMessage `json:"item"`
				} `json:"data"`
			}
			if err := json.Unmarshal(raw, &answer); err != nil || len(answer.Data.Item) == 0 {
				return "", true, errUnreadable
			}
			return string(answer.Data.Item), true, nil
		},
	}
}
