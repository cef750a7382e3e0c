package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/frank-mcp/frank/internal/pattern"
)

// Method is the way a credential is got.
type Method int

// The methods; the zero Method means that the source names none, which is a
// Problem of kind Missing when the credential is wanted.
const (
	MethodUnset Method = iota
	MethodEnv
	MethodCommand
	MethodFile
	MethodKeyring
	MethodNone
)

// String is the key in the file, "unset" for the zero Method.
func (m Method) String() string {
	switch m {
	case MethodEnv:
		return "token_env"
	case MethodCommand:
		return "token_command"
	case MethodFile:
		return "token_file"
	case MethodKeyring:
		return "keyring"
	case MethodNone:
		return "none"
	case MethodUnset:
		return "unset"
	}
	return "invalid"
}

// Auth says how to get the credential of a source. It holds no credential.
type Auth struct {
	Method Method
	// Env is the name of an environment variable.
	Env string
	// Command is a program and its arguments, run without a shell.
	Command []string
	// File is an absolute path.
	File string
	// Source and Provider are those of the source, for texts and the keyring.
	Source, Provider string
	// OrAnonymous turns "the command knows no credential" into the zero
	// Secret. Only the made-up configuration sets it, for gh auth token.
	OrAnonymous bool
}

var envShape = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// auth reads how the credential is got. No text here repeats a value.
func (r *reader) auth(n ast.Node) Auth {
	var a Auth
	var given []string
	choose := func(name string, m Method, read func(ast.Node)) key {
		return key{name, func(n ast.Node) {
			given = append(given, name)
			a.Method = m
			read(n)
		}}
	}
	if _, ok := n.(*ast.StringNode); ok {
		r.fault(n, "auth must name a way to get the secret, such as {token_env: NAME}; secrets are never written in this file")
		return a
	}
	before := len(r.faults)
	_, ok := r.mapping(n, "auth", []key{
		choose("token_env", MethodEnv, func(n ast.Node) { a.Env = r.envName(n) }),
		choose("token_command", MethodCommand, func(n ast.Node) { a.Command = r.command(n) }),
		choose("token_file", MethodFile, func(n ast.Node) { a.File = r.tokenFile(n) }),
		choose("keyring", MethodKeyring, func(n ast.Node) { r.onlyTrue(n, "keyring") }),
		choose("none", MethodNone, func(n ast.Node) { r.onlyTrue(n, "none") }),
	})
	switch {
	case !ok:
	case len(given) > 1:
		r.fault(n, "auth names %s; keep exactly one", strings.Join(given, " and "))
	case len(given) == 0 && len(r.faults) == before:
		r.fault(n, "auth is empty; name one of token_env, token_command, token_file, keyring: true, none: true")
	}
	return a
}

func (r *reader) envName(n ast.Node) string {
	s, ok := r.text(n, "token_env")
	switch {
	case !ok:
	case looksSecret(s):
		r.fault(n, "token_env looks like a secret itself; write the name of the variable that holds it, and revoke the secret if the file was shared")
	case !envShape.MatchString(s):
		r.fault(n, "token_env must be the bare name of an environment variable: letters, digits and _, without $ or braces")
	default:
		return s
	}
	return ""
}

func (r *reader) command(n ast.Node) []string {
	if _, ok := n.(*ast.StringNode); ok {
		r.fault(n, "token_command must be a list, since no shell runs it; write the program and each argument apart, such as [gh, auth, token]")
		return nil
	}
	list := r.someTexts(n, "token_command")
	for _, s := range list {
		if secretShape.MatchString(s) {
			r.fault(n, "token_command holds what looks like a secret; secrets are never written in this file")
			return nil
		}
	}
	return list
}

func (r *reader) tokenFile(n ast.Node) string {
	s, ok := r.text(n, "token_file")
	switch {
	case !ok:
		return ""
	case secretShape.MatchString(s):
		r.fault(n, "token_file looks like a secret itself; write the path of the file that holds it")
		return ""
	}
	return r.place(s)
}
