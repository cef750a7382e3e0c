package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// gitLimit bounds each look at the checkout; both are reads of small files.
const gitLimit = 5 * time.Second

// DefaultPlace is where a configuration is made up.
type DefaultPlace struct {
	// Dir is the working directory, absolute.
	Dir string
	// Environ is os.Environ(); git gets it without its GIT_ variables.
	Environ []string
	Host    Host
}

// Default makes the configuration that holds without a file: source "local"
// at the top of the Git checkout around the directory (the directory itself
// without a checkout or without git), and source "github" where a remote of
// that checkout is on GitHub, or on the Enterprise host that GH_HOST names.
// Nothing is written and nobody is asked over the network.
func Default(ctx context.Context, p DefaultPlace) *Config {
	c := &Config{Retry: DefaultRetry(), IdempotencyWindow: DefaultIdempotencyWindow}
	top, inCheckout := p.git(ctx, "rev-parse", "--show-toplevel")
	root := p.Dir
	if inCheckout && top != "" {
		root = filepath.FromSlash(top)
	}
	c.Sources = []Source{{Name: Local, Provider: Local, Root: root, Auth: Auth{Source: Local, Provider: Local, Method: MethodNone}}}
	if !inCheckout {
		return c
	}
	list, _ := p.git(ctx, "remote", "-v")
	if r, ok := pickRemote(list, p.enterprise()); ok {
		c.Sources = append(c.Sources, p.github(r))
	}
	return c
}

// git runs git in the directory and returns what it printed without the line
// end; false if it could not or would not answer.
func (p DefaultPlace) git(ctx context.Context, args ...string) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	out, err := p.Host.Run(ctx, Command{Args: append([]string{"git", "-C", p.Dir}, args...), Env: gitEnv(p.Environ)})
	return strings.TrimRight(string(out), "\r\n"), err == nil
}

// enterprise is the host GH_HOST names, "" if it names none of its own.
func (p DefaultPlace) enterprise() string {
	host, _ := p.Host.LookupEnv("GH_HOST")
	host = strings.ToLower(strings.TrimSpace(host))
	if host == "github.com" {
		return ""
	}
	return host
}

func (p DefaultPlace) github(r remote) Source {
	s := Source{Name: GitHub, Provider: GitHub, BaseURL: restRoot(r.host), DefaultProject: r.project}
	s.Auth = p.githubAuth(r.host)
	s.Auth.Source, s.Auth.Provider = s.Name, s.Provider
	s.Anonymous = s.Auth.Method == MethodNone
	return s
}

// restRoot is the REST root of a GitHub host: Enterprise Cloud with data
// residency (SUB.ghe.com) has a host of its own for it, Enterprise Server a
// path.
func restRoot(host string) string {
	if host == "github.com" || strings.HasSuffix(host, ".ghe.com") {
		return "https://api." + host
	}
	return "https://" + host + "/api/v3"
}

// hostOf is the host whose REST root restRoot gave.
func hostOf(root string) string {
	host := strings.TrimPrefix(root, "https://")
	if server, ok := strings.CutSuffix(host, "/api/v3"); ok {
		return server
	}
	return strings.TrimPrefix(host, "api.")
}

// tokenNames are the variables that may hold a token for a GitHub host. A token for
// github.com is never sent to an Enterprise Server, which has variables of its
// own (as the gh command has it).
func tokenNames(host string) []string {
	if host != "github.com" && !strings.HasSuffix(host, ".ghe.com") {
		return []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
	}
	return []string{"GITHUB_TOKEN", "GH_TOKEN"}
}

// githubAuth picks the first way that has something to give.
func (p DefaultPlace) githubAuth(host string) Auth {
	for _, name := range tokenNames(host) {
		if v, _ := p.Host.LookupEnv(name); strings.TrimSpace(v) != "" {
			return Auth{Method: MethodEnv, Env: name}
		}
	}
	if gh, err := p.Host.LookPath("gh"); err == nil {
		// Run when a token is first wanted: it would delay every start.
		return Auth{Method: MethodCommand, Command: []string{gh, "auth", "token", "--hostname", host}, OrAnonymous: true}
	}
	return Auth{Method: MethodNone}
}

// SystemPlace returns the working directory of this process.
func SystemPlace() (DefaultPlace, error) {
	dir, err := os.Getwd()
	if err != nil {
		return DefaultPlace{}, Faults{{Path: ".", Text: "the working directory is gone; change to another one"}}
	}
	return DefaultPlace{Dir: dir, Environ: os.Environ(), Host: SystemHost()}, nil
}
