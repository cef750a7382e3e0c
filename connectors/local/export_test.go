package local

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/frank-mcp/frank/connectors"
)

// The tests ask through the public tools. What stands here puts under a source
// what no directory can have for every user who runs them: files that the system
// refuses to root too, small limits, another clock.

// Of limits that the tests have to exceed.
const (
	MaxPage    = maxPage
	MaxSnippet = maxSnippet
)

// Failing returns the source over a file system in which opening these paths fails.
func Failing(s connectors.Source, fails map[string]error) connectors.Source {
	return underlaid(s, func(t *tree) {
		t.mount = func(root string) (volume, error) {
			v, err := mountRoot(root)
			return faulty{v, fails}, err
		}
	})
}

// Bounded returns the source with other limits, in entries and bytes.
func Bounded(s connectors.Source, entries int, total int64) connectors.Source {
	return underlaid(s, func(t *tree) { t.bounds.entries, t.bounds.total = entries, total })
}

// Timed returns the source with another clock.
func Timed(s connectors.Source, now func() time.Time) connectors.Source {
	return underlaid(s, func(t *tree) { t.now = now })
}

// Refusing returns the source over a file system in which these operations, such as
// "rename" or "write", fail.
func Refusing(s connectors.Source, fails map[string]error) connectors.Source {
	return underlaid(s, func(t *tree) {
		t.pens = func(root string) (pen, error) {
			p, err := rootPen(root)
			return weakPen{p, fails}, err
		}
	})
}

// weakPen is a pen that fails where it is told to.
type weakPen struct {
	pen
	fails map[string]error
}

func (p weakPen) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if err := p.fails["create"]; err != nil && flag&os.O_CREATE != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := p.pen.OpenFile(name, flag, perm)
	if err == nil && p.fails["write"] != nil && flag&os.O_CREATE != 0 {
		_ = f.Close() // every write to it fails now
	}
	return f, err
}

func (p weakPen) Link(old, name string) error {
	if err := p.fails["link"]; err != nil {
		return err
	}
	return p.pen.Link(old, name)
}

func (p weakPen) Rename(old, name string) error {
	err := p.fails["rename"]
	if err == nil || err == errAfter {
		err = errors.Join(err, p.pen.Rename(old, name))
	}
	return err
}

// errAfter is a failure of something that was carried out all the same.
var errAfter = errors.New("carried out, and failed all the same")

// ErrAfter is errAfter.
func ErrAfter() error { return errAfter }

// YAMLScalar writes a text as a value of YAML.
func YAMLScalar(s string, style byte, flow bool) string { return yamlScalar(s, style, flow) }

func underlaid(s connectors.Source, change func(*tree)) connectors.Source {
	own := *s.Docs.(*documents).tree
	change(&own)
	s.Docs = &documents{&own}
	if t, ok := s.Tracker.(*fileTracker); ok {
		changed := &fileTracker{&own, t.stores}
		s.Tracker, s.Writer = changed, changed
	}
	return s
}

// Dataless reports whether a file has a size and no data on this disk, and
// whether the file system tells.
func Dataless(info fs.FileInfo) (yes, known bool) {
	n, known := blocks(info)
	return dataless(info), known && n == 0
}

// faulty is a volume that fails where it is told to.
type faulty struct {
	volume
	fails map[string]error
}

func (f faulty) Open(name string) (fs.ReadDirFile, error) {
	if err := f.fails[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.volume.Open(name)
}
