package jira

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// How long a proof may be used again.
const (
	serverLife    = time.Hour
	identityLife  = 5 * time.Minute
	containerLife = time.Minute
)

// Notes on what Jira offers no way to prove, or leaves out.
const (
	noteHidden    = "rows_hidden_from_account" // JR-08, JR-18
	noteAnonymous = "private_rows_hidden_from_anonymous"
	noteLag       = "search_index_lag" // JR-17
	noteWords     = "partial_words_not_searched"
	noteStems     = "text_matched_by_word_stem"
	noteNative    = "values_in_native_query"
	noteComments  = "comments_hidden_from_account" // JR-19
	noteArchived  = "archived_issues"              // JR-27
	noteNotLive   = "archived_projects"            // JR-26
	noteLabels    = "labels_in_use"                // Data Center has no list of them
	notePeople    = "assignable_people"            // nobody is told who may be assigned without an account
	noteAllPeople = "people_hidden_from_account"   // JR-29: the listing says neither how many there are nor where it ends
)

// theServer is the key under which what is known of the server is kept.
const theServer = "server"

// server is which Jira this is.
type server struct {
	cloud bool
	site  string // where people look: https://acme.atlassian.net
}

func (s server) version() string {
	if s.cloud {
		return "3"
	}
	return "2"
}

// browse is the address of an issue for people.
func (s server) browse(key string) string { return s.site + "/browse/" + url.PathEscape(key) }

// which asks the server whether it is Cloud or Data Center. Both have this one
// address in common.
func (c *client) which(ctx context.Context) (server, *status.Failure) {
	if s, ok := c.servers.Get(theServer); ok {
		return s, nil
	}
	k := call{class: "/serverInfo", version: "2", path: []string{"serverInfo"}}
	w, x, f := one[wireServer](ctx, c, k)
	switch {
	case f != nil && x != nil && f.Reason() == status.AbsentOrHidden: // HT-03: every Jira has this address
		return server{}, x.Fail(status.Misconfigured, status.ConfigKey.Is("base_url"))
	case f != nil:
		return server{}, f
	}
	s := server{cloud: strings.EqualFold(*w.Deployment, "Cloud"), site: strings.TrimRight(c.base.String(), "/")}
	if u, err := url.Parse(strings.TrimRight(w.BaseURL, "/")); err == nil && u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http") {
		s.site = u.Scheme + "://" + u.Host + u.Path
	}
	c.servers.Put(theServer, s)
	return s, nil
}

// account is whose the credential is, and the proof that it counted.
type account struct {
	id    string // accountId in Cloud, name in Data Center
	name  string // as people write it
	proof status.Proof
}

// who proves that the credential counts. It is not to be asked of an anonymous source.
func (c *client) who(ctx context.Context) (account, *status.Failure) {
	key := c.up.Fingerprint(ctx)
	if id, ok := c.people.Get(key); ok {
		return id, nil
	}
	s, f := c.which(ctx)
	if f != nil {
		return account{}, f
	}
	u, x, f := one[wireUser](ctx, c, s.get("/myself", "myself"))
	switch {
	case f != nil && x != nil && f.Reason() == status.AbsentOrHidden: // HT-03
		return account{}, x.Fail(status.Misconfigured, status.ConfigKey.Is("base_url"))
	case f != nil:
		return account{}, f
	}
	id := account{u.handle(s), u.shown(), x.Proof()}
	c.people.Put(key, id)
	return id, nil
}

// known is why the credential does not count; nil if it does, and for a source that is
// asked without one.
func (c *client) known(ctx context.Context) *status.Failure {
	if c.anonymous() {
		return nil
	}
	_, f := c.who(ctx)
	return f
}

// container is a project that this credential sees.
type container struct {
	key      string // as it is now
	moved    bool   // it answers under another key than was asked for
	wire     wireProject
	proof    status.Proof
	archived bool // or in the trash: nothing of it is searched, and nothing can be changed
}

// put is where a project is kept that is not in use.
func (k container) put() string {
	if k.wire.Deleted {
		return "in the trash"
	}
	return "archived"
}

// visible proves that the project is visible for this credential.
func (c *client) visible(ctx context.Context, key string) (container, *status.Failure) {
	at := c.up.Fingerprint(ctx) + " " + strings.ToUpper(key)
	if k, ok := c.projects.Get(at); ok {
		return k, admits(ctx, k.key, key)
	}
	k, f := c.look(ctx, key)
	if f != nil {
		if f.Reason() == status.AbsentOrHidden { // to nobody most projects are hidden: JR-01
			if lost := c.known(ctx); lost != nil {
				f = lost
			}
		}
		named := f.With(status.Container.Is(key))
		return k, &named
	}
	c.projects.Put(at, k)
	return k, admits(ctx, k.key, key)
}

// look reads the record of the project anew. Jira answers to the former keys of a
// project too, and lists them: another key that does not list the one that was
// asked belongs to another project.
func (c *client) look(ctx context.Context, key string) (container, *status.Failure) {
	s, f := c.which(ctx)
	if f != nil {
		return container{}, f
	}
	expand := "description,issueTypes,projectKeys"
	if s.cloud {
		expand += ",insight"
	}
	w, x, f := one[wireProject](ctx, c, s.get("/project/{key}", "project", key).with(url.Values{"expand": {expand}}))
	if f != nil {
		return container{}, f
	}
	k := container{key: *w.Key, wire: w, proof: x.Proof(), archived: w.Archived || w.Deleted}
	if !strings.EqualFold(k.key, key) {
		k.moved = true
		if !slices.ContainsFunc(w.Keys, func(old string) bool { return strings.EqualFold(old, key) }) {
			return k, x.Contradicts("another project came back")
		}
	}
	if stale := x.Stale(); stale != nil { // HT-15
		return k, stale
	}
	return k, nil
}

// admits asks the policy about a project that turned out to be another one than
// was asked.
func admits(ctx context.Context, key, asked string) *status.Failure {
	if strings.EqualFold(key, asked) {
		return nil
	}
	return connectors.Admits(ctx, key)
}

// audit opens the audit of an answer whose body was decoded.
func (c *client) audit(ctx context.Context, x *upstream.Exchange) *status.Audit {
	a := &status.Audit{}
	c.hear(a, x)
	c.identify(ctx, a, x)
	return a
}

// hear adds an answer: what was checked when it was read.
func (c *client) hear(a *status.Audit, x *upstream.Exchange) {
	if x.Decoded {
		a.Hold(x.Proof(), status.Transport, status.Shape, status.InBand)
	}
	if stale := x.Stale(); stale != nil { // HT-15
		a.Fail(status.InBand, *stale)
	}
}

// identify adds whether the credential counted.
func (c *client) identify(ctx context.Context, a *status.Audit, x *upstream.Exchange) {
	if c.anonymous() { // by configuration, so nothing is left to prove
		a.Hold(x.NobodyProof(), status.Identity)
		a.Unprovable(noteAnonymous)
		return
	}
	if counted(x.Header) == accepted {
		a.Hold(x.Proof(), status.Identity)
		return
	}
	id, f := c.who(ctx)
	switch {
	case f == nil:
		a.Hold(id.proof, status.Identity)
	case f.Code() == status.AccessDenied:
		a.Fail(status.Identity, *f)
	default:
		a.Unmade(status.Identity, *f)
	}
}

// permitted asks whether the account has one of these permissions, in a project
// unless that is empty.
func (c *client) permitted(ctx context.Context, project string, permissions ...string) (bool, *upstream.Exchange, *status.Failure) {
	s, f := c.which(ctx)
	if f != nil {
		return false, nil, f
	}
	q := url.Values{"permissions": {strings.Join(permissions, ",")}}
	if project != "" {
		q.Set("projectKey", project)
	}
	w, x, f := one[wirePermissions](ctx, c, s.get("/mypermissions", "mypermissions").with(q))
	if f != nil {
		return false, x, f
	}
	may := false
	for _, name := range permissions {
		p, ok := (*w.Permissions)[name]
		if !ok || p.Have == nil {
			return false, x, x.Misshapen("permissions." + name)
		}
		may = may || *p.Have
	}
	return may, x, nil
}

// absent says what a 404 for an issue proves: very little. Jira answers alike for
// an issue that is not there and for one that a security level hides, so that even
// a visible project leaves it open. JR-06, JR-18.
func absent[T any](ctx context.Context, c *client, x *upstream.Exchange, f status.Failure, key string) status.Result[T] {
	project := projectOf(key)
	about := []status.Option{status.Reference.Is(key), status.Container.Is(project)}
	if f.Reason() != status.AbsentOrHidden || x == nil {
		return status.Failed[T](c.source, f.With(about...))
	}
	if lost := c.known(ctx); lost != nil {
		return status.Failed[T](c.source, lost.With(about...))
	}
	if _, lost := c.visible(ctx, project); lost != nil {
		return status.Failed[T](c.source, lost.With(about...))
	}
	if may, seen, lost := c.permitted(ctx, project, "BROWSE_PROJECTS"); lost == nil && !may {
		f = *seen.Fail(status.ScopeMissing, status.MissingScope.Is("the permission Browse Projects"))
	}
	return status.Failed[T](c.source, f.With(about...))
}
