package confluence

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// homeLife is how long the address of the site behind the gateway is believed.
const homeLife = time.Hour

// theHome is the key under which it is kept.
const theHome = "home"

// mine reports whether a link may lead to this Confluence. The addresses of the gateway
// hold no name of the site, and people copy links to the site: until it was asked for
// its address every site of the cloud may be the one, and [client.settle] asks.
func (c *client) mine(r ref.Ref) bool {
	if r.Match(c.base) {
		return true
	}
	if !c.gateway() || !r.Fits("confluence") {
		return false
	}
	if home, ok := c.homes.Get(theHome); ok {
		return r.Match(home)
	}
	return r.Provider == "confluence" && strings.HasSuffix(r.Host, ".atlassian.net")
}

// settle makes sure that a link leads to this site, before the number in it is asked
// here: another site may have a page of that number too.
func (c *client) settle(ctx context.Context, r ref.Ref) *status.Failure {
	if r.Host == "" || r.Match(c.base) || !c.gateway() {
		return nil
	}
	home, ok := c.homes.Get(theHome)
	if !ok {
		a, f := ask[wireList[wireSpace]](ctx, c, question{class: "GET /api/v2/spaces", path: "/api/v2/spaces", values: url.Values{"limit": {"1"}}})
		switch {
		case f != nil:
			return f
		case !isWeb(a.body.Links.Base):
			return a.x.Misshapen("_links.base")
		}
		home = strings.TrimSuffix(a.body.Links.Base, "/")
		c.homes.Put(theHome, home)
	}
	if r.Match(home) {
		return nil
	}
	f := status.Fail(status.ConnectorNotConfigured, status.By(c.source), status.Host.Is(r.Host), status.Provider.Is("confluence"), status.Reference.Is(r.URL()))
	return &f
}

// pathOf is the path of a link below the address of this Confluence.
func (c *client) pathOf(r ref.Ref, path string) string {
	root := strings.TrimSuffix(c.root.Path, "/")
	if !r.Match(c.base) { // see mine
		root = r.BasePath
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, root), "/")
}
