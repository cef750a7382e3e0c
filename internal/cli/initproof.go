package cli

import (
	"log/slog"
	"slices"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/status"
)

// proof is what the probes of sources found.
type proof struct {
	sources []config.Source
	cfg     *config.Config
	m       app.Manifest
	secrets map[string]string // see problems
}

// prove asks the sources as the doctor would with the file that is to be written.
// Nothing of it is kept in the journal.
func (s *setup) prove(sources []config.Source, writes bool) (proof, error) {
	p := proof{sources: sources}
	var err error
	if p.cfg, err = s.parse(sources, writes); err != nil {
		return p, err
	}
	a, err := s.begun(app.New(p.cfg, app.Options{Version: version(), Log: s.logger(slog.LevelError), Forgetful: true}))
	if err != nil {
		return p, err
	}
	names := make([]string, 0, len(sources))
	for _, source := range sources {
		names = append(names, source.Name)
	}
	s.probe(a, names)
	if s.ctx.Err() != nil {
		return p, interrupted()
	}
	p.m = a.Manifest(s.ctx, "", false)
	p.m.Notes = nil // of a server that nobody will start
	p.secrets = s.problems(p.m, p.cfg)
	return p, nil
}

func interrupted() error { return exit{exitFailed, "interrupted; nothing was written"} }

// unproved names the sources that cannot be used as they are.
func (p proof) unproved() []string {
	names := []string{}
	for _, s := range p.m.Sources {
		if s.State != app.Ready && s.State != app.Degraded {
			names = append(names, s.Source)
		}
	}
	return names
}

// report shows state, account, abilities, and what would give more. That changes are
// switched off is no finding where they were just not asked for.
func (p proof) report(s screen, writes bool) string {
	d := diagnosis{s: s, m: p.m, cfg: p.cfg, secrets: p.secrets}
	d.m.Sources = slices.Clone(p.m.Sources)
	for i, source := range d.m.Sources {
		d.m.Sources[i].Capabilities = slices.DeleteFunc(slices.Clone(source.Capabilities), func(c app.ManifestCapability) bool {
			return !writes && c.Reason == status.ConnectorDisabled.Name()
		})
	}
	d.sources()
	d.matrix()
	d.unblock()
	d.notes()
	return d.b.String()
}
