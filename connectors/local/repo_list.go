package local

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// maxEntries bounds how many entries of one listing are held at a time.
const maxEntries = 1_000_000

// List lists files, the repository itself, branches or tags, ordered by name.
func (c *checkout) List(ctx context.Context, q connectors.RepoList) status.Result[connectors.Entry] {
	v, failure := c.begin(ctx, q.Repo)
	if failure != nil {
		return status.Failed[connectors.Entry](c.source, *failure)
	}
	q.Limit = pageSize(q.Limit)
	switch q.What {
	case "", "files":
		return v.listFiles(q)
	case "repos":
		a := v.audit("git rev-parse --show-toplevel", 0)
		return status.List(c.source, []connectors.Entry{{
			Origin: connectors.Origin{Source: c.source, Container: v.facts.name, Ref: v.facts.name, Title: v.facts.name}, Type: "repo", Default: true,
		}}, a)
	case "branches":
		return v.listRefs(q, []string{"refs/heads/", "refs/remotes/"})
	case "tags":
		return v.listRefs(q, []string{"refs/tags/"})
	default:
		return status.Failed[connectors.Entry](c.source, *unusable("what", "give files, repos, branches or tags"))
	}
}

func pageSize(limit int) int {
	if limit <= 0 {
		return 20
	}
	return min(limit, 100)
}

// listRefs lists branches or tags.
func (v *visit) listRefs(q connectors.RepoList, under []string) status.Result[connectors.Entry] {
	format := "--format=%(refname)%00%(objectname)%00%(*objectname)%00%(symref)%00%(creatordate:unix)"
	out := v.run(command{args: append([]string{"for-each-ref", "--sort=refname", format}, under...)})
	if out.fault != nil {
		return status.Failed[connectors.Entry](v.source, *out.fault)
	}
	var items []connectors.Entry
	a := v.audit("git for-each-ref", ofRefs)
	doubt(a, out)
	after, known := rawName(q.Cursor), q.Cursor == ""
	for _, line := range strings.Split(out.text(), "\n") {
		f := strings.Split(line, "\x00")
		known = known || f[0] == after
		if len(f) != 5 || f[3] != "" || f[0] <= after {
			continue
		}
		if len(items) == q.Limit {
			a.Next(shownName(items[len(items)-1].Path))
			break
		}
		items = append(items, v.refEntry(f))
	}
	if len(items) == 0 && !known {
		return status.Failed[connectors.Entry](v.source, *stray())
	}
	for i := range items {
		items[i].Path = ""
	}
	return status.List(v.source, items, a)
}

// refEntry reads one line of for-each-ref; Path holds the full name for a moment.
func (v *visit) refEntry(f []string) connectors.Entry {
	name, kind := strings.TrimPrefix(f[0], "refs/remotes/"), "branch"
	switch {
	case strings.HasPrefix(f[0], "refs/heads/"):
		name = strings.TrimPrefix(f[0], "refs/heads/")
	case strings.HasPrefix(f[0], "refs/tags/"):
		name, kind = strings.TrimPrefix(f[0], "refs/tags/"), "tag"
	}
	e := connectors.Entry{
		Origin: connectors.Origin{Source: v.source, Container: v.facts.name, Ref: shownName(name), UpdatedAt: unixTime(f[4])},
		Type:   kind, SHA: first(f[2], f[1]), Path: f[0],
		Default: f[0] == "refs/heads/"+v.facts.branch && v.facts.branch != "",
	}
	return e
}

// unixTime reads seconds since 1970; nil if there are none.
func unixTime(s string) *time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil
	}
	t := time.Unix(n, 0).UTC()
	return &t
}

// listFiles lists the files and directories of the work tree or of a commit.
func (v *visit) listFiles(q connectors.RepoList) status.Result[connectors.Entry] {
	fail := func(f status.Failure) status.Result[connectors.Entry] {
		return status.Failed[connectors.Entry](v.source, f)
	}
	s, failure := v.newScope(q.Path)
	if failure != nil {
		return fail(*failure)
	}
	q.Cursor = rawName(q.Cursor)
	l := &listing{visit: v, q: q, scope: s, found: map[string]entry{}}
	kind := ofWorkTree
	if q.Revision != "" || v.facts.bare {
		if q.Revision != "" {
			kind = ofTree
		}
		if l.rev, failure = v.resolveOrUnborn(q.Revision); failure != nil {
			return fail(*failure)
		}
	}
	if l.scope, failure = v.place(s, l.rev.commit); failure != nil {
		return fail(*failure)
	}
	s = l.scope
	outs := l.collect()
	for _, out := range outs {
		if out.fault != nil {
			return fail(*out.fault)
		}
	}
	if !l.any && s.prefix != "" {
		if l.nothingThere() {
			return missing[connectors.Entry](v, s.prefix, l.rev.commit)
		}
		if failure := v.notSkipped(s); failure != nil {
			return fail(*failure)
		}
	}
	if len(l.found) == 0 && q.Cursor != "" && !l.passed {
		return fail(*stray())
	}
	a := v.audit("git "+l.how(), kind)
	doubt(a, outs...)
	v.noteAmbiguous(a, l.rev)
	if l.cut {
		a.Unmade(status.Completeness, ownCap(maxEntries))
	}
	l.tell(a)
	a.Examined(l.seen)
	return status.List(v.source, l.page(a), a)
}

// resolveOrUnborn is resolve of a revision, or of HEAD; a repository without a
// commit has the zero revision.
func (v *visit) resolveOrUnborn(name string) (revision, *status.Failure) {
	if name == "" || name == "HEAD" {
		unborn, failure := v.unborn()
		if failure != nil || unborn {
			return revision{}, failure
		}
	}
	return v.resolve(first(name, "HEAD"))
}

// listing is one listing of files on its way.
type listing struct {
	*visit
	q     connectors.RepoList
	scope scope
	rev   revision // of which commit; zero: of the work tree
	found map[string]entry
	seen  int
	any   bool // something lies in the scope, though perhaps before the cursor
	// passed is set once the entry was met at which the page before this one ended.
	passed bool
	cut    bool

	sparse, submodules int
}

func (l *listing) atCommit() bool { return l.rev.commit != "" }

func (l *listing) how() string {
	if l.atCommit() {
		return "ls-tree " + l.rev.commit
	}
	return "ls-files"
}

// collect reads the entries of the scope.
func (l *listing) collect() []output {
	each := func(parse func(string) (entry, bool)) func(io.Reader) error {
		return func(r io.Reader) error {
			return eachRecord(r, func(record string) bool {
				if e, ok := parse(record); ok {
					l.add(e)
				}
				return true
			})
		}
	}
	if l.facts.bare && !l.atCommit() {
		return nil
	}
	if l.atCommit() {
		args := []string{"ls-tree", "-z", "--full-tree", "-r", l.rev.commit}
		return []output{l.run(command{args: append(args, l.scope.spec()...), read: each(parseTree)})}
	}
	tracked := l.run(command{args: append([]string{"ls-files", "-t", "-s", "-z"}, l.scope.spec()...), read: each(parseIndexed)})
	other := l.run(command{args: append([]string{"ls-files", "--others", "--exclude-standard", "-z"}, l.scope.spec()...), read: each(
		func(record string) (entry, bool) { return entry{path: record}, true })})
	return []output{tracked, other}
}

// add takes one file into the listing, or the directory it lies in.
func (l *listing) add(e entry) {
	l.seen++
	l.any = true
	switch {
	case e.skipped:
		l.sparse++
		return
	case e.mode == modeSubmodule:
		l.submodules++
	}
	if strings.HasSuffix(e.path, "/") { // a repository of its own inside this one
		e.path, e.mode = strings.TrimSuffix(e.path, "/"), modeSubmodule
	}
	if !l.scope.has(e.path) {
		return
	}
	if !l.q.Recursive && l.scope.glob == nil {
		rest := strings.TrimPrefix(strings.TrimPrefix(e.path, l.scope.prefix), "/")
		if name, _, deeper := strings.Cut(rest, "/"); deeper {
			e = entry{mode: modeTree, path: path.Join(l.scope.prefix, name)}
		}
	}
	if e.path <= l.q.Cursor {
		l.passed = l.passed || e.path == l.q.Cursor
		return
	}
	if len(l.found) >= maxEntries {
		l.cut = true
		return
	}
	l.found[e.path] = e
}

// nothingThere reports whether the scope is no directory on the disk either.
func (l *listing) nothingThere() bool {
	if l.atCommit() {
		return true
	}
	_, err := os.Stat(filepath.Join(l.top, filepath.FromSlash(l.scope.prefix)))
	return err != nil
}

// tell names what is listed in the index but not on the disk.
func (l *listing) tell(a *status.Audit) {
	if l.sparse > 0 { // LG-08
		a.Unmade(status.Completeness, incomplete(partSparse).With(status.Total.Is(l.sparse)))
	}
	if l.q.Recursive && l.submodules > 0 { // LG-09
		a.Unmade(status.Completeness, status.Fail(status.ContentNotIncluded, status.Part.Is("submodules are repositories of their own"), status.Total.Is(l.submodules)))
	}
}

// page makes the entries that follow the cursor, and says if there are more.
func (l *listing) page(a *status.Audit) []connectors.Entry {
	paths := make([]string, 0, len(l.found))
	for p := range l.found {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var items []connectors.Entry
	last := ""
	for _, p := range paths {
		if len(items) == l.q.Limit {
			a.Next(shownName(last))
			break
		}
		item, there := l.item(l.found[p])
		if there {
			items, last = append(items, item), p
		}
	}
	l.sizes(items)
	return items
}

// item is one entry; a tracked file that was deleted on the disk is not there.
func (l *listing) item(e entry) (connectors.Entry, bool) {
	shown := shownName(e.path)
	item := connectors.Entry{
		Origin: connectors.Origin{Source: l.source, Container: l.facts.name, Ref: shown},
		Type:   e.kind(), Path: shown, SHA: e.sha,
	}
	if item.Type == "submodule" {
		item.Target = e.sha
	}
	if l.atCommit() {
		return item, true
	}
	item.SHA = ""
	name := filepath.Join(l.top, filepath.FromSlash(e.path))
	info, err := os.Lstat(name)
	if err != nil {
		return item, item.Type == "submodule"
	}
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		item.Type = "symlink"
		if target, err := os.Readlink(name); err == nil {
			item.Target = shownName(target)
		}
	case info.Mode().IsRegular():
		item.SizeBytes = info.Size()
	}
	return item, true
}

// sizes asks for the sizes of the files of a page of a commit. Objects that are
// not here stay without one.
func (l *listing) sizes(items []connectors.Entry) {
	if !l.atCommit() || len(items) == 0 || l.facts.partial {
		return
	}
	var ask strings.Builder
	for _, item := range items {
		if item.Type == "file" && item.SHA != "" {
			ask.WriteString(item.SHA + "\n")
		}
	}
	if ask.Len() == 0 {
		return
	}
	out := l.run(command{args: []string{"cat-file", "--batch-check=%(objectname) %(objectsize)"}, stdin: ask.String()})
	sizes := map[string]int64{}
	for _, line := range strings.Split(out.text(), "\n") {
		sha, size, _ := strings.Cut(line, " ")
		if n, err := strconv.ParseInt(size, 10, 64); err == nil {
			sizes[sha] = n
		}
	}
	for i := range items {
		items[i].SizeBytes = sizes[items[i].SHA]
	}
}
