// Package local answers for one directory of this machine: its Git checkout, its
// documents, its file-based tracker.
//
// What concerns Git is asked of the git command, never read by a second
// implementation. The package never writes anything but the files of the tracker
// when it is asked to, never fetches, runs a hook, filter or program that a
// repository names, leaves the directory that it was given, or takes silence of
// git for an answer: what a shallow, partial, sparse or single-branch clone cannot
// know is named as a gap.
package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// Provider is the local directory. Its sources need no credential. Open looks at
// the directory itself and runs nothing.
var Provider = connectors.Provider{
	Name:  "local",
	Kinds: []connectors.Kind{connectors.KindTracker, connectors.KindRepo, connectors.KindDocs},
	Capabilities: []connectors.Capability{
		connectors.IssueRead, connectors.ProjectRead, connectors.IssueWrite,
		connectors.CodeSearch, connectors.FileRead, connectors.RefRead, connectors.ChangeRead, connectors.HistoryRead,
		connectors.PageSearch, connectors.PageRead,
	},
	Open: openSource,
}

// openSource makes a source of Setup.Root. The repository is the checkout whose
// top is the root, or Setup.Repository; one further up does not answer.
func openSource(s connectors.Setup) (connectors.Source, *status.Failure) {
	root, failure := directory(s.Name, s.Root, "root")
	if failure != nil {
		return connectors.Source{}, failure
	}
	out := connectors.Source{Name: s.Name, Provider: "local", Near: true, DefaultProject: s.DefaultProject, Only: s.Only, Owns: owns}
	p := &prober{source: s.Name, root: root}
	top := ""
	switch {
	case s.Repository != "":
		if top, failure = directory(s.Name, s.Repository, "repository"); failure != nil {
			return connectors.Source{}, failure
		}
	case mayBeCheckout(root):
		top = root
	}
	if top != "" {
		c := newCheckout(s, top)
		out.Repo, p.checkout = c, c
	}
	p.tree = newTree(s, root, p.checkout)
	docs := newDocs(p.tree)
	out.Docs = docs
	if p.tracker = newTracker(p.tree); p.tracker != nil {
		out.Tracker, out.Writer = p.tracker, p.tracker
	}
	out.Owns = func(r ref.Ref) bool {
		return owns(r) || docs.owns(r) || p.tracker != nil && p.tracker.owns(r)
	}
	out.Holds = func(k connectors.Kind, container string) bool {
		switch k {
		case connectors.KindDocs:
			return docs.holds(container)
		case connectors.KindTracker:
			return p.tracker != nil && p.tracker.holds(container)
		default:
			return true // the checkout says what its repository is called
		}
	}
	out.Options = func(ctx context.Context, k connectors.Kind) (connectors.Options, *status.Failure) {
		if k != connectors.KindTracker {
			return connectors.Options{}, nil // what is left out is all that there is
		}
		return connectors.Options{Names: []string{p.tree.container(ctx)}}, nil
	}
	out.Lacks = func(k connectors.Kind) status.Failure {
		if k == connectors.KindTracker {
			return p.tree.noTracker()
		}
		return noCheckout(s.Name)
	}
	out.Prober = p
	return out, nil
}

// directory resolves the symbolic links of a configured directory. LD-04, LD-07.
func directory(source, path, key string) (string, *status.Failure) {
	wrong := func(part, problem, mend string) (string, *status.Failure) {
		f := status.Fail(status.Misconfigured, status.ConfigKey.Is(key), status.Part.Is(part),
			status.Remedy.Is(key+" of source "+source+": "+problem+"; "+mend+"correct "+key+" in frank.yaml."))
		return "", &f
	}
	if !filepath.IsAbs(path) {
		return wrong("it must be an absolute directory", "it must be an absolute directory", "")
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return wrong("it may not be read", "the directory "+path+" may not be read", "let the account that runs frank read it or ")
		}
		return wrong("the directory is missing", "the directory "+path+" is missing", "create it or ")
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() {
		return wrong("it is something else than a directory", path+" is something else than a directory", "")
	}
	return real, nil
}

// mayBeCheckout reports whether dir can be the top of a checkout or a bare
// repository; git has the last word. An entry that cannot be looked at counts,
// so that the reason comes out in an answer.
func mayBeCheckout(dir string) bool {
	there := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return !errors.Is(err, fs.ErrNotExist)
	}
	return there(".git") || there("HEAD") && there("objects") && there("refs")
}

// owns reports whether a reference can point into a local source: it names a
// path, a revision or a document, and no host.
func owns(r ref.Ref) bool {
	if r.Host != "" {
		return false
	}
	switch r.Kind {
	case ref.File, ref.Directory, ref.Commit, ref.Compare, ref.Page, ref.Unknown:
		return true
	default:
		return false
	}
}
