package local

import (
	"context"
	"path"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
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

// writeGrant is the capability to change issues, judged by where a new one would
// go, without writing.
func (t *fileTracker) writeGrant(ctx context.Context) connectors.Grant {
	g := connectors.Grant{Capability: connectors.IssueWrite, State: connectors.Granted}
	l, failure := t.glance(ctx)
	if failure == nil {
		defer l.close()
		failure = t.mayCreate(l)
	}
	if failure == nil {
		return g
	}
	own := failure.Within(t.source, "", "")
	g.State, g.Failure = connectors.UnknownGrant, &own
	if own.Code() == status.AccessDenied {
		g.State = connectors.NotGranted
	}
	if own.Code() == status.CapabilityUnavailable {
		g.State = connectors.Unsupported
	}
	return g
}

// mayCreate is why no issue can be added, or nil.
func (t *fileTracker) mayCreate(l *look) *status.Failure {
	if b, ok := t.stores[0].(beads); ok {
		if failure := b.barred(l); failure != nil {
			return failure
		}
	}
	name := t.stores[0].kept(l)
	if failure := l.straight(name); failure != nil {
		return failure
	}
	p, err := t.pens(t.root)
	if err != nil {
		f := rootFailure(err)
		return &f
	}
	d := &desk{look: l, pen: p}
	defer func() { _ = p.Close() }()
	at := name
	err = d.writable(name)
	if info, gone := p.Lstat(name); err == nil && gone == nil && !info.IsDir() { // a file is replaced in its directory
		at = path.Dir(name)
		err = d.writable(at)
	}
	if err != nil {
		f := penFailure(at, err)
		return &f
	}
	return nil
}
