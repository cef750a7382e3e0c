package status_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/frank-mcp/frank/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	noon  = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	every = []status.Check{status.Transport, status.Shape, status.InBand, status.Identity, status.Scope, status.Completeness, status.Effectiveness}
	asked = status.Question{
		Operation: "tracker.search", Capability: "tracker.issue:read", One: "issue", Many: "issues", Rest: "of acme/app",
		Filters: []status.FilterEcho{{Name: "state", Value: "all"}}, NextCursor: "next",
	}
)

// proved is an audit in which every check holds.
func proved() *status.Audit {
	a := new(status.Audit)
	a.Hold(status.Proof{Request: "GET /x", At: noon}, every...)
	return a
}

// wire is what a client reads.
type wire struct {
	Status  string
	Code    string
	Summary string
	Failure *struct{ Reason, Stage string }
	Data    struct{ Items []json.RawMessage }
}

func decode(t interface{ Fatal(...any) }, e status.Envelope) wire {
	raw, err := e.Structured()
	var w wire
	if err != nil || json.Unmarshal(raw, &w) != nil {
		t.Fatal("the structured channel is not JSON:", string(raw), err)
	}
	return w
}

func TestZeroValuesAreFailures(t *testing.T) {
	for name, e := range map[string]status.Envelope{
		"envelope":        {},
		"result":          status.Result[int]{}.Envelope(asked),
		"merge":           status.Merge[int]().Envelope(asked),
		"merge of zeros":  status.Merge(status.Result[int]{}, status.Result[int]{}).Envelope(asked),
		"map of zero":     status.Map(status.Result[int]{}, func(int) string { return "" }).Envelope(asked),
		"select of zero":  status.Select(status.Result[int]{}, func(int) bool { return true }).Envelope(asked),
		"failure of zero": status.Refuse(asked, status.Failure{}),
		"failed by zero":  status.Failed[int]("github", status.Failure{}).Envelope(asked),
		"zero reason":     status.Refuse(asked, status.Fail(status.Reason{})),
	} {
		w := decode(t, e)
		if w.Status != "access_failure" || w.Code != "SOURCE_UNRELIABLE" || w.Failure == nil || w.Failure.Reason != "uncaught_server_error" || !e.IsError() {
			t.Errorf("%s encodes as %s/%s %+v", name, w.Status, w.Code, w.Failure)
		}
	}
}

func TestEachMissingCheckKeepsAnAnswerFromBeingEmptyOrSuccess(t *testing.T) {
	for _, left := range every {
		for items := range 2 {
			a := new(status.Audit)
			for _, c := range every {
				if c != left {
					a.Hold(status.Proof{Request: "GET /x", At: noon}, c)
				}
			}
			s, c := status.List("github", make([]int, items), a).Verdict()
			if s != status.Partial || c != status.SourceUnreliable {
				t.Errorf("without %s and with %d items the verdict is %s/%s", left, items, s, c)
			}
		}
	}
	if s, c := status.List("github", []int{}, proved()).Verdict(); s != status.Empty || c != status.None {
		t.Errorf("with every check the verdict is %s/%s", s, c)
	}
}

func TestANamedThingIsSuccessOnlyIfItsReadingWasProved(t *testing.T) {
	for _, left := range []status.Check{status.Transport, status.Shape, status.InBand, status.Identity, status.Completeness} {
		a := new(status.Audit)
		for _, c := range every {
			if c != left {
				a.Hold(status.Proof{Request: "GET /x", At: noon}, c)
			}
		}
		if s, c := status.One("github", 1, a).Verdict(); s != status.Partial || c != status.SourceUnreliable {
			t.Errorf("without %s the verdict is %s/%s", left, s, c)
		}
	}
}

func TestEachFailedCheckKeepsAnAnswerFromBeingEmpty(t *testing.T) {
	for _, bad := range every {
		a := proved()
		a.Fail(bad, status.Fail(status.RowsHidden))
		want := status.Partial
		if bad == status.Transport || bad == status.Shape || bad == status.Identity {
			want = status.AccessFailure
		}
		if s, c := status.List("github", []int{}, a).Verdict(); s != want || c != status.AccessDenied {
			t.Errorf("with %s failed the verdict is %s/%s", bad, s, c)
		}
	}
}

func TestAbsenceOfANamedThingNeedsIdentityAndContainer(t *testing.T) {
	for _, left := range []status.Check{status.Transport, status.Identity, status.Scope} {
		a := new(status.Audit)
		for _, c := range every {
			if c != left {
				a.Hold(status.Proof{Request: "GET /x", At: noon}, c)
			}
		}
		e := status.Absent[int]("github", a, status.Reference.Is("acme/app#9")).Envelope(asked)
		if f, _ := e.Failure(); e.Status() != status.AccessFailure || e.Code() != status.ReferenceUnresolved || f.Text("existence") != status.ExistenceUnknown {
			t.Errorf("without %s: %s/%s", left, e.Status(), e.Code())
		}
	}
	gap := proved()
	gap.Unmade(status.Scope, status.Fail(status.Timeout))
	if s, c := status.Absent[int]("github", gap).Verdict(); s != status.AccessFailure || c != status.SourceUnreliable {
		t.Errorf("with the container unproved: %s/%s", s, c)
	}
	e := status.Absent[int]("github", proved(), status.Reference.Is("acme/app#9")).Envelope(asked)
	if e.Status() != status.Empty || e.Code() != status.ReferenceUnresolved {
		t.Errorf("proved: %s/%s", e.Status(), e.Code())
	}
}

func TestMorePagesWithoutACursorAreACut(t *testing.T) {
	a := proved()
	a.Next("page 2")
	r := status.List("github", []int{1}, a)
	if e := r.Envelope(asked); e.Status() != status.Partial || e.Code() != status.None {
		t.Errorf("with a cursor: %s/%s", e.Status(), e.Code())
	}
	q := asked
	q.NextCursor = ""
	if e := r.Envelope(q); e.Status() != status.Partial || e.Code() != status.CapabilityUnavailable {
		t.Errorf("without a cursor: %s/%s", e.Status(), e.Code())
	}
}

func TestTheRestOfAListingIsNeverEmpty(t *testing.T) {
	q := asked
	q.NextCursor, q.Continues = "", []string{"a"}
	e := status.List("a", []int{}, proved()).Envelope(q)
	if e.Status() != status.Success || e.Code() != status.None || !strings.Contains(e.Summary(), "0 more issues") {
		t.Errorf("the end of a listing: %s/%s %q", e.Status(), e.Code(), e.Summary())
	}
	if e := status.List("b", []int{}, proved()).Envelope(q); e.Status() != status.Empty {
		t.Errorf("a source that starts: %s", e.Status())
	}
}

func TestSelectTurnsOnlyAProvedListingEmpty(t *testing.T) {
	none := func(int) bool { return false }
	if s, _ := status.Select(status.List("a", []int{1}, proved()), none).Verdict(); s != status.Empty {
		t.Errorf("of a complete listing: %s", s)
	}
	cut := proved()
	cut.Fail(status.Completeness, status.Fail(status.ProviderCap))
	if s, _ := status.Select(status.List("a", []int{1}, cut), none).Verdict(); s != status.Partial {
		t.Errorf("of a cut listing: %s", s)
	}
	if s, _ := status.Select(status.One("a", 1, proved()), none).Verdict(); s != status.AccessFailure {
		t.Errorf("of a named thing: %s", s)
	}
}

func TestWithholdIsNeverSilent(t *testing.T) {
	denied := status.Fail(status.PolicyDenied)
	odd := func(n int) (int, int, bool) { return n, 0, n%2 == 1 }
	s, c := status.Withhold(status.List("a", []int{1, 2}, proved()), odd, denied).Verdict()
	if s != status.Partial || c != status.AccessDenied {
		t.Errorf("some withheld: %s/%s", s, c)
	}
	if s, c = status.Withhold(status.List("a", []int{2}, proved()), odd, denied).Verdict(); s != status.Partial || c != status.AccessDenied {
		t.Errorf("all withheld: %s/%s", s, c)
	}
	if s, c = status.Withhold(status.One("a", 2, proved()), odd, denied).Verdict(); s != status.AccessFailure || c != status.AccessDenied {
		t.Errorf("named thing withheld: %s/%s", s, c)
	}
	cut := func(n int) (int, int, bool) { return n, 2, true }
	if s, c = status.Withhold(status.One("a", 1, proved()), cut, denied).Verdict(); s != status.Partial || c != status.AccessDenied {
		t.Errorf("parts of a named thing withheld: %s/%s", s, c)
	}
}

// anyResult draws the answer of one source, of any kind that a connector can build.
func anyResult(t *rapid.T) status.Result[int] {
	source := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "source")
	reason := rapid.SampledFrom(status.Reasons()).Draw(t, "reason")
	if rapid.IntRange(0, 3).Draw(t, "failed") == 0 {
		return status.Failed[int](source, status.Fail(reason))
	}
	a := new(status.Audit)
	clean := rapid.Bool().Draw(t, "clean")
	for _, c := range every {
		if clean {
			a.Hold(status.Proof{Request: "GET /x", At: noon}, c)
			continue
		}
		switch rapid.IntRange(0, 9).Draw(t, "check") {
		case 0:
		case 1:
			a.Fail(c, status.Fail(reason))
		case 2:
			a.Unmade(c, status.Fail(reason))
		default:
			a.Hold(status.Proof{Request: "GET /x", At: noon}, c)
		}
	}
	if rapid.Bool().Draw(t, "more") {
		a.Next("c")
	}
	items := make([]int, rapid.IntRange(0, 2).Draw(t, "items"))
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		return status.One(source, 1, a)
	case 1:
		return status.Absent[int](source, a)
	default:
		return status.List(source, items, a)
	}
}

func same(t *rapid.T, law string, x, y status.Result[int]) {
	xs, err1 := x.Envelope(asked).Structured()
	ys, err2 := y.Envelope(asked).Structured()
	if err1 != nil || err2 != nil || string(xs) != string(ys) {
		t.Fatalf("%s:\n%s\n%s", law, xs, ys)
	}
}

func TestMergeIsAssociativeCommutativeAndIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyResult(t), anyResult(t), anyResult(t)
		same(t, "associative", status.Merge(a, status.Merge(b, c)), status.Merge(status.Merge(a, b), c))
		same(t, "commutative", status.Merge(a, b), status.Merge(b, a))
		same(t, "idempotent", status.Merge(a, a), status.Merge(a))
		same(t, "idempotent over a union", status.Merge(a, b, a), status.Merge(a, b))
	})
}

func TestMergeNeverTurnsNotCheckedIntoNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []status.Result[int]
		for range rapid.IntRange(1, 4).Draw(t, "n") {
			parts = append(parts, anyResult(t))
		}
		whole, _ := status.Merge(parts...).Verdict()
		var each []status.Status
		for _, p := range parts {
			s, _ := p.Verdict()
			each = append(each, s)
		}
		all := func(s status.Status) bool {
			return !slices.ContainsFunc(each, func(x status.Status) bool { return x != s })
		}
		if (whole == status.Empty) != all(status.Empty) {
			t.Fatalf("%v merged to %s", each, whole)
		}
		if (whole == status.AccessFailure) != all(status.AccessFailure) {
			t.Fatalf("%v merged to %s", each, whole)
		}
		if whole == status.Success && (slices.Contains(each, status.Partial) || slices.Contains(each, status.AccessFailure)) {
			t.Fatalf("%v merged to success", each)
		}
	})
}

func TestEveryEnvelopeIsLegalAndWordedByItsStatus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyResult(t)
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			r = status.Merge(r, anyResult(t))
		}
		q := asked
		if rapid.Bool().Draw(t, "no cursor") {
			q.NextCursor = ""
		}
		checkEnvelope(t, r.Envelope(q))
	})
}

func checkEnvelope(t *rapid.T, e status.Envelope) {
	w := decode(t, e)
	if !status.Legal(e.Status(), e.Code()) {
		t.Fatalf("illegal pair %s/%s", w.Status, w.Code)
	}
	if (w.Code != "NONE") != (w.Failure != nil) {
		t.Fatalf("code %s with failure %v", w.Code, w.Failure)
	}
	if f, ok := e.Failure(); ok && f.Code() != e.Code() {
		t.Fatalf("the failure at the top is %s, of code %s, under code %s", f.Reason(), f.Code(), e.Code())
	}
	if e.IsError() != (w.Status == "access_failure") {
		t.Fatalf("isError %v for %s", e.IsError(), w.Status)
	}
	if !strings.HasPrefix(w.Summary, e.Status().Info().Say) {
		t.Fatalf("%s is summarized as %q", w.Status, w.Summary)
	}
	if e.Status() != status.Empty && strings.HasPrefix(w.Summary, "Found nothing") {
		t.Fatalf("%s speaks of absence: %q", w.Status, w.Summary)
	}
	lines := strings.Split(e.Text(), "\n")
	f, failed := e.Failure()
	if want := fmt.Sprintf("status=%s code=%s retryable=%t", w.Status, w.Code, failed && f.Retryable()); lines[0] != want || lines[1] != w.Summary {
		t.Fatalf("the text opens with %q, %q", lines[0], lines[1])
	}
	if failed && len(lines) < 7 {
		t.Fatalf("the text of a failure has no report:\n%s", e.Text())
	}
}

func TestAnAbsenceNamesWhatItIsProvedFor(t *testing.T) {
	empty := func(source string, note func(*status.Audit)) status.Result[int] {
		a := proved()
		note(a)
		return status.List[int](source, nil, a)
	}
	seen := empty("jira", func(a *status.Audit) { a.Unprovable("rows_hidden") })
	covered := empty("here", func(a *status.Audit) { a.Uncovered("ignored_files") })
	whole := empty("all", func(*status.Audit) {})
	for want, r := range map[string]status.Result[int]{
		"Found nothing: all was": whole,
		"Found nothing in what the account of source jira can see: jira was":                                                                             seen,
		"Found nothing in what source here covers: here was":                                                                                             covered,
		"Found nothing in what the account of source jira can see and in what source here covers: all, here, jira were searched to the end and have no ": status.Merge(whole, covered, seen),
		"Found nothing in what the accounts of sources jira, red can see: jira, red were searched to the end and have no ":                               status.Merge(seen, empty("red", func(a *status.Audit) { a.Unprovable("rows_hidden") })),
		"Found nothing in what the account of source both can see: both was": empty("both", func(a *status.Audit) {
			a.Uncovered("ignored_files")
			a.Unprovable("rows_hidden")
		}),
	} {
		if e := r.Envelope(asked); !strings.HasPrefix(e.Summary(), want) {
			t.Errorf("%q, want %q", e.Summary(), want)
		}
	}
}
