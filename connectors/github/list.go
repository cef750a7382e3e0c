package github

import (
	"context"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// List lists files, repositories, branches or tags.
func (r repository) List(ctx context.Context, q connectors.RepoList) status.Result[connectors.Entry] {
	if f := r.filesOnly(q); f != nil {
		return status.Failed[connectors.Entry](r.source, *f)
	}
	switch q.What {
	case "repos":
		return r.listRepos(ctx, q)
	case "branches", "tags":
		return r.listRefs(ctx, q)
	default:
		return r.listFiles(ctx, q)
	}
}

// filesOnly refuses what would silently have no effect on another listing.
func (r repository) filesOnly(q connectors.RepoList) *status.Failure {
	switch {
	case q.What == "files" || q.What == "":
		return nil
	case q.Path != "":
		return r.badArgument("path", "applies to what=files only")
	case q.Revision != "":
		return r.badArgument("revision", "applies to what=files only")
	}
	return nil
}

// listFiles lists a directory, or all files below it. The cursor pins the tree
// of the first page, so that a push in between neither skips nor repeats.
func (r repository) listFiles(ctx context.Context, q connectors.RepoList) status.Result[connectors.Entry] {
	dir, f := r.cleanPath(q.Path)
	if f != nil {
		return status.Failed[connectors.Entry](r.source, *f)
	}
	treeish, offset, f := r.treeCursor(q.Cursor)
	if f != nil {
		return status.Failed[connectors.Entry](r.source, *f)
	}
	p, u := r.place(ctx, "repo", q.Repo, q.Revision)
	if u != nil {
		return unread[connectors.Entry](r.source, u)
	}
	if treeish == "" {
		treeish = p.treeish
		if dir != "" {
			e, u := r.walk(ctx, p, dir)
			if u != nil {
				return unread[connectors.Entry](r.source, u)
			}
			if e.kind() != "dir" {
				return status.Failed[connectors.Entry](r.source, r.notADirectory(p, e.kind(), dir).With(status.Fallback("read it with repo_read_file, path="+dir)))
			}
			treeish = e.SHA
		}
	}
	t, f := r.readTree(ctx, p.repo.name, treeish, q.Recursive)
	if f == nil && treeish != p.treeish {
		f = names{sha: treeish}.echoed(t.x, names{sha: t.sha})
	}
	if f != nil {
		return status.Failed[connectors.Entry](r.source, *f)
	}
	a := r.treeAudit(ctx, p, t)
	a.Hold(t.x.Proof(), status.Effectiveness)
	if dir != "" {
		dir += "/"
	}
	var all []connectors.Entry
	for _, e := range t.entries {
		if !q.Recursive || e.kind() != "dir" {
			all = append(all, r.entry(p, dir, e))
		}
	}
	from, to := cut(len(all), offset, q.Limit)
	if to < len(all) {
		a.Next(t.sha + ":" + strconv.Itoa(to))
	}
	return status.List(r.source, all[from:to], a)
}

// treeAudit opens the audit of what was found in a tree. GH-45.
func (c *client) treeAudit(ctx context.Context, p place, t tree) *status.Audit {
	a := c.audit(ctx, t.x)
	p.repo.vouch(a)
	a.Examined(len(t.entries))
	if f := t.gap(p); f != nil {
		a.Fail(status.Completeness, *f)
	}
	if t.truncated {
		a.Fail(status.Completeness, status.Fail(status.ProviderCap, status.Marker.Is("truncated"), status.Examined.Is(len(t.entries)),
			status.Fallback("list one directory after the other, without recursive")))
		return a
	}
	a.Hold(t.x.Proof(), status.Completeness)
	return a
}

// cut is the page of n rows that begins at offset.
func cut(n, offset, limit int) (from, to int) {
	from = min(offset, n)
	return from, min(from+max(limit, 1), n)
}

func (c *client) entry(p place, dir string, e wireEntry) connectors.Entry {
	path := dir + e.Path
	var s scrub
	out := connectors.Entry{
		Origin: c.fileOrigin(p, path, e.kind()), Type: e.kind(), SHA: s.word(e.SHA), SizeBytes: e.Size,
	}
	out.Path = s.path(path) // what it loses is counted in the origin already
	return out
}

// treeCursor reads "hash:offset".
func (c *client) treeCursor(cursor string) (treeish string, offset int, f *status.Failure) {
	if cursor == "" {
		return "", 0, nil
	}
	treeish, rest, _ := strings.Cut(cursor, ":")
	offset, err := strconv.Atoi(rest)
	if err != nil || offset < 0 || !isHash(treeish) {
		return "", 0, c.badArgument("cursor", "was not handed out by this source")
	}
	return treeish, offset, nil
}

// listRefs lists branches or tags, page by page as GitHub serves them. GH-38.
func (r repository) listRefs(ctx context.Context, q connectors.RepoList) status.Result[connectors.Entry] {
	name, f := r.repo("repo", q.Repo)
	if f != nil {
		return status.Failed[connectors.Entry](r.source, *f)
	}
	pos, f := r.position(q.Cursor)
	if f != nil {
		return status.Failed[connectors.Entry](r.source, *f)
	}
	k, f := r.visible(ctx, name)
	if f != nil {
		return status.Failed[connectors.Entry](r.source, *f)
	}
	refs, x, f := many[wireBranch](ctx, r.client, repoCall(k.name, "/"+q.What, q.What).with(pos.onto(perPage(q.Limit))))
	if f == nil {
		f = settled(x, k.name)
	}
	if f != nil {
		return status.Failed[connectors.Entry](r.source, f.With(status.Container.Is(k.name.String())))
	}
	mine, rest := share(refs, pos, q.Limit)
	kind := map[string]string{"branches": "branch", "tags": "tag"}[q.What]
	var items []connectors.Entry
	for _, b := range mine {
		var s scrub
		name, sha := s.line(*b.Name), s.word(b.Commit.SHA)
		items = append(items, connectors.Entry{
			Origin: connectors.Origin{Source: r.source, Container: k.name.String(), Ref: k.name.String() + "@" + name, Removed: s.removed},
			Type:   kind, Path: name, SHA: sha, Protected: b.Protected,
			Default: kind == "branch" && *b.Name == k.branch,
		})
	}
	a := r.audit(ctx, x)
	k.vouch(a)
	a.Hold(x.Proof(), status.Effectiveness)
	a.Examined(len(mine))
	if kind == "branch" && len(refs) == 0 && q.Cursor == "" && k.filled() {
		a.Fail(status.Completeness, k.hollow(x, "branches"))
	}
	r.goOn(a, x, pos, rest)
	return status.List(r.source, items, a)
}
