//go:build !unix

package local

import "os/exec"

const noWait = 0

// ownGroup leaves the command as it is: cancellation ends its process only.
func ownGroup(*exec.Cmd) {}
