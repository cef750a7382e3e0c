package cli

import (
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
	l := listing{s: s, path: "failures.jsonl", found: app.FailureListing{Read: true, Total: len(records), Records: records}, all: records, now: now}
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
by code: ACCESS_DENIED 1, CAPABILITY_UNAVAILABLE 1, INPUT_MISSING 1
by reason: auth_header_resolution_failed 1, connector_not_configured 1,
  invalid_argument 1
by source: github 1, here 1, – 1
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
