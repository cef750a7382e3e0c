//go:build unix

package local

import (
	"io/fs"
	"strconv"
	"syscall"
)

// inode tells a file that was replaced from one that was left alone.
func inode(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(uint64(s.Ino), 10)
	}
	return ""
}
