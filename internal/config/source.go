package config

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/frank-mcp/frank/internal/pattern"
)

var nameShape = pattern.New(`^[a-z][a-z0-9-]*$`)

// source reads one source and returns the nodes of the keys it has.
func (r *reader) source(n ast.Node) (Source, map[string]ast.Node) {
	var s Source
	var baseURL ast.Node
	put := func(name string, to *string) key {
		return key{name, func(n ast.Node) { *to, _ = r.text(n, name) }}
	}
	at, ok := r.mapping(n, "a source", []key{
		{"name", func(n ast.Node) { s.Name = r.name(n) }},
		{"provider", func(n ast.Node) { s.Provider = r.provider(n) }},
		{"base_url", func(n ast.Node) { baseURL = n }},
		put("default_project", &s.DefaultProject),
		{"auth", func(n ast.Node) { s.Auth = r.auth(n) }},
		{"only", func(n ast.Node) { s.Only = r.someTexts(n, "only") }},
		{"insecure", func(n ast.Node) { s.Insecure = r.boolean(n, "insecure") }},
		put("root", &s.Root),
		put("repository", &s.Repository),
	})
	if !ok {
		return s, nil
	}
	s.Line, s.Column = position(n)
	for _, name := range []string{"name", "provider"} {
		if at[name] == nil {
			r.fault(n, "a source needs %s", name)
		}
	}
	s.Auth.Source, s.Auth.Provider = s.Name, s.Provider
	if s.Provider == Local {
		r.local(&s, n, at)
	} else if s.Provider != "" {
		r.remote(&s, n, at, baseURL)
	}
	return s, at
}

func (r *reader) name(n ast.Node) string {
	s, ok := r.text(n, "name")
	if ok && (!nameShape.MatchString(s) || len(s) > 60) {
		r.fault(n, "name: %s does not fit; use lower-case letters, digits and -, beginning with a letter, at most 60", show(s))
		return ""
	}
	return s
}

func (r *reader) provider(n ast.Node) string {
	s, ok := r.text(n, "provider")
	if ok && !slices.Contains(Providers(), s) {
		now := ""
		if len(r.connected) > 0 {
			now = "; this version of frank connects " + strings.Join(r.connected, " and ") + " only"
		}
		r.fault(n, "provider: %s is not known; valid: %s%s", show(s), strings.Join(Providers(), ", "), now)
		return ""
	}
	return s
}

func (r *reader) local(s *Source, n ast.Node, at map[string]ast.Node) {
	for _, name := range []string{"base_url", "auth", "insecure"} {
		if at[name] != nil {
			r.fault(at[name], "%s has no meaning for provider local; remove it", name)
		}
	}
	s.Auth.Method = MethodNone
	if at["root"] == nil {
		r.fault(n, "a source with provider local needs root, a directory such as root: .")
	}
	if s.Root != "" {
		s.Root = r.place(s.Root)
	}
	if s.Repository != "" {
		s.Repository = r.place(s.Repository)
	}
}

func (r *reader) remote(s *Source, n ast.Node, at map[string]ast.Node, baseURL ast.Node) {
	for _, name := range []string{"root", "repository"} {
		if at[name] != nil {
			r.fault(at[name], "%s is only for provider local; remove it", name)
		}
	}
	switch p := s.DefaultProject; {
	case strings.Contains(p, "://"):
		r.fault(at["default_project"], "default_project is an address; write the name alone, and no password")
	case secretShape.MatchString(p):
		r.fault(at["default_project"], "default_project looks like a secret; secrets are never written in this file")
	case p != "" && (s.Provider == GitHub || s.Provider == Gitea) && !forgeProject.MatchString(p):
		r.fault(at["default_project"], "default_project: %s does not fit; write owner/repository", show(p))
	}
	switch {
	case baseURL != nil:
		s.BaseURL = r.baseURL(baseURL, s)
	case at["base_url"] != nil:
		// Present without a value, which is already reported.
	case defaultBaseURL(s.Provider) != "":
		s.BaseURL = defaultBaseURL(s.Provider)
	default:
		r.fault(n, "a source with provider %s needs base_url, such as %s", s.Provider, exampleURL(s.Provider))
	}
}

var forgeProject = pattern.New(`^[^/\s]+/[^/\s]+$`)

func exampleURL(provider string) string {
	switch provider {
	case Jira:
		return "https://acme.atlassian.net"
	case Confluence:
		return "https://acme.atlassian.net/wiki"
	case MediaWiki:
		return "https://wiki.example.org/w/api.php"
	}
	return "https://" + provider + ".example.org"
}

// baseURL never repeats the value: a password may stand in it.
func (r *reader) baseURL(n ast.Node, s *Source) string {
	raw, ok := r.text(n, "base_url")
	if !ok {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.Opaque != "" || strings.ContainsAny(raw, " \t\r\n\\") {
		r.fault(n, "base_url is not a full address; write one such as %s", exampleOf(s.Provider))
		return ""
	}
	before := len(r.faults)
	if host := u.Hostname(); !strings.ContainsAny(host, ".:") && looksSecret(host) { // pasted into the wrong place
		r.fault(n, "base_url looks like a secret; write the address of the server, and revoke the secret if the file was shared")
		return ""
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.User != nil {
		r.fault(n, "base_url holds a user name or password; secrets are never written in this file: remove it and use auth")
	}
	if u.RawQuery != "" || u.ForceQuery {
		r.fault(n, "base_url has a query; remove everything from the ? on")
	}
	if u.Fragment != "" || strings.Contains(raw, "#") {
		r.fault(n, "base_url has a fragment; remove everything from the # on")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		r.fault(n, "base_url must begin with https://")
	case u.Scheme == "http" && !s.Insecure && !loopback(u.Hostname()):
		r.fault(n, "base_url must begin with https://, or the credential would travel in the clear; "+
			"if that is wanted, add insecure: true to this source")
	}
	if s.Provider == GitHub && (u.Hostname() == "github.com" || u.Hostname() == "www.github.com") {
		r.fault(n, "base_url is the web site; the REST root is https://api.github.com (GitHub Enterprise: https://HOST/api/v3)")
	}
	if len(r.faults) > before {
		return ""
	}
	return strings.TrimRight(u.String(), "/")
}

func exampleOf(provider string) string {
	if d := defaultBaseURL(provider); d != "" {
		return d
	}
	return exampleURL(provider)
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
