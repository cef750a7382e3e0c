package local_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/connectors/local"
	"github.com/frank-mcp/frank/internal/markup"
)

// hostile are texts made of what YAML, Markdown, JSON and file names take for more
// than text.
func hostile(max int) *rapid.Generator[string] {
	parts := []string{"a", "Z", "ü", "日", "😀", " ", "  ", "'", "''", `"`, `\`, `\n`, ":", ": ", " #", "#", "-", "- ", "---", "[", "]", "{", "}", ",", "&", "*", "!",
		"|", ">", "%", "@", "`", "?", "~", "null", "true", "no", "1", "0x1", "1.5", "2026-01-01", "<", "</", "/", "\t", "\u00a0", "=", "<<", "\u200b", "\x00", "\u2028", "$", "..", "\r"}
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(parts), 0, max), func(s []string) string { return strings.Join(s, "") })
}

// hostileBody is hostile over several lines, without HTML comments, which no answer shows.
func hostileBody() *rapid.Generator[string] {
	line := rapid.OneOf(hostile(6), rapid.SampledFrom([]string{"", "---", "## Foo", "```", "~~~", "    code", "- [ ] #1 x", "id: 1", "<<<<<<< a", "======="}))
	return rapid.Map(rapid.SliceOfN(line, 0, 6), func(s []string) string { return strings.Join(s, "\n") })
}

func TestAnyTextRoundTrips(t *testing.T) {
	trackers(t, func(t *testing.T, s *shelf, id, _, file string) {
		original := s.read(file)
		rapid.Check(t, func(rt *rapid.T) {
			s.put(file, original)
			title, body, labels := hostile(8).Draw(rt, "title"), hostileBody().Draw(rt, "body"), rapid.SliceOfN(hostile(4), 0, 3).Draw(rt, "labels")
			before := get(s.source(), id).items[0]
			src := s.source()
			clean, _ := markup.Clean(body)
			clean = strings.Trim(strings.TrimRight(clean, " \t\n"), "\n")
			w := src.update(id, connectors.IssueUpdate{Title: &title, Body: &body, AddLabels: labels, State: "closed"})
			if line := markup.Line(title, 1<<20); line == "" {
				if w.verdict != "access_failure INPUT_MISSING invalid_argument" || s.read(file) != original {
					rt.Fatalf("%q: %s", title, w.verdict)
				}
				return
			} else if w.verdict != "success NONE" {
				rt.Fatalf("%s %s", w.verdict, w.failure.Text("arguments"))
			} else if w.items[0].Title != line {
				rt.Fatalf("title %q, not %q", w.items[0].Title, line)
			}
			for _, l := range labels {
				if l = markup.Line(l, 400); l != "" && !slices.ContainsFunc(w.items[0].Labels, func(x string) bool { return markup.Fold(x) == markup.Fold(l) }) {
					rt.Fatalf("labels %q lack %q", w.items[0].Labels, l)
				}
			}
			if shown, _ := markup.CleanMarkdown(clean); !strings.Contains(w.items[0].Body, shown) {
				rt.Fatalf("body %q lacks %q", w.items[0].Body, shown)
			}
			// Taken back, all but the time of the change is as it was.
			back := src.update(id, connectors.IssueUpdate{Title: &before.Title, Body: &before.Body, RemoveLabels: labels, AddLabels: before.Labels, State: "open"})
			if back.verdict != "success NONE" {
				rt.Fatalf("taking it back: %s %s\n%s", back.verdict, back.failure.Text("arguments"), s.read(file))
			}
			if got := back.items[0]; got.Title != before.Title || got.Body != before.Body || !slices.Equal(got.Labels, before.Labels) {
				rt.Fatalf("taken back: %+v\nwas %+v", got, before)
			}
		})
	})
}

func TestAnyNewIssueRoundTrips(t *testing.T) {
	trackers(t, func(t *testing.T, s *shelf, _, dir, file string) {
		original := s.read(file)
		rapid.Check(t, func(rt *rapid.T) {
			if err := os.RemoveAll(filepath.Join(s.root, dir)); err != nil {
				rt.Fatal(err)
			}
			s.put(file, original)
			title, body := "x"+hostile(20).Draw(rt, "title"), hostileBody().Draw(rt, "body")
			src := s.source()
			w := src.create(connectors.IssueCreate{Title: title, Body: body, Labels: []string{"l" + hostile(3).Draw(rt, "label")}, Assignees: []string{"@" + hostile(3).Draw(rt, "person") + "z"}})
			if w.verdict != "success NONE" || w.items[0].Title != markup.Line(title, 400) || len(w.items[0].Labels) != 1 || len(w.items[0].Assignees) != 1 {
				rt.Fatalf("%s %s %+v", w.verdict, w.failure.Text("arguments"), w.items)
			}
			found := src.find(connectors.WriteTrace{Create: &connectors.IssueCreate{Title: title, Body: body}})
			if found.verdict != "success NONE" {
				rt.Fatalf("not found again: %s", found.verdict)
			}
		})
	})
}

func TestScalarsKeepTheirQuotes(t *testing.T) {
	for _, c := range []struct {
		text  string
		style byte
		want  string
	}{
		{"plain text", 0, "plain text"}, {"plain text", '\'', "'plain text'"}, {"plain text", '"', `"plain text"`}, {"it's", 0, "it's"}, {"it's", '\'', "'it''s'"},
		{"a: b", 0, "'a: b'"}, {"true", 0, "'true'"}, {"1", 0, "'1'"}, {"@ann", 0, "'@ann'"}, {`a"\`, '"', `"a\"\\"`}, {"2026-01-01 10:00", 0, "2026-01-01 10:00"}, {"2026-01-01", 0, "'2026-01-01'"},
	} {
		want(t, local.YAMLScalar(c.text, c.style, false), c.want)
	}
}
