package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// hours are the numbers from first to last.
func hours(first, last int) (out []int) {
	for h := first; h <= last; h++ {
		out = append(out, h)
	}
	return out
}

// TestAnObjectReachedTwiceIsOneItem that names both ways; of two that differ the one
// is shown that tells more. Another host's object of the same name is another object.
func TestAnObjectReachedTwiceIsOneItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]ticket{"one": tickets(1, 2, 3), "twin": tickets(2, 3, 4), "other": tickets(3)}}
		v := since(t, w.frank(t, oneYAML, twinYAML, otherYAML), 20, "")
		var got []string
		for _, i := range v.Data.Items {
			got = append(got, fmt.Sprint(i.Source, " ", i.Ref[len("acme/app"):], " ", i.AlsoIn))
		}
		want := []string{"twin #4 []", "other #3 []", "twin #3 [one]", "twin #2 [one]", "one #1 []"}
		if v.Status != "success" || !slices.Equal(got, want) {
			t.Errorf("%s %q, want %q", v.Summary, got, want)
		}
		if v.row("one") != "success NONE 1" || v.row("twin") != "success NONE 3" || !strings.HasSuffix(v.Summary, ": 1 from one, 1 from other, 3 from twin.") {
			t.Errorf("%s %+v", v.Summary, v.Coverage.Sources)
		}
	})
}

// TestAnObjectReachedTwiceIsShownOnceInAWalk though the two sources come to it on
// different pages, and though some pages hold nothing else.
func TestAnObjectReachedTwiceIsShownOnceInAWalk(t *testing.T) {
	for name, lists := range map[string]map[string][]ticket{
		"the same":           {"one": tickets(hours(1, 23)...), "twin": tickets(hours(1, 23)...)},
		"one sees the half":  {"one": tickets(hours(1, 40)...), "twin": tickets(hours(1, 20)...)},
		"they overlap":       {"one": tickets(hours(1, 20)...), "twin": tickets(hours(11, 40)...)},
		"they drift":         {"one": tickets(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), "twin": tickets(1, 4, 6, 8, 9, 11, 12, 13, 14)},
		"beside others":      {"one": tickets(hours(1, 12)...), "twin": tickets(hours(4, 15)...), "jira": tickets(hours(1, 9)...)},
		"one sees much more": {"one": tickets(hours(1, 60)...), "twin": tickets(1, 2, 60)},
	} {
		for _, limit := range []int{1, 2, 3, 5, 8, 20, 100} {
			synctest.Test(t, func(t *testing.T) {
				a := (&world{lists: lists}).frank(t, oneYAML, twinYAML, jiraYAML)
				var want, got []string
				for list, rows := range lists {
					for _, x := range rows {
						want = append(want, fmt.Sprint(list == "jira", " ", x.n))
					}
				}
				for _, i := range walk(t, a, limit) {
					got = append(got, fmt.Sprint(i.Source == "jira", " ", i.Ref[strings.LastIndexAny(i.Ref, "#-")+1:]))
				}
				slices.Sort(want)
				slices.Sort(got)
				if want = slices.Compact(want); !slices.Equal(got, want) {
					t.Errorf("%s, limit %d: %v, want %v", name, limit, got, want)
				}
			})
		}
	}
}

// TestAWalkBesideAFailingTwinLosesNothing: what the one shows meanwhile is not shown
// again by the other when it answers.
func TestAWalkBesideAFailingTwinLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := func(*http.Request) error { return http.ErrServerClosed }
		w := &world{lists: map[string][]ticket{"one": tickets(hours(1, 6)...), "twin": tickets(hours(3, 8)...)}, meets: map[string]func(*http.Request) error{"twin": down}}
		a := w.frank(t, oneYAML, twinYAML)
		var got []string
		cursor := ""
		for range 20 {
			v := since(t, a, 4, cursor)
			for _, i := range v.Data.Items {
				got = append(got, i.Ref)
			}
			if cursor = v.Coverage.Next; cursor == "" {
				break
			}
			if len(got) >= 4 && w.meets["twin"] != nil {
				delete(w.meets, "twin")
				time.Sleep(2 * time.Minute) // simulated
			}
		}
		slices.Sort(got)
		if distinct := slices.Compact(slices.Clone(got)); len(got) != 8 || len(distinct) != 8 {
			t.Errorf("%v", got)
		}
	})
}

// TestANamedThingReachedTwiceIsNoTie: two ways to one issue are one issue.
func TestANamedThingReachedTwiceIsNoTie(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]ticket{"one": tickets(5), "twin": tickets(5), "other": tickets(5)}}
		get := json.RawMessage(`{"ref":"acme/app#5"}`)
		v := read(t, w.frank(t, oneYAML, twinYAML).Call(t.Context(), "tracker_get_issue", get))
		if v.Status != "success" || v.Data.Item.Source != "twin" || !slices.Equal(v.Data.Item.AlsoIn, []string{"one"}) {
			t.Errorf("%s %+v", v.Summary, v.Data.Item)
		}
		v = read(t, w.frank(t, oneYAML, twinYAML, otherYAML).Call(t.Context(), "tracker_get_issue", get))
		if v.Status != "access_failure" || v.Failure.Reason != "ambiguous_target" {
			t.Errorf("two hosts: %s", v.Summary)
		}
	})
}

// TestANamedThingIsFoundBesideASourceThatHangs: the answer stands, and says that
// there may be another thing of that name.
func TestANamedThingIsFoundBesideASourceThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]ticket{"one": tickets(5)}, meets: map[string]func(*http.Request) error{"other": hang}}
		a := w.frank(t, oneYAML, otherYAML)
		took := clocked(func() {
			v := read(t, a.Call(t.Context(), "tracker_get_issue", json.RawMessage(`{"ref":"acme/app#5"}`)))
			if v.Status != "partial" || v.Failure.Reason != "timeout" || v.Data.Item.Source != "one" {
				t.Errorf("%s %+v", v.Summary, v.Coverage)
			}
		})
		if took > budget+grace {
			t.Errorf("it took %s", took)
		}
	})
}

// TestAPageSmallerThanTheSourcesSaysWhoWaits: their rows say that there is more, and
// all of them were asked.
func TestAPageSmallerThanTheSourcesSaysWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]ticket{"one": tickets(1), "jira": tickets(3), "redmine": tickets(2)}}
		a := w.frank(t, oneYAML, jiraYAML, redmineYAML)
		v := since(t, a, 2, "")
		if v.Status != "partial" || v.Code != "NONE" || v.row("one") != "partial NONE 0" || v.row("jira") != "success NONE 1" || v.row("redmine") != "success NONE 1" || v.Coverage.Next == "" {
			t.Errorf("%s %+v", v.Summary, v.Coverage.Sources)
		}
		if v = since(t, a, 2, v.Coverage.Next); v.Status != "success" || !slices.Equal(v.refs(), []string{"one:acme/app#1"}) || len(v.Coverage.Sources) != 1 {
			t.Errorf("%s %+v", v.Summary, v.Coverage.Sources)
		}
	})
}

// TestBothWaysToAnItemWaitTogether: if it has no room yet, it is still one item that
// names both ways when its turn comes.
func TestBothWaysToAnItemWaitTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]ticket{"one": tickets(1), "twin": tickets(1), "jira": tickets(3)}}
		a := w.frank(t, oneYAML, twinYAML, jiraYAML)
		v := since(t, a, 1, "")
		if !slices.Equal(v.refs(), []string{"jira:PAY-3"}) || v.row("one") != "partial NONE 0" || v.row("twin") != "partial NONE 0" {
			t.Errorf("%s %+v", v.Summary, v.Coverage.Sources)
		}
		if v = since(t, a, 1, v.Coverage.Next); v.Status != "success" || len(v.Data.Items) != 1 || !slices.Equal(v.Data.Items[0].AlsoIn, []string{"one"}) {
			t.Errorf("%s %+v", v.Summary, v.Data.Items)
		}
	})
}

// TestTheOrderDoesNotDependOnWhoAnswersFirst.
func TestTheOrderDoesNotDependOnWhoAnswersFirst(t *testing.T) {
	lists := map[string][]ticket{"one": tickets(1, 2, 3), "twin": tickets(3, 4), "jira": tickets(1, 2, 3), "redmine": tickets(1, 2, 3)}
	var first []string
	for _, late := range []string{"", "one", "twin", "jira", "redmine"} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{lists: lists, meets: map[string]func(*http.Request) error{late: func(*http.Request) error { time.Sleep(time.Second); return nil }}}
			refs := since(t, w.frank(t, redmineYAML, jiraYAML, twinYAML, oneYAML), 20, "").refs()
			if first == nil {
				first = refs
			}
			if !slices.Equal(refs, first) || len(refs) != 10 {
				t.Errorf("with %q late: %v, else %v", late, refs, first)
			}
		})
	}
}
