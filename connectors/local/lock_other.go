//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package local

import "context"

// lock keeps other processes that lock it too from changing what is in a
// directory, until the function that it returns is called.
func lock(ctx context.Context, dir string) (func(), error) { return lockFile(ctx, dir) }
