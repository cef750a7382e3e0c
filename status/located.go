package status

import "slices"

// Located reads the answer for a named thing as that of where it is: what its content
// lacks is no gap then.
func Located[T any](r Result[T]) Result[T] {
	return each(r, func(x *row[T]) *row[T] {
		if len(x.items) == 0 || x.status != Partial || len(x.failures) == 0 {
			return x
		}
		y := &row[T]{head: x.head, items: x.items}
		y.failures = slices.DeleteFunc(slices.Clone(x.failures), func(f Failure) bool { return f.Reason() == ContentNotIncluded })
		if y.code = partialCode(y.failures); len(y.failures) == 0 {
			y.status, y.code, y.cursor = Success, None, ""
		}
		return y
	})
}
