package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is found goes by names; a token goes only to the server that it lies beside, and
// in the form that this server takes.
func TestDiscover(t *testing.T) {
	pair := func(user, token string) Auth {
		return Auth{Method: MethodCommand, Command: []string{"sh", "-c", `printf %s:%s "${` + user + `:?}" "${` + token + `:?}"`}}
	}
	env := func(name string) Auth { return Auth{Method: MethodEnv, Env: name} }
	for name, c := range map[string]struct {
		env  map[string]string
		os   string
		want []Source // without local
	}{
		"nothing":                {},
		"a token of GitHub":      {env: map[string]string{"GITHUB_TOKEN": "secret"}, want: []Source{{Provider: GitHub, BaseURL: "https://api.github.com", Auth: env("GITHUB_TOKEN")}}},
		"a token of Enterprise":  {env: map[string]string{"GH_HOST": "git.acme.example", "GITHUB_TOKEN": "secret", "GH_ENTERPRISE_TOKEN": "secret"}, want: []Source{{Provider: GitHub, BaseURL: "https://git.acme.example/api/v3", Auth: env("GH_ENTERPRISE_TOKEN")}}},
		"a token without a site": {env: map[string]string{"JIRA_API_TOKEN": "secret"}},
		"a site of Atlassian's": {
			env: map[string]string{"ATLASSIAN_URL": "https://acme.atlassian.net/", "ATLASSIAN_EMAIL": "ada@acme.example", "ATLASSIAN_API_TOKEN": "secret", "JIRA_PROJECT": "PAY"},
			want: []Source{
				{Provider: Jira, BaseURL: "https://acme.atlassian.net", DefaultProject: "PAY", Auth: pair("ATLASSIAN_EMAIL", "ATLASSIAN_API_TOKEN")},
				{Provider: Confluence, BaseURL: "https://acme.atlassian.net/wiki", Auth: pair("ATLASSIAN_EMAIL", "ATLASSIAN_API_TOKEN")},
			},
		},
		"a pair in one variable": {
			env:  map[string]string{"JIRA_URL": "acme.atlassian.net", "JIRA_EMAIL": "x@acme.example", "JIRA_API_TOKEN": "ada@acme.example:secret"},
			want: []Source{{Provider: Jira, BaseURL: "https://acme.atlassian.net", Auth: env("JIRA_API_TOKEN")}},
		},
		"no e-mail": {
			env:  map[string]string{"JIRA_URL": "acme.atlassian.net", "JIRA_API_TOKEN": "secret"},
			want: []Source{{Provider: Jira, BaseURL: "https://acme.atlassian.net"}},
		},
		"no shell": {
			env: map[string]string{"JIRA_URL": "acme.atlassian.net", "JIRA_EMAIL": "x@acme.example", "JIRA_API_TOKEN": "secret"}, os: "windows",
			want: []Source{{Provider: Jira, BaseURL: "https://acme.atlassian.net"}},
		},
		"a Data Center": {
			env:  map[string]string{"JIRA_URL": "https://jira.acme.example", "JIRA_EMAIL": "x@acme.example", "JIRA_TOKEN": "secret"},
			want: []Source{{Provider: Jira, BaseURL: "https://jira.acme.example", Auth: env("JIRA_TOKEN")}},
		},
		"an address with a password": {env: map[string]string{"REDMINE_URL": "https://ada:secret@redmine.acme.example", "REDMINE_API_KEY": "secret"}},
		"blank":                      {env: map[string]string{"REDMINE_URL": " ", "GITHUB_TOKEN": ""}},
		"Redmine":                    {env: map[string]string{"REDMINE_HOST": "redmine.acme.example", "REDMINE_KEY": "secret"}, want: []Source{{Provider: Redmine, BaseURL: "https://redmine.acme.example", Auth: env("REDMINE_KEY")}}},
		"a bot": {
			env:  map[string]string{"MEDIAWIKI_URL": "https://wiki.acme.example/w/api.php", "MEDIAWIKI_USERNAME": "Ada@bot", "MEDIAWIKI_PASSWORD": "secret"},
			want: []Source{{Provider: MediaWiki, BaseURL: "https://wiki.acme.example/w/api.php", Auth: pair("MEDIAWIKI_USERNAME", "MEDIAWIKI_PASSWORD")}},
		},
	} {
		f := &fakeHost{env: c.env, os: c.os}
		var got []Source
		for _, found := range (DefaultPlace{Dir: "/work", Host: f.host()}).Discover(t.Context()) {
			if strings.Contains(found.Text, "secret") || strings.Contains(strings.Join(found.Source.Auth.Command, " "), "secret") {
				t.Errorf("%s shows the secret: %+v", name, found)
			}
			s := found.Source
			if s.Auth.Method != MethodUnset && (s.Auth.Source != s.Provider || s.Auth.Provider != s.Provider) {
				t.Errorf("%s: %+v", name, s.Auth)
			}
			s.Name, s.Auth.Source, s.Auth.Provider = "", "", ""
			got = append(got, s)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// A login of gh is offered if there is one, by a path that hosts without a shell find.
func TestOffersOfGh(t *testing.T) {
	f := &fakeHost{programs: map[string]func(Command) ([]byte, error){"gh": prints("secret\n")}}
	p := DefaultPlace{Dir: "/work", Host: f.host()}
	p.Host.LookPath = func(string) (string, error) { return "/opt/tools/gh", nil }
	f.programs["/opt/tools/gh"] = f.programs["gh"]
	offers := p.Offers(t.Context(), Source{Name: GitHub, Provider: GitHub, BaseURL: "https://api.github.com"})
	want := []string{"/opt/tools/gh", "auth", "token", "--hostname", "github.com"}
	if len(offers) != 1 || cmp.Diff(want, offers[0].Auth.Command) != "" {
		t.Errorf("%+v", offers)
	}
	if got := startable("/usr/bin/gh"); got != "gh" {
		t.Error(got)
	}
	f.programs["/opt/tools/gh"] = exits(1)
	if offers := p.Offers(t.Context(), Source{Provider: GitHub, BaseURL: "https://api.github.com"}); len(offers) > 0 {
		t.Errorf("no login, but %+v", offers)
	}
}

func TestATokenIsNotOfferedToAnotherServer(t *testing.T) {
	f := &fakeHost{env: map[string]string{"JIRA_URL": "https://jira.acme.example", "JIRA_TOKEN": "secret"}}
	p := DefaultPlace{Dir: "/work", Host: f.host()}
	for address, want := range map[string]int{"https://jira.acme.example/jira": 1, "https://jira.example": 0, "https://acme.atlassian.net": 0} {
		if got := p.Offers(t.Context(), Source{Provider: Jira, BaseURL: address}); len(got) != want {
			t.Errorf("%s: %+v", address, got)
		}
	}
	f.env = map[string]string{"JIRA_URL": "https://jira.acme.example", "ATLASSIAN_URL": "https://acme.atlassian.net", "ATLASSIAN_TOKEN": "secret"}
	for address, want := range map[string]int{"https://jira.acme.example": 0, "https://acme.atlassian.net": 1} {
		if got := p.Offers(t.Context(), Source{Provider: Jira, BaseURL: address}); len(got) != want {
			t.Errorf("%s: %+v", address, got)
		}
	}
	f.env = map[string]string{"JIRA_URL": "https://acme.atlassian.net", "JIRA_TOKEN": "secret"}
	for address, want := range map[string]bool{"https://api.atlassian.com/ex/jira/1": true, "https://atlassian.net.example": false} {
		got := p.Offers(t.Context(), Source{Provider: Jira, BaseURL: address})
		if _, ready := Best(got); len(got) == 1 != want || ready {
			t.Errorf("%s: %+v", address, got)
		}
	}
}

func TestTheKeyringIsAskedOnlyWhereThereIsOne(t *testing.T) {
	f := &fakeHost{os: "linux", programs: map[string]func(Command) ([]byte, error){}}
	p := DefaultPlace{Host: f.host()}
	if _, ok := p.Storing("jira"); ok || p.Stored(t.Context(), "jira") {
		t.Error("a keyring without its program")
	}
	f.programs["secret-tool"] = func(c Command) ([]byte, error) {
		if c.Args[len(c.Args)-1] != "jira" {
			return nil, &ExitError{Code: 1}
		}
		return []byte("secret"), nil
	}
	command, ok := p.Storing("jira")
	if !ok || !p.Stored(t.Context(), "jira") || p.Stored(t.Context(), "other") || strings.Join(command, " ") != "secret-tool store --label=frank-jira service frank source jira" {
		t.Errorf("%v %v", command, ok)
	}
	p.Host.OS = "plan9"
	if _, ok := p.Storing("jira"); ok || p.Stored(t.Context(), "jira") {
		t.Error("a keyring on a system without one")
	}
}

// A pair is put together by a shell, which fails where a half is missing.
func TestPairsComeFromTheShell(t *testing.T) {
	t.Setenv("FRANK_TEST_USER", "ada@acme.example")
	t.Setenv("FRANK_TEST_TOKEN", "s$`ecret")
	for _, a := range []Auth{PairFromEnv("FRANK_TEST_USER", "FRANK_TEST_TOKEN"), PairFor("ada@acme.example", "FRANK_TEST_TOKEN")} {
		if s, problem := a.Resolve(t.Context(), SystemHost()); problem != nil || s.Open() != "ada@acme.example:s$`ecret" {
			t.Errorf("%v", problem)
		}
	}
	t.Setenv("FRANK_TEST_TOKEN", "")
	for _, a := range []Auth{PairFromEnv("FRANK_TEST_USER", "FRANK_TEST_TOKEN"), PairFor("ada@acme.example", "FRANK_TEST_TOKEN")} {
		if _, problem := a.Resolve(t.Context(), SystemHost()); problem == nil || problem.Kind != CommandFailed {
			t.Errorf("%v", problem)
		}
	}
	_, err := RunProgram(t.Context(), Command{Args: PairFor(`$(exit 3)"; exit 4`, "HOME").Command})
	var exit *ExitError
	if errors.As(err, &exit) {
		t.Error("the name of a user is run as a command")
	}
}
