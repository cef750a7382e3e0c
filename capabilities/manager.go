package capabilities

import (
	"context"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// How long what a probe found is believed. A bad finding expires soon, so that
// what a person has just repaired is seen.
const (
	goodTTL = 5 * time.Minute
	badTTL  = 30 * time.Second
	// probeTimeout bounds one probe; it covers the retries below it.
	probeTimeout = 25 * time.Second
)

// Known is a provider that this version of frank, or its contract, knows.
type Known struct {
	Name    string
	Kinds   []connectors.Kind
	Unblock string
}

// Options configures a Manager.
type Options struct {
	Sources      []connectors.Source
	Capabilities map[string][]connectors.Capability // of each provider
	Providers    []Known
	Tools        map[connectors.Capability][]string // which tools need it
	// Off says of capabilities that the configuration switches off what a call gets.
	Off func(connectors.Source, connectors.Capability) *status.Failure
	// Denied, if set, is why nobody may use the capability anywhere, or nil.
	Denied func(connectors.Capability) *status.Failure
	Now    func() time.Time
}

// Manager keeps what the probes found. It is safe for concurrent use.
type Manager struct {
	// Notes adds lines about the server itself to the manifest; set before use.
	Notes func() []string

	sources      []connectors.Source
	capabilities map[string][]connectors.Capability
	providers    []Known
	tools        map[connectors.Capability][]string
	off          func(connectors.Source, connectors.Capability) *status.Failure
	now          func() time.Time
	denied       func(connectors.Capability) *status.Failure

	flight singleflight.Group
	mu     sync.Mutex
	found  map[string]entry
	tell   []func()
}

type entry struct {
	probe            connectors.Probe
	checked, expires time.Time
}

// New returns a manager that has probed nothing yet.
func New(o Options) *Manager {
	return &Manager{
		off: o.Off, sources: o.Sources, capabilities: o.Capabilities, providers: o.Providers, tools: o.Tools, now: o.Now, denied: o.Denied,
		found: map[string]entry{},
	}
}

// OnChange registers a function that is called, without a lock held, whenever a
// probe changed the state of a source or of one of its capabilities.
func (m *Manager) OnChange(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tell = append(m.tell, f)
}

// Check answers from what the last probe found, without any request: the failure
// that a call which needs the capability in that container gets, or nil to go on
// and see. An empty container is all that the account sees.
func (m *Manager) Check(s connectors.Source, c connectors.Capability, container string) *status.Failure {
	if s.Broken != nil {
		return s.Broken
	}
	e, ok := m.entry(s.Name)
	if !ok || !m.now().Before(e.expires) {
		return nil
	}
	for _, g := range e.probe.Capabilities {
		if g.Container != "" && !strings.EqualFold(g.Container, container) {
			continue // said of another container only
		}
		if g.Capability == c && g.Failure != nil && (g.State == connectors.NotGranted || g.State == connectors.Unsupported) {
			f := g.Failure.Within(s.Name, "", string(c)).Remembered(e.checked)
			return &f
		}
	}
	return nil
}

func (m *Manager) entry(source string) (entry, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.found[source]
	return e, ok
}

func (m *Manager) capabilitiesOf(s connectors.Source) []connectors.Capability {
	return m.capabilities[s.Provider]
}

// probeAll probes side by side and returns when all have answered or ctx ends.
func (m *Manager) probeAll(ctx context.Context, only string, refresh bool) {
	var wg sync.WaitGroup
	for _, s := range m.sources {
		if only != "" && s.Name != only {
			continue
		}
		e, ok := m.entry(s.Name)
		if ok && !refresh && m.now().Before(e.expires) {
			continue
		}
		wg.Go(func() { m.probe(ctx, s) })
	}
	wg.Wait()
}

// probe shares one flight among those who ask at the same time. The flight has
// its own time limit: one caller who gives up does not end it for the others.
func (m *Manager) probe(ctx context.Context, s connectors.Source) {
	if ctx.Err() != nil { // nobody waits for it
		return
	}
	done := m.flight.DoChan(s.Name, func() (any, error) {
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
		defer cancel()
		m.keep(s.Name, m.ask(own, s))
		return nil, nil
	})
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (m *Manager) ask(ctx context.Context, s connectors.Source) (p connectors.Probe) {
	if s.Broken != nil {
		return connectors.Probe{State: brokenState(*s.Broken), Failure: s.Broken}
	}
	if s.Prober == nil {
		return connectors.Probe{State: connectors.Unprobed}
	}
	defer func() { // a probe that panics has proved nothing
		if recover() != nil {
			f := status.Fail(status.UncaughtServerError, status.By(s.Name))
			p = connectors.Probe{State: connectors.Unreachable, Failure: &f}
		}
	}()
	return s.Prober.Probe(ctx)
}

func brokenState(f status.Failure) connectors.State {
	if f.Code() == status.AccessDenied {
		return connectors.Denied
	}
	return connectors.Misconfigured
}

func (m *Manager) keep(source string, p connectors.Probe) {
	now := m.now()
	ttl := badTTL
	if p.State == connectors.Ready {
		ttl = goodTTL
	}
	m.mu.Lock()
	before, had := m.found[source]
	m.found[source] = entry{p, now, now.Add(ttl)}
	tell := append([]func(){}, m.tell...)
	m.mu.Unlock()
	if had && !differs(before.probe, p) {
		return
	}
	for _, f := range tell {
		f()
	}
}

func differs(a, b connectors.Probe) bool {
	if a.State != b.State || a.Identity != b.Identity || a.Fingerprint != b.Fingerprint || len(a.Capabilities) != len(b.Capabilities) {
		return true
	}
	for i := range a.Capabilities {
		if a.Capabilities[i].Capability != b.Capabilities[i].Capability || a.Capabilities[i].State != b.Capabilities[i].State {
			return true
		}
	}
	return false
}
