package local_test

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/frank-mcp/frank/connectors"
)

// victim names, for a copy of this test program, the repository that it asks
// until it is killed.
const victim = "FRANK_TEST_ASK_UNTIL_KILLED"

func TestAFrankThatIsKilledLeavesNoGitBehind(t *testing.T) {
	if root := os.Getenv(victim); root != "" {
		l := &lab{T: t, dir: root}
		history(t, l.source("."), connectors.HistoryQuery{Revision: "main"})
		return
	}
	l := newLab(t)
	o := l.origin()
	if err := syscall.Mkfifo(l.path("alive"), 0o600); err != nil {
		t.Fatal(err)
	}
	// What holds the pipe open is the process that frank started.
	l.fakeGit("exec 9>'" + l.path("alive") + "'; echo started >&9; exec sleep 300")
	cmd := exec.Command(os.Args[0], "-test.run=^TestAFrankThatIsKilledLeavesNoGitBehind$")
	cmd.Env = append(os.Environ(), victim+"="+l.path(o))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	alive, err := os.Open(l.path("alive")) // waits until git runs
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if _, err := alive.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if err := alive.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, alive); err != nil { // ends when nobody holds the other end
		t.Errorf("git outlives frank: %v", err)
	}
}
