package config

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// ProblemKind says why there is no credential to send.
type ProblemKind int

// The kinds. Zero is none of them.
const (
	// Missing: nothing is set, stored or configured.
	Missing ProblemKind = iota + 1
	// Blank: it is set, to nothing.
	Blank
	// Mangled: a value that cannot have been meant (HT-16).
	Mangled
	// CommandFailed: token_command gave no value.
	CommandFailed
	// FileUnreadable: token_file could not be read.
	FileUnreadable
	// KeyringUnavailable: there is no keyring to ask.
	KeyringUnavailable
)

// String names the kind as evidence does.
func (k ProblemKind) String() string {
	switch k {
	case Missing:
		return "missing"
	case Blank:
		return "blank"
	case Mangled:
		return "mangled"
	case CommandFailed:
		return "command_failed"
	case FileUnreadable:
		return "file_unreadable"
	case KeyringUnavailable:
		return "keyring_unavailable"
	}
	return "invalid"
}

// Problem says why a credential could not be got. It is no error: whoever gets
// one turns it into an answer. No field holds any part of the credential.
type Problem struct {
	Kind   ProblemKind
	Method Method
	// Source is the name of the source.
	Source string
	// Text says what is wrong and what to do.
	Text string
}

const (
	commandLimit = 10 * time.Second
	fileLimit    = 16 << 10
	valueLimit   = 8 << 10
)

// Resolve gets the credential now. The zero Secret without a Problem means
// that the source is asked anonymously, on purpose.
func (a Auth) Resolve(ctx context.Context, h Host) (Secret, *Problem) {
	switch a.Method {
	case MethodEnv:
		return a.fromEnv(h)
	case MethodCommand:
		return a.fromCommand(ctx, h)
	case MethodFile:
		return a.fromFile()
	case MethodKeyring:
		return a.fromKeyring(ctx, h)
	case MethodNone:
		return Secret{}, nil
	case MethodUnset:
	}
	return a.problem(Missing, "the source has no auth; add auth: {token_env: NAME}, or auth: {none: true} to ask anonymously")
}

func (a Auth) problem(k ProblemKind, format string, args ...any) (Secret, *Problem) {
	return Secret{}, &Problem{Kind: k, Method: a.Method, Source: a.Source, Text: fmt.Sprintf(format, args...)}
}

func (a Auth) fromEnv(h Host) (Secret, *Problem) {
	value, set := h.LookupEnv(a.Env)
	if !set {
		return a.problem(Missing, "the environment variable %s is not set where frank runs; set it and start frank again", a.Env)
	}
	return a.accept(value, "the environment variable "+a.Env)
}

func (a Auth) fromCommand(ctx context.Context, h Host) (Secret, *Problem) {
	if len(a.Command) == 0 {
		return a.problem(Missing, "token_command names no program")
	}
	out, err := runLimited(ctx, h, a.Command)
	program := filepath.Base(a.Command[0])
	var exit *ExitError
	switch {
	case a.OrAnonymous && (errors.Is(err, ErrNoProgram) || errors.As(err, &exit)):
		return Secret{}, nil
	case errors.Is(err, ErrNoProgram):
		return a.problem(CommandFailed, "the program %s of token_command cannot be started; install it or give its full path", show(program))
	case errors.As(err, &exit):
		return a.problem(CommandFailed, "token_command %s ended with exit status %d; run it in a terminal to see why", show(program), exit.Code)
	case err != nil:
		return a.problem(CommandFailed, "token_command %s did not finish within %s; run it in a terminal to see whether it asks for something", show(program), commandLimit)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return a.accept(strings.TrimSpace(line), "the first line that token_command printed")
}

func runLimited(ctx context.Context, h Host, args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	return h.Run(ctx, Command{Args: args})
}

func (a Auth) fromFile() (Secret, *Problem) {
	info, err := os.Stat(a.File)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return a.problem(FileUnreadable, "the token_file is missing; create it or correct the path")
	case err != nil:
		return a.problem(FileUnreadable, "the token_file cannot be reached; check the permissions of it and of its folders")
	case !info.Mode().IsRegular():
		// A pipe or device could block for ever.
		return a.problem(FileUnreadable, "the token_file is not a regular file; name a file that holds nothing but the secret")
	case info.Size() > fileLimit:
		return a.problem(FileUnreadable, "the token_file is larger than %d KiB; name a file that holds nothing but the secret", fileLimit>>10)
	}
	f, err := os.Open(a.File)
	if err != nil {
		return a.problem(FileUnreadable, "the token_file cannot be opened; let the account that runs frank read it")
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, fileLimit))
	if err != nil {
		return a.problem(FileUnreadable, "the token_file cannot be read to its end")
	}
	value := strings.TrimSuffix(string(data), "\n")
	return a.accept(strings.TrimSuffix(value, "\r"), "the token_file")
}

// accept refuses what cannot be a credential, before it is sent to anybody:
// some providers serve a broken one as a stranger, with an empty list (HT-16).
func (a Auth) accept(value, from string) (Secret, *Problem) {
	if strings.TrimSpace(value) == "" {
		return a.problem(Blank, "%s is empty; put the secret there", from)
	}
	wrong := ""
	switch {
	case len(value) > valueLimit:
		wrong = fmt.Sprintf("is longer than %d KiB; put nothing but the secret there", valueLimit>>10)
	case strings.Contains(value, "${") || strings.Contains(value, "$("):
		wrong = "still holds a placeholder (${...}) instead of the secret; whatever should fill it in did not"
	case hasScheme(value):
		wrong = "begins with the name of a scheme (such as Bearer); put only the secret itself there"
	case strings.ContainsFunc(value, unicode.IsSpace):
		wrong = "has white space or a line break in or around it; remove it (base64 breaks its lines: use base64 -w0)"
	case quoted(value):
		wrong = "has quotes around it; remove them"
	case strings.ContainsFunc(value, unprintable):
		wrong = "has invisible or control characters in it; copy the secret again"
	default:
		return NewSecret(value), nil
	}
	return a.problem(Mangled, "%s %s", from, wrong)
}

func hasScheme(s string) bool {
	word, _, found := strings.Cut(strings.TrimSpace(s), " ")
	if !found {
		return false
	}
	switch strings.ToLower(strings.TrimSuffix(word, ":")) {
	case "bearer", "basic", "token", "authorization":
		return true
	}
	return false
}

func quoted(s string) bool {
	for _, q := range []string{`"`, `'`, "`", "“", "”", "‘", "’"} {
		if strings.HasPrefix(s, q) || strings.HasSuffix(s, q) {
			return true
		}
	}
	return false
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }
