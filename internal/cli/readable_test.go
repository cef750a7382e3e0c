package cli

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/app"
)

func answer() app.Reply {
	return app.Reply{
		Text: "status=partial code=ACCESS_DENIED retryable=false\nPartial results: 1 issue seen so far; the token lacks a permission.\n" +
			"Attempted: tracker.search on a source whose name is long enough to break the row at the edge\n{\"data\":{}}",
		Structured: []byte(`{"status":"partial","code":"ACCESS_DENIED","data":{"items":[{"source":"gh","ref":"acme/app#1","title":"Title \u001b[2J\u202e","body":"one\n  two\n\nthree","labels":["a","b"],` +
			`"comments":[{"author":"x","body":"first\nsecond"}],"matches":[{"line":3,"text":"\tfunc  main()"}],"draft":false,"none":null}]},` +
			`"coverage":{"sources":[{"source":"gh","status":"partial","items":1}],"filters":{"query":"x"}}}`),
	}
}

func TestReadableLaysTheAnswerOut(t *testing.T) {
	want := `status=partial code=ACCESS_DENIED retryable=false
Partial results: 1 issue seen so far; the token lacks a permission.
Attempted: tracker.search on a source whose name is long enough to break the row at the edge

acme/app#1  Title �[2J�
  source: gh
  body:
    one
      two

    three
  labels: a, b
  comments:
    - author: x
      body:
        first
        second
  matches:
    - 3: 	func  main()
  draft: no

Coverage
  sources:
    - gh: status partial, items 1
  filters: query x
`
	if got := readable(screen{width: plainWidth}, answer()); got != want {
		t.Errorf("got\n%s", got)
	}
}

// On a terminal no row is longer than the screen, and what people wrote brings no
// control character of its own.
func TestReadableFitsTheTerminal(t *testing.T) {
	got := readable(screen{terminal: true, width: 50}, answer())
	for line := range strings.SplitSeq(got, "\n") {
		if utf8.RuneCountInString(line) > 50 {
			t.Errorf("longer than the screen: %q", line)
		}
	}
	coloured := readable(screen{terminal: true, colour: true, width: 80}, answer())
	if !strings.HasPrefix(coloured, "\x1b[33mstatus=partial") {
		t.Errorf("partial is not yellow: %q", coloured[:40])
	}
	if strings.Contains(got, "\x1b") || strings.Contains(coloured, "\x1b[2J") || strings.Contains(coloured, "\u202e") {
		t.Error("a control sequence of the data reached the terminal")
	}
}

func TestReadableShowsWhatIsNoJSON(t *testing.T) {
	if got := readable(screen{}, app.Reply{Text: "status=access_failure", Structured: []byte("{")}); got != "status=access_failure\n" {
		t.Errorf("got %q", got)
	}
}

func TestMomentReadsTimesAndAges(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                     {},
		"90m":                  now.Add(-90 * time.Minute),
		"7d":                   now.AddDate(0, 0, -7),
		"2026-11-01":           time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		"2026-11-01T10:00:00Z": time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC),
	} {
		if got, ok := moment(text, now); !ok || !got.Equal(want) {
			t.Errorf("%q: got %v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"yesterday", "-3h", "-1d", "d", "2026-13-01"} {
		if _, ok := moment(text, now); ok {
			t.Errorf("%q was taken for a time", text)
		}
	}
}

// A source list wider than the screen goes on below; no row is cut.
func TestMatrixFitsTheTerminal(t *testing.T) {
	var m app.Manifest
	for _, name := range []string{"one", "two", "a-source-with-a-name", "four", "five", "six"} {
		s := app.ManifestSource{Source: name, Provider: "github", State: "degraded"}
		s.Capabilities = []app.ManifestCapability{{ID: "tracker.project:read", State: "unsupported"}, {ID: "docs.page:read", State: "granted"}}
		m.Sources = append(m.Sources, s)
	}
	d := diagnosis{s: screen{width: 80}, m: m}
	d.matrix()
	got := d.b.String()
	for line := range strings.SplitSeq(got, "\n") {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("longer than the screen: %q", line)
		}
	}
	if n := strings.Count(got, "CAPABILITY"); n != 2 || strings.Count(got, "unsupported") != 6 {
		t.Errorf("%d tables:\n%s", n, got)
	}
}
