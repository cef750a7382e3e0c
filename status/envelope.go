package status

import (
	"encoding/json"
	"slices"
	"time"
)

// Question says what was asked, in words that a summary can repeat.
type Question struct {
	Operation  string // such as tracker.search
	Capability string // such as tracker.issue:read
	One, Many  string // nouns: issue, issues
	Rest       string // completes them: of acme/app matching "foo"
	Filters    []FilterEcho
	Totals     []Tally   // counts over all that the question selects, shown beside the items
	NextCursor string    // the opaque cursor that goes on, over all sources
	Fallback   string    // what can still be done if this fails; empty for the default
	At         time.Time // when it was asked; it dates what nothing else does
	// Continues names the sources that went on from a cursor. What they prove of the
	// rest of a listing says nothing of what came before: it is never empty.
	Continues []string
	// Further: this page follows another one of the same question. Whatever is proved
	// of the sources that it asks, as a whole it is never empty.
	Further bool
	// Done words a change that took effect, in the past tense and in lower case:
	// created issue acme/app#7. One then words the attempt: the creation of an issue.
	Done string
	// Effect is what is known of a change that failed, as the clause before the
	// reason: nothing was changed.
	Effect string
}

// FilterEcho is one filter as it took effect, defaults included.
type FilterEcho struct{ Name, Value string }

// Tally counts equal failures in a span of time.
type Tally struct {
	Code        string    `json:"code"`
	Reason      string    `json:"reason"`
	Source      string    `json:"source,omitempty"`
	Fingerprint string    `json:"fingerprint,omitempty"`
	Count       int       `json:"count"`
	FirstAt     time.Time `json:"first_at"`
	LastAt      time.Time `json:"last_at"`
}

// Envelope is the finished answer of a tool: a verdict, its evidence and the
// data, encoded in the order of the contract. It is immutable; the zero Envelope
// is uncaught_server_error.
type Envelope struct{ e *envelope }

type envelope struct {
	Status   Status          `json:"status"`
	Code     Code            `json:"code"`
	Summary  string          `json:"summary"`
	Failure  *wireFailure    `json:"failure,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
	Coverage *coverage       `json:"coverage,omitempty"`
	Trace    *trace          `json:"trace,omitempty"`

	failure  Failure
	failures []Failure
	named    bool // the question was for one named thing
	items    int
}

type wireFailure struct {
	Stage              Stage       `json:"stage"`
	Reason             string      `json:"reason"`
	Severity           Severity    `json:"severity"`
	Dependency         string      `json:"dependency,omitempty"`
	Operation          string      `json:"operation,omitempty"`
	APICalled          APICall     `json:"api_called"`
	Retryable          bool        `json:"retryable"`
	RetryAfterSeconds  int         `json:"retry_after_seconds,omitempty"`
	RequiredCapability string      `json:"required_capability,omitempty"`
	SafeFallback       string      `json:"safe_fallback,omitempty"`
	OperatorMessage    string      `json:"operator_message,omitempty"`
	Candidates         []Candidate `json:"candidates,omitempty"`
	Fingerprint        string      `json:"dependency_fingerprint,omitempty"`
	Evidence           facts       `json:"evidence,omitempty"`
}

type coverage struct {
	Sources    []sourceRow `json:"sources,omitempty"`
	Filters    facts       `json:"filters,omitempty"`
	Unproven   []string    `json:"unproven,omitempty"`
	Examined   int         `json:"examined,omitempty"`
	NextCursor string      `json:"next_cursor,omitempty"`
}

type sourceRow struct {
	Source   string `json:"source"`
	Status   Status `json:"status"`
	Code     Code   `json:"code"`
	Items    int    `json:"items"`
	AsOf     string `json:"as_of,omitempty"`
	Reason   string `json:"reason,omitempty"`
	ProvedBy facts  `json:"proved_by,omitempty"`
}

// Envelope renders r as the answer to q.
func (r Result[T]) Envelope(q Question) Envelope {
	hs := r.heads()
	items := r.Items()
	single := len(hs) > 0
	for _, h := range hs {
		single = single && h.single
	}
	var data any
	switch {
	case single && len(items) == 1:
		data = struct {
			Item T `json:"item"`
		}{items[0]}
	case len(items) > 0 || anyStatus(hs, Empty, Partial):
		if items == nil {
			items = []T{}
		}
		data = struct {
			Items  []T     `json:"items"`
			Totals []Tally `json:"totals,omitempty"`
		}{items, q.Totals}
	}
	raw, err := encodeData(data)
	if err != nil {
		return Refuse(q, Fail(UncaughtServerError, Part.Is("encoding of the data")))
	}
	return assemble(q, hs, raw, single)
}

// Refuse is the answer to q when it failed before any source was asked.
func Refuse(q Question, f Failure) Envelope {
	f = f.Within("", q.Operation, q.Capability)
	h := head{source: f.Source(), status: AccessFailure, code: f.Code(), failures: []Failure{f}}
	e := assemble(q, []head{h}, nil, true)
	if h.source == "" {
		e.e.Coverage = nil
	}
	return e
}

func encodeData(data any) (json.RawMessage, error) {
	if data == nil {
		return nil, nil
	}
	return encode(data)
}

func anyStatus(hs []head, any ...Status) bool {
	return slices.ContainsFunc(hs, func(h head) bool { return slices.Contains(any, h.status) })
}

func assemble(q Question, hs []head, data json.RawMessage, single bool) Envelope {
	hs = placed(hs, q)
	s, c := verdict(hs)
	if s == Empty && c == None && q.Further {
		s = Success
	}
	if s == Partial && c == None && q.NextCursor == "" { // more pages that nobody can ask for are a cut
		cut := &hs[max(0, slices.IndexFunc(hs, func(h head) bool { return h.status == Partial }))] // an empty row has nothing to go on to
		cut.failures = append(cut.failures, Fail(OwnCap).Within(cut.source, q.Operation, q.Capability))
		c = CapabilityUnavailable
	}
	e := &envelope{Status: s, Code: c, Data: data, Coverage: cover(q, hs), named: q.Many == ""}
	for _, h := range hs {
		e.failures = append(e.failures, h.failures...)
		e.items += h.count
	}
	if c != None {
		e.failure = topFailure(hs, c)
		e.Failure = wire(e.failure)
	}
	e.Summary = summarize(q, hs, s, e.failure, single)
	return Envelope{e}
}

// placed returns the rows as they answer q, with every failure told what was asked.
func placed(hs []head, q Question) []head {
	out := slices.Clone(hs)
	for i, h := range out {
		if h.status == Empty && h.code == None && slices.Contains(q.Continues, h.source) {
			out[i].status, out[i].witness = Success, nil
		}
		out[i].failures = nil
		for _, f := range h.failures {
			f = f.Within(h.source, q.Operation, q.Capability)
			if q.Fallback != "" && f.get().fallback == "" {
				f = f.With(Fallback(q.Fallback))
			}
			out[i].failures = append(out[i].failures, f)
		}
	}
	return out
}

// topFailure is the gravest failure; where a code was mapped, the first one.
func topFailure(hs []head, c Code) Failure {
	var all []Failure
	for _, h := range hs {
		if h.status == Empty && slices.ContainsFunc(hs, func(o head) bool { return o.status != Empty }) {
			continue // an absence that one source proved explains no gap of another
		}
		all = append(all, h.failures...)
	}
	for _, f := range all {
		if f.Code() == c {
			return f
		}
	}
	return mapped(gravest(all))
}

// mapped words what partialOf did: a query that one source could not take is, for
// the whole answer, a filter that did not resolve there.
func mapped(f Failure) Failure {
	if f.Code() != InputMissing {
		return f
	}
	d := *f.get()
	d.evidence = d.evidence.with(FirstReason.Is(d.reason.Name())).with(Filter.Is(first(d.argumentNames(func(Argument) bool { return true }), "of the query")))
	d.reason = FilterUnresolved
	return Failure{&d}
}

func wire(f Failure) *wireFailure {
	d := f.get()
	w := &wireFailure{
		Stage: d.reason.Stage(), Reason: d.reason.Name(), Severity: d.reason.Severity(),
		Dependency: d.dependency, Operation: d.operation, APICalled: f.APICalled(), Retryable: f.Retryable(),
		RequiredCapability: d.capability, SafeFallback: f.Fallback(), OperatorMessage: f.Action(),
		Candidates: d.candidates, Fingerprint: d.fingerprint, Evidence: d.evidence,
	}
	if d.retryAfter > 0 {
		w.RetryAfterSeconds = seconds(d.retryAfter)
	}
	return w
}

func cover(q Question, hs []head) *coverage {
	c := &coverage{NextCursor: q.NextCursor}
	for _, h := range hs {
		row := sourceRow{Source: h.source, Status: h.status, Code: h.code, Items: h.count}
		if h.code != None && len(h.failures) > 0 {
			row.Reason = topFailure([]head{h}, h.code).Reason().Name()
		}
		if at := dated(h.asOf, q.At); !at.IsZero() {
			row.AsOf = at.UTC().Format(time.RFC3339)
		}
		if h.witness != nil && h.status == Empty {
			row.ProvedBy = h.witness.facts()
		}
		c.Sources = append(c.Sources, row)
		c.Examined += h.examined
		for _, u := range h.unproven {
			if !slices.Contains(c.Unproven, u) {
				c.Unproven = append(c.Unproven, u)
			}
		}
	}
	for _, f := range q.Filters {
		c.Filters = c.Filters.with(Fact{f.Name, Line(f.Value, maxFact)})
	}
	return c
}

// dated is the time of the proofs, else that of the question.
func dated(proved, asked time.Time) time.Time {
	if proved.IsZero() {
		return asked
	}
	return proved
}

// facts names, per check, the request that proved it.
func (w Witness) facts() facts {
	var fs facts
	for i, p := range w.proofs {
		if p.Request != "" {
			fs = append(fs, Fact{Check(i).String(), Line(p.Request, 120)})
		}
	}
	return fs
}

func (e Envelope) get() *envelope {
	if e.e == nil {
		return Refuse(Question{One: "what was asked for"}, Fail(UncaughtServerError)).e
	}
	return e.e
}

// Status is what may be concluded.
func (e Envelope) Status() Status { return e.get().Status }

// Code is whose move it is.
func (e Envelope) Code() Code { return e.get().Code }

// Summary is a sentence that a model may repeat as it is.
func (e Envelope) Summary() string { return e.get().Summary }

// Failure is the failure at the top; ok is false for code NONE.
func (e Envelope) Failure() (f Failure, ok bool) { return e.get().failure, e.get().Code != None }

// Failures lists the failures of every source, for the journal.
func (e Envelope) Failures() []Failure { return slices.Clone(e.get().failures) }

// Attempts is how many requests, commands or reads the call tried.
func (e Envelope) Attempts() int {
	if t := e.get().Trace; t != nil {
		return t.Attempts
	}
	return 0
}

// Recovered lists the failures that were overcome on the way.
func (e Envelope) Recovered() []Recovery {
	if t := e.get().Trace; t != nil {
		return slices.Clone(t.Recovered)
	}
	return nil
}

// Answered lists the sources that answered, nothing of theirs having failed.
func (e Envelope) Answered() []string {
	var out []string
	if c := e.get().Coverage; c != nil {
		for _, row := range c.Sources {
			if row.Status != AccessFailure && row.Code == None {
				out = append(out, row.Source)
			}
		}
	}
	return out
}

// IsError is true exactly when the status is access_failure.
func (e Envelope) IsError() bool { return e.get().Status == AccessFailure }

// Traced returns e with what the call collected on its way.
func (e Envelope) Traced(c *Call) Envelope {
	out := *e.get()
	out.Trace = c.trace()
	return Envelope{&out}
}

// Structured is the structured channel: one JSON object in the order of the contract.
func (e Envelope) Structured() (json.RawMessage, error) {
	raw, err := encode(e.get())
	return sealJSON(raw), err
}

// ToolFailure is what _meta["io.modelcontextprotocol/toolFailure"] carries.
type ToolFailure struct {
	Class         string `json:"class"`
	Code          string `json:"code"`
	Retryable     bool   `json:"retryable"`
	CorrelationID string `json:"correlationId,omitempty"`
	AgentGuidance string `json:"agentGuidance"`
}

// ToolFailure describes the failure for hosts that read _meta; ok is false for code NONE.
func (e Envelope) ToolFailure() (tf ToolFailure, ok bool) {
	in := e.get()
	if in.Code == None {
		return ToolFailure{}, false
	}
	info := in.Code.Info()
	tf = ToolFailure{Class: info.Class, Code: info.Name, Retryable: in.failure.Retryable(), AgentGuidance: info.Agent}
	if in.Trace != nil {
		tf.CorrelationID = in.Trace.CallID
	}
	return tf, true
}
