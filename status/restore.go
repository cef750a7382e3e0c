package status

import (
	"bytes"
	"encoding/json"
	"time"
)

// Restore makes the envelope again whose structured channel this was, without the
// trace: what a repetition of a change answers with. Only success and partial can
// be restored, since nothing else is final; ok is false for all else, and for
// bytes that [Envelope.Structured] did not write.
func Restore(raw json.RawMessage) (e Envelope, ok bool) {
	var w struct {
		Status   string          `json:"status"`
		Code     string          `json:"code"`
		Summary  string          `json:"summary"`
		Failure  *storedFailure  `json:"failure"`
		Data     json.RawMessage `json:"data"`
		Coverage *storedCoverage `json:"coverage"`
	}
	if json.Unmarshal(raw, &w) != nil || w.Summary == "" {
		return Envelope{}, false
	}
	s, c := statusNamed(w.Status), codeNamed(w.Code)
	if s != Success && s != Partial || !Legal(s, c) || (c == None) != (w.Failure == nil) {
		return Envelope{}, false
	}
	in := &envelope{Status: s, Code: c, Summary: w.Summary, Data: w.Data}
	if w.Failure != nil {
		f, known := w.Failure.restore()
		if !known || f.Code() != c {
			return Envelope{}, false
		}
		in.failure, in.Failure = f, wire(f)
	}
	if w.Coverage != nil {
		if in.Coverage, ok = w.Coverage.restore(); !ok {
			return Envelope{}, false
		}
	}
	return Envelope{in}, true
}

// Overtaken returns the answer of an earlier call for a repetition of it that comes
// after another change of the same thing, so that the summary is true of now.
func (e Envelope) Overtaken(at time.Time) Envelope {
	out := *e.get()
	out.Summary += " This is the answer of " + at.UTC().Format(time.RFC3339) + "; there has been another change since."
	return Envelope{&out}
}

// Escalated returns e with the id of the escalation that its failure opened.
func (e Envelope) Escalated(id string) Envelope {
	out := *e.get()
	if out.Code == None {
		return e
	}
	out.failure = out.failure.With(EscalationID.Is(id))
	out.Failure = wire(out.failure)
	return Envelope{&out}
}

type storedFailure struct {
	Reason     string          `json:"reason"`
	Dependency string          `json:"dependency"`
	Operation  string          `json:"operation"`
	APICalled  string          `json:"api_called"`
	Retryable  bool            `json:"retryable"`
	RetryAfter int             `json:"retry_after_seconds"`
	Capability string          `json:"required_capability"`
	Fallback   string          `json:"safe_fallback"`
	Candidates []Candidate     `json:"candidates"`
	Print      string          `json:"dependency_fingerprint"`
	Evidence   json.RawMessage `json:"evidence"`
}

func (s storedFailure) restore() (Failure, bool) {
	r, ok := ReasonNamed(s.Reason)
	evidence, read := readFacts(s.Evidence)
	if !ok || !read {
		return Failure{}, false
	}
	f := Fail(r, Retryable(s.Retryable), By(s.Dependency), Needs(s.Capability), Fallback(s.Fallback), Fingerprint(s.Print),
		After(time.Duration(s.RetryAfter)*time.Second), Among(s.Candidates...))
	d := *f.get()
	d.operation, d.evidence = s.Operation, evidence
	for _, called := range []APICall{NotCalled, MaybeCalled, WasCalled} {
		if called.String() == s.APICalled {
			d.called = called
		}
	}
	return Failure{&d}, true
}

type storedCoverage struct {
	Sources []struct {
		Source, Status, Code, Reason string
		Items                        int
		AsOf                         string `json:"as_of"`
	}
	Filters  json.RawMessage
	Unproven []string
	Examined int
}

func (s storedCoverage) restore() (*coverage, bool) {
	filters, ok := readFacts(s.Filters)
	c := &coverage{Filters: filters, Unproven: s.Unproven, Examined: s.Examined}
	for _, r := range s.Sources {
		row := sourceRow{Source: r.Source, Status: statusNamed(r.Status), Code: codeNamed(r.Code), Items: r.Items, AsOf: r.AsOf, Reason: r.Reason}
		ok = ok && Legal(row.Status, row.Code)
		c.Sources = append(c.Sources, row)
	}
	return c, ok
}

// readFacts keeps the order in which the facts were written.
func readFacts(raw json.RawMessage) (facts, bool) {
	var out facts
	if len(raw) == 0 {
		return nil, true
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		t, err := d.Token()
		name, isText := t.(string)
		var value json.RawMessage
		if err != nil || !isText || d.Decode(&value) != nil {
			return nil, false
		}
		var text string
		if json.Unmarshal(value, &text) == nil {
			out = append(out, Fact{name, text})
		} else {
			out = append(out, Fact{name, value})
		}
	}
	return out, true
}

func statusNamed(name string) Status {
	for _, i := range Statuses() {
		if i.Name == name {
			return i.Status
		}
	}
	return 0
}

func codeNamed(name string) Code {
	for _, i := range Codes() {
		if i.Name == name {
			return i.Code
		}
	}
	return 0
}
