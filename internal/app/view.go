package app

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frank-mcp/frank/capabilities"
	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/internal/store"
	"github.com/frank-mcp/frank/server"
	"github.com/frank-mcp/frank/status"
	"github.com/frank-mcp/frank/tools"
)

// What the commands show and pass on, under one roof: they know no package
// below this one.
type (
	// Manifest is the capability manifest.
	Manifest = capabilities.Manifest
	// ManifestSource is one source in it.
	ManifestSource = capabilities.Source
	// ManifestCapability is one ability of a source in it.
	ManifestCapability = capabilities.Capability
	// Tool is one tool as clients see it.
	Tool = server.Tool
	// Reply is the answer to one call, both channels.
	Reply = server.Reply
	// HTTPOptions says where and for whom to serve HTTP.
	HTTPOptions = server.HTTPOptions
	// FailureQuery selects records of past failures.
	FailureQuery = journal.Query
	// FailureRecord is one past failure.
	FailureRecord = journal.Record
	// CallCount is how many calls ended with a status.
	CallCount = journal.Count
	// FailureTally counts equal failures.
	FailureTally = status.Tally
	// FailureListing is what was found in the journal.
	FailureListing = journal.Listing
)

// States of a source in the manifest.
const (
	Ready    = connectors.Ready
	Degraded = connectors.Degraded
)

// Errors of App.Server.ListenHTTP that are the caller's to repair.
var (
	ErrTokenRequired  = server.ErrTokenRequired
	ErrAddressInUse   = server.ErrAddressInUse
	ErrAddressInvalid = server.ErrAddressInvalid
)

// Manifest probes and returns the manifest; see capabilities.Manager.Manifest.
func (a *App) Manifest(ctx context.Context, source string, refresh bool) Manifest {
	a.Ready()
	m := a.Deps.Manifest.Manifest(ctx, source, refresh)
	if raw, err := json.Marshal(m); err == nil { // an account may bear the name of its token
		if clean := a.vault.redact(raw); len(clean) != len(raw) {
			m = Manifest{}
			_ = json.Unmarshal(clean, &m) // without what cannot be read
		}
	}
	return m
}

// JournalPath is where failures are recorded, empty if the user has no place for
// state.
func JournalPath() string { return journal.DefaultPath() }

// Failures reads the journal at path. It needs no configuration and makes no file.
func Failures(ctx context.Context, path string, q FailureQuery) (found FailureListing, problem string) {
	s := store.Open(path, store.Options{})
	defer func() { _ = s.Close() }() // it was only read
	j := journal.Open(s, journal.Options{})
	found = j.List(ctx, q)
	return found, j.Problem()
}

// FailureSources names the sources of which the journal at path has a failure, and
// frank's own.
func FailureSources(ctx context.Context, path string) []string {
	s := store.Open(path, store.Options{})
	defer func() { _ = s.Close() }() // it was only read
	names := journal.Open(s, journal.Options{}).Sources(ctx)
	if !slices.Contains(names, tools.OwnEscalations) {
		names = append(names, tools.OwnEscalations)
	}
	return names
}
