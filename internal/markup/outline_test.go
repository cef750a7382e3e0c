package markup

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sketch writes an outline as one line a heading: line, level, slug, title.
func sketch(hs []Heading) string {
	var out strings.Builder
	for _, h := range hs {
		fmt.Fprintf(&out, "%d %d %s | %s\n", h.Line, h.Level, h.Slug, h.Title)
	}
	return out.String()
}

func TestOutlineFindsHeadingsAndNothingElse(t *testing.T) {
	tests := []struct {
		name   string
		format Format
		src    string
		want   string
	}{
		{"ATX and setext", Markdown, "Top\n===\n\n## One ##\ntext\n\nTwo\n---\n### *Deep* `x_y` [link](u)\n",
			"1 1 top | Top\n4 2 one | One\n7 2 two | Two\n9 3 deep-x_y-link | Deep x_y link\n"},
		{"code is no heading", Markdown, "# A\n```sh\n# no\n```\n~~~~\n## no\n~~~\n~~~~\n\n    # no\n\n#no\n\n> # quoted\n\n# B\n",
			"1 1 a | A\n16 1 b | B\n"},
		{"fence without end", Markdown, "# A\n```\n# no\n", "1 1 a | A\n"},
		{"front matter", Markdown, "---\ntitle: T\nx: |\n  # no\n---\n# A\n", "6 1 a | A\n"},
		{"TOML front matter", Markdown, "+++\ntitle = \"T\"\n# no\n+++\n\n# A\n", "6 1 a | A\n"},
		{"thematic break at the start", Markdown, "---\n\n# A\n", "3 1 a | A\n"},
		{"GitHub's slugs", Markdown, "# Usage\n# Usage\n# Usage-1\n# What's new? (v1.2)\n# 🚀 Go\n# Größe & Maß\n# a&amp;b \\* `\\*`\n",
			"1 1 usage | Usage\n2 1 usage-1 | Usage\n3 1 usage-1-1 | Usage-1\n4 1 whats-new-v12 | What's new? (v1.2)\n" +
				"5 1 -go | 🚀 Go\n6 1 größe--maß | Größe & Maß\n7 1 ab-- | a&b * \\*\n"},
		{"HTML headings", Markdown, "<div align=\"center\">\n  <h1>My <b>App</b></h1>\n</div>\n\n<!-- <h2>no</h2> -->\n\n# ![Logo](l.png)\n#\n",
			"2 1 my-app | My App\n7 1 logo | Logo\n"},
		{"comment", Markdown, "<!--\n# no\n-->\n# A\n", "4 1 a | A\n"},
		{"CRLF", Markdown, "# A\r\n\r\ntext\r\n## B\r\n", "1 1 a | A\n4 2 b | B\n"},
		{"invisible characters", Markdown, "# A\u200Bb\u202E\n", "1 1 ab | Ab\n"},

		{"AsciiDoc", AsciiDoc, "= Doc\nAuthor\n:toc:\n\nintro\n\n== One\n\n=== Sub ===\n\n[#own,x]\n== Two\n[[three]]\n== 3\n# Hash\n",
			"1 1 doc | Doc\n7 2 one | One\n9 3 sub | Sub\n12 2 own | Two\n14 2 three | 3\n15 1 hash | Hash\n"},
		{"AsciiDoc blocks", AsciiDoc, "= D\n\n----\n== no\n----\n....\n== no\n....\n```ruby\n== no\n```\n////\n== no\n////\n|===\n|a\n== no\n|===\n====\n== no\n====\n== yes\n",
			"1 1 d | D\n22 2 yes | yes\n"},
		{"AsciiDoc block without end", AsciiDoc, "== A\n----\n== no\n", "1 2 a | A\n"},
		{"AsciiDoc of two lines", AsciiDoc, "git-x(1)\n========\n\nNAME\n----\nsome text\n----\n== no\n----\n\nDeep\n~~~~~\n",
			"1 1 git-x1 | git-x(1)\n4 2 name | NAME\n11 3 deep | Deep\n"},
		{"AsciiDoc paragraph", AsciiDoc, "text\n== no\n\n==no\n", ""},

		{"reST", ReStructuredText, "=====\n Doc\n=====\n\nOne\n===\n\nSub\n---\ntext\n\nTwo\n===\n",
			"1 1 doc | Doc\n5 2 one | One\n8 3 sub | Sub\n12 2 two | Two\n"},
		{"reST levels by appearance", ReStructuredText, "A\n~\n\nB\n*\n\nC\n~\n", "1 1 a | A\n4 2 b | B\n7 1 c | C\n"},
		{"reST literal block", ReStructuredText, "A\n=\n\nExample::\n\n    No\n    ==\n\nB\n=\n", "1 1 a | A\n9 1 b | B\n"},
		{"reST transition, table, list", ReStructuredText, "A\n=\n\n----\n\n=== ===\na   b\n=== ===\n1   2\n=== ===\n\nlong text\n--\n\ntwo\nlines\n-----\n", "1 1 a | A\n"},

		{"plain text", PlainText, "# A\n\nB\n=\n", ""},
		{"empty", Markdown, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, sketch(Outline(tt.format, tt.src))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const manual = "---\ntitle: 'The Manual'\n---\n# Manual\nintro\n## Install\na\n### Linux\nb\n## Usage\nc\n### Linux\nd\n## 7.1 Notes\ne\n## usage!\nf\n"

func TestSectionResolvesSlugTitleOrNumber(t *testing.T) {
	tests := []struct{ name, want string }{
		{"install", "## Install\na\n### Linux\nb\n"},
		{"#install", "## Install\na\n### Linux\nb\n"},
		{"Install", "## Install\na\n### Linux\nb\n"},
		{"  INSTALL ", "## Install\na\n### Linux\nb\n"},
		{"Usage", "## Usage\nc\n### Linux\nd\n"},
		{"usage!", "## usage!\nf\n"},
		{"usage-1", "## usage!\nf\n"},
		{"linux-1", "### Linux\nd\n"},
		{"#Linux-1", "### Linux\nd\n"},
		{"1", "## Install\na\n### Linux\nb\n"},
		{"2.1", "### Linux\nd\n"},
		{"2.1.", "### Linux\nd\n"},
		{"7.1", "## 7.1 Notes\ne\n"},
		{"notes", ""},
		{"9", ""},
		{"", ""},
		{"#", ""},
		{"?!", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, h, candidates, ok := Section(Markdown, manual, tt.name)
			if text != tt.want || ok != (tt.want != "") || len(candidates) != 0 {
				t.Errorf("got %q, %v, %v", text, candidates, ok)
			}
			if ok && manual[h.Start:h.End] != text {
				t.Errorf("heading %+v is not that of %q", h, text)
			}
		})
	}
}

func TestSectionNamesCandidatesIfAmbiguous(t *testing.T) {
	_, _, candidates, ok := Section(Markdown, manual, "Linux")
	if diff := cmp.Diff([]string{"linux", "linux-1"}, candidates); ok || diff != "" {
		t.Errorf("ok %v, %s", ok, diff)
	}
	if _, _, twice, ok := Section(Markdown, "# usage\n# usage\n", "usage"); ok || len(twice) != 2 {
		t.Errorf("a title that is also a slug hid its namesake: %v, %v", twice, ok)
	}
	for _, slug := range candidates {
		if _, h, _, ok := Section(Markdown, manual, slug); !ok || h.Slug != slug {
			t.Errorf("candidate %q leads to %+v, %v", slug, h, ok)
		}
	}
}

func TestTitleIsWhatTheDocumentCallsItself(t *testing.T) {
	tests := []struct {
		format        Format
		src, filename string
		want          string
	}{
		{Markdown, manual, "m.md", "The Manual"},
		{Markdown, "+++\ntitle = \"T # x\"\n+++\n# A", "m.md", "T # x"},
		{Markdown, "---\ntitle: plain # note\n---\n", "m.md", "plain"},
		{Markdown, "---\ntitle: >\n  folded\n---\n# A", "m.md", "A"},
		{Markdown, "---\r\ntitle: T\r\n---\r\n", "m.md", "T"},
		{Markdown, "---\nsub:\n  title: no\n---\n", "d/my-notes.md", "my-notes"},
		{Markdown, "## Small\n# Big\n# Bigger", "m.md", "Big"},
		{AsciiDoc, "= Doc\n", "m.adoc", "Doc"},
		{ReStructuredText, "Doc\n===\n", "m.rst", "Doc"},
		{PlainText, "first line", "docs/README", "README"},
		{PlainText, "", ".txt", ".txt"},
	}
	for _, tt := range tests {
		if got := Title(tt.format, tt.src, tt.filename); got != tt.want {
			t.Errorf("Title(%v, %q, %q) = %q, want %q", tt.format, tt.src, tt.filename, got, tt.want)
		}
	}
}

func TestFormatIsToldByTheName(t *testing.T) {
	for name, want := range map[string]Format{
		"a.md": Markdown, "A.MARKDOWN": Markdown, "x/y.mdx": Markdown, "a.mkd": Markdown,
		"a.adoc": AsciiDoc, "a.asciidoc": AsciiDoc, "a.asc": AsciiDoc, "a.rst": ReStructuredText,
		"a.txt": PlainText, "a.text": PlainText, "README": PlainText, "docs/LICENSE-MIT": PlainText, "Changelog": PlainText,
		"Makefile": 0, "a.go": 0, "md": 0, "": 0, "readme.md.bak": 0, ".md": Markdown,
	} {
		if got, ok := FormatOf(name); got != want || ok != (want != 0) {
			t.Errorf("FormatOf(%q) = %v, %v, want %v", name, got, ok, want)
		}
	}
	for format, want := range map[Format]string{0: "unknown", Markdown: "markdown", AsciiDoc: "asciidoc", ReStructuredText: "restructuredtext", PlainText: "text"} {
		if format.String() != want {
			t.Errorf("%d is %q, want %q", format, format, want)
		}
	}
}

// Each of these keeps a whole CommonMark parser busy for longer than a test may last.
func TestHostileMarkdownIsReadInTime(t *testing.T) {
	for _, unit := range []string{"- ", "> ", "1. ", "*a_ ", "[", "<h1>a</h1>", "<!---->\n", "a <!----> "} {
		text := strings.Repeat(unit, 500_000/len(unit)) + "\n\n# Last <!-- x -->\n"
		hs := Outline(Markdown, text)
		if len(hs) == 0 || hs[len(hs)-1].Title != "Last" {
			t.Errorf("%q: the heading below was not found", unit)
		}
		if out, removed := CleanMarkdown(text); removed.Comment == 0 || strings.Contains(out, "<!--") {
			t.Errorf("%q: the comment below was not removed", unit)
		}
	}
}

func TestFlattenKeepsEveryByteInItsPlace(t *testing.T) {
	deep := strings.Repeat("> ", maxDepth) + "> - 1. a > b\n"
	src := "----------\n" + deep + strings.Repeat("-", 80) + "\n  - a\n"
	want := "----------\n" + strings.Repeat("> ", maxDepth) + "x x 1x a > b\n" + strings.Repeat("-", 80) + "\n  - a\n"
	if got := string(flatten([]byte(src))); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func FuzzOutline(f *testing.F) {
	for _, s := range []string{manual, "A\n=\n\nB\n-\n", "== A\n----\n", "====\n x\n====\n", "<div><h1>a</h1><h2>b</h2>", "a\n:\n", "#\n#", "\r#\r", "---\n---\n---", "=\n=\n="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, format := range []Format{0, Markdown, AsciiDoc, ReStructuredText, PlainText} {
			checkOutline(t, format, src)
		}
	})
}

func checkOutline(t *testing.T, format Format, src string) {
	t.Helper()
	last := -1
	slugs := map[string]bool{}
	for _, h := range Outline(format, src) {
		if h.Start <= last || h.End <= h.Start || h.End > len(src) {
			t.Fatalf("%v %q: section %d to %d after %d", format, src, h.Start, h.End, last)
		}
		if h.Start > 0 && src[h.Start-1] != '\n' || h.Line != 1+strings.Count(src[:h.Start], "\n") {
			t.Errorf("%v %q: %+v does not begin its line", format, src, h)
		}
		if h.Level < 1 || h.Title == "" || slugs[h.Slug] {
			t.Errorf("%v %q: level, title or slug of %+v", format, src, h)
		}
		slugs[h.Slug] = true
		last = h.Start
		Section(format, src, h.Title)
	}
	if Title(format, src, "name.md") == "" {
		t.Errorf("%v %q: no title", format, src)
	}
}
