//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOnlyARegularFileIsUsed: a pipe or a device would hold back every call.
func TestOnlyARegularFileIsUsed(t *testing.T) {
	for name, lay := range map[string]func(path string) error{
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device":    func(path string) error { return os.Symlink("/dev/zero", path) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		for _, suffix := range []string{"", ".1"} {
			path := filepath.Join(t.TempDir(), "failures.jsonl")
			if err := lay(path + suffix); err != nil {
				t.Fatal(err)
			}
			if got := Open(path).List(Query{}); got.Read {
				t.Errorf("%s at %q: read", name, suffix)
			}
			j := Open(path)
			j.Add(one)
			if got := j.List(Query{}); got.Read || len(got.Records) != 1 || suffix == "" != j.Broken() {
				t.Errorf("%s at %q: %+v, broken %t", name, suffix, got, j.Broken())
			}
		}
	}
}
