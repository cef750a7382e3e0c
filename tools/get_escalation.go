package tools

import (
	"context"
	"errors"
	"time"

	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/status"
)

type getEscalationArgs struct {
	ID string `arg:"id" need:"true" doc:"such as esc_…" max:"64"`
}

var getEscalationSpec = Spec{
	Name: "get_escalation", Title: "Get an escalation", Operation: "escalation.get", One: "escalation", Local: true,
	Description: "Read how an escalation stands and, once it has ended, the person's answer, to go on from it.",
}

var getEscalation = tool[getEscalationArgs]{getEscalationSpec, readEscalation}

// Escalation is how an escalation stands.
type Escalation struct {
	ID          string                 `json:"id"`
	State       escalation.State       `json:"state"`
	Trigger     escalation.Trigger     `json:"trigger"`
	Kind        string                 `json:"kind"`
	Destination string                 `json:"destination"`
	Question    string                 `json:"question"`
	OpenedAt    time.Time              `json:"opened_at"`
	Count       int                    `json:"count"`
	Resolution  *escalation.Resolution `json:"resolution,omitempty"`
	GoOn        string                 `json:"go_on"`
}

func readEscalation(ctx context.Context, d *Deps, a getEscalationArgs) status.Envelope {
	q := getEscalationSpec.question(getEscalationSpec.One)
	q.Rest, q.At = a.ID, d.Now()
	q.Fallback = "ask the person in this conversation"
	switch {
	case ctx.Err() != nil:
		return getEscalationSpec.refuse(status.Fail(status.Cancelled))
	case !escalation.ValidID(a.ID):
		return getEscalationSpec.refuse(status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
			Name: "id", Reason: status.InvalidArgument.Name(), Problem: "an id is esc_ and 14 small letters and digits, as the answer that escalated gave it",
		}})))
	}
	r, err := d.Escalations.Get(ctx, a.ID)
	switch {
	case errors.Is(err, escalation.ErrUnknown) && d.Escalations.Whole():
		return status.Absent[Escalation](OwnEscalations, kept(d), status.Reference.Is(a.ID)).Envelope(q)
	case err != nil:
		return status.Refuse(q, unusable(ctx).With(status.Reference.Is(a.ID)))
	}
	out := Escalation{
		ID: r.ID, State: r.State, Trigger: r.Trigger, Kind: r.Kind, Destination: r.Destination, Question: r.Question,
		OpenedAt: r.OpenedAt, Count: r.Count, Resolution: r.Resolution, GoOn: goOn(r.State),
	}
	q.Rest = r.ID + ", which is " + string(r.State)
	return status.One(OwnEscalations, out, kept(d)).Envelope(q)
}

// ReadEscalation is what get_escalation answers for that id.
func ReadEscalation(ctx context.Context, d *Deps, id string) status.Envelope {
	return readEscalation(ctx, d, getEscalationArgs{ID: id})
}

func goOn(s escalation.State) string {
	switch s {
	case escalation.Resolved:
		return "Go on from the note of the resolution; there is no need to start over."
	case escalation.Rejected:
		return "A person decided against it; read the note and do not escalate the same question again."
	default:
		return "No answer yet. Do what does not depend on it and look again later."
	}
}
