package tools

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/policy"
	"github.com/frank-mcp/frank/status"
)

// patience is how long a call that lacks an argument waits for what there is to
// choose from.
const patience = 5 * time.Second

// listing is the capability by which the containers of a kind are listed.
func listing(k connectors.Kind) connectors.Capability {
	switch k {
	case connectors.KindTracker:
		return connectors.ProjectRead
	case connectors.KindRepo:
		return connectors.RefRead
	default:
		return connectors.PageRead
	}
}

// unbound answers a call whose arguments cannot be used. If all that is wrong is that
// it names no container, the answer is what there is to choose from. What is wrong
// with more than that, or switched off, costs no request.
func (d *Deps) unbound(ctx context.Context, s Spec, args reflect.Value, f status.Failure) status.Envelope {
	if lacksContainer(s, f) {
		if choice := d.choice(ctx, s, d.usable(s, argument(args, "source")), f); choice != nil {
			f = *choice
		}
	}
	return s.refuse(f)
}

// offering is the answer to a call, with what there is to choose from if nothing
// came of it because its sources wanted a container to be named. Where another source
// answered, that is the answer, and nothing is spent on the choice.
func (d *Deps) offering(ctx context.Context, s Spec, e status.Envelope) status.Envelope {
	if e.Status() != status.AccessFailure {
		return e
	}
	var sources []connectors.Source
	var first status.Failure
	for _, f := range e.Failures() {
		i := slices.IndexFunc(d.Sources, func(x connectors.Source) bool { return x.Name == f.Source() })
		if i < 0 || !lacksContainer(s, f) {
			return e
		}
		sources, first = append(sources, d.Sources[i]), f
	}
	if choice := d.choice(ctx, s, sources, first); choice != nil {
		return s.refuse(*choice)
	}
	return e
}

// lacksContainer reports whether a call failed for want of a container, and of nothing else.
func lacksContainer(s Spec, f status.Failure) bool {
	name := containerOf(s.Kind)
	return name != "" && f.Reason() == status.MissingRequiredArgument && f.BlamesOnly(name)
}

// argument is a text among the arguments of a call; empty if the tool has none of that name.
func argument(args reflect.Value, name string) string {
	for _, f := range fieldsOf(args.Type()) {
		if f.name == name && f.kind == text {
			return args.FieldByIndex(f.index).String()
		}
	}
	return ""
}

// usable are the sources that the call could go on with once it names a container.
func (d *Deps) usable(s Spec, source string) []connectors.Source {
	sources, f := d.forContainer(s.Kind, source, "")
	if f != nil {
		return nil
	}
	off := d.SwitchedOff()
	return slices.DeleteFunc(slices.Clone(sources), func(x connectors.Source) bool { return x.Broken != nil || off(x, s.Needs) != nil })
}

// choice is what a call gets that lacks a container: what its source has to choose
// from, or that the source rejects the credential, which no container would mend. It
// is nil if there is nothing to say beyond that the argument is missing. Of several
// sources none is asked: which one is meant is a part of the choice.
func (d *Deps) choice(ctx context.Context, s Spec, sources []connectors.Source, missing status.Failure) *status.Failure {
	switch len(sources) {
	case 0:
		return nil
	case 1:
		return d.choiceIn(ctx, s, sources[0], missing)
	default:
		return d.choiceAmong(s, sources)
	}
}

// choiceAmong offers the sources, and of their containers those that the
// configuration names.
func (d *Deps) choiceAmong(s Spec, sources []connectors.Source) *status.Failure {
	var names, containers []string
	var candidates []status.Candidate
	for _, x := range sources {
		names = append(names, x.Name)
		for _, c := range d.configuredIn(s, x) {
			containers = append(containers, c)
			candidates = append(candidates, status.Candidate{Ref: c, Source: x.Name})
		}
	}
	containers = bounded(unrepeated(containers))
	options, kind := containers, containerOf(s.Kind)
	if len(options) == 0 {
		options = names
	}
	reason := status.DynamicOptionRequired.Name()
	f := status.Fail(status.DynamicOptionRequired, status.NotCalled, status.Options.Is(options), status.Among(candidates[:min(len(candidates), connectors.MaxOptions)]...),
		status.Arguments.Is([]status.Argument{
			{Name: kind, Reason: reason, Problem: "the argument is required", Allowed: containers},
			{Name: "source", Reason: reason, Problem: "several could be meant; name one without " + kind + " to learn what it has", Allowed: names},
		}))
	return &f
}

// choiceIn offers what the configuration names, then what the source lists.
func (d *Deps) choiceIn(ctx context.Context, s Spec, source connectors.Source, missing status.Failure) *status.Failure {
	names := d.configuredIn(s, source)
	var l listed
	if len(source.Only) == 0 || slices.ContainsFunc(source.Only, isGlob) { // else they are all that may be named
		l = d.list(ctx, s, source)
	}
	if l.failure != nil && rejects(*l.failure) {
		f := l.failure.With(status.By(source.Name))
		return &f
	}
	argument := containerOf(s.Kind)
	names = unrepeated(append(names, l.options.Names...))
	about := []status.Option{status.By(source.Name), l.called}
	if len(names) == 0 {
		if l.failure == nil && l.called == status.NotCalled {
			return nil
		}
		if l.failure != nil {
			about = append(about, status.FirstReason.Is(l.failure.Reason().Name()))
		}
		f := missing.With(append(about, status.Arguments.Is([]status.Argument{{
			Name: argument, Reason: missing.Reason().Name(), Problem: "the argument is required, and the source did not say which there are",
		}}))...)
		return &f
	}
	problem := "the argument is required"
	if l.options.More || l.failure != nil || len(names) > connectors.MaxOptions {
		problem += "; there may be others than these"
	}
	if l.options.Note != "" {
		problem += "; " + l.options.Note
	}
	if l.options.More { // then their number is not known
		names = bounded(names)
	}
	return connectors.Choice(argument, problem, names, about...)
}

// listed is what a source told of its containers, or why it told nothing.
type listed struct {
	options connectors.Options
	called  status.APICall
	failure *status.Failure
}

// list asks a source for its containers, unless policy or what is known of its
// credential is against that. What may not be named is left out.
func (d *Deps) list(ctx context.Context, s Spec, source connectors.Source) (l listed) {
	l.called = status.NotCalled
	for _, c := range []connectors.Capability{s.Needs, listing(s.Kind)} {
		if l.failure = d.forbids(source, c, ""); l.failure != nil {
			return l
		}
	}
	defer func() {
		if v := recover(); v != nil {
			if d.Panicked != nil {
				d.Panicked(s.Name, source.Name, v)
			}
			f := status.Fail(status.UncaughtServerError)
			l = listed{called: status.MaybeCalled, failure: &f}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o, asked, f := source.List(ctx, s.Kind)
	if l.options, l.failure = o, f; f != nil {
		l.called = f.APICalled()
	} else if asked {
		l.called = status.WasCalled
	}
	l.options.Names = slices.DeleteFunc(l.options.Names, func(name string) bool {
		return !d.mayName(source, s.Needs, name) || !d.mayName(source, listing(s.Kind), name)
	})
	return l
}

// mayName reports whether only and policy let a container be named in an answer.
func (d *Deps) mayName(s connectors.Source, c connectors.Capability, name string) bool {
	return policy.Allowed(s.Only, name) && d.Policy.Withholds(string(c), name) == nil
}

// configuredIn are the containers of a source that the configuration names: its
// default, then its allow-list.
func (d *Deps) configuredIn(s Spec, source connectors.Source) []string {
	var out []string
	for _, name := range append([]string{source.DefaultProject}, source.Only...) {
		if name != "" && !isGlob(name) && d.mayName(source, s.Needs, name) {
			out = append(out, name)
		}
	}
	return unrepeated(out)
}

func isGlob(name string) bool { return strings.Contains(name, "*") }

// rejects reports whether a failure is about the credential as a whole, not about
// listing alone: then it is what stands between the caller and any container.
func rejects(f status.Failure) bool {
	switch f.Reason() {
	case status.ScopeMissing, status.RowsHidden, status.PolicyDenied:
		return false
	default:
		return f.Code() == status.AccessDenied
	}
}

// unrepeated drops repetitions, whatever their case.
func unrepeated(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, name) }) {
			out = append(out, name)
		}
	}
	return out
}

func bounded(names []string) []string { return names[:min(len(names), connectors.MaxOptions)] }
