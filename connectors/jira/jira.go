// Package jira reads and changes issues of Jira Cloud and Jira Data Center through
// the REST interface, and says what each answer proves. Which of the two it speaks
// to is told by the server itself, never by the name of its host.
//
// It never retries, never logs, never follows a redirect by itself and never takes
// an empty search for a proof: Jira Cloud answers an expired token with one (JR-01).
// What Jira offers no way to prove, above all that no issue is hidden from the
// account by a security level, is named in every answer that it bears on.
//
// Endpoints and shapes: developer.atlassian.com/cloud/jira/platform/rest/v3 and
// docs.atlassian.com/software/jira/docs/api/REST.
package jira

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Provider is Jira, in the cloud or on a server of one's own.
var Provider = connectors.Provider{
	Name:         "jira",
	Kinds:        []connectors.Kind{connectors.KindTracker},
	Capabilities: []connectors.Capability{connectors.IssueRead, connectors.IssueWrite, connectors.ProjectRead},
	Open:         open,
	Classify:     Classify,
	Credential:   newCredential,
}

// credential sends a pair of e-mail and token as Basic, which is what Cloud takes,
// and anything else as a bearer token, which is what Data Center takes.
type credential struct {
	secret        upstream.TokenFunc
	basic, bearer *upstream.Token
}

func newCredential(secret upstream.TokenFunc) upstream.Credential {
	return credential{secret, upstream.BasicToken(secret), upstream.BearerToken(secret)}
}

// Authorize sets the header that fits the secret.
func (c credential) Authorize(ctx context.Context, h http.Header) *status.Failure {
	secret, f := c.secret(ctx)
	if f != nil {
		return f
	}
	if strings.Contains(secret, ":") {
		return c.basic.Authorize(ctx, h)
	}
	return c.bearer.Authorize(ctx, h)
}

// Identity is a short hash of the secret.
func (c credential) Identity(ctx context.Context) string { return c.bearer.Identity(ctx) }

// Configured is true: a credential is meant to be sent, even if it is missing.
func (c credential) Configured() bool { return true }

func open(s connectors.Setup) (connectors.Source, *status.Failure) {
	base, err := url.Parse(strings.TrimRight(s.BaseURL, "/"))
	if err != nil || base.Host == "" || s.Upstream == nil {
		f := status.Fail(status.Misconfigured, status.By(s.Name), status.ConfigKey.Is("base_url"))
		return connectors.Source{}, &f
	}
	now := s.Clock()
	c := &client{
		source: s.Name, project: s.DefaultProject, only: s.Only, nobody: s.Anonymous, base: base, up: s.Upstream, now: now,
		servers: connectors.NewMemo[server](now, serverLife), people: connectors.NewMemo[account](now, identityLife), projects: connectors.NewMemo[container](now, containerLife),
	}
	return connectors.Source{
		Name: s.Name, Provider: "jira", BaseURL: s.BaseURL, DefaultProject: s.DefaultProject, Only: s.Only,
		Tracker: tracker{c}, Writer: writer{tracker{c}}, Prober: prober{c}, Owns: c.owns, Holds: holds, Spans: spans,
		Options: c.options,
	}, nil
}

// client is one source: its way to Jira, and what was recently proved about the
// server, the credential and the projects.
type client struct {
	source   string
	project  string // default project
	only     []string
	nobody   bool // asked without a credential, by configuration
	base     *url.URL
	up       *upstream.Client
	now      func() time.Time
	servers  *connectors.Memo[server]
	people   *connectors.Memo[account]
	projects *connectors.Memo[container]
}

// anonymous reports whether Jira is asked without a credential.
func (c *client) anonymous() bool { return c.nobody || !c.up.Configured() }

// gateway is the host through which tokens with scopes are sent: JR-24. Its
// addresses hold no name of the site.
const gateway = "api.atlassian.com"

// owns reports whether r is a link to this Jira, or a text with the shape of an
// issue's key or number. Through the gateway the address of the site is known only
// once it was asked; until then every site of Jira Cloud may be the one, and
// reading the issue settles it.
func (c *client) owns(r ref.Ref) bool {
	if r.Host == "" {
		if r.Kind == ref.Issue && r.Number == 0 && r.Project == "" { // pay-12, as branches are called
			_, f := c.key(r)
			return f == nil && (r.Provider == "" || r.Provider == "jira")
		}
		return (r.Provider == "" || r.Provider == "jira") && (r.Project == "" && c.project != "" && r.Kind != ref.Unknown || isProject(r.Project))
	}
	if !r.Fits("jira") {
		return false
	}
	if r.Match(c.base.String()) {
		return true
	}
	if s, ok := c.servers.Get(theServer); ok { // its own address may be another one than that at which it is asked
		return r.Match(s.site)
	}
	if !strings.EqualFold(c.base.Host, gateway) {
		return false
	}
	return r.Provider == "jira" && strings.HasSuffix(r.Host, ".atlassian.net")
}

// holds reports whether a container can be a project of Jira by its form.
func holds(k connectors.Kind, name string) bool {
	return k == connectors.KindTracker && isProject(name)
}

// isProject reports whether s has the form of a project's key.
func isProject(s string) bool {
	if s == "" || len(s) > 255 || !isLetter(s[0]) {
		return false
	}
	for i := range len(s) {
		if !isLetter(s[i]) && (s[i] < '0' || s[i] > '9') && s[i] != '_' {
			return false
		}
	}
	return true
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

// projectOf is the key of the project that an issue's key names; empty if it is none.
func projectOf(key string) string {
	i := strings.LastIndexByte(key, '-')
	if i < 1 || !isProject(key[:i]) || i+1 == len(key) || strings.Trim(key[i+1:], "0123456789") != "" {
		return ""
	}
	return key[:i]
}

// key reads the reference of an issue.
func (c *client) key(r ref.Ref) (string, *status.Failure) {
	project := strings.ToUpper(r.Project)
	if project == "" {
		project = strings.ToUpper(c.project)
	}
	id := strings.ToUpper(r.ID)
	if projectOf(id) == "" && isProject(project) && id != "" && strings.Trim(id, "0123456789") == "" {
		id = project + "-" + id
	}
	if projectOf(id) == "" {
		return "", c.badArgument("ref", "must be the key of an issue, such as PAY-12")
	}
	return id, nil
}

// badArgument is the failure for an argument that Jira cannot be asked with.
func (c *client) badArgument(argument, problem string) *status.Failure {
	return c.refusedArgument(status.InvalidArgument, argument, problem)
}

func (c *client) refusedArgument(r status.Reason, argument, problem string) *status.Failure {
	f := status.Fail(r, status.By(c.source), status.NotCalled, status.Arguments.Is([]status.Argument{{Name: argument, Reason: r.Name(), Problem: problem}}))
	return &f
}
