package status

import "time"

// Check is one of the seven things that must hold before an answer may be
// called complete, and before an absence may be claimed at all.
type Check uint8

// The seven checks.
const (
	Transport     Check = iota // expected status, media type, whole body, configured host
	Shape                      // the container key is there and of the right type
	InBand                     // no error inside a successful answer
	Identity                   // the credential counted
	Scope                      // the named container is visible and its feature is on
	Completeness               // no further page, cap or cursor, by the provider's own marker
	Effectiveness              // the filter was understood and could match
	checks        = iota
)

var checkNames = [checks]string{"transport", "shape", "no_in_band_error", "identity", "scope", "completeness", "effectiveness"}

// String is the name in coverage.unproven.
func (c Check) String() string { return pick(checkNames[:], int(c)) }

// Proof names the request, command or file that showed a check to hold, such as
// "GET /repos/acme/app", and when it was made.
type Proof struct {
	Request string
	At      time.Time
}

// Audit collects what a connector proved about one answer of one source. A check
// that nobody mentions counts as not made: forgetting one never yields success
// or empty. An Audit is used by one goroutine.
type Audit struct {
	held     [checks]*Proof
	gaps     []gap
	notes    []string
	bounded  bool // a note is about the sight of the account
	covered  bool // a note is about what the source covers
	next     string
	examined int
	asOf     time.Time
}

type gap struct {
	check   Check
	failure Failure
	unmade  bool
}

// Hold records that these checks hold, by that proof.
func (a *Audit) Hold(by Proof, cs ...Check) {
	for _, c := range cs {
		a.held[c] = &by
	}
	if a.asOf.Before(by.At) {
		a.asOf = by.At
	}
}

// Fail records that a check does not hold for the reason of f. The result is
// partial, or an access failure where the check is what everything rests on
// (transport, shape, identity) and no item is there.
func (a *Audit) Fail(c Check, f Failure) { a.gaps = append(a.gaps, gap{c, f, false}) }

// Unmade records that a check could have been made but was not, or was cut short
// for the reason of f. The result is partial and coverage.unproven names the check.
func (a *Audit) Unmade(c Check, f Failure) { a.gaps = append(a.gaps, gap{c, f, true}) }

// Unprovable names, in snake_case, what this provider offers no way to prove,
// such as rows_hidden_from_account. It does not change the status; an empty result
// then speaks of what the account can see.
func (a *Audit) Unprovable(note string) {
	a.notes = append(a.notes, note)
	a.bounded = true
}

// Uncovered names, in snake_case, what the source leaves out whoever asks, such as
// ignored_files. It does not change the status; an empty result then speaks of what
// the source covers.
func (a *Audit) Uncovered(note string) {
	a.notes = append(a.notes, note)
	a.covered = true
}

// Next says that the provider has more and that cursor goes on from here.
func (a *Audit) Next(cursor string) { a.next = cursor }

// Examined adds to the number of objects that were looked at to find the items.
func (a *Audit) Examined(n int) { a.examined += n }

// Stamp sets the time as of which the answer holds, where that is not the time of a proof.
func (a *Audit) Stamp(at time.Time) { a.asOf = at }

// settle turns every check that nobody mentioned into a gap.
func (a *Audit) settle(needed ...Check) {
	for _, c := range needed {
		if a.held[c] != nil || a.gapAt(c) || (c == Completeness && a.next != "") {
			continue
		}
		a.Unmade(c, Fail(Unproven, CheckName.Is(c.String())))
	}
}

func (a *Audit) gapAt(c Check) bool {
	for _, g := range a.gaps {
		if g.check == c {
			return true
		}
	}
	return false
}

// rotten reports whether a check on which everything rests failed.
func (a *Audit) rotten() (Failure, bool) {
	for _, g := range a.gaps {
		if !g.unmade && (g.check == Transport || g.check == Shape || g.check == Identity) {
			return g.failure, true
		}
	}
	return Failure{}, false
}

// unproven names the checks that could not be made and what cannot be proved.
func (a *Audit) unproven() []string {
	var names []string
	for _, g := range a.gaps {
		if g.unmade {
			names = append(names, g.check.String())
		}
	}
	return append(names, a.notes...)
}

func (a *Audit) failures() []Failure {
	var fs []Failure
	for _, g := range a.gaps {
		fs = append(fs, g.failure)
	}
	return fs
}

// Witness is the proof behind an empty result. It cannot be built outside this
// package; only an audit without any gap yields one.
type Witness struct{ proofs [checks]Proof }

// By returns the request that proved the check.
func (w Witness) By(c Check) Proof {
	if c >= checks {
		return Proof{}
	}
	return w.proofs[c]
}

// witness returns the proof that all of the needed checks hold.
func (a *Audit) witness(needed ...Check) (*Witness, bool) {
	if len(a.gaps) > 0 || a.next != "" {
		return nil, false
	}
	var w Witness
	for _, c := range needed {
		if a.held[c] == nil {
			return nil, false
		}
		w.proofs[c] = *a.held[c]
	}
	return &w, true
}
