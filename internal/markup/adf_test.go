package markup_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/internal/markup"
)

func doc(content string) []byte {
	return []byte(`{"type":"doc","version":1,"content":[` + content + `]}`)
}

func para(content string) string { return `{"type":"paragraph","content":[` + content + `]}` }

func text(s string) string {
	b, _ := json.Marshal(s) // of a text never fails
	return `{"type":"text","text":` + string(b) + `}`
}

func TestFromADF(t *testing.T) {
	for name, c := range map[string]struct{ adf, want string }{
		"paragraphs": {para(text("One")) + "," + para(text("Two")), "One\n\nTwo"},
		"heading":    {`{"type":"heading","attrs":{"level":2},"content":[` + text("Title") + `]}`, "## Title"},
		"marks": {para(`{"type":"text","text":"a","marks":[{"type":"strong"},{"type":"em"}]},{"type":"text","text":" b ","marks":[{"type":"strike"}]},{"type":"text","text":"x` + "`" + `y","marks":[{"type":"code"}]}`),
			"***a*** ~~b~~ ``x`y``"},
		"link":        {para(`{"type":"text","text":"here","marks":[{"type":"link","attrs":{"href":"https://e.example/a(b)"}}]}`), "[here](https://e.example/a%28b%29)"},
		"bare link":   {para(`{"type":"text","text":"https://e.example/a","marks":[{"type":"link","attrs":{"href":"https://e.example/a"}}]}`), "<https://e.example/a>"},
		"lists":       {`{"type":"bulletList","content":[{"type":"listItem","content":[` + para(text("a")) + `,{"type":"orderedList","attrs":{"order":3},"content":[{"type":"listItem","content":[` + para(text("b")) + `]}]}]}]}`, "- a\n\n  3. b"},
		"tasks":       {`{"type":"taskList","content":[{"type":"taskItem","attrs":{"state":"DONE"},"content":[` + text("a") + `]},{"type":"taskItem","attrs":{"state":"TODO"},"content":[` + text("b") + `]}]}`, "- [x] a\n- [ ] b"},
		"code":        {`{"type":"codeBlock","attrs":{"language":"go"},"content":[` + text("a := `b`\n```") + `]}`, "````go\na := `b`\n```\n````"},
		"panel":       {`{"type":"panel","attrs":{"panelType":"warning"},"content":[` + para(text("Mind")) + `]}`, "> **Warning**\n>\n> Mind"},
		"expand":      {`{"type":"expand","attrs":{"title":"More"},"content":[` + para(text("Here")) + `]}`, "**More**\n\nHere"},
		"rule":        {para(text("a")) + `,{"type":"rule"},` + para(text("b")), "a\n\n---\n\nb"},
		"table":       {`{"type":"table","content":[{"type":"tableRow","content":[{"type":"tableHeader","content":[` + para(text("A|B")) + `]},{"type":"tableHeader","content":[]}]},{"type":"tableRow","content":[{"type":"tableCell","attrs":{"colspan":2},"content":[` + para(text("c")) + "," + para(text("d")) + `]}]}]}`, "| A\\|B |  |\n| --- | --- |\n| c<br>d |  |"},
		"inlines":     {para(`{"type":"mention","attrs":{"id":"1","text":"@Ada"}},` + text(" ") + `,{"type":"emoji","attrs":{"shortName":":ok:","text":"👌"}},{"type":"hardBreak"},{"type":"status","attrs":{"text":"DONE"}},` + text(" ") + `,{"type":"date","attrs":{"timestamp":"1796040000000"}},` + text(" ") + `,{"type":"inlineCard","attrs":{"url":"https://e.example/1"}}`), "@Ada 👌\\\n\\[DONE\\] 2026-11-30 <https://e.example/1>"},
		"escapes":     {para(text("# a_b *c* _d_ <b> &amp; 1. x")) + "," + para(text("1. x")) + "," + para(text("- y")), "\\# a_b \\*c\\* \\_d\\_ \\<b> \\&amp; 1. x\n\n1\\. x\n\n\\- y"},
		"odd attrs":   {`{"type":"heading","attrs":{"level":3,"localId":{"a":1},"text":7},"content":[` + text("T") + `]}`, "### T"},
		"null":        {"", ""},
		"two columns": {`{"type":"layoutSection","content":[{"type":"layoutColumn","attrs":{"width":50},"content":[` + para(text("l")) + `]},{"type":"layoutColumn","content":[` + para(text("r")) + `]}]}`, "l\n\nr"},
	} {
		got, ok := markup.FromADF(doc(c.adf))
		if !ok || got.Text != c.want || !got.Complete() {
			t.Errorf("%s: %t %v\n%q, want\n%q", name, ok, got.Left, got.Text, c.want)
		}
	}
}

// TestJR21_UnknownNodes: what is not known is counted, and its text kept.
func TestJR21_UnknownNodes(t *testing.T) {
	got, ok := markup.FromADF(doc(`{"type":"hologram","content":[` + para(text("inside")) + `]},{"type":"mediaSingle","content":[{"type":"media","attrs":{"id":"1","alt":"plan.png"}}]},{"type":"extension","attrs":{"extensionKey":"toc"}},` +
		para(`{"type":"sparkle","text":"x"}`)))
	want := map[string]int{"hologram": 1, "media": 1, "extension": 1, "sparkle": 1}
	if !ok || !reflect.DeepEqual(got.Left, want) || strings.Join(got.Kinds(), " ") != "extension hologram media sparkle" {
		t.Errorf("%t %v", ok, got.Left)
	}
	if got.Text != "inside\n\n\\[attachment: plan.png\\]\n\n\\[toc\\]\n\nx" {
		t.Errorf("%q", got.Text)
	}
}

func TestFromADFRefusesWhatIsNone(t *testing.T) {
	for _, s := range []string{`"text"`, `{"type":"paragraph"}`, `{}`, `[]`, `{"type":"doc","content":{}}`} {
		if _, ok := markup.FromADF([]byte(s)); ok {
			t.Errorf("%s was taken for a document", s)
		}
	}
	for _, s := range []string{"", "null", `{"type":"doc","version":1,"content":[]}`} {
		if got, ok := markup.FromADF([]byte(s)); !ok || got.Text != "" || !got.Complete() {
			t.Errorf("%s: %t %v", s, ok, got)
		}
	}
}

func TestFromADFBoundsNesting(t *testing.T) {
	deep := strings.Repeat(`{"type":"blockquote","content":[`, 200) + para(text("deep")) + strings.Repeat(`]}`, 200)
	if got, ok := markup.FromADF(doc(deep)); !ok || got.Complete() {
		t.Errorf("%t %v", ok, got.Left)
	}
}

func TestToADF(t *testing.T) {
	for name, c := range map[string]struct{ markdown, want string }{
		"empty":         {"", ""},
		"paragraph":     {"Hello\nworld", para(text("Hello world"))},
		"code in a row": {"a `b` c", para(text("a ") + `,{"type":"text","text":"b","marks":[{"type":"code"}]},` + text(" c"))},
		"quote":         {"> ## a", `{"type":"blockquote","content":[` + para(`{"type":"text","text":"a","marks":[{"type":"strong"}]}`) + `]}`},
		"html":          {"a <b>c</b> &amp; \\*", para(text("a <b>c</b> & *"))},
		"item":          {"- - a", `{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph"},{"type":"bulletList","content":[{"type":"listItem","content":[` + para(text("a")) + `]}]}]}]}`},
		"picture":       {"![p](https://e.example/p.png)", para(`{"type":"text","text":"p","marks":[{"type":"link","attrs":{"href":"https://e.example/p.png"}}]}`)},
	} {
		if got := string(markup.ToADF(c.markdown)); got != string(doc(c.want)) {
			t.Errorf("%s:\n%s, want\n%s", name, got, doc(c.want))
		}
	}
}

// TestADFThereAndBack: Markdown that both sides know survives.
func TestADFThereAndBack(t *testing.T) {
	for _, s := range []string{
		"# Title\n\nOne **bold**, *slanted*, ~~gone~~ and `code`.",
		"- a\n- b\n\n  more\n- c",
		"1. a\n2. b",
		"```go\nfunc main() {}\n```",
		"> quoted\n>\n> twice",
		"| A | B |\n| --- | --- |\n| 1 | 2\\|3 |",
		"[text](https://e.example/x) and <https://e.example/y>",
		"a\\\nb",
		"Grüße, 世界 👩‍👩‍👧 snake_case",
		"\\# no heading \\*no slant\\*",
		"one\n\n---\n\ntwo",
	} {
		got, ok := markup.FromADF(markup.ToADF(s))
		if !ok || !got.Complete() || got.Text != s {
			t.Errorf("%q came back as %q", s, got.Text)
		}
	}
}

// TestADFGrammar holds what of GitHub's tables and strike-through becomes one, and what
// stays text, as https://github.github.com/gfm/ has it.
func TestADFGrammar(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no outer bars", "A | B\n--|:-:\n1 | 2", "| A | B |\n| --- | --- |\n| 1 | 2 |"},
		{"one column", "| A |\n|-|\n| b |", "| A |\n| --- |\n| b |"},
		{"a bar in code", "| A |\n|-|\n| `x\\|y` |", "| A |\n| --- |\n| `x\\|y` |"},
		{"a bar that ends a cell by escape", "| A | B |\n|-|-|\n| 1 | 2\\|", "| A | B |\n| --- | --- |\n| 1 | 2\\| |"},
		{"a short and a long row", "| A | B |\n|-|-|\n| 1 |\n| 1 | 2 | 3 |", "| A | B |\n| --- | --- |\n| 1 |  |\n| 1 | 2 |"},
		{"a table after text", "so:\n| A |\n|-|\n| b |", "so:\n\n| A |\n| --- |\n| b |"},
		{"no names for all columns", "| A |\n|-|-|\n| b |", "| A | |-|-| | b |"},
		{"dashes set in", "| A |\n    |-|\n| b |", "| A | |-| | b |"},
		{"a heading", "A\n---", "## A"},
		{"one tilde", "~a~", "~~a~~"},
		{"tildes of two lengths", "~~a~", "\\~\\~a~"},
		{"three tildes", "x ~~~a~~~", "x \\~\\~\\~a\\~\\~\\~"},
	} {
		got, ok := markup.FromADF(markup.ToADF(c.in))
		if !ok || !got.Complete() || got.Text != c.want {
			t.Errorf("%s: %q came back as %q, want %q", c.name, c.in, got.Text, c.want)
		}
	}
}

func FuzzADF(f *testing.F) {
	for _, s := range []string{"# a\n\n- b\n  1. c", "| a |\n|-|\n| b |", "> `x` <br> ![i](u) ~~s~~", "\\", "***", "&#0;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4000 {
			return
		}
		if got, ok := markup.FromADF(markup.ToADF(s)); !ok || !got.Complete() {
			t.Errorf("%q: %t %v", s, ok, got.Left)
		}
	})
}
