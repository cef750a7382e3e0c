package github

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// place is a revision of a repository, both proved to be there.
type place struct {
	repo     container
	revision string // as asked, or the default branch
	treeish  string // its commit's hash, or the name of the default branch
}

// place proves the repository ("" is the default project) and the revision (""
// is the default branch) to be there. argument is how the caller names the
// repository.
func (c *client) place(ctx context.Context, argument, asked, revision string) (place, *unfound) {
	name, f := c.repo(argument, asked)
	if f != nil {
		return place{}, stop(f)
	}
	if f := c.revision(revision); f != nil {
		return place{}, stop(f)
	}
	k, f := c.visible(ctx, name)
	if f != nil {
		return place{}, stop(f)
	}
	if k.branch == "" { // nobody said; HEAD means the same
		k.branch = "HEAD"
	}
	p := place{repo: k, revision: revision, treeish: k.branch}
	if revision == "" {
		p.revision = k.branch
	}
	if p.revision == k.branch && !strings.Contains(p.revision, "/") {
		return p, nil
	}
	sha, u := c.commitOf(ctx, k.name, p.revision)
	if u != nil {
		return p, u
	}
	p.treeish = sha
	return p, nil
}

// mediaSHA makes GitHub answer a commit with its hash alone.
const mediaSHA = "application/vnd.github.sha"

// commitOf is the hash of the commit that a revision means. For a repository
// without commits it is the revision itself, of which every tree is empty.
func (c *client) commitOf(ctx context.Context, r repoName, revision string) (string, *unfound) {
	k := repoCall(r, "/commits/{ref}", "commits", revision)
	k.accept, k.media, k.statuses = mediaSHA, upstream.Bytes, []int{http.StatusOK, http.StatusConflict}
	x, f := c.get(ctx, k)
	switch {
	case f != nil && noCommit(x):
		return "", stop(c.noRevision(ctx, r, revision))
	case f != nil:
		return "", stop(f)
	case x.Status == http.StatusConflict:
		if f := c.withoutCommits(ctx, r, x); f != nil {
			return "", stop(f)
		}
		return revision, nil
	}
	sha := strings.TrimSpace(string(x.Body))
	if !isHash(sha) {
		return "", stop(x.Misshapen("sha"))
	}
	if f := (names{sha: revision}).echoed(x, names{sha: sha}); f != nil {
		return "", stop(f)
	}
	return sha, nil
}

// noCommit: 404, and 422 for what could be a hash, say that there is no such commit.
func noCommit(x *upstream.Exchange) bool {
	return x != nil && (x.Status == http.StatusNotFound || x.Status == http.StatusUnprocessableEntity)
}

// isHash holds for a whole SHA-1 or SHA-256.
func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// noRevision says that the repository has no such revision, and which branches
// it has. That those can be read shows that the missing one is not hidden.
func (c *client) noRevision(ctx context.Context, r repoName, revision string) *status.Failure {
	branches, _, f := many[wireBranch](ctx, c, repoCall(r, "/branches", "branches").with(perPage(pageSize)))
	if f != nil {
		return f
	}
	var near, far []status.Candidate
	for _, b := range branches {
		candidate := status.Candidate{Ref: r.String() + "@" + *b.Name, Title: "branch " + *b.Name, Source: c.source}
		if strings.Contains(*b.Name, revision) || strings.Contains(revision, *b.Name) {
			near = append(near, candidate)
		} else {
			far = append(far, candidate)
		}
	}
	unresolved := status.Fail(status.FilterUnresolved, status.Filter.Is("revision "+revision), status.Revision.Is(revision),
		status.Container.Is(r.String()), status.Among(append(near, far...)...))
	return &unresolved
}

// border splits what stands after blob/ or tree/ in a link into revision and
// path: the name of a branch or tag may contain slashes, so that only the
// repository knows. Git allows no name that is a directory of another.
func (c *client) border(ctx context.Context, r repoName, revPath string) (revision, path string, f *status.Failure) {
	first, _, _ := strings.Cut(revPath, "/")
	for _, kind := range []string{"heads", "tags"} {
		refs, _, f := many[wireGitRef](ctx, c, repoCall(r, "/git/matching-refs/{ref}", "git", "matching-refs", kind, first).with(perPage(pageSize)))
		if f != nil {
			return "", "", f
		}
		for _, g := range refs {
			name := strings.TrimPrefix(*g.Ref, "refs/"+kind+"/")
			if rest, ok := strings.CutPrefix(revPath, name+"/"); ok && len(name) > len(revision) {
				revision, path = name, rest
			}
		}
		if revision != "" {
			return revision, path, nil
		}
	}
	return "", "", nil
}

// walk finds the entry at path, directory by directory, each read whole, so
// that not finding it proves that it is not there. GH-45.
func (c *client) walk(ctx context.Context, p place, path string) (wireEntry, *unfound) {
	treeish, dir := p.treeish, ""
	segments := strings.Split(path, "/")
	for i, name := range segments {
		t, f := c.readTree(ctx, p.repo.name, treeish, false)
		if f == nil && i > 0 { // the first may be a commit's hash, which its tree need not repeat
			f = names{sha: treeish}.echoed(t.x, names{sha: t.sha})
		}
		if f != nil {
			return wireEntry{}, stop(f)
		}
		e, ok := t.find(name)
		switch {
		case !ok:
			return e, c.notInTree(ctx, p, t, spot{dir, path})
		case i == len(segments)-1:
			return e, nil
		case e.kind() != "dir":
			return e, stop(c.notADirectory(p, e.kind(), dir+name))
		}
		dir, treeish = dir+name+"/", e.SHA
	}
	return wireEntry{}, stop(c.badArgument("path", "is empty"))
}

// spot is a path that was looked for, and how much of it was found.
type spot struct{ dir, path string }

// notInTree says that the path is not there, and what is beside where it would be.
func (c *client) notInTree(ctx context.Context, p place, t tree, s spot) *unfound {
	about := []status.Option{status.Reference.Is(s.path + " at " + p.revision), status.Path.Is(s.path),
		status.Revision.Is(p.revision), status.Container.Is(p.repo.name.String())}
	if t.truncated {
		f := status.Fail(status.ProviderCap, append(about, status.Examined.Is(len(t.entries)))...)
		return stop(&f)
	}
	var beside []status.Candidate
	for _, e := range t.entries {
		beside = append(beside, status.Candidate{Ref: s.dir + e.Path, Title: e.kind(), Source: c.source})
	}
	a := c.audit(ctx, t.x)
	p.repo.vouch(a)
	if f := t.gap(p); f != nil {
		a.Fail(status.Scope, *f)
	}
	return &unfound{audit: a, opts: append(about, status.Among(beside...))}
}

// notADirectory: below a file there is nothing, below a submodule there is
// another repository. GH-48.
func (c *client) notADirectory(p place, kind, path string) *status.Failure {
	about := []status.Option{status.Path.Is(path), status.Reference.Is(path), status.Container.Is(p.repo.name.String())}
	f := status.Fail(status.ContentNotIncluded, append(about, status.Part.Is(kind+" "+path))...)
	if kind == "file" {
		f = status.Fail(status.WrongKind, append(about, status.Part.Is("a file"))...)
	}
	return &f
}

// pageSize is the largest page that GitHub serves. GH-38.
const pageSize = 100

func perPage(n int) url.Values { return options(gh.ListOptions{PerPage: n}) }
