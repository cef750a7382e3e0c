package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/frank-mcp/frank/status"
)

// walked is what a walk found below one directory.
type walked struct {
	docs []leaf // by path
	// stopped is why the walk did not reach the end, or nil.
	stopped *status.Failure
	failed  *status.Failure // the directory that was to be walked could not be read
	bare    bool            // it has no leaf at all
}

// walker visits each real directory once, so that symbolic links make no loops. LD-05.
type walker struct {
	*look
	out     walked
	stack   []step
	links   []string
	visited map[string]bool
	listed  map[string]bool // real paths of documents
	told    int
}

// step is a directory that is still to be visited.
type step struct{ path, real string }

// walk visits all below dir, a real path. It follows symbolic links that stay
// in the tree and collects every failure. LD-01, LD-02, LD-03.
func (l *look) walk(dir string) walked {
	w := &walker{look: l, visited: map[string]bool{}, listed: map[string]bool{}}
	w.stack = []step{{dir, dir}}
	w.drain()
	w.out.bare = w.out.failed == nil && w.out.stopped == nil && l.entries == 0
	for len(w.links) > 0 && w.out.stopped == nil {
		next := w.links[0]
		w.links = w.links[1:]
		w.follow(next)
		w.drain()
	}
	slices.SortFunc(w.out.docs, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	return w.out
}

// drain visits what is on the stack.
func (w *walker) drain() {
	for len(w.stack) > 0 {
		if w.out.stopped = w.end(); w.out.stopped != nil {
			return
		}
		s := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if w.visited[s.real] {
			continue
		}
		w.visited[s.real] = true
		if err := w.readDir(s.real, func(e fs.DirEntry) { w.take(s, e) }); err != nil {
			w.fail(s, skipOf(err))
		}
		w.report()
	}
	w.out.stopped = w.end()
}

// end is why the walk has to end here, or nil.
func (w *walker) end() *status.Failure {
	if f := w.full(); f != nil {
		return f
	}
	return w.over()
}

// fail counts a directory that could not be read; if it is the one that was to
// be walked, nothing was seen. LD-01, LD-02.
func (w *walker) fail(s step, why skip) {
	w.skips.add(why)
	if len(w.visited) == 1 {
		f := why.failure().With(pathFact(s.path))
		w.out.failed = &f
	}
}

// take decides about one leaf of a directory.
func (w *walker) take(s step, e fs.DirEntry) {
	name, real := path.Join(s.path, e.Name()), path.Join(s.real, e.Name())
	switch {
	case e.IsDir():
		if why := w.leftOut(real, e.Name()); why != "" {
			w.skips.add(why)
			return
		}
		if e.Name() != ".git" {
			w.stack = append(w.stack, step{name, real})
		}
	case e.Type()&fs.ModeSymlink != 0:
		w.links = append(w.links, name)
	case e.Type().IsRegular():
		w.list(name, real)
	}
}

// list adds a file if it is a document that no rule leaves out.
func (w *walker) list(name, real string) {
	e, ok := kindOf(name)
	if !ok || w.listed[real] {
		return
	}
	if w.rules.excludes(real) {
		w.skips.add(skipIgnored)
		return
	}
	e.real = real
	w.listed[real] = true
	w.out.docs = append(w.out.docs, e)
}

// leftOut is the rule that leaves a directory out, or "". LD-11: in a checkout
// Git's own rules decide, elsewhere hidden and vendored directories are left out.
func (l *look) leftOut(real, name string) skip {
	if l.rules.known {
		if name != ".git" && l.rules.excludes(real) {
			return skipIgnored
		}
		return ""
	}
	switch {
	case name == ".git":
		return ""
	case strings.HasPrefix(name, "."):
		return skipHidden
	case name == "node_modules" || name == "vendor" || name == "bower_components" || name == "__pycache__":
		return skipVendored
	default:
		return ""
	}
}

// follow looks where a symbolic link leads.
func (w *walker) follow(name string) {
	info, err := os.Stat(w.disk(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.skips.add(skipDangling)
		return
	case errors.Is(err, syscall.ELOOP):
		w.skips.add(skipLoop)
		return
	case err != nil:
		w.skips.add(skipOf(err))
		return
	}
	_, document := kindOf(name)
	if !info.IsDir() && !document {
		return
	}
	target, err := filepath.EvalSymlinks(w.disk(name))
	if err != nil {
		w.skips.add(skipOf(err))
		return
	}
	real, inside := w.within(target)
	switch {
	case !inside:
		w.skips.add(skipOutside)
	case w.rules.excludes(real):
		w.skips.add(skipIgnored)
	case info.IsDir():
		w.stack = append(w.stack, step{name, real})
	case info.Mode().IsRegular():
		w.list(name, real)
	}
}

// report tells the caller now and then how far the walk is.
func (w *walker) report() {
	if w.entries-w.told < 5000 {
		return
	}
	w.told = w.entries
	status.CallFrom(w.ctx).Report(fmt.Sprintf("walking %s: %d files looked at, %d documents", w.source, w.entries, len(w.out.docs)))
}
