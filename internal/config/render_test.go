package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What is rendered is read as what was meant, whatever the texts look like to YAML.
func TestWhatIsRenderedIsReadAsTheSame(t *testing.T) {
	texts := rapid.OneOf(rapid.StringMatching(`[ -~äß€]{1,12}`), rapid.SampledFrom([]string{"no", "NULL", "1", "1.5", ".5", "0x1f", "a: b", "a #b", "- a", "*", "&a", "?", "[a]", "{a}", `"`, "'", `\`, "@x", "%", "a:", "\t", "~"}))
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string {
			s := texts.Draw(t, label)
			if strings.TrimSpace(s) == "" || secretShape.MatchString(s) {
				return "x"
			}
			return s
		}
		s := Source{Name: "jira", Provider: Jira, BaseURL: "https://acme.example/" + rapid.StringMatching(`[a-z0-9._-]{0,5}x`).Draw(t, "path"), DefaultProject: text("project")}
		s.Auth = rapid.SampledFrom([]Auth{
			{Method: MethodEnv, Env: "NO"}, {Method: MethodCommand, Command: []string{text("program"), text("word")}}, {Method: MethodFile, File: "/" + text("file")},
			{Method: MethodKeyring}, {Method: MethodNone}, {}, PairFor(text("user"), "T"), PairFromEnv("U", "T"),
		}).Draw(t, "auth")
		s.Auth.Source, s.Auth.Provider = s.Name, s.Provider
		s.Insecure = rapid.Bool().Draw(t, "insecure")
		rendered := Render([]Source{s}, s.Insecure)
		c, err := Parse("/frank.yaml", []byte(rendered))
		if err != nil {
			t.Fatalf("%v\n%s", err, rendered)
		}
		got := c.Sources[0]
		got.Line, got.Column = 0, 0
		if s.Auth.Method == MethodFile {
			got.Auth.File, s.Auth.File = "", "" // cleaned as a path
		}
		if diff := cmp.Diff(s, got); diff != "" || c.Writes != s.Insecure {
			t.Fatalf("%s\n%s", diff, rendered)
		}
	})
}

// A root is written as it was given, and has no auth.
func TestALocalSourceIsRenderedWithItsRoot(t *testing.T) {
	want := "# Written by frank init. Secrets do not belong in this file.\nsources:\n  - name: local\n    provider: local\n    root: .\nwrites: false\n"
	if got := Render([]Source{{Name: Local, Provider: Local, Root: ".", Auth: Auth{Method: MethodNone}}}, false); got != want {
		t.Errorf("%s", got)
	}
}

// The providers that can be set up are those that have an address of their own in the
// faults of the file, and each says how its credential is made.
func TestEverySetupIsComplete(t *testing.T) {
	for _, s := range Setups() {
		if !slices.Contains(Providers(), s.Provider) {
			t.Errorf("%s is no provider", s.Provider)
		}
		if s.Provider != Local && (s.Example == "" || s.Project == "" || s.Token == "") {
			t.Errorf("%s: %+v", s.Provider, s)
		}
		if len(s.Passwords) > 0 && (s.User == "" || len(s.Users) == 0) {
			t.Errorf("%s has passwords, but no users", s.Provider)
		}
		if s.Example != "" && !usableURL(s.Provider, s.Example) {
			t.Errorf("%s: %s is refused", s.Provider, s.Example)
		}
	}
}

// The docs name every variable that is looked at.
func TestTheDocsNameEveryVariable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "providers.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := append(tokenNames("github.com"), tokenNames("git.example.org")...)
	for _, s := range Setups() {
		names = append(names, slices.Concat(s.URLs, s.Projects, s.Users, s.Tokens, s.Passwords)...)
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/providers.md does not name %s", name)
		}
	}
}

func TestCompleteURL(t *testing.T) {
	for _, c := range [][3]string{
		{Jira, "acme.atlassian.net", "https://acme.atlassian.net"}, {Jira, "https://acme.atlassian.net/wiki/", "https://acme.atlassian.net"},
		{Confluence, "https://acme.atlassian.net", "https://acme.atlassian.net/wiki"}, {Confluence, "https://docs.example.org/", "https://docs.example.org"},
		{Redmine, "http://127.0.0.1:3000", "http://127.0.0.1:3000"}, {Redmine, "", ""},
	} {
		if got := CompleteURL(c[0], c[1]); got != c[2] {
			t.Errorf("%s %q: %q, not %q", c[0], c[1], got, c[2])
		}
	}
}
