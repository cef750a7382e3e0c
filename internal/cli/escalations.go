package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/app"
)

type escalationsCommand struct {
	note, as  string
	all, json bool
}

func (c *escalationsCommand) register(fs *flag.FlagSet) {
	fs.StringVar(&c.note, "note", "", "the answer that the agent goes on from, as `TEXT`; resolve and reject need it")
	fs.StringVar(&c.as, "as", "", "your `NAME`, if the agent may see it")
	fs.BoolVar(&c.all, "all", false, "list those that have ended too")
	fs.BoolVar(&c.json, "json", false, "print JSON and nothing else")
}

// run is the person's side of escalations.
func (c *escalationsCommand) run(r *run, words []string) error {
	action, id := "list", ""
	if len(words) > 0 {
		action = words[0]
	}
	if len(words) > 1 {
		id = words[1]
	}
	needsID := action == "show" || action == "resolve" || action == "reject"
	switch {
	case action != "list" && action != "stats" && !needsID:
		return usage(noSuch("action", action, []string{"list", "show", "resolve", "reject", "stats"}) + " list, show, resolve, reject, stats")
	case needsID && id == "":
		return usage(action + " needs the ID of an escalation; frank escalations list shows them")
	case len(words) > 2 || len(words) > 1 && !needsID:
		return usage("escalations " + action + " takes no further words; put a text with spaces into quotes")
	case (action == "resolve" || action == "reject") && strings.TrimSpace(c.note) == "":
		return usage(action + " needs --note TEXT: the answer that the agent goes on from")
	case app.JournalPath() == "":
		return exit{exitFailed, "there is no place for escalations, as neither HOME nor XDG_STATE_HOME is set"}
	}
	if action == "resolve" || action == "reject" {
		return c.end(r, action, id)
	}
	found := app.OpenEscalations(app.JournalPath())
	defer found.Close()
	switch action {
	case "show":
		e, problem, err := found.Get(r.ctx, id)
		if err := unreadable(id, problem, err); err != nil {
			return err
		}
		return c.print(r, e, func(d desk) string { return d.show(e) })
	case "stats":
		s, problem, err := found.Stats(r.ctx)
		if err := unreadable("", problem, err); err != nil {
			return err
		}
		return c.print(r, s, func(d desk) string { return d.stats(s) })
	}
	all, problem, err := found.List(r.ctx, c.all)
	if err := unreadable("", problem, err); err != nil {
		return err
	}
	if c.json {
		lines := json.NewEncoder(r.Out)
		for _, e := range all {
			if err := lines.Encode(e); err != nil {
				return err
			}
		}
		return nil
	}
	_, err = r.Out.WriteString(deskOf(r).list(all, c.all))
	return err
}

// end answers one. What cannot be delivered now, say because the configuration
// cannot be used, waits in the outbox.
func (c *escalationsCommand) end(r *run, action, id string) error {
	a, err := r.start(r.logger(slog.LevelError))
	if err != nil {
		say(r.Err, "frank: the configuration cannot be used, so that the answer is stored, and delivered by the next frank that can")
		if a, err = r.begun(app.Bare(app.Options{Version: version(), Journal: app.JournalPath()})); err != nil {
			return err
		}
	}
	answer := app.EscalationAnswer{Outcome: app.EscalationResolved, Note: c.note, By: c.as}
	if action == "reject" {
		answer.Outcome = app.EscalationRejected
	}
	e, problem, err := a.EndEscalation(r.ctx, id, answer)
	if err := unreadable(id, problem, err); err != nil {
		return err
	}
	return c.print(r, e, func(d desk) string {
		done := e.ID + " is " + string(e.State)
		rest := strings.TrimPrefix(d.s.fold(done+"; get_escalation id="+e.ID+" gives the agent the note", 2), done)
		return d.s.paint(green, done) + rest + "\n"
	})
}

func (c *escalationsCommand) print(r *run, what any, text func(desk) string) error {
	if !c.json {
		_, err := r.Out.WriteString(text(deskOf(r)))
		return err
	}
	raw, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return r.print(raw)
}

// unreadable is how a command ends that cannot use the file or has the wrong id.
func unreadable(id, problem string, err error) error {
	switch {
	case problem != "":
		return exit{exitFailed, "the file of the escalations cannot be used: " + problem}
	case errors.Is(err, app.ErrNoEscalation):
		return exit{exitFailed, "there is no escalation " + clean(id) + "; frank escalations list --all shows those that there are"}
	case errors.Is(err, app.ErrEscalationEnded):
		return exit{exitFailed, clean(id) + " was resolved or rejected before; frank escalations show " + clean(id) + " shows how"}
	case err != nil:
		return exit{exitFailed, "the file of the escalations cannot be read or written"}
	}
	return nil
}

// desk lays escalations out for a person.
type desk struct {
	s   screen
	now time.Time
}

func deskOf(r *run) desk { return desk{screenOf(r.Out), time.Now()} }

func (d desk) moment(at time.Time) string {
	at = at.In(d.now.Location())
	if at.Year() != d.now.Year() {
		return at.Format(time.DateTime)
	}
	return at.Format("01-02 15:04:05")
}

func (d desk) list(all []app.EscalationRecord, ended bool) string {
	if len(all) == 0 && ended {
		return "Nothing was ever escalated.\n"
	}
	if len(all) == 0 {
		return "No escalation is open.\n"
	}
	var b strings.Builder
	rows := [][]string{{"ID", "OPENED (" + d.now.Format("MST") + ")", "TRIGGER", "TO", "STATE", "TIMES"}}
	for _, e := range all {
		rows = append(rows, []string{e.ID, d.moment(e.OpenedAt), string(e.Trigger), e.Destination, string(e.State), fmt.Sprint(e.Count)})
	}
	for i, line := range table(rows) {
		if i == 0 {
			b.WriteString(d.s.paint(bold, line) + "\n")
			continue
		}
		b.WriteString(line + "\n    " + d.fold(clean(all[i-1].Question), 4) + "\n")
		if late := undelivered(all[i-1]); late != "" {
			b.WriteString("    " + d.s.paint(yellow, late) + "\n")
		}
	}
	return b.String()
}

// fold breaks a text at the edge of a terminal; elsewhere it stays one line.
func (d desk) fold(text string, indent int) string {
	text = strings.Join(strings.Fields(text), " ")
	if !d.s.terminal {
		return text
	}
	return wrap(text, d.s.width, indent)
}

// undelivered says what the outbox still holds of an escalation.
func undelivered(e app.EscalationRecord) string {
	var late []string
	for _, m := range e.Delivery {
		switch m.State {
		case "waiting", "held", "given_up":
			late = append(late, fmt.Sprintf("word of %s: %s, attempts %d%s", m.Event, strings.ReplaceAll(m.State, "_", " "), m.Attempts, because(m.Problem)))
		}
	}
	return strings.Join(late, "; ")
}

func because(problem string) string {
	if problem == "" {
		return ""
	}
	return " (" + problem + ")"
}

func (d desk) show(e app.EscalationRecord) string {
	var b strings.Builder
	b.WriteString(d.s.paint(bold, e.ID+"  "+string(e.State)) + "\n")
	field := func(label, text string) {
		if text != "" {
			b.WriteString(d.s.paint(dim, label+":") + " " + strings.TrimPrefix(d.fold(label+": "+clean(text), 2), label+": ") + "\n")
		}
	}
	field("Question", e.Question)
	field("Trigger", fmt.Sprintf("%s (%s), opened by the %s", e.Trigger, e.Kind, e.OpenedBy))
	times := d.moment(e.FirstAt)
	if e.Count > 1 {
		times += fmt.Sprintf("; %d times, last %s", e.Count, d.moment(e.LastAt))
	}
	field("Opened", times)
	field("Sent to", e.Destination)
	field("Delivery", cmp.Or(undelivered(e), delivered(e)))
	field("Context", e.Context)
	for _, a := range e.Attempted {
		field("Attempted, as the agent says", a)
	}
	if e.NextStep != nil {
		field("Suggested next step (a hypothesis, unchecked)", e.NextStep.Text)
	}
	if e.Confidence != nil {
		field("Confidence", fmt.Sprintf("%g", *e.Confidence))
	}
	for _, s := range e.Further {
		field("Later, "+d.moment(s.At)+", by the "+s.By, later(s))
	}
	if e.Dropped > 0 {
		field("Said in between and not kept", fmt.Sprint(e.Dropped))
	}
	if f := e.Failure; f != nil {
		field("Failure", strings.Join(strings.Fields(strings.Join([]string{f.Reason, f.Code, f.Tool, f.Source, f.Fingerprint, "call " + f.CallID}, " ")), " "))
		field("Evidence", string(f.Evidence))
	}
	if len(e.Journal) > 0 {
		b.WriteString(d.s.paint(dim, "What the server logged:") + "\n")
		rows := [][]string{}
		for _, a := range e.Journal {
			rows = append(rows, []string{"  " + d.moment(a.At), clean(a.Tool), cmp.Or(clean(a.Source), "–"), a.Status, a.Code, a.Reason})
		}
		b.WriteString(strings.Join(table(rows), "\n") + "\n")
	}
	if a := e.Resolution; a != nil {
		who := ""
		if a.By != "" {
			who = " by " + clean(a.By)
		}
		field("Answer", fmt.Sprintf("%s %s%s, after %s: %s", a.Outcome, d.moment(a.At), who, a.At.Sub(e.OpenedAt).Round(time.Second), a.Note))
		return b.String()
	}
	field("To answer", "frank escalations resolve "+e.ID+" --note TEXT, or reject")
	return b.String()
}

// later is what a later call said, in one text.
func later(s app.EscalationStatement) string {
	var parts []string
	add := func(label, text string) {
		if text != "" {
			parts = append(parts, label+text)
		}
	}
	add("", s.Context)
	add("question: ", s.Question)
	add("trigger: ", string(s.Trigger))
	for _, a := range s.Attempted {
		add("attempted: ", a)
	}
	if s.NextStep != nil {
		add("suggested, unchecked: ", s.NextStep.Text)
	}
	if s.Confidence != nil {
		add("confidence: ", fmt.Sprintf("%g", *s.Confidence))
	}
	return strings.Join(parts, "; ")
}

func delivered(e app.EscalationRecord) string {
	if len(e.Delivery) == 0 {
		return "here, in the inbox"
	}
	return "done"
}

func (d desk) stats(s app.EscalationStats) string {
	if s.Total == 0 {
		return "Nothing was ever escalated.\n"
	}
	var b strings.Builder
	rows := [][]string{{"TRIGGER", "OPEN", "RESOLVED", "REJECTED", "MEDIAN TIME"}}
	row := func(name string, open, resolved, rejected int, median float64) {
		took := "–"
		if resolved+rejected > 0 {
			took = time.Duration(median * float64(time.Second)).Round(time.Second).String()
		}
		rows = append(rows, []string{name, fmt.Sprint(open), fmt.Sprint(resolved), fmt.Sprint(rejected), took})
	}
	for _, t := range s.ByTrigger {
		row(string(t.Trigger), t.Open, t.Resolved, t.Rejected, t.Median)
	}
	row("all", s.Open, s.Resolved, s.Rejected, s.Median)
	for i, line := range table(rows) {
		if i == 0 {
			line = d.s.paint(bold, line)
		}
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "\n%d escalated, %s more while they were open; %s undelivered\n", s.Total, counted(s.Joined, "time"), counted(s.Undelivered, "message"))
	return b.String()
}
