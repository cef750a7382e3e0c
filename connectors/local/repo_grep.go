package local

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/frank-mcp/frank/status"
)

const (
	// maxArguments bounds how many paths are given to one command, and their bytes.
	maxArguments     = 500
	maxArgumentBytes = 64 << 10
	// maxApart bounds how many files are searched by name rather than by a walk.
	maxApart = 5000
	// maxSniffed bounds how many files are opened to tell pointers of Git LFS.
	maxSniffed = 5000
)

// survey is what a search looks at, and what it cannot look at.
type survey struct {
	files      int      // in the scope
	apart      []string // on the disk, but not as the index has them: untracked or assumed unchanged
	sparse     int
	submodules int
	missing    int // submodules that are not there
	nested     int // repositories inside this one that are not tracked
	pointers   int // of Git LFS
	unread     []status.Failure
	mu         sync.Mutex
}

// tell turns what was not looked at into gaps. LG-08, LG-09, LG-11.
func (s *survey) tell(a *status.Audit) {
	gap := func(n int, f status.Failure) {
		if n > 0 {
			a.Unmade(status.Completeness, f.With(status.Total.Is(n)))
		}
	}
	gap(s.sparse, incomplete(partSparse))
	gap(s.missing, incomplete(partSubmodule))
	gap(s.submodules-s.missing, status.Fail(status.ContentNotIncluded, status.Part.Is("submodules are repositories of their own")))
	gap(s.nested, status.Fail(status.ContentNotIncluded, status.Part.Is("repositories inside this one are repositories of their own")))
	for _, f := range s.unread {
		a.Fail(status.Completeness, f)
	}
	gap(s.pointers, status.Fail(status.ContentNotIncluded, status.Part.Is("some files are pointers; Git LFS keeps their content")))
}

// survey counts what lies in the scope.
func (s *search) survey() *status.Failure {
	if s.facts.bare && !s.atCommit() {
		return nil // no commit yet
	}
	each := func(take func(string)) func(io.Reader) error {
		return func(r io.Reader) error {
			return eachRecord(r, func(record string) bool { take(record); return true })
		}
	}
	if s.atCommit() {
		out := s.run(command{args: append([]string{"ls-tree", "-r", "-z", "--full-tree", s.rev.commit}, s.scope.spec()...), read: each(s.countTree)})
		s.outs = append(s.outs, out)
		return out.fault
	}
	var tracked, other output
	both(func() {
		tracked = s.run(command{args: append([]string{"ls-files", "-t", "-v", "-s", "-z"}, s.scope.spec()...), read: each(s.countIndexed)})
	}, func() {
		other = s.run(command{args: append([]string{"ls-files", "--others", "--exclude-standard", "-z"}, s.scope.spec()...), read: each(s.countOther)})
	})
	s.outs = append(s.outs, tracked, other)
	if tracked.fault != nil {
		return tracked.fault
	}
	return other.fault
}

func both(f, g func()) {
	var w sync.WaitGroup
	w.Go(f)
	w.Go(g)
	w.Wait()
}

func (s *search) countTree(record string) {
	e, ok := parseTree(record)
	if !ok || !s.scope.has(e.path) {
		return
	}
	s.looked.files++
	if e.mode == modeSubmodule {
		s.looked.submodules++
		s.looked.missing += one(!s.initialised(e.path))
	}
}

func (s *search) countIndexed(record string) {
	e, ok := parseIndexed(record)
	if !ok || !s.scope.has(e.path) {
		return
	}
	s.looked.mu.Lock()
	defer s.looked.mu.Unlock()
	s.looked.files++
	switch {
	case e.mode == modeSubmodule:
		s.looked.submodules++
		s.looked.missing += one(!s.initialised(e.path))
	case e.skipped:
		s.looked.sparse++
	case e.assumed: // git would search what it has stored, not what is on the disk
		s.looked.apart = append(s.looked.apart, e.path)
	}
}

func (s *search) countOther(name string) {
	if !s.scope.has(name) {
		return
	}
	s.looked.mu.Lock()
	defer s.looked.mu.Unlock()
	if strings.HasSuffix(name, "/") {
		s.looked.nested++
		return
	}
	s.looked.files++
	s.looked.apart = append(s.looked.apart, name)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// onDiskToo reports whether the scope is there without a file in it.
func (s *search) onDiskToo() bool {
	if s.atCommit() {
		return false
	}
	_, err := os.Stat(filepath.Join(s.top, filepath.FromSlash(s.scope.prefix)))
	return err == nil
}

// findFiles asks git which files hold the text, and which are pointers.
func (s *search) findFiles() *status.Failure {
	if s.facts.bare && !s.atCommit() || s.looked.files == 0 {
		return nil
	}
	var hits, pointers []string
	both(func() { hits = s.matching(s.needle.inFiles) },
		func() { pointers = s.matching(func(bool) []string { return []string{"-F", "-e", lfsPrefix} }) })
	if s.ctx.Err() != nil {
		f := ended(s.ctx)
		return &f
	}
	for i, out := range s.outs {
		switch {
		case out.fault == nil:
		case len(hits) == 0: // LG-18
			return out.fault
		default:
			s.outs[i].doubt = out.fault
		}
	}
	s.hits = hits
	return s.countPointers(pointers)
}

// countPointers counts which of the files that hold the first line of a pointer
// of Git LFS are one. Those that there are too many to look at count too; what
// cannot be read is a gap of the search itself.
func (s *search) countPointers(names []string) *status.Failure {
	s.looked.pointers = max(len(names)-maxSniffed, 0)
	files := s.openAll(names[:min(len(names), maxSniffed)])
	defer files.close()
	for {
		_, r, failure := files.next()
		switch {
		case s.ctx.Err() != nil:
			f := ended(s.ctx)
			return &f
		case failure != nil:
			s.looked.unread = append(s.looked.unread, *failure)
		case r == nil:
			return nil
		case open(r).lfs >= 0:
			s.looked.pointers++
		}
	}
}

// matching returns the files of the scope that match, sorted. What went wrong
// is in s.outs.
func (s *search) matching(pattern func(perl bool) []string) []string {
	if s.atCommit() {
		return s.grep(pattern, append([]string{s.rev.commit}, s.scope.spec()...), s.rev.commit+":")
	}
	all := s.grep(pattern, s.scope.spec(), "")
	apart := s.looked.apart
	if len(apart) > maxApart {
		// Too many to name: let git walk the directory by itself.
		return sorted(append(all, s.grep(pattern, append([]string{"--untracked"}, s.scope.spec()...), "")...))
	}
	for len(apart) > 0 {
		n, size := 0, 0
		for n < len(apart) && n < maxArguments && size < maxArgumentBytes {
			size += len(apart[n]) + 1
			n++
		}
		all = append(all, s.grep(pattern, append([]string{"--untracked", "--no-exclude-standard", "--"}, apart[:n]...), "")...)
		apart = apart[n:]
	}
	return sorted(all)
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// grep runs git grep for names of files only.
func (s *search) grep(pattern func(perl bool) []string, rest []string, prefix string) []string {
	out := s.runPattern(func(perl bool) command {
		args := []string{"grep", "-l", "-z", "--full-name", "--no-color", "--no-recurse-submodules", "--no-textconv"}
		args = append(append(args, pattern(perl)...), rest...)
		return command{args: args, answers: []int{1}, limit: maxHits}
	})
	s.looked.mu.Lock()
	s.outs = append(s.outs, output{fault: out.fault, doubt: out.doubt, cut: out.cut})
	s.looked.mu.Unlock()
	if out.cut {
		out.bytes = out.bytes[:bytes.LastIndexByte(out.bytes, 0)+1]
	}
	var names []string
	for _, name := range records(out.bytes) {
		name = strings.TrimPrefix(name, prefix)
		if s.scope.has(name) {
			names = append(names, name)
		}
	}
	return sorted(names)
}
