package local

import (
	"context"
	"io/fs"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// reachable is why the tree cannot be read at all, or nil.
func (t *tree) reachable(ctx context.Context) *status.Failure {
	l, failure := t.glance(ctx)
	if failure != nil {
		return failure
	}
	defer l.close()
	if err := l.readDir(".", func(fs.DirEntry) {}); err != nil {
		f := skipOf(err).failure()
		return &f
	}
	return nil
}

// grants are the capabilities of something that is read from files.
func (t *tree) grants(ctx context.Context, cs ...connectors.Capability) []connectors.Grant {
	g := connectors.Grant{State: connectors.Granted}
	if f := t.reachable(ctx); f != nil {
		own := f.Within(t.source, "", "")
		g.State, g.Failure = connectors.UnknownGrant, &own
		if own.Code() == status.AccessDenied {
			g.State = connectors.NotGranted
		}
		if own.Code() == status.CapabilityUnavailable {
			g.State = connectors.Unsupported
		}
	}
	var out []connectors.Grant
	for _, c := range cs {
		g.Capability = c
		out = append(out, g)
	}
	return out
}

// glance opens the tree for a question of names only, which needs no rules of Git.
func (t *tree) glance(ctx context.Context) (*look, *status.Failure) {
	plain := *t
	plain.rules = nil
	return plain.begin(ctx)
}

// owns reports whether a reference can mean a document of the tree.
func (d *documents) owns(r ref.Ref) bool {
	if r.Host != "" {
		return false
	}
	switch r.Kind {
	case ref.File, ref.Directory, ref.Page, ref.Unknown:
		return r.Project == "" || r.Also == ref.Repository || d.calls(context.Background(), r.Project)
	default:
		return r.Also == ref.File || r.Also == ref.Directory
	}
}

// holds reports whether a space can be one of the tree: its own name, or a
// folder that is there.
func (d *documents) holds(space string) bool {
	ctx := context.Background()
	if d.calls(ctx, space) {
		return true
	}
	l, failure := d.glance(ctx)
	if failure != nil {
		return true // the answer will say why it cannot be told
	}
	defer l.close()
	_, failure, found := l.locate(space)
	return found || failure != nil
}

// calls reports whether a container is a name of the tree as a whole.
func (t *tree) calls(ctx context.Context, container string) bool {
	fold := markup.Fold(container)
	for _, name := range []string{lastPart(t.root), t.source, t.project} {
		if name != "" && fold == markup.Fold(name) {
			return true
		}
	}
	return fold == markup.Fold(t.container(ctx))
}
