package cli

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/status"
)

type failuresCommand struct {
	since, source, code string
	limit               int
	json                bool
}

func (c *failuresCommand) register(fs *flag.FlagSet) {
	fs.StringVar(&c.since, "since", "", "only since `TIME`: 2026-11-30, an RFC 3339 time, or an age such as 90m, 12h or 7d")
	fs.StringVar(&c.source, "source", "", "only of the source `NAME`")
	fs.StringVar(&c.code, "code", "", "only with this `CODE`, such as ACCESS_DENIED")
	fs.IntVar(&c.limit, "limit", 20, "at most `N` rows, 0 for all; default: 20")
	fs.BoolVar(&c.json, "json", false, "print one JSON object a line and nothing else")
}

// run shows the journal.
func (c *failuresCommand) run(r *run, _ []string) error {
	q, err := c.query(time.Now())
	if err != nil {
		return err
	}
	path := app.JournalPath()
	if path == "" {
		return exit{exitFailed, "there is no place for a journal, as neither HOME nor XDG_STATE_HOME is set"}
	}
	found := app.Failures(path, q)
	if !found.Read {
		return exit{exitFailed, "the journal is there but cannot be read; check the permissions of " + path}
	}
	if found.Damaged > 0 {
		say(r.Err, fmt.Sprintf("frank: %d lines of the journal cannot be read and are left out", found.Damaged))
	}
	if c.json {
		lines := json.NewEncoder(r.Out)
		for _, record := range found.Records {
			if err := lines.Encode(record); err != nil {
				return err
			}
		}
		return nil
	}
	// The totals count all that was selected, not only the rows that are shown.
	q.Limit = 0
	l := listing{s: screenOf(r.Out), path: path, found: found, all: app.Failures(path, q).Records, now: time.Now()}
	_, err = r.Out.WriteString(l.text())
	return err
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

// listing lays records out for a person.
type listing struct {
	s     screen
	path  string
	found app.FailureListing
	all   []app.FailureRecord // that were selected, shown or not
	now   time.Time           // in the zone of the reader
}

func (l *listing) text() string {
	var b strings.Builder
	if l.found.Total == 0 {
		return "No failure is recorded for this in " + clean(l.path) + "\n"
	}
	lines, heads := l.rows()
	for i, line := range lines {
		if i < heads {
			line = l.s.paint(bold, line)
		}
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "\n%d recorded, %d shown\n", l.found.Total, len(l.found.Records))
	total := func(label string, of func(app.FailureRecord) string) {
		b.WriteString(wrap("by "+label+": "+tally(l.all, of), l.s.width, 2) + "\n")
	}
	total("code", func(r app.FailureRecord) string { return r.Code })
	total("reason", func(r app.FailureRecord) string { return r.Reason })
	total("source", func(r app.FailureRecord) string { return cmp.Or(r.Source, "–") })
	return b.String()
}

// rows is one line for each record, and the number of heading lines. On a terminal
// that is too narrow it is two: programs may read what is shown elsewhere by lines.
func (l *listing) rows() (lines []string, heads int) {
	wide := [][]string{{"TIME (" + l.now.Format("MST") + ")", "TOOL", "SOURCE", "REASON", "CODE"}}
	for _, r := range l.found.Records {
		wide = append(wide, []string{l.moment(r.At), clean(r.Tool), cmp.Or(clean(r.Source), "–"), clean(r.Reason), clean(r.Code)})
	}
	lines = table(wide)
	if !l.s.terminal || !slices.ContainsFunc(lines, l.tooWide) {
		return lines, 1
	}
	var stacked [][]string
	for _, row := range wide {
		stacked = append(stacked, []string{row[0], row[1], row[2]}, []string{"", row[3], row[4]})
	}
	lines = table(stacked)
	for i, line := range lines {
		if l.tooWide(line) { // a long name of a source; it is whole in the totals
			lines[i] = string([]rune(line)[:l.s.width-1]) + "…"
		}
	}
	return lines, 2
}

func (l *listing) tooWide(line string) bool { return utf8.RuneCountInString(line) > l.s.width }

// moment is a time in the reader's zone, which the heading names, with the year
// only if it is another than now.
func (l *listing) moment(at time.Time) string {
	// One offset for all, also for what was before the clocks were changed.
	at = at.In(time.FixedZone(l.now.Zone()))
	if at.Year() != l.now.Year() {
		return at.Format(time.DateTime)
	}
	return at.Format("01-02 15:04:05")
}

// tally counts records by a word, the most frequent first.
func tally(all []app.FailureRecord, of func(app.FailureRecord) string) string {
	n := map[string]int{}
	for _, r := range all {
		n[clean(of(r))]++
	}
	words := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(n[b]-n[a], strings.Compare(a, b))
	})
	for i, w := range words {
		words[i] = fmt.Sprintf("%s %d", w, n[w])
	}
	return strings.Join(words, ", ")
}
