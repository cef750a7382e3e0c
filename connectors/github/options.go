package github

import (
	"context"
	"net/url"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// options lists the repositories of the account by name, one page of them; for a
// tracker those that take issues. There is no list for nobody, nor one that an
// application's installation may ask for at this address.
func (c *client) options(ctx context.Context, kind connectors.Kind) (connectors.Options, *status.Failure) {
	if c.anonymous() {
		return connectors.Options{}, nil
	}
	query := url.Values{"per_page": {describeRows}, "sort": {"full_name"}}
	rows, x, f := many[wireRepo](ctx, c, call{class: ownRepos, path: []string{"user", "repos"}, query: query})
	if f != nil {
		return connectors.Options{}, f
	}
	var o connectors.Options
	for _, w := range rows {
		k := containerOf(w, repoName{})
		if k.name == (repoName{}) || kind == connectors.KindTracker && (k.trackerless() || k.archived) {
			continue
		}
		o.Names = append(o.Names, k.name.String())
	}
	_, o.More = nextPage(x.Header)
	return o, nil
}
