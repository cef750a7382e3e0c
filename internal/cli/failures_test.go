package cli

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/status"
)

func failed(at time.Time, source string, reason status.Reason) app.FailureRecord {
	return app.FailureRecord{At: at, Tool: "tracker_get_issue", Source: source, Reason: reason.Name(), Code: reason.Code().String()}
}

func listingOf(s screen, now time.Time, records ...app.FailureRecord) string {
	found := app.FailureListing{Read: true, Total: len(records), Records: records, Calls: []app.CallCount{{Status: "success", Calls: 7}, {Status: "access_failure", Calls: len(records)}}}
	for _, r := range records {
		found.Totals = append(found.Totals, app.FailureTally{Code: r.Code, Reason: r.Reason, Source: r.Source, Fingerprint: "3f9c2a71", Count: 1, FirstAt: r.At, LastAt: r.At})
		found.Times = append(found.Times, r.At)
	}
	slices.SortFunc(found.Times, time.Time.Compare)
	l := listing{s: s, path: "journal.db", found: found, now: now}
	return l.text()
}

// The code is what a caller acts on: a narrow terminal must not lose it. Times
// are those of the zone that the heading names.
func TestFailuresKeepTheCodeAt80Columns(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.FixedZone("CET", 3600))
	got := listingOf(screen{terminal: true, width: 80}, now,
		failed(time.Date(2026, 11, 30, 9, 8, 7, 0, time.UTC), "github", status.AuthHeaderResolutionFailed),
		failed(time.Date(2025, 12, 31, 23, 30, 0, 0, time.UTC), "", status.ConnectorNotConfigured),
		failed(time.Date(2025, 12, 31, 22, 30, 0, 0, time.UTC), "here", status.InvalidArgument))
	want := `TIME (CET)           TOOL                           SOURCE
                     REASON                         CODE
11-30 10:08:07       tracker_get_issue              github
                     auth_header_resolution_failed  ACCESS_DENIED
01-01 00:30:00       tracker_get_issue              –
                     connector_not_configured       CAPABILITY_UNAVAILABLE
2025-12-31 23:30:00  tracker_get_issue              here
                     invalid_argument               INPUT_MISSING

3 recorded, 3 shown

SEEN  LAST                           SOURCE                  FINGERPRINT
      REASON                         CODE
1×    11-30 10:08:07                 github                  3f9c2a71
      auth_header_resolution_failed  ACCESS_DENIED
1×    01-01 00:30:00                 –                       3f9c2a71
      connector_not_configured       CAPABILITY_UNAVAILABLE
1×    2025-12-31 23:30:00            here                    3f9c2a71
      invalid_argument               INPUT_MISSING

FROM (CET), a bar for each 28 days
2025-12-08  █████████████████████████████████████████████ 2
2026-01-05  0
2026-02-02  0
2026-03-02  0
2026-03-30  0
2026-04-27  0
2026-05-25  0
2026-06-22  0
2026-07-20  0
2026-08-17  0
2026-09-14  0
2026-10-12  0
2026-11-09  ██████████████████████ 1

by code: ACCESS_DENIED 1, CAPABILITY_UNAVAILABLE 1, INPUT_MISSING 1
by reason: auth_header_resolution_failed 1, connector_not_configured 1,
  invalid_argument 1
by source: github 1, here 1, – 1
all recorded calls: 10, by status: success 7, access_failure 3
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestFailuresFit80ColumnsForEveryReason(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, reason := range status.Reasons() {
		got := listingOf(screen{terminal: true, width: 80}, now, failed(now, strings.Repeat("a-name", 10), reason))
		if !strings.Contains(got, "  "+reason.Code().String()) {
			t.Errorf("%s: no code in\n%s", reason, got)
		}
		for line := range strings.SplitSeq(got[:strings.Index(got, "recorded")], "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("longer than the screen: %q", line)
			}
		}
	}
}

// What is no terminal gets one line a record, however wide.
func TestFailuresAreOneLineEachInAPipe(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	got := listingOf(screen{width: 80}, now, failed(now, strings.Repeat("a-name", 10), status.AuthHeaderResolutionFailed))
	if lines := strings.Split(got, "\n"); !strings.HasSuffix(lines[1], "  auth_header_resolution_failed  ACCESS_DENIED") || !strings.HasPrefix(lines[1], "11-30 12:00:00  ") {
		t.Errorf("got\n%s", got)
	}
}

// Where no terminal shows it, the chart is made of plain characters; the times of
// the failures decide how long its spans are, and quiet ones are seen.
func TestTheChartOfAPipeIsPlainAndShowsQuietTimes(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 10, 0, 0, time.UTC)
	var times []time.Time
	for _, minutes := range []int{130, 125, 121, 10, 9} {
		times = append(times, now.Add(-time.Duration(minutes)*time.Minute))
	}
	want := `FROM (UTC), a bar for each 15 minutes
11-30 10:00  ############################################ 3
11-30 10:15  0
11-30 10:30  0
11-30 10:45  0
11-30 11:00  0
11-30 11:15  0
11-30 11:30  0
11-30 11:45  0
11-30 12:00  ############################# 2
`
	if got := chart(screen{width: 80}, buckets(times, now), now); got != want {
		t.Errorf("got\n%s", got)
	}
	if all := buckets([]time.Time{now.Add(time.Hour)}, now); len(all) != 1 || all[0].Count != 1 { // the clock was set back
		t.Errorf("got %+v", all)
	}
}
