// Package capabilities knows what each source can do for this server's
// credentials, proved by live probes with a time to live, and shows it as one
// manifest. It also answers "is this granted?" from what the probes found.
//
// It never asks a source for data, never holds a credential, and never blocks a
// call that a probe has not denied: unknown means go on and see.
package capabilities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// Manifest is what the tool list_capabilities, the resource frank://capabilities
// and frank doctor show.
type Manifest struct {
	Version      int            `json:"version"`
	Fingerprint  string         `json:"fingerprint"`
	GeneratedAt  time.Time      `json:"generated_at"`
	Sources      []Source       `json:"sources"`
	NotConnected []NotConnected `json:"not_connected"`
	Notes        []string       `json:"notes,omitempty"`
}

// Source is one configured source.
type Source struct {
	Source       string            `json:"source"`
	Provider     string            `json:"provider"`
	Kinds        []connectors.Kind `json:"kinds"`
	State        connectors.State  `json:"state"`
	Identity     string            `json:"identity,omitempty"`
	Anonymous    bool              `json:"anonymous,omitempty"`
	Project      string            `json:"default_project,omitempty"`
	CheckedAt    *time.Time        `json:"checked_at,omitempty"`
	ExpiresAt    *time.Time        `json:"expires_at,omitempty"`
	Fingerprint  string            `json:"fingerprint,omitempty"`
	Scopes       []string          `json:"granted_scopes,omitempty"`
	Reason       string            `json:"reason,omitempty"`
	Unblock      string            `json:"unblock,omitempty"`
	Capabilities []Capability      `json:"capabilities"`
	Notes        []string          `json:"notes,omitempty"`

	failure *status.Failure
}

// Failure is why the source as a whole cannot be used, or nil.
func (s Source) Failure() *status.Failure { return s.failure }

// Capability is one ability of one source.
type Capability struct {
	ID      connectors.Capability `json:"id"`
	Tools   []string              `json:"tools"`
	State   connectors.GrantState `json:"state"`
	Reason  string                `json:"reason,omitempty"`
	Unblock string                `json:"unblock,omitempty"`
}

// NotConnected is a provider that no source covers.
type NotConnected struct {
	Provider string            `json:"provider"`
	Kinds    []connectors.Kind `json:"kinds"`
	Unblock  string            `json:"unblock"`
}

// Manifest probes every source whose answer has expired, or every source if
// refresh is set, and returns the whole manifest. An empty only means all sources.
func (m *Manager) Manifest(ctx context.Context, only string, refresh bool) Manifest {
	m.probeAll(ctx, only, refresh)
	out := Manifest{Version: 1, GeneratedAt: m.now().UTC().Truncate(time.Second), Sources: []Source{}, NotConnected: []NotConnected{}}
	for _, s := range m.sources {
		if only == "" || s.Name == only {
			out.Sources = append(out.Sources, m.describe(s))
		}
	}
	if only == "" {
		out.NotConnected = m.notConnected()
		if m.Notes != nil {
			out.Notes = m.Notes()
		}
	}
	out.Fingerprint = fingerprint(out.Sources)
	return out
}

// describe renders what is known of a source without probing it.
func (m *Manager) describe(s connectors.Source) Source {
	out := Source{
		Source: s.Name, Provider: s.Provider, Kinds: served(s), State: connectors.Unprobed,
		Project: s.DefaultProject, Capabilities: []Capability{},
	}
	e, ok := m.entry(s.Name)
	if ok {
		p := e.probe
		checked, expires := e.checked.UTC().Truncate(time.Second), e.expires.UTC().Truncate(time.Second)
		out.State, out.Identity, out.Anonymous, out.Fingerprint, out.Notes = p.State, p.Identity, p.Anonymous, p.Fingerprint, p.Notes
		out.CheckedAt, out.ExpiresAt, out.Scopes, out.failure = &checked, &expires, p.Scopes, p.Failure
		if p.Failure != nil {
			out.Reason, out.Unblock = p.Failure.Reason().Name(), p.Failure.Action()
		}
	}
	for _, id := range m.capabilitiesOf(s) {
		c := Capability{ID: id, Tools: m.tools[id], State: connectors.UnknownGrant}
		if c.Tools == nil {
			c.Tools = []string{}
		}
		if i := slices.IndexFunc(e.probe.Capabilities, func(g connectors.Grant) bool { return g.Capability == id }); i >= 0 {
			g := e.probe.Capabilities[i]
			c.State = g.State
			if g.Failure != nil {
				f := g.Failure.Within(s.Name, "", string(id))
				c.Reason, c.Unblock = f.Reason().Name(), f.Action()
			}
		}
		if m.off != nil {
			if f := m.off(s, id); f != nil {
				c.State, c.Reason, c.Unblock = connectors.Unsupported, f.Reason().Name(), f.Action()
			}
		}
		if f := m.forbidden(id); f != nil { // whatever the source would grant
			c.State, c.Reason, c.Unblock = connectors.NotGranted, f.Reason().Name(), f.Action()
		}
		out.Capabilities = append(out.Capabilities, c)
	}
	return out
}

func (m *Manager) forbidden(c connectors.Capability) *status.Failure {
	if m.denied == nil {
		return nil
	}
	return m.denied(c)
}

func served(s connectors.Source) []connectors.Kind {
	kinds := []connectors.Kind{}
	for _, k := range []connectors.Kind{connectors.KindTracker, connectors.KindRepo, connectors.KindDocs} {
		if s.Serves(k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

func (m *Manager) notConnected() []NotConnected {
	out := []NotConnected{}
	for _, p := range m.providers {
		covered := slices.ContainsFunc(m.sources, func(s connectors.Source) bool { return s.Provider == p.Name })
		if !covered {
			out = append(out, NotConnected{p.Name, p.Kinds, p.Unblock})
		}
	}
	return out
}

// fingerprint changes when a state, an identity or a grant changes, and with
// nothing else.
func fingerprint(sources []Source) string {
	h := sha256.New()
	e := json.NewEncoder(h)
	for _, s := range sources {
		s.CheckedAt, s.ExpiresAt, s.Notes = nil, nil, nil
		if err := e.Encode(s); err != nil { // plain strings and lists always encode
			panic("capabilities: fingerprint: " + err.Error())
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
