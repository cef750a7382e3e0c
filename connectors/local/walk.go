package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// bounds are what one question may cost. What lies beyond is named in the
// answer, never dropped. LD-16.
type bounds struct {
	entries  int           // directory entries that are looked at
	fileSize int64         // bytes of one document
	total    int64         // bytes that are read
	span     time.Duration // from the first look to the last
}

func usualBounds() bounds {
	return bounds{entries: 400_000, fileSize: 8 << 20, total: 512 << 20, span: 12 * time.Second}
}

// tree is a directory of documents and of a tracker's files. It is opened anew
// for every question, so that a directory that went away is noticed, and
// nothing outside of it is ever opened.
type tree struct {
	source  string
	root    string // absolute, without symbolic links (LD-04)
	project string // the default container; it stands for the whole tree
	now     func() time.Time
	rules   func(context.Context) rules  // nil: no checkout stands behind it
	prefix  string                       // of a path below root that makes it one of the checkout
	remote  func(context.Context) string // owner/name, or ""
	bounds  bounds
	mount   func(root string) (volume, error)
	pens    func(root string) (pen, error)
}

// newTree makes the tree of a source at a real path. The checkout, if there is
// one, says which files Git ignores and which it keeps off the disk.
func newTree(s connectors.Setup, root string, c *checkout) *tree {
	t := &tree{source: s.Name, root: root, project: s.DefaultProject, now: s.Now, bounds: usualBounds(), mount: mountRoot, pens: rootPen}
	t.remote = func(context.Context) string { return "" }
	if t.now == nil {
		t.now = time.Now
	}
	if c != nil {
		t.prefix, t.rules = c.rulesBelow(root)
		t.remote = c.remoteName
	}
	return t
}

// rules are what a checkout knows of its files and the disk does not show.
type rules struct {
	known   bool            // there is a checkout, and it answered
	ignored map[string]bool // paths in the tree; one that ends with a slash stands for all below it
	gaps    []status.Failure
	away    []lost // tracked, but not on the disk
	fault   *status.Failure
}

// excludes reports whether the rules leave out a path or a directory above it.
func (r rules) excludes(name string) bool {
	if !r.known {
		return false
	}
	for at := name; at != "." && at != "/" && at != ""; at = path.Dir(at) {
		if path.Base(at) == ".git" || r.ignored[at+"/"] || r.ignored[at] {
			return true
		}
	}
	return false
}

// volume is what is asked of a directory tree. [os.Root] answers; tests put
// failures in front of it that no file mode can produce for every user.
type volume interface {
	Open(name string) (fs.ReadDirFile, error)
	Stat(name string) (fs.FileInfo, error)
	Close() error
}

// rooted is a volume whose every access is kept below its root by the system.
type rooted struct{ *os.Root }

func mountRoot(root string) (volume, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	return rooted{r}, nil
}

// Open never waits for the other end of a named pipe.
func (r rooted) Open(name string) (fs.ReadDirFile, error) {
	f, err := r.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// look is one question's look at a tree.
type look struct {
	*tree
	ctx     context.Context
	vol     volume
	rules   rules
	skips   skips
	name    string // of the container, once it was asked for
	began   time.Time
	read    int64 // bytes
	entries int
}

// begin opens the tree. The caller closes the look. LD-07: a root that is gone
// is a failure, never an empty directory.
func (t *tree) begin(ctx context.Context) (*look, *status.Failure) {
	if ctx.Err() != nil {
		f := ended(ctx)
		return nil, &f
	}
	status.CallFrom(ctx).Attempted()
	vol, err := t.mount(t.root)
	if err != nil {
		f := rootFailure(err)
		return nil, &f
	}
	l := &look{tree: t, ctx: ctx, vol: vol, skips: skips{}, began: t.now()}
	if t.rules != nil {
		l.rules = t.rules(ctx)
	}
	return l, nil
}

func (l *look) close() { _ = l.vol.Close() }

func rootFailure(err error) status.Failure {
	if errors.Is(err, fs.ErrPermission) {
		return status.Fail(status.PermissionDenied, status.Part.Is("the root"))
	}
	return rootGone()
}

// rootGone is the answer of a directory that was there when frank started. LD-07.
func rootGone() status.Failure {
	return status.Fail(status.Misconfigured, status.ConfigKey.Is("root"), status.Part.Is("the directory is gone"),
		status.Remedy.Is("Bring the directory back, or correct root of this source in frank.yaml."))
}

// over is why the look has to end now, or nil. It is asked often and is cheap.
func (l *look) over() *status.Failure {
	if l.ctx.Err() != nil {
		f := ended(l.ctx)
		return &f
	}
	var f status.Failure
	switch {
	case l.read > l.bounds.total:
		f = status.Fail(status.OwnCap, status.SizeBytes.Is(l.read))
	case l.now().Sub(l.began) > l.bounds.span:
		f = status.Fail(status.OwnCap, status.Examined.Is(l.entries), status.Marker.Is("the time for one answer ran out"))
	default:
		return nil
	}
	return &f
}

// full is why no more directory entries are looked at, or nil.
func (l *look) full() *status.Failure {
	if l.entries <= l.bounds.entries {
		return nil
	}
	f := status.Fail(status.OwnCap, status.Limit.Is(l.bounds.entries), status.Examined.Is(l.entries))
	return &f
}

// leaf is one document that a walk found.
type leaf struct {
	path   string // in the tree, as people name it
	real   string // the same file without symbolic links
	format markup.Format
	other  string // the format, if it is one that cannot be read
}

// kindOf tells whether a file of that name is a document.
func kindOf(name string) (leaf, bool) {
	if f, ok := markup.FormatOf(name); ok {
		return leaf{path: name, real: name, format: f}, true
	}
	if other := otherFormat(name); other != "" {
		return leaf{path: name, real: name, other: other}, true
	}
	return leaf{}, false
}

// otherFormat names the formats of documents that are listed but not read. LD-12.
func otherFormat(name string) string {
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
	switch ext {
	case "pdf", "doc", "docx", "odt", "rtf", "pages", "epub", "ppt", "pptx", "odp", "xls", "xlsx", "ods",
		"ipynb", "html", "htm", "xhtml", "tex", "org", "textile", "wiki", "mediawiki", "creole", "djvu":
		return ext
	default:
		return ""
	}
}

// readDir calls f with the entries of a directory, in no particular order, and
// returns what kept it from reading them all.
func (l *look) readDir(name string, f func(fs.DirEntry)) error {
	dir, err := l.vol.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	for {
		batch, err := dir.ReadDir(1024)
		for _, e := range batch {
			l.entries++
			f(e)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case l.full() != nil || l.over() != nil:
			return nil // whoever walks asks why
		}
	}
}

// within returns the path of an absolute real path in the tree, or false if it
// lies outside.
func (t *tree) within(real string) (string, bool) {
	rel, err := filepath.Rel(t.root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// disk is where a path of the tree is on the disk.
func (t *tree) disk(name string) string { return filepath.Join(t.root, filepath.FromSlash(name)) }
