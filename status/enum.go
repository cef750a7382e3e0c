package status

import "fmt"

// Status answers: what may be concluded?
type Status uint8

// The statuses. The zero value is invalid and never encoded.
const (
	_ Status = iota
	Success
	Empty
	Partial
	AccessFailure
)

// Code answers: whose move is it?
type Code uint8

// The codes. The zero value is invalid and never encoded.
const (
	_ Code = iota
	None
	InputMissing
	ReferenceUnresolved
	CapabilityUnavailable
	AccessDenied
	SourceUnreliable
)

// Stage says where in a call something failed.
type Stage uint8

// The stages, in the order in which a call passes them.
const (
	_ Stage = iota
	BindRequest
	Resolve
	SelectTarget
	AuthPreflight
	Execute
	Cleanup
	Policy
	Service
)

// Severity says what a chain of dependent steps does next.
type Severity uint8

// The severities: go on, retry or fall back, stop the dependent chain.
const (
	_ Severity = iota
	Warning
	Recoverable
	Fatal
)

// APICall says whether the source's interface was called before the failure; it
// is an [Option] of [Fail].
type APICall uint8

// The answers to "was the source called?"; Maybe is a request that died on its way.
const (
	_ APICall = iota
	NotCalled
	MaybeCalled
	WasCalled
)

// StatusInfo is what the prompt, the documentation and the schema say of a status.
type StatusInfo struct {
	Status  Status
	Name    string
	Meaning string // what it means
	Say     string // how a sentence about it opens
	Do      string // what an agent does with it
}

// CodeInfo is what the prompt, the documentation and the schema say of a code.
type CodeInfo struct {
	Code    Code
	Name    string
	Meaning string
	Agent   string // what the agent does
	Human   string // what a person can do
	Safe    string // what can still be done when a failure names nothing better
	Class   string // class in _meta["io.modelcontextprotocol/toolFailure"]
	gravity int    // the gravest of several stands at the top
}

var statusTable = [...]StatusInfo{
	{Success, "success", "the source was reached and everything asked for is here", "Found", "Use the data."},
	{Empty, "empty", "the source was reached and proved that nothing matches", "Found nothing", "Say that it was checked and that there is none, in the scope that the summary names."},
	{Partial, "partial", "some of it is here (possibly zero items), some was not seen", "Partial results", "Use what is here, name what was not seen, and never call it complete; follow next_cursor if there is one."},
	{AccessFailure, "access_failure", "no conclusion is possible", "Could not check", "Say that it could not be checked and why; claim neither presence nor absence."},
}

var codeTable = [...]CodeInfo{
	{None, "NONE", "no failure", "Use the data.", "–", "", "", 0},
	{InputMissing, "INPUT_MISSING", "required intent or object was not supplied, or an argument is unusable", "Correct the call if the answer says how; otherwise ask one precise question.", "Supply the missing decision or reference.", "correct the named arguments and call again", "capability", 1},
	{ReferenceUnresolved, "REFERENCE_UNRESOLVED", "a name or link maps to zero or several objects", "Show the candidates or the failed lookup.", "Disambiguate, only if needed.", "look the name up with resolve_reference or a listing tool, or show the candidates", "capability", 2},
	{CapabilityUnavailable, "CAPABILITY_UNAVAILABLE", "this server has no connector, feature or coverage for it", "Stop claiming that the source can be inspected; do not ask the person for details.", "Enable the capability or change the scope.", "ask another source that list_capabilities shows as ready, and label the answer provisional", "capability", 4},
	{AccessDenied, "ACCESS_DENIED", "the capability exists, this context lacks permission or a working credential", "Name the denied scope, expose no secret, do not retry.", "Grant bounded access, or choose another operator.", "ask another source that list_capabilities shows as ready, and label the answer provisional", "governance", 5},
	{SourceUnreliable, "SOURCE_UNRELIABLE", "stale, partial, contradictory, rate limited, timed out or broken", "Return the evidence with a confidence limit; retry only if retryable.", "Decide whether to go on under uncertainty.", "use what is here with a confidence limit, or repeat later", "reliability", 3},
}

// Statuses lists every status in the order of the contract.
func Statuses() []StatusInfo { return append([]StatusInfo(nil), statusTable[:]...) }

// Codes lists every code in the order of the contract.
func Codes() []CodeInfo { return append([]CodeInfo(nil), codeTable[:]...) }

var stageNames = [...]string{"service", "bind_request", "resolve", "select_target", "auth_preflight", "execute", "cleanup", "policy", "service"}
var severityNames = [...]string{"fatal", "warning", "recoverable", "fatal"}
var calledNames = [...]string{"maybe", "no", "maybe", "yes"}

// Info returns the row of s; an invalid status has the row of AccessFailure.
func (s Status) Info() StatusInfo {
	if s < Success || s > AccessFailure {
		s = AccessFailure
	}
	return statusTable[s-1]
}

// Info returns the row of c; an invalid code has the row of SourceUnreliable.
func (c Code) Info() CodeInfo {
	if c < None || c > SourceUnreliable {
		c = SourceUnreliable
	}
	return codeTable[c-1]
}

// String is the name on the wire.
func (s Status) String() string { return s.Info().Name }

// String is the name on the wire.
func (c Code) String() string { return c.Info().Name }

// String is the name on the wire.
func (s Stage) String() string { return pick(stageNames[:], int(s)) }

// String is the name on the wire.
func (s Severity) String() string { return pick(severityNames[:], int(s)) }

// String is the name on the wire.
func (c APICall) String() string { return pick(calledNames[:], int(c)) }

// MarshalText encodes the name on the wire.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalText encodes the name on the wire.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// MarshalText encodes the name on the wire.
func (s Stage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalText encodes the name on the wire.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalText encodes the name on the wire.
func (c APICall) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// ParseCode reads the name on the wire.
func ParseCode(name string) (Code, error) {
	for _, row := range codeTable {
		if row.Name == name {
			return row.Code, nil
		}
	}
	return 0, fmt.Errorf("unknown code %q", name)
}

// ParseStatus reads the name on the wire.
func ParseStatus(name string) (Status, error) {
	for _, row := range statusTable {
		if row.Name == name {
			return row.Status, nil
		}
	}
	return 0, fmt.Errorf("unknown status %q", name)
}

// Legal reports whether the pair may be encoded.
func Legal(s Status, c Code) bool {
	switch s {
	case Success:
		return c == None
	case Empty:
		return c == None || c == ReferenceUnresolved
	case Partial:
		return c == None || c == ReferenceUnresolved || c == CapabilityUnavailable || c == AccessDenied || c == SourceUnreliable
	case AccessFailure:
		return c >= InputMissing && c <= SourceUnreliable
	default:
		return false
	}
}

// graver returns the code that stands at the top when both occur.
func graver(a, b Code) Code {
	if b.Info().gravity > a.Info().gravity {
		return b
	}
	return a
}

// pick is names[i], or the name of the zero value for an i out of range.
func pick(names []string, i int) string {
	if i < 0 || i >= len(names) {
		i = 0
	}
	return names[i]
}
