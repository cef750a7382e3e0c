package local

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// place is a file or directory of the tree that somebody named.
type place struct {
	path string // as it is spelt on the disk
	real string // without symbolic links
	info fs.FileInfo
}

// locate finds what a path names, whatever the case and normal form it is
// written in. The last result is false if there is nothing of that name.
func (l *look) locate(name string) (place, *status.Failure, bool) {
	clean, failure := l.inner(name)
	if failure != nil {
		return place{}, failure, false
	}
	p, failure, found := l.exactly(clean)
	if failure != nil || found {
		return p, failure, found
	}
	return l.alike(name, clean)
}

// inner turns what a person calls a path into one below the root, with slashes;
// the root itself is ".". LD-17: what lies outside is refused without a look.
func (l *look) inner(name string) (string, *status.Failure) {
	slashed := filepath.ToSlash(name)
	if filepath.IsAbs(name) {
		rel, inside := l.within(filepath.Clean(name))
		if !inside { // the root may be known under the name of a symbolic link
			if target, err := filepath.EvalSymlinks(name); err == nil {
				rel, inside = l.within(target)
			}
		}
		if !inside {
			return "", outside(name)
		}
		slashed = rel
	}
	slashed = path.Clean(slashed)
	if raw := rawName(slashed); raw != slashed && (l.has(raw) || !l.has(slashed)) {
		slashed = path.Clean(raw)
	}
	if strings.HasPrefix(slashed, "/") || slashed != "." && !filepath.IsLocal(filepath.FromSlash(slashed)) {
		return "", outside(name)
	}
	if inGitDir(slashed) {
		return "", denied(name, "git_directory")
	}
	return slashed, nil
}

// exactly looks at a path as it is spelt.
func (l *look) exactly(name string) (place, *status.Failure, bool) {
	info, err := l.vol.Stat(name)
	switch {
	case err == nil:
		return place{name, l.realOf(name), info}, nil, true
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL):
		return place{}, nil, false
	case errors.Is(err, fs.ErrPermission):
		f := skipUnreadable.failure().With(pathFact(name))
		return place{}, &f, false
	}
	// The system refuses a symbolic link that is absolute or leads out. LD-05.
	target, err := filepath.EvalSymlinks(l.disk(name))
	if err != nil {
		f := skipOf(err).failure().With(pathFact(name))
		return place{}, &f, false
	}
	real, inside := l.within(target)
	if !inside {
		return place{}, outside(name), false
	}
	info, err = l.vol.Stat(real)
	if err != nil {
		f := skipOf(err).failure().With(pathFact(name))
		return place{}, &f, false
	}
	return place{name, real, info}, nil, true
}

// realOf is a path of the tree without symbolic links.
func (l *look) realOf(name string) string {
	if target, err := filepath.EvalSymlinks(l.disk(name)); err == nil {
		if real, inside := l.within(target); inside {
			return real
		}
	}
	return name
}

// alike finds a path that differs in case or normal form only, one name after
// another, as a case-sensitive disk keeps them.
func (l *look) alike(asked, clean string) (place, *status.Failure, bool) {
	at := "."
	for _, part := range strings.Split(clean, "/") {
		next := path.Join(at, part)
		if _, err := l.vol.Stat(next); err == nil {
			at = next
			continue
		}
		names, err := l.namesLike(at, part)
		switch {
		case err != nil && errors.Is(err, fs.ErrPermission):
			f := skipUnreadable.failure().With(pathFact(at))
			return place{}, &f, false
		case err != nil || len(names) == 0:
			return place{}, nil, false
		case len(names) > 1:
			f := status.Fail(status.AmbiguousTarget, status.WasCalled, status.Reference.Is(asked), status.Margin.Is(0), status.Among(l.offer(at, names)...))
			return place{}, &f, false
		}
		at = path.Join(at, names[0])
	}
	return l.exactly(at)
}

// namesLike lists the names in a directory that are the same when folded.
func (l *look) namesLike(dir, name string) ([]string, error) {
	wanted := markup.Fold(seenName(name))
	var names []string
	err := l.readDir(dir, func(e fs.DirEntry) {
		if markup.Fold(seenName(e.Name())) == wanted {
			names = append(names, e.Name())
		}
	})
	slices.Sort(names)
	return names, err
}

// offer names files of a directory as candidates.
func (l *look) offer(dir string, names []string) []status.Candidate {
	var out []status.Candidate
	for _, n := range names {
		out = append(out, status.Candidate{Ref: shownName(path.Join(dir, n)), Source: l.source})
	}
	return out
}

// folder says below which folder a question looks.
type folder struct{ space, parent string }

// inScope is the directory of a folder, or the answer if there is no such folder.
func (d *documents) inScope(l *look, f folder) (string, *status.Result[connectors.Page]) {
	dir := "."
	if f.space != "" && !d.whole(l, f.space) {
		p, answer := d.directoryOf(l, "space", f.space)
		if answer != nil {
			return "", answer
		}
		dir = p
	}
	if f.parent == "" {
		return dir, nil
	}
	if dir != "." {
		if p, failure, found := l.locate(path.Join(dir, f.parent)); failure == nil && found && p.info.IsDir() {
			return p.real, nil
		}
	}
	p, answer := d.directoryOf(l, "parent", f.parent)
	if answer == nil && dir != "." && p != dir && !strings.HasPrefix(p, dir+"/") {
		none := d.nothing(l, f.parent, dir)
		return "", &none
	}
	return p, answer
}

// whole reports whether a space is a name of the tree as a whole.
func (d *documents) whole(l *look, space string) bool {
	space = strings.Trim(space, "/")
	if space == "" || space == "." {
		return true
	}
	if d.project != "" && space == d.project { // the default may also be meant as a folder
		p, failure, found := l.locate(space)
		return failure != nil || !found || !p.info.IsDir()
	}
	return d.calls(l.ctx, space)
}

// directoryOf is the real path of a folder, named in that argument.
func (d *documents) directoryOf(l *look, argument, name string) (string, *status.Result[connectors.Page]) {
	refuse := func(f status.Failure) (string, *status.Result[connectors.Page]) {
		r := d.failed(f)
		return "", &r
	}
	p, failure, found := l.locate(name)
	switch {
	case failure != nil:
		return refuse(failure.With(status.Takes(argument)))
	case !found:
		none := d.nothing(l, name, ".")
		return "", &none
	case !p.info.IsDir():
		return refuse(status.Fail(status.WrongKind, status.Reference.Is(name), status.Part.Is("a single document")))
	case l.leftOut(p.real, path.Base(p.real)) == skipIgnored:
		return refuse(skipIgnored.failure().With(pathFact(p.path)))
	}
	return p.real, nil
}

// nothing says that a folder is not in the tree, and which are.
func (d *documents) nothing(l *look, name, below string) status.Result[connectors.Page] {
	a := &status.Audit{}
	var folders []string
	err := l.readDir(below, func(e fs.DirEntry) {
		if e.IsDir() && e.Name() != ".git" && l.leftOut(path.Join(below, e.Name()), e.Name()) == "" {
			folders = append(folders, e.Name())
		}
	})
	if err != nil {
		return d.failed(skipOf(err).failure())
	}
	if blurred(name) {
		return d.failed(unwritable().With(status.Reference.Is(shownName(name)), status.Container.Is(l.container())))
	}
	slices.Sort(folders)
	a.Hold(status.Proof{Request: "read directory " + shownName(below), At: l.now()}, status.Transport, status.Identity, status.Scope)
	return status.Absent[connectors.Page](d.source, a, status.Reference.Is(shownName(name)), status.Container.Is(l.container()),
		status.Among(l.offer(below, folders)...))
}

// mounted reports whether the root is a file system of its own: then it is
// known to be there, however empty.
func (l *look) mounted() bool {
	own, err := l.vol.Stat(".")
	if err != nil {
		return false
	}
	above, err := os.Stat(filepath.Dir(l.root))
	return err == nil && !sameDevice(own, above)
}
