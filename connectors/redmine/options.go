package redmine

import (
	"context"
	"net/url"
	"slices"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// options lists the identifiers of projects that the account sees, with the module
// that the kind needs; for a tracker, those that take issues. Redmine answers a key
// that it does not know as it answers nobody, with what is public (RM-01). Whose the
// key is would take a request more: the note says so where neither an earlier answer
// nor a row shows it.
func (c *client) options(ctx context.Context, kind connectors.Kind) (connectors.Options, *status.Failure) {
	module, in := moduleTracker, "1"
	if kind == connectors.KindDocs {
		module, in = moduleWiki, "1|5" // closed ones can be read. RM-10
	}
	query := part(url.Values{"status": {in}, "include": {"enabled_modules"}}, 0, maxLimit)
	w, x, f := one[wireProjects](ctx, c, get("/projects.json", "projects").with(query))
	if f != nil {
		return connectors.Options{}, f
	}
	var o connectors.Options
	_, counted := c.people.Get(c.up.Fingerprint(ctx))
	counted = counted || c.anonymous()
	for _, row := range *w.Projects {
		k := containerOf(row)
		counted = counted || row.Public != nil && !k.public
		if !k.lacks(module) && (k.status == projectActive || in != "1") {
			o.Names = append(o.Names, k.identifier)
		}
	}
	slices.Sort(o.Names)
	end, odd := page{rows: len(*w.Projects), listing: w.wireListing, x: x}.ends()
	o.More = !end || odd != nil
	if !counted {
		o.Note = "only public ones came, and whether the key of the source counts was not looked at"
	}
	return o, nil
}
