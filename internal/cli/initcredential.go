package cli

import (
	"os/exec"
	"strings"

	"github.com/frank-mcp/frank/internal/config"
)

// way is a row of the menu of credentials, and how it becomes one.
type way struct {
	choice
	take func() (config.Auth, error)
}

// credential asks where the credential is. What is known already comes first.
func (t *talk) credential(source config.Source, about config.Setup) (config.Auth, error) {
	var ways []way
	known := func(a config.Auth, word, text string) {
		ways = append(ways, way{choice{word, text}, func() (config.Auth, error) { return a, nil }})
	}
	offers := t.place.Offers(t.ctx, source)
	if source.Auth.Method != config.MethodUnset && !offered(source.Auth, offers) {
		known(source.Auth, "same", describedAuth(source.Auth)+", as before")
	}
	for _, o := range offers {
		if o.NeedsUser {
			ways = append(ways, way{choice{o.Auth.Method.String(), o.Text}, func() (config.Auth, error) { return t.withUser(source, about, o.Auth.Env) }})
			continue
		}
		known(o.Auth, o.Auth.Method.String(), o.Text+", which is there")
	}
	keyring := config.Auth{Method: config.MethodKeyring}
	if t.place.Stored(t.ctx, source.Name) {
		known(keyring, "keyring", "the entry of the keyring for frank and "+source.Name+", which is there")
	}
	if store, ok := t.place.Storing(source.Name); ok && screenOf(t.In).terminal {
		ways = append(ways, way{choice{"store", "enter it now; it goes into the keyring of this machine"}, func() (config.Auth, error) { return keyring, t.store(store, source, about) }})
	}
	ways = append(ways,
		way{choice{"variable", "an environment variable (token_env)"}, func() (config.Auth, error) { return t.variable(source, about) }},
		way{choice{"file", "a file that holds nothing else (token_file)"}, func() (config.Auth, error) { return t.file(source) }},
		way{choice{"command", "what a command prints (token_command)"}, func() (config.Auth, error) { return t.command(source) }})
	none := way{choice{"none", "ask anonymously: only what everybody may see"}, func() (config.Auth, error) { return config.Auth{Method: config.MethodNone}, nil }}
	if about.Public && len(offers) == 0 && source.Auth.Method == config.MethodUnset {
		ways = append([]way{none}, ways...)
	} else {
		ways = append(ways, none)
	}
	rows := make([]choice, len(ways))
	for i, w := range ways {
		rows[i] = w.choice
	}
	t.d.say("Where is the credential?")
	i, err := t.d.choose("credential", rows)
	if err != nil {
		return config.Auth{}, err
	}
	return ways[i].take()
}

func offered(a config.Auth, offers []config.Offer) bool {
	for _, o := range offers {
		if o.Auth.Method == a.Method && o.Auth.Env == a.Env && strings.Join(o.Auth.Command, "\x00") == strings.Join(a.Command, "\x00") {
			return true
		}
	}
	return false
}

// store has the keyring's own program ask for the secret: it never passes through
// frank, and is not shown while it is typed.
func (t *talk) store(command []string, source config.Source, about config.Setup) error {
	form := "the secret and nothing else"
	switch {
	case about.InPairs(source.BaseURL):
		form = about.User + ":token"
	case len(about.Passwords) > 0:
		form = about.User + ":password, or an OAuth token"
	}
	t.d.prose("The keyring asks for it now. Give " + form + "; it is not shown.")
	c := exec.CommandContext(t.ctx, command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = t.In, t.Err, t.Err
	if err := c.Run(); err != nil {
		if t.ctx.Err() != nil {
			return interrupted()
		}
		t.d.prose("The keyring took nothing (" + command[0] + " failed); the probe will say so. Choose change then, and another way.")
	}
	return nil
}

// variable asks for the name of an environment variable, and where a token counts only
// with its user, for that name.
func (t *talk) variable(source config.Source, about config.Setup) (config.Auth, error) {
	t.d.prose("If it is not set yet, set it in another shell and start again, or choose keep after the probe.")
	name, err := t.d.ask("Name of the variable", "", func(answer string) (string, string) {
		if answer == "" {
			return "", "a name is needed"
		}
		return answer, t.problem(source, func(s *config.Source) { s.Auth = config.Auth{Method: config.MethodEnv, Env: answer} })
	})
	if err != nil || !lacksUser(source, name) {
		return config.Auth{Method: config.MethodEnv, Env: name}, err
	}
	return t.withUser(source, about, name)
}

// withUser asks for the name of the user that a token counts with.
func (t *talk) withUser(source config.Source, about config.Setup, variable string) (config.Auth, error) {
	user, err := t.d.ask("The "+about.User+" that belongs to the token; it will stand in the file", "", func(answer string) (string, string) {
		if answer == "" || strings.ContainsAny(answer, ": ") {
			return "", "the " + about.User + " is needed, since the token counts only with it"
		}
		return answer, t.problem(source, func(s *config.Source) { s.Auth = config.PairFor(answer, variable) })
	})
	return config.PairFor(user, variable), err
}

func (t *talk) file(source config.Source) (config.Auth, error) {
	path, err := t.d.ask("Path of the file", "", func(answer string) (string, string) {
		if answer == "" {
			return "", "a path is needed"
		}
		return answer, t.problem(source, func(s *config.Source) { s.Auth = config.Auth{Method: config.MethodFile, File: answer} })
	})
	return config.Auth{Method: config.MethodFile, File: path}, err
}

func (t *talk) command(source config.Source) (config.Auth, error) {
	line, err := t.d.ask("Program and arguments, apart by spaces; no shell runs it", "", func(answer string) (string, string) {
		if answer == "" {
			return "", "a program is needed"
		}
		return answer, t.problem(source, func(s *config.Source) {
			s.Auth = config.Auth{Method: config.MethodCommand, Command: strings.Fields(answer)}
		})
	})
	return config.Auth{Method: config.MethodCommand, Command: strings.Fields(line)}, err
}
