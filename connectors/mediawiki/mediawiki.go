// Package mediawiki reads the pages of a wiki that runs MediaWiki, through its
// action API (api.php), and says what each answer proves.
//
// It asks for nothing but action=query and action=parse, and logs in with a bot
// password by action=login. It never edits, never retries and never logs. The wiki
// is one container, named in its own siteinfo; its namespaces are the spaces, and a
// category can be asked like one. Shapes and codes of answers: the reference at
// https://www.mediawiki.org/wiki/API:Main_page and the answers of MediaWiki 1.39.
package mediawiki

import (
	"net/url"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Provider is MediaWiki, 1.29 or later.
var Provider = connectors.Provider{
	Name:         "mediawiki",
	Kinds:        []connectors.Kind{connectors.KindDocs},
	Capabilities: []connectors.Capability{connectors.PageSearch, connectors.PageRead},
	Open:         open,
	Classify:     Classify,
	Credential:   newCredential,
}

// findAPI says where a wiki names its api.php. MW-19.
var findAPI = status.Remedy.Is("Give the address of api.php as base_url; the page Special:Version of the wiki names it under Entry point URLs.")

func open(s connectors.Setup) (connectors.Source, *status.Failure) {
	wrong := status.Fail(status.Misconfigured, status.By(s.Name), status.ConfigKey.Is("base_url"))
	api, err := url.Parse(s.BaseURL)
	if err != nil || api.Host == "" || s.Upstream == nil {
		return connectors.Source{}, &wrong
	}
	if !strings.HasSuffix(api.Path, ".php") { // MW-19: every path of a wiki answers something
		wrong = wrong.With(status.Part.Is("it must be the address of api.php, such as https://wiki.example.org/w/api.php"), findAPI)
		return connectors.Source{}, &wrong
	}
	now := s.Clock()
	c := &client{
		source: s.Name, space: s.DefaultProject, nobody: s.Anonymous, api: api, base: s.BaseURL, up: s.Upstream,
		sites: connectors.NewMemo[site](now, siteLife), indexes: connectors.NewMemo[canary](now, siteLife), doorway: doorway{doors: map[string]*door{}},
	}
	return connectors.Source{
		Name: s.Name, Provider: "mediawiki", BaseURL: s.BaseURL, DefaultProject: s.DefaultProject, Only: s.Only,
		Docs: documents{c}, Prober: prober{c}, Owns: c.owns, Holds: holds,
	}, nil
}

// client is one source: its way to the wiki, and what was recently proved about
// the credential and the wiki.
type client struct {
	source  string
	space   string // default namespace or category
	nobody  bool   // asked without a credential, by configuration
	api     *url.URL
	base    string
	up      *upstream.Client
	sites   *connectors.Memo[site]
	indexes *connectors.Memo[canary]
	doorway
}

// anonymous reports whether the wiki is asked without a credential: by
// configuration, or because there turned out to be none where none is needed.
func (c *client) anonymous() bool { return c.nobody || !c.up.Configured() }

// owns reports whether r is a link to this wiki, or a text that a page may be
// called: nearly every text is one.
func (c *client) owns(r ref.Ref) bool {
	if r.Host != "" {
		return r.Match(c.base) && r.Fits("mediawiki")
	}
	if r.Provider != "" && r.Provider != "mediawiki" {
		return false
	}
	item := r.Kind == ref.Issue || r.Kind == ref.Change
	return !item || r.Project == "" && !strings.Contains(r.Raw, "!")
}

// holds reports whether a container can be a namespace or category, by its form:
// owner/repository is none.
func holds(_ connectors.Kind, container string) bool {
	return !strings.Contains(container, "/") || strings.Contains(container, ":")
}

// badArgument is the failure for an argument that the wiki cannot be asked with.
func (c *client) badArgument(argument, problem string) *status.Failure {
	return connectors.BadArgument(c.source, argument, problem)
}
