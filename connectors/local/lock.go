package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

const (
	// lockWait is how long a change waits for others of the same tracker.
	lockWait = 10 * time.Second
	// lockPause lies between two tries.
	lockPause = 5 * time.Millisecond
	// lockStale is the age at which a lock file belongs to a process that died: no
	// change takes that long.
	lockStale = 2 * time.Minute
	lockName  = ".frank.lock"
)

var errBusy = errors.New("locked by another process")

// until tries until it is done, fails, or lockWait is over.
func until(ctx context.Context, try func() (done bool, err error)) error {
	over := time.NewTimer(lockWait)
	defer over.Stop()
	for {
		if done, err := try(); done || err != nil {
			return err
		}
		pause := time.NewTimer(lockPause)
		select {
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		case <-over.C:
			pause.Stop()
			return errBusy
		case <-pause.C:
		}
	}
}

// lockFile locks a directory by a file in it, where the system cannot lock the
// directory itself.
func lockFile(ctx context.Context, dir string) (func(), error) {
	name := filepath.Join(dir, lockName)
	err := until(ctx, func() (bool, error) {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return true, f.Close()
		}
		info, gone := os.Lstat(name)
		switch {
		case gone == nil && time.Since(info.ModTime()) > lockStale:
			_ = os.Remove(name)
			return false, nil
		case gone == nil, errors.Is(err, os.ErrExist):
			return false, nil
		}
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return func() { _ = os.Remove(name) }, nil
}
