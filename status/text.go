package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The labels of the report, in its order. The prompt report_failure uses the same.
const (
	LabelFailure   = "Failure"
	LabelAttempted = "Attempted"
	LabelMissing   = "Missing capability"
	LabelCan       = "What I can still do"
	LabelUnblock   = "What would unblock the full task"
)

// maxSubject bounds what a summary repeats of the question, in runes.
const maxSubject = 500

// ReportLabels lists the labels of the five-line report in its order.
func ReportLabels() []string {
	return []string{LabelFailure, LabelAttempted, LabelMissing, LabelCan, LabelUnblock}
}

// Text is the text channel. Its first line is machine-readable, its second is
// the summary; then comes the report if there is a failure, and the data and
// coverage as one line of JSON, so that text alone carries the whole answer and
// nothing that people wrote can start a line of its own.
func (e Envelope) Text() string {
	in := e.get()
	var b strings.Builder
	fmt.Fprintf(&b, "status=%s code=%s retryable=%t\n%s\n", in.Status, in.Code, in.Code != None && in.failure.Retryable(), in.Summary)
	if in.Code != None {
		in.report(&b)
	}
	tail := struct {
		Candidates []Candidate `json:"candidates,omitempty"`
		Evidence   facts       `json:"evidence,omitempty"`
		Data       any         `json:"data,omitempty"`
		Coverage   *coverage   `json:"coverage,omitempty"`
		Trace      *trace      `json:"trace,omitempty"`
	}{Coverage: in.Coverage}
	if in.Data != nil {
		tail.Data = in.Data
	}
	if in.Failure != nil {
		tail.Candidates, tail.Evidence = in.candidates(&b), in.Failure.Evidence
	}
	if in.Failure != nil || in.Trace != nil && (len(in.Trace.Recovered) > 0 || in.Trace.IdempotencyKey != "") {
		tail.Trace = in.Trace
	}
	if line, err := encode(tail); err == nil && len(line) > 2 {
		return sealText(b.String()) + string(sealJSON(line))
	}
	return sealText(strings.TrimRight(b.String(), "\n"))
}

// candidates writes the calls of the candidates, a line each, and returns what is
// left to tell of them.
func (in *envelope) candidates(b *strings.Builder) []Candidate {
	var rest []Candidate
	for i, c := range in.Failure.Candidates {
		if c.Call != nil {
			fmt.Fprintf(b, "Candidate %d: %s\n", i+1, c.Call)
			c.Call = nil
		}
		rest = append(rest, c)
	}
	return rest
}

// report writes the five lines that name the failure and the way out of it.
func (in *envelope) report(b *strings.Builder) {
	f := in.failure
	line := func(label, text string) { fmt.Fprintf(b, "%s: %s\n", label, text) }
	line(LabelFailure, fmt.Sprintf("%s at %s, severity %s: %s", f.Reason(), f.Reason().Stage(), f.Severity(), f.Because()))
	attempted := first(f.Operation(), "the call")
	if f.Source() != "" {
		attempted += " on " + f.Source()
	}
	attempted += fmt.Sprintf(", api_called %s", f.APICalled())
	if in.Trace != nil && in.Trace.Attempts > 0 {
		attempted += fmt.Sprintf(", attempts %d", in.Trace.Attempts)
	}
	if in.Trace != nil && len(in.Trace.CompletedSteps) > 0 {
		attempted += "; done: " + strings.Join(in.Trace.CompletedSteps, ", ")
	}
	line(LabelAttempted, attempted)
	missing := "–"
	if c := f.Code(); c == AccessDenied || c == CapabilityUnavailable {
		missing = first(f.Capability(), missing)
	}
	line(LabelMissing, missing)
	line(LabelCan, f.Fallback())
	unblock := f.Action()
	if s := seconds(f.RetryAfter()); s > 0 && !strings.Contains(unblock, strconv.Itoa(s)+" seconds") {
		unblock += fmt.Sprintf(" Wait %d seconds first.", s)
	}
	line(LabelUnblock, unblock)
}

// summarize words the verdict. Only an empty result speaks of absence.
func summarize(q Question, hs []head, s Status, f Failure, single bool) string {
	many := subject(first(q.Many, q.One, "what was asked for"), q.Rest)
	one := subject(first(q.One, q.Many, "what was asked for"), q.Rest)
	n := 0
	for _, h := range hs {
		n += h.count
	}
	counted := strconv.Itoa(n) + " " + many
	if n == 1 {
		counted = "1 " + one
	}
	further := q.Further || len(q.Continues) > 0
	if further {
		counted = strconv.Itoa(n) + " more " + many
	}
	switch s {
	case Success:
		if single && q.Done != "" {
			done := Line(q.Done, maxSubject)
			return fmt.Sprintf("%s%s in %s.", strings.ToUpper(done[:1]), done[1:], sources(hs))
		}
		if single {
			return fmt.Sprintf("Found %s in %s.", one, sources(hs))
		}
		end := "."
		if further {
			end = "; the list ends here."
		}
		return "Found " + counted + contributed(hs) + end
	case Empty:
		return summarizeEmpty(hs, many, f)
	case Partial:
		if by := shares(hs); by != "" {
			counted += " (" + by + ")"
		}
		return summarizePartial(q, hs, f, [2]string{counted, one}, single)
	default:
		if q.Effect != "" {
			return fmt.Sprintf("Could not check %s: %s; %s.", one, q.Effect, reasonsOf(hs, f))
		}
		if single || q.Many == "" {
			return fmt.Sprintf("Could not check %s: %s.", one, reasonsOf(hs, f))
		}
		return fmt.Sprintf("Could not check %s: %s.", many, reasonsOf(hs, f))
	}
}

func summarizeEmpty(hs []head, many string, f Failure) string {
	opening := "Found nothing" + within(hs)
	if f.d != nil {
		return fmt.Sprintf("%s: %s.", opening, f.Because())
	}
	searched, has := " was", "has"
	if len(hs) > 1 {
		searched, has = " were", "have"
	}
	return fmt.Sprintf("%s: %s%s searched to the end and %s no %s.", opening, sources(hs), searched, has, many)
}

// within says what an absence is proved for, where that is less than everything.
func within(hs []head) string {
	var seen, covered []head
	for _, h := range hs {
		switch {
		case h.bounded:
			seen = append(seen, h)
		case h.covered:
			covered = append(covered, h)
		}
	}
	var parts []string
	switch len(seen) {
	case 0:
	case 1:
		parts = append(parts, "the account of source "+sources(seen)+" can see")
	default:
		parts = append(parts, "the accounts of sources "+sources(seen)+" can see")
	}
	switch len(covered) {
	case 0:
	case 1:
		parts = append(parts, "source "+sources(covered)+" covers")
	default:
		parts = append(parts, "sources "+sources(covered)+" cover")
	}
	if len(parts) == 0 {
		return ""
	}
	return " in what " + strings.Join(parts, " and in what ")
}

func summarizePartial(q Question, hs []head, f Failure, nouns [2]string, single bool) string {
	counted, one := nouns[0], nouns[1]
	switch {
	case single && q.Done != "":
		return fmt.Sprintf("Partial results: %s in %s, but not all as asked; %s.", Line(q.Done, maxSubject), sources(hs), reasonsOf(hs, f))
	case f.d == nil && single:
		return fmt.Sprintf("Partial results: %s is here in part; more of it follows with next_cursor.", one)
	case f.d == nil:
		return fmt.Sprintf("Partial results: %s so far; more follow with next_cursor.", counted)
	case (single || q.Many == "") && !anyItems(hs):
		return fmt.Sprintf("Partial results: %s remains undecided; %s.", one, reasonsOf(hs, f))
	case single && len(whole(hs)) > 0:
		return fmt.Sprintf("Partial results: %s is in %s, but may be in another source, too; %s.", one, sources(whole(hs)), reasonsOf(hs, f))
	case single:
		return fmt.Sprintf("Partial results: %s is here in part; %s.", one, reasonsOf(hs, f))
	case q.NextCursor != "" && !slices.ContainsFunc(hs, head.goesOn):
		return fmt.Sprintf("Partial results: %s seen so far; %s; next_cursor asks again what failed.", counted, reasonsOf(hs, f))
	case q.NextCursor != "":
		return fmt.Sprintf("Partial results: %s seen so far, more follow with next_cursor; %s.", counted, reasonsOf(hs, f))
	default:
		return fmt.Sprintf("Partial results: %s seen so far; %s.", counted, reasonsOf(hs, f))
	}
}

// whole are the sources of a named thing that told all of it; none if one told a part.
func whole(hs []head) []head {
	var out []head
	for _, h := range hs {
		switch {
		case h.count == 0:
		case h.status != Success:
			return nil
		default:
			out = append(out, h)
		}
	}
	return out
}

func anyItems(hs []head) bool {
	for _, h := range hs {
		if h.count > 0 {
			return true
		}
	}
	return false
}

// reasonsOf says why, the gravest first, at most three distinct reasons.
func reasonsOf(hs []head, top Failure) string {
	texts := []string{top.Because()}
	for _, h := range hs {
		if h.status == Empty {
			continue
		}
		for _, f := range h.failures {
			if f.Reason() == Unproven { // coverage.unproven names the check
				continue
			}
			if t := f.Because(); len(texts) < 3 && !contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	return strings.Join(texts, "; ")
}

func contains(texts []string, t string) bool {
	for _, x := range texts {
		if x == t {
			return true
		}
	}
	return false
}

func sources(hs []head) string {
	var names []string
	for _, h := range hs {
		if !contains(names, h.source) && h.status != AccessFailure {
			names = append(names, h.source)
		}
	}
	return first(strings.Join(names, ", "), "the source")
}

// contributed says where items were found: in one source, or how many in which of
// several; sources that were searched too are named beside them.
func contributed(hs []head) string {
	by := shares(hs)
	if by == "" {
		return " in " + sources(hs)
	}
	if slices.ContainsFunc(hs, func(h head) bool { return h.count == 0 }) {
		return " in " + sources(hs) + ": " + by
	}
	return ": " + by
}

// shares counts the items by source where several were asked; empty if one was, or
// none has any.
func shares(hs []head) string {
	if len(hs) < 2 {
		return ""
	}
	var parts []string
	for _, h := range hs {
		if h.count > 0 {
			parts = append(parts, strconv.Itoa(h.count)+" from "+h.source)
		}
	}
	return strings.Join(parts, ", ")
}

func subject(noun, rest string) string { return Line(strings.TrimSpace(noun+" "+rest), maxSubject) }
