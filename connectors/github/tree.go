package github

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// maxTree bounds the answer of a tree: GitHub itself cuts at 7 MB of entries,
// which its JSON makes larger.
const maxTree = 32 << 20

// tree is what a directory of one revision holds; its paths are relative to it.
type tree struct {
	sha       string
	entries   []wireEntry
	truncated bool // GH-45: GitHub left entries out
	x         *upstream.Exchange
}

// readTree reads a tree by its hash, a commit's hash, or the name of a branch
// without a slash. A repository without commits answers 409 and has an empty
// tree.
func (c *client) readTree(ctx context.Context, r repoName, treeish string, recursive bool) (tree, *status.Failure) {
	k := repoCall(r, "/git/trees/{tree}", "git", "trees", treeish)
	k.statuses, k.maxBody = []int{http.StatusOK, http.StatusConflict}, maxTree
	if recursive {
		k.query = url.Values{"recursive": {"1"}}
	}
	x, f := c.get(ctx, k)
	if f == nil {
		f = settled(x, r)
	}
	if f != nil {
		return tree{x: x}, f
	}
	if x.Status == http.StatusConflict {
		return tree{x: x}, c.withoutCommits(ctx, r)
	}
	var w wireTree
	if f := decode(x, '{', &w); f != nil {
		return tree{x: x}, f
	}
	if key := w.missing(); key != "" {
		return tree{x: x}, misshapen(x, key)
	}
	slices.SortFunc(*w.Tree, func(a, b wireEntry) int { return strings.Compare(a.Path, b.Path) })
	return tree{sha: w.SHA, entries: *w.Tree, truncated: *w.Truncated, x: x}, nil
}

// withoutCommits confirms a 409, GitHub's answer for a repository without commits,
// by the repository's own record: one that has a size has commits.
func (c *client) withoutCommits(ctx context.Context, r repoName) *status.Failure {
	k, f := c.visible(ctx, r)
	if f == nil && k.size > 0 {
		no := status.Fail(status.Contradictory, status.HTTPStatus.Is(http.StatusConflict), status.Marker.Is("a repository with content is answered as one without commits"))
		f = &no
	}
	return f
}

// find returns the entry of that name.
func (t tree) find(name string) (wireEntry, bool) {
	i := slices.IndexFunc(t.entries, func(e wireEntry) bool { return e.Path == name })
	if i < 0 {
		return wireEntry{}, false
	}
	return t.entries[i], true
}

// kind names what an entry is, as listings show it. GH-48: only the mode tells
// a symlink from a file.
func (e wireEntry) kind() string {
	switch {
	case e.Type == "commit":
		return "submodule"
	case e.Type == "tree":
		return "dir"
	case e.Mode == "120000":
		return "symlink"
	default:
		return "file"
	}
}
