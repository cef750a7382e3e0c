//go:build race

package contracttest

// oneOf is the share of the cases that are broken in every way, and of the statuses
// that are tried: the race detector makes each six times as slow and finds nothing
// new in the hundredth.
const oneOf = 8
