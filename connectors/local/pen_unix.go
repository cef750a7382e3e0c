//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package local

import (
	"io/fs"
	"os"
	"syscall"
)

// writeBit asks access(2) about writing.
const writeBit = 2

// mayWrite asks the system whether this account may write, without writing.
func mayWrite(path string) error { return syscall.Access(path, writeBit) }

// keepOwner gives a file the owner of another, if this account may.
func keepOwner(p pen, name string, like fs.FileInfo) {
	if s, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = p.Chown(name, int(s.Uid), int(s.Gid))
	}
}

// syncDir has the names in a directory survive a power cut, if the system can.
func syncDir(path string) {
	if f, err := os.Open(path); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
