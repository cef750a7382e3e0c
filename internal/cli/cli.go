// Package cli is the commands of frank: it reads arguments, finds the
// configuration, runs a server or a single question, and shows the answer to a
// person.
//
// It decides nothing about an answer and asks no source by itself. Standard
// output carries what was asked for and nothing else; logs, progress and
// complaints go to standard error. It prints no credential.
package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// Exit codes. Those of call and doctor say how much may be concluded.
const (
	exitOK      = 0
	exitFailed  = 1 // something went wrong that is none of the below, such as a port in use
	exitUsage   = 2 // the command line or the configuration cannot be used
	exitPartial = 3 // some of it: partial, or some sources ready
	exitNone    = 4 // no conclusion: access_failure, or no source ready
)

// Streams are those of the process. They are files, so that a terminal can be
// told from a pipe.
type Streams struct{ In, Out, Err *os.File }

// exit is how a command ends other than well. Empty text: all has been said.
type exit struct {
	code int
	text string
}

func (e exit) Error() string { return e.text }

func usage(text string) error { return exit{exitUsage, text} }

// run is what every command works with.
type run struct {
	Streams
	globals
	// ctx ends with SIGINT or SIGTERM.
	ctx   context.Context
	apps  []*app.App // to be closed at the end
	lines *lines     // see stderr
}

// Run runs frank with the arguments after the program's name and returns the
// exit status.
func Run(args []string, s Streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal must end a shutdown that hangs.
	context.AfterFunc(ctx, stop)
	r := &run{Streams: s, ctx: ctx}
	err := dispatch(r, args)
	r.close()
	var e exit
	var faults config.Faults
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &faults):
		e = exit{exitUsage, "the configuration cannot be used:\n  " + strings.ReplaceAll(faults.Error(), "\n", "\n  ")}
	case !errors.As(err, &e):
		e = exit{exitFailed, err.Error()}
	}
	if e.text != "" {
		// The log's format is for the log; this is for whoever started frank, and
		// hosts show the last lines of standard error.
		say(s.Err, screenOf(s.Err).fold("frank: "+clean(e.text), 2))
	}
	return e.code
}

func say(f *os.File, text string) {
	_, _ = f.WriteString(strings.TrimRight(text, "\n") + "\n") // nobody is left to tell if it cannot be written
}
