package local

import (
	"bufio"
	"io"
	"strings"
)

// The modes of an entry of a tree or index.
const (
	modeSymlink   = "120000"
	modeSubmodule = "160000"
	modeTree      = "040000"
)

// entry is one entry of the index or of a tree.
type entry struct {
	mode, sha, path string
	skipped         bool // tracked, but kept off the disk by a sparse checkout
	assumed         bool // git was told not to look whether it changed
}

// parseIndexed reads one record of ls-files -t -v -s -z.
func parseIndexed(record string) (entry, bool) {
	head, path, ok := strings.Cut(record, "\t")
	f := strings.Fields(head)
	if !ok || len(f) != 4 || len(f[0]) != 1 {
		return entry{}, false
	}
	tag := f[0][0]
	return entry{mode: f[1], sha: f[2], path: path, skipped: tag == 'S' || tag == 's', assumed: tag >= 'a' && tag <= 'z'}, true
}

// parseTree reads one record of ls-tree -z.
func parseTree(record string) (entry, bool) {
	head, path, ok := strings.Cut(record, "\t")
	f := strings.Fields(head)
	if !ok || len(f) != 3 {
		return entry{}, false
	}
	return entry{mode: f[0], sha: f[2], path: path}, true
}

// eachRecord calls f with every record that a NUL ends, until f returns false.
func eachRecord(r io.Reader, f func(string) bool) error {
	b := bufio.NewReaderSize(r, 64<<10)
	for {
		record, err := b.ReadString(0)
		if err == io.EOF && record == "" {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err == io.EOF { // a record without its end was cut
			return io.ErrUnexpectedEOF
		}
		if !f(record[:len(record)-1]) {
			return errEnough
		}
	}
}

// records splits a kept output at its NULs.
func records(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
}

// kind is the type of an entry as listings name it.
func (e entry) kind() string {
	switch e.mode {
	case modeSymlink:
		return "symlink"
	case modeSubmodule:
		return "submodule"
	case modeTree:
		return "dir"
	default:
		return "file"
	}
}
