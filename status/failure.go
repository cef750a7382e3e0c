package status

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Failure is one immutable statement of what failed and why. The zero Failure
// is uncaught_server_error.
type Failure struct{ d *detail }

type detail struct {
	reason      Reason
	cause       Reason // what opened the circuit
	dependency  string
	operation   string
	called      APICall
	retryable   *bool
	retryAfter  time.Duration
	capability  string
	fallback    string
	candidates  []Candidate
	fingerprint string
	evidence    facts
}

// Option adds one circumstance to a [Failure].
type Option interface{ apply(*detail) }

type optionFunc func(*detail)

func (f optionFunc) apply(d *detail) { f(d) }
func (f Fact) apply(d *detail)       { d.evidence = d.evidence.with(f) }
func (c APICall) apply(d *detail)    { d.called = c }

// Fail makes a failure for that reason.
func Fail(r Reason, opts ...Option) Failure {
	d := &detail{reason: r}
	for _, o := range opts {
		o.apply(d)
	}
	return Failure{d}
}

// Broken makes the failure that opens a circuit: every later call fails fast
// with circuit_open, under the code of first.
func Broken(first Failure, wait time.Duration, opts ...Option) Failure {
	f := Fail(CircuitOpen, NotCalled, After(wait), FirstReason.Is(first.Reason().Name()))
	f.d.cause = first.Reason()
	return f.With(By(first.get().dependency), Fingerprint(first.get().fingerprint)).With(opts...)
}

// By names the source that failed.
func By(source string) Option { return optionFunc(func(d *detail) { d.dependency = source }) }

// After says how long to wait before a repetition can succeed.
func After(wait time.Duration) Option {
	return optionFunc(func(d *detail) { d.retryAfter = max(wait, 0) })
}

// Retryable overrides the default of the reason.
func Retryable(yes bool) Option { return optionFunc(func(d *detail) { d.retryable = &yes }) }

// Needs names the capability that is missing, such as tracker.issue:read.
func Needs(capability string) Option {
	return optionFunc(func(d *detail) { d.capability = capability })
}

// Fallback says what can still be done safely, as an instruction.
func Fallback(what string) Option {
	return optionFunc(func(d *detail) { d.fallback = Line(what, 300) })
}

// Fingerprint identifies endpoint, credential identity, scopes and configuration.
func Fingerprint(f string) Option { return optionFunc(func(d *detail) { d.fingerprint = f }) }

// Remembered is the failure as a later call gets it that was not made because of
// it: nothing was called now, and the evidence says when it was found.
func (f Failure) Remembered(found time.Time) Failure {
	d := *f.get()
	d.called = NotCalled
	d.evidence = slices.DeleteFunc(slices.Clone(d.evidence), func(x Fact) bool { return x.name == Attempts.name || x.name == RequestID.name })
	return Failure{&d}.With(FoundAt.Is(found.UTC().Format(time.RFC3339)))
}

// With returns a copy that has these circumstances too.
func (f Failure) With(opts ...Option) Failure {
	d := *f.get()
	d.candidates = append([]Candidate(nil), d.candidates...)
	for _, o := range opts {
		o.apply(&d)
	}
	return Failure{&d}
}

// Within returns a copy that has these circumstances where f has none yet:
// source, operation and capability as the layer above knows them.
func (f Failure) Within(source, operation, capability string) Failure {
	d := *f.get()
	d.dependency = first(d.dependency, source)
	d.operation = first(d.operation, operation)
	d.capability = first(d.capability, capability)
	return Failure{&d}
}

func (f Failure) get() *detail {
	if f.d == nil {
		return &detail{reason: UncaughtServerError}
	}
	return f.d
}

// Reason is why.
func (f Failure) Reason() Reason { return f.get().reason }

// Code is whose move it is.
func (f Failure) Code() Code {
	if d := f.get(); d.reason.Name() == CircuitOpen.Name() && d.cause.row != nil {
		return d.cause.Code()
	}
	return f.get().reason.Code()
}

// Severity says what a dependent chain does next.
func (f Failure) Severity() Severity { return f.get().reason.Severity() }

// Retryable reports whether the same call may succeed later.
func (f Failure) Retryable() bool {
	if d := f.get(); d.retryable != nil {
		return *d.retryable
	}
	return f.get().reason.Retry() != NoRetry
}

// RetryAfter is how long to wait first; zero if that is unknown.
func (f Failure) RetryAfter() time.Duration { return f.get().retryAfter }

// Source names the source that failed, or is empty.
func (f Failure) Source() string { return f.get().dependency }

// Operation is what was being done, such as tracker.search.
func (f Failure) Operation() string { return f.get().operation }

// Capability is the capability that is missing, or is empty.
func (f Failure) Capability() string { return f.get().capability }

// DependencyFingerprint identifies the dependency that failed; never a secret.
func (f Failure) DependencyFingerprint() string { return f.get().fingerprint }

// Fallback is what can still be done safely.
func (f Failure) Fallback() string { return first(f.get().fallback, f.Code().Info().Safe) }

// APICalled says whether the source was called; where nobody said, the stage tells.
func (f Failure) APICalled() APICall {
	d := f.get()
	if d.called != 0 {
		return d.called
	}
	switch d.reason.Stage() {
	case BindRequest, Policy, AuthPreflight, SelectTarget:
		return NotCalled
	case Resolve:
		if d.reason.Code() == CapabilityUnavailable {
			return NotCalled
		}
		return WasCalled
	case Execute, Cleanup:
		return WasCalled
	default:
		return MaybeCalled
	}
}

// Evidence is what proves the failure, as the wire has it; nil if nothing does.
func (f Failure) Evidence() json.RawMessage {
	if len(f.get().evidence) == 0 {
		return nil
	}
	raw, err := encode(f.get().evidence)
	if err != nil {
		return nil
	}
	return raw
}

// Text is the evidence under that name as text, or empty.
func (f Failure) Text(name string) string { return f.get().evidence.text(name) }

// Because completes "Could not check …: ".
func (f Failure) Because() string {
	because := f.fill(f.get().reason.Because())
	others := f.get().argumentNames(func(a Argument) bool { return a.Reason != f.Reason().Name() })
	if others != "" && others != f.Text(Filter.name) { // what was mapped names them already
		because += "; also unusable: " + others
	}
	return because
}

// Action is what would unblock the call: the remedy in the evidence where it is a
// whole sentence, since the reason has no place for one, else what the reason says.
func (f Failure) Action() string {
	action := f.get().reason.Action()
	if own := f.get().evidence.text(Remedy.name); own != "" && !strings.Contains(action, "{"+Remedy.name+"}") {
		return own
	}
	return f.fill(action)
}

// unknown stands where a circumstance was not supplied.
var unknown = map[string]string{
	"source": "the source", "container": "what was asked for", "scope": "the required permission", "reference": "the reference",
	"retry_after": "some", "unblock_url": "the provider", "provider": "the provider", "feature": "this operation",
	"config_key": "its configuration", "problem": "its configuration", "argument_names": "the arguments", "filter": "that was given", "part": "a part",
	"http_status": "error", "error_class": "network", "media_type": "unknown", "missing_key": "a required key",
	"options": "the providers that list_capabilities names", "marker": "two answers differ", "age_seconds": "an unknown number of", "first_reason": "see the log", "check": "unnamed",
	"exit_code": "unknown", "remedy": "a bare token, without quotes, spaces or line ends, where frank.yaml points",
}

// fill replaces the {placeholders} of a text by what f knows.
func (f Failure) fill(text string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '{')
		end := strings.IndexByte(text, '}')
		if open < 0 || end < open {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:open])
		b.WriteString(f.value(text[open+1 : end]))
		text = text[end+1:]
	}
}

func (f Failure) value(name string) string {
	d := f.get()
	v := ""
	switch name {
	case "source":
		v = d.dependency
	case "retry_after":
		if d.retryAfter > 0 {
			v = strconv.Itoa(seconds(d.retryAfter))
		}
	case "argument_names":
		v = d.argumentNames(func(a Argument) bool { return a.Reason == d.reason.Name() })
	case "problem": // a setting, and what is wrong with it where somebody said so
		v = d.evidence.text("config_key")
		if part := d.evidence.text("part"); v != "" && part != "" {
			v += ": " + part
		}
	case "reference":
		v = first(d.evidence.text(name), d.evidence.text("container"))
	default:
		v = d.evidence.text(name)
	}
	return first(v, unknown[name])
}

// argumentNames lists the arguments in the evidence that fit.
func (d *detail) argumentNames(fits func(Argument) bool) string {
	var names []string
	for _, f := range d.evidence {
		if args, ok := f.value.([]Argument); ok {
			for _, a := range args {
				if fits(a) {
					names = append(names, a.Name)
				}
			}
		}
	}
	return strings.Join(names, ", ")
}

// seconds rounds up, so that a caller who waits that long has waited enough.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
