// Package tools declares the tools: one file each, with typed arguments from
// which the input schema is made. A tool binds its arguments, selects sources,
// asks them side by side and merges their answers into one envelope.
//
// It names no provider, sends no request, writes no log and speaks no MCP: the
// server package seals what it returns.
package tools

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/frank-mcp/frank/capabilities"
	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/internal/learn"
	"github.com/frank-mcp/frank/internal/ledger"
	"github.com/frank-mcp/frank/internal/policy"
	"github.com/frank-mcp/frank/status"
)

// Deps is what the tools work with.
type Deps struct {
	Sources  []connectors.Source
	Manifest *capabilities.Manager
	Policy   policy.Policy
	Journal  *journal.Journal
	Ledger   *ledger.Ledger
	Names    *learn.Names // other spellings of names; may be nil
	// Writes switches the tools on that change something. Window is how long a
	// repetition without a key of its own is taken for the same change.
	Writes bool
	Window time.Duration
	// Budget is the time of one call: when several sources are asked, those that
	// have not answered by then are reported as timed out. Zero: 20 seconds.
	Budget time.Duration
	// Escalations keeps what is handed to a person.
	Escalations *escalation.Keeper
	// Providers are those that this version can connect, and Kinds what each can be at
	// best, for what to add to the configuration.
	Providers []string
	Kinds     map[string][]connectors.Kind
	Now       func() time.Time
	// Panicked, if set, is told of a panic below a tool, which is answered as that
	// source's failure. The value may quote anything and must not be shown.
	Panicked func(tool, source string, value any)
	// Watcher, if set, is told what calls do.
	Watcher status.Watcher

	strays strays
}

// Spec is what a tool says of itself.
type Spec struct {
	Name        string
	Title       string
	Description string
	Operation   string // such as tracker.search
	Kind        connectors.Kind
	Needs       connectors.Capability
	One, Many   string // what it returns, as nouns
	Named       string // the argument that names the one thing it returns; empty for others
	Writes      bool
	Overwrites  bool // takes something away that was there
	Local       bool // asks nothing outside the server itself
	Keeps       bool // stores something on the server, and changes no source
}

// Tool is one tool.
type Tool interface {
	Spec() Spec
	// InputSchema is made from the tool's argument struct.
	InputSchema() json.RawMessage
	// Call answers. It never panics on bad arguments; raw may be anything.
	Call(ctx context.Context, d *Deps, raw json.RawMessage) status.Envelope
}

// All lists the tools in the order in which they are shown.
func All() []Tool {
	return []Tool{
		trackerSearch, trackerGetIssue, trackerDescribe, trackerCreateIssue, trackerUpdateIssue, trackerAddComment,
		repoSearchCode, repoReadFile, repoList, repoGetChange, repoHistory,
		docsSearch, docsRead, docsList,
		listCapabilities, resolveReference, escalate, getEscalation, listFailures,
	}
}

// ByCapability maps each capability to the tools that need it.
func ByCapability() map[connectors.Capability][]string {
	m := map[connectors.Capability][]string{}
	for _, t := range All() {
		if s := t.Spec(); s.Needs != "" {
			m[s.Needs] = append(m[s.Needs], s.Name)
		}
	}
	return m
}

// tool is a declaration: a spec and a function from bound arguments to the answer.
type tool[A any] struct {
	spec Spec
	run  func(ctx context.Context, d *Deps, a A) status.Envelope
}

func (t tool[A]) Spec() Spec { return t.spec }

func (t tool[A]) InputSchema() json.RawMessage { return schemaOf[A]() }

func (t tool[A]) Call(ctx context.Context, d *Deps, raw json.RawMessage) status.Envelope {
	args, failure := bind[A](raw)
	bound := reflect.ValueOf(&args).Elem()
	if failure != nil {
		return d.unbound(ctx, t.spec, bound, *failure)
	}
	if f := d.unlink(t.spec, bound); f != nil {
		return t.spec.refuse(*f)
	}
	e := d.offering(ctx, t.spec, d.answered(ctx, t.spec, bound, func() status.Envelope { return t.run(ctx, d, args) }))
	if f, _ := e.Failure(); f.Reason() != status.AmbiguousTarget {
		return e
	}
	return e.Proposing(t.spec.caller(bound, raw))
}

// question words the call as a whole, before any source is known.
func (s Spec) question(what string) status.Question {
	return status.Question{Operation: s.Operation, Capability: string(s.Needs), One: what}
}

// refuse answers before any source was asked.
func (s Spec) refuse(f status.Failure) status.Envelope {
	return status.Refuse(s.question("what "+s.Name+" was asked for"), f)
}
