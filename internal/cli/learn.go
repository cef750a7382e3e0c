package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/status"
)

type learnCommand struct{ json, force bool }

func (c *learnCommand) register(fs *flag.FlagSet) {
	fs.BoolVar(&c.json, "json", false, "print one JSON object a line and nothing else")
	fs.BoolVar(&c.force, "force", false, "promote what has not repeated often enough, or was rejected")
}

// run lists the names that were learned, or decides about one.
func (c *learnCommand) run(r *run, words []string) error {
	verbs := []string{"list", "promote", "reject"}
	verb := "list"
	if len(words) > 0 {
		verb, words = words[0], words[1:]
	}
	path := app.JournalPath()
	switch {
	case verb == "list" && len(words) > 0:
		return usage("learn list takes no argument " + strconv.Quote(status.Line(words[0], 40)))
	case verb == "list", (verb == "promote" || verb == "reject") && len(words) == 1:
	case verb == "promote" || verb == "reject":
		return usage("learn " + verb + " takes one id or name that frank learn list shows")
	default:
		return usage(noSuch("subcommand of learn", verb, verbs) + " " + strings.Join(verbs, ", "))
	}
	if path == "" {
		return exit{exitFailed, "there is no place for what was learned, as neither HOME nor XDG_STATE_HOME is set"}
	}
	names := app.OpenNames(path)
	defer func() { _ = names.Close() }() // all is stored by then
	if verb == "list" {
		return c.list(r, names)
	}
	return c.decide(r, names, verb, words[0])
}

func (c *learnCommand) decide(r *run, names app.Names, verb, name string) error {
	var a app.Alias
	var err error
	if verb == "promote" {
		a, err = names.Promote(r.ctx, name, c.force)
	} else {
		a, err = names.Reject(r.ctx, name)
	}
	if err != nil {
		return exit{exitFailed, err.Error()}
	}
	if c.json {
		return json.NewEncoder(r.Out).Encode(a)
	}
	text := "promoted: in source " + a.Source + " the " + a.Kind + " " + a.Said + " now means " + a.Meant
	if verb == "reject" {
		text = "rejected: " + a.Said + " → " + a.Meant + " in source " + a.Source + " is not suggested again"
	}
	say(r.Out, screenOf(r.Out).fold(clean(text), 2))
	return nil
}

// aliasRow is an alias as scripts read it.
type aliasRow struct {
	app.Alias
	Promotable bool   `json:"promotable"`
	Waits      string `json:"waits,omitempty"`
}

func (c *learnCommand) list(r *run, names app.Names) error {
	all, unscrubbed, err := names.List(r.ctx)
	if problem := names.Problem(); err == nil && problem != "" {
		return exit{exitFailed, "what was learned cannot be read: " + problem}
	}
	if err != nil {
		return exit{exitFailed, "what was learned cannot be read"}
	}
	if unscrubbed > 0 {
		say(r.Err, screenOf(r.Err).fold(fmt.Sprintf("frank: %s not kept because of what may be a secret or an address (%s)", counted(unscrubbed, "suggestion"), app.ScrubFailed), 2))
	}
	if c.json {
		lines := json.NewEncoder(r.Out)
		for _, a := range all {
			if err := lines.Encode(aliasRow{a, a.State != app.AliasPromoted && a.Waits() == "", a.Waits()}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		say(r.Out, "No other spelling of a name has been learned.")
		return nil
	}
	say(r.Out, strings.Join(aliasTable(screenOf(r.Out), all), "\n"))
	return nil
}

func aliasTable(s screen, all []app.Alias) []string {
	rows := [][]string{{"ID", "SAID", "MEANT", "SOURCE", "KIND", "SEEN", "LAST", "STATE"}}
	for _, a := range all {
		state := string(a.State)
		switch waits := a.Waits(); {
		case waits != "":
			state = waits
		case a.State != app.AliasPromoted:
			state = "promotable"
		}
		rows = append(rows, []string{a.ID, clean(a.Said), clean(a.Meant), a.Source, a.Kind, strconv.Itoa(a.Seen), a.Last.In(time.Local).Format("2006-01-02"), state})
	}
	lines := table(rows)
	for i := range lines {
		lines[i] = s.fold(lines[i], 4)
	}
	lines[0] = s.paint(bold, lines[0])
	return lines
}
