package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/lab"
	"github.com/frank-mcp/frank/status"
)

type labCommand struct {
	junit         string
	json, verbose bool
}

func (c *labCommand) register(fs *flag.FlagSet) {
	fs.StringVar(&c.junit, "junit", "", "also write the results as JUnit XML to `FILE`")
	fs.BoolVar(&c.json, "json", false, "faults: print one JSON object a line and nothing else")
	fs.BoolVar(&c.verbose, "verbose", false, "show the summary of every answer")
}

// run tries assertions on the live sources, or faults on an upstream of its own.
func (c *labCommand) run(r *run, words []string) error {
	verbs := []string{"run", "faults"}
	verb := ""
	if len(words) > 0 {
		verb, words = words[0], words[1:]
	}
	switch {
	case verb == "run" && len(words) == 0:
		return usage("lab run needs a file of cases, such as docs/lab/local.yaml")
	case verb == "run" && c.json:
		return usage("--json belongs to lab faults; for a machine, lab run writes --junit FILE")
	case verb == "run":
		return c.assert(r, words)
	case verb == "faults" && len(words) > 0:
		return usage("lab faults takes no argument " + fmt.Sprintf("%q", status.Line(words[0], 40)))
	case verb == "faults":
		return c.sweep(r)
	case verb == "":
		return usage("lab needs one of run, faults")
	}
	return usage(noSuch("subcommand of lab", verb, verbs) + " " + strings.Join(verbs, ", "))
}

// assert runs files of cases.
func (c *labCommand) assert(r *run, paths []string) error {
	cfg, err := r.settings()
	if err != nil {
		return err
	}
	// In memory alone: what a case provokes is nobody's failure, no person is asked
	// about it, and a case that is run again is a new one. What fails is said beside
	// the case, not in the log.
	cfg.Escalation.Destinations = nil
	a, err := r.begun(app.New(cfg, app.Options{Version: version(), Log: r.logger(slog.LevelError + 4)}))
	if err != nil {
		return err
	}
	target := lab.Frank(a)
	files, err := lab.Read(paths, target.Tools())
	var faults config.Faults
	if errors.As(err, &faults) {
		return usage("the cases cannot be used:\n  " + strings.ReplaceAll(faults.Error(), "\n", "\n  "))
	}
	if err != nil {
		return err
	}
	start, p := time.Now(), labPrinter{s: screenOf(r.Out), verbose: c.verbose}
	results := lab.Run(r.ctx, target, files, func(x lab.Result) { say(r.Out, p.result(x)) })
	say(r.Out, p.total(results))
	return c.finish(results, start)
}

// sweep tries the faults.
func (c *labCommand) sweep(r *run) error {
	cfg, err := r.settings()
	if err != nil {
		return err
	}
	start := time.Now()
	found, err := lab.Sweep(r.ctx, cfg)
	if err != nil {
		return exit{exitFailed, "the faults were not tried to the end"}
	}
	if len(found.Seen) == 0 {
		return usage("no source that speaks HTTP is configured, so there is nothing to break; faults of the file system are not tried")
	}
	if c.json {
		out := bufio.NewWriter(r.Out)
		lines := json.NewEncoder(out)
		for _, x := range found.Seen {
			if err := lines.Encode(x); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
		return c.finish(found.Results(), start)
	}
	p := labPrinter{s: screenOf(r.Out), verbose: c.verbose}
	say(r.Out, p.sweep(found))
	return c.finish(found.Results(), start)
}

// finish writes the file for machines and says by the exit status how it went.
func (c *labCommand) finish(results []lab.Result, start time.Time) error {
	if c.junit != "" {
		f, err := os.Create(c.junit)
		if err != nil {
			return exit{exitFailed, "the JUnit file cannot be written"}
		}
		if err := errors.Join(lab.WriteJUnit(f, results, start), f.Close()); err != nil {
			return exit{exitFailed, "the JUnit file could not be written to its end"}
		}
	}
	if lab.Failures(results) > 0 {
		return exit{code: exitFailed}
	}
	return nil
}

// settings is the configuration without anything opened.
func (r *run) settings() (*config.Config, error) {
	path, err := config.SystemSearch(r.config).Find()
	if err != nil {
		return nil, err
	}
	if path != "" {
		return config.Load(path, connected()...)
	}
	place, err := config.SystemPlace()
	if err != nil {
		return nil, err
	}
	return config.Default(r.ctx, place), nil
}

// labPrinter lays results out for a person.
type labPrinter struct {
	s       screen
	verbose bool
}

func (p labPrinter) result(x lab.Result) string {
	label := map[lab.State]string{
		lab.Passed: p.s.paint(green, "ok      "), lab.Failed: p.s.paint(red, "FAILED  "),
		lab.Refused: p.s.paint(red, "REFUSED "), lab.Skipped: p.s.paint(yellow, "skipped "),
	}[x.State]
	name := clean(status.Line(x.Name, 200))
	line := label + p.wrapped(name, 8)
	if x.Got != "" {
		got := fmt.Sprintf("%s  (%s)", x.Got, x.Took.Round(time.Millisecond))
		gap := "  "
		if p.s.terminal && 8+utf8.RuneCountInString(name+gap+got) > p.s.width {
			gap = "\n          "
		}
		line += gap + p.s.paint(dim, got)
	}
	for _, problem := range x.Problems {
		line += "\n          " + p.wrapped(problem, 10)
	}
	if x.State == lab.Failed {
		line += "\n          " + p.s.paint(dim, p.wrapped("expected "+x.Want, 10))
	}
	if x.Summary != "" && (p.verbose || x.State == lab.Failed) {
		line += "\n          " + p.s.paint(dim, p.wrapped(x.Summary, 10))
	}
	return line
}

func (p labPrinter) wrapped(text string, indent int) string {
	text = clean(text)
	if !p.s.terminal {
		return text
	}
	return wrap(text, p.s.width, indent)
}

func (p labPrinter) total(all []lab.Result) string {
	n := map[lab.State]int{}
	for _, x := range all {
		n[x.State]++
	}
	parts := []string{}
	for _, s := range []lab.State{lab.Passed, lab.Failed, lab.Refused, lab.Skipped} {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	return "\n" + p.s.paint(bold, fmt.Sprintf("%s: %s", counted(len(all), "case"), strings.Join(parts, ", ")))
}

// counted is a number with its noun: 1 case, 2 cases.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// sweep is one row for each fault and each different answer to it, with the tools
// that gave it.
func (p labPrinter) sweep(found lab.Swept) string {
	rows := [][]string{{"FAULT", "STATUS", "CODE", "REASON", "RETRY", "TOOLS"}}
	var problems []string
	for i := 0; i < len(found.Seen); {
		end := i + 1
		for end < len(found.Seen) && found.Seen[end].Fault == found.Seen[i].Fault && found.Seen[end].Source == found.Seen[i].Source {
			end++
		}
		rows = append(rows, p.group(found.Seen[i:end])...)
		i = end
	}
	lines := p.rows(rows)
	for _, x := range found.Seen {
		for _, problem := range x.Problems {
			problems = append(problems, p.s.paint(red, "FAILED  ")+p.wrapped(x.Source+" "+x.Fault+" "+x.Tool+": "+problem+": "+x.Summary, 8))
		}
	}
	lines = append(lines, "")
	lines = append(lines, problems...)
	total := fmt.Sprintf("%s: none claims that something was found or is absent", counted(len(found.Seen), "answer"))
	if len(problems) > 0 {
		total = fmt.Sprintf("%s, %d of which must not be", counted(len(found.Seen), "answer"), len(problems))
	}
	lines = append(lines, p.s.paint(bold, total))
	if len(found.Local) > 0 {
		lines = append(lines, "Not tried: faults of the file system, for the local source "+strings.Join(found.Local, ", ")+".")
	}
	if len(found.Left) > 0 {
		lines = append(lines, "Not tried: "+strings.Join(found.Left, ", ")+", for which this version has no connector.")
	}
	return strings.Join(lines, "\n")
}

// rows aligns the rows. On a terminal that is too narrow for them each is two lines.
func (p labPrinter) rows(rows [][]string) []string {
	lines := table(rows)
	if p.s.terminal && slices.ContainsFunc(lines, func(line string) bool { return utf8.RuneCountInString(line) > p.s.width }) {
		lines = nil
		for _, row := range rows {
			if len(row) == 1 {
				lines = append(lines, "    "+wrap(row[0], p.s.width, 4))
				continue
			}
			lines = append(lines, p.s.paint(bold, row[0])+"  "+strings.ToLower(row[5]), "  "+wrap(strings.Join(row[1:4], " ")+", retry "+strings.ToLower(row[4]), p.s.width, 4))
		}
		return lines[2:] // every line says by itself what it is
	}
	lines[0] = p.s.paint(bold, lines[0])
	return lines
}

// group is the rows of one fault.
func (p labPrinter) group(seen []lab.Seen) (rows [][]string) {
	tools := map[string][]string{}
	var order []lab.Seen
	key := func(x lab.Seen) string {
		k := fmt.Sprint(x.Status, x.Code, x.Reason, retry(x))
		if p.verbose {
			k += x.Tool
		}
		return k
	}
	for _, x := range seen {
		if tools[key(x)] == nil {
			order = append(order, x)
		}
		tools[key(x)] = append(tools[key(x)], x.Tool)
	}
	for i, x := range order {
		names := strings.Join(tools[key(x)], ", ")
		switch n := len(tools[key(x)]); {
		case n == len(seen):
			names = fmt.Sprintf("all %d", n)
		case len(order) == 2 && i == slices.IndexFunc(order, func(o lab.Seen) bool { return len(tools[key(o)]) > len(seen)/2 }):
			names = "all others"
		}
		rows = append(rows, []string{x.Fault, x.Status, x.Code, x.Reason, retry(x), names})
		if p.verbose {
			rows = append(rows, []string{"    " + clean(status.Line(x.Summary, 300))})
		}
	}
	return rows
}

func retry(x lab.Seen) string {
	switch {
	case x.Retryable && x.RetryAfter > 0:
		return fmt.Sprintf("after %d s", x.RetryAfter)
	case x.Retryable:
		return "yes"
	default:
		return "no"
	}
}
