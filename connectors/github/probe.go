package github

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// How long a proof may be used again.
const (
	identityLife  = 5 * time.Minute
	containerLife = time.Minute
)

// Notes on what GitHub offers no way to prove.
const (
	noteHidden      = "rows_hidden_from_account"
	noteAnonymous   = "private_rows_hidden_from_anonymous"
	noteTransferred = "transferred_out_of_sight"
)

// identity is the account behind the credential, and the proof that it counted.
type identity struct {
	login   string // empty for an application's installation
	scopes  []string
	classic bool // a token with scopes; others carry permissions
	proof   status.Proof
}

// container is a repository that this credential sees.
type container struct {
	name      repoName // as GitHub writes it now
	moved     bool     // it answers under another name than was asked for (GH-43)
	private   bool
	fork      bool
	archived  bool
	hasIssues *bool // nil if it was not told
	hasWiki   bool
	branch    string // default branch
	about     string
	size      *int64 // KiB, nil if it was not told
	pushedAt  *time.Time
	openItems int // issues and pull requests
	pull      bool
	role      *wireRole // nil if it was not told
	url       string
	proof     status.Proof
	doubts    []status.Failure // what the record says against being seen whole
}

// vouch adds what the repository's record proves: that it is visible, if the
// record is no old copy and no organization's rows were dropped from it.
func (k container) vouch(a *status.Audit) {
	for _, f := range k.doubts {
		a.Fail(status.Scope, f)
	}
	if len(k.doubts) == 0 {
		a.Hold(k.proof, status.Scope)
	}
}

type wireUser struct {
	Login *string `json:"login"`
}

func (w wireUser) Missing() string { return absentKey("login", w.Login == nil || *w.Login == "") }

type wireInstallation struct {
	TotalCount *int `json:"total_count"`
}

func (w wireInstallation) Missing() string { return absentKey("total_count", w.TotalCount == nil) }

type wireRepo struct {
	FullName      *string    `json:"full_name"`
	Private       *bool      `json:"private"`
	Fork          bool       `json:"fork"`
	Archived      bool       `json:"archived"`
	HasIssues     *bool      `json:"has_issues"`
	HasWiki       bool       `json:"has_wiki"`
	DefaultBranch string     `json:"default_branch"`
	Description   string     `json:"description"`
	HTMLURL       string     `json:"html_url"`
	Size          *int64     `json:"size"`
	PushedAt      *time.Time `json:"pushed_at"`
	UpdatedAt     *time.Time `json:"updated_at"`
	OpenIssues    *int       `json:"open_issues_count"`
	Permissions   *wireRole  `json:"permissions"`
}

// wireRole is what the account may do in a repository, whatever its token may.
type wireRole struct {
	Pull     bool `json:"pull"`
	Triage   bool `json:"triage"`
	Push     bool `json:"push"`
	Maintain bool `json:"maintain"`
	Admin    bool `json:"admin"`
}

// triages reports whether the role includes labels and assignees of any issue.
func (w wireRole) triages() bool { return w.Triage || w.Push || w.Maintain || w.Admin }

func (w wireRepo) Missing() string {
	if w.FullName == nil {
		return "full_name"
	}
	_, ok := parseRepo(*w.FullName)
	return absentKey("full_name", !ok)
}

// absentKey is the key if it is absent, else nothing.
func absentKey(key string, absent bool) string {
	if absent {
		return key
	}
	return ""
}

// who proves that the credential counts. It is not to be asked of an anonymous source.
func (c *client) who(ctx context.Context) (identity, *status.Failure) {
	key := c.up.Fingerprint(ctx)
	if id, ok := c.people.Get(key); ok {
		return id, nil
	}
	user, x, f := one[wireUser](ctx, c, call{class: "GET /user", path: []string{"user"}})
	id := identity{}
	switch {
	case f == nil:
		id.login = plainLogin(*user.Login)
	case f.Reason() == status.AbsentOrHidden: // HT-03: GitHub has this address for everyone
		return id, x.Fail(status.Misconfigured, status.ConfigKey.Is("base_url"), status.WasCalled)
	case x != nil && x.Status == http.StatusForbidden && f.Reason() == status.ScopeMissing:
		// An installation of an application has no user. The refusal itself shows
		// that the credential was read, if its headers do.
		if counted(x.Header) == accepted {
			break
		}
		k := call{class: "GET /installation/repositories", path: []string{"installation", "repositories"}, query: url.Values{"per_page": {"1"}}}
		if _, x, f = one[wireInstallation](ctx, c, k); f != nil {
			return id, f
		}
	default:
		return id, f
	}
	id.classic = len(x.Header.Values("X-OAuth-Scopes")) > 0
	id.scopes = scopesIn(x.Header, "X-OAuth-Scopes")
	id.proof = x.Proof()
	c.people.Put(key, id)
	return id, nil
}

// visible proves that the repository is visible for this credential.
func (c *client) visible(ctx context.Context, r repoName) (container, *status.Failure) {
	if k, ok := c.repos.Get(c.repoKey(ctx, r)); ok {
		return k, c.admits(ctx, k.name, r)
	}
	return c.look(ctx, r)
}

// look reads the record of the repository anew.
func (c *client) look(ctx context.Context, r repoName) (container, *status.Failure) {
	w, x, f := one[wireRepo](ctx, c, repoCall(r, ""))
	if f != nil {
		named := f.With(status.Container.Is(r.String()))
		return container{}, &named
	}
	k := containerOf(w, r)
	k.proof = x.Proof()
	if k.moved && x.Location == "" { // GH-43: GitHub redirects what was renamed
		odd := x.Contradicts("another repository came back").With(status.Container.Is(r.String()))
		return container{}, &odd
	}
	if k.doubts = doubts(x); len(k.doubts) == 0 {
		c.repos.Put(c.repoKey(ctx, r), k)
	}
	return k, c.admits(ctx, k.name, r)
}

// doubts are the signs of an answer that do not tell the whole truth: an old copy
// (HT-15), rows of organizations that were left out (GH-07).
func doubts(x *upstream.Exchange) []status.Failure {
	var out []status.Failure
	if f := x.Stale(); f != nil {
		out = append(out, *f)
	}
	if orgs, dropped := partialResults(x.Header); dropped {
		out = append(out, status.Fail(status.RowsHidden, status.HTTPStatus.Is(x.Status),
			status.Header.Is("X-GitHub-SSO"), status.Organizations.Is(orgs)))
	}
	return out
}

func (c *client) repoKey(ctx context.Context, r repoName) string {
	return c.up.Fingerprint(ctx) + " " + strings.ToLower(r.String())
}

func containerOf(w wireRepo, asked repoName) container {
	k := container{
		name: asked, fork: w.Fork, archived: w.Archived, hasWiki: w.HasWiki, branch: plainRef(w.DefaultBranch),
		about: w.Description, size: w.Size, pushedAt: w.PushedAt, url: w.HTMLURL, pull: true,
		private: true, hasIssues: w.HasIssues,
	}
	if now, ok := parseRepo(*w.FullName); ok {
		k.moved = !strings.EqualFold(now.String(), asked.String())
		k.name = now
	}
	if w.Private != nil {
		k.private = *w.Private
	}
	if w.OpenIssues != nil {
		k.openItems = *w.OpenIssues
	}
	if w.Permissions != nil {
		k.pull, k.role = w.Permissions.Pull, w.Permissions
	}
	return k
}

// audit opens the audit of an answer whose body was decoded.
func (c *client) audit(ctx context.Context, x *upstream.Exchange) *status.Audit {
	a := &status.Audit{}
	c.hear(ctx, a, x)
	return a
}

// hear adds an answer: what was checked when it was read, whether it shows that
// the credential counted and that no organization's rows were dropped, and whether
// it leaves open that there is a further page. A search judges its own markers
// beside it.
func (c *client) hear(ctx context.Context, a *status.Audit, x *upstream.Exchange) {
	c.holdRead(a, x)
	c.identify(ctx, a, x)
	if f := unreadableLinks(x.Header); f != nil { // GH-38
		a.Unmade(status.Completeness, f.With(status.HTTPStatus.Is(x.Status)))
	}
	for _, f := range doubts(x) {
		check := status.InBand
		if f.Reason() == status.RowsHidden {
			check = status.Scope
		}
		a.Fail(check, f)
	}
}

// holdRead holds the checks that reading the answer has made. The client below
// has settled status, media and length, and refused errors inside a usable
// answer; shape is that of one JSON value that was decoded as what was wanted, see
// [decode]. An answer with another status than 200 shows only what was read in
// it, and text that is no JSON (a diff, a hash) has no shape to speak of.
func (c *client) holdRead(a *status.Audit, x *upstream.Exchange) {
	switch {
	case x.Status == http.StatusOK && x.Want.Media == upstream.JSON && x.Decoded:
		a.Hold(x.Proof(), status.Transport, status.Shape, status.InBand)
	case x.Status == http.StatusOK && x.Want.Media == upstream.Bytes:
		a.Hold(x.Proof(), status.Transport)
	case saysWithoutCommits(x):
		a.Hold(x.Proof(), status.Transport, status.Shape, status.InBand)
	}
}

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

// lost is a named thing for which GitHub answered 404.
type lost struct {
	exchange *upstream.Exchange
	failure  status.Failure // as get returned it
	repo     repoName       // in which it was looked for
	ref      string         // how it was named
	issue    bool           // it lives in the issue tracker, which can be off
	readable bool           // it was named by an answer that we could read, so it exists
	proved   bool           // another read that needs the same permission succeeded
}

// absent says what a 404 proves: nothing, unless it is GitHub's own, shows no
// missing scope, the credential counts, and the repository is visible for it with
// the feature on. GH-01, GH-02, GH-03, GH-04, GH-42.
func absent[T any](ctx context.Context, c *client, l lost) status.Result[T] {
	about := []status.Option{status.Reference.Is(l.ref), status.Container.Is(l.repo.String())}
	if l.failure.Reason() != status.AbsentOrHidden || l.exchange == nil {
		return status.Failed[T](c.source, l.failure.With(about...))
	}
	if l.exchange.Location != "" { // GH-42: it was there, and went where we cannot look
		return status.Failed[T](c.source, status.Fail(status.MovedOutOfSight, append(about, status.HTTPStatus.Is(l.exchange.Status))...))
	}
	if l.readable {
		return status.Failed[T](c.source, status.Fail(status.ScopeMissing,
			append(about, status.MissingScope.Is("a permission to read it"), status.HTTPStatus.Is(l.exchange.Status))...))
	}
	a := &status.Audit{}
	a.Hold(l.exchange.Proof(), status.Transport)
	c.identify(ctx, a, l.exchange)
	k, f := c.visible(ctx, l.repo)
	switch {
	case f != nil:
		a.Fail(status.Scope, *f)
	case l.issue && k.trackerless(): // GH-41
		return status.Failed[T](c.source, c.trackerOff(k))
	case l.issue && k.hasIssues == nil:
		a.Fail(status.Scope, l.failure.With(status.MissingKey.Is("has_issues")))
	case !l.proved && !c.permitted(ctx, l.exchange, k):
		a.Fail(status.Scope, l.failure.With(status.AcceptedPermissions.Is(permissionsIn(l.exchange.Header))))
	default:
		k.vouch(a)
	}
	if l.issue {
		a.Unprovable(noteTransferred)
	}
	return status.Absent[T](c.source, a, about...)
}

// trackerless reports whether the repository says that its tracker is off.
func (k container) trackerless() bool { return k.hasIssues != nil && !*k.hasIssues }

// filled reports whether the record says that there is something in it.
func (k container) filled() bool { return k.size != nil && *k.size > 1 }

// hollow is the failure for an answer without rows for what a repository that is
// filled must have.
func (k container) hollow(x *upstream.Exchange, what string) status.Failure {
	return *x.Fail(status.Contradictory, status.Container.Is(k.name.String()), status.Examined.Is(0),
		status.Marker.Is("the repository has a size, and none of its "+what+" is listed"))
}

// holdTracker holds the scope of a visible repository with its tracker on. A
// record that does not say whether it is on does not prove that it is.
func (k container) holdTracker(a *status.Audit) {
	if k.hasIssues == nil {
		a.Unmade(status.Scope, status.Fail(status.ShapeError, status.MissingKey.Is("has_issues"), status.Container.Is(k.name.String())))
		return
	}
	k.vouch(a)
}

// trackerOff is the failure for a repository whose issues are switched off. GH-41.
func (c *client) trackerOff(k container) status.Failure {
	return status.Fail(status.FeatureDisabled, status.By(c.source), status.WasCalled,
		status.Feature.Is("the issue tracker"), status.Container.Is(k.name.String()))
}

// siblings are endpoints of a repository that need nothing but one permission.
var siblings = map[string]sibling{
	"issues":        {"/issues", "issues"},
	"pull_requests": {"/pulls", "pulls"},
	"contents":      {"/commits", "commits"},
	"deployments":   {"/deployments", "deployments"},
}

type sibling struct{ class, segment string }

// firstRow asks for one row, which is enough to show that there may be any.
func (s sibling) firstRow(r repoName) call {
	k := repoCall(r, s.class, s.segment).with(url.Values{"per_page": {"1"}})
	k.shows = "[]"
	return k
}

// permitted tells whether the 404 x can be taken at its word in the visible
// repository k: some endpoints answer 404 where a fine-grained token lacks the
// permission that the header names. In a public repository none is needed, and
// in a private one a sibling that needs the same one shows it. GH-03.
func (c *client) permitted(ctx context.Context, x *upstream.Exchange, k container) bool {
	header := permissionsIn(x.Header)
	if x.Header.Get("X-Accepted-GitHub-Permissions") == "" || !k.private {
		return true
	}
	for _, set := range strings.Split(header, ";") { // any of these
		if slices.IndexFunc(commas(set), func(p string) bool { return !c.holds(ctx, k, p) }) < 0 {
			return true
		}
	}
	return false
}

// holds proves one permission, such as issues=read, by a read that needs it.
func (c *client) holds(ctx context.Context, k container, permission string) bool {
	name, level, _ := strings.Cut(permission, "=")
	if name == "metadata" {
		return true // whoever sees the repository has it
	}
	s, ok := siblings[name]
	if !ok || level != "read" {
		return false
	}
	_, f := c.get(ctx, s.firstRow(k.name))
	return f == nil
}
