package markup

import (
	"strings"
	"testing"
	"time"
)

func TestFromHTMLKeepsWhatPeopleRead(t *testing.T) {
	const page = `<h2><span class="mw-headline" id="Limits">Limits</span></h2>
<p>See <a href="/wiki/Help:A_b">help</a> and <b>do</b> <code>a|b</code>, <s>not</s>.</p>
<pre>volts = 400
  * raw</pre>
<table><tbody><tr><th>Load</th><th>Speed</th></tr><tr><td>10 t</td><td>slow</td></tr></tbody></table>
<ul><li>one<ul><li>deeper</li></ul></li></ul>
<img src="/x.png" alt="a crane">`
	got, dropped, ok := FromHTML(page, "https://wiki.example.org")
	if !ok || len(dropped) != 0 {
		t.Fatalf("ok %v, dropped %v", ok, dropped)
	}
	for _, want := range []string{
		"## Limits\n", "[help](https://wiki.example.org/wiki/Help:A_b)", "**do**", "`a|b`", "~~not~~",
		"```\nvolts = 400\n  * raw\n```", "| Load | Speed |", "| 10 t | slow |", "- one\n", "  - deeper", "![a crane](https://wiki.example.org/x.png)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}

func TestFromHTMLCountsWhatItDropsAndNotWhatNobodySees(t *testing.T) {
	const page = `<p>a</p><!-- b --><script>c</script><style>d</style><p style="display: none">e</p><p hidden>f</p>` +
		`<iframe src="x">g</iframe><video>h</video><video></video><math>i</math>`
	got, dropped, ok := FromHTML(page, "")
	if !ok || strings.TrimSpace(got) != "a" {
		t.Errorf("ok %v: %q", ok, got)
	}
	if dropped["iframe"] != 1 || dropped["video"] != 2 || dropped["math"] != 1 || dropped.String() != "iframe, math, video" {
		t.Errorf("dropped %v", dropped)
	}
}

func TestFromHTMLEscapesWhatWouldReadAsMarkdown(t *testing.T) {
	got, _, _ := FromHTML(`<p># no heading</p><p>*no* emphasis &lt;!-- shown --&gt;</p>`, "")
	if len(Outline(Markdown, got)) != 0 || strings.Contains(got, "\n*no*") {
		t.Errorf("%q", got)
	}
	if clean, _ := CleanMarkdown(got); !strings.Contains(clean, "shown") {
		t.Errorf("the text was taken for a comment: %q", clean)
	}
}

func TestFromHTMLOfHostilePagesEnds(t *testing.T) {
	for what, page := range map[string]string{
		"deep":     strings.Repeat("<div>", 20_000) + "x",
		"quotes":   strings.Repeat("<blockquote>", 5_000) + "x",
		"lists":    strings.Repeat("<ul><li>", 5_000) + "x",
		"unclosed": strings.Repeat("<b><i>", 5_000) + "x",
		"tables":   strings.Repeat("<table><tr><td>", 1_000) + "x",
	} {
		start := time.Now()
		if _, _, ok := FromHTML(page, "https://wiki.example.org"); ok && time.Since(start) > time.Minute {
			t.Errorf("%s took %s", what, time.Since(start))
		}
	}
}
