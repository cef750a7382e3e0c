package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// What a tool takes is read from its schema: type, values, default, description,
// and what every call needs first.
func TestToolHelpTellsWhatTheSchemaSays(t *testing.T) {
	tool := app.Tool{Name: "shelf_find", Description: "Find books on a shelf, by what their titles or their authors hold, or else by what is written in them.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{
			"state":{"type":"string","enum":["in","out"],"default":"in"},
			"limit":{"type":"integer","minimum":1,"maximum":9,"default":5},
			"shelf":{"type":"string","description":"name of the shelf, as it is written on it; a number counts from the door"},
			"deep":{"type":"boolean"},
			"parts":{"type":"array","items":{"type":"string","enum":["spine","cover"]},"description":"to be shown"}},
			"required":["shelf"],"additionalProperties":false}`)}
	want := `Usage: frank call shelf_find shelf=… [key=value …]

Find books on a shelf, by what their titles or their authors hold, or else by
what is written in them.

Arguments:
  shelf  text, required: name of the shelf, as it is written on it; a number
         counts from the door
  state  one of in | out, default in
  limit  whole number from 1 to 9, default 5
  deep   true or false
  parts  list, each one of spine | cover: to be shown

frank call --help shows the flags, and how to give lists, files and JSON.`
	if got := toolHelp(tool, plainWidth); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestHelpOfEveryToolFits80Columns(t *testing.T) {
	a, err := app.Later(func() *config.Config { return &config.Config{} }, app.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range a.Tools() {
		for line := range strings.SplitSeq(toolHelp(tool, plainWidth), "\n") {
			if utf8.RuneCountInString(line) > plainWidth {
				t.Errorf("%s: longer than the screen: %q", tool.Name, line)
			}
		}
	}
}

func TestHelpOfEveryCommandFits80ColumnsAndExplainsItsOwnWords(t *testing.T) {
	all := map[string]string{"frank": overviewHelp(plainWidth)}
	for _, c := range commandTable() {
		all[c.name] = c.help(plainWidth)
		if (c.words != "") != (len(c.explained()) > 0) {
			t.Errorf("%s: words %q, explained %q", c.name, c.words, c.explained())
		}
		for _, row := range c.explained() {
			first, _, _ := strings.Cut(row[0], " ")
			if c.name != "call" && !strings.Contains(c.words, first) {
				t.Errorf("%s explains %q, which it does not take", c.name, row[0])
			}
		}
	}
	for name, help := range all {
		for line := range strings.SplitSeq(help, "\n") {
			if n := utf8.RuneCountInString(line); n > plainWidth || n > 0 && strings.HasPrefix(line, strings.Repeat(" ", 40)) {
				t.Errorf("%s: too long, or squeezed to the right: %q", name, line)
			}
		}
	}
}

func TestNearestFindsWhatWasMeant(t *testing.T) {
	names := []string{"stdio", "serve", "doctor", "call", "failures", "version", "tracker_search", "repo_search_code", "repo_list", "docs_list"}
	for word, want := range map[string]string{
		"docter": "doctor", "Doctor": "doctor", "dcotor": "doctor", "doctro": "doctor", "cal": "call", "fail": "failures", "tracker-search": "tracker_search",
		"traker_serch": "tracker_search", "search_code": "repo_search_code",
		"nonsense": "", "": "", "list": "", "search": "", "x": "", strings.Repeat("doctor", 100): "",
	} {
		if got := nearest(word, names); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
