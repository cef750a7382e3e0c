package cli_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/cli"
)

// TestMain makes frank a program that scripts can start, and fails if a test
// leaves a goroutine behind.
func TestMain(m *testing.M) {
	testscript.Main(leakless{m}, map[string]func(){
		"frank": func() { os.Exit(cli.Run(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})) },
	})
}

type leakless struct{ m *testing.M }

func (l leakless) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
