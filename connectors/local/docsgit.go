package local

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/frank-mcp/frank/status"
)

// rules says what the checkout knows of the files below root: which Git
// ignores, and which are tracked but not on the disk. It returns nil if root is
// no part of the work tree. The prefix leads from the top of the checkout to root.
func (c *checkout) rulesBelow(root string) (prefix string, of func(context.Context) rules) {
	rel, err := filepath.Rel(c.top, root)
	if err != nil || !filepath.IsLocal(rel) {
		return "", nil
	}
	prefix = filepath.ToSlash(rel) + "/"
	if rel == "." {
		prefix = ""
	}
	return prefix, func(ctx context.Context) rules {
		f, failure := c.factsNow(ctx)
		if failure != nil {
			return rules{fault: failure}
		}
		r := rules{gaps: f.gaps(ofWorkTree)}
		if f.bare {
			return r
		}
		r.ignored, r.fault = c.ignored(ctx, prefix)
		r.known = r.fault == nil
		if r.fault == nil && (f.sparse > 0 || f.uninitialised > 0) {
			r.away, r.fault = c.away(ctx, prefix)
		}
		return r
	}
}

// remoteName is owner/name of the remote, or the name of the checkout; "" if git does not tell.
func (c *checkout) remoteName(ctx context.Context) string {
	f, failure := c.factsNow(ctx)
	if failure != nil {
		return ""
	}
	return f.name
}

// ignored lists what Git ignores; a directory of which nothing is tracked is
// one entry that ends with a slash. LD-11, LG-12.
func (c *checkout) ignored(ctx context.Context, prefix string) (map[string]bool, *status.Failure) {
	set := map[string]bool{}
	out := c.git.run(ctx, command{
		args: []string{"ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"},
		read: func(r io.Reader) error {
			return eachRecord(r, func(p string) bool {
				if own, ok := strings.CutPrefix(p, prefix); ok && own != "" {
					set[own] = true
				} else if strings.HasSuffix(p, "/") && strings.HasPrefix(prefix, p) {
					set["./"] = true // the root itself is ignored: everything is, on purpose
				}
				return len(set) < maxEntries
			})
		}})
	if out.fault != nil {
		return nil, out.fault
	}
	if set["./"] {
		return map[string]bool{}, nil
	}
	return set, nil
}

// lost is a tracked path that is not on the disk, and the part of a clone that it belongs to.
type lost struct{ path, part string }

// away lists documents that a sparse checkout keeps off the disk, and
// submodules that are not there. LG-08, LG-09.
func (c *checkout) away(ctx context.Context, prefix string) ([]lost, *status.Failure) {
	var out []lost
	ran := c.git.run(ctx, command{args: []string{"ls-files", "-t", "-v", "-s", "-z"}, read: func(r io.Reader) error {
		return eachRecord(r, func(record string) bool {
			e, ok := parseIndexed(record)
			own, below := strings.CutPrefix(e.path, prefix)
			if !ok || !below {
				return true
			}
			_, document := kindOf(own)
			switch {
			case e.mode == modeSubmodule && !c.initialised(e.path):
				out = append(out, lost{own, partSubmodule})
			case e.skipped && document:
				out = append(out, lost{own, partSparse})
			}
			return len(out) < maxEntries
		})
	}})
	return out, ran.fault
}

// gapsIn are the reasons why the disk does not show all that is tracked below dir.
func (r rules) gapsIn(dir string) []status.Failure {
	out := append([]status.Failure(nil), r.gaps...)
	seen := map[string]bool{}
	for _, x := range r.away {
		if (dir == "." || strings.HasPrefix(x.path, dir+"/") || x.path == dir) && !seen[x.part] {
			seen[x.part] = true
			out = append(out, incomplete(x.part))
		}
	}
	return out
}
