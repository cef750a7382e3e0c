//go:build unix

package local

import (
	"io/fs"
	"syscall"
)

// blocks is how many blocks a file occupies.
func blocks(info fs.FileInfo) (int64, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int64(s.Blocks), true
}

// sameDevice reports whether both are on one device.
func sameDevice(a, b fs.FileInfo) bool {
	x, okX := a.Sys().(*syscall.Stat_t)
	y, okY := b.Sys().(*syscall.Stat_t)
	return okX && okY && x.Dev == y.Dev
}
