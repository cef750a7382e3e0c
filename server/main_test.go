package server_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// asProcess makes the test binary a stdio server, so that signals and exit
// codes can be tested for real.
const asProcess = "FRANK_TEST_STDIO"

func TestMain(m *testing.M) {
	if os.Getenv(asProcess) != "" {
		os.Exit(serveProcess())
	}
	goleak.VerifyTestMain(m)
}

func serveProcess() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	b := newBench(nil)
	go func() {
		<-b.started // the parent sends the signal once it has read this
		fmt.Fprintln(os.Stderr, "started")
	}()
	if err := b.server.ServeStdio(ctx, os.Stdin, os.Stdout); err != nil {
		return 1
	}
	return 0
}
