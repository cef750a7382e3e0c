package config

import "strings"

// Remedy says how a person gives a source a credential that works, as a clause.
func (c *Config) Remedy(s Source) string {
	switch {
	case c.Path == "" && s.Provider == GitHub:
		host := hostOf(s.BaseURL)
		login := "gh auth login"
		if host != "github.com" {
			login += " --hostname " + host
		}
		return "set " + strings.Join(tokenNames(host), " or ") + " where frank runs, or run " + login
	case s.Auth.Method == MethodNone:
		return "replace auth: {none: true} of source " + s.Name + " in the configuration with one that names a credential, such as auth: {token_env: NAME}"
	case s.Auth.Method == MethodUnset:
		return "give source " + s.Name + " an auth in the configuration, such as auth: {token_env: NAME}"
	}
	return "make " + s.Auth.Method.String() + " of source " + s.Name + " give a credential that works"
}
