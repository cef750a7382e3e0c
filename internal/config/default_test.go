package config

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRemotes(t *testing.T) {
	for address, want := range map[string]remote{
		"https://github.com/acme/app.git":            {"github.com", "acme/app"},
		"https://github.com/acme/app/":               {"github.com", "acme/app"},
		"https://me:hunter2@www.GitHub.com/acme/app": {"github.com", "acme/app"},
		"git@github.com:acme/app.git":                {"github.com", "acme/app"},
		"github.com:acme/app":                        {"github.com", "acme/app"},
		"git@github.com:/acme/app.git":               {"github.com", "acme/app"},
		"ssh://git@github.com/acme/next.js.git":      {"github.com", "acme/next.js"},
		"ssh://git@ssh.github.com:443/acme/app.git":  {"github.com", "acme/app"},
		"git://github.com/acme/app":                  {"github.com", "acme/app"},
		"git@ghe.corp.org:acme/app.git":              {"ghe.corp.org", "acme/app"},
		"https://ghe.corp.org/acme/app.git":          {"ghe.corp.org", "acme/app"},
		"https://ghe2.corp.org/acme/app.git":         {},
		"https://gitlab.com/acme/app.git":            {},
		"https://github.com.evil.org/acme/app":       {},
		"https://github.com/acme":                    {},
		"https://github.com/acme/app/x":              {},
		"/srv/git/github.com/app.git":                {},
		"../app.git":                                 {},
		"file:///github.com/acme/app":                {},
		"":                                           {},
	} {
		got, ok := parseRemote(address, "ghe.corp.org")
		if got != want || ok != (want != remote{}) {
			t.Errorf("%s: %+v %v", address, got, ok)
		}
	}
}

func TestOriginComesFirst(t *testing.T) {
	list := "fork\tgit@github.com:me/app.git (fetch)\nfork\tgit@github.com:me/app.git (push)\n" +
		"origin\thttps://github.com/acme/app (fetch) [blob:none]\norigin\tx (push)"
	if r, ok := pickRemote(list, ""); !ok || r.project != "acme/app" {
		t.Error(r)
	}
	if r, ok := pickRemote(strings.ReplaceAll(list, "github.com/acme", "gitlab.com/acme"), ""); !ok || r.project != "me/app" {
		t.Error(r)
	}
}

func TestDefaultSources(t *testing.T) {
	git := func(remotes string) func(Command) ([]byte, error) {
		return func(c Command) ([]byte, error) {
			if slices.Contains(c.Args, "rev-parse") {
				return []byte("/src/app\n"), nil
			}
			return []byte("origin\t" + remotes + " (fetch)\n"), nil
		}
	}
	const hub, ghe = "git@github.com:acme/app.git", "git@ghe.corp.org:acme/app.git"
	gh := []string{"gh", "auth", "token", "--hostname", "github.com"}
	for name, c := range map[string]struct {
		git, gh func(Command) ([]byte, error)
		env     map[string]string
		root    string
		base    string
		auth    Auth
	}{
		"no git":          {root: "/src/app/sub"},
		"no checkout":     {git: exits(128), root: "/src/app/sub"},
		"no remote of it": {git: git("https://gitlab.com/acme/app"), root: "/src/app"},
		"anonymous":       {git: git(hub), root: "/src/app", base: "https://api.github.com", auth: Auth{Method: MethodNone}},
		"blank variable": {git: git(hub), env: map[string]string{"GITHUB_TOKEN": " "}, root: "/src/app", base: "https://api.github.com",
			auth: Auth{Method: MethodNone}},
		"first variable": {git: git(hub), env: map[string]string{"GITHUB_TOKEN": "t", "GH_TOKEN": "u"}, gh: prints("v"), root: "/src/app",
			base: "https://api.github.com", auth: Auth{Method: MethodEnv, Env: "GITHUB_TOKEN"}},
		"second variable": {git: git(hub), env: map[string]string{"GITHUB_TOKEN": "", "GH_TOKEN": "u"}, root: "/src/app",
			base: "https://api.github.com", auth: Auth{Method: MethodEnv, Env: "GH_TOKEN"}},
		"gh": {git: git(hub), gh: prints("v"), root: "/src/app", base: "https://api.github.com",
			auth: Auth{Method: MethodCommand, Command: gh, OrAnonymous: true}},
		"enterprise, not named": {git: git(ghe), root: "/src/app"},
		"enterprise never gets the token of github.com": {git: git(ghe), env: map[string]string{"GH_HOST": "ghe.corp.org", "GITHUB_TOKEN": "t"},
			root: "/src/app", base: "https://ghe.corp.org/api/v3", auth: Auth{Method: MethodNone}},
		"enterprise": {git: git(ghe), env: map[string]string{"GH_HOST": "GHE.corp.org", "GH_ENTERPRISE_TOKEN": "t"}, root: "/src/app",
			base: "https://ghe.corp.org/api/v3", auth: Auth{Method: MethodEnv, Env: "GH_ENTERPRISE_TOKEN"}},
		"data residency": {git: git("git@acme.ghe.com:acme/app"), env: map[string]string{"GH_HOST": "acme.ghe.com", "GH_TOKEN": "t"}, root: "/src/app",
			base: "https://api.acme.ghe.com", auth: Auth{Method: MethodEnv, Env: "GH_TOKEN"}},
	} {
		f := &fakeHost{env: c.env, programs: map[string]func(Command) ([]byte, error){"git": c.git, "gh": c.gh}}
		got := Default(t.Context(), DefaultPlace{Dir: "/src/app/sub", Host: f.host()})
		want := []Source{{Name: "local", Provider: Local, Root: filepath.FromSlash(c.root), Auth: Auth{Source: "local", Provider: Local, Method: MethodNone}}}
		if c.base != "" {
			c.auth.Source, c.auth.Provider = "github", GitHub
			want = append(want, Source{Name: "github", Provider: GitHub, BaseURL: c.base, DefaultProject: "acme/app", Auth: c.auth,
				Anonymous: c.auth.Method == MethodNone})
		}
		if diff := cmp.Diff(&Config{Sources: want, Retry: DefaultRetry(), IdempotencyWindow: DefaultIdempotencyWindow}, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestGhWithoutLoginMeansAnonymous: no login is no failure, a hang is.
func TestGhWithoutLoginMeansAnonymous(t *testing.T) {
	a := Auth{Method: MethodCommand, Command: []string{"gh"}, OrAnonymous: true}
	f := &fakeHost{programs: map[string]func(Command) ([]byte, error){"gh": exits(1)}}
	if s, p := a.Resolve(t.Context(), f.host()); p != nil || !s.IsZero() {
		t.Error(p)
	}
	f.programs["gh"] = func(Command) ([]byte, error) { return nil, ErrRun }
	if _, p := a.Resolve(t.Context(), f.host()); p == nil || p.Kind != CommandFailed {
		t.Error(p)
	}
}

// TestLG26_RealGitInAForeignEnvironment needs git; what GIT_DIR names must not
// answer for the working directory.
func TestLG26_RealGitInAForeignEnvironment(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is not installed, and frank needs it")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", "https://me:hunter2@github.com/acme/app.git"}} {
		if _, err := RunProgram(context.Background(), Command{Args: append([]string{"git", "-C", top}, args...), Env: gitEnv(os.Environ())}); err != nil {
			t.Fatal(err)
		}
	}
	host := SystemHost()
	host.LookupEnv = func(string) (string, bool) { return "", false }
	host.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	c := Default(t.Context(), DefaultPlace{Dir: sub, Environ: append(os.Environ(), "GIT_DIR=/nonexistent", "git_work_tree=/"), Host: host})
	if len(c.Sources) != 2 || c.Sources[0].Root != top || c.Sources[1].DefaultProject != "acme/app" || !c.Sources[1].Anonymous {
		t.Errorf("%+v", c.Sources)
	}
}

func TestGitEnvironment(t *testing.T) {
	got := gitEnv([]string{"PATH=/bin", "GIT_DIR=/x", "git_index_file=/y", "LC_ALL=de_DE", "HOME=/h"})
	want := []string{"PATH=/bin", "HOME=/h", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFind(t *testing.T) {
	dir, user := t.TempDir(), t.TempDir()
	put := func(path string) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("writes: true\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	find := func(s Search, want string) {
		t.Helper()
		if got, err := s.Find(); err != nil || got != want {
			t.Errorf("%+v: %q %v; want %q", s, got, err, want)
		}
	}
	find(Search{}, "")
	t.Setenv("FRANK_CONFIG", "e.yaml")
	t.Setenv("XDG_CONFIG_HOME", user)
	if s := SystemSearch("f.yaml"); s.Flag != "f.yaml" || s.Env != "e.yaml" || s.Dir == "" || s.UserDir == "" {
		t.Errorf("%+v", s)
	}
	find(Search{Dir: dir, UserDir: user}, "")
	inUser := put(filepath.Join(user, "frank", FileName))
	find(Search{Dir: dir, UserDir: user}, inUser)
	inDir := put(filepath.Join(dir, FileName))
	find(Search{Dir: dir, UserDir: user}, inDir)
	byEnv := put(filepath.Join(dir, "env.yaml"))
	find(Search{Env: byEnv, Dir: dir, UserDir: user}, byEnv)
	byFlag := put(filepath.Join(dir, "flag.yaml"))
	find(Search{Flag: "flag.yaml", Env: byEnv, Dir: dir}, byFlag)
	var faults Faults
	for _, s := range []Search{{Flag: "nope.yaml", Dir: dir}, {Env: filepath.Join(dir, "nope"), Dir: dir}, {Flag: dir}} {
		if _, err := s.Find(); !errors.As(err, &faults) || len(faults) != 1 {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if c, err := Load(byFlag); err != nil || !c.Writes || c.Path != byFlag {
		t.Errorf("%+v %v", c, err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "nope")} {
		if _, err := Load(path); !errors.As(err, &faults) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestCheckWarns(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tok")
	if err := os.WriteFile(file, []byte("tok"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &Config{Sources: []Source{
		{Name: "fine", Provider: Local, Root: dir},
		{Name: "gone", Provider: Local, Root: filepath.Join(dir, "nope")},
		{Name: "file", Provider: Local, Root: file},
		{Name: "closed", Provider: GitHub, Auth: Auth{Method: MethodFile, File: file}},
	}}
	want := []Warning{
		{"gone", "the root does not exist; create it or correct root"},
		{"file", "the root is not a directory; name the directory it is in"},
	}
	if diff := cmp.Diff(want, c.Check()); diff != "" {
		t.Error(diff)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	want = append(want, Warning{"closed", "the token_file can be read by every account of this machine; run chmod 600 on it"})
	if diff := cmp.Diff(want, c.Check()); diff != "" {
		t.Error(diff)
	}
}
