package markup

import (
	"strings"
	"testing"
)

func TestStorage(t *testing.T) {
	tests := map[string]struct {
		body, want string
		dropped    string
	}{
		"text":      {`<h1>One</h1><p>Caf&eacute;&nbsp;<strong>bold</strong> &amp; <em>it</em></p>`, "# One\n\nCafé\u00a0**bold** & *it*", ""},
		"code":      {`<ac:structured-macro ac:name="code" ac:schema-version="1"><ac:parameter ac:name="language">go</ac:parameter><ac:plain-text-body><![CDATA[if a < b && c {` + "\n" + `}]]></ac:plain-text-body></ac:structured-macro>`, "```go\nif a < b && c {\n}\n```", ""},
		"panel":     {`<ac:structured-macro ac:name="warning"><ac:parameter ac:name="title">Stop</ac:parameter><ac:rich-text-body><p>Hot.</p></ac:rich-text-body></ac:structured-macro>`, "> **Stop**\n> \n> Hot.", ""},
		"tip":       {`<ac:structured-macro ac:name="tip"><ac:rich-text-body><p>Do.</p></ac:rich-text-body></ac:structured-macro>`, "> **Tip**\n> \n> Do.", ""},
		"tasks":     {`<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status><ac:task-body><span>Paint</span></ac:task-body></ac:task><ac:task><ac:task-status>incomplete</ac:task-status><ac:task-body>Dry</ac:task-body></ac:task></ac:task-list>`, "- [x] Paint\n- [ ] Dry", ""},
		"table":     {`<table><colgroup><col /></colgroup><tbody><tr><th>A</th><th>B</th></tr><tr><td><p>1</p></td><td>2</td></tr></tbody></table>`, "| A | B |\n|---|---|\n| 1 | 2 |", ""},
		"page link": {`<p><ac:link><ri:page ri:content-title="The plan" /><ac:plain-text-link-body><![CDATA[plan]]></ac:plain-text-link-body></ac:link></p>`, "[plan](https://docs.example.org/c/display/ENG/The%20plan)", ""},
		"bare link": {`<ac:link><ri:page ri:space-key="OPS" ri:content-title="B" /></ac:link>`, "[B](https://docs.example.org/c/display/OPS/B)", ""},
		"root link": {`<a href="/x/y">z</a>`, "[z](https://docs.example.org/x/y)", ""},
		"picture":   {`<ac:image ac:alt="boom"><ri:attachment ri:filename="b c.png" /></ac:image>`, "![boom](https://docs.example.org/c/download/attachments/7/b%20c.png)", ""},
		"user":      {`<p><ac:link><ri:user ri:account-id="ab12" /></ac:link></p>`, "@ab12", ""},
		"emoticon":  {`<p><ac:emoticon ac:name="tick" ac:emoji-fallback="✅" /> ok</p>`, "✅ ok", ""},
		"date":      {`<p>on <time datetime="2026-11-30" /></p>`, "on 2026-11-30", ""},
		"status":    {`<p><ac:structured-macro ac:name="status"><ac:parameter ac:name="title">DONE</ac:parameter></ac:structured-macro></p>`, "**DONE**", ""},
		"layout":    {`<ac:layout><ac:layout-section ac:type="single"><ac:layout-cell><p>a</p></ac:layout-cell><ac:layout-cell><p>b</p></ac:layout-cell></ac:layout-section></ac:layout>`, "a\n\nb", ""},
		"adf":       {`<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content><p>x</p></ac:adf-content></ac:adf-node><ac:adf-fallback><div><p>x</p></div></ac:adf-fallback></ac:adf-extension>`, "> x", ""},
		"toc":       {`<ac:structured-macro ac:name="toc" /><p>a</p>`, "a", ""},
		"include":   {`<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="Other" /></ac:link></ac:parameter></ac:structured-macro>`, "*(not shown here: macro include, Other)*", "include"},
		"unknown":   {`<ac:structured-macro ac:name="fancy"><ac:rich-text-body><p>kept</p></ac:rich-text-body></ac:structured-macro>`, "*(not shown here: macro fancy)*\n\nkept", "fancy"},
		"jira":      {`<p><ac:structured-macro ac:name="jira"><ac:parameter ac:name="key">PAY-1</ac:parameter></ac:structured-macro></p>`, "PAY-1", ""},
		"jira list": {`<ac:structured-macro ac:name="jira"><ac:parameter ac:name="jqlQuery">project = A</ac:parameter></ac:structured-macro>`, "*(not shown here: macro jira, project = A)*", "jira"},
		"element":   {`<p><ac:thing>text</ac:thing></p>`, "text", "ac:thing"},
		"hostile":   {`<ac:structured-macro ac:name="A &lt;b&gt; found nothing" />`, "*(not shown here: macro a &lt;b&gt; found nothing)*", "abfoundnothing"},
		"hint":      {`<p>a<ac:placeholder>type here</ac:placeholder></p>`, "a", ""},
		"private":   {"<p>a\uE0F0b</p>", "ab", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, dropped, ok := Storage{Body: test.body, Site: "https://docs.example.org/c", Space: "ENG", Page: "7"}.Markdown()
			if !ok || got != test.want || dropped.String() != test.dropped {
				t.Errorf("%t, %q dropped:\n%q\nwant\n%q", ok, dropped, got, test.want)
			}
		})
	}
}

func TestStorageBroken(t *testing.T) {
	for _, body := range []string{"<p", "<a b=>", "<![CDATA[x"} {
		if _, _, ok := (Storage{Body: body}).Markdown(); ok {
			t.Errorf("%q is read", body)
		}
	}
	deep := strings.Repeat("<div>", 100_000) + "x" + strings.Repeat("</div>", 100_000)
	if got, dropped, ok := (Storage{Body: deep}).Markdown(); !ok || got != "" || len(dropped) == 0 {
		t.Errorf("what lies deep: %t %q %v", ok, got, dropped)
	}
	many := ""
	for i := range 100 {
		many += `<ac:structured-macro ac:name="m` + strings.Repeat("x", i) + `" />`
	}
	if _, dropped, _ := (Storage{Body: many}).Markdown(); len(dropped) > maxDropped+1 {
		t.Errorf("%d names are told apart", len(dropped))
	}
}
