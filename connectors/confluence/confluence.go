// Package confluence reads the pages of a Confluence, Cloud or Data Center, and says
// what each answer proves.
//
// It asks the REST interface only: v2 for pages and spaces of a Cloud site and v1 for
// its search, v1 for all of a Data Center. Which of the two it is, the answers tell,
// not the host. It never writes, never retries and never logs. A space is a
// container; a page may be hidden inside one that is visible, so that the absence of
// a page by its number is never proved. Shapes and codes of answers are those of
// https://developer.atlassian.com/cloud/confluence/rest/v2/,
// https://developer.atlassian.com/cloud/confluence/rest/v1/ and
// https://developer.atlassian.com/server/confluence/confluence-rest-api-examples/.
package confluence

import (
	"net/url"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Provider is Confluence, Cloud, and Data Center from version 6.6 on.
var Provider = connectors.Provider{
	Name:         "confluence",
	Kinds:        []connectors.Kind{connectors.KindDocs},
	Capabilities: []connectors.Capability{connectors.PageSearch, connectors.PageRead},
	Open:         open,
	Classify:     Classify,
	Credential:   newCredential,
}

func open(s connectors.Setup) (connectors.Source, *status.Failure) {
	wrong := status.Fail(status.Misconfigured, status.By(s.Name), status.ConfigKey.Is("base_url"))
	base, err := url.Parse(s.BaseURL)
	if err != nil || base.Host == "" || s.Upstream == nil {
		return connectors.Source{}, &wrong
	}
	now := s.Clock()
	c := &client{
		source: s.Name, space: s.DefaultProject, nobody: s.Anonymous, root: base, base: strings.TrimSuffix(s.BaseURL, "/"), up: s.Upstream,
		sites: connectors.NewMemo[site](now, proofLife), spaces: connectors.NewMemo[space](now, proofLife), homes: connectors.NewMemo[string](now, homeLife),
	}
	return connectors.Source{
		Name: s.Name, Provider: "confluence", BaseURL: s.BaseURL, DefaultProject: s.DefaultProject, Only: s.Only,
		Docs: documents{c}, Prober: prober{c}, Owns: c.owns, Holds: holds,
	}, nil
}

// client is one source: its way to the Confluence, and what was recently proved about
// the credential and its spaces.
type client struct {
	source string
	space  string // default space
	nobody bool   // asked without a credential, by configuration
	root   *url.URL
	base   string // without a final slash
	up     *upstream.Client
	sites  *connectors.Memo[site]
	spaces *connectors.Memo[space]
	homes  *connectors.Memo[string] // of the site behind the gateway
}

// anonymous reports whether the source is asked without a credential: by
// configuration, or because there turned out to be none where none is needed.
func (c *client) anonymous() bool { return c.nobody || !c.up.Configured() }

// gateway reports whether the source is asked through Atlassian's gateway, which
// takes tokens with scopes. Addresses of pages are then those of the site behind it.
func (c *client) gateway() bool { return strings.Contains(c.root.Path+"/", "/ex/confluence/") }

// owns reports whether r is a link to this Confluence, or a text that a page may be
// called: a number, a title, or a title with the key of its space in front.
func (c *client) owns(r ref.Ref) bool {
	if r.Host != "" { // what lies below a path of its own is its own, whatever it looks like
		return c.mine(r) && (strings.Trim(c.root.Path, "/") != "" || r.Fits("confluence") || ownPath(r))
	}
	if r.Provider != "" && r.Provider != "confluence" {
		return false
	}
	item := r.Kind == ref.Issue || r.Kind == ref.Change
	return !item || r.Project == "" && !strings.Contains(r.Raw, "!")
}

// ownPath reports whether a link has a path that only a Confluence has, on a host
// whose other paths may be those of something else.
func ownPath(r ref.Ref) bool {
	u, err := url.Parse(r.URL())
	if err != nil {
		return false
	}
	root, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return root == "x" || root == "display" || root == "spaces" || root == "pages"
}

// holds reports whether a container can be a space, by its form.
func holds(_ connectors.Kind, container string) bool { return isKey(container) }

// isKey reports whether a text can be the key of a space; those of people begin with
// a tilde.
func isKey(s string) bool {
	return s != "" && len(s) <= 255 && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("~_.@:-", r)
	})
}

// badArgument is the failure for an argument that Confluence cannot be asked with.
func (c *client) badArgument(argument, problem string) *status.Failure {
	return connectors.BadArgument(c.source, argument, problem)
}
