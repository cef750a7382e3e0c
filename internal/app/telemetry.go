package app

import (
	"github.com/frank-mcp/frank/internal/telemetry"
)

// Escalation is what an event tells of an escalation.
type Escalation = telemetry.Escalation

// watch switches on traces, metrics and events where they are asked for. It is
// part of opening the sources, so that a start does not pay for it.
func (a *App) watch() {
	t := telemetry.Open(telemetry.Options{Getenv: a.options.Getenv, Events: a.options.Events, Log: a.options.Log, Version: a.options.Version, Now: a.options.Now})
	a.telemetry.Store(t)
	a.Deps.Watcher = t.Watcher()
}

// Escalated tells of an escalation that was opened or resolved, as an event.
func (a *App) Escalated(x Escalation) { a.telemetry.Load().Escalation(x) }
