package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/status"
)

// shelf is a tracker that answers a search as it is told.
type shelf struct {
	connectors.Tracker
	search func(connectors.IssueQuery) status.Result[connectors.Issue]
}

func (s shelf) Search(_ context.Context, q connectors.IssueQuery) status.Result[connectors.Issue] {
	return s.search(q)
}

// whole is an audit in which all holds.
func whole() *status.Audit {
	a := &status.Audit{}
	a.Hold(status.Proof{Request: "GET /", At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		status.Transport, status.Shape, status.InBand, status.Identity, status.Scope, status.Completeness, status.Effectiveness)
	return a
}

// shelved is a source with those items, which need no more than a reference.
func shelved(name, provider, base string, items ...connectors.Origin) connectors.Source {
	return connectors.Source{Name: name, Provider: provider, BaseURL: base, Tracker: shelf{search: func(connectors.IssueQuery) status.Result[connectors.Issue] {
		var out []connectors.Issue
		for _, o := range items {
			o.Source = name
			out = append(out, connectors.Issue{Origin: o})
		}
		return status.List(name, out, whole())
	}}}
}

func holding(t *testing.T, sources ...connectors.Source) *app.App {
	t.Helper()
	a := (&world{}).frank(t, redmineYAML)
	a.Deps.Sources = sources
	return a
}

// TestWhichItemsOfTwoSourcesAreOneObject: the same address, or the same reference in
// the same site; never of different sites.
func TestWhichItemsOfTwoSourcesAreOneObject(t *testing.T) {
	at := func(url string) connectors.Origin { return connectors.Origin{Ref: "x", URL: url} }
	for _, c := range []struct {
		what        string
		provider    string
		base, other string
		item, same  connectors.Origin
		joined      bool
	}{
		{"the very address", "jira", "https://a.example", "https://a.example", at("https://a.example/browse/A-1"), at("https://a.example/browse/A-1"), true},
		{"case of the host, port, scheme, slash", "jira", "https://a.example", "https://a.example", at("https://A.example:443/browse/A-1/"), at("http://a.example/browse/A-1"), true},
		{"order of the query", "mediawiki", "https://a.example", "https://a.example", at("https://a.example/w?a=1&b=2"), at("https://a.example/w?b=2&a=1"), true},
		{"by another way to the site", "jira", "https://a.example", "https://api.example/ex/jira/1", at("https://a.example/browse/A-1"), at("https://a.example/browse/A-1"), true},
		{"another query", "mediawiki", "https://a.example", "https://a.example", at("https://a.example/w?id=1"), at("https://a.example/w?id=2"), false},
		{"another section", "confluence", "https://a.example", "https://a.example", at("https://a.example/p#one"), at("https://a.example/p#two"), false},
		{"another comment", "github", "https://a.example", "https://a.example", at("https://a.example/o/r/issues/1#issuecomment-1"), at("https://a.example/o/r/issues/1"), false},
		{"another host", "jira", "https://a.example", "https://b.example", at("https://a.example/browse/A-1"), at("https://b.example/browse/A-1"), false},
		{"another port", "jira", "https://a.example", "https://a.example:8443", at("https://a.example/browse/A-1"), at("https://a.example:8443/browse/A-1"), false},
		{"an escaped slash", "jira", "https://a.example", "https://a.example", at("https://a.example/a%2Fb"), at("https://a.example/a/b"), false},
		{"case of owner and repository", "github", "https://a.example", "https://a.example", at("https://a.example/Acme/App/issues/1"), at("https://a.example/acme/app/issues/1"), true},
		{"case of a file", "github", "https://a.example", "https://a.example", at("https://a.example/acme/app/blob/main/A"), at("https://a.example/acme/app/blob/main/a"), false},
		{"case of a path elsewhere", "redmine", "https://a.example", "https://a.example", at("https://a.example/projects/A"), at("https://a.example/projects/a"), false},
		{"a reference", "jira", "https://a.example/", "https://A.example", connectors.Origin{Ref: "A-1"}, connectors.Origin{Ref: "A-1"}, true},
		{"another reference", "jira", "https://a.example", "https://a.example", connectors.Origin{Ref: "A-1"}, connectors.Origin{Ref: "A-2"}, false},
		{"a reference of another site", "jira", "https://a.example", "https://b.example", connectors.Origin{Ref: "A-1"}, connectors.Origin{Ref: "A-1"}, false},
		{"neither address nor reference", "jira", "https://a.example", "https://a.example", connectors.Origin{Title: "A"}, connectors.Origin{Title: "A"}, false},
	} {
		v := since(t, holding(t, shelved("a", c.provider, c.base, c.item), shelved("b", c.provider, c.other, c.same)), 20, "")
		if joined := len(v.Data.Items) == 1; joined != c.joined || joined && !slices.Equal(v.Data.Items[0].AlsoIn, []string{"b"}) {
			t.Errorf("%s: %+v", c.what, v.Data.Items)
		}
	}
}

// TestWhatOneSourceListsTwiceStaysTwo: two hits in one page are two, also where
// another source of the site has both.
func TestWhatOneSourceListsTwiceStaysTwo(t *testing.T) {
	hit := connectors.Origin{Ref: "x", URL: "https://a.example/p"}
	v := since(t, holding(t, shelved("a", "jira", "https://a.example", hit, hit), shelved("b", "jira", "https://a.example", hit, hit)), 20, "")
	if len(v.Data.Items) != 2 || len(v.Data.Items[1].AlsoIn) != 1 {
		t.Errorf("%+v", v.Data.Items)
	}
}

// TestItemsWithoutATimeTakeTurns after those with one.
func TestItemsWithoutATimeTakeTurns(t *testing.T) {
	refs := func(names string) (out []connectors.Origin) {
		for _, n := range strings.Fields(names) {
			out = append(out, connectors.Origin{Ref: n})
		}
		return out
	}
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	dated := connectors.Origin{Ref: "C1", UpdatedAt: &noon}
	sources := []connectors.Source{
		shelved("c", "jira", "https://c.example", dated, connectors.Origin{Ref: "C2"}),
		shelved("b", "jira", "https://b.example", refs("B1 B2")...),
		shelved("a", "jira", "https://a.example", refs("A1 A2 A3 A4")...),
	}
	want := "c:C1 a:A1 b:B1 a:A2 b:B2 c:C2 a:A3 a:A4"
	for range 2 {
		if v := since(t, holding(t, sources...), 20, ""); strings.Join(v.refs(), " ") != want {
			t.Errorf("%v, want %s", v.refs(), want)
		}
		slices.Reverse(sources)
	}
}

// twoPages is a source with an item on each of two pages, that may deny itself.
func twoPages(name string, deny *bool) connectors.Source {
	return connectors.Source{Name: name, Provider: "jira", BaseURL: "https://" + name + ".example", Tracker: shelf{search: func(q connectors.IssueQuery) status.Result[connectors.Issue] {
		if *deny {
			return status.Failed[connectors.Issue](name, status.Fail(status.ScopeMissing))
		}
		audit, n := whole(), 2
		if q.Cursor == "" {
			audit.Next("second")
			n = 1
		}
		return status.List(name, []connectors.Issue{{Origin: connectors.Origin{Source: name, Ref: fmt.Sprint(n)}}}, audit)
	}}}
}

// TestAPlaceOutlivesADenial: a source that denies its second page is asked for that
// one again, though only a person can help and all others have ended; one that
// denied the first page has no place yet.
func TestAPlaceOutlivesADenial(t *testing.T) {
	never, deny := false, false
	a := holding(t, twoPages("a", &never), twoPages("b", &deny))
	first := since(t, a, 20, "")
	deny = true
	second := since(t, a, 20, first.Coverage.Next)
	if second.Status != "partial" || second.Code != "ACCESS_DENIED" || !slices.Equal(second.refs(), []string{"a:2"}) || second.Coverage.Next == "" {
		t.Errorf("%s %v", second.Summary, second.refs())
	}
	deny = false
	if third := since(t, a, 20, second.Coverage.Next); third.Status != "success" || !slices.Equal(third.refs(), []string{"b:2"}) {
		t.Errorf("%s %v", third.Summary, third.refs())
	}
	deny = true
	if v := since(t, holding(t, shelved("a", "jira", "https://a.example", connectors.Origin{Ref: "1"}), twoPages("b", &deny)), 20, ""); v.Code != "ACCESS_DENIED" || v.Coverage.Next != "" {
		t.Errorf("denied from the start: %s, next %q", v.Summary, v.Coverage.Next)
	}
}

// TestALimitIsDividedAmongTheSourcesThatCanBeAsked: the others divide all of it.
func TestALimitIsDividedAmongTheSourcesThatCanBeAsked(t *testing.T) {
	var mu sync.Mutex
	limits := map[string]int{}
	source := func(name string) connectors.Source {
		return connectors.Source{Name: name, Provider: "jira", BaseURL: "https://" + name + ".example", Tracker: shelf{search: func(q connectors.IssueQuery) status.Result[connectors.Issue] {
			mu.Lock()
			defer mu.Unlock()
			limits[name] = q.Limit
			return status.List[connectors.Issue](name, nil, whole())
		}}}
	}
	broken := source("broken")
	f := status.Fail(status.Misconfigured)
	broken.Broken, broken.Kinds = &f, []connectors.Kind{connectors.KindTracker}
	gate := holding(t, source("a"), broken, source("b"), source("c"))
	since(t, gate, 20, "")
	if fmt.Sprint(limits) != "map[a:7 b:7 c:6]" {
		t.Error(limits)
	}
}

// TestACursorOfASourceThatIsGoneIsRefused: the others' end is not the end of the walk.
func TestACursorOfASourceThatIsGoneIsRefused(t *testing.T) {
	never := false
	both := []connectors.Source{twoPages("a", &never), twoPages("b", &never)}
	cursor := since(t, holding(t, both...), 20, "").Coverage.Next
	if v := since(t, holding(t, both[:1]...), 20, cursor); v.Code != "INPUT_MISSING" || len(v.Data.Items) > 0 {
		t.Errorf("%s %v", v.Summary, v.refs())
	}
	if v := since(t, holding(t, both...), 20, cursor); v.Status != "success" || len(v.Data.Items) != 2 {
		t.Errorf("%s %v", v.Summary, v.refs())
	}
}
