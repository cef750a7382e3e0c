package tools

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// reader reads references as the configured sources have them.
func (d *Deps) reader() ref.Reader {
	var rd ref.Reader
	for _, s := range d.Sources {
		rd.Sites = append(rd.Sites, ref.Site{Name: s.Name, Provider: s.Provider, Base: s.BaseURL})
	}
	return rd
}

// parseRef reads the reference in the argument of that name.
func (d *Deps) parseRef(argument, s string) (ref.Ref, *status.Failure) {
	r, err := d.reader().Parse(s)
	if err == nil {
		return r, nil
	}
	problem := "cannot be read as a reference"
	var known *ref.Error
	if errors.As(err, &known) { // its texts are ours and hold nothing of what was given
		problem = known.Text
	}
	return ref.Ref{}, badArgument(argument, problem)
}

func badArgument(argument, problem string) *status.Failure {
	f := status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
		Name: argument, Reason: status.InvalidArgument.Name(), Problem: problem,
	}}))
	return &f
}

// unlink reads a link that was pasted for the container of a question: what the link
// lies in is meant, at the source that it leads to.
func (d *Deps) unlink(s Spec, args reflect.Value) *status.Failure {
	container, source := containerOf(s.Kind), reflect.Value{}
	var value, parent reflect.Value
	for _, f := range fieldsOf(args.Type()) {
		switch f.name {
		case container:
			value = args.FieldByIndex(f.index)
		case "source":
			source = args.FieldByIndex(f.index)
		case "parent":
			parent = args.FieldByIndex(f.index)
		}
	}
	if parent.IsValid() && source.IsValid() && source.String() == "" {
		if r, err := d.reader().Parse(parent.String()); err == nil && r.URL() != "" {
			return d.leadTo(s, source, r)
		}
	}
	if container == "" || !value.IsValid() || !source.IsValid() || !strings.Contains(value.String(), "/") {
		return nil
	}
	r, err := d.reader().Parse(value.String())
	if err != nil || r.URL() == "" { // a name, which the source judges
		return nil
	}
	if f := d.leadTo(s, source, r); f != nil {
		return f
	}
	i := slices.IndexFunc(d.Sources, func(s connectors.Source) bool { return s.Name == source.String() })
	if i >= 0 {
		r = inSource(r, d.Sources[i])
	}
	if r.Project == "" {
		return badArgument(container, "the link does not tell the "+container+"; give its name")
	}
	value.SetString(r.Project)
	return nil
}

// leadTo sets the source to the one that the link leads to, if it is one.
func (d *Deps) leadTo(s Spec, source reflect.Value, r ref.Ref) *status.Failure {
	sources, f := d.forRef(s.Kind, source.String(), r)
	if f == nil && len(sources) == 1 {
		source.SetString(sources[0].Name)
	}
	return f
}

// as reads a reference in the sense that the tool gives to bare texts: "12" is an
// issue to a tracker and a change to a repository.
func as(r ref.Ref, kinds ...ref.Kind) ref.Ref {
	for _, k := range kinds {
		if r.Kind == k {
			if k == ref.File && r.Also == ref.Repository && r.URL() == "" {
				r.Project = "" // it is that of the other reading
			}
			return r
		}
	}
	for _, k := range kinds {
		if r.Also == k && k != ref.Unknown {
			r.Also, r.Kind = r.Kind, k
			return r
		}
	}
	return r
}
