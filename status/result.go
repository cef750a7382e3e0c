package status

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

var everyCheck = []Check{Transport, Shape, InBand, Identity, Scope, Completeness, Effectiveness}

// A named thing that was read proves its own scope, and no filter was applied.
var readChecks = []Check{Transport, Shape, InBand, Identity, Completeness}

// An absence of a named thing rests on the credential and on the visible container.
var absenceChecks = []Check{Transport, Identity, Scope}

// Result is the answer of one or more sources, one row each. What may be
// concluded is derived from the rows, so that merging is a union. The zero
// Result is an access failure.
type Result[T any] struct {
	rows []*row[T]
	laid []T // the items in the order in which they are shown, see [Arrange]; nil: source by source
}

type row[T any] struct {
	items []T
	head
}

// head is what a row says beside its items.
type head struct {
	source   string
	status   Status
	code     Code
	failures []Failure
	unproven []string
	bounded  bool // see [Audit.Unprovable]
	covered  bool // see [Audit.Uncovered]
	cursor   string
	examined int
	count    int
	asOf     time.Time
	witness  *Witness
	single   bool
	held     bool // see [Arrange]
}

// Row is the public view of one source's part of a result.
type Row struct {
	Source     string
	Status     Status
	Code       Code
	Items      int
	NextCursor string
	Held       bool // see [Arrange]
	Failures   []Failure
}

// List is the answer to a set question. It is success or empty only if all
// seven checks hold; otherwise partial, or an access failure where no item is
// there and a check failed on which everything rests.
func List[T any](source string, items []T, a *Audit) Result[T] {
	a.settle(everyCheck...)
	h := a.head(source, len(items))
	if f, bad := a.rotten(); bad && len(items) == 0 {
		return Failed[T](source, f)
	}
	switch {
	case len(a.gaps) > 0:
		h.status, h.code = Partial, partialCode(h.failures)
	case a.next != "":
		h.status, h.code = Partial, None
	default:
		w, ok := a.witness(everyCheck...)
		if !ok { // unreachable after settle; kept so that an empty can never lack its witness
			return Failed[T](source, Fail(UncaughtServerError))
		}
		h.status, h.code, h.witness = Empty, None, w
		if len(items) > 0 {
			h.status = Success
		}
	}
	return Result[T]{rows: []*row[T]{{items, h}}}
}

// One is the answer to a question for a named thing that was read: success, or
// partial where the audit names a part that is missing.
func One[T any](source string, item T, a *Audit) Result[T] {
	a.settle(readChecks...)
	h := a.head(source, 1)
	h.single = true
	switch {
	case len(a.gaps) > 0:
		h.status, h.code = Partial, partialCode(h.failures)
	case a.next != "":
		h.status, h.code = Partial, None
	default:
		h.status, h.code = Success, None
	}
	return Result[T]{rows: []*row[T]{{[]T{item}, h}}}
}

// Absent is the answer for a named thing that the source says it does not have.
// It is empty / REFERENCE_UNRESOLVED if the audit proves that the credential
// counted and that the container is visible; otherwise it is an access failure
// with evidence.existence absent_or_hidden. Options describe the reference.
func Absent[T any](source string, a *Audit, opts ...Option) Result[T] {
	h := a.head(source, 0)
	w, ok := a.witness(absenceChecks...)
	if !ok {
		f := Fail(AbsentOrHidden, Existence.Is(ExistenceUnknown))
		if len(h.failures) > 0 {
			f = gravest(h.failures).With(Existence.Is(ExistenceUnknown))
		}
		return Failed[T](source, f.With(opts...))
	}
	h.status, h.code, h.witness, h.single = Empty, ReferenceUnresolved, w, true
	h.failures = []Failure{Fail(NotFoundConfirmed, append([]Option{By(source)}, opts...)...)}
	return Result[T]{rows: []*row[T]{{nil, h}}}
}

// Failed is the answer of a source from which nothing may be concluded.
func Failed[T any](source string, f Failure) Result[T] {
	f = f.Within(source, "", "")
	return Result[T]{rows: []*row[T]{{nil, head{source: source, status: AccessFailure, code: f.Code(), failures: []Failure{f}}}}}
}

func (a *Audit) head(source string, items int) head {
	h := head{source: source, unproven: a.unproven(), bounded: a.bounded, covered: a.covered, cursor: a.next, examined: a.examined, asOf: a.asOf, count: items}
	for _, f := range a.failures() {
		h.failures = append(h.failures, f.Within(source, "", ""))
	}
	return h
}

// Merge unites the answers of several sources. It is associative, commutative
// and idempotent, and source by source: see [Arrange].
func Merge[T any](results ...Result[T]) Result[T] {
	var out Result[T]
	seen := map[*row[T]]bool{}
	for _, r := range results {
		rows := r.rows
		if len(rows) == 0 { // the zero Result stays what it is: a failure
			rows = []*row[T]{nil}
		}
		for _, x := range rows {
			if !seen[x] {
				seen[x] = true
				out.rows = append(out.rows, x)
			}
		}
	}
	slices.SortStableFunc(out.rows, func(a, b *row[T]) int {
		if c := cmp.Compare(a.facet().source, b.facet().source); c != 0 {
			return c
		}
		if a == nil || b == nil {
			return cmp.Compare(fmt.Sprint(a == nil), fmt.Sprint(b == nil))
		}
		return cmp.Compare(fmt.Sprintf("%+v", *a), fmt.Sprintf("%+v", *b))
	})
	return out
}

// facet is the head of a row; a nil row, which a zero Result leaves, is a failure.
func (x *row[T]) facet() head {
	if x == nil {
		f := Fail(UncaughtServerError)
		return head{status: AccessFailure, code: f.Code(), failures: []Failure{f}}
	}
	return x.head
}

func (r Result[T]) heads() []head {
	if len(r.rows) == 0 {
		return []head{(*row[T])(nil).facet()}
	}
	hs := make([]head, len(r.rows))
	for i, x := range r.rows {
		hs[i] = x.facet()
	}
	return hs
}

// Rows returns the sources' parts, ordered by the name of the source.
func (r Result[T]) Rows() []Row {
	var out []Row
	for _, h := range r.heads() {
		out = append(out, Row{h.source, h.status, h.code, h.count, h.cursor, h.held, slices.Clone(h.failures)})
	}
	return out
}

// Items returns what was found, as [Arrange] laid it, else source by source.
func (r Result[T]) Items() []T {
	if r.laid != nil {
		return slices.Clone(r.laid)
	}
	var out []T
	for _, x := range r.rows {
		if x != nil {
			out = append(out, x.items...)
		}
	}
	return out
}

// Verdict derives what may be concluded from all rows together.
func (r Result[T]) Verdict() (Status, Code) { return verdict(r.heads()) }

// verdict: empty only if every source proved empty; any failure beside data or
// beside an empty gives partial; all failed gives access_failure.
func verdict(hs []head) (Status, Code) {
	n := map[Status]int{}
	worst, inside := None, None
	for _, h := range hs {
		n[h.status]++
		worst = graver(worst, h.code)
		if h.status == Partial || h.status == AccessFailure {
			inside = graver(inside, h.code)
		}
	}
	switch {
	case n[AccessFailure] == len(hs):
		return AccessFailure, worst
	case n[Empty] == len(hs):
		return Empty, worst
	case n[Partial]+n[AccessFailure] == 0:
		return Success, None
	default:
		return Partial, partialOf(inside)
	}
}

// partialCode is the code of a partial row with these gaps.
func partialCode(fs []Failure) Code {
	c := None
	for _, f := range fs {
		c = graver(c, f.Code())
	}
	return partialOf(c)
}

// partialOf maps a code to one that may stand beside partial: a query that one
// source could not take is, for the whole answer, a filter that did not resolve.
func partialOf(c Code) Code {
	if c == InputMissing {
		return ReferenceUnresolved
	}
	return c
}

// gravest returns the failure that stands at the top.
func gravest(fs []Failure) Failure {
	var top Failure
	for i, f := range fs {
		if i == 0 || f.Code().Info().gravity > top.Code().Info().gravity {
			top = f
		}
	}
	return top
}

// each rewrites every row; the failure that a zero Result leaves stays.
func each[T, U any](r Result[T], rewrite func(*row[T]) *row[U]) Result[U] {
	out := Result[U]{rows: make([]*row[U], len(r.rows))}
	for i, x := range r.rows {
		if x != nil {
			out.rows[i] = rewrite(x)
		}
	}
	return out
}

// failedRow is the row of a source from which nothing may be concluded.
func failedRow[T any](source string, f Failure) *row[T] { return Failed[T](source, f).rows[0] }

// Select keeps the items that a question, asked of a complete listing, is about.
// A listing that was proved complete proves the absence of what is left out: its
// row becomes empty if nothing is kept. A partial row stays partial.
func Select[T any](r Result[T], keep func(T) bool) Result[T] {
	return each(r, func(x *row[T]) *row[T] {
		y := &row[T]{head: x.head}
		for _, item := range x.items {
			if keep(item) {
				y.items = append(y.items, item)
			}
		}
		y.examined += len(x.items)
		y.count = len(y.items)
		if y.status != Success || y.count > 0 {
			return y
		}
		if y.witness == nil { // a named thing that was read and is not what was meant proves no absence
			return failedRow[T](x.source, Fail(AbsentOrHidden, Existence.Is(ExistenceUnknown)))
		}
		y.status = Empty
		return y
	})
}

// Unresolved says that the question was for a named thing: rows that are proved
// empty answer REFERENCE_UNRESOLVED, for the reason of f.
func Unresolved[T any](r Result[T], f Failure) Result[T] {
	return each(r, func(x *row[T]) *row[T] {
		if x.status != Empty || x.code != None || f.Code() != ReferenceUnresolved {
			return x
		}
		y := &row[T]{head: x.head}
		y.code, y.single, y.failures = ReferenceUnresolved, true, []Failure{f.Within(x.source, "", "")}
		return y
	})
}

// Single reads a listing as the answer for a named thing, of which its first item
// is a part: the thing is there, however long the listing goes on. A row without
// items is kept as it is.
func Single[T any](r Result[T]) Result[T] {
	return each(r, func(x *row[T]) *row[T] {
		if len(x.items) == 0 {
			return x
		}
		y := &row[T]{head: x.head, items: x.items[:1]}
		y.count, y.single, y.cursor = 1, true, ""
		if y.status == Partial && y.code == None {
			y.status = Success
		}
		return y
	})
}

// Named says that the question was for a named thing, in whichever of the sources it
// is: rows without items say nothing of a set. It changes no verdict.
func Named[T any](r Result[T]) Result[T] {
	return each(r, func(x *row[T]) *row[T] {
		y := &row[T]{head: x.head, items: x.items}
		y.single = true
		return y
	})
}

// Noted names, in snake_case, something more that is not proved. It changes no verdict.
func Noted[T any](r Result[T], note string) Result[T] {
	return each(r, func(x *row[T]) *row[T] {
		y := &row[T]{head: x.head, items: x.items}
		y.unproven = append(slices.Clone(x.unproven), note)
		return y
	})
}

// Map translates the items of r and keeps what may be concluded.
func Map[T, U any](r Result[T], translate func(T) U) Result[U] {
	return each(r, func(x *row[T]) *row[U] {
		y := &row[U]{head: x.head}
		for _, item := range x.items {
			y.items = append(y.items, translate(item))
		}
		return y
	})
}

// Withhold drops the items that keep refuses, and takes the others as keep gives
// them back, less so many parts. All of that is counted, not named: the row
// becomes partial for the reason of why, or an access failure if it was the
// answer for a named thing.
func Withhold[T any](r Result[T], keep func(T) (kept T, parts int, ok bool), why Failure) Result[T] {
	return each(r, func(x *row[T]) *row[T] {
		y := &row[T]{head: x.head}
		within := 0
		for _, item := range x.items {
			if kept, parts, ok := keep(item); ok {
				y.items = append(y.items, kept)
				within += parts
			}
		}
		dropped := len(x.items) - len(y.items)
		switch {
		case dropped+within == 0:
			return x
		case x.single && dropped > 0:
			return failedRow[T](x.source, why)
		}
		y.count = len(y.items)
		y.failures = append(slices.Clone(x.failures), why.With(Withheld.Is(dropped+within)).Within(x.source, "", ""))
		y.status, y.code = Partial, partialCode(y.failures)
		return y
	})
}
