package cli

import (
	"encoding/json"
	"flag"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/status"
)

type failuresCommand struct {
	since, source, code string
	limit               int
	json, totals        bool
}

func (c *failuresCommand) register(fs *flag.FlagSet) {
	fs.StringVar(&c.since, "since", "", "only since `TIME`: 2026-11-30, an RFC 3339 time, or an age such as 90m, 12h or 7d")
	fs.StringVar(&c.source, "source", "", "only of the source `NAME`")
	fs.StringVar(&c.code, "code", "", "only with this `CODE`, such as ACCESS_DENIED")
	fs.IntVar(&c.limit, "limit", 20, "at most `N` rows, 0 for all; default: 20")
	fs.BoolVar(&c.json, "json", false, "print one JSON object a line and nothing else")
	fs.BoolVar(&c.totals, "totals", false, "show only how often what failed and when; with --json as one object")
}

// run shows the journal.
func (c *failuresCommand) run(r *run, _ []string) error {
	now := time.Now()
	q, err := c.query(now)
	if err != nil {
		return err
	}
	path := app.JournalPath()
	if path == "" {
		return exit{exitFailed, "there is no place for a journal, as neither HOME nor XDG_STATE_HOME is set"}
	}
	found, problem := app.Failures(r.ctx, path, q)
	if !found.Read {
		return exit{exitFailed, "the journal cannot be read: " + unread(problem) + "; look at " + path}
	}
	if found.Total == 0 && c.source != "" {
		if err := c.unknown(r, path); err != nil {
			return err
		}
	}
	if c.json {
		return c.print(r, found, now)
	}
	l := listing{s: screenOf(r.Out), path: path, found: found, now: now, since: q.Since, totals: c.totals}
	_, err = r.Out.WriteString(l.text())
	return err
}

// unknown is the complaint about a source that is neither recorded nor configured.
// Where no configuration can be read, nobody knows whether there is such a source.
func (c *failuresCommand) unknown(r *run, path string) error {
	names := app.FailureSources(r.ctx, path)
	if slices.Contains(names, c.source) {
		return nil
	}
	cfg, err := r.settings()
	if err != nil {
		say(r.Err, "frank: nothing is recorded of a source "+strconv.Quote(status.Line(c.source, 80))+", and without a configuration that can be used nobody knows if there is one")
		return nil
	}
	for _, s := range cfg.Sources {
		if s.Name == c.source {
			return nil
		}
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return usage(noSuch("source", c.source, names) + " " + strings.Join(names, ", "))
}

func unread(problem string) string {
	problem, _, _ = strings.Cut(problem, ";")
	if problem == "" {
		return "its file does not answer"
	}
	return problem
}

// aggregate is what --json --totals prints.
type aggregate struct {
	Totals []app.FailureTally `json:"totals"`
	Over   []bucket           `json:"over_time"`
	Calls  []app.CallCount    `json:"calls"`
}

func (c *failuresCommand) print(r *run, found app.FailureListing, now time.Time) error {
	lines := json.NewEncoder(r.Out)
	if c.totals {
		a := aggregate{found.Totals, buckets(found.Times, now), found.Calls}
		if len(found.Totals) == 0 {
			a.Totals = []app.FailureTally{}
		}
		if len(found.Calls) == 0 {
			a.Calls = []app.CallCount{}
		}
		return lines.Encode(a)
	}
	for _, record := range found.Records {
		if err := lines.Encode(record); err != nil {
			return err
		}
	}
	return nil
}

func (c *failuresCommand) query(now time.Time) (app.FailureQuery, error) {
	q := app.FailureQuery{Source: c.source, Code: strings.ToUpper(c.code), Limit: c.limit}
	if c.limit < 0 {
		return q, usage("--limit must be 0 or more")
	}
	var codes []string
	for _, info := range status.Codes()[1:] {
		codes = append(codes, info.Name)
	}
	if q.Code != "" && !slices.Contains(codes, q.Code) {
		return q, usage("--code must be one of " + strings.Join(codes, ", "))
	}
	since, ok := moment(c.since, now)
	if !ok {
		return q, usage("--since must be a date such as 2026-11-30, an RFC 3339 time, or an age such as 90m, 12h or 7d")
	}
	q.Since = since
	return q, nil
}

// moment reads a time or an age; dates are those of this machine's time zone.
func moment(text string, now time.Time) (time.Time, bool) {
	if text == "" {
		return time.Time{}, true
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return now.AddDate(0, 0, -n), err == nil && n >= 0
	}
	if age, err := time.ParseDuration(text); err == nil {
		return now.Add(-age), age >= 0
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
