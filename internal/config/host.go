package config

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Host is what the package may ask the machine it runs on, so that tests can
// put another in its place.
type Host struct {
	// LookupEnv is os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// LookPath is exec.LookPath.
	LookPath func(string) (string, error)
	// Run runs a program.
	Run Runner
	// Now is the clock that failed credentials age by.
	Now func() time.Time
	// OS is runtime.GOOS.
	OS string
}

// SystemHost returns the machine itself.
func SystemHost() Host {
	return Host{LookupEnv: os.LookupEnv, LookPath: exec.LookPath, Run: RunProgram, Now: time.Now, OS: runtime.GOOS}
}

// Command is a program to run without a shell.
type Command struct {
	Args []string
	// Env is the whole environment; nil means that of this process.
	Env []string
}

// Runner runs a program and returns what it printed on standard output, at
// most 64 KiB. The error is ErrNoProgram, an *ExitError, or ErrRun; the
// context's end counts as ErrRun.
type Runner func(ctx context.Context, c Command) ([]byte, error)

// Errors of a Runner.
var (
	ErrNoProgram = errors.New("no such program")
	ErrRun       = errors.New("the program did not finish")
)

// ExitError is the failure that a program reported itself.
type ExitError struct{ Code int }

// Error does not say what the program printed.
func (*ExitError) Error() string { return "the program reported a failure" }

// RunProgram is the Runner of the system. Standard error is dropped and
// standard input empty: a program that asks must not hang the server, and what
// it complains about may hold a secret.
func RunProgram(ctx context.Context, c Command) ([]byte, error) {
	if len(c.Args) == 0 {
		return nil, ErrNoProgram
	}
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	out := &limited{left: 64 << 10}
	cmd.Env, cmd.Stdout = c.Env, out
	// Children that keep the pipe open must not outlive the time limit.
	cmd.WaitDelay = 500 * time.Millisecond
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ErrRun
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return nil, &ExitError{Code: exit.ExitCode()}
	case cmd.Process == nil && err != nil:
		return nil, ErrNoProgram
	case err != nil:
		return nil, ErrRun
	}
	return out.buf.Bytes(), nil
}

// limited keeps the beginning of what is written to it. The buffer is not
// embedded: its ReadFrom would pass the limit by.
type limited struct {
	buf  bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	keep := p[:min(len(p), l.left)]
	l.left -= len(keep)
	l.buf.Write(keep)
	return len(p), nil
}

// gitEnv is the environment for git: nothing inherited may point it at another
// repository, let it ask, or translate what it prints (LG-26).
func gitEnv(environ []string) []string {
	env := make([]string, 0, len(environ)+3)
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		if strings.HasPrefix(upper, "GIT_") || upper == "LC_ALL" {
			continue
		}
		env = append(env, kv)
	}
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}
