package cli

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/status"
)

// diagnosis lays the manifest out for a person.
type diagnosis struct {
	s   screen
	m   app.Manifest
	cfg *config.Config
	// secrets says what keeps a source's credential from being got.
	secrets map[string]string
	b       strings.Builder
}

func (d *diagnosis) text() string {
	d.lines(append([]string{"frank " + version()}, origin(d.cfg, d.s.width)...)...)
	d.sources()
	d.matrix()
	d.unblock()
	d.notes()
	d.notConnected()
	ready, usable := counts(d.m)
	all := len(d.m.Sources)
	noun := "sources"
	if all == 1 {
		noun = "source"
	}
	verdict, as := fmt.Sprintf("%d of %d %s ready", ready, all, noun), green
	switch {
	case usable > ready:
		verdict, as = verdict+fmt.Sprintf(", %d degraded", usable-ready), yellow
	case ready < all && usable > 0:
		as = yellow
	case ready < all || all == 0:
		as = red
	}
	d.lines("", d.s.paint(as, verdict+"."))
	return d.b.String()
}

func (d *diagnosis) lines(lines ...string) {
	for _, l := range lines {
		d.b.WriteString(l + "\n")
	}
}

func (d *diagnosis) heading(text string) { d.lines("", d.s.paint(bold, text)) }

// sources is one row for each source.
func (d *diagnosis) sources() {
	if len(d.m.Sources) == 0 {
		return
	}
	rows := [][]string{{"SOURCE", "PROVIDER", "STATE", "ASKED AS", "PROJECT"}}
	for _, s := range d.m.Sources {
		account := cmp.Or(clean(s.Identity), "–")
		if s.Anonymous && s.Provider != config.Local {
			account = "anonymous"
		}
		rows = append(rows, []string{s.Source, s.Provider, string(s.State), account, cmp.Or(clean(s.Project), "–")})
	}
	d.table(rows)
}

// table prints rows under a heading row and paints the words for a state.
func (d *diagnosis) table(rows [][]string) {
	for i, line := range table(rows) {
		if i == 0 {
			d.heading(line)
			continue
		}
		d.lines(d.states(line))
	}
}

// states paints the words for a state where they stand alone in a row.
func (d *diagnosis) states(line string) string {
	for word, as := range map[string]style{
		"ready": green, "granted": green, "degraded": yellow, "unknown": yellow, "unprobed": yellow,
		"denied": red, "unreachable": red, "misconfigured": red, "unsupported": dim,
	} {
		line = strings.ReplaceAll(line+" ", "  "+word+" ", "  "+d.s.paint(as, word)+" ")
		line = strings.TrimSuffix(line, " ")
	}
	return line
}

// matrix shows capabilities against sources, as many sources side by side as the
// screen holds.
func (d *diagnosis) matrix() {
	const stateWidth = len("unsupported") + 2
	first := 0
	for _, s := range d.m.Sources {
		for _, c := range s.Capabilities {
			first = max(first, len(c.ID)+2)
		}
	}
	var group []app.ManifestSource
	width := first
	for _, s := range d.m.Sources {
		if len(s.Capabilities) == 0 {
			continue
		}
		column := max(stateWidth, utf8.RuneCountInString(s.Source)+2)
		if len(group) > 0 && width+column > d.s.width {
			d.grants(group)
			group, width = nil, first
		}
		group, width = append(group, s), width+column
	}
	d.grants(group)
}

func (d *diagnosis) grants(group []app.ManifestSource) {
	if len(group) == 0 {
		return
	}
	head := []string{"CAPABILITY"}
	var order []string
	cells := map[string][]string{}
	for i, s := range group {
		head = append(head, s.Source)
		for _, c := range s.Capabilities {
			id := string(c.ID)
			if cells[id] == nil {
				order = append(order, id)
				cells[id] = make([]string, len(group))
			}
			cells[id][i] = string(c.State)
		}
	}
	rows := [][]string{head}
	for _, id := range order {
		row := []string{id}
		for _, state := range cells[id] {
			row = append(row, cmp.Or(state, "–"))
		}
		rows = append(rows, row)
	}
	d.table(rows)
}

// unblock says for each source what would give more, once for all capabilities
// that need the same.
func (d *diagnosis) unblock() {
	type hint struct{ source, reason, text string }
	var order []hint
	ids := map[hint][]string{}
	add := func(h hint, id string) {
		if h.text == "" {
			return
		}
		if _, ok := ids[h]; !ok {
			order = append(order, h)
			ids[h] = nil
		}
		if id != "" {
			ids[h] = append(ids[h], id)
		}
	}
	for _, s := range d.m.Sources {
		add(hint{s.Source, s.Reason, cmp.Or(sentence(d.secrets[s.Source]), d.advice(s.Source, s.Reason, s.Unblock))}, "")
		for _, c := range s.Capabilities {
			// What keeps the whole source from being used is said once.
			if s.Reason == "" || c.Reason != s.Reason {
				add(hint{s.Source, c.Reason, d.advice(s.Source, c.Reason, c.Unblock)}, string(c.ID))
			}
		}
	}
	if len(order) == 0 {
		return
	}
	d.heading("TO UNBLOCK")
	for _, h := range order {
		what := h.source
		if len(ids[h]) > 0 {
			what += " " + strings.Join(ids[h], ", ")
		}
		d.lines(wrap(clean(what)+" ("+h.reason+")", d.s.width, 2))
		d.lines("  " + wrap(clean(h.text), d.s.width, 2))
	}
}

// advice is what would unblock something, for one who has just run the doctor.
func (d *diagnosis) advice(source, reason, text string) string {
	if s, ok := d.cfg.Source(source); ok && reason == status.AuthContextRequired.Name() {
		return sentence(d.cfg.Remedy(s))
	}
	return withoutDoctor(text)
}

// withoutDoctor takes out what sends the reader to the doctor.
func withoutDoctor(text string) string {
	return strings.NewReplacer(" (see frank doctor)", "", ", then run frank doctor", "", "Run frank doctor, and report", "Report").Replace(text)
}

// sentence gives a fragment a capital letter and a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (d *diagnosis) notes() {
	var notes []string
	for _, s := range d.m.Sources {
		for _, n := range s.Notes {
			notes = append(notes, s.Source+": "+n)
		}
	}
	for _, w := range d.cfg.Check() {
		if w.Source == "" {
			notes = append(notes, w.Text)
			continue
		}
		notes = append(notes, w.Source+": "+w.Text)
	}
	notes = append(notes, d.m.Notes...)
	if len(notes) == 0 {
		return
	}
	d.heading("NOTES")
	for _, n := range notes {
		d.lines(wrap(clean(n), d.s.width, 2))
	}
}

// notConnected names providers together for which the same holds.
func (d *diagnosis) notConnected() {
	var order []string
	providers := map[string][]string{}
	for _, n := range d.m.NotConnected {
		text := strings.ReplaceAll(n.Unblock, n.Provider, "…")
		if providers[text] == nil {
			order = append(order, text)
		}
		providers[text] = append(providers[text], n.Provider)
	}
	if len(order) == 0 {
		return
	}
	d.heading("NOT CONNECTED")
	for _, text := range order {
		names := providers[text]
		if len(names) == 1 {
			text = strings.ReplaceAll(text, "…", names[0])
		}
		d.lines(wrap(strings.Join(names, ", ")+": "+text, d.s.width, 2))
	}
}
