package status

// Shown is an item as it is shown, and in the row of which source it counts.
type Shown[T any] struct {
	Source string
	Item   T
}

// Arrange lays the items of several sources in the order of shown. A source counts
// those that are shown of it; of what it found, items that another one shows too
// are left out, which changes no verdict: they were found.
//
// held names each source none of whose items is shown now, for want of room: its row
// is partial, since there is more, and says so by [Row.Held], not by a cursor. The
// result can be rendered; merged or rewritten again it is source by source.
func Arrange[T any](r Result[T], shown []Shown[T], held map[string]bool) Result[T] {
	own := map[string][]T{}
	out := make([]T, len(shown))
	for i, s := range shown {
		own[s.Source] = append(own[s.Source], s.Item)
		out[i] = s.Item
	}
	arranged := each(r, func(x *row[T]) *row[T] {
		y := &row[T]{head: x.head, items: own[x.source]}
		delete(own, x.source)
		y.count = len(y.items)
		if held[x.source] {
			y.held, y.cursor, y.witness = true, "", nil
			if y.status == Success {
				y.status = Partial
			}
		}
		return y
	})
	arranged.laid = out
	return arranged
}

// goesOn reports whether a source has more to show.
func (h head) goesOn() bool { return h.held || h.cursor != "" && h.status != AccessFailure }
