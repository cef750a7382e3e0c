package mediawiki

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// siteLife is how long a proof may be used again.
const siteLife = time.Minute

// Notes on what a wiki offers no way to prove, or does not search.
const (
	noteHidden    = "rows_hidden_from_account" // MW-15: extensions hide namespaces and pages without a sign
	noteAnonymous = "private_rows_hidden_from_anonymous"
	noteLag       = "age_of_the_search_index"
	noteWords     = "parts_of_words" // the index knows whole words
	noteParser    = "warnings_of_the_parser"
)

// site is the wiki as this credential sees it: the container, and the account that
// it was shown to.
type site struct {
	name    string
	main    string // title of the main page
	server  *url.URL
	article string // path of a page, with $1 for the title
	script  string // path of index.php
	folds   bool   // the first letter of a title has no case
	cirrus  bool   // Elasticsearch is behind the search; else a table of whole words
	spaces  []space
	user    string
	proof   status.Proof
}

// look proves that the wiki is visible for this credential, and to whom.
func (c *client) look(ctx context.Context) (site, *status.Failure) {
	key := c.up.Fingerprint(ctx)
	if s, ok := c.sites.Get(key); ok {
		return s, nil
	}
	a, f := c.ask(ctx, query("meta=siteinfo|userinfo", url.Values{
		"meta": {"siteinfo|userinfo"}, "siprop": {"general|namespaces|namespacealiases|extensions"},
	}))
	if f != nil {
		return site{}, f
	}
	q := a.Query
	switch {
	case q == nil || q.General == nil || q.General.SiteName == "":
		return site{}, a.x.Misshapen("query.general")
	case len(q.Namespaces) == 0:
		return site{}, a.x.Misshapen("query.namespaces")
	case q.User == nil || q.User.Name == "":
		return site{}, a.x.Misshapen("query.userinfo")
	case !c.anonymous() && (q.User.Anonymous || q.User.Temporary || q.User.ID == 0): // MW-04
		return site{}, a.x.Fail(status.AuthContextRequired, status.Marker.Is("userinfo.anon"))
	case a.account != "" && !sameTitle(site{folds: true}, a.account, q.User.Name): // such as somebody's copy in a cache
		return site{}, a.x.Contradicts("it was answered to another account")
	}
	if f := a.doubt(); f != nil {
		return site{}, f
	}
	s := c.siteOf(*q)
	s.proof = a.x.AskedProof()
	c.sites.Put(key, s)
	return s, nil
}

func (c *client) siteOf(q wireQuery) site {
	g := q.General
	s := site{
		name: g.SiteName, main: g.MainPage, article: g.ArticlePath, script: g.Script, folds: g.Case != "case-sensitive",
		cirrus: slices.ContainsFunc(q.Extensions, func(e wireExtension) bool { return e.Name == "CirrusSearch" }),
		spaces: spacesOf(q), user: q.User.Name,
	}
	// The wiki knows the address of its pages; one on another host than that of its
	// API, or none, is taken for that of the API.
	server, err := url.Parse(g.Server)
	if err != nil || server.Host == "" || !strings.EqualFold(server.Hostname(), c.api.Hostname()) {
		server = &url.URL{Host: c.api.Host}
	}
	s.server = &url.URL{Scheme: c.api.Scheme, Host: server.Host}
	if !strings.Contains(s.article, "$1") {
		s.article = s.script + "/$1"
	}
	return s
}

// url is the address of a page for people.
func (s site) url(title string) string {
	path := strings.Replace(s.article, "$1", strings.ReplaceAll(title, " ", "_"), 1)
	if before, after, ok := strings.Cut(s.article, "?"); ok { // /w/index.php?title=$1
		u := *s.server
		u.Path, u.RawQuery = before, strings.Replace(after, "$1", url.QueryEscape(strings.ReplaceAll(title, " ", "_")), 1)
		return u.String()
	}
	u := *s.server
	u.Path = path
	return u.String()
}

// heard opens the audit of an answer that was decoded: what reading it has checked,
// for whom it was made, that the wiki is visible, and what its warnings say.
func (c *client) heard(a answer, s site) *status.Audit {
	out := &status.Audit{}
	c.hear(out, a, s)
	return out
}

func (c *client) hear(out *status.Audit, a answer, s site) {
	out.Hold(a.x.AskedProof(), status.Transport, status.Shape)
	if c.anonymous() { // by configuration, so nothing is left to prove
		out.Hold(a.x.NobodyProof(), status.Identity)
	} else {
		out.Hold(a.x.AskedProof(), status.Identity) // the request asserted the account. MW-04
	}
	out.Hold(s.proof, status.Scope)
	if f := a.doubt(); f != nil {
		check := status.InBand
		if f.Reason() == status.FilterUnresolved {
			check = status.Effectiveness
		}
		out.Fail(check, *f)
		if check == status.InBand {
			return
		}
	}
	out.Hold(a.x.AskedProof(), status.InBand)
}

// bounded adds what nobody can prove of a listing.
func (c *client) bounded(a *status.Audit) {
	if c.anonymous() {
		a.Unprovable(noteAnonymous)
		return
	}
	a.Unprovable(noteHidden)
}

// doubt is what an answer says against itself: warnings that are about its
// content, or an old copy. HT-15.
func (a answer) doubt() *status.Failure {
	if f := a.x.Stale(); f != nil {
		return f
	}
	if len(a.Warnings) == 0 || string(a.Warnings) == "null" {
		return nil
	}
	var list []wireWarning
	if json.Unmarshal(a.Warnings, &list) != nil { // a wiki too old to tell them by code
		return a.x.Fail(status.GraphQLError, status.Marker.Is("warnings"))
	}
	for _, w := range list {
		switch {
		case w.Code == "deprecation" || w.Code == "deprecation-help" || strings.HasPrefix(w.Code, "deprecat"):
			// They speak of how we ask.
		case w.Code == "unrecognizedvalues" || w.Code == "unrecognizedparams":
			// The wiki went on without them: more, or something else, was answered. MW-09.
			return a.x.Fail(status.FilterUnresolved, status.Filter.Is(word(w.Module)))
		case w.Code == "truncatedresult":
			return a.x.Fail(status.ProviderCap, status.Marker.Is("truncatedresult"))
		case w.Module == "query+search":
			return a.x.Fail(status.IndexIncomplete, status.Marker.Is("warnings"))
		default:
			return a.x.Fail(status.GraphQLError, status.Marker.Is("warnings"))
		}
	}
	return nil
}

// word is a name that the wiki's program made up; anything else is left out.
func word(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '+' && r != '-' && r != '_'
	}) {
		return ""
	}
	return s
}

// done holds completeness if the provider says that there is no more: nothing to
// continue, and the batch complete. MW-05, MW-06.
func (a answer) done(out *status.Audit) {
	if a.Continue == nil && !a.BatchComplete {
		out.Unmade(status.Completeness, *a.x.Misshapen("batchcomplete"))
		return
	}
	out.Hold(a.x.AskedProof(), status.Completeness)
}

// jobsWaiting says that tables which jobs fill may lag behind the pages, or nil. MW-16.
func jobsWaiting(x *upstream.Exchange, s *wireStatistics) *status.Failure {
	switch {
	case s == nil:
		return x.Misshapen("query.statistics")
	case s.Jobs > 0:
		return x.Fail(status.IndexIncomplete, status.Marker.Is("jobs"), status.Total.Is(s.Jobs))
	}
	return nil
}
