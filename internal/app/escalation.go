package app

import (
	"context"
	"time"

	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/internal/scrub"
	"github.com/frank-mcp/frank/internal/store"
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
	var tell func(escalation.Event)
	if o.Events != nil {
		tell = a.tell
	}
	a.Deps.Escalations = escalation.New(escalation.Options{
		Store: a.Store, Now: o.Now, LookupEnv: o.Host.LookupEnv, Learn: a.vault.learn, Version: o.Version, Log: o.Log,
		Scrub:   func(s string) string { return scrub.Text(a.vault.text(s)) },
		OnEvent: tell,
		Changed: func(id string) { a.Server.ResourceUpdated(server.EscalationURI + id) },
		Watched: func() bool { return a.Server.Listened(server.EscalationURI) },
	})
}

// tell passes an event on.
func (a *App) tell(e escalation.Event) {
	x := Escalation{
		Event: e.Name, ID: e.ID, Trigger: string(e.Trigger), Destination: e.Destination,
		CallID: e.CallID, TraceID: e.TraceID, SpanID: e.SpanID, Tool: e.Tool, Source: e.Source, Reason: e.Reason, Code: e.Code,
	}
	if e.Name == escalation.EventResolved {
		x.Outcome = string(e.State)
	}
	a.Escalated(x)
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

// What the commands show of escalations.
type (
	// EscalationRecord is one escalation.
	EscalationRecord = escalation.Record
	// EscalationStatement is what a later call said of it.
	EscalationStatement = escalation.Statement
	// EscalationAnswer is how a person ends one.
	EscalationAnswer = escalation.Resolution
	// EscalationStats says how they went.
	EscalationStats = escalation.Stats
)

// Outcomes of an escalation, and why it cannot be ended.
const (
	EscalationOpen     = escalation.Open
	EscalationResolved = escalation.Resolved
	EscalationRejected = escalation.Rejected
)

// Errors of [App.EndEscalation] and [Escalations.Get].
var (
	ErrNoEscalation    = escalation.ErrUnknown
	ErrEscalationEnded = escalation.ErrEnded
)

// Escalations reads those at path. It needs no configuration and makes no file.
type Escalations struct {
	store  *store.Store
	keeper *escalation.Keeper
}

// OpenEscalations opens what is kept at path. Close it.
func OpenEscalations(path string) *Escalations {
	s := store.Open(path, store.Options{})
	return &Escalations{s, escalation.New(escalation.Options{Store: s})}
}

// List returns the open ones, or all, and why the file cannot be read, if so.
func (e *Escalations) List(ctx context.Context, all bool) ([]EscalationRecord, string, error) {
	found, err := e.keeper.List(ctx, all)
	return found, e.keeper.Problem(), err
}

// Get returns one; the error may be [ErrNoEscalation].
func (e *Escalations) Get(ctx context.Context, id string) (EscalationRecord, string, error) {
	found, err := e.keeper.Get(ctx, id)
	return found, e.keeper.Problem(), err
}

// Stats counts them.
func (e *Escalations) Stats(ctx context.Context) (EscalationStats, string, error) {
	s, err := e.keeper.Stats(ctx)
	return s, e.keeper.Problem(), err
}

// Close ends the use of the file.
func (e *Escalations) Close() {
	e.keeper.Close(context.Background())
	_ = e.store.Close() // it was only read
}

// EndEscalation keeps a person's answer and puts word of it into the outbox, which
// [App.Close] empties as far as it can. The error may be [ErrNoEscalation] or
// [ErrEscalationEnded]; the text says why the file cannot be used, if so.
func (a *App) EndEscalation(ctx context.Context, id string, answer EscalationAnswer) (EscalationRecord, string, error) {
	r, err := a.Deps.Escalations.Resolve(ctx, id, answer)
	return r, a.Deps.Escalations.Problem(), err
}

// Bare wires frank without a configuration, for what needs none.
func Bare(o Options) (*App, error) {
	return Later(func() *config.Config { return &config.Config{} }, o)
}
