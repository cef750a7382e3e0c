// Package redmine reads and changes the issues of a Redmine and reads its wikis,
// and says what each answer proves.
//
// It uses the REST interface that Redmine documents for version 5.0 and later
// (https://www.redmine.org/projects/redmine/wiki/Rest_api), always with the ending
// .json (RM-18), and never GraphQL, a web page or a password. It never follows a
// redirect off the host, never retries and never logs. Texts stay in the markup in
// which they were written: the interface does not tell whether that is Textile or
// Markdown.
package redmine

import (
	"net/url"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Provider is Redmine: a tracker, and its wikis as documents.
var Provider = connectors.Provider{
	Name:  "redmine",
	Kinds: []connectors.Kind{connectors.KindTracker, connectors.KindDocs},
	Capabilities: []connectors.Capability{
		connectors.IssueRead, connectors.IssueWrite, connectors.ProjectRead, connectors.PageSearch, connectors.PageRead,
	},
	Open:     open,
	Classify: Classify,
	Credential: func(secret upstream.TokenFunc) upstream.Credential {
		return upstream.HeaderToken("X-Redmine-API-Key", secret)
	},
}

func open(s connectors.Setup) (connectors.Source, *status.Failure) {
	c, f := newClient(s)
	if f != nil {
		return connectors.Source{}, f
	}
	return connectors.Source{
		Name: s.Name, Provider: "redmine", BaseURL: s.BaseURL, DefaultProject: s.DefaultProject, Only: s.Only,
		Tracker: tracker{c}, Docs: documents{c}, Writer: writer{tracker{c}}, Prober: prober{c}, Owns: c.owns, Options: c.options,
		Holds: func(_ connectors.Kind, container string) bool { return isProject(container) },
	}, nil
}

// client is what tracker and documents share: one Redmine, the way to it, and what
// was recently proved about credential, projects and statuses.
type client struct {
	source   string
	project  string // default project
	nobody   bool   // asked without a credential, by configuration
	base     *url.URL
	up       *upstream.Client
	now      func() time.Time
	people   *connectors.Memo[identity]
	projects *connectors.Memo[container]
	homes    *connectors.Memo[string] // identifiers of projects by their number
	statuses *connectors.Memo[[]wireStatus]
}

func newClient(s connectors.Setup) (*client, *status.Failure) {
	wrong := status.Fail(status.Misconfigured, status.By(s.Name), status.ConfigKey.Is("base_url"))
	base, err := url.Parse(strings.TrimRight(s.BaseURL, "/"))
	if err != nil || base.Host == "" || s.Upstream == nil {
		return nil, &wrong
	}
	if s.DefaultProject != "" && !isProject(s.DefaultProject) {
		wrong = status.Fail(status.Misconfigured, status.By(s.Name), status.ConfigKey.Is("default_project"))
		return nil, &wrong
	}
	now := s.Clock()
	return &client{
		source: s.Name, project: s.DefaultProject, nobody: s.Anonymous, base: base, up: s.Upstream, now: now,
		people: connectors.NewMemo[identity](now, identityLife), projects: connectors.NewMemo[container](now, containerLife),
		homes: connectors.NewMemo[string](now, identityLife), statuses: connectors.NewMemo[[]wireStatus](now, identityLife),
	}, nil
}

// anonymous reports whether Redmine is asked without a credential.
func (c *client) anonymous() bool { return c.nobody || !c.up.Configured() }

// owns reports whether r is a link to this Redmine, or a text that can name
// something in one. Issues are numbered across all projects.
func (c *client) owns(r ref.Ref) bool {
	if r.Host != "" {
		return r.Match(c.base.String()) && r.Fits("redmine")
	}
	if r.Provider != "" && r.Provider != "redmine" || r.Project != "" && !isProject(r.Project) {
		return false
	}
	switch r.Kind {
	case ref.Issue: // identifiers have no capitals
		return r.Number > 0 && r.Project == strings.ToLower(r.Project)
	case ref.Page, ref.Project, ref.Unknown:
		return true
	default:
		return false
	}
}

// isProject holds for what Redmine allows as a project's identifier, and for the
// number of one.
func isProject(s string) bool {
	return s != "" && len(s) <= 100 && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}

// web is the address at which people look.
func (c *client) web(segments ...string) string {
	return c.base.JoinPath(escaped(segments)...).String()
}

func escaped(segments []string) []string {
	out := make([]string, len(segments))
	for i, s := range segments {
		out[i] = url.PathEscape(s)
	}
	return out
}

// badArgument is the failure for an argument that Redmine cannot be asked with.
func (c *client) badArgument(argument, problem string) *status.Failure {
	return connectors.BadArgument(c.source, argument, problem)
}

// unsupported is the failure for what Redmine does not offer.
func (c *client) unsupported(feature string) status.Failure {
	return status.Fail(status.OperationUnsupported, status.By(c.source), status.Feature.Is(feature))
}
