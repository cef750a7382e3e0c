package tools

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/learn"
	"github.com/frank-mcp/frank/status"
)

// naming is the name in the arguments of a call for which there may be an alias:
// a container, that of a reference, or a document.
type naming struct {
	argument string
	kind     string // see package learn
	name     string
	rest     string // of a reference: what stands after the name
	value    reflect.Value
	source   reflect.Value
}

// answered answers a call, whose arguments run reads, with the alias that a person
// promoted for the name in it, and learns from how it went. It is the only place
// that does either: all below sees the name that is meant.
func (d *Deps) answered(ctx context.Context, s Spec, args reflect.Value, run func() status.Envelope) status.Envelope {
	n, ok := namingOf(s, args)
	if d.Names == nil || !ok || d.isSource(n) {
		return run()
	}
	used, failure := d.alias(ctx, s, n)
	if failure != nil {
		return s.refuse(*failure)
	}
	if used != nil {
		n.value.SetString(used.Meant + n.rest)
		n.source.SetString(used.Source)
		return run().Aliased(n.name, used.Meant)
	}
	e := run()
	d.learn(ctx, n, e)
	return e
}

// namingOf finds the name in the arguments. It is false if there is none, or one
// that needs no source to be understood, such as a link.
func namingOf(s Spec, args reflect.Value) (naming, bool) {
	container := containerOf(s.Kind)
	if container == "" {
		return naming{}, false
	}
	fields := map[string]reflect.Value{}
	for _, f := range fieldsOf(args.Type()) {
		if f.kind == text {
			fields[f.name] = args.FieldByIndex(f.index)
		}
	}
	source, ok := fields["source"]
	if !ok {
		return naming{}, false
	}
	if v, ok := fields[container]; ok && v.String() != "" {
		n := naming{argument: container, kind: container, name: v.String(), value: v, source: source}
		return n, n.name != connectors.Everywhere
	}
	v, ok := fields["ref"]
	if !ok || strings.Contains(v.String(), "://") {
		return naming{}, false
	}
	n := naming{argument: "ref", kind: container, name: v.String(), value: v, source: source}
	marks := "#!@" // acme/app#12, acme/app!12, acme/app@main
	if s.Kind == connectors.KindDocs {
		n.kind, marks = learn.Ref, "#" // guide.md#install
	}
	i := strings.IndexAny(n.name, marks)
	if i >= 0 {
		n.name, n.rest = n.name[:i], n.name[i:]
	}
	return n, n.name != "" && (i > 0 || n.kind == learn.Ref) // else a bare number, key or revision, which is no name
}

// isSource tells a reference that names its source, as in here#7: that is no name to learn.
func (d *Deps) isSource(n naming) bool {
	return n.rest != "" && slices.ContainsFunc(d.Sources, func(s connectors.Source) bool { return s.Name == n.name })
}

func containerOf(k connectors.Kind) string {
	switch k {
	case connectors.KindTracker:
		return learn.Project
	case connectors.KindRepo:
		return learn.Repo
	case connectors.KindDocs:
		return learn.Space
	default:
		return ""
	}
}

// alias is the promoted alias of the name, if it has one that the call may use: that
// of the source which is asked, or of the only source that has one. A name of the
// configuration means what is configured. A deny of the name as it was said counts too;
// about what it stands for policy is asked later, as for every name.
func (d *Deps) alias(ctx context.Context, s Spec, n naming) (*learn.Alias, *status.Failure) {
	if d.configured(n.name) {
		return nil, nil
	}
	asked := n.source.String()
	all := slices.DeleteFunc(d.Names.Meant(ctx, n.kind, n.name), func(a learn.Alias) bool {
		return asked != "" && a.Source != asked || !slices.ContainsFunc(d.serving(s.Kind), func(s connectors.Source) bool { return s.Name == a.Source })
	})
	if len(all) == 0 {
		return nil, nil
	}
	if f := d.Policy.Forbids(string(s.Needs), n.name); f != nil {
		return nil, f
	}
	if len(all) > 1 {
		var cs []status.Candidate
		for _, a := range all {
			cs = append(cs, status.Candidate{Ref: a.Meant + n.rest, Source: a.Source, Sets: []status.Setting{status.Set(n.argument, a.Meant+n.rest)}})
		}
		f := status.Fail(status.AmbiguousTarget, status.NotCalled, status.Reference.Is(n.name), status.Margin.Is(0), status.Among(cs...))
		return nil, &f
	}
	return &all[0], nil
}

// configured reports whether the configuration itself names the container.
func (d *Deps) configured(name string) bool {
	return slices.ContainsFunc(d.Sources, func(s connectors.Source) bool {
		return strings.EqualFold(s.DefaultProject, name) || slices.ContainsFunc(s.Only, func(only string) bool { return strings.EqualFold(only, name) })
	})
}

// learn remembers a name that no source could resolve, and one that a single source
// could.
func (d *Deps) learn(ctx context.Context, n naming, e status.Envelope) {
	session := status.CallFrom(ctx).Session
	switch answered := e.Answered(); len(answered) {
	case 0:
		m := learn.Miss{Kind: n.kind, Said: n.name}
		for _, f := range e.Failures() {
			if n.unresolved(f) {
				m.Sources = append(m.Sources, f.Source())
			}
		}
		if len(m.Sources) > 0 {
			d.Names.Missed(session, m)
		}
	case 1:
		d.Names.Found(ctx, session, learn.Hit{Kind: n.kind, Name: n.name, Source: answered[0]})
	}
}

// unresolved reports whether the failure says that the name itself stands for
// nothing there: not something in the container, not a filter, not a revision.
func (n naming) unresolved(f status.Failure) bool {
	about := f.Text("reference")
	named := strings.EqualFold(about, n.name) || strings.EqualFold(about, n.name+n.rest)
	switch f.Reason() {
	case status.NoCandidates:
		return named
	case status.NotFoundConfirmed:
		return strings.EqualFold(about, n.name)
	case status.AbsentOrHidden:
		return named || about == "" || strings.EqualFold(f.Text("container"), n.name)
	case status.FilterUnresolved:
		return strings.EqualFold(f.Text("filter"), "repo:"+n.name)
	case status.InvalidArgument, status.MissingRequiredArgument: // the source has no names of that form
		return f.Source() != "" && f.Blames(n.argument)
	default:
		return false
	}
}
