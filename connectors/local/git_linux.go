package local

import "syscall"

// endWithParent has the kernel kill the command when the thread that started it
// is gone, however frank ended (prctl(2), PR_SET_PDEATHSIG).
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
