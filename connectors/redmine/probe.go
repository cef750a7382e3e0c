package redmine

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// How long a proof may be used again.
const (
	identityLife  = 5 * time.Minute
	containerLife = time.Minute
)

// Notes on what Redmine offers no way to prove.
const (
	noteHidden    = "rows_hidden_from_account" // RM-08: roles hide single issues without a word
	noteAnonymous = "private_rows_hidden_from_anonymous"
	notePrivate   = "private_notes_hidden_from_account" // RM-14
	noteLinks     = "links_hidden_from_account"
	noteCase      = "case_of_letters_beyond_ascii" // databases such as SQLite fold only A to Z
)

// States of a project, which Redmine counts.
const (
	projectActive = 1
	projectClosed = 5
)

// Modules of a project, as Redmine names them.
const (
	moduleTracker = "issue_tracking"
	moduleWiki    = "wiki"
)

// identity is the account behind the key, and the proof that the key counted.
type identity struct {
	id    int
	login string
	name  string
	admin bool // sees everything
	proof status.Proof
}

// container is a project that this credential sees.
type container struct {
	id         int
	identifier string
	name       string
	about      string
	status     int
	public     bool
	modules    []string // nil if they were not told
	trackers   []wireRef
	categories []wireRef
	fields     []wireRef
	updatedOn  *time.Time
	proof      status.Proof
	doubts     []status.Failure
}

// vouch adds what the project's record proves.
func (k container) vouch(a *status.Audit) {
	for _, f := range k.doubts {
		a.Fail(status.Scope, f)
	}
	if len(k.doubts) == 0 {
		a.Hold(k.proof, status.Scope)
	}
}

// who proves that the key counts: Redmine serves a key that it does not know as
// anonymous everywhere but here. RM-01, RM-02, RM-13.
func (c *client) who(ctx context.Context) (identity, *status.Failure) {
	key := c.up.Fingerprint(ctx)
	if id, ok := c.people.Get(key); ok {
		return id, nil
	}
	w, x, f := one[wireMe](ctx, c, get("/users/current.json", "users", "current"))
	switch {
	case f == nil:
	case x != nil && x.Status == http.StatusNotFound && f.Code() != status.AccessDenied: // HT-03: every Redmine has this address
		return identity{}, x.Fail(status.Misconfigured, status.ConfigKey.Is("base_url"), status.WasCalled)
	case x != nil && x.Status == http.StatusForbidden && f.Reason() == status.ScopeMissing: // RM-02
		return identity{}, x.Fail(status.FeatureDisabled, status.WasCalled, status.Feature.Is("the REST interface"), status.Container.Is("this Redmine"),
			status.Remedy.Is("Let an administrator of this Redmine switch on the REST web service (Administration, Settings, API)."))
	default:
		return identity{}, f
	}
	if w.User.Login != nil && *w.User.Login == "" { // the record of the anonymous user, whom no key stands for
		return identity{}, x.Fail(status.AuthFailed)
	}
	id := identity{id: *w.User.ID, login: w.User.login(), name: w.User.name(), admin: w.User.Admin, proof: x.Proof()}
	if x.Stale() == nil {
		c.people.Put(key, id)
	}
	return id, nil
}

// doubts are the signs of an answer out of somebody's cache. HT-15.
func doubts(x *upstream.Exchange) []status.Failure {
	if f := x.Stale(); f != nil {
		return []status.Failure{*f}
	}
	return nil
}

// visible proves that the project is visible for this credential.
func (c *client) visible(ctx context.Context, name string) (container, *upstream.Exchange, *status.Failure) {
	if k, ok := c.projects.Get(c.keyOf(ctx, name)); ok {
		return k, nil, c.admits(ctx, k.identifier, name)
	}
	query := url.Values{"include": {"enabled_modules,trackers,issue_categories,issue_custom_fields"}}
	w, x, f := one[wireProjectOne](ctx, c, get("/projects/{id}.json", "projects", name).with(query))
	if f != nil {
		named := f.With(status.Container.Is(name), status.Reference.Is(name))
		if f.Reason() == status.ScopeMissing { // RM-10: one that was archived looks the same
			named = named.With(status.MissingScope.Is("sight of the project "+name),
				status.Remedy.Is("Give the account of source "+c.source+" a role in the project "+name+"; if it was archived, let an administrator unarchive it."))
		}
		return container{}, x, &named
	}
	k := containerOf(*w.Project)
	if number, err := strconv.Atoi(name); !strings.EqualFold(k.identifier, name) && (err != nil || number != k.id) {
		odd := x.Contradicts("another project came back").With(status.Container.Is(name))
		return container{}, x, &odd
	}
	if k.status != 0 && k.status != projectActive && k.status != projectClosed { // archived, or about to be deleted: its issues and pages are shown to nobody
		shut := x.Fail(status.ScopeMissing, status.Container.Is(name), status.MissingScope.Is("sight of the project "+name+", which was archived"),
			status.Remedy.Is("Let an administrator of this Redmine unarchive the project "+name+"."))
		return container{}, x, shut
	}
	k.proof, k.doubts = x.Proof(), doubts(x)
	if len(k.doubts) == 0 {
		c.projects.Put(c.keyOf(ctx, name), k)
		c.projects.Put(c.keyOf(ctx, k.identifier), k)
		c.homes.Put(c.keyOf(ctx, itoa(k.id)), k.identifier)
	}
	return k, x, c.admits(ctx, k.identifier, name)
}

func (c *client) keyOf(ctx context.Context, name string) string {
	return c.up.Fingerprint(ctx) + " " + strings.ToLower(name)
}

// admits asks the policy about a project that turned out to be called otherwise
// than it was asked for, or to be another one.
func (c *client) admits(ctx context.Context, identifier, asked string) *status.Failure {
	if strings.EqualFold(identifier, asked) {
		return nil
	}
	return connectors.Admits(ctx, identifier)
}

func containerOf(w wireProject) container {
	k := container{
		id: *w.ID, identifier: *w.Identifier, name: w.Name, about: w.Description, status: w.Status,
		public: w.Public != nil && *w.Public, trackers: w.Trackers, categories: w.Categories, fields: w.Fields, updatedOn: w.UpdatedOn,
	}
	if w.Modules != nil {
		k.modules = []string{}
		for _, m := range *w.Modules {
			k.modules = append(k.modules, m.Name)
		}
	}
	return k
}

// lacks reports whether the project says that a module is switched off.
func (k container) lacks(module string) bool {
	return k.modules != nil && !slices.Contains(k.modules, module)
}

// switchedOff is the failure of a module that is off in a visible project. Redmine
// answers 403 there as it does where a role is missing.
func (c *client) switchedOff(k container, module string) status.Failure {
	feature := map[string]string{moduleTracker: "the issue tracker", moduleWiki: "the wiki"}[module]
	return status.Fail(status.FeatureDisabled, status.By(c.source), status.WasCalled, status.Feature.Is(feature), status.Container.Is(k.identifier))
}

// enabled proves a project visible with a module on.
func (c *client) enabled(ctx context.Context, name, module string) (container, *unfound) {
	k, x, f := c.visible(ctx, name)
	switch {
	case c.isAbsent(x, f):
		return k, c.noProject(ctx, x, name)
	case f != nil:
		return k, stop(f)
	case k.lacks(module):
		off := c.switchedOff(k, module)
		return k, stop(&off)
	}
	return k, nil
}

// holdModule holds the scope of a visible project whose module is on. A record that
// does not tell its modules does not prove that.
func (k container) holdModule(a *status.Audit) {
	if k.modules == nil {
		a.Unmade(status.Scope, status.Fail(status.ShapeError, status.MissingKey.Is("enabled_modules"), status.Container.Is(k.identifier)))
		return
	}
	k.vouch(a)
}

// unfound is why a named thing is not there: a failure, or the audit of its absence.
type unfound struct {
	failure *status.Failure
	audit   *status.Audit
	opts    []status.Option
}

func stop(f *status.Failure) *unfound { return &unfound{failure: f} }

// unread is the answer for what was not found.
func unread[T any](source string, u *unfound) status.Result[T] {
	if u.failure != nil {
		return status.Failed[T](source, *u.failure)
	}
	return status.Absent[T](source, u.audit, u.opts...)
}

// noProject: to a credential that counts, Redmine's 404 says that there is no such
// project; a hidden one is refused. RM-04.
func (c *client) noProject(ctx context.Context, x *upstream.Exchange, name string) *unfound {
	return c.missingThing(ctx, x, status.Reference.Is("the project "+name), status.Container.Is(c.base.Host))
}

// missingThing takes a 404 of Redmine's at its word if the credential counts. RM-04.
func (c *client) missingThing(ctx context.Context, x *upstream.Exchange, opts ...status.Option) *unfound {
	a := &status.Audit{}
	a.Hold(x.Proof(), status.Transport)
	for _, f := range doubts(x) {
		a.Fail(status.Transport, f)
	}
	if proof, ok := c.identify(ctx, a, x); ok {
		a.Hold(proof, status.Scope)
	}
	return &unfound{audit: a, opts: opts}
}

// audit opens the audit of an answer whose body was decoded.
func (c *client) audit(ctx context.Context, x *upstream.Exchange) *status.Audit {
	a := &status.Audit{}
	c.hear(ctx, a, x)
	return a
}

// hear adds an answer: what was checked when it was read, and whether the
// credential counted.
func (c *client) hear(ctx context.Context, a *status.Audit, x *upstream.Exchange) {
	if x.Decoded {
		a.Hold(x.Proof(), status.Transport, status.Shape, status.InBand)
	}
	for _, f := range doubts(x) {
		a.Fail(status.InBand, f)
	}
	if c.led(x) {
		a.Fail(status.InBand, *x.Contradicts("a redirect led to another address"))
	}
	c.identify(ctx, a, x)
}

// identify holds the identity check, and tells by what.
func (c *client) identify(ctx context.Context, a *status.Audit, x *upstream.Exchange) (status.Proof, bool) {
	if c.anonymous() { // by configuration, so nothing is left to prove
		proof := x.NobodyProof()
		a.Hold(proof, status.Identity)
		return proof, true
	}
	id, f := c.who(ctx)
	switch {
	case f == nil:
		a.Hold(id.proof, status.Identity)
		return id.proof, true
	case f.Code() == status.SourceUnreliable:
		a.Unmade(status.Identity, *f)
	default:
		a.Fail(status.Identity, *f)
	}
	return status.Proof{}, false
}

// limits notes what is hidden from the account without a word. An administrator
// sees everything. RM-08.
func (c *client) limits(ctx context.Context, a *status.Audit, notes ...string) {
	if c.anonymous() {
		a.Unprovable(noteAnonymous)
	} else if id, f := c.who(ctx); f == nil && id.admin {
		return
	}
	for _, n := range notes {
		a.Unprovable(n)
	}
}

// proved is the reason why nothing may be said about a source whose credential does
// not count, if it does not.
func (c *client) proved(ctx context.Context) (identity, *status.Failure) {
	if c.anonymous() {
		return identity{}, nil
	}
	return c.who(ctx)
}

// homesOf are the identifiers of projects by their numbers; issues name the number
// only. What was not found out is left out.
func (c *client) homesOf(ctx context.Context, ids []int) map[int]string {
	out := map[int]string{}
	var unknown []int
	for _, id := range ids {
		if name, ok := c.homes.Get(c.keyOf(ctx, itoa(id))); ok {
			out[id] = name
		} else if !slices.Contains(unknown, id) {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > fewProjects {
		for _, w := range c.everyProject(ctx) {
			if slices.Contains(unknown, *w.ID) {
				out[*w.ID] = *w.Identifier
				c.homes.Put(c.keyOf(ctx, itoa(*w.ID)), *w.Identifier)
			}
		}
	}
	for _, id := range unknown {
		if _, ok := out[id]; ok {
			continue
		}
		if k, _, _ := c.visible(ctx, itoa(id)); k.identifier != "" { // whatever policy says of it
			out[id] = k.identifier
		}
	}
	return out
}

// fewProjects is up to how many projects are looked up one by one.
const fewProjects = 2

func (c *client) everyProject(ctx context.Context) []wireProject {
	p := walkProjects(ctx, c)
	return p.rows
}
