package ledger

import (
	"os"
	"strconv"
	"strings"
)

// whereabouts names the boot and the process namespace, and the process by its id
// and the time of its start, since ids are given again.
func whereabouts() (place, process string) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "", ""
	}
	pid := strconv.Itoa(os.Getpid())
	start, alive := startOf(pid)
	if !alive {
		return "", ""
	}
	return strings.TrimSpace(string(boot)) + "/" + space, pid + "/" + start
}

// running reports whether a process that whereabouts named is still there.
func running(process string) bool {
	pid, start, ok := strings.Cut(process, "/")
	if _, err := strconv.Atoi(pid); !ok || err != nil {
		return false
	}
	now, alive := startOf(pid)
	return alive && now == start
}

// startOf is when a process began, in ticks since the boot. One that has ended
// and was not waited for yet is not alive.
func startOf(pid string) (start string, alive bool) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return "", false
	}
	// The name of the program stands in brackets and may hold anything.
	_, rest, ok := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return "", false
	}
	return fields[19], fields[0] != "Z" && fields[0] != "X"
}
