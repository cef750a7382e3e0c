package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// facts are what one clone can and cannot know. They are read once and again
// when a file that they rest on has changed.
type facts struct {
	gitDir, commonDir string
	bare              bool
	shallow           bool
	singleBranch      bool // a remote of which only some branches are fetched
	partial           bool // objects were left out when it was cloned
	remote            bool
	sparse            int      // tracked files that a sparse checkout keeps off the disk
	submodules        []string // tracked submodules, at most maxSubmodules
	uninitialised     int      // submodules that are not there
	replaced          bool     // replace refs, which are ignored
	version           version
	branch            string // that HEAD stands on; empty if detached
	name              string // owner/name of the remote on a host, or the directory's
	lastMove          time.Time
}

const maxSubmodules = 1000

type version [2]int

func (v version) atLeast(major, minor int) bool {
	return v[0] > major || v[0] == major && v[1] >= minor
}

// factCache keeps the facts until a file that they rest on changes.
type factCache struct {
	mu    sync.Mutex
	key   string
	facts *facts
}

// factsNow returns the facts, read anew if they may have changed.
func (c *checkout) factsNow(ctx context.Context) (*facts, *status.Failure) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	if f := c.cache.facts; f != nil && c.cache.key == c.factKey(f) {
		return f, nil
	}
	f, failure := c.readFacts(ctx)
	if failure != nil {
		c.cache.facts = nil
		return nil, failure
	}
	c.cache.facts, c.cache.key = f, c.factKey(f)
	return f, nil
}

// forget makes the next question read the facts anew.
func (c *checkout) forget() {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	c.cache.facts = nil
}

// factKey changes when one of the files changes on which the facts rest.
func (c *checkout) factKey(f *facts) string {
	var b strings.Builder
	stat := func(path string) {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%d.%d.%s;", info.ModTime().UnixNano(), info.Size(), inode(info))
			return
		}
		b.WriteString("-;")
	}
	stat(c.top)
	for _, name := range []string{"HEAD", "index", "config.worktree", "info/sparse-checkout", "logs/HEAD"} {
		stat(filepath.Join(f.gitDir, name))
	}
	for _, name := range []string{"config", "shallow", "packed-refs", "FETCH_HEAD", "refs/replace"} {
		stat(filepath.Join(f.commonDir, name))
	}
	for _, path := range f.submodules {
		stat(filepath.Join(c.top, filepath.FromSlash(path), ".git"))
	}
	return b.String()
}

func (c *checkout) readFacts(ctx context.Context) (*facts, *status.Failure) {
	if info, err := os.Stat(c.top); err != nil || !info.IsDir() {
		f := rootGone()
		return nil, &f
	}
	f := &facts{}
	for _, step := range []func(context.Context, *facts) *status.Failure{c.readLayout, c.readConfig, c.readHead, c.readIndex} {
		if failure := step(ctx, f); failure != nil {
			return nil, failure
		}
	}
	f.lastMove = newest(filepath.Join(f.commonDir, "FETCH_HEAD"), filepath.Join(f.gitDir, "logs", "HEAD"))
	return f, nil
}

// readLayout asks where the repository is and makes sure that top is its top.
func (c *checkout) readLayout(ctx context.Context, f *facts) *status.Failure {
	out := c.git.run(ctx, command{args: []string{"rev-parse", "--absolute-git-dir", "--git-common-dir",
		"--is-bare-repository", "--is-shallow-repository", "--is-inside-work-tree"}})
	if out.fault != nil {
		return out.fault
	}
	lines := strings.Split(out.text(), "\n")
	if len(lines) != 5 {
		return wrongTop()
	}
	f.gitDir, f.commonDir = lines[0], lines[1]
	if !filepath.IsAbs(f.commonDir) {
		f.commonDir = filepath.Join(c.top, f.commonDir)
	}
	if failure := c.ownRepository(ctx, f); failure != nil {
		return failure
	}
	f.bare, f.shallow = lines[2] == "true", lines[3] == "true"
	if f.bare {
		if !samePlace(f.gitDir, c.top) && !samePlace(f.gitDir, filepath.Join(c.top, ".git")) {
			return wrongTop()
		}
		return nil
	}
	// core.worktree may point anywhere: only a work tree that starts at top counts.
	top := c.git.run(ctx, command{args: []string{"rev-parse", "--show-toplevel"}})
	if top.fault != nil {
		return top.fault
	}
	if lines[4] != "true" || !samePlace(top.text(), c.top) {
		return wrongTop()
	}
	return nil
}

func wrongTop() *status.Failure {
	f := status.Fail(status.Misconfigured, status.ConfigKey.Is("root"), status.Part.Is("it is not the top of a Git checkout"),
		status.Remedy.Is("Set root of this source in frank.yaml to the top of a Git checkout, or repository to one."))
	return &f
}

func samePlace(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// readConfig reads from the settings what was fetched of which remote. LG-05, LG-06.
func (c *checkout) readConfig(ctx context.Context, f *facts) *status.Failure {
	out := c.git.run(ctx, command{answers: []int{1}, args: []string{"config", "-z", "--get-regexp",
		`^(remote\..*\.(url|fetch|promisor|partialclonefilter)|extensions\.partialclone)$`}})
	if out.fault != nil {
		return out.fault
	}
	fetches, whole := 0, false
	for _, entry := range strings.Split(string(out.bytes), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		lower := strings.ToLower(key)
		switch {
		case strings.HasSuffix(lower, ".url"):
			f.remote = true
			if name := nameInURL(value); name != "" && (f.name == "" || strings.EqualFold(key, "remote.origin.url")) {
				f.name = name
			}
		case strings.HasSuffix(lower, ".fetch"):
			fetches++
			whole = whole || strings.HasPrefix(strings.TrimPrefix(value, "+"), "refs/heads/*:") || strings.HasPrefix(strings.TrimPrefix(value, "+"), "refs/*:")
		case strings.HasSuffix(lower, ".promisor"):
			f.partial = f.partial || value != "false"
		case lower != "":
			f.partial = true
		}
	}
	// A bare clone has no refspec and all branches.
	f.singleBranch = fetches > 0 && !whole
	if f.name == "" {
		f.name = shownName(filepath.Base(c.top))
	}
	return nil
}

// nameInURL is owner/name at the end of the address of a remote on a host; empty
// for a path, whose folders are nobody's names. The rest of the address, which may
// hold a password, is not looked at.
func nameInURL(url string) string {
	place := ""
	if scheme, rest, ok := strings.Cut(url, "://"); ok {
		if strings.EqualFold(scheme, "file") {
			return ""
		}
		_, place, _ = strings.Cut(rest[strings.LastIndexByte(rest, '@')+1:], "/")
	} else {
		// As git has it, host:path needs the colon before any slash; one letter is a drive.
		var host string
		host, place, ok = strings.Cut(url, ":")
		if !ok || len(host) < 2 || strings.ContainsAny(host, `/\`) {
			return ""
		}
	}
	parts := strings.FieldsFunc(strings.TrimSuffix(strings.TrimRight(place, "/"), ".git"), func(r rune) bool { return r == '/' || r == ':' || r == '\\' })
	return markup.Line(strings.Join(parts[max(len(parts)-2, 0):], "/"), 120)
}

// readHead reads the branch, the version of git and whether refs are replaced.
func (c *checkout) readHead(ctx context.Context, f *facts) *status.Failure {
	head := c.git.run(ctx, command{answers: []int{1}, args: []string{"symbolic-ref", "-q", "HEAD"}})
	if head.fault != nil {
		return head.fault
	}
	f.branch = strings.TrimPrefix(head.text(), "refs/heads/")
	refs := c.git.run(ctx, command{args: []string{"for-each-ref", "--count=1", "--format=%(refname)", "refs/replace/"}})
	if refs.fault != nil {
		return refs.fault
	}
	f.replaced = refs.text() != ""
	v := c.git.run(ctx, command{args: []string{"version"}})
	if v.fault != nil {
		return v.fault
	}
	f.version = parseVersion(v.text())
	return nil
}

func parseVersion(text string) version {
	var v version
	for _, word := range strings.Fields(text) {
		parts := strings.SplitN(word, ".", 3)
		if len(parts) < 2 {
			continue
		}
		major, err1 := strconv.Atoi(parts[0])
		minor, err2 := strconv.Atoi(parts[1])
		if err1 == nil && err2 == nil {
			return version{major, minor}
		}
	}
	return v
}

// readIndex counts what is tracked but not on the disk. LG-08, LG-09.
func (c *checkout) readIndex(ctx context.Context, f *facts) *status.Failure {
	if f.bare {
		return nil
	}
	out := c.git.run(ctx, command{args: []string{"ls-files", "-t", "-s", "-z"}, read: func(r io.Reader) error {
		return eachRecord(r, func(record string) bool {
			e, ok := parseIndexed(record)
			switch {
			case !ok:
			case e.mode == modeSubmodule && len(f.submodules) < maxSubmodules:
				f.submodules = append(f.submodules, e.path)
			case e.skipped:
				f.sparse++
			}
			return true
		})
	}})
	for _, path := range f.submodules {
		if !c.initialised(path) {
			f.uninitialised++
		}
	}
	return out.fault
}

// initialised reports whether a submodule has a checkout of its own.
func (c *checkout) initialised(path string) bool {
	_, err := os.Lstat(filepath.Join(c.top, filepath.FromSlash(path), ".git"))
	return err == nil
}

// newest is the latest time at which one of the files changed; zero if none is there.
func newest(paths ...string) time.Time {
	var t time.Time
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.ModTime().After(t) {
			t = info.ModTime()
		}
	}
	return t
}
