package config

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain also plays the program that token_command runs: a test binary is
// the one program that is there on every machine.
func TestMain(m *testing.M) {
	switch os.Getenv("FRANK_TEST_PROGRAM") {
	case "print":
		_, _ = os.Stdout.WriteString("  tok-123  \nsecond line\n")
		_, _ = os.Stderr.WriteString("tok-stderr\n")
		os.Exit(0)
	case "fail":
		_, _ = os.Stdout.WriteString("tok-123\n")
		os.Exit(7)
	case "flood":
		chunk := make([]byte, 64<<10)
		for range 40 {
			_, _ = os.Stdout.Write(chunk)
		}
		os.Exit(0)
	case "hang":
		// With no goroutine but this one, select {} would end the program.
		<-time.After(time.Hour)
	}
	goleak.VerifyTestMain(m)
}
