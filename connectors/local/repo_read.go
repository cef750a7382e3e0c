package local

import (
	"context"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

const (
	// maxText bounds the text of one answer, in bytes.
	maxText = 128 << 10
	// maxCounted is the largest file whose lines are counted to the end.
	maxCounted = 16 << 20
	maxLinks   = 10
)

// ReadFile reads a file or some of its lines: without a revision from the disk,
// tracked or untracked but not ignored; with one from that commit.
func (c *checkout) ReadFile(ctx context.Context, q connectors.FileGet) status.Result[connectors.File] {
	v, failure := c.begin(ctx, q.Repo)
	if failure != nil {
		return status.Failed[connectors.File](c.source, *failure)
	}
	p, failure := c.cleanPath(q.Path)
	if failure == nil && (q.StartLine < 0 || q.EndLine < 0 || q.EndLine > 0 && q.EndLine < q.StartLine) {
		failure = unusable("end_line", "lines count from 1, and the last is not before the first")
	}
	if failure != nil {
		return status.Failed[connectors.File](c.source, *failure)
	}
	q.Path = p
	if q.Revision == "" && !v.facts.bare {
		return v.readDisk(q)
	}
	return v.readCommit(q)
}

func (v *visit) file(q connectors.FileGet) connectors.File {
	return connectors.File{
		Origin: connectors.Origin{Source: v.source, Container: v.facts.name, Ref: refOf(q), Title: lastName(q.Path)},
		Repo:   v.facts.name, Path: shownName(q.Path), Revision: q.Revision,
	}
}

func refOf(q connectors.FileGet) string {
	p := shownName(q.Path)
	if q.StartLine == 0 {
		return p
	}
	p += ":" + strconv.Itoa(q.StartLine)
	if q.EndLine > q.StartLine {
		p += "-" + strconv.Itoa(q.EndLine)
	}
	return p
}

// readDisk reads a file of the work tree.
func (v *visit) readDisk(q connectors.FileGet) status.Result[connectors.File] {
	fail := func(f status.Failure) status.Result[connectors.File] {
		return status.Failed[connectors.File](v.source, f)
	}
	tracked := v.run(command{args: append([]string{"ls-files", "-t", "-s", "-z"}, scope{prefix: q.Path}.spec()...), limit: 1 << 20})
	if tracked.fault != nil {
		return fail(*tracked.fault)
	}
	e, below := v.entryAt(tracked, q.Path, parseIndexed)
	if e != nil && e.mode == modeSubmodule {
		return fail(submodule(q.Path))
	}
	f, failure := v.onDisk(q.Path)
	switch {
	case failure != nil:
		return fail(*failure)
	case f == nil && e != nil && e.skipped: // LG-08
		return fail(incomplete(partSparse).With(pathFact(q.Path), status.Fallback("call again with the revision HEAD")))
	case f == nil:
		return missing[connectors.File](v, q.Path, "")
	}
	defer f.Close()
	switch {
	case f.info.IsDir():
		return fail(v.isDirectory(q, below))
	case dataless(f.info): // LD-14: reading it would wait for a download
		return fail(skipPlaceholder.failure().With(pathFact(q.Path)))
	}
	if e == nil || f.real != q.Path {
		if failure := v.notIgnored(f.real); failure != nil {
			return fail(*failure)
		}
	}
	item := v.file(q)
	item.SizeBytes = f.info.Size()
	modified := f.info.ModTime().UTC()
	item.UpdatedAt = &modified
	a := v.audit("read "+item.Path, 0)
	if failure := fill(&item, q, f, a); failure != nil {
		return fail(*failure)
	}
	return status.One(v.source, item, a)
}

// notIgnored refuses an untracked file that the repository's rules exclude:
// what lies there (builds, credentials) is no part of the source. LG-12.
func (v *visit) notIgnored(p string) *status.Failure {
	out := v.run(command{args: []string{"ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", p}, limit: 1 << 20})
	if out.fault != nil || len(out.bytes) > 0 {
		return out.fault
	}
	f := status.Fail(status.OperationUnsupported, status.Feature.Is("files that .gitignore excludes"), pathFact(p), status.WasCalled)
	return &f
}

// entryAt picks out of a listing the entry that is the path itself, and the
// names right below it.
func (v *visit) entryAt(out output, p string, parse func(string) (entry, bool)) (*entry, []string) {
	var at *entry
	var below []string
	seen := map[string]bool{}
	for _, record := range records(out.bytes) {
		e, ok := parse(record)
		if !ok {
			continue
		}
		if e.path == p {
			at = &e
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(e.path, p), "/")
		name, _, dir := strings.Cut(rest, "/")
		if dir {
			name += "/"
		}
		if !seen[name] && len(below) < maxCandidates {
			seen[name] = true
			below = append(below, path.Join(p, name))
		}
	}
	return at, below
}

// isDirectory says that a path names a directory and what lies in it.
func (v *visit) isDirectory(q connectors.FileGet, below []string) status.Failure {
	name := first(shownName(q.Path), ".")
	remedy := "List it with repo_list path=" + name
	if q.Revision != "" {
		remedy += " revision=" + q.Revision
	}
	return status.Fail(status.WrongKind, status.WasCalled, status.Reference.Is(name), status.Part.Is("a directory"), pathFact(q.Path),
		status.Among(v.candidates(below, "")...), status.Remedy.Is(remedy+"."), status.Fallback("list the directory with repo_list"))
}

func (v *visit) candidates(paths []string, title string) []status.Candidate {
	var cs []status.Candidate
	for _, p := range paths {
		cs = append(cs, status.Candidate{Ref: shownName(p), Title: title, Source: v.source})
	}
	return cs
}

func submodule(p string) status.Failure { // LG-09
	return status.Fail(status.ContentNotIncluded, status.Part.Is("the path is a submodule, a repository of its own"), pathFact(p))
}

// readCommit reads a file as it is in a commit.
func (v *visit) readCommit(q connectors.FileGet) status.Result[connectors.File] {
	fail := func(f status.Failure) status.Result[connectors.File] {
		return status.Failed[connectors.File](v.source, f)
	}
	rev, failure := v.resolve(first(q.Revision, "HEAD"))
	if failure != nil {
		return fail(*failure)
	}
	e, failure := v.inTree(rev.commit, q.Path)
	switch {
	case failure != nil:
		return fail(*failure)
	case e == nil:
		return missing[connectors.File](v, q.Path, rev.commit)
	case e.mode == modeSubmodule:
		return fail(submodule(q.Path))
	case e.mode == modeTree:
		below := v.run(command{args: append([]string{"ls-tree", "-z", "--full-tree", rev.commit, "--"}, inside(e.path)...), limit: 1 << 20})
		if below.fault != nil {
			return fail(*below.fault)
		}
		_, names := v.entryAt(below, e.path, parseTree)
		return fail(v.isDirectory(q, names))
	}
	size := v.run(command{args: []string{"cat-file", "-s", e.sha}})
	if size.fault != nil {
		return fail(*size.fault)
	}
	item := v.file(q)
	item.SHA, item.CommitSHA = e.sha, rev.commit
	item.Revision = first(q.Revision, "HEAD")
	item.SizeBytes, _ = strconv.ParseInt(size.text(), 10, 64) // git prints a number or fails
	q2 := ofTree
	if q.Revision == "" {
		q2 |= ofWorkTree
	}
	a := v.audit("git cat-file "+e.sha, q2)
	v.noteAmbiguous(a, rev)
	var inner *status.Failure
	out := v.run(command{args: []string{"cat-file", "blob", e.sha}, read: func(r io.Reader) error {
		if inner = fill(&item, q, r, a); inner != nil {
			return errEnough
		}
		return errEnoughUnlessEnd(r)
	}})
	if out.fault != nil {
		return fail(*out.fault)
	}
	if inner != nil {
		return fail(*inner)
	}
	return status.One(v.source, item, a)
}

// errEnoughUnlessEnd is nil if nothing more can be read.
func errEnoughUnlessEnd(r io.Reader) error {
	var one [1]byte
	if n, err := r.Read(one[:]); n == 0 && err == io.EOF {
		return nil
	}
	return errEnough
}

func (v *visit) noteAmbiguous(a *status.Audit, r revision) {
	if r.ambiguous { // LG-28
		a.Uncovered("a_tag_has_the_name_of_the_branch_that_was_read")
	}
}

// inside are the arguments that list what lies in a directory of a tree.
func inside(dir string) []string {
	if dir == "" {
		return nil
	}
	return []string{dir + "/"}
}

// lookup finds an entry of a commit's tree, and the first symbolic link on the
// way to it, if there is one.
func (v *visit) lookup(commit, p string) (at, link *entry, failure *status.Failure) {
	if p == "" {
		return &entry{mode: modeTree}, nil, nil
	}
	args := []string{"ls-tree", "-z", "--full-tree", commit, "--"}
	for i, c := range p {
		if c == '/' {
			args = append(args, p[:i])
		}
	}
	out := v.run(command{args: append(args, p)})
	if out.fault != nil {
		return nil, nil, out.fault
	}
	for _, record := range records(out.bytes) {
		e, ok := parseTree(record)
		switch {
		case !ok:
		case e.path == p && e.mode != modeSymlink:
			at = &e
		case e.mode == modeSymlink && (e.path == p || strings.HasPrefix(p, e.path+"/")):
			link = &e
		}
	}
	return at, link, nil
}

// inTree is lookup that follows symbolic links inside the tree; nil if there is
// no such entry.
func (v *visit) inTree(commit, p string) (*entry, *status.Failure) {
	_, e, failure := v.follow(commit, p)
	return e, failure
}

// follow is inTree that also tells the path without symbolic links.
func (v *visit) follow(commit, p string) (string, *entry, *status.Failure) {
	for range maxLinks {
		at, link, failure := v.lookup(commit, p)
		if failure != nil || link == nil {
			return p, at, failure
		}
		target := v.run(command{args: []string{"cat-file", "blob", link.sha}, limit: maxPath})
		if target.fault != nil {
			return p, nil, target.fault
		}
		if strings.HasPrefix(string(target.bytes), "/") {
			return p, nil, outside(p)
		}
		next := path.Join(path.Dir(link.path), string(target.bytes), strings.TrimPrefix(p, link.path))
		if p, failure = v.cleanPath(next); failure != nil {
			return p, nil, failure
		}
	}
	f := status.Fail(status.Contradictory, status.Marker.Is("symbolic links lead in a circle"), pathFact(p))
	return p, nil, &f
}

// fill reads the lines that were asked for into item and names what is missing.
func fill(item *connectors.File, q connectors.FileGet, r io.Reader, a *status.Audit) *status.Failure {
	c := open(r)
	item.Encoding = c.encoding
	switch {
	case c.lfs >= 0: // LG-11
		a.Unmade(status.Completeness, status.Fail(status.ContentNotIncluded,
			status.Part.Is("this is a pointer; Git LFS keeps the content"), status.SizeBytes.Is(c.lfs), pathFact(q.Path)))
		return nil
	case c.text == nil && !c.empty: // LG-14
		a.Unmade(status.Completeness, status.Fail(status.ContentNotIncluded,
			status.Part.Is("the file is binary"), status.SizeBytes.Is(item.SizeBytes), pathFact(q.Path)))
		return nil
	case c.empty:
		return nil
	}
	from, to := max(q.StartLine, 1), q.EndLine
	count := item.SizeBytes <= maxCounted
	var text strings.Builder
	full := false
	lines := 0
	err := eachLine(c.text, maxText, func(n int, line []byte, cut bool) bool {
		lines = n
		if n < from || to > 0 && n > to || full {
			return n < from || count
		}
		if text.Len()+len(line)+1 > maxText || cut {
			line = wholeRunes(line[:min(len(line), max(maxText-text.Len()-1, 0))])
			full = true
			if text.Len() > 0 { // only a line that is too long by itself is cut
				return count
			}
		}
		text.Write(line)
		text.WriteByte('\n')
		item.EndLine = n
		return true
	})
	stopped := errors.Is(err, errEnough)
	if err != nil && !stopped {
		f := status.Fail(status.TruncatedBody, pathFact(q.Path))
		return &f
	}
	if !stopped {
		item.TotalLines = lines
	}
	if item.EndLine > 0 {
		item.StartLine = from
	}
	shown, removed := markup.Clean(text.String())
	item.Text, item.Removed = shown, removed.Total()
	switch {
	case full: // LD-16
		a.Unmade(status.Completeness, status.Fail(status.OwnCap, status.Limit.Is(maxText), status.SizeBytes.Is(item.SizeBytes),
			status.Fallback("call again with start_line "+strconv.Itoa(item.EndLine+1))))
	case item.EndLine == 0 && !stopped:
		return unusable("start_line", "the file has "+strconv.Itoa(lines)+" lines")
	}
	return nil
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
