//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package local

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// lock keeps other processes that lock it too from changing what is in a
// directory, until the function that it returns is called. The directory itself
// is locked: nothing is left behind, and the lock of a process that died is gone.
func lock(ctx context.Context, dir string) (func(), error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = until(ctx, func() (bool, error) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
			return false, nil
		}
		return err == nil, err
	})
	if err == nil {
		return func() { _ = f.Close() }, nil
	}
	_ = f.Close()
	if errors.Is(err, errBusy) || ctx.Err() != nil {
		return nil, err
	}
	return lockFile(ctx, dir) // a network file system that locks files only
}
