// Package lab shows what an agent would see. It runs files of assertions against
// the live sources, and every fault that it can think of against an upstream of its
// own in place of theirs.
//
// It knows only what a tool answers, as every client does, and asks no source by
// itself. A case that changes something and does not say how to clean up is refused
// before anything is asked. The upstream of its own sends nothing anywhere and gets
// no credential.
package lab

import (
	"context"
	"encoding/json"
	"time"

	"github.com/frank-mcp/frank/internal/app"
)

// Target answers calls of tools.
type Target interface {
	// Tools lists what may be called.
	Tools() []Tool
	Call(ctx context.Context, tool string, arguments json.RawMessage) Reply
}

// Tool is one tool, and whether it changes something.
type Tool struct {
	Name   string
	Writes bool
}

// Reply is the answer of a tool in both channels.
type Reply struct {
	Structured json.RawMessage
	Text       string
	IsError    bool
}

// Frank is frank itself as a target.
func Frank(a *app.App) Target { return wired{a} }

type wired struct{ app *app.App }

func (w wired) Tools() []Tool {
	var out []Tool
	for _, t := range w.app.Tools() {
		out = append(out, Tool{t.Name, !t.ReadOnly})
	}
	return out
}

func (w wired) Call(ctx context.Context, tool string, arguments json.RawMessage) Reply {
	r := w.app.Call(ctx, tool, arguments)
	return Reply{r.Structured, r.Text, r.IsError}
}

// Result is how one case went.
type Result struct {
	Suite    string // the file, or the source
	Name     string
	Tool     string
	State    State
	Want     string // in one line; empty where it is always the same
	Got      string // status, code, reason
	Problems []string
	Summary  string // of the answer
	Took     time.Duration
}

// State is how a case ended.
type State string

// The states.
const (
	Passed  State = "passed"
	Failed  State = "failed"
	Refused State = "refused" // nothing was asked
	Skipped State = "skipped" // the run ended before
)

// Failures counts the results that are not passed.
func Failures(all []Result) (n int) {
	for _, r := range all {
		if r.State != Passed {
			n++
		}
	}
	return n
}
