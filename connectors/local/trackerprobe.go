package local

import (
	"context"
	"strings"

	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
)

// owns reports whether a reference can mean an issue of the tracker: a number
// without a project or with this one, or an id whose prefix is in use here.
func (t *fileTracker) owns(r ref.Ref) bool {
	if r.Host != "" || r.Kind != ref.Issue && r.Also != ref.Issue {
		return false
	}
	ctx := context.Background()
	name := issueName(r)
	if bare(name) {
		return r.Project == "" || t.holds(r.Project)
	}
	prefix, _, ok := cutLast(name, "-")
	if !ok {
		return true
	}
	l, failure := t.glance(ctx)
	if failure != nil {
		return true // the answer will say why it cannot be told
	}
	defer l.close()
	for _, s := range t.stores {
		if s.prefixed(l, prefix) {
			return true
		}
	}
	return false
}

// cutLast cuts around the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// holds reports whether a project is this tracker's, by its names.
func (t *fileTracker) holds(project string) bool {
	ctx := context.Background()
	if t.calls(ctx, project) {
		return true
	}
	l, failure := t.glance(ctx)
	if failure != nil {
		return true
	}
	defer l.close()
	b := backlog{}
	root, dirs := b.places(l)
	names := []string{string(root.Project)}
	for _, dir := range dirs {
		c, _ := b.config(l, dir+"/config.yml")
		names = append(names, string(c.Project))
	}
	for _, name := range names {
		if name != "" && markup.Fold(name) == markup.Fold(project) {
			return true
		}
	}
	return false
}
