package github

import (
	"context"
	"net/http"
	"net/url"
	"path"
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
	flat      bool // it was to be listed with all below it, and shows directories without what is in them
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
		return tree{x: x}, c.withoutCommits(ctx, r, x)
	}
	var w wireTree
	if f := x.Object(&w); f != nil {
		return tree{x: x}, f
	}
	if key := w.Missing(); key != "" {
		return tree{x: x}, x.Misshapen(key)
	}
	slices.SortFunc(*w.Tree, func(a, b wireEntry) int { return strings.Compare(a.Path, b.Path) })
	t := tree{sha: w.SHA, entries: *w.Tree, truncated: *w.Truncated, x: x}
	t.flat = recursive && !t.truncated && t.childless()
	return t, nil
}

// childless reports whether there is a directory of which no entry is shown. Git
// keeps no empty ones.
func (t tree) childless() bool {
	parents := map[string]bool{}
	for _, e := range t.entries {
		parents[path.Dir(e.Path)] = true
	}
	return slices.ContainsFunc(t.entries, func(e wireEntry) bool { return e.kind() == "dir" && !parents[e.Path] })
}

// emptyTrees are the hashes of a tree without entries, in both of Git's formats.
var emptyTrees = [...]string{
	"4b825dc642cb6eb9a060e54bf8d69288fbee4904",
	"6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}

// gap says what shows that the tree is not all that is there: no entries, although
// the repository is filled and this is not Git's empty tree, or a listing that did
// not go into the directories.
func (t tree) gap(p place) *status.Failure {
	var f status.Failure
	switch {
	case len(t.entries) == 0 && t.x.Status == http.StatusOK && p.repo.filled() && !slices.Contains(emptyTrees[:], t.sha):
		f = p.repo.hollow(t.x, "files")
	case t.flat:
		f = *t.x.Fail(status.Contradictory, status.Container.Is(p.repo.name.String()), status.Marker.Is("directories are listed without what is in them"))
	default:
		return nil
	}
	return &f
}

// saysEmpty is in GitHub's message for a repository without commits. It sends
// the same status where the repository cannot be read at the moment.
const saysEmpty = "repository is empty"

// saysWithoutCommits reports whether a 409 is GitHub's answer for a repository
// without commits: its JSON, and its words.
func saysWithoutCommits(x *upstream.Exchange) bool {
	return x.Status == http.StatusConflict && strings.Contains(x.Header.Get("Content-Type"), "json") &&
		strings.Contains(strings.ToLower(errorBody(x).Message), saysEmpty)
}

// withoutCommits confirms a 409 by the repository's own record, which must say
// that there is nothing in it.
func (c *client) withoutCommits(ctx context.Context, r repoName, x *upstream.Exchange) *status.Failure {
	if !saysWithoutCommits(x) {
		return x.Fail(status.HTTP4xx, status.Container.Is(r.String()), status.Marker.Is("a conflict that is not told as a repository without commits"))
	}
	k, f := c.visible(ctx, r)
	switch {
	case f != nil:
		return f
	case k.size == nil:
		return x.Fail(status.HTTP4xx, status.Container.Is(r.String()), status.MissingKey.Is("size"))
	case *k.size > 0:
		return x.Fail(status.Contradictory, status.Container.Is(r.String()), status.Marker.Is("a repository with content is answered as one without commits"))
	}
	return nil
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
