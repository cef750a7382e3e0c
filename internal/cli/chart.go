package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// bucket is how much happened in a span of time.
type bucket struct {
	From  time.Time     `json:"from"`
	Span  time.Duration `json:"-"`
	Until time.Time     `json:"until"`
	Count int           `json:"count"`
}

// How many lines a chart may take, and how many columns.
const (
	maxBars = 12
	maxBar  = 60
)

// spans are those that a reader can make sense of.
func spans() []time.Duration {
	const day = 24 * time.Hour
	return []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 7 * day, 14 * day, 28 * day}
}

// buckets spreads times, oldest first, over spans of equal length up to now, which
// begin at a full hour or day of the reader's zone.
func buckets(times []time.Time, now time.Time) []bucket {
	if len(times) == 0 {
		return []bucket{}
	}
	_, offset := now.Zone()
	shift := time.Duration(offset) * time.Second
	start := func(at time.Time, span time.Duration) time.Time { return at.Add(shift).Truncate(span).Add(-shift) }
	last := times[len(times)-1]
	if now.After(last) {
		last = now
	}
	var out []bucket
	for _, span := range spans() {
		first := start(times[0], span)
		if n := int(last.Sub(first)/span) + 1; n <= maxBars || span == spans()[len(spans())-1] {
			for i := range n {
				from := first.Add(time.Duration(i) * span)
				out = append(out, bucket{From: from.UTC(), Span: span, Until: from.Add(span).UTC()})
			}
			for _, at := range times {
				out[int(at.Sub(first)/span)].Count++
			}
			return out
		}
	}
	return out
}

// chart draws the buckets, a bar for each. Where no terminal shows it, the bars are
// made of plain characters.
func chart(s screen, all []bucket, now time.Time) string {
	if len(all) == 0 {
		return ""
	}
	layout := "01-02 15:04"
	if all[0].Span >= 24*time.Hour {
		layout = time.DateOnly
	}
	top := 0
	for _, b := range all {
		top = max(top, b.Count)
	}
	ink := "#"
	if s.terminal {
		ink = "█"
	}
	room := min(s.width, maxBar) - len(layout) - len(strconv.Itoa(top)) - 4
	var out strings.Builder
	out.WriteString(s.paint(bold, "FROM ("+now.Format("MST")+"), a bar for each "+spoken(all[0].Span)) + "\n")
	zone := time.FixedZone(now.Zone())
	for _, b := range all {
		bar := ""
		if b.Count > 0 {
			bar = strings.Repeat(ink, max(1, b.Count*room/top)) + " "
		}
		fmt.Fprintf(&out, "%s  %s%d\n", b.From.In(zone).Format(layout), s.paint(red, bar), b.Count)
	}
	return out.String()
}

// spoken is a span in words.
func spoken(d time.Duration) string {
	unit, n := "minute", int(d/time.Minute)
	switch {
	case d >= 24*time.Hour:
		unit, n = "day", int(d/(24*time.Hour))
	case d >= time.Hour:
		unit, n = "hour", int(d/time.Hour)
	}
	if n == 1 {
		return unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}
