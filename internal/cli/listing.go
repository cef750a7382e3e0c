package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/app"
)

// listing lays records out for a person.
type listing struct {
	s      screen
	path   string
	found  app.FailureListing
	now    time.Time // in the zone of the reader
	since  time.Time
	totals bool // no rows
}

// maxGroups is how many kinds of failure are shown one by one.
const maxGroups = 10

func (l *listing) text() string {
	var b strings.Builder
	if l.found.Total == 0 {
		b.WriteString(l.s.fold("No failure is recorded for this in "+clean(l.path), 2) + "\n")
		b.WriteString(l.calls())
		return b.String()
	}
	if !l.totals {
		l.table(&b, l.rows())
		fmt.Fprintf(&b, "\n%d recorded, %d shown\n\n", l.found.Total, len(l.found.Records))
	}
	l.table(&b, l.groups())
	if more := len(l.found.Totals) - maxGroups; more > 0 {
		fmt.Fprintf(&b, "and %d more: frank failures --totals --json\n", more)
	}
	b.WriteByte('\n')
	b.WriteString(chart(l.s, buckets(l.found.Times, l.now), l.now))
	b.WriteByte('\n')
	total := func(label string, of func(app.FailureTally) string) {
		b.WriteString(wrap("by "+label+": "+tally(l.found.Totals, of), l.s.width, 2) + "\n")
	}
	total("code", func(t app.FailureTally) string { return t.Code })
	total("reason", func(t app.FailureTally) string { return t.Reason })
	total("source", func(t app.FailureTally) string { return cmp.Or(t.Source, "–") })
	b.WriteString(l.calls())
	return b.String()
}

// calls says how many calls ended how, so that a number of failures is a rate.
func (l *listing) calls() string {
	all, parts := 0, []string{}
	for _, c := range l.found.Calls {
		all += c.Calls
		parts = append(parts, fmt.Sprintf("%s %d", clean(c.Status), c.Calls))
	}
	if all == 0 {
		return ""
	}
	when := "all recorded calls"
	if !l.since.IsZero() {
		when = "all calls since then"
	}
	return wrap(fmt.Sprintf("%s: %d, by status: %s", when, all, strings.Join(parts, ", ")), l.s.width, 2) + "\n"
}

func (l *listing) table(b *strings.Builder, rows [][2][]string) {
	lines, heads := l.lines(rows)
	for i, line := range lines {
		if i < heads {
			line = l.s.paint(bold, line)
		}
		b.WriteString(line + "\n")
	}
}

// rows is the records, each in two halves, after the heading.
func (l *listing) rows() [][2][]string {
	rows := [][2][]string{{{"TIME (" + l.now.Format("MST") + ")", "TOOL", "SOURCE"}, {"REASON", "CODE"}}}
	for _, r := range l.found.Records {
		rows = append(rows, [2][]string{{l.moment(r.At), clean(r.Tool), cmp.Or(clean(r.Source), "–")}, {clean(r.Reason), clean(r.Code)}})
	}
	return rows
}

// groups is what failed alike, most frequent first.
func (l *listing) groups() [][2][]string {
	rows := [][2][]string{{{"SEEN", "LAST", "SOURCE", "FINGERPRINT"}, {"REASON", "CODE"}}}
	for _, t := range l.found.Totals[:min(len(l.found.Totals), maxGroups)] {
		rows = append(rows, [2][]string{
			{strconv.Itoa(t.Count) + "×", l.moment(t.LastAt), cmp.Or(clean(t.Source), "–"), cmp.Or(clean(t.Fingerprint), "–")}, {clean(t.Reason), clean(t.Code)},
		})
	}
	return rows
}

// lines is one line for each row, and the number of heading lines. On a terminal
// that is too narrow it is two: programs may read what is shown elsewhere by lines.
func (l *listing) lines(rows [][2][]string) (lines []string, heads int) {
	var wide, stacked [][]string
	for _, row := range rows {
		wide = append(wide, slices.Concat(row[0], row[1]))
		stacked = append(stacked, row[0], append([]string{""}, row[1]...))
	}
	lines = table(wide)
	if !l.s.terminal || !slices.ContainsFunc(lines, l.tooWide) {
		return lines, 1
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

// tally counts failures by a word, the most frequent first.
func tally(all []app.FailureTally, of func(app.FailureTally) string) string {
	n := map[string]int{}
	for _, t := range all {
		n[clean(of(t))] += t.Count
	}
	words := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(n[b]-n[a], strings.Compare(a, b))
	})
	for i, w := range words {
		words[i] = fmt.Sprintf("%s %d", w, n[w])
	}
	return strings.Join(words, ", ")
}
