// Package github reads issues, code, changes and documents of GitHub and GitHub
// Enterprise through the REST interface, and says what each answer proves. It also
// creates and changes issues and adds comments, for whoever was allowed to.
//
// It sends nothing but GET except for that, never uses GraphQL, never follows a redirect by
// itself, never retries and never logs. Requests are built with go-github and
// sent through internal/upstream; answers are decoded once, into structs that
// hold only what is used and that know which keys must be present.
package github

import (
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Provider is GitHub, in the cloud or on a server of one's own.
var Provider = connectors.Provider{
	Name:  "github",
	Kinds: []connectors.Kind{connectors.KindTracker, connectors.KindRepo, connectors.KindDocs},
	Capabilities: []connectors.Capability{
		connectors.IssueRead, connectors.IssueWrite, connectors.ProjectRead,
		connectors.CodeSearch, connectors.FileRead, connectors.RefRead, connectors.ChangeRead, connectors.HistoryRead,
		connectors.PageSearch, connectors.PageRead,
	},
	Open:       open,
	Classify:   Classify,
	Credential: func(secret upstream.TokenFunc) upstream.Credential { return upstream.BearerToken(secret) },
}

func open(s connectors.Setup) (connectors.Source, *status.Failure) {
	c, f := newClient(s)
	if f != nil {
		return connectors.Source{}, f
	}
	return connectors.Source{
		Name: s.Name, Provider: "github", BaseURL: s.BaseURL, DefaultProject: s.DefaultProject, Only: s.Only,
		Tracker: tracker{c}, Writer: writer{tracker{c}}, Repo: repository{c}, Docs: documents{c}, Prober: prober{c}, Owns: c.owns,
		Options: c.options, Spans: spans,
	}, nil
}

// client is what the three kinds share: one source, its way to GitHub, and what
// was recently proved about credential and repositories.
type client struct {
	source  string
	project string // default project
	only    []string
	nobody  bool     // asked without a credential, by configuration
	web     *url.URL // where people look: https://github.com
	api     *url.URL
	build   *gh.Client // builds requests only
	up      *upstream.Client
	now     func() time.Time
	people  *connectors.Memo[identity]
	repos   *connectors.Memo[container]
}

func newClient(s connectors.Setup) (*client, *status.Failure) {
	wrong := status.Fail(status.Misconfigured, status.By(s.Name), status.ConfigKey.Is("base_url"))
	base := s.BaseURL
	if base == "" {
		base = "https://api.github.com"
	}
	api, err := url.Parse(strings.TrimRight(base, "/") + "/")
	if err != nil || api.Host == "" || s.Upstream == nil {
		return nil, &wrong
	}
	now := s.Clock()
	build := gh.NewClient(nil)
	build.BaseURL, build.UserAgent = api, ""
	return &client{
		source: s.Name, project: s.DefaultProject, only: s.Only,
		nobody: s.Anonymous,
		web:    webOf(api), api: api, build: build, up: s.Upstream, now: now,
		people: connectors.NewMemo[identity](now, identityLife), repos: connectors.NewMemo[container](now, containerLife),
	}, nil
}

// anonymous reports whether GitHub is asked without a credential: by configuration,
// or because there turned out to be none where none is needed.
func (c *client) anonymous() bool { return c.nobody || !c.up.Configured() }

// webOf derives the address that people use from that of the REST interface:
// api.HOST becomes HOST, HOST/api/v3 becomes HOST.
func webOf(api *url.URL) *url.URL {
	path := strings.TrimSuffix(strings.TrimSuffix(api.Path, "/"), "/api/v3")
	return &url.URL{Scheme: api.Scheme, Host: strings.TrimPrefix(api.Host, "api."), Path: path}
}

// owns reports whether r is a link to this GitHub, or a text without a host whose
// shape fits a repository here.
func (c *client) owns(r ref.Ref) bool {
	if r.Host != "" {
		return strings.EqualFold(r.Host, c.web.Host) || strings.EqualFold(r.Host, c.api.Host)
	}
	if r.Provider != "" && r.Provider != "github" {
		return false
	}
	if r.Project == "" {
		key := r.Kind == ref.Issue && r.Number == 0
		return c.project != "" && r.Kind != ref.Unknown && !key
	}
	_, ok := parseRepo(r.Project)
	return ok
}

// repoName is a repository as owner and name.
type repoName struct{ owner, name string }

// String is owner/name; nothing for a repository that is not known.
func (r repoName) String() string {
	if r == (repoName{}) {
		return ""
	}
	return r.owner + "/" + r.name
}

// parseRepo reads owner/name. Other texts, dots alone and further slashes are
// refused, and so is a clone address's .git, which no name ends in: the policy
// would take it for another repository.
func parseRepo(s string) (repoName, bool) {
	owner, name, ok := strings.Cut(s, "/")
	if !ok || !plainName(owner) || !plainName(name) || strings.HasSuffix(strings.ToLower(name), ".git") {
		return repoName{}, false
	}
	return repoName{owner, name}, true
}

// plainName holds for what GitHub allows in the name of an owner or repository.
func plainName(s string) bool {
	if s == "" || s == "." || s == ".." || len(s) > 100 {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	}) < 0
}

// repo reads the repository that the argument names, or the default project.
// Without either, or if it is not owner/name, the failure says which argument.
func (c *client) repo(argument, value string) (repoName, *status.Failure) {
	if value == "" {
		value = c.project
	}
	if value == "" {
		f := status.Fail(status.MissingRequiredArgument, status.By(c.source), status.Arguments.Is([]status.Argument{{
			Name: argument, Reason: status.MissingRequiredArgument.Name(), Problem: "source " + c.source + " has no default_project; give owner/name",
		}}))
		return repoName{}, &f
	}
	r, ok := parseRepo(value)
	if !ok {
		return repoName{}, c.badArgument(argument, "must be owner/name, without .git")
	}
	return r, nil
}

// badArgument is the failure for an argument that GitHub cannot be asked with.
func (c *client) badArgument(argument, problem string) *status.Failure {
	return connectors.BadArgument(c.source, argument, problem)
}
