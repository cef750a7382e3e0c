package jira

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// options lists the keys of the projects that the account sees and that are in use.
// Which Jira it is may not be known yet, and finding out would take a request more:
// version 2 has a list of projects in both, which Cloud calls deprecated.
func (c *client) options(ctx context.Context, _ connectors.Kind) (connectors.Options, *status.Failure) {
	s, known := c.servers.Get(theServer)
	if known && s.cloud {
		w, _, f := one[wireProjects](ctx, c, s.get("/project/search", "project", "search").with(url.Values{
			"maxResults": {strconv.Itoa(projectRows)}, "orderBy": {"key"},
		}))
		if f != nil {
			return connectors.Options{}, f
		}
		return connectors.Options{Names: keysOf(*w.Values), More: !*w.Last}, nil
	}
	rows, _, f := many[wireProject](ctx, c, call{class: "/project", version: "2", path: []string{"project"}})
	if f != nil {
		return connectors.Options{}, f
	}
	return connectors.Options{Names: keysOf(rows)}, nil
}

func keysOf(all []wireProject) []string {
	var out []string
	for _, w := range all {
		if !w.Archived {
			out = append(out, *w.Key)
		}
	}
	slices.Sort(out)
	return out
}
