package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeHost answers from maps; a program that is not in programs is not there.
type fakeHost struct {
	env      map[string]string
	programs map[string]func(Command) ([]byte, error)
	now      time.Time
	os       string
}

func (f *fakeHost) host() Host {
	return Host{
		LookupEnv: func(k string) (string, bool) { v, ok := f.env[k]; return v, ok },
		LookPath: func(p string) (string, error) {
			if f.programs[p] == nil {
				return "", ErrNoProgram
			}
			return p, nil
		},
		Run: func(ctx context.Context, c Command) ([]byte, error) {
			if ctx.Err() != nil {
				return nil, ErrRun
			}
			if p := f.programs[c.Args[0]]; p != nil {
				return p(c)
			}
			return nil, ErrNoProgram
		},
		Now: func() time.Time { return f.now },
		OS:  f.os,
	}
}

func prints(s string) func(Command) ([]byte, error) {
	return func(Command) ([]byte, error) { return []byte(s), nil }
}

func exits(code int) func(Command) ([]byte, error) {
	return func(Command) ([]byte, error) { return nil, &ExitError{Code: code} }
}

// TestHT16_MangledCredentials checks every way in with every bad value.
func TestHT16_MangledCredentials(t *testing.T) {
	for value, want := range map[string]ProblemKind{
		"":                        Blank,
		"  ":                      Blank,
		"hunter2 hunter2":         Mangled,
		"hunter2\nhunter2":        Mangled,
		"hunter2\r":               Mangled,
		`"hunter2"`:               Mangled,
		"'hunter2'":               Mangled,
		"“hunter2”":               Mangled,
		"${hunter2}":              Mangled,
		"$(hunter2)":              Mangled,
		"Bearer hunter2":          Mangled,
		"token hunter2":           Mangled,
		"hunter2\u200b":           Mangled,
		"hunter2\x00":             Mangled,
		strings.Repeat("x", 9000): Mangled,
		"hunter2":                 0,
		"me@example.org:hunter2":  0,
		"User@bot:hunter2-hun+/=": 0,
	} {
		f := &fakeHost{env: map[string]string{"T": value}}
		secret, problem := Auth{Method: MethodEnv, Env: "T", Source: "s"}.Resolve(t.Context(), f.host())
		switch {
		case want == 0 && (problem != nil || secret.Open() != value):
			t.Errorf("%q refused: %+v", value, problem)
		case want != 0 && (problem == nil || problem.Kind != want || !secret.IsZero()):
			t.Errorf("%q: %+v, want %v", value, problem, want)
		case problem != nil && (strings.Contains(problem.Text, "hunter2") || problem.Source != "s" || problem.Method != MethodEnv):
			t.Errorf("%q: %+v", value, problem)
		}
	}
}

func writeFile(t *testing.T, path, data string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWaysToACredential(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string { return writeFile(t, filepath.Join(dir, name), data) }
	command := func(name string) Auth {
		return Auth{Method: MethodCommand, Command: []string{name, "--secret=hunter2"}}
	}
	file := func(path string) Auth { return Auth{Method: MethodFile, File: path} }
	keyring := Auth{Method: MethodKeyring, Source: "jira"}
	f := func(goos string, lookup func(Command) ([]byte, error)) *fakeHost {
		return &fakeHost{os: goos, programs: map[string]func(Command) ([]byte, error){
			"good": prints("  tok \nmore\n"), "empty": prints("\n"), "fail": exits(4), "secret-tool": lookup, "security": lookup,
			"hang": func(Command) ([]byte, error) { return nil, ErrRun },
		}}
	}
	for name, c := range map[string]struct {
		auth Auth
		host *fakeHost
		want string
		kind ProblemKind
	}{
		"no auth":            {Auth{}, f("", nil), "", Missing},
		"none":               {Auth{Method: MethodNone}, f("", nil), "", 0},
		"unset variable":     {Auth{Method: MethodEnv, Env: "T"}, f("", nil), "", Missing},
		"command":            {command("good"), f("", nil), "tok", 0},
		"silent command":     {command("empty"), f("", nil), "", Blank},
		"failing command":    {command("fail"), f("", nil), "", CommandFailed},
		"absent command":     {command("nope"), f("", nil), "", CommandFailed},
		"hanging command":    {command("hang"), f("", nil), "", CommandFailed},
		"command of nothing": {Auth{Method: MethodCommand}, f("", nil), "", Missing},
		"file":               {file(write("a", "tok\n")), f("", nil), "tok", 0},
		"file with CRLF":     {file(write("b", "tok\r\n")), f("", nil), "tok", 0},
		"file of two lines":  {file(write("c", "tok\n\n")), f("", nil), "", Mangled},
		"empty file":         {file(write("d", "")), f("", nil), "", Blank},
		"big file":           {file(write("e", strings.Repeat("x", fileLimit+1))), f("", nil), "", FileUnreadable},
		"absent file":        {file(filepath.Join(dir, "nope")), f("", nil), "", FileUnreadable},
		"directory":          {file(dir), f("", nil), "", FileUnreadable},
		"keyring":            {keyring, f("linux", prints("tok\n")), "tok", 0},
		"keychain":           {keyring, f("darwin", prints("tok\n")), "tok", 0},
		"nothing in it":      {keyring, f("linux", exits(1)), "", Missing},
		"nothing in chain":   {keyring, f("darwin", exits(44)), "", Missing},
		"locked chain":       {keyring, f("darwin", exits(36)), "", KeyringUnavailable},
		"no tool":            {keyring, f("linux", nil), "", KeyringUnavailable},
		"other system":       {keyring, f("plan9", nil), "", KeyringUnavailable},
	} {
		secret, problem := c.auth.Resolve(t.Context(), c.host.host())
		kind := ProblemKind(0)
		if problem != nil {
			kind = problem.Kind
			if strings.Contains(problem.Text, "hunter2") || problem.Text == "" {
				t.Errorf("%s: text %q", name, problem.Text)
			}
		}
		if secret.Open() != c.want || kind != c.kind {
			t.Errorf("%s: %q %v, want %q %v", name, secret.Open(), kind, c.want, c.kind)
		}
	}
}

func TestKeyringIsAskedForServiceAndSource(t *testing.T) {
	var asked []string
	f := &fakeHost{os: "linux", programs: map[string]func(Command) ([]byte, error){
		"secret-tool": func(c Command) ([]byte, error) { asked = c.Args; return []byte("tok"), nil }}}
	Auth{Method: MethodKeyring, Source: "jira"}.Resolve(t.Context(), f.host())
	if got := strings.Join(asked, " "); got != "secret-tool lookup service frank source jira" {
		t.Error(got)
	}
}

func TestRealPrograms(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(ctx context.Context, mode string) ([]byte, error) {
		return RunProgram(ctx, Command{Args: []string{self}, Env: append(os.Environ(), "FRANK_TEST_PROGRAM="+mode)})
	}
	if out, err := run(t.Context(), "print"); err != nil || string(out) != "  tok-123  \nsecond line\n" {
		t.Errorf("print: %q %v", out, err)
	}
	if out, err := run(t.Context(), "flood"); err != nil || len(out) != 64<<10 {
		t.Errorf("flood: %d %v", len(out), err)
	}
	_, err = run(t.Context(), "fail")
	if exit, ok := err.(*ExitError); !ok || exit.Code != 7 {
		t.Errorf("fail: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := run(ctx, "hang"); err != ErrRun {
		t.Errorf("hang: %v", err)
	}
	for _, args := range [][]string{nil, {filepath.Join(t.TempDir(), "nope")}, {"frank-no-such-program"}} {
		if _, err := RunProgram(t.Context(), Command{Args: args}); err != ErrNoProgram {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestCredentialIsKeptAndRefreshed(t *testing.T) {
	runs, fail := 0, false
	f := &fakeHost{now: time.Unix(1000, 0), programs: map[string]func(Command) ([]byte, error){"p": func(Command) ([]byte, error) {
		runs++
		if fail {
			return nil, &ExitError{Code: 1}
		}
		return []byte("tok" + strings.Repeat("x", runs)), nil
	}}}
	c := NewCredential(Auth{Method: MethodCommand, Command: []string{"p"}}, f.host())
	step := func(do func(context.Context) (Secret, *Problem), want string, wantRuns int) {
		t.Helper()
		s, p := do(t.Context())
		if s.Open() != want || (p == nil) != (want != "") || runs != wantRuns {
			t.Errorf("%q %+v after %d runs; want %q after %d", s.Open(), p, runs, want, wantRuns)
		}
	}
	step(c.Resolve, "tokx", 1)
	step(c.Resolve, "tokx", 1)
	step(c.Refresh, "tokxx", 2)
	step(c.Resolve, "tokxx", 2)
	fail = true
	step(c.Refresh, "", 3)
	step(c.Resolve, "", 3)
	f.now = f.now.Add(failureAge)
	fail = false
	step(c.Resolve, "tokxxxx", 4)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, p := NewCredential(Auth{Method: MethodCommand, Command: []string{"p"}}, f.host()).Resolve(gone); p == nil {
		t.Error("a call that ended got a credential")
	}
	c2 := NewCredential(Auth{Method: MethodCommand, Command: []string{"p"}}, f.host())
	c2.Resolve(gone)
	if _, p := c2.Resolve(t.Context()); p != nil {
		t.Error("a caller's end was kept as the credential's failure")
	}
}

func TestNamesOfKindsAndMethods(t *testing.T) {
	for k := Missing; k <= KeyringUnavailable; k++ {
		if k.String() == "invalid" {
			t.Errorf("kind %d has no name", k)
		}
	}
	for m := MethodUnset; m <= MethodNone; m++ {
		if m.String() == "invalid" {
			t.Errorf("method %d has no name", m)
		}
	}
	if ProblemKind(0).String() != "invalid" || Method(99).String() != "invalid" {
		t.Error("values outside the enums")
	}
}
