package confluence

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// proofLife is how long a proof may be used again.
const proofLife = time.Minute

// Notes on what a Confluence offers no way to prove, or does not list.
const (
	noteHidden    = "pages_hidden_from_account"           // CF-03: restricted pages are left out without a sign
	noteAnonymous = "private_pages_hidden_from_anonymous" //
	noteLag       = "age_of_the_search_index"             // CF-21
	noteWords     = "parts_of_words"                      // the index knows words, stemmed
	noteArchived  = "archived_pages"                      // CF-13: the search of Cloud never shows them
	noteDrafts    = "drafts_and_trash"                    // CF-13
	noteOthers    = "content_that_is_no_page"             // CF-14
	noteChildren  = "archived_children"                   // CF-13
)

// site is the Confluence as this credential sees it: which of the two products it is,
// and the account that it answers to.
type site struct {
	cloud bool
	user  string
	proof status.Proof // that the credential counted
}

// look proves who the answers are for, and tells Cloud from Data Center: the accounts
// of a Cloud have an accountId, those of a Data Center a userKey. CF-10.
func (c *client) look(ctx context.Context) (site, *status.Failure) {
	key := c.up.Fingerprint(ctx)
	if s, ok := c.sites.Get(key); ok {
		return s, nil
	}
	a, f := ask[wireUser](ctx, c, question{class: "GET /rest/api/user/current", path: "/rest/api/user/current"})
	if isAbsent(f) { // every version has it: this is no Confluence
		f = a.x.Fail(status.Misconfigured, status.ConfigKey.Is("base_url"), status.Part.Is("the base_url of a Cloud site ends with /wiki"))
	}
	if f != nil {
		return site{}, f
	}
	if f := doubt(a.x); f != nil {
		return site{}, f
	}
	u := a.body
	switch {
	case u.Type == "anonymous" && !c.anonymous():
		return site{}, a.x.Fail(status.AuthFailed, status.Marker.Is("type anonymous"))
	case u.Type != "anonymous" && u.Type != "known" && u.Type != "user":
		return site{}, a.x.Misshapen("type")
	}
	s := site{user: u.Name, proof: a.x.AskedProof()}
	if s.user == "" {
		s.user = u.Public
	}
	switch {
	case u.Account != nil && *u.Account != "":
		s.cloud = true
	case u.Key != nil && *u.Key != "" || u.Username != nil && *u.Username != "":
	case u.Type != "anonymous" && strings.HasSuffix(c.root.Path, "/wiki"): // profiles can be hidden
		s.cloud = true
	default:
		if s.cloud, f = c.isCloud(ctx); f != nil {
			return site{}, f
		}
	}
	c.sites.Put(key, s)
	return s, nil
}

// isCloud asks what only a Cloud site answers, outside of any product, for who has no
// account.
func (c *client) isCloud(ctx context.Context) (bool, *status.Failure) {
	if c.gateway() {
		return true, nil
	}
	u := url.URL{Scheme: c.root.Scheme, Host: c.root.Host, Path: "/_edge/tenant_info"}
	a, f := fetch[wireTenant](ctx, c, u.String(), question{class: "GET /_edge/tenant_info"})
	switch {
	case f == nil:
		return a.body.CloudID != "", nil
	case a.x != nil && (a.x.Status == http.StatusNotFound || a.x.Status == http.StatusOK || a.x.Status == http.StatusForbidden || a.x.Status == http.StatusUnauthorized):
		return false, nil // something else answers there
	}
	return false, f
}

// space is a space that is visible.
type space struct {
	id, key, name string
	status, home  string
	proof         status.Proof
}

// archived reports whether nobody works in the space any more.
func (s space) archived() bool { return strings.EqualFold(s.status, "archived") }

// visible proves that a space is visible, by its key. The exchange is that of an
// answer which does not show it.
func (c *client) visible(ctx context.Context, s site, key string) (space, *status.Failure) {
	memo := c.up.Fingerprint(ctx) + "\n" + strings.ToLower(key)
	if sp, ok := c.spaces.Get(memo); ok {
		return sp, nil
	}
	w, x, f := c.spaceNamed(ctx, s, key)
	if f != nil {
		return space{}, f
	}
	if f := doubt(x); f != nil {
		return space{}, f
	}
	if missing := w.Missing(); missing != "" {
		return space{}, x.Misshapen(missing)
	}
	if !strings.EqualFold(w.Key, key) {
		return space{}, x.Fail(status.Contradictory, status.Marker.Is("another space came back"))
	}
	sp := spaceOf(w, x)
	if s.cloud && sp.id == "" {
		return space{}, x.Misshapen("results.id")
	}
	c.spaces.Put(memo, sp)
	return sp, nil
}

func spaceOf(w wireSpace, x *upstream.Exchange) space {
	sp := space{id: string(w.ID), key: w.Key, name: w.Name, status: w.Status, home: string(w.HomepageID), proof: x.AskedProof()}
	if w.Homepage != nil {
		sp.home = string(w.Homepage.ID)
	}
	return sp
}

// spaceNamed asks for a space. Cloud has a listing for it, in which a space that is
// hidden or absent is missing; Data Center answers 404.
func (c *client) spaceNamed(ctx context.Context, s site, key string) (wireSpace, *upstream.Exchange, *status.Failure) {
	if !s.cloud {
		a, f := ask[wireSpace](ctx, c, question{
			class: "GET /rest/api/space/{key}", path: "/rest/api/space/" + url.PathEscape(key), values: url.Values{"expand": {"homepage"}},
		})
		return a.body, a.x, f
	}
	a, f := ask[wireList[wireSpace]](ctx, c, question{class: "GET /api/v2/spaces?keys", path: "/api/v2/spaces", values: url.Values{"keys": {key}}})
	switch {
	case f != nil:
		return wireSpace{}, a.x, f
	case a.body.Results == nil:
		return wireSpace{}, a.x, a.x.Misshapen("results")
	case len(*a.body.Results) == 0 && a.body.Links.Next != "":
		return wireSpace{}, a.x, a.x.Fail(status.Contradictory, status.Marker.Is("a page of a listing without rows"))
	case len(*a.body.Results) == 0:
		return wireSpace{}, a.x, a.x.Fail(status.AbsentOrHidden, status.Existence.Is(status.ExistenceUnknown))
	}
	return (*a.body.Results)[0], a.x, nil
}

// keyOf is the key of a space that is known by its number, v2.
func (c *client) keyOf(ctx context.Context, id string) (string, *status.Failure) {
	memo := c.up.Fingerprint(ctx) + "\nid " + id
	if sp, ok := c.spaces.Get(memo); ok {
		return sp.key, nil
	}
	a, f := ask[wireSpace](ctx, c, question{class: "GET /api/v2/spaces/{id}", path: "/api/v2/spaces/" + url.PathEscape(id)})
	if f != nil {
		return "", f
	}
	if missing := a.body.Missing(); missing != "" {
		return "", a.x.Misshapen(missing)
	}
	if string(a.body.ID) != id {
		return "", a.x.Fail(status.Contradictory, status.Marker.Is("another space came back"))
	}
	c.spaces.Put(memo, spaceOf(a.body, a.x))
	return a.body.Key, nil
}

// hear opens the audit of an answer that was decoded: what reading it has checked,
// who it was made for, and what it says against itself.
func (c *client) hear(out *status.Audit, s site, x *upstream.Exchange) {
	out.Hold(x.AskedProof(), status.Transport, status.Shape)
	by := s.proof
	if c.anonymous() { // by configuration, so nothing is left to prove
		by = x.NobodyProof()
	}
	out.Hold(by, status.Identity)
	if f := doubt(x); f != nil {
		out.Fail(status.InBand, *f)
		return
	}
	out.Hold(x.AskedProof(), status.InBand)
}

// bounded adds what nobody can prove of a listing.
func (c *client) bounded(a *status.Audit) {
	if c.anonymous() {
		a.Unprovable(noteAnonymous)
		return
	}
	a.Unprovable(noteHidden)
}
