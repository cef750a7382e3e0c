// Package app puts frank together from its configuration: it opens the sources
// with the only list of providers, and wires tools, manifest, journal and server.
//
// It asks no source anything and reads no credential: both happen with the first
// call, so that a host waits for neither.
package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frank-mcp/frank/capabilities"
	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/connectors/confluence"
	"github.com/frank-mcp/frank/connectors/github"
	"github.com/frank-mcp/frank/connectors/jira"
	"github.com/frank-mcp/frank/connectors/local"
	"github.com/frank-mcp/frank/connectors/mediawiki"
	"github.com/frank-mcp/frank/connectors/redmine"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/learn"
	"github.com/frank-mcp/frank/internal/policy"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/store"
	"github.com/frank-mcp/frank/internal/telemetry"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/server"
	"github.com/frank-mcp/frank/status"
	"github.com/frank-mcp/frank/tools"
)

// Providers lists the providers that this version can connect.
func Providers() []connectors.Provider {
	return []connectors.Provider{confluence.Provider, github.Provider, jira.Provider, local.Provider, mediawiki.Provider, redmine.Provider}
}

// Options is what the configuration file does not say. Zero fields are usable.
type Options struct {
	Version   string
	Transport http.RoundTripper // under every HTTP source; nil: the network
	Now       func() time.Time
	Log       *slog.Logger
	Journal   string        // path of the journal; empty: in memory only
	Limits    store.Options // of the journal; Now and Changed are this package's to set
	// Forgetful: there is no place for what should outlive the process.
	Forgetful bool
	Host      config.Host
	Deadline  time.Duration // of a tool call; zero: the server's default
	// Getenv looks up the variables of OpenTelemetry; nil: no traces, no metrics.
	Getenv func(string) string
	Events io.Writer // takes one line for each event; nil: nobody
}

// App is frank, wired.
type App struct {
	// Config and Deps are whole once Ready has returned.
	Config *config.Config
	Deps   *tools.Deps
	Server *server.Server
	// Store is the file of the journal and of all else that outlives a call.
	Store *store.Store
	// Tools lists them as clients see them.
	Tools func() []server.Tool

	options   Options
	ready     func()
	vault     *vault
	telemetry atomic.Pointer[telemetry.Telemetry]
}

// New wires frank. The error is a wrong declaration in the program itself; a
// source that cannot work becomes one that says so when it is asked.
func New(cfg *config.Config, o Options) (*App, error) {
	a, err := Later(func() *config.Config { return cfg }, o)
	if err == nil {
		a.Ready()
	}
	return a, err
}

// Later wires frank and makes the configuration when the first call needs it.
// Hosts wait for the first answer at every start, and looking at a checkout takes
// git as long as half of all the rest, be it side by side.
func Later(configure func() *config.Config, o Options) (*App, error) {
	a, err := prepare(o)
	a.ready = sync.OnceFunc(func() { a.open(configure()) })
	return a, err
}

// Ready returns when the sources are open, and opens them if they are not.
func (a *App) Ready() { a.ready() }

// prepare does all that needs no configuration.
func prepare(o Options) (*App, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Host.Run == nil {
		o.Host = config.SystemHost()
	}
	secrets := new(vault)
	o.Log = slog.New(guarded{o.Log.Handler(), secrets})
	d := &tools.Deps{Providers: names(Providers()), Kinds: map[string][]connectors.Kind{}, Now: o.Now}
	for _, p := range Providers() {
		d.Kinds[p.Name] = p.Kinds
	}
	d.Panicked = func(tool, source string, value any) {
		o.Log.Error("panic in a connector", "tool", tool, "source", source, "type", fmt.Sprintf("%T", value), "stack", string(debug.Stack()))
	}
	a := &App{Deps: d, options: o, vault: secrets}
	a.remember()
	d.Names = learn.Open(a.Store, o.Now, secrets.text)
	a.claims()
	a.escalate()
	sc := server.Configure(o.Version, d, o.Log)
	sc.Deadline, sc.Redact, sc.Listening = o.Deadline, secrets.redact, a.listening
	a.Tools = sync.OnceValue(sc.Tools)
	sc.Tools = a.Tools
	a.gate(&sc)
	var err error
	a.Server, err = server.New(sc)
	return a, err
}

// gate makes the first call or read open the sources and others wait for it. A
// caller who gives up is answered by the seal meanwhile.
func (a *App) gate(sc *server.Config) {
	call := sc.Call
	sc.Call = func(ctx context.Context, c server.Call) server.Reply {
		a.Ready()
		return call(ctx, c)
	}
	for i, t := range sc.Templates {
		sc.Templates[i].Read = func(ctx context.Context, uri string) (string, bool, error) {
			a.Ready()
			return t.Read(ctx, uri)
		}
	}
	for i, r := range sc.Resources {
		sc.Resources[i].Read = func(ctx context.Context) (string, error) {
			a.Ready()
			return r.Read(ctx)
		}
	}
}

// open opens the sources.
func (a *App) open(cfg *config.Config) {
	providers, d := Providers(), a.Deps
	byProvider := map[string][]connectors.Capability{}
	for _, p := range providers {
		byProvider[p.Name] = p.Capabilities
	}
	for _, s := range cfg.Sources {
		d.Sources = append(d.Sources, a.source(providers, cfg, s))
	}
	a.watch()
	d.Policy = policy.New(cfg.Policy.Allow, cfg.Policy.Deny)
	d.Writes, d.Window, d.Budget = cfg.Writes, cfg.IdempotencyWindow, cfg.Retry.Budget
	d.Manifest = capabilities.New(capabilities.Options{
		Sources: d.Sources, Capabilities: byProvider, Providers: known(providers), Tools: tools.ByCapability(), Now: a.options.Now,
		Off:    d.SwitchedOff(),
		Denied: func(c connectors.Capability) *status.Failure { return d.Policy.Everywhere(string(c)) },
	})
	d.Manifest.Notes = a.notes
	d.Manifest.OnChange(func() {
		a.Server.ResourceUpdated(server.ManifestURI)
		a.Server.ToolsChanged()
	})
	a.route(cfg)
	a.Config = cfg
}

// Call answers one call of a tool through the seal, as every transport does.
func (a *App) Call(ctx context.Context, tool string, arguments json.RawMessage) server.Reply {
	return a.Server.Call(ctx, tool, arguments)
}

// source makes a source; one that cannot be opened answers every question with why.
func (a *App) source(providers []connectors.Provider, cfg *config.Config, s config.Source) connectors.Source {
	o := a.options
	broken := func(kinds []connectors.Kind, f status.Failure) connectors.Source {
		f = f.With(status.By(s.Name))
		owns := func(r ref.Ref) bool { return r.URL() == "" && r.Could(s.Provider) || r.Match(s.BaseURL) }
		return connectors.Source{
			Name: s.Name, Provider: s.Provider, Kinds: kinds, BaseURL: s.BaseURL, DefaultProject: s.DefaultProject, Only: s.Only, Owns: owns, Broken: &f,
		}
	}
	i := slices.IndexFunc(providers, func(p connectors.Provider) bool { return p.Name == s.Provider })
	if i < 0 {
		return broken(kindsOf(s.Provider, providers), status.Fail(status.ConnectorNotConfigured, status.Provider.Is(s.Provider), status.Options.Is(names(providers)),
			status.Remedy.Is("use a version of frank that has a connector for "+s.Provider+", or take source "+s.Name+" out of frank.yaml")))
	}
	p := providers[i]
	setup := connectors.Setup{
		Name: s.Name, BaseURL: s.BaseURL, DefaultProject: s.DefaultProject, Anonymous: s.Auth.Method == config.MethodNone,
		Only: s.Only, Root: s.Root, Repository: s.Repository, Now: o.Now,
	}
	if p.Credential != nil {
		client, f := upstream.New(upstream.Options{
			Source: s.Name, BaseURL: s.BaseURL, Insecure: s.Insecure, Credential: credentialOf(p, s, o.Host, a.vault),
			Retry: retryOf(cfg.Retry), Transport: o.Transport, Classify: p.Classify,
			UserAgent: "frank/" + o.Version, Scopes: strings.Join(append([]string{s.DefaultProject}, s.Only...), "\n"), Log: o.Log, Now: o.Now,
		})
		if f != nil {
			return broken(p.Kinds, *f)
		}
		setup.Upstream = client
	}
	source, f := p.Open(setup)
	if f != nil {
		return broken(p.Kinds, *f)
	}
	source.Kinds, source.Root = p.Kinds, s.Root
	return source
}

func names(providers []connectors.Provider) []string {
	var out []string
	for _, p := range providers {
		out = append(out, p.Name)
	}
	return out
}

// kindsOf is what a provider can be, whether or not this version connects it.
func kindsOf(name string, providers []connectors.Provider) []connectors.Kind {
	for _, k := range known(providers) {
		if k.Name == name {
			return k.Kinds
		}
	}
	return nil
}

// known lists every provider that a configuration may name, with what would
// connect it.
func known(providers []connectors.Provider) []capabilities.Known {
	kinds := map[string][]connectors.Kind{
		config.Jira: {connectors.KindTracker}, config.Confluence: {connectors.KindDocs},
		config.Linear: {connectors.KindTracker, connectors.KindDocs}, config.Notion: {connectors.KindDocs},
		config.Redmine: {connectors.KindTracker, connectors.KindDocs}, config.MediaWiki: {connectors.KindDocs},
	}
	all := []connectors.Kind{connectors.KindTracker, connectors.KindRepo, connectors.KindDocs}
	var out []capabilities.Known
	for _, name := range config.Providers() {
		k := capabilities.Known{Name: name, Kinds: kinds[name], Unblock: "this version of frank has no connector for it"}
		if k.Kinds == nil {
			k.Kinds = all
		}
		if slices.ContainsFunc(providers, func(p connectors.Provider) bool { return p.Name == name }) {
			k.Unblock = "add a source with provider: " + name + " to frank.yaml"
		}
		out = append(out, k)
	}
	return out
}

// retryOf is what the configuration says, in which nothing is left to a default: a
// cool-down of zero is none.
func retryOf(r config.Retry) upstream.Retry {
	out := upstream.Retry(r)
	if out.Cooldown == 0 {
		out.Cooldown = -1
	}
	return out
}
