package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/internal/learn"
)

// inUse is a secret without a form of its own, which the configuration names.
const inUse = "swordfish-melon"

// secrets draws what must never be stored, whoever writes it, and what of it would
// give it away.
func secrets() *rapid.Generator[[2]string] {
	letters := rapid.RuneFrom([]rune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))
	after := func(prefix string, n int) *rapid.Generator[[2]string] {
		return rapid.Map(rapid.StringOfN(letters, n, n, -1), func(s string) [2]string { return [2]string{prefix + s, s} })
	}
	word := rapid.StringMatching(`[a-z]{8,12}`)
	return rapid.OneOf(
		after("gh"+"p_", 36), after("gl"+"pat-", 20), after("xo"+"xb-", 24), after("s"+"k-", 40), after("lin"+"_api_", 32),
		after("Authorization: Bearer ", 24), after("Cookie: session=", 16), after("Set-Cookie: id=", 12), after("password=", 12),
		rapid.Map(word, func(s string) [2]string { return [2]string{s + "@" + s + ".example.org", s} }),
		rapid.Map(word, func(s string) [2]string { return [2]string{"https://ada:" + s + "pw@host.example/x", s} }),
		rapid.Just([2]string{inUse, inUse}),
	)
}

// feed draws such texts and remembers what must not be found.
type feed struct {
	t    *rapid.T
	find []string
}

// said is a text that somebody wrote, with a secret in it.
func (f *feed) said() string {
	s := secrets().Draw(f.t, "secret")
	f.find = append(f.find, s[1])
	before, after := rapid.SampledFrom([]string{"", "so: ", "(", "\n", "é "}).Draw(f.t, "before"), rapid.SampledFrom([]string{"", " indeed", "\nnext", ")", "?"}).Draw(f.t, "after")
	return before + s[0] + after
}

// body is a secret, or a text for which there is no place at all.
func (f *feed) body() string {
	if rapid.Bool().Draw(f.t, "secret") {
		return f.said()
	}
	word := rapid.StringMatching(`[a-z]{8,12}`).Draw(f.t, "word")
	f.find = append(f.find, word)
	return rapid.SampledFrom([]string{"Dear " + word + ",\n\nyour invoice", `{"title":"` + word + `"}`, "<p>" + word + " ada</p>"}).Draw(f.t, "body")
}

// TestNothingPrivateIsInTheFileOfEscalationsAndNames feeds secrets, cookies and
// addresses into every argument of the tools that store what somebody wrote, into every
// field of what the server adds, and into names; and looks for them in the bytes of the
// file. What is no text of a person holds no body either.
func TestNothingPrivateIsInTheFileOfEscalationsAndNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "private")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		cfg, err := config.Parse("frank.yaml", []byte("sources: [{name: github, provider: github, auth: {token_env: T}}]\npolicy: {deny: [\"tracker.issue:read on **\"]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		host := config.SystemHost()
		host.LookupEnv = func(string) (string, bool) { return inUse, true }
		a, err := app.New(cfg, app.Options{Version: "test", Host: host, Journal: filepath.Join(dir, "journal.db"), Transport: roundTripper(payments)})
		if err != nil {
			t.Fatal(err)
		}
		a.Call(context.Background(), "repo_list", json.RawMessage(`{"what":"branches","repo":"acme/payments-api","source":"github"}`)) // the token is in use
		f := &feed{t: t}
		fill(t, a, f)
		stored := bytesOf(t, dir) // while the log that SQLite writes ahead is there, too
		if err := a.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		stored = append(stored, bytesOf(t, dir)...)
		for _, find := range f.find {
			if i := bytes.Index(stored, []byte(find)); i >= 0 {
				t.Fatalf("the file holds %q: …%q", find, stored[max(0, i-80):i+len(find)])
			}
		}
		if !bytes.Contains(stored, []byte("[redacted]")) && !bytes.Contains(stored, []byte("[secret]")) {
			t.Fatal("nothing was stored")
		}
	})
}

// fill stores something in every table of what people and agents say.
func fill(t *rapid.T, a *app.App, f *feed) {
	ctx := context.Background()
	call := func(tool string, arguments any) {
		raw, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		a.Call(ctx, tool, raw)
	}
	call("escalate", map[string]any{
		"trigger": "ambiguous_intent", "question": "Which? " + f.said(), "context": f.said(), "suggested_next_step": f.said(), "confidence": 1, "attempted": []string{f.said(), f.said()},
	})
	call("tracker_search", map[string]any{"project": f.said(), "query": f.said(), "author": f.said()}) // denied, so it is escalated
	call("tracker_get_issue", map[string]any{"ref": "acme/" + f.said()})
	sure := 0.5
	out, err := a.Deps.Escalations.Open(ctx, escalation.Opening{
		By: escalation.ByServer, Trigger: escalation.RepeatedFailure, Question: f.said(), Context: f.said(), Attempted: []string{f.said()}, NextStep: f.said(), Confidence: &sure,
		Fingerprint: f.body(), Alike: f.body(), Code: f.body(), Source: f.body(),
		Journal: []escalation.Action{{At: time.Now(), Tool: f.body(), Status: f.body(), Code: f.body(), Reason: f.body(), Source: f.body(), CallID: f.body()}},
		Failure: &escalation.Failure{
			CallID: f.body(), TraceID: f.body(), Tool: f.body(), Source: f.body(), Operation: f.body(), Stage: f.body(), Reason: f.body(), Code: f.body(), Fingerprint: f.body(),
			Evidence: json.RawMessage(`{"reference":` + quoted(f.said()) + `,` + quoted(f.said()) + `:[` + quoted(f.said()) + `]}`),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.EndEscalation(ctx, out.ID, app.EscalationAnswer{Outcome: app.EscalationResolved, Note: f.said(), By: f.said()}); err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSpace(f.said())
	a.Deps.Names.Missed("s", learn.Miss{Kind: learn.Project, Said: "payments " + name, Sources: []string{"github"}})
	a.Deps.Names.Found(ctx, "s", learn.Hit{Kind: learn.Project, Name: "acme/payments-" + name, Source: "github"})
	a.Deps.Journal.Note(journal.Call{At: time.Now(), ID: f.body(), Tool: f.body(), Status: f.body(), Code: f.body(), Session: f.body(), Answered: []string{f.body()}})
	if err := a.Deps.Journal.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

func quoted(s string) string {
	raw, _ := json.Marshal(s) // a text always encodes
	return string(raw)
}

func bytesOf(t *rapid.T, dir string) (all []byte) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	return all
}
