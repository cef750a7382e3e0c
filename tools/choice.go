package tools

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// caller is the tool as the candidates of an ambiguity need to know it, with the
// arguments as they took effect of those that the call gave.
func (s Spec) caller(args reflect.Value, raw json.RawMessage) status.Caller {
	by := status.Caller{Tool: s.Name, Named: s.Named}
	given, _ := members(raw) // it could be bound
	for _, f := range fieldsOf(args.Type()) {
		by.Takes = append(by.Takes, f.name)
		value := args.FieldByIndex(f.index)
		if given[f.name] == nil || value.IsZero() {
			continue
		}
		if b, err := json.Marshal(value.Interface()); err == nil {
			by.Given = append(by.Given, status.Setting{Name: f.name, Value: b})
		}
	}
	return by
}

// takes lists the arguments of an argument struct.
func takes[A any]() []string { return namesOf(fieldsOf(reflect.TypeFor[A]())) }

// severally lists what a reference fits: one thing in each of several sources, all
// of them read under just that name. The same question to one of them alone is the
// call that means it; a number takes the container along that the source gave it.
// What a single source cannot tell apart stands beside it.
func severally[T connectors.Item](q one, hits []status.Result[T], ties []status.Candidate) status.Failure {
	var cs []status.Candidate
	for _, h := range hits {
		for _, item := range h.Items() {
			c := item.Candidate()
			c.Sets = []status.Setting{status.Set("source", c.Source)}
			if q.ref.URL() == "" && (q.ref.Kind == ref.Issue || q.ref.Kind == ref.Change) && c.Ref != "" {
				c.Sets = append([]status.Setting{status.Set(q.spec.Named, c.Ref)}, c.Sets...)
			}
			cs = append(cs, c)
		}
	}
	return tie(q.ref, 0, append(cs, ties...))
}

// tie is the failure of a reference that fits all of these.
func tie(r ref.Ref, margin float64, cs []status.Candidate) status.Failure {
	return status.Fail(status.AmbiguousTarget, status.WasCalled, status.Reference.Is(r.String()), status.Margin.Is(margin), status.Among(cs...))
}

type chosenKey struct{}

// Choose returns a context in which resolve_reference answers with what that call,
// which it proposed, reads: a person chose it among the candidates. Other tools are
// called with its arguments instead.
func Choose(ctx context.Context, call status.NextCall) context.Context {
	return context.WithValue(ctx, chosenKey{}, call)
}

// chosen is what a person chose among the candidates for a reference.
func chosen(ctx context.Context) (tool string, args Arguments, ok bool) {
	call, ok := ctx.Value(chosenKey{}).(status.NextCall)
	if !ok {
		return "", Arguments{}, false
	}
	raw, err := json.Marshal(call.Arguments)
	if err != nil || json.Unmarshal(raw, &args) != nil {
		return "", Arguments{}, false
	}
	return call.Tool, args, true
}

// meant is the reference that the arguments of a reading tool are, and the way to
// read it; false if there is none.
func (a Arguments) meant(d *Deps, tool string) (ref.Ref, lookup, bool) {
	if a.Ref != "" {
		all := map[string]struct {
			lookup
			kinds []ref.Kind
		}{
			trackerGetIssueSpec.Name: {issueLookup, []ref.Kind{ref.Issue}},
			repoGetChangeSpec.Name:   {changeLookup, []ref.Kind{ref.Change, ref.Commit, ref.Compare}},
			docsReadSpec.Name:        {pageLookup, []ref.Kind{ref.Page, ref.File}},
		}
		way, known := all[tool]
		r, failure := d.parseRef("ref", a.Ref)
		r = as(r, way.kinds...)
		r.Anchor = first(a.Section, r.Anchor)
		return r, way.lookup, known && failure == nil
	}
	container := first(a.Repo, a.Project, a.Space)
	r := ref.Ref{Raw: first(a.Path, container), Project: container, Path: a.Path, Revision: a.Revision, StartLine: a.Start, EndLine: a.End}
	switch {
	case tool == repoReadFileSpec.Name && a.Path != "":
		r.Kind = ref.File
		return r, fileLookup, true
	case tool == repoListSpec.Name && a.Path != "":
		r.Kind = ref.Directory
		return r, directoryLookup, true
	case tool == repoListSpec.Name && a.What == "repos":
		r.Kind = ref.Project
		return r, ownerLookup, true
	case tool == docsListSpec.Name && a.Space != "":
		r.Kind = ref.Project
		return r, spaceLookup, true
	case tool == repoListSpec.Name && a.Repo != "":
		r.Kind = ref.Repository
		return r, repositoryLookup, true
	case tool == trackerDescribeSpec.Name && a.Project != "":
		r.Kind = ref.Project
		return r, projectLookup, true
	}
	return r, lookup{}, false
}
