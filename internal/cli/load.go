package cli

import (
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/lmittmann/tint"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// start finds the configuration and wires frank; [Run] closes it. A file is read
// at once, since its faults must stop the start. Where there is none, git is asked about the
// checkout when the first call needs it: see app.Later.
func (r *run) start(log *slog.Logger) (*app.App, error) {
	path, err := config.SystemSearch(r.config).Find()
	if err != nil {
		return nil, err
	}
	o := app.Options{Version: version(), Log: log, Journal: app.JournalPath(), Forgetful: app.JournalPath() == "", Getenv: os.Getenv}
	if r.events {
		o.Events = r.stderr()
	}
	if path != "" {
		cfg, err := config.Load(path, connected()...)
		if err != nil {
			return nil, err
		}
		return r.begun(app.New(cfg, o))
	}
	place, err := config.SystemPlace()
	if err != nil {
		return nil, err
	}
	return r.begun(app.Later(func() *config.Config { return config.Default(r.ctx, place) }, o))
}

// begun has the app closed when the command ends.
func (r *run) begun(a *app.App, err error) (*app.App, error) {
	if err == nil {
		r.apps = append(r.apps, a)
	}
	return a, err
}

// close lets what the command leaves behind be sent.
func (r *run) close() {
	for _, a := range r.apps {
		_ = a.Close(r.ctx) // it has said what could not be done
	}
}

// stderr is standard error for log and events, whose lines must not run into each
// other.
func (r *run) stderr() io.Writer {
	if r.lines == nil {
		r.lines = &lines{to: r.Err}
	}
	return r.lines
}

type lines struct {
	mu sync.Mutex
	to io.Writer
}

// Write writes whole lines one after the other.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// announce logs what is served, and what a person should look at. It does not
// make a configuration that is not there yet.
func announce(log *slog.Logger, a *app.App, transport string) {
	if a.Config == nil {
		log.Info("serving", "transport", transport, "version", version(), "config", "none, so the working directory decides")
		return
	}
	names := make([]string, 0, len(a.Config.Sources))
	for _, s := range a.Config.Sources {
		names = append(names, s.Name)
	}
	log.Info("serving", "transport", transport, "version", version(), "config", a.Config.Path, "sources", strings.Join(names, ", "))
	for _, w := range a.Config.Check() {
		if w.Source == "" {
			log.Warn("look at the configuration", "problem", w.Text)
			continue
		}
		log.Warn("look at the configuration", "source", w.Source, "problem", w.Text)
	}
}

// connected names the providers of this version.
func connected() []string {
	var names []string
	for _, p := range app.Providers() {
		names = append(names, p.Name)
	}
	return names
}

// logger writes to standard error. Otherwise is the level where none was asked for.
func (r *run) logger(otherwise slog.Level) *slog.Logger {
	level := otherwise
	if r.logLevel != "" {
		_ = level.UnmarshalText([]byte(r.logLevel)) // checked before
	}
	if r.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(r.stderr(), &slog.HandlerOptions{Level: level}))
	}
	out := screenOf(r.Err)
	format := time.RFC3339
	if out.terminal {
		format = time.TimeOnly
	}
	return slog.New(tint.NewTextHandler(r.stderr(), &tint.Options{Level: level, TimeFormat: format, NoColor: !out.colour}))
}
