//go:build !unix

package local

import "os/exec"

const noWait = 0

// ownGroup leaves the command as it is: cancellation ends its process
// only, and a frank that is killed leaves git to end by itself, which it does as
// soon as it writes.
func ownGroup(*exec.Cmd) {}
