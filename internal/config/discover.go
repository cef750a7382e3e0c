package config

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
)

// Offer is a way to a credential that is there on this machine. It holds no part of
// the credential.
type Offer struct {
	Auth Auth
	// Text says where it is.
	Text string
	// NeedsUser is true for a token that counts only with the name of its user, which was
	// not found: see [PairFor].
	NeedsUser bool
}

// Best returns the first offer that needs nothing more.
func Best(offers []Offer) (Offer, bool) {
	for _, o := range offers {
		if !o.NeedsUser {
			return o, true
		}
	}
	return Offer{}, false
}

// Found is a source that this machine speaks of.
type Found struct {
	// Source has a name, and everything else that was found; its Root is absolute.
	Source Source
	// Text says by what it was found.
	Text string
}

// Discover looks for sources: the checkout around the directory and its remote, and
// addresses and credentials in the variables of [Setups]. Nobody is asked over the
// network, and the keyring is not opened.
func (p DefaultPlace) Discover(ctx context.Context) []Found {
	var all []Found
	checkout := Default(ctx, p)
	for _, s := range Setups() {
		switch s.Provider {
		case Local:
			if local, ok := checkout.Source(Local); ok && p.inCheckout(ctx) {
				all = append(all, Found{local, "the checkout " + local.Root})
			}
		case GitHub:
			if f, ok := p.foundGitHub(ctx, checkout); ok {
				all = append(all, f)
			}
		default:
			if f, ok := p.foundByVariables(ctx, s); ok {
				all = append(all, f)
			}
		}
	}
	return all
}

func (p DefaultPlace) inCheckout(ctx context.Context) bool {
	_, ok := p.git(ctx, "rev-parse", "--show-toplevel")
	return ok
}

// foundGitHub goes by the remote, else by a token.
func (p DefaultPlace) foundGitHub(ctx context.Context, checkout *Config) (Found, bool) {
	s, remote := checkout.Source(GitHub)
	text := "the remote of the checkout"
	if !remote {
		host := p.enterprise()
		if host == "" {
			host = "github.com"
		}
		s = Source{Name: GitHub, Provider: GitHub, BaseURL: restRoot(host)}
	}
	s.Auth, s.Anonymous = Auth{Source: GitHub, Provider: GitHub}, false
	best, ok := Best(p.Offers(ctx, s))
	switch {
	case ok && remote:
		s.Auth, text = best.Auth, text+"; "+best.Text
	case ok:
		s.Auth, text = best.Auth, best.Text
	case !remote:
		return Found{}, false
	}
	return Found{s, text}, true
}

// foundByVariables needs an address: a credential alone says not where to send it.
func (p DefaultPlace) foundByVariables(ctx context.Context, s Setup) (Found, bool) {
	name, address := p.first(s.URLs)
	address = CompleteURL(s.Provider, address)
	if address == "" || !usableURL(s.Provider, address) {
		return Found{}, false
	}
	source := Source{Name: s.Provider, Provider: s.Provider, BaseURL: address, Auth: Auth{Source: s.Provider, Provider: s.Provider}}
	_, source.DefaultProject = p.first(s.Projects)
	text := "$" + name
	if best, ok := Best(p.Offers(ctx, source)); ok {
		source.Auth = best.Auth
		text += "; " + best.Text
	}
	return Found{source, text}, true
}

// first returns the first of the variables that holds something.
func (p DefaultPlace) first(names []string) (name, value string) {
	for _, name := range names {
		if v, _ := p.Host.LookupEnv(name); strings.TrimSpace(v) != "" {
			return name, strings.TrimSpace(v)
		}
	}
	return "", ""
}

// usableURL reports whether Parse takes the address.
func usableURL(provider, address string) bool {
	_, err := Parse(FileName, []byte(Render([]Source{{Name: provider, Provider: provider, BaseURL: address}}, false)))
	return err == nil
}

// CompleteURL makes a base_url of what other programs call the address of a site: a
// bare host gets its scheme, and the Confluence of a Cloud site its path.
func CompleteURL(provider, address string) string {
	if address == "" {
		return ""
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	address = strings.TrimRight(address, "/")
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	cloud := strings.HasSuffix(strings.ToLower(u.Hostname()), ".atlassian.net")
	switch {
	case cloud && provider == Confluence && u.Path == "":
		return address + "/wiki"
	case cloud && provider == Jira && u.Path == "/wiki":
		return strings.TrimSuffix(address, "/wiki")
	}
	return address
}

// atlassianCloud reports whether an address is one of Atlassian's own sites, or its
// gateway.
func atlassianCloud(address string) bool {
	u, err := url.Parse(address)
	host := ""
	if err == nil {
		host = strings.ToLower(u.Hostname())
	}
	return strings.HasSuffix(host, ".atlassian.net") || host == "api.atlassian.com"
}

// sameFamily puts those variables first that begin as the name does: ATLASSIAN_URL says
// where ATLASSIAN_TOKEN belongs, whatever JIRA_URL says.
func sameFamily(variables []string, name string) []string {
	family, _, _ := strings.Cut(name, "_")
	var kin, others []string
	for _, v := range variables {
		if strings.HasPrefix(v, family+"_") {
			kin = append(kin, v)
		} else {
			others = append(others, v)
		}
	}
	return append(kin, others...)
}

// sameServer reports whether a credential for one address is at home at the other: on
// the same host, or at another of Atlassian's.
func sameServer(a, b string) bool {
	x, err := url.Parse(a)
	y, err2 := url.Parse(b)
	return err == nil && err2 == nil && (strings.EqualFold(x.Host, y.Host) || atlassianCloud(a) && atlassianCloud(b))
}

// Offers returns the ways to a credential for the source that are there, the best
// first. Values are looked at to see their form; none is kept. GitHub's command is
// run, since only it knows whether there is a login. What lies beside the address of
// another server is not offered: it would be sent to a stranger.
func (p DefaultPlace) Offers(ctx context.Context, s Source) []Offer {
	if s.Provider == GitHub {
		return p.offersOfGitHub(ctx, s)
	}
	setup, _ := SetupOf(s.Provider)
	var all []Offer
	add := func(name string, paired bool) {
		value, _ := p.Host.LookupEnv(name)
		user, _ := p.first(sameFamily(setup.Users, name))
		_, home := p.first(sameFamily(setup.URLs, name))
		switch {
		case strings.TrimSpace(value) == "":
		case home != "" && !sameServer(CompleteURL(s.Provider, home), s.BaseURL):
		case !paired || strings.Contains(value, ":"):
			all = append(all, Offer{Auth: Auth{Method: MethodEnv, Env: name}, Text: "token from $" + name})
		case p.Host.OS == "windows": // no shell puts the two together
		case user != "":
			all = append(all, Offer{Auth: PairFromEnv(user, name), Text: "token from $" + user + " and $" + name})
		default:
			all = append(all, Offer{Auth: Auth{Method: MethodEnv, Env: name}, Text: "token from $" + name + ", to be sent with the " + setup.User, NeedsUser: true})
		}
	}
	for _, name := range setup.Tokens {
		add(name, setup.InPairs(s.BaseURL))
	}
	for _, name := range setup.Passwords {
		add(name, true)
	}
	for i := range all {
		all[i].Auth.Source, all[i].Auth.Provider = s.Name, s.Provider
	}
	return all
}

func (p DefaultPlace) offersOfGitHub(ctx context.Context, s Source) []Offer {
	var all []Offer
	host := hostOf(s.BaseURL)
	for _, name := range tokenNames(host) {
		if v, _ := p.Host.LookupEnv(name); strings.TrimSpace(v) != "" {
			all = append(all, Offer{Auth: Auth{Method: MethodEnv, Env: name}, Text: "token from $" + name})
		}
	}
	if gh, err := p.Host.LookPath("gh"); err == nil {
		a := Auth{Method: MethodCommand, Command: []string{startable(gh), "auth", "token", "--hostname", host}}
		if _, problem := a.Resolve(ctx, p.Host); problem == nil {
			all = append(all, Offer{Auth: a, Text: "token from gh auth token"})
		}
	}
	for i := range all {
		all[i].Auth.Source, all[i].Auth.Provider = s.Name, s.Provider
	}
	return all
}

// startable is how a program is named in a file: by its bare name where every program
// finds it, else by its path, since a host that was started from a menu has not the
// PATH of a shell.
func startable(path string) string {
	dir := filepath.Dir(path)
	if dir == "/usr/bin" || dir == "/bin" {
		return filepath.Base(path)
	}
	return path
}

// PairFromEnv is the credential user:token of two variables. The shell fails if one of
// them is not set.
func PairFromEnv(user, token string) Auth {
	return Auth{Method: MethodCommand, Command: []string{"sh", "-c", `printf %s:%s "${` + user + `:?}" "${` + token + `:?}"`}}
}

// PairFor is the credential user:token of a user's name and a variable.
func PairFor(user, token string) Auth {
	return Auth{Method: MethodCommand, Command: []string{"sh", "-c", `printf %s:%s "$1" "${` + token + `:?}"`, "sh", user}}
}

// Stored reports whether the keyring has an entry for the source.
func (p DefaultPlace) Stored(ctx context.Context, source string) bool {
	tool, ok := toolFor(p.Host.OS, source)
	if !ok {
		return false
	}
	if _, err := p.Host.LookPath(tool.lookup[0]); err != nil {
		return false
	}
	_, problem := Auth{Method: MethodKeyring, Source: source}.Resolve(ctx, p.Host)
	return problem == nil
}

// Storing is the command by which a person stores the credential of the source in the
// keyring: it asks for it by itself. False if there is none on this machine.
func (p DefaultPlace) Storing(source string) ([]string, bool) {
	tool, ok := toolFor(p.Host.OS, source)
	if !ok {
		return nil, false
	}
	_, err := p.Host.LookPath(tool.store[0])
	return tool.store, err == nil
}
