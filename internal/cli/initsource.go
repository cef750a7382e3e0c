package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/internal/config"
)

// sourceKeys are the keys of --source.
func sourceKeys() []string {
	return []string{"provider", "name", "base_url", "default_project", "root", "insecure", "token_env", "user", "user_env", "token_command", "token_file", "keyring", "none"}
}

// fromFlag makes a source of one --source. No complaint repeats a value: it may be a
// secret in the wrong place.
func (s *setup) fromFlag(text string, found []config.Found, before []config.Source) (config.Source, error) {
	given, err := pairs(text)
	if err != nil {
		return config.Source{}, err
	}
	provider := given["provider"]
	if !slices.Contains(connected(), provider) {
		return config.Source{}, usage("--source needs provider=NAME, one of " + strings.Join(connected(), ", "))
	}
	source := config.Source{Provider: provider, BaseURL: config.CompleteURL(provider, given["base_url"]), DefaultProject: given["default_project"], Root: given["root"], Insecure: given["insecure"] == "true"}
	name := given["name"]
	if name == "" {
		name = unique(provider, before)
	}
	source = named(source, name)
	source.Auth, err = authOfPairs(source, given)
	if err != nil {
		return config.Source{}, err
	}
	if err := contradicts(source, given); err != nil {
		return config.Source{}, err
	}
	source = fill(named(source, name), found)
	if source.Provider == config.Local && source.Root == "" {
		source.Root = "."
	}
	if about, _ := config.SetupOf(provider); source.BaseURL == "" && about.Example != "" && provider != config.GitHub {
		return config.Source{}, usage("source " + name + " needs base_url=ADDRESS, such as " + about.Example + "; none was found in the environment")
	}
	if faults := s.faults(source); faults != nil {
		return config.Source{}, usage("--source, " + provider + ": " + strings.Join(faults, "\n"))
	}
	if source.Auth.Method == config.MethodEnv && lacksUser(source, source.Auth.Env) {
		return config.Source{}, usage("source " + name + ": Atlassian's own sites take a token with the e-mail of its account; add user_env=NAME or user=E-MAIL to --source")
	}
	return s.complete(source)
}

// contradicts says which keys of a --source do not go together: what is not heeded
// would be missed later.
func contradicts(source config.Source, given map[string]string) error {
	about, _ := config.SetupOf(source.Provider)
	switch {
	case source.Provider == config.Local && source.Auth.Method != config.MethodUnset && source.Auth.Method != config.MethodNone:
		return usage("--source, local: a credential has no meaning for provider local; leave it out")
	case (given["user"] != "" || given["user_env"] != "") && about.User == "":
		return usage("--source, " + source.Provider + ": user and user_env have no meaning, since its token counts alone; leave them out")
	case source.Insecure && source.BaseURL != "" && !plainHTTP(source.BaseURL):
		return usage("--source, " + source.Provider + ": insecure goes with an address that begins with http://; leave it out")
	}
	return nil
}

// fill takes what was not given from what was found. A credential that was found for
// one address is not sent to another.
func fill(source config.Source, found []config.Found) config.Source {
	i := slices.IndexFunc(found, func(f config.Found) bool { return f.Source.Provider == source.Provider })
	if i < 0 {
		return source
	}
	f := found[i].Source
	if source.BaseURL == "" {
		source.BaseURL = f.BaseURL
	}
	if source.Root == "" {
		source.Root = f.Root
	}
	if source.BaseURL == f.BaseURL && source.DefaultProject == "" {
		source.DefaultProject = f.DefaultProject
	}
	return source
}

// pairs splits the value of --source.
func pairs(text string) (map[string]string, error) {
	given := map[string]string{}
	for i, part := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch _, twice := given[key]; {
		case !ok || !slices.Contains(sourceKeys(), key):
			return nil, usage(fmt.Sprintf("part %d of --source is not KEY=VALUE with a key that it has; the keys are %s.\nA secret has no place there: name where it is, such as token_env=NAME", i+1, strings.Join(sourceKeys(), ", ")))
		case value == "":
			return nil, usage(key + " of --source has no value")
		case twice:
			return nil, usage(key + " is given twice in one --source")
		case slices.Contains([]string{"insecure", "keyring", "none"}, key) && value != "true":
			return nil, usage(key + " of --source can only be true; leave it out otherwise")
		}
		given[key] = value
	}
	return given, nil
}

// authOfPairs is the credential that a --source names, unset if it names none.
func authOfPairs(source config.Source, given map[string]string) (config.Auth, error) {
	var ways []string
	for _, key := range []string{"token_env", "token_command", "token_file", "keyring", "none"} {
		if given[key] != "" {
			ways = append(ways, key)
		}
	}
	user, userEnv := given["user"], given["user_env"]
	switch {
	case len(ways) > 1:
		return config.Auth{}, usage("--source names " + strings.Join(ways, " and ") + "; keep exactly one")
	case user != "" && userEnv != "":
		return config.Auth{}, usage("--source names user and user_env; keep one")
	case (user != "" || userEnv != "") && given["token_env"] == "":
		return config.Auth{}, usage("user and user_env of --source go with token_env")
	case len(ways) == 0:
		return config.Auth{}, nil
	}
	a := config.Auth{Env: given["token_env"], Command: strings.Fields(given["token_command"]), File: given["token_file"]}
	switch ways[0] {
	case "token_env":
		a.Method = config.MethodEnv
		// The names become words of a command, so they are looked at first.
		for _, name := range []string{a.Env, userEnv} {
			if name != "" && !variable(name) {
				return config.Auth{}, usage("token_env and user_env of --source must be the bare names of environment variables: letters, digits and _")
			}
		}
		return paired(a, user, userEnv), nil
	case "token_command":
		a.Method = config.MethodCommand
	case "token_file":
		a.Method = config.MethodFile
	case "keyring":
		a.Method = config.MethodKeyring
	default:
		a.Method = config.MethodNone
	}
	return a, nil
}

// paired puts a user's name before the token of a variable.
func paired(a config.Auth, user, userEnv string) config.Auth {
	switch {
	case user != "":
		return config.PairFor(user, a.Env)
	case userEnv != "":
		return config.PairFromEnv(userEnv, a.Env)
	}
	return a
}

func variable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_'
	}) && (name[0] < '0' || name[0] > '9')
}

// lacksUser reports whether the variable is set to a token that this address takes
// only with a user's name.
func lacksUser(source config.Source, env string) bool {
	about, _ := config.SetupOf(source.Provider)
	value, set := os.LookupEnv(env)
	return about.InPairs(source.BaseURL) && set && value != "" && !strings.Contains(value, ":")
}

// variables names the environment variables that a credential reads.
func variables(a config.Auth) []string {
	switch a.Method {
	case config.MethodEnv:
		return []string{a.Env}
	case config.MethodCommand:
		if len(a.Command) < 3 || a.Command[0] != "sh" {
			return nil
		}
		var names []string
		for _, part := range strings.Split(a.Command[2], "${")[1:] {
			if name, _, ok := strings.Cut(part, ":?}"); ok {
				names = append(names, name)
			}
		}
		return names
	default:
		return nil
	}
}

// describedAuth says where the credential of a source is, for a list.
func describedAuth(a config.Auth) string {
	switch a.Method {
	case config.MethodEnv:
		return "token from $" + a.Env
	case config.MethodCommand:
		if names := variables(a); names != nil {
			return "token from " + "$" + strings.Join(names, " and $")
		}
		return "token from the command " + strconv.Quote(a.Command[0])
	case config.MethodFile:
		return "token from the file " + a.File
	case config.MethodKeyring:
		return "token from the keyring"
	default:
		return "no credential: asked anonymously"
	}
}
