package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/frank-mcp/frank/status"
)

// ownRepository refuses a repository elsewhere that the directory only points
// to: whoever wrote the directory would have frank read what its operator never
// named. The repository has to lie inside the directory, or to name it as its
// own, as those of linked work trees and of submodules do
// (git help gitrepository-layout, gitdir; git help config, core.worktree).
func (c *checkout) ownRepository(ctx context.Context, f *facts) *status.Failure {
	git, common := realPath(f.gitDir), realPath(f.commonDir)
	switch {
	case within(c.top, git) && within(c.top, common):
	case within(c.top, git), !within(common, git), !c.linked(git) && !c.workTreeOf(ctx, git):
		return foreign()
	}
	for _, name := range []string{"HEAD", "objects", "refs", "packed-refs"} {
		for _, dir := range []string{git, common} {
			real, err := filepath.EvalSymlinks(filepath.Join(dir, name))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil || !within(c.top, real) && !within(common, real) {
				return foreign()
			}
		}
	}
	return nil
}

func foreign() *status.Failure {
	f := status.Fail(status.PolicyDenied, status.WasCalled, status.Rule.Is("repository_outside_root"), status.Remedy.Is(
		"The .git of the root leads to a repository elsewhere that does not name the root as its work tree. "+
			"If it belongs there, run git config core.worktree with the root in that repository; else set root or repository to a checkout of its own."))
	return &f
}

// linked reports whether the repository of a linked work tree names top.
func (c *checkout) linked(git string) bool {
	b, err := os.ReadFile(filepath.Join(git, "gitdir"))
	if err != nil {
		return false // no linked work tree
	}
	back := absolute(git, strings.TrimSpace(string(b)))
	return filepath.Base(back) == ".git" && realPath(filepath.Dir(back)) == c.top
}

// workTreeOf reports whether the settings of a repository name top as its work
// tree. Only its own files count, not what the user or the machine sets.
func (c *checkout) workTreeOf(ctx context.Context, git string) bool {
	for _, name := range []string{"config", "config.worktree"} {
		file := filepath.Join(git, name)
		if _, err := os.Stat(file); err != nil {
			continue
		}
		out := c.git.run(ctx, command{answers: []int{1}, args: []string{"config", "--file", file, "--get", "core.worktree"}})
		if out.fault == nil && out.code == 0 && realPath(absolute(git, out.text())) == c.top {
			return true
		}
	}
	return false
}

// absolute is a path that may be relative to a directory.
func absolute(dir, p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}

// realPath is a path without symbolic links, or as it is if it leads nowhere.
func realPath(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	return filepath.Clean(p)
}

// within reports whether a path is a directory or lies below it.
func within(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && filepath.IsLocal(rel)
}
