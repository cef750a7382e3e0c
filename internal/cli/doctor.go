package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/status"
)

type doctorCommand struct {
	json   bool
	source string
}

func (c *doctorCommand) register(fs *flag.FlagSet) {
	fs.BoolVar(&c.json, "json", false, "print the manifest as JSON and nothing else")
	fs.StringVar(&c.source, "source", "", "probe only the source `NAME`")
}

// run probes and shows the manifest.
func (c *doctorCommand) run(r *run, _ []string) error {
	a, err := r.start(r.logger(slog.LevelError))
	if err != nil {
		return err
	}
	a.Ready()
	names := make([]string, 0, len(a.Config.Sources))
	for _, s := range a.Config.Sources {
		names = append(names, s.Name)
	}
	if c.source != "" {
		if _, ok := a.Config.Source(c.source); !ok {
			return usage(fmt.Sprintf("there is no source %q; there are %s", c.source, strings.Join(names, ", ")))
		}
		names = []string{c.source}
	}
	a.CheckJournal(r.ctx)
	r.probe(a, names)
	if r.ctx.Err() != nil {
		return exit{exitFailed, "interrupted before every source had answered"}
	}
	m := a.Manifest(r.ctx, c.source, false)
	if c.json {
		raw, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if err := r.print(raw); err != nil {
			return err
		}
	} else {
		d := diagnosis{s: screenOf(r.Out), m: m, cfg: a.Config, secrets: r.problems(m, a.Config)}
		if _, err := r.Out.WriteString(d.text()); err != nil {
			return err
		}
	}
	return readiness(m)
}

// probe asks the sources side by side and shows on a terminal for which one it
// still waits.
func (r *run) probe(a *app.App, names []string) {
	out := screenOf(r.Err)
	var mu sync.Mutex
	waiting := append([]string(nil), names...)
	show := func() {
		if out.terminal {
			line := "probing " + strings.Join(waiting, ", ") + " …"
			if len(waiting) == 0 {
				line = ""
			}
			_, _ = r.Err.WriteString("\r\x1b[K" + line)
		}
	}
	show()
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			a.Manifest(r.ctx, name, true)
			mu.Lock()
			defer mu.Unlock()
			for i, w := range waiting {
				if w == name {
					waiting = append(waiting[:i], waiting[i+1:]...)
					break
				}
			}
			show()
		})
	}
	all.Wait()
}

// problems says, by source, why there is no credential to send. The manifest has
// only the reason; the file or command that is to blame is for the person at the
// terminal. No text holds any part of a credential.
func (r *run) problems(m app.Manifest, cfg *config.Config) map[string]string {
	found := map[string]string{}
	for _, s := range m.Sources {
		if s.Reason != status.AuthProfileMissing.Name() && s.Reason != status.AuthHeaderResolutionFailed.Name() {
			continue
		}
		if source, ok := cfg.Source(s.Source); ok {
			if _, p := source.Auth.Resolve(r.ctx, config.SystemHost()); p != nil {
				found[s.Source] = p.Text
			}
		}
	}
	return found
}

// readiness is nil if all sources are ready.
func readiness(m app.Manifest) error {
	ready, usable := counts(m)
	switch {
	case ready == len(m.Sources) && ready > 0:
		return nil
	case usable > 0:
		return exit{code: exitPartial}
	}
	return exit{code: exitNone}
}

// counts says how many sources are ready, and how many can be used at all.
func counts(m app.Manifest) (ready, usable int) {
	for _, s := range m.Sources {
		switch s.State {
		case app.Ready:
			ready++
			usable++
		case app.Degraded:
			usable++
		default:
		}
	}
	return ready, usable
}

// origin says where the configuration comes from.
func origin(cfg *config.Config, width int) []string {
	if cfg.Path != "" {
		return []string{"Configuration: " + clean(cfg.Path)}
	}
	lines := []string{"Configuration: none was found, so the working directory decides:"}
	for _, s := range cfg.Sources {
		if s.Provider == config.Local {
			lines = append(lines, "  "+s.Name+": "+clean(s.Root))
			continue
		}
		lines = append(lines, "  "+wrap(s.Name+": "+clean(s.DefaultProject)+", from the remote of the checkout; "+authOf(s.Auth), width, 4))
	}
	if len(cfg.Sources) == 1 {
		lines = append(lines, "  no remote on GitHub was found, so GitHub is not asked")
	}
	return lines
}

// authOf says where a credential comes from, never what it is.
func authOf(a config.Auth) string {
	switch a.Method {
	case config.MethodEnv:
		return "token from $" + a.Env
	case config.MethodCommand:
		return "token from gh auth token, if you are logged in"
	case config.MethodFile:
		return "token from a file"
	case config.MethodKeyring:
		return "token from the keyring"
	case config.MethodNone, config.MethodUnset:
	}
	return "asked anonymously, as neither GITHUB_TOKEN, GH_TOKEN nor gh gives a token"
}
