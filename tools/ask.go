package tools

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/policy"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// set is a question for a set of items.
type set struct {
	spec      Spec
	args      any
	source    string
	container string
	native    string // a query in the provider's own language
	limit     int
	cursor    string
}

// asking puts a question to one source.
type asking[T connectors.Item] func(context.Context, connectors.Source) status.Result[T]

// askSet asks every source that the question concerns, at the same time and within
// one deadline, and weaves their answers into one page. Each source gets its share
// of the limit, and what is left of it goes to the first ones; on the next page the
// sources that have no more leave theirs to the others.
func askSet[T connectors.Item](ctx context.Context, d *Deps, q set, ask func(context.Context, connectors.Source, connectors.Paging) status.Result[T]) status.Envelope {
	filters := echo(q.args)
	id := identify(q.spec.Name+"\x00"+q.source, filters)
	at, failure := decodeCursor(q.cursor, id)
	if failure != nil {
		return q.spec.refuse(*failure)
	}
	sources, failure := d.forContainer(q.spec.Kind, q.source, q.container)
	if failure != nil {
		return status.Refuse(q.spec.question(words(q.spec.Many, " ", phrase(q.args))), *failure)
	}
	if sources, failure = at.among(sources); failure != nil {
		return q.spec.refuse(*failure)
	}
	share := shares(sources, q.limit)
	results := fanOut(ctx, d.fanned(ctx, q.spec, len(sources)), sources, func(ctx context.Context, s connectors.Source) status.Result[T] {
		if f := d.forbids(s, q.spec.Needs, effective(s, q.container)); f != nil {
			return status.Failed[T](s.Name, *f)
		}
		return ask(ctx, s, connectors.Paging{Limit: share[s.Name], Cursor: at.Sources[s.Name]})
	})
	w := weave(d, results, at)
	w.lay(q.limit)
	result := w.result(results)
	return result.Envelope(status.Question{
		Operation: q.spec.Operation, Capability: string(q.spec.Needs), One: q.spec.One, Many: q.spec.Many,
		Rest: words(q.scope(sources), " ", phrase(q.args)), Filters: withDefault(filters, q, sources), NextCursor: w.nextCursor(result.Rows(), id),
		Fallback: d.fallback(q.spec, sources), At: d.Now(), Continues: at.continued(), Further: at.Sources != nil,
	})
}

// shares divides a limit among the sources that can be asked.
func shares(sources []connectors.Source, limit int) map[string]int {
	able := slices.DeleteFunc(slices.Clone(sources), func(s connectors.Source) bool { return s.Broken != nil })
	m := map[string]int{}
	for i, s := range able {
		m[s.Name] = max(1, limit/len(able))
		if i < limit%len(able) && limit > len(able) {
			m[s.Name]++
		}
	}
	return m
}

// one is a question for a named thing.
type one struct {
	spec   Spec
	args   any
	source string
	ref    ref.Ref
	cursor string
	rest   string
}

// askOne asks the sources that the reference can point into. If the thing is in
// exactly one of them, that is the answer; it is partial where another could not say
// whether it has such a thing too. If it is in several, they are candidates, unless
// they are ways to one object.
func askOne[T connectors.Item](ctx context.Context, d *Deps, q one, ask func(context.Context, connectors.Source, ref.Ref, string) status.Result[T]) status.Envelope {
	filters := echo(q.args)
	id := identify(q.spec.Name+"\x00"+q.source, filters)
	at, failure := decodeCursor(q.cursor, id)
	if failure != nil {
		return q.spec.refuse(*failure)
	}
	sources, failure := d.forRef(q.spec.Kind, q.source, q.ref)
	if failure != nil {
		return status.Refuse(q.spec.question(words(q.spec.One, " ", q.rest)), *failure)
	}
	if sources, failure = at.among(sources); failure != nil {
		return q.spec.refuse(*failure)
	}
	question := status.Question{
		Operation: q.spec.Operation, Capability: string(q.spec.Needs), One: q.spec.One,
		Rest: q.rest, Filters: filters, Fallback: d.fallback(q.spec, sources), At: d.Now(),
	}
	results := askNamed(ctx, d, target{spec: q.spec, ref: q.ref, sources: sources}, func(ctx context.Context, s connectors.Source, r ref.Ref) status.Result[T] {
		return ask(ctx, s, r, at.Sources[s.Name])
	})
	hits := once(d, slices.DeleteFunc(slices.Clone(results), func(r status.Result[T]) bool { return !found(r) }))
	ties := status.Ties(results...)
	switch {
	case len(results) > 1 && len(hits)+len(ties) > 1:
		return status.Refuse(question, severally(q, hits, ties))
	case len(hits) == 0:
		return status.Merge(results...).Envelope(question)
	default:
		question.NextCursor = nextCursor(hits[0].Rows(), id)
		return status.Named(status.Merge(append(unchecked(d, results), hits[0])...)).Envelope(question)
	}
}

// unchecked keeps the answers of sources in which the thing may be as well, but which
// could not be asked: what was found is then not proved to be all that is meant. What
// lies outside the allow-list of a source is not looked for there by intention.
func unchecked[T any](d *Deps, results []status.Result[T]) []status.Result[T] {
	return slices.DeleteFunc(slices.Clone(results), func(x status.Result[T]) bool {
		if s, _ := x.Verdict(); s != status.AccessFailure {
			return true
		}
		return !slices.ContainsFunc(x.Rows(), func(row status.Row) bool {
			return slices.ContainsFunc(row.Failures, func(f status.Failure) bool {
				switch f.Code() {
				case status.AccessDenied:
					return f.Text("rule") != "only"
				case status.SourceUnreliable:
					return true
				default:
					return slices.ContainsFunc(d.Sources, func(s connectors.Source) bool { return s.Name == row.Source && s.Broken != nil })
				}
			})
		})
	})
}

// target is a named thing and the sources that may have it.
type target struct {
	spec    Spec
	ref     ref.Ref
	sources []connectors.Source
	// everywhere: what a source has for its default is not where it is looked for.
	everywhere bool
}

// askNamed asks the sources for a named thing, those on this machine first; what
// policy forbids is not asked.
func askNamed[T connectors.Item](ctx context.Context, d *Deps, t target, ask func(context.Context, connectors.Source, ref.Ref) status.Result[T]) []status.Result[T] {
	var results []status.Result[T]
	f := d.fanned(ctx, t.spec, len(t.sources))
	for _, group := range nearFirst(t.ref, t.sources) {
		results = append(results, fanOut(ctx, f, group, func(ctx context.Context, s connectors.Source) status.Result[T] {
			own := inSource(t.ref, s)
			container := own.Project
			if t.everywhere {
				container = ""
			}
			if s.Holds != nil && !s.Holds(t.spec.Kind, container) {
				container = "" // the title of a subpage, say: where it lies is judged when it is found
			}
			if f := d.forbids(s, t.spec.Needs, container); f != nil {
				return status.Failed[T](s.Name, *f)
			}
			return ask(ctx, s, own)
		})...)
		if slices.ContainsFunc(results, found[T]) {
			break
		}
	}
	return ownOnly(t.ref, results)
}

func found[T connectors.Item](r status.Result[T]) bool { return len(r.Items()) > 0 }

// nearFirst groups the sources in the order in which they are asked. What names
// no container and no host means first of all what is on this machine: the same
// path is usually there and at the forge, and the reader means his own.
func nearFirst(r ref.Ref, sources []connectors.Source) [][]connectors.Source {
	if r.Project != "" || r.URL() != "" || r.Kind == ref.Issue || r.Kind == ref.Change {
		return [][]connectors.Source{sources}
	}
	var near, far []connectors.Source
	for _, s := range sources {
		if s.Near {
			near = append(near, s)
		} else {
			far = append(far, s)
		}
	}
	if len(near) == 0 || len(far) == 0 {
		return [][]connectors.Source{sources}
	}
	return [][]connectors.Source{near, far}
}

// inSource is the reference as that source sees it, its default project filled in.
func inSource(r ref.Ref, s connectors.Source) ref.Ref {
	r = r.Unqualified()
	if r.URL() != "" {
		own, _ := r.In(s.BaseURL)
		return own
	}
	if s.Near && r.Kind == ref.Issue && r.Project != "" && !numbered(r) {
		r.Project = "" // of TASK-7, TASK is how the ids of that tracker begin, no container
	}
	if r.Project == "" {
		r.Project = s.DefaultProject
	}
	return r
}

// numbered reports whether an issue is called by its number in a container, not
// by a key that stands for itself.
func numbered(r ref.Ref) bool { return r.Number > 0 && r.ID == strconv.Itoa(r.Number) }

func askSource[T connectors.Item](ctx context.Context, d *Deps, spec Spec, s connectors.Source, ask asking[T]) (r status.Result[T]) {
	if status.Watched(ctx) {
		inside, end := status.Begin(ctx, status.Work{Kind: status.SourceWork, Tool: spec.Name, Source: s.Name, Operation: spec.Operation})
		ctx = inside
		defer func() { end(r.Ending()) }()
	}
	defer func() {
		if v := recover(); v != nil {
			if d.Panicked != nil {
				d.Panicked(spec.Name, s.Name, v)
			}
			r = status.Failed[T](s.Name, status.Fail(status.UncaughtServerError))
		}
	}()
	if s.Broken != nil {
		return status.Failed[T](s.Name, *s.Broken)
	}
	gate := d.gate(s, spec.Needs)
	r = ask(connectors.Gated(ctx, gate), s)
	if v, _ := r.Verdict(); v != status.AccessFailure && ctx.Err() == nil {
		status.CallFrom(ctx).Step(spec.Operation + " on " + s.Name)
	}
	return withhold(gate, r)
}

// forbids is the failure by which policy, or what the last probe found, answers
// instead of the source, or nil.
func (d *Deps) forbids(s connectors.Source, c connectors.Capability, container string) *status.Failure {
	if f := policy.Outside(s.Only, container); f != nil {
		return f
	}
	if f := d.Policy.Denies(string(c), container); f != nil {
		return f
	}
	return d.Manifest.Check(s, c, container)
}

// gate keeps what lies outside the allow-list or under a deny rule, and, where
// there is either, what lies nobody knows where.
func (d *Deps) gate(s connectors.Source, c connectors.Capability) connectors.Gate {
	return func(container string) *status.Failure {
		if !policy.Allowed(s.Only, container) {
			f := status.Fail(status.PolicyDenied, status.Rule.Is("only"), status.WasCalled)
			return &f
		}
		f := d.Policy.Withholds(string(c), container)
		if f != nil {
			called := f.With(status.WasCalled)
			f = &called
		}
		return f
	}
}

// withhold drops what the gate keeps, whatever link, redirect or search led
// there, and of what passes the parts that lie elsewhere.
func withhold[T connectors.Item](gate connectors.Gate, r status.Result[T]) status.Result[T] {
	return status.Withhold(r, func(item T) (T, int, bool) {
		if gate(item.Where()) != nil {
			return item, 0, false
		}
		parts := 0
		if whole, ok := any(item).(interface {
			Withhold(func(container string) bool) (T, int)
		}); ok {
			item, parts = whole.Withhold(func(container string) bool { return gate(container) == nil })
		}
		return item, parts, true
	}, status.Fail(status.PolicyDenied, status.WasCalled))
}

// scope words the container that took effect where none was given.
func (q set) scope(sources []connectors.Source) string {
	assumed := q.assumed(sources)
	if q.spec.Needs == connectors.ProjectRead { // the container itself is what is asked for
		return assumed
	}
	return within(assumed)
}

// assumed is the container that took effect where none was given.
func (q set) assumed(sources []connectors.Source) string {
	if q.container != "" || len(sources) != 1 {
		return ""
	}
	if s := sources[0]; q.native != "" && s.Spans != nil && s.Spans(q.native) {
		return ""
	}
	return sources[0].DefaultProject
}

// withDefault names the container that took effect where none was given.
func withDefault(filters []status.FilterEcho, q set, sources []connectors.Source) []status.FilterEcho {
	assumed := q.assumed(sources)
	if assumed == "" {
		return filters
	}
	name := map[connectors.Kind]string{connectors.KindTracker: "project", connectors.KindRepo: "repo", connectors.KindDocs: "space"}[q.spec.Kind]
	return append([]status.FilterEcho{{Name: name, Value: assumed}}, filters...)
}

// fallback says which other source could still be asked, or nothing.
func (d *Deps) fallback(spec Spec, asked []connectors.Source) string {
	var same, code []string
	for _, s := range d.Sources {
		if s.Broken != nil || slices.ContainsFunc(asked, func(a connectors.Source) bool { return a.Name == s.Name }) {
			continue
		}
		if s.Serves(spec.Kind) {
			same = append(same, s.Name)
		} else if s.Serves(connectors.KindRepo) {
			code = append(code, s.Name)
		}
	}
	switch {
	case len(same) > 0:
		return "ask " + spec.Name + " with source " + strings.Join(same, " or ") + ", and label the answer provisional"
	case len(code) > 0:
		return "read source " + strings.Join(code, " or ") + " with repo_search_code, and label the answer provisional"
	default:
		return ""
	}
}
