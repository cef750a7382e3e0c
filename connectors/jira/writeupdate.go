package jira

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Update changes what is not yet as asked: the fields in one step, which can be
// undone, then the state by a transition, which cannot.
func (w writer) Update(ctx context.Context, q connectors.IssueUpdate) status.Result[connectors.Issue] {
	e, lost := w.edit(ctx, q)
	if lost != nil {
		return *lost
	}
	steps, f := e.steps(ctx)
	if f == nil && len(steps) > 0 {
		f = connectors.InSteps(ctx, steps)
	}
	if f != nil {
		return status.Failed[connectors.Issue](w.source, e.named(*f))
	}
	return w.confirm(ctx, e.server, e.key, e.lacks)
}

// edit is a change of one issue under way.
type edit struct {
	writer
	target
	asked  connectors.IssueUpdate
	handle *string // of who is to be assigned; empty for nobody
}

func (w writer) edit(ctx context.Context, q connectors.IssueUpdate) (*edit, *status.Result[connectors.Issue]) {
	t, lost := w.target(ctx, q.Ref)
	if lost != nil {
		return nil, lost
	}
	e := &edit{writer: w, target: t, asked: q}
	if q.Assignees != nil {
		handle := ""
		if len(*q.Assignees) > 0 {
			found, f := w.assignee(ctx, t.server, projectOf(t.key), *q.Assignees)
			if f != nil {
				failed := status.Failed[connectors.Issue](w.source, t.named(*f))
				return nil, &failed
			}
			handle = found
		}
		e.handle = &handle
	}
	return e, nil
}

// change is what one request changes of the fields of an issue.
type change struct {
	Fields struct {
		Summary     *string         `json:"summary,omitempty"`
		Description json.RawMessage `json:"description,omitempty"`
		Assignee    json.RawMessage `json:"assignee,omitempty"`
	} `json:"fields"`
	Update struct {
		Labels []labelling `json:"labels,omitempty"`
	} `json:"update"`
}

// labelling adds or removes one label.
type labelling struct {
	Add    string `json:"add,omitempty"`
	Remove string `json:"remove,omitempty"`
}

// patch is what is not yet as asked of the issue as it is now, what takes that back,
// and the names of the fields.
func (e *edit) patch(now wireWhole) (do, undo change, fields []string) {
	q, f := e.asked, now.Fields
	if q.Title != nil && !sameLine(*q.Title, *f.Summary) {
		do.Fields.Summary, undo.Fields.Summary = q.Title, f.Summary
		fields = append(fields, "title")
	}
	if q.Body != nil && !sameText(e.server.prose(*q.Body), f.Description) {
		do.Fields.Description, undo.Fields.Description = e.server.prose(*q.Body), f.Description
		if len(f.Description) == 0 {
			undo.Fields.Description = json.RawMessage("null")
		}
		fields = append(fields, "body")
	}
	for _, l := range without(q.AddLabels, f.labels()) {
		do.Update.Labels, undo.Update.Labels = append(do.Update.Labels, labelling{Add: l}), append(undo.Update.Labels, labelling{Remove: l})
	}
	for _, l := range f.labels() {
		if len(without([]string{l}, q.RemoveLabels)) == 0 {
			do.Update.Labels, undo.Update.Labels = append(do.Update.Labels, labelling{Remove: l}), append(undo.Update.Labels, labelling{Add: l})
		}
	}
	if len(do.Update.Labels) > 0 {
		fields = append(fields, "labels")
	}
	is := ""
	if f.Assignee.wireUser != nil {
		is = f.Assignee.handle(e.server)
	}
	if e.handle != nil && *e.handle != is {
		do.Fields.Assignee, undo.Fields.Assignee = e.assigned(*e.handle), e.assigned(is)
		fields = append(fields, "assignees")
	}
	return do, undo, fields
}

// assigned is the account to assign; nobody is null.
func (e *edit) assigned(handle string) json.RawMessage {
	if handle == "" {
		return json.RawMessage("null")
	}
	raw, err := json.Marshal(e.server.someone(handle))
	if err != nil { // texts always encode
		panic("jira: account: " + err.Error())
	}
	return raw
}

// steps are what is left to do. Whether the state can be reached is settled before
// anything is sent.
func (e *edit) steps(ctx context.Context) ([]connectors.Step, *status.Failure) {
	var steps []connectors.Step
	if do, undo, fields := e.patch(e.wire); len(fields) > 0 {
		steps = append(steps, connectors.Step{
			Name: "changed " + strings.Join(fields, ", ") + " of " + e.key,
			Do:   func(ctx context.Context) *status.Failure { return e.put(ctx, do) },
			Undo: func(ctx context.Context) *status.Failure { return e.put(ctx, undo) },
		})
	}
	if e.stateAsAsked(e.wire) {
		return steps, nil
	}
	t, f := e.transition(ctx)
	if f != nil {
		return nil, f
	}
	return append(steps, connectors.Step{
		Name: "moved " + e.key + " on",
		Do: func(ctx context.Context) *status.Failure {
			k := e.server.get("/issue/{key}/transitions", "issue", e.key, "transitions")
			x, f := e.send(ctx, k.posts(http.MethodPost, struct {
				Transition byID `json:"transition"`
			}{byID{t.ID}}, http.StatusNoContent))
			return connectors.Doubtful(x, f)
		},
	}), nil
}

func (e *edit) put(ctx context.Context, c change) *status.Failure {
	x, f := e.send(ctx, e.server.get("/issue/{key}", "issue", e.key).posts(http.MethodPut, c, http.StatusNoContent))
	return connectors.Doubtful(x, f)
}

// stateAsAsked reports whether the issue is in the state that was asked for.
func (e *edit) stateAsAsked(now wireWhole) bool {
	s := now.Fields.Status
	closed, known := s.closed()
	switch strings.ToLower(e.asked.State) {
	case "":
		return true
	case "open":
		return known && !closed
	case "closed":
		return known && closed
	}
	return strings.EqualFold(s.Name, e.asked.State)
}

// wireTransition is a way out of the state that an issue is in.
type wireTransition struct {
	ID   string      `json:"id"`
	Name string      `json:"name"`
	To   *wireStatus `json:"to"`
}

type wireTransitions struct {
	Transitions *[]wireTransition `json:"transitions"`
}

func (w wireTransitions) Missing() string {
	if w.Transitions == nil {
		return "transitions"
	}
	for _, t := range *w.Transitions {
		if t.ID == "" || t.To == nil {
			return "transitions.to"
		}
	}
	return ""
}

// transition is the one way to the state that was asked for. If there is none, or
// several, the failure lists what can be reached.
func (e *edit) transition(ctx context.Context) (wireTransition, *status.Failure) {
	k := e.server.get("/issue/{key}/transitions", "issue", e.key, "transitions")
	k.fresh = true
	w, x, f := one[wireTransitions](ctx, e.client, k)
	if f == nil && len(*w.Transitions) == 0 {
		f = e.stuck(ctx, x)
	}
	if f != nil {
		return wireTransition{}, f
	}
	var fit []wireTransition
	for _, t := range *w.Transitions {
		closed, known := t.To.closed()
		switch strings.ToLower(e.asked.State) {
		case "open":
			if known && !closed {
				fit = append(fit, t)
			}
		case "closed":
			if known && closed {
				fit = append(fit, t)
			}
		default:
			if strings.EqualFold(t.To.Name, e.asked.State) {
				fit = append(fit, t)
			}
		}
	}
	if len(fit) == 1 {
		return fit[0], nil
	}
	offer := *w.Transitions
	if len(fit) > 1 {
		offer = fit
	}
	options := reachable(offer)
	if len(fit) > 1 && len(options) == 1 { // several ways to one state
		return fit[0], nil
	}
	return wireTransition{}, connectors.Choice("state", "the workflow leads from “"+e.wire.Fields.Status.Name+"” to other states", options,
		status.WasCalled, status.HTTPStatus.Is(x.Status))
}

// stuck is why no transition is listed: that is how Jira answers who may not use any,
// and what an end of the workflow looks like.
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-issueidorkey-transitions-get
func (e *edit) stuck(ctx context.Context, x *upstream.Exchange) *status.Failure {
	project := projectOf(e.key)
	may, seen, f := e.permitted(ctx, project, "TRANSITION_ISSUES")
	switch {
	case f != nil:
		return f
	case !may:
		return seen.Fail(status.ScopeMissing, status.MissingScope.Is("the permission Transition Issues"), status.Container.Is(project))
	}
	return x.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
		Name: "state", Reason: status.InvalidArgument.Name(), Problem: "the workflow lets this account move the issue from “" + new(scrub).line(e.wire.Fields.Status.Name) + "” to no other state",
	}}))
}

// reachable are the names of the states that the transitions lead to, each once.
func reachable(ts []wireTransition) []string {
	var out []string
	var text scrub
	for _, t := range ts {
		if name := text.line(t.To.Name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// lacks names what is not as asked after all.
func (e *edit) lacks(now wireWhole) string {
	_, _, fields := e.patch(now)
	if !e.stateAsAsked(now) {
		fields = append(fields, "state")
	}
	return strings.Join(fields, ", ")
}
