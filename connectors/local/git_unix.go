//go:build unix

package local

import (
	"os/exec"
	"syscall"
)

// noWait opens a named pipe without waiting for somebody to write to it.
const noWait = syscall.O_NONBLOCK

// ownGroup puts the command into a process group of its own and has
// cancellation end the whole group, since git starts helpers. Where the system
// can, it ends the command when frank is killed and cannot cancel it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
