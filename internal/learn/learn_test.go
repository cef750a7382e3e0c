package learn_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/learn"
	"github.com/frank-mcp/frank/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPlausibleLinksOtherSpellingsOnly(t *testing.T) {
	for _, c := range []struct {
		said, meant string
		want        bool
	}{
		{"payments", "acme/payments-api", true},
		{"payments", "acme/payments", true},
		{"api payments", "acme/payments-api", true},
		{"Payments_API", "acme/payments-api", true},
		{"acme/payments", "acme/payments-api", true},
		{"acmee/payments", "acmee-inc/payments", false}, // two edits and more
		{"acmme/payments", "acmee/payments", true},
		{"paymnets-api", "acme/payments-api", true},
		{"paymets-api", "acme/payments-api", true},
		{"crash", "crahs", true},
		{"guide 2", "docs/guide-2.md", true},

		{"payments", "acme/billing", false},
		{"payments", "payments/billing", false}, // only the owner has the name
		{"other/payments", "acme/payments-api", false},
		{"acmme/payments", "acme/payments-api", false}, // both parts differ
		{"app", "acme/api", false},                     // too short for an edit
		{"web", "acme/webhooks", false},
		{"guide-1", "docs/guide-2.md", false},
		{"PAY1", "PAY2", false},
		{"release 2025", "docs/release-2026.md", false},
		{"1", "acme/app-1", false},
		{"v2", "acme/app-v2", false},
		{"acme/app", "ACME/App", false}, // the same name
		{"", "acme/app", false},
		{"///", "acme/app", false},
		{"staging", "string", false},
	} {
		if got := learn.Plausible(c.said, c.meant); got != c.want {
			t.Errorf("Plausible(%q, %q) is %t", c.said, c.meant, got)
		}
	}
}

type bench struct {
	*learn.Names
	t    *testing.T
	path string
	now  time.Time
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, path: filepath.Join(t.TempDir(), "journal.db"), now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return b.now }
	s := store.Open(b.path, store.Options{Now: clock})
	t.Cleanup(func() { _ = s.Close() })
	b.Names = learn.Open(s, clock, func(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") })
	return b
}

// see lets one call miss and one find.
func (b *bench) see(said, meant string) {
	b.Missed("s", learn.Miss{Kind: learn.Project, Said: said, Sources: []string{"github"}})
	b.Found(b.t.Context(), "s", learn.Hit{Kind: learn.Project, Name: meant, Source: "github"})
}

func (b *bench) all() []learn.Alias {
	b.t.Helper()
	all, _, err := b.List(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

func TestASuggestionNeedsTheSameKindSourceSessionAndTime(t *testing.T) {
	miss := learn.Miss{Kind: learn.Project, Said: "payments", Sources: []string{"github"}}
	hit := learn.Hit{Kind: learn.Project, Name: "acme/payments-api", Source: "github"}
	for name, c := range map[string]struct {
		session string
		after   time.Duration
		change  func(*learn.Hit)
		want    int
	}{
		"as it should be":           {session: "s", after: 15 * time.Minute, want: 1},
		"too late":                  {session: "s", after: 15*time.Minute + time.Second},
		"another session":           {session: "t"},
		"another kind":              {session: "s", change: func(h *learn.Hit) { h.Kind = learn.Repo }},
		"a source not asked before": {session: "s", change: func(h *learn.Hit) { h.Source = "gitlab" }},
		"an unrelated name":         {session: "s", change: func(h *learn.Hit) { h.Name = "acme/billing" }},
		"the name itself":           {session: "s", change: func(h *learn.Hit) { h.Name = "PAYMENTS" }},
	} {
		t.Run(name, func(t *testing.T) {
			b, h := newBench(t), hit
			b.Missed("s", miss)
			if c.change != nil {
				c.change(&h)
			}
			b.now = b.now.Add(c.after)
			b.Found(t.Context(), c.session, h)
			if _, err := os.Stat(b.path); c.want == 0 && err == nil {
				t.Error("a file was made for nothing")
			}
			if got := b.all(); len(got) != c.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestOneMissExplainsOneHit(t *testing.T) {
	b := newBench(t)
	b.see("payments", "acme/payments-api")
	for range 5 {
		b.Found(t.Context(), "s", learn.Hit{Kind: learn.Project, Name: "acme/payments-api", Source: "github"})
	}
	if got := b.all(); len(got) != 1 || got[0].Seen != 1 || got[0].Waits() != learn.InsufficientRepeatedSuccess {
		t.Errorf("%+v", got)
	}
}

func TestANameThatNoSourceCouldHaveMayBeAnyones(t *testing.T) {
	b := newBench(t)
	b.Missed("s", learn.Miss{Kind: learn.Project, Said: "payments", Sources: []string{""}})
	b.Found(t.Context(), "s", learn.Hit{Kind: learn.Project, Name: "acme/payments-api", Source: "gitlab"})
	if got := b.all(); len(got) != 1 || got[0].Source != "gitlab" {
		t.Errorf("%+v", got)
	}
}

func TestOnlyAPromotedAliasIsUsed(t *testing.T) {
	b := newBench(t)
	meant := func() int {
		b.now = b.now.Add(time.Second)
		return len(b.Meant(t.Context(), learn.Project, "Payments"))
	}
	for range 3 {
		b.see("payments", "acme/payments-api")
		if meant() != 0 {
			t.Fatal("a suggestion is used")
		}
	}
	if _, err := b.Promote(t.Context(), "payments", false); err != nil || meant() != 1 {
		t.Fatalf("%v, %+v", err, b.all())
	}
	if got := b.Meant(t.Context(), learn.Repo, "payments"); len(got) != 0 {
		t.Errorf("another kind: %+v", got)
	}
	for range 3 {
		b.see("payments", "acme/payments-web")
	}
	all := b.all()
	if _, err := b.Promote(t.Context(), all[len(all)-1].ID, false); err != learn.ErrTaken {
		t.Errorf("a second meaning: %v", err)
	}
	if _, err := b.Promote(t.Context(), "payments", false); err != learn.ErrSeveral {
		t.Errorf("a name with two: %v", err)
	}
	if _, err := b.Reject(t.Context(), all[0].ID); err != nil || meant() != 0 {
		t.Errorf("rejected and used: %v", err)
	}
	b.see("payments", all[0].Meant)
	for _, a := range b.all() {
		if a.ID == all[0].ID && (a.State != learn.Rejected || a.Seen != 3) {
			t.Errorf("a rejected one came back: %+v", a)
		}
	}
}

// TestASecretIsNeverLearned: what the scrubber would change is counted and not kept.
func TestASecretIsNeverLearned(t *testing.T) {
	b := newBench(t)
	token := "ghp_" + "Zk4Qm9Xw2Rt7Lp5Vb8Nc3Hd6Js1Fg0Ya4Ue"
	b.see("hunter2", "acme/hunter2-app")
	b.see(token, "acme/"+token)
	b.see("ada@example.com", "acme/ada@example.com")
	all, unscrubbed, err := b.List(t.Context())
	if err != nil || len(all) != 0 || unscrubbed != 3 {
		t.Errorf("%+v, %d, %v", all, unscrubbed, err)
	}
	files, err := filepath.Glob(b.path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"hunter2", strings.ToLower(token), token, "ada@"} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s holds %s", name, secret)
			}
		}
	}
}

func TestWithoutAFileNothingIsKnownOrOpened(t *testing.T) {
	if n := learn.Open(store.Open("", store.Options{}), time.Now, nil); n.Meant(t.Context(), learn.Project, "payments") != nil {
		t.Error("memory knows a name")
	} else {
		n.Missed("s", learn.Miss{Kind: learn.Project, Said: "payments", Sources: []string{""}})
		n.Found(t.Context(), "s", learn.Hit{Kind: learn.Project, Name: "acme/payments-api", Source: "github"})
	}
	b := newBench(t)
	if got := b.Meant(t.Context(), learn.Project, "payments"); got != nil {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(b.path); err == nil {
		t.Error("looking made the file")
	}
}

func TestMissesAreBounded(t *testing.T) {
	b := newBench(t)
	for i := range 300 {
		b.Missed(strings.Repeat("s", i), learn.Miss{Kind: learn.Project, Said: "payments", Sources: []string{"github"}})
	}
	b.Found(t.Context(), strings.Repeat("s", 299), learn.Hit{Kind: learn.Project, Name: "acme/payments-api", Source: "github"})
	if got := b.all(); len(got) != 1 {
		t.Errorf("the last session is forgotten: %+v", got)
	}
}
