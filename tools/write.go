package tools

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ledger"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// change is what a tool was asked to change.
type change struct {
	spec    Spec
	args    any    // as bound, without key and source
	key     string // as given
	source  string // as given
	project string // of a new issue
	title   string // of a new issue
	ref     *ref.Ref
	doing   string // "the creation of an issue"
	done    string // "created issue "
	trace   func(connectors.Source, place, connectors.Mark) connectors.WriteTrace
}

// place is where a change goes, as its source sees it.
type place struct {
	project string
	ref     ref.Ref
	name    string // for people: acme/app, acme/app#7
}

// write makes a change once: in one source, if it is allowed, under a key that
// tells a repetition from a new change. Nothing is sent before all of that is settled.
func write(ctx context.Context, d *Deps, c change) status.Envelope {
	if ctx.Err() != nil { // nobody waits for the answer
		return c.spec.refuse(over(ctx))
	}
	if c.ref == nil && c.project == connectors.Everywhere { // a source would take its default, of which policy was not asked
		return c.spec.refuse(status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
			Name: "project", Reason: status.InvalidArgument.Name(), Problem: "a change goes to one project: name it",
		}})))
	}
	s, f := c.pick(d)
	if f != nil {
		return c.spec.refuse(*f)
	}
	w := &writing{change: c, d: d, s: s, to: c.placeIn(s)}
	if f := w.barred(); f != nil {
		return w.failed(*f)
	}
	return w.once(ctx)
}

// over is the failure of a call that ended before anything was sent.
func over(ctx context.Context) status.Failure {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return status.Fail(status.Timeout, status.NotCalled)
	}
	return status.Fail(status.Cancelled, status.NotCalled)
}

// pick selects the one source that is to be changed. Where several could be meant,
// frank does not choose.
func (c change) pick(d *Deps) (connectors.Source, *status.Failure) {
	var sources []connectors.Source
	var f *status.Failure
	asked := c.project
	if c.ref != nil {
		r := as(*c.ref, ref.Issue)
		asked = r.String()
		sources, f = d.forRef(c.spec.Kind, c.source, r)
	} else if sources, f = d.forContainer(c.spec.Kind, c.source, c.project); len(sources) > 1 {
		issue := ref.Ref{Kind: ref.Issue, Project: c.project, ID: "1", Number: 1}
		own := slices.DeleteFunc(slices.Clone(sources), func(s connectors.Source) bool { return s.Owns != nil && !s.Owns(issue) })
		if len(own) > 0 {
			sources = own
		}
	}
	if f != nil {
		return connectors.Source{}, f
	}
	if len(sources) == 1 {
		return sources[0], nil
	}
	off := d.SwitchedOff()
	if no := off(sources[0], c.spec.Needs); no != nil && !slices.ContainsFunc(sources, func(s connectors.Source) bool { return off(s, c.spec.Needs) == nil }) {
		return connectors.Source{}, no // whichever is meant
	}
	var cs []status.Candidate
	named := "project"
	if c.ref != nil {
		named = "ref"
	}
	for _, s := range sources {
		name := c.placeIn(s).name
		cs = append(cs, status.Candidate{Ref: name, Source: s.Name, Sets: []status.Setting{status.Set(named, name), status.Set("source", s.Name)}})
	}
	ambiguous := status.Fail(status.AmbiguousTarget, status.Reference.Is(asked), status.Margin.Is(0), status.Among(cs...),
		status.Remedy.Is("Name one of the sources of the candidates in the argument source."))
	return connectors.Source{}, &ambiguous
}

func (c change) placeIn(s connectors.Source) place {
	if c.ref == nil {
		to := effective(s, c.project)
		return place{project: to, name: to}
	}
	own := inSource(as(*c.ref, ref.Issue), s)
	name := own.String()
	switch {
	case numbered(own) && strings.Contains(own.Project, "/"):
		name = own.Project + "#" + own.ID
	case numbered(own): // its number stands for itself, wherever it lies
		name = "#" + own.ID
	case own.ID != "":
		name = own.ID
	}
	return place{project: own.Project, ref: own, name: name}
}

// SwitchedOff says of a capability to change something what a call gets that
// needs it, where the configuration or the source rules it out; nil for all others.
func (d *Deps) SwitchedOff() func(connectors.Source, connectors.Capability) *status.Failure {
	return func(s connectors.Source, c connectors.Capability) *status.Failure {
		if c != connectors.IssueWrite {
			return nil
		}
		if !d.Writes {
			f := status.Fail(status.ConnectorDisabled, status.By(s.Name), status.ConfigKey.Is("writes"),
				status.Remedy.Is("Set writes: true in frank.yaml and start frank again; only a person should decide that."))
			return &f
		}
		if s.Writer == nil && s.Broken == nil {
			f := status.Fail(status.OperationUnsupported, status.By(s.Name), status.Feature.Is("changes of issues"))
			return &f
		}
		return nil
	}
}

// writing is one change on its way to one source.
type writing struct {
	change
	d  *Deps
	s  connectors.Source
	to place
}

// barred is why the change may not even be tried: it is switched off, the source
// takes none, policy forbids it. No request has been made by then.
func (w *writing) barred() *status.Failure {
	if f := w.d.SwitchedOff()(w.s, w.spec.Needs); f != nil {
		return f
	}
	if w.s.Broken != nil {
		return w.s.Broken
	}
	return w.d.forbids(w.s, w.spec.Needs, w.to.project)
}

// once claims the change, and makes it or answers as it was answered before.
func (w *writing) once(ctx context.Context) status.Envelope {
	asked := ledger.Change{
		Tool: w.spec.Name, Source: w.s.Name, Place: w.s.BaseURL + w.s.Root, Arguments: w.canonical(), Key: w.key,
		CallID: status.CallFrom(ctx).ID, Keep: w.d.keep(w.key),
	}
	if w.spec.Overwrites {
		asked.Object = strings.ToLower(w.to.name)
	}
	call := status.CallFrom(ctx)
	call.Keyed(asked.Named(), time.Time{})
	claim, err := w.d.Ledger.Begin(ctx, asked)
	switch {
	case err != nil && ctx.Err() != nil:
		return w.failed(over(ctx))
	case err != nil:
		return w.failed(status.Fail(status.UncaughtServerError, status.NotCalled, status.Part.Is("the ledger of changes")))
	case claim.State == ledger.Conflict:
		return w.failed(status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
			Name: "idempotency_key", Reason: status.InvalidArgument.Name(), Problem: "it was used for another change; use a new one for a new change",
		}})))
	case claim.State == ledger.Done:
		call.Keyed(asked.Named(), claim.Since)
		if claim.Overtaken {
			return claim.Answer.Overtaken(claim.Since)
		}
		return claim.Answer
	}
	defer claim.Unknown(ctx) // in case of a panic; otherwise the claim has ended
	return w.settle(ctx, claim)
}

// canonical is what was asked for in one spelling: the keys and lists sorted, what
// was not given left out, the issue or project as its source calls it, in any case.
func (w *writing) canonical() []byte {
	given := map[string]any{}
	v := reflect.ValueOf(w.args)
	for _, f := range fieldsOf(v.Type()) {
		switch value := v.FieldByIndex(f.index); {
		case value.IsZero():
		case f.kind == texts && value.Len() == 0 && !f.clears:
		case f.kind == texts:
			given[f.name] = slices.Sorted(slices.Values(value.Interface().([]string)))
		default:
			given[f.name] = value.Interface()
		}
	}
	if w.ref != nil {
		given["ref"] = w.to.name
		if w.to.ref.ID != "" {
			given["ref"] = strings.ToLower(w.to.name)
		}
	} else {
		given["project"] = strings.ToLower(w.to.name)
	}
	b, err := json.Marshal(given)
	if err != nil { // texts and lists of texts always encode
		panic("tools: arguments: " + err.Error())
	}
	return b
}

// question words the change for the answer.
func (w *writing) question() status.Question {
	name := "project"
	if w.ref != nil {
		name = "ref"
	}
	in := " in "
	if w.ref != nil {
		in = " "
	}
	return status.Question{
		Operation: w.spec.Operation, Capability: string(w.spec.Needs), One: w.doing, Rest: strings.TrimSpace(in + w.to.name),
		Filters: []status.FilterEcho{{Name: name, Value: w.to.name}}, At: w.d.Now(),
	}
}

// failed answers that nothing was changed.
func (w *writing) failed(f status.Failure) status.Envelope {
	q := w.question()
	q.Effect = "nothing was changed"
	return status.Failed[connectors.Issue](w.s.Name, f).Envelope(q)
}
