package local

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/frank-mcp/frank/internal/pattern"
	"github.com/frank-mcp/frank/status"
)

// pen is what is done to the files of a tracker. [os.Root] does it; tests put
// failures in front of it that no directory can have for every user.
type pen interface {
	Lstat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Chown(name string, uid, gid int) error
	Link(old, name string) error
	Rename(old, name string) error
	Remove(name string) error
	Mkdir(name string, perm fs.FileMode) error
	Close() error
}

func rootPen(root string) (pen, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// desk is a look at a tree during which nobody else who asks frank changes its
// tracker.
type desk struct {
	*look
	pen  pen
	free []func() // the locks
}

// sit opens the tree for a change and locks the directories of its tracker. The
// caller closes the desk.
func (t *fileTracker) sit(ctx context.Context) (*desk, *status.Failure) {
	l, failure := t.begin(ctx)
	if failure != nil {
		return nil, failure
	}
	d := &desk{look: l}
	var err error
	if d.pen, err = t.pens(t.root); err != nil {
		f := rootFailure(err)
		l.close()
		return nil, &f
	}
	for _, s := range t.stores {
		for _, dir := range s.homes(l) {
			if failure := d.lock(dir); failure != nil {
				d.close()
				return nil, failure
			}
		}
	}
	return d, nil
}

func (d *desk) lock(dir string) *status.Failure {
	if failure := d.straight(dir); failure != nil {
		return failure
	}
	free, err := lock(d.ctx, d.disk(dir))
	switch {
	case err == nil:
		d.free = append(d.free, free)
		return nil
	case d.ctx.Err() != nil:
		f := ended(d.ctx)
		return &f
	case errors.Is(err, errBusy):
		f := status.Fail(status.Timeout, pathFact(dir), status.Marker.Is("another process keeps the tracker locked"))
		return &f
	}
	f := penFailure(dir, err)
	return &f
}

func (d *desk) close() {
	for _, free := range d.free {
		free()
	}
	_ = d.pen.Close()
	d.look.close()
}

// straight is why a path may not be written to, or nil: nothing is ever changed
// through a symbolic link, wherever that leads. LD-05.
func (l *look) straight(name string) *status.Failure {
	target, err := filepath.EvalSymlinks(l.disk(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f := changedMeanwhile()
		return &f
	case err != nil:
		f := penFailure(name, err)
		return &f
	}
	if real, inside := l.within(target); !inside || !strings.EqualFold(real, name) {
		f := status.Fail(status.OperationUnsupported, status.Feature.Is("changing a file behind a symbolic link"), pathFact(name),
			status.Remedy.Is("Change it where the link leads, or put the file itself there."))
		return &f
	}
	return nil
}

// Of what kept a change from being carried out.
var (
	errTaken   = errors.New("a file of that name is there")
	errChanged = errors.New("the file is not what it was when it was read")
)

// penFailure tells what the system's refusal means. Nothing was changed.
func penFailure(name string, err error) status.Failure {
	about := []status.Option{status.NotCalled, pathFact(name)}
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return status.Fail(status.PermissionDenied, append(about, status.Part.Is("the files of the tracker for writing"),
			status.Remedy.Is("Let the account that runs frank write to this path, or change the tracker with its own program."))...)
	case errors.Is(err, errChanged), errors.Is(err, fs.ErrNotExist):
		return changedMeanwhile().With(about...)
	}
	class := "input or output error"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		class = "the disk or the quota is full"
	}
	return status.Fail(status.WriteFailed, append(about, status.Part.Is("the files of the tracker"), status.ErrorClass.Is(class))...)
}

// writable is why a file or directory may not be changed, or nil. A mode that
// lets nobody write is heeded even where the system would let this account.
func (d *desk) writable(name string) error {
	info, err := d.pen.Lstat(name)
	switch {
	case err != nil:
		return err
	case info.Mode().Perm()&0o222 == 0:
		return fs.ErrPermission
	}
	return mayWrite(d.disk(name))
}

// temporaryName is what temporary calls its files.
var temporaryName = pattern.New(`^\.frank-[a-z2-7]{26}\.tmp$`)

// sweep removes what processes that died while they wrote left in a directory.
// Whoever still writes holds the lock that this desk has.
func (d *desk) sweep(dir string) {
	f, err := d.pen.OpenFile(dir, os.O_RDONLY, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return
	}
	for _, name := range names {
		if temporaryName.MatchString(name) {
			_ = d.pen.Remove(path.Join(dir, name))
		}
	}
}

// temporary writes content to a new file beside name and returns its name.
func (d *desk) temporary(name string, content []byte, like fs.FileInfo) (string, error) {
	if err := d.writable(path.Dir(name)); err != nil {
		return "", err
	}
	d.sweep(path.Dir(name))
	temp := path.Join(path.Dir(name), ".frank-"+strings.ToLower(rand.Text())+".tmp")
	f, err := d.pen.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err == nil && like != nil {
		if err = f.Chmod(like.Mode().Perm()); errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		_ = d.pen.Remove(temp)
		return "", err
	}
	if like != nil {
		keepOwner(d.pen, temp, like)
	}
	return temp, nil
}

// create makes a new file that holds all of content as soon as it is there;
// errTaken if there is one of that name.
func (d *desk) create(name string, content []byte) error {
	if _, err := d.pen.Lstat(path.Dir(name)); errors.Is(err, fs.ErrNotExist) { // the first task
		if err := d.pen.Mkdir(path.Dir(name), 0o777); err != nil {
			return err
		}
	}
	temp, err := d.temporary(name, content, nil)
	if err != nil {
		return err
	}
	err = d.pen.Link(temp, name)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without hard links
		var f *os.File
		if f, err = d.pen.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err == nil {
			_ = f.Close()
			if err = d.pen.Rename(temp, name); err != nil {
				_ = d.pen.Remove(name)
			}
		}
	}
	_ = d.pen.Remove(temp) // gone after a rename
	if errors.Is(err, fs.ErrExist) {
		return errTaken
	}
	syncDir(d.disk(path.Dir(name)))
	return err
}

// replace puts a new content in the place of an old one, whole or not at all.
// errChanged: the file holds something else by now.
func (d *desk) replace(name string, was, now []byte) error {
	info, err := d.pen.Lstat(name)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errChanged
	}
	if err := d.writable(name); err != nil {
		return err
	}
	temp, err := d.temporary(name, now, info)
	if err != nil {
		return err
	}
	if err := d.holds(name, was); err != nil {
		_ = d.pen.Remove(temp)
		return err
	}
	if err := d.pen.Rename(temp, name); err != nil {
		_ = d.pen.Remove(temp)
		if d.holds(name, now) != nil { // else it was carried out all the same
			return err
		}
	}
	syncDir(d.disk(path.Dir(name)))
	return nil
}

// holds is nil if a file has exactly this content.
func (d *desk) holds(name string, content []byte) error {
	f, err := d.pen.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	got, err := io.ReadAll(io.LimitReader(f, int64(len(content))+1))
	switch {
	case err != nil:
		return err
	case !bytes.Equal(got, content):
		return errChanged
	}
	return nil
}
