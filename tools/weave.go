package tools

import (
	"cmp"
	"slices"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// stack is what one source found, in its own order.
type stack[T connectors.Item] struct {
	source string
	items  []T
	names  []identity // of the items, side by side with them
	told   int        // how many are laid already
	// with are the sources that show an item which this one found too.
	with []string
}

// weaving lays the answers of several sources into one list. It depends on what
// they say and on their names, not on who answers first.
type weaving[T connectors.Item] struct {
	stacks []*stack[T]           // by the name of the source
	sites  map[string]string     // of the sources, see [Deps.site]
	at     cursors               // that the sources were asked with
	shown  []status.Shown[T]     // in order
	named  []identity            // of what is shown
	held   map[string]bool       // see [status.Arrange]
	twins  map[identity][]string // the sources that an item was found in, where those are several
}

// weave joins what was reached twice, merges the sources' lists and cuts at limit;
// 0 is no limit.
//
// Within a source its own order stays. Across sources the one comes first whose
// next item changed last; an item without a time comes after those with one; of
// equals, the source that has shown fewer, then the first by name.
//
// A source is shown whole or waits for the next page: a cursor of its own stands
// behind all that it found. So no page is longer than limit as long as no source
// finds more than it was asked for, and each shows something.
func weave[T connectors.Item](d *Deps, results []status.Result[T], at cursors) *weaving[T] {
	w := &weaving[T]{sites: d.sites(), at: at, held: map[string]bool{}, twins: map[identity][]string{}}
	for _, r := range results {
		rows := r.Rows()
		if len(rows) == 0 || len(r.Items()) == 0 {
			continue
		}
		s := &stack[T]{source: rows[0].Source}
		times := map[string]int{}
		for _, item := range r.Items() {
			name := d.object(item)
			times[string(name)]++
			s.items, s.names = append(s.items, item), append(s.names, name.nth(times[string(name)]))
		}
		w.stacks = append(w.stacks, s)
	}
	slices.SortFunc(w.stacks, func(a, b *stack[T]) int { return cmp.Compare(a.source, b.source) })
	w.forget()
	w.join()
	return w
}

// forget drops what an earlier page has shown from another source.
func (w *weaving[T]) forget() {
	for _, s := range w.stacks {
		s.keep(func(_ T, name identity) bool {
			for source, p := range w.at.Passed {
				if source != s.source && name != "" && p.has(name) {
					return false
				}
			}
			return true
		})
	}
}

// join leaves each object in the stack of the source that tells most of it, which
// names the others.
func (w *weaving[T]) join() {
	best := map[identity]*stack[T]{}
	where := map[identity]int{}
	for _, s := range w.stacks {
		for i, name := range s.names {
			if name == "" {
				continue
			}
			w.twins[name] = append(w.twins[name], s.source)
			if b := best[name]; b == nil || richer(s.items[i], b.items[where[name]]) {
				best[name], where[name] = s, i
			}
		}
	}
	for name, sources := range w.twins {
		if len(sources) < 2 {
			delete(w.twins, name)
			continue
		}
		others := slices.DeleteFunc(slices.Clone(sources), func(s string) bool { return s == best[name].source })
		joins(&best[name].items[where[name]], others)
	}
	for _, s := range w.stacks {
		s.keep(func(_ T, name identity) bool {
			if len(w.twins[name]) == 0 || best[name] == s {
				return true
			}
			s.with = append(s.with, best[name].source)
			return false
		})
	}
}

// keep drops the items that hold refuses.
func (s *stack[T]) keep(hold func(T, identity) bool) {
	n := 0
	for i, item := range s.items {
		if hold(item, s.names[i]) {
			s.items[n], s.names[n] = item, s.names[i]
			n++
		}
	}
	s.items, s.names = s.items[:n], s.names[:n]
}

// lay fills the page.
func (w *weaving[T]) lay(limit int) {
	taken := map[string]bool{}
	room := limit
	for {
		s := w.next()
		if s == nil {
			break
		}
		if s.told == 0 {
			fits := limit == 0 || len(s.items) <= room || len(w.shown) == 0
			if !fits {
				w.held[s.source] = true
				s.told = len(s.items)
				continue
			}
			taken[s.source] = true
			room -= len(s.items)
		}
		w.shown = append(w.shown, status.Shown[T]{Source: s.source, Item: s.items[s.told]})
		w.named = append(w.named, s.names[s.told])
		s.told++
	}
	// What another source shows too is shown only if that one's turn has come.
	for _, s := range w.stacks {
		waits := slices.ContainsFunc(s.with, func(other string) bool { return !taken[other] })
		if waits && len(s.items) == 0 {
			w.held[s.source] = true
		}
	}
}

// next is the source whose head comes next, or nil.
func (w *weaving[T]) next() *stack[T] {
	var best *stack[T]
	for _, s := range w.stacks {
		if s.told < len(s.items) && (best == nil || s.before(best)) {
			best = s
		}
	}
	return best
}

// before reports whether the head of s comes before that of o, whose name is first.
func (s *stack[T]) before(o *stack[T]) bool {
	a, b := s.items[s.told].Changed(), o.items[o.told].Changed()
	if c := a.Compare(b); c != 0 { // the zero time is before all others
		return c > 0
	}
	return s.told < o.told
}

// result is what is shown, with a row for each source.
func (w *weaving[T]) result(results []status.Result[T]) status.Result[T] {
	return status.Arrange(status.Merge(results...), w.shown, w.held)
}

// once keeps each of the things that a name was found to mean once, as the source
// tells it that tells most.
func once[T connectors.Item](d *Deps, hits []status.Result[T]) []status.Result[T] {
	if len(hits) < 2 {
		return hits
	}
	w := weave(d, hits, cursors{})
	w.lay(0)
	var out []status.Result[T]
	for _, h := range hits {
		var own []status.Shown[T]
		for _, x := range w.shown {
			if x.Source == h.Rows()[0].Source {
				own = append(own, x)
			}
		}
		if len(own) > 0 {
			out = append(out, status.Arrange(h, own, nil))
		}
	}
	return out
}

// joins notes the other sources in an item.
func joins[T connectors.Item](item *T, others []string) {
	if o, ok := any(item).(interface{ Joins([]string) }); ok {
		o.Joins(others)
	}
}

// remember lists, by source, what is shown and will come again from another source
// of the same site that goes on. Without such a source, which is the rule, that is
// nothing.
func (w *weaving[T]) remember(next map[string]string) map[string]passed {
	out := map[string]passed{}
	again := func(source string) bool { // whether another source of the site goes on
		for other := range next {
			if other != source && w.sites[other] == w.sites[source] {
				return true
			}
		}
		return false
	}
	for source, p := range w.at.Passed {
		if again(source) {
			out[source] = p
		}
	}
	for i, s := range w.shown {
		if w.named[i] == "" || !again(s.Source) || w.passedByAll(w.named[i], s.Source, next) {
			continue
		}
		out[s.Source] = out[s.Source].and(w.named[i])
	}
	return out
}

// passedByAll reports whether no source of the site that goes on can still come to
// an item that source shows: all of them have, on this page.
func (w *weaving[T]) passedByAll(name identity, source string, next map[string]string) bool {
	for other := range next {
		if other != source && w.sites[other] == w.sites[source] && (w.held[other] || !slices.Contains(w.twins[name], other)) {
			return false
		}
	}
	return true
}

// passed holds short hashes of what a source has shown, one after the other.
type passed string

const (
	hashLength = 8 // characters, which are 48 bits
	maxPassed  = 64
)

func (p passed) has(name identity) bool {
	hash := name.hash()
	for i := 0; i+hashLength <= len(p); i += hashLength {
		if string(p[i:i+hashLength]) == hash {
			return true
		}
	}
	return false
}

// and adds one and forgets the oldest beyond the bound: a source that lags so far
// behind another one of the same site shows again what that one has shown.
func (p passed) and(name identity) passed {
	if over := len(p) - (maxPassed-1)*hashLength; over > 0 {
		p = p[over:]
	}
	return p + passed(name.hash())
}
