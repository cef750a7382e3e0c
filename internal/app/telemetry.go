package app

import (
	"io"

	"github.com/frank-mcp/frank/internal/telemetry"
)

// Escalation is what an event tells of an escalation.
type Escalation = telemetry.Escalation

// watch switches on traces, metrics and events where they are asked for. It is
// part of opening the sources, so that a start does not pay for it.
func (a *App) watch() {
	o := telemetry.Options{Getenv: a.options.Getenv, Log: a.options.Log, Version: a.options.Version, Now: a.options.Now}
	if a.options.Events != nil {
		o.Events = cleaned{a.options.Events, a.vault}
	}
	t := telemetry.Open(o)
	a.telemetry.Store(t)
	a.Deps.Watcher = t.Watcher()
}

// cleaned takes the secrets in use out of whole lines.
type cleaned struct {
	to    io.Writer
	vault *vault
}

// Write implements io.Writer.
func (c cleaned) Write(line []byte) (int, error) {
	if _, err := c.to.Write(c.vault.redact(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Escalated tells of an escalation that was opened or resolved, as an event.
func (a *App) Escalated(x Escalation) { a.telemetry.Load().Escalation(x) }
