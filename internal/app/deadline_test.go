package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/status"
)

// sluggish is a tracker that answers after a while, whatever becomes of its context.
type sluggish struct {
	connectors.Tracker
	answer func()
	asked  atomic.Int32
}

func (s *sluggish) Search(context.Context, connectors.IssueQuery) status.Result[connectors.Issue] {
	s.asked.Add(1)
	s.answer()
	a := &status.Audit{}
	a.Hold(status.Proof{Request: "GET /slow", At: time.Now()}, status.Transport, status.Shape, status.InBand, status.Identity, status.Scope, status.Completeness, status.Effectiveness)
	return status.List("slow", []connectors.Issue{{Origin: connectors.Origin{Source: "slow", Ref: "SLOW-1"}}}, a)
}

// beside adds a tracker that heeds no context.
func beside(a *app.App, answer func()) *sluggish {
	s := &sluggish{answer: answer}
	a.Deps.Sources = append(a.Deps.Sources, connectors.Source{Name: "slow", Provider: "jira", BaseURL: "https://slow.example", Tracker: s})
	return s
}

const (
	budget = 8 * time.Second // of budgetYAML
	grace  = budget / 20
)

func hang(r *http.Request) error {
	<-r.Context().Done()
	return r.Context().Err()
}

func clocked(f func()) time.Duration {
	start := time.Now() // simulated
	f()
	return time.Since(start)
}

// TestAHangingSourceCostsTheDeadlineAndNotTheAnswer: it says itself that its time is
// over, so that its circuit opens and the next call does not wait.
func TestAHangingSourceCostsTheDeadlineAndNotTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]ticket{"one": tickets(1, 5), "jira": tickets(3), "redmine": tickets(4)}, meets: map[string]func(*http.Request) error{"jira": hang}}
		a := w.frank(t, oneYAML, jiraYAML, redmineYAML)
		var v several
		if took := clocked(func() { v = since(t, a, 20, "") }); took < budget || took > budget+grace {
			t.Errorf("it took %s", took)
		}
		if v.Status != "partial" || v.Code != "SOURCE_UNRELIABLE" || v.Failure.Reason != "timeout" || !v.Failure.Retryable || v.Failure.Called != "maybe" {
			t.Errorf("%s/%s %+v", v.Status, v.Code, v.Failure)
		}
		if v.row("jira") != "access_failure SOURCE_UNRELIABLE 0 timeout" || v.row("one") != "success NONE 2" || v.row("redmine") != "success NONE 1" {
			t.Errorf("%+v", v.Coverage.Sources)
		}
		var next several
		if took := clocked(func() { next = since(t, a, 20, "") }); took > time.Second || next.row("jira") != "access_failure SOURCE_UNRELIABLE 0 circuit_open" {
			t.Errorf("the next call took %s: %+v", took, next.Coverage.Sources)
		}
		delete(w.meets, "jira")
		time.Sleep(2 * time.Minute) // simulated
		if rest := since(t, a, 20, v.Coverage.Next); rest.Status != "success" || !slices.Equal(rest.refs(), []string{"jira:PAY-3"}) {
			t.Errorf("what timed out is asked again with the cursor: %s %v", rest.Summary, rest.refs())
		}
	})
}

// TestASourceThatIgnoresItsEndDoesNotHoldTheAnswer, and when too many questions to it
// have not ended it is not asked.
func TestASourceThatIgnoresItsEndDoesNotHoldTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := (&world{lists: map[string][]ticket{"one": tickets(1, 5)}}).frank(t, oneYAML)
		release := make(chan struct{})
		slow := beside(a, func() { <-release })
		for n := range 10 {
			v := since(t, a, 20, "")
			called := "maybe"
			if n >= 8 {
				called = "no"
			}
			if v.Status != "partial" || v.row("slow") != "access_failure SOURCE_UNRELIABLE 0 timeout" || len(v.Data.Items) != 2 || v.Failure.Called != called || !v.Failure.Retryable {
				t.Errorf("%d: %s/%s %+v %+v", n, v.Status, v.Code, v.Failure, v.Coverage.Sources)
			}
		}
		if asked := slow.asked.Load(); asked != 8 {
			t.Errorf("it was asked %d times", asked)
		}
		close(release)
		synctest.Wait()
		if v := since(t, a, 20, ""); v.Status != "success" || len(v.Data.Items) != 3 {
			t.Errorf("when it works again: %s", v.Summary)
		}
	})
}

// TestAnAnswerAtTheDeadlineCounts: what comes with the deadline, or in the grace that
// follows, is not lost; what comes later is not waited for.
func TestAnAnswerAtTheDeadlineCounts(t *testing.T) {
	for after, want := range map[time.Duration]string{
		budget - time.Millisecond:         "success NONE 1",
		budget:                            "success NONE 1",
		budget + grace - time.Millisecond: "success NONE 1",
		budget + 2*grace:                  "access_failure SOURCE_UNRELIABLE 0 timeout",
	} {
		synctest.Test(t, func(t *testing.T) {
			a := (&world{lists: map[string][]ticket{"one": tickets(1)}}).frank(t, oneYAML)
			beside(a, func() { time.Sleep(after) })
			took := clocked(func() {
				if v := since(t, a, 20, ""); v.row("slow") != want || v.row("one") != "success NONE 1" {
					t.Errorf("after %s: %+v, want %s", after, v.Coverage.Sources, want)
				}
			})
			if took > budget+grace {
				t.Errorf("after %s: it took %s", after, took)
			}
			time.Sleep(budget) // so that nothing is left
		})
	}
}

// TestTheDeadlineComesBeforeTheEndOfTheCall: a budget that is longer than a call may
// last loses no answer that is there.
func TestTheDeadlineComesBeforeTheEndOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]ticket{"one": tickets(1)}, meets: map[string]func(*http.Request) error{"jira": hang}}
		a := w.franked(t, app.Options{Deadline: 3 * time.Second}, oneYAML, jiraYAML)
		took := clocked(func() {
			if v := since(t, a, 20, ""); v.Status != "partial" || v.row("one") != "success NONE 1" || v.row("jira") != "access_failure SOURCE_UNRELIABLE 0 timeout" {
				t.Errorf("%s %+v", v.Summary, v.Coverage.Sources)
			}
		})
		if took >= 3*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

// TestOneSourceAloneHasItsOwnTime: the deadline is one of several sources.
func TestOneSourceAloneHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := (&world{}).frank(t, redmineYAML)
		beside(a, func() { time.Sleep(2 * budget) })
		if v := read(t, a.Call(t.Context(), "tracker_search", json.RawMessage(`{"source":"slow","query":"x"}`))); v.Status != "success" {
			t.Error(v.Summary)
		}
	})
}

// TestACancelledCallStaysCancelled, whether its sources heed it or not.
func TestACancelledCallStaysCancelled(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{meets: map[string]func(*http.Request) error{"one": hang, "jira": hang}}
			a := w.frank(t, oneYAML, jiraYAML)
			release := make(chan struct{})
			defer close(release)
			if deaf {
				beside(a, func() { <-release })
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			took := clocked(func() {
				v := read(t, a.Call(ctx, "tracker_search", json.RawMessage(`{"updated_since":"2025-01-01"}`)))
				if v.Status != "access_failure" || v.Failure.Reason != "cancelled" || v.Failure.Retryable {
					t.Errorf("deaf %t: %s/%s %+v", deaf, v.Status, v.Code, v.Failure)
				}
			})
			if took > 1500*time.Millisecond {
				t.Errorf("deaf %t: it took %s", deaf, took)
			}
		})
	}
}

// TestASourceThatFailsOnTheWayKeepsItsPlace: it is asked again from where it was, on
// the next page or, when all others have ended, alone.
func TestASourceThatFailsOnTheWayKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]ticket{"one": tickets(1, 2, 3, 4, 5, 6), "jira": tickets(11, 12, 13, 14)}, meets: map[string]func(*http.Request) error{}}
		a := w.frank(t, oneYAML, jiraYAML)
		first := since(t, a, 4, "")
		w.meets["jira"] = func(*http.Request) error { return errors.New("down") }
		second := since(t, a, 4, first.Coverage.Next)
		third := since(t, a, 4, second.Coverage.Next)
		if second.Status != "partial" || second.Code != "SOURCE_UNRELIABLE" || len(second.Data.Items) != 2 || len(third.Data.Items) != 2 {
			t.Errorf("%s %s", second.Summary, third.Summary)
		}
		if third.Coverage.Next == "" || !strings.HasSuffix(third.Summary, "next_cursor asks again what failed.") {
			t.Fatalf("nothing leads back to the source that failed: %s", third.Summary)
		}
		if v := since(t, a, 4, third.Coverage.Next); v.Status != "access_failure" || v.Coverage.Next != "" {
			t.Errorf("while it fails: %s, next %q", v.Summary, v.Coverage.Next)
		}
		delete(w.meets, "jira")
		time.Sleep(2 * time.Minute) // simulated
		last := since(t, a, 4, third.Coverage.Next)
		if want := []string{"jira:PAY-12", "jira:PAY-11"}; last.Status != "success" || !slices.Equal(last.refs(), want) {
			t.Errorf("%s %v, want %v", last.Summary, last.refs(), want)
		}
	})
}

// TestThePageAfterOthersIsNeverEmpty even if the one source that is left has nothing:
// it failed when the others showed what they have.
func TestThePageAfterOthersIsNeverEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]ticket{"one": tickets(1)}, meets: map[string]func(*http.Request) error{"redmine": func(*http.Request) error { return errors.New("down") }}}
		a := w.frank(t, oneYAML, redmineYAML)
		first := since(t, a, 20, "")
		delete(w.meets, "redmine")
		time.Sleep(2 * time.Minute) // simulated
		v := since(t, a, 20, first.Coverage.Next)
		if v.Status != "success" || v.row("redmine") != "empty NONE 0" || len(v.Data.Items) != 0 {
			t.Errorf("%s %+v", v.Summary, v.Coverage.Sources)
		}
	})
}

// TestNoCooldownLetsTheNextCallAsk: a cool-down of zero is none, not the default.
func TestNoCooldownLetsTheNextCallAsk(t *testing.T) {
	for _, c := range []struct{ cooldown, reason string }{{"0s", ""}, {"60s", "circuit_open"}} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{lists: map[string][]ticket{"one": tickets(1)}, meets: map[string]func(*http.Request) error{"one": func(*http.Request) error {
				return errors.New("no such host")
			}}}
			w.retry = "retry: {max_attempts: 1, budget: 8s, timeout: 4s, cooldown: " + c.cooldown + "}\n"
			a := w.frank(t, oneYAML)
			if v := since(t, a, 20, ""); v.Failure.Reason != "network_error" {
				t.Fatalf("%s", v.Summary)
			}
			delete(w.meets, "one")
			if v := since(t, a, 20, ""); v.Failure.Reason != c.reason {
				t.Errorf("after a cool-down of %s: %s", c.cooldown, v.Summary)
			}
		})
	}
}
