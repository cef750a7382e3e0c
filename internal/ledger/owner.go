package ledger

import (
	"crypto/rand"
	"strings"
)

// owner is a process that may be at a change. Place is the run of a machine and
// the part of it in which process ids mean something; both are empty where that
// cannot be told. Nonce tells apart what nothing else does.
type owner struct{ place, process, nonce string }

// String is how the store keeps it.
func (o owner) String() string { return o.place + " " + o.process + " " + o.nonce }

// is reports whether that is this process.
func (o owner) is(other string) bool { return o.String() == other }

// sees reports whether the other process is still at it: where both run in one
// place that can be seen, elsewhere its lease tells.
func (o owner) sees(other string, leased bool) bool {
	parts := strings.Split(other, " ")
	if len(parts) != 3 || !leased {
		return false
	}
	if o.place == "" || parts[0] != o.place {
		return true
	}
	return running(parts[1])
}

func thisProcess() owner {
	place, process := whereabouts()
	return owner{place, process, rand.Text()}
}
