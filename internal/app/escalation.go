package app

import (
	"context"
	"time"

	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/internal/scrub"
	"github.com/frank-mcp/frank/server"
)

// Times of what is done for escalations beside the calls.
const (
	// startDelivering: what an earlier process left in the outbox does not slow down
	// the first call of this one.
	startDelivering = 2 * time.Second
	// deliverWithin bounds what the end of a command may take to deliver.
	deliverWithin = 3 * time.Second
)

// escalate wires what hands questions to people.
func (a *App) escalate() {
	o := a.options
	a.Deps.Escalations = escalation.New(escalation.Options{
		Store: a.Store, Now: o.Now, LookupEnv: o.Host.LookupEnv, Learn: a.vault.learn, Version: o.Version, Log: o.Log,
		Scrub:   func(s string) string { return scrub.Text(a.vault.text(s)) },
		OnEvent: o.OnEscalation,
		Changed: func(id string) { a.Server.ResourceUpdated(server.EscalationURI + id) },
		Watched: func() bool { return a.Server.Listened(server.EscalationURI) },
	})
}

// route puts the configuration into force.
func (a *App) route(cfg *config.Config) {
	a.Deps.Escalations.Configure(rules(cfg.Escalation))
	a.Deps.Escalations.Start(startDelivering)
}

// listening looks for changes of escalations once somebody wants to know of them.
func (a *App) listening() {
	if a.Server.Listened(server.EscalationURI) {
		a.Ready()
		a.Deps.Escalations.Watch()
	}
}

// deliver tries once more what waits in the outbox.
func (a *App) deliver(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, deliverWithin)
	defer cancel()
	a.Deps.Escalations.Close(ctx)
}

func rules(c config.Escalation) escalation.Rules {
	r := escalation.Rules{AfterFailures: c.AfterFailures, MinConfidence: c.MinConfidence, Rate: c.Rate, Window: c.Window, Quiet: c.Quiet}
	for _, way := range c.Routes {
		r.Routes = append(r.Routes, escalation.Route{Trigger: escalation.Trigger(way.Trigger), Code: way.Code, Source: way.Source, To: way.To})
	}
	r.Destinations = map[string]escalation.Target{}
	for name, d := range c.Destinations {
		r.Destinations[name] = escalation.Target(d)
	}
	return r
}
