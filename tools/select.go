package tools

import (
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// named returns the source of that name, which must be of that kind.
func (d *Deps) named(name string, k connectors.Kind) (connectors.Source, *status.Failure) {
	i := slices.IndexFunc(d.Sources, func(s connectors.Source) bool { return s.Name == name })
	if i < 0 {
		f := status.Fail(status.EnumRequired, status.Arguments.Is([]status.Argument{{
			Name: "source", Reason: status.EnumRequired.Name(), Problem: "must be one of the configured sources", Allowed: d.names(k),
		}}), status.ValidValues.Is(d.names(k)))
		return connectors.Source{}, &f
	}
	s := d.Sources[i]
	if k != "" && !s.Serves(k) && s.Lacks != nil {
		f := s.Lacks(k).With(status.By(s.Name), status.ValidValues.Is(d.names(k)))
		return s, &f
	}
	if k != "" && !s.Serves(k) {
		f := status.Fail(status.OperationUnsupported, status.By(s.Name), status.Feature.Is("a "+noun(k)), status.ValidValues.Is(d.names(k)))
		return s, &f
	}
	return s, nil
}

// names lists the sources, those of the kind first.
func (d *Deps) names(k connectors.Kind) []string {
	out := []string{}
	for _, s := range d.serving(k) {
		out = append(out, s.Name)
	}
	for _, s := range d.Sources {
		if !slices.Contains(out, s.Name) {
			out = append(out, s.Name)
		}
	}
	return out
}

func (d *Deps) serving(k connectors.Kind) []connectors.Source {
	var out []connectors.Source
	for _, s := range d.Sources {
		if s.Serves(k) {
			out = append(out, s)
		}
	}
	return out
}

// forContainer selects the sources of a set question: the named one, else all of
// that kind which can have such a container.
func (d *Deps) forContainer(k connectors.Kind, source, container string) ([]connectors.Source, *status.Failure) {
	if source != "" {
		s, f := d.named(source, k)
		return []connectors.Source{s}, f
	}
	all := d.serving(k)
	if len(all) == 0 {
		f := d.noneOf(k)
		return nil, &f
	}
	if container == "" || container == connectors.Everywhere {
		return all, nil
	}
	out := slices.DeleteFunc(slices.Clone(all), func(s connectors.Source) bool {
		return s.Holds != nil && !s.Holds(k, container)
	})
	if len(out) == 0 {
		f := status.Fail(status.NoCandidates, status.NotCalled, status.Reference.Is(container), status.Among(d.defaults(all)...))
		return nil, &f
	}
	return out, nil
}

// defaults offers the default projects of sources as candidates.
func (d *Deps) defaults(sources []connectors.Source) []status.Candidate {
	var out []status.Candidate
	for _, s := range sources {
		if s.DefaultProject != "" {
			out = append(out, status.Candidate{Ref: s.DefaultProject, Source: s.Name})
		}
	}
	return out
}

// forRef selects the sources that a reference can point into.
func (d *Deps) forRef(k connectors.Kind, source string, r ref.Ref) ([]connectors.Source, *status.Failure) {
	if r.Source != "" && source != "" && source != r.Source {
		return nil, badArgument("source", "the reference begins with the name of source "+r.Source+"; leave source out")
	}
	if source = first(source, r.Source); source != "" {
		s, f := d.named(source, k)
		if f == nil && s.Broken == nil && r.URL() != "" && s.Owns != nil && !s.Owns(r) {
			no := status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
				Name: "source", Reason: status.InvalidArgument.Name(), Problem: "the link points elsewhere; leave source out", Allowed: d.owners(k, r),
			}}))
			f = &no
		}
		return []connectors.Source{s}, f
	}
	if r.URL() != "" && !d.covers(r) {
		f := d.elsewhere(r)
		return nil, &f
	}
	all := d.serving(k)
	if len(all) == 0 {
		f := d.noneOf(k)
		return nil, &f
	}
	if r.Kind == ref.Unknown && r.URL() == "" { // a name or title: any source may have it
		return all, nil
	}
	out := slices.DeleteFunc(slices.Clone(all), func(s connectors.Source) bool { return s.Owns != nil && !s.Owns(r) })
	if len(out) > 0 {
		return closest(r, out), nil
	}
	if (r.Number > 0 || r.Kind == ref.File && k == connectors.KindRepo) && r.Project == "" && r.URL() == "" { // the sources say that they have no default for it
		return all, nil
	}
	if r.URL() != "" { // a source has the host, but is none of this kind
		f := status.Fail(status.OperationUnsupported, status.Feature.Is("a "+noun(k)), status.Reference.Is(r.String()),
			status.Fallback("ask resolve_reference which tool reads the link"))
		i := slices.IndexFunc(d.Sources, func(s connectors.Source) bool { return s.Owns != nil && s.Owns(r) })
		if i >= 0 {
			f = f.With(status.By(d.Sources[i].Name))
		}
		return nil, &f
	}
	f := d.elsewhere(r)
	return nil, &f
}

// closest keeps the sources that are configured for the address of a link, if there are
// any: those behind a gateway may claim it too, as long as they do not know their own.
func closest(r ref.Ref, sources []connectors.Source) []connectors.Source {
	exact := slices.DeleteFunc(slices.Clone(sources), func(s connectors.Source) bool { return !r.Match(s.BaseURL) })
	if len(exact) > 0 {
		return exact
	}
	return sources
}

func (d *Deps) owners(k connectors.Kind, r ref.Ref) []string {
	var out []string
	for _, s := range d.serving(k) {
		if s.Owns == nil || s.Owns(r) {
			out = append(out, s.Name)
		}
	}
	return out
}

// noneOf says that no source is of that kind, and what would make one so.
func (d *Deps) noneOf(k connectors.Kind) status.Failure {
	f := d.notConnected("a " + noun(k)).With(status.Options.Is(d.connectable(k)))
	for _, s := range d.Sources {
		if s.Lacks != nil {
			return f.With(status.Remedy.Is(s.Lacks(k).Action()))
		}
	}
	return f
}

// notConnected says that what is wanted has no source here, and what could be added.
func (d *Deps) notConnected(what string) status.Failure {
	return status.Fail(status.ConnectorNotConfigured, status.Provider.Is(what), status.Options.Is(d.Providers))
}

// connectable lists the providers that this version can connect and that can be of
// that kind.
func (d *Deps) connectable(k connectors.Kind) []string {
	return slices.DeleteFunc(slices.Clone(d.Providers), func(p string) bool { return !slices.Contains(d.Kinds[p], k) })
}

func noun(k connectors.Kind) string {
	switch k {
	case connectors.KindTracker:
		return "tracker"
	case connectors.KindRepo:
		return "repository"
	case connectors.KindDocs:
		return "document source"
	default:
		return "source"
	}
}

// effective is the container that policy is asked about: what was given, else the
// source's default; empty for all that the account sees.
func effective(s connectors.Source, container string) string {
	switch container {
	case connectors.Everywhere:
		return ""
	case "":
		return s.DefaultProject
	default:
		return container
	}
}

// given is the container as a source is told it. Everywhere and no container are
// the same to a source without a default.
func given(s connectors.Source, container string) string {
	if container == connectors.Everywhere && s.DefaultProject == "" {
		return ""
	}
	return container
}

// words joins the parts of a summary's object.
func words(parts ...string) string {
	return strings.TrimSpace(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ""))
}
