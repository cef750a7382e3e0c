package config

import (
	"context"
	"errors"
	"strings"
)

// keyringService is what entries are stored under, with the source's name.
const keyringService = "frank"

// keyringTool is the program that reads a system's keyring, and how a person
// stores an entry with it, or replaces it: both ask for the secret themselves.
type keyringTool struct {
	lookup, store []string
	// absent is the exit status that means: no such entry.
	absent int
}

// toolFor returns the tool of an operating system; false where frank knows
// none. secret-tool speaks to the Secret Service of a Linux or BSD desktop,
// security to the macOS keychain (errSecItemNotFound is exit status 44).
func toolFor(goos, source string) (keyringTool, bool) {
	switch goos {
	case "darwin":
		return keyringTool{
			lookup: []string{"security", "find-generic-password", "-s", keyringService, "-a", source, "-w"},
			store:  []string{"security", "add-generic-password", "-U", "-s", keyringService, "-a", source, "-w"},
			absent: 44,
		}, true
	case "linux", "freebsd", "openbsd", "netbsd", "dragonfly":
		return keyringTool{
			lookup: []string{"secret-tool", "lookup", "service", keyringService, "source", source},
			store:  []string{"secret-tool", "store", "--label=" + keyringService + "-" + source, "service", keyringService, "source", source},
			absent: 1,
		}, true
	}
	return keyringTool{}, false
}

func (a Auth) fromKeyring(ctx context.Context, h Host) (Secret, *Problem) {
	tool, ok := toolFor(h.OS, a.Source)
	if !ok {
		return a.problem(KeyringUnavailable, "frank cannot read the keyring of this operating system; use token_command or token_env")
	}
	out, err := runLimited(ctx, h, tool.lookup)
	var exit *ExitError
	switch {
	case errors.Is(err, ErrNoProgram):
		return a.problem(KeyringUnavailable, "the keyring is read with the program %s, which is not installed; install it, or use token_env or token_command", tool.lookup[0])
	case errors.As(err, &exit) && exit.Code == tool.absent:
		return a.problem(Missing, "the keyring gave no entry; unlock it, or store the secret with: %s", strings.Join(tool.store, " "))
	case err != nil:
		return a.problem(KeyringUnavailable, "the keyring did not answer; unlock it, or use token_env or token_command")
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return a.accept(strings.TrimSuffix(line, "\r"), "the entry in the keyring")
}
