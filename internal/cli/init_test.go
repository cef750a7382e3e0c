//go:build linux

package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Ctrl-C in the middle leaves everything as it was.
func TestCtrlCEndsInitWithNothingWritten(t *testing.T) {
	c := frank(t, "init")
	in, err := c.StdinPipe() // stays open: only the signal ends it
	if err != nil {
		t.Fatal(err)
	}
	questions, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("local\n")); err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	until(t, questions, &seen, "issues?")
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	until(t, questions, &seen, "interrupted; nothing was written")
	_ = c.Wait()
	if c.ProcessState.ExitCode() != 1 {
		t.Errorf("ended with %v", c.ProcessState)
	}
	left, err := os.ReadDir(c.Dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// A file that somebody else wrote while the questions were answered is kept.
func TestInitKeepsAFileThatCameMeanwhile(t *testing.T) {
	c := frank(t, "init")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	questions, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("local\n\n\ntake\n\n")); err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	until(t, questions, &seen, "Write this to")
	path := filepath.Join(c.Dir, "frank.yaml")
	write(t, path, "# another's\n")
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	until(t, questions, &seen, "is there already")
	_ = c.Wait()
	if c.ProcessState.ExitCode() != 2 {
		t.Errorf("ended with %v", c.ProcessState)
	}
	left, err := os.ReadDir(c.Dir)
	if text, _ := os.ReadFile(path); string(text) != "# another's\n" || err != nil || len(left) != 1 {
		t.Errorf("left %v with %q", left, text)
	}
}

// until reads until a text has come.
func until(t *testing.T, from interface{ Read([]byte) (int, error) }, seen *bytes.Buffer, text string) {
	t.Helper()
	for buf := make([]byte, 512); !strings.Contains(seen.String(), text); {
		n, err := from.Read(buf)
		seen.Write(buf[:n])
		if err != nil {
			t.Fatalf("%q did not come: %v\n%s", text, err, seen)
		}
	}
}
