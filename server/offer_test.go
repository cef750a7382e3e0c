package server_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/server"
)

func TestEveryRevisionIsNegotiatedAndNoTasksAreAdvertised(t *testing.T) {
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25",
	} {
		m := startStdio(t, newBench(nil)).ask(initialize(asked))
		if m.Result == nil || m.Result.ProtocolVersion != want {
			t.Errorf("%s: %s", asked, m.raw)
		}
		for _, name := range []string{"tools", "prompts", "resources", "logging", "completions"} {
			if m.Result.Capabilities[name] == nil {
				t.Errorf("%s is not advertised", name)
			}
		}
		if strings.Contains(m.raw, "tasks") {
			t.Errorf("tasks are advertised: %s", m.raw)
		}
	}
	m := startStdio(t, newBench(nil)).ask(request("1", "server/discover", `{`+modernMeta+`}`))
	if m.Result == nil || len(m.Result.Supported) != 5 || strings.Contains(m.raw, "tasks") {
		t.Error(m.raw)
	}
}

func TestUnknownToolIsInvalidParamsAndNotQuoted(t *testing.T) {
	m := startStdio(t, newBench(nil)).ask(call("1", "evil-tool-name"))
	if m.code() != -32602 || !strings.Contains(m.raw, "unknown tool") || strings.Contains(m.raw, "evil") {
		t.Error(m.raw)
	}
}

func TestPromptsCheckTheirArgumentsAndRecover(t *testing.T) {
	c := startStdio(t, newBench(nil))
	for params, code := range map[string]int{
		`{"name":"ask"}`: -32602, `{"name":"ask","arguments":{"question":"  "}}`: -32602,
		`{"name":"ask","arguments":{"question":5}}`: -32602, `{"name":"nope"}`: -32602,
		`{"name":"broken"}`: -32603, `{"name":"ask","arguments":{"question":"Why?"}}`: 0,
	} {
		if m := c.ask(request("1", "prompts/get", params)); m.code() != code {
			t.Errorf("%s: %s", params, m.raw)
		}
	}
	if m := c.ask(request("2", "prompts/get", `{"name":"ask"}`)); !strings.Contains(m.Error.Message, "question") {
		t.Errorf("the missing argument is not named: %s", m.raw)
	}
}

func TestResourceFailuresAreInOurWords(t *testing.T) {
	c := startStdio(t, newBench(nil))
	for uri, code := range map[string]int{
		"frank://capabilities": 0, "frank://broken": -32603, "frank://panics": -32603, "frank://absent": -32002, "": -32602,
	} {
		if m := c.ask(request("1", "resources/read", `{"uri":"`+uri+`"}`)); m.code() != code {
			t.Errorf("%s: %s", uri, m.raw)
		}
	}
	m := c.ask(request("2", "resources/read", `{"uri":"frank://absent",`+modernMeta+`}`))
	if m.code() != -32602 || string(m.Error.Data) != `{"uri":"frank://absent"}` {
		t.Error(m.raw)
	}
}

func TestCompletionOffersWhatFitsWithoutCase(t *testing.T) {
	c := startStdio(t, newBench(nil))
	m := c.ask(request("1", "completion/complete", `{"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"question","value":"wH"}}`))
	if m.Result == nil || strings.Join(m.Result.Completion.Values, " ") != "What Why who" {
		t.Error(m.raw)
	}
	if m := c.ask(request("2", "completion/complete", `{"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"x","value":""}}`)); m.Result == nil || len(m.Result.Completion.Values) != 0 {
		t.Errorf("for a prompt that is not there: %s", m.raw)
	}
	for _, params := range []string{`{"ref":{"type":"x"},"argument":{"name":"x","value":""}}`, `{}`} {
		if m := c.ask(request("2", "completion/complete", params)); m.code() != -32602 {
			t.Errorf("%s: %s", params, m.raw)
		}
	}
}

func TestSubscribedResourcesAndListsAreAnnounced(t *testing.T) {
	b := newBench(nil)
	c := startStdio(t, b)
	b.server.ResourcesChanged() // nobody has initialized yet: lost, and no harm
	c.ask(initialize("2025-11-25"))
	c.ask(request("1", "resources/subscribe", `{"uri":"frank://capabilities"}`))
	b.server.ResourceUpdated("frank://other")
	b.server.ResourceUpdated("frank://capabilities")
	if m := c.next(); m.Method != "notifications/resources/updated" || string(m.Params) != `{"uri":"frank://capabilities"}` {
		t.Error(m.raw)
	}
	for method, announce := range map[string]func(){
		"notifications/tools/list_changed": b.server.ToolsChanged, "notifications/prompts/list_changed": b.server.PromptsChanged,
		"notifications/resources/list_changed": b.server.ResourcesChanged,
	} {
		announce()
		if m := c.next(); m.Method != method {
			t.Errorf("got %s, want %s", m.raw, method)
		}
	}
	c.ask(request("2", "resources/unsubscribe", `{"uri":"frank://capabilities"}`))
	b.server.ResourceUpdated("frank://capabilities")
	if m := c.ask(request("3", "ping", "{}")); m.Result == nil || len(c.seen) != 0 {
		t.Errorf("an update came after the unsubscription: %v", c.seen)
	}
}

func TestListenGetsItsAcknowledgementFirstAndOnlyWhatItAskedFor(t *testing.T) {
	b := newBench(nil)
	c := startStdio(t, b)
	c.send(request("5", "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["frank://capabilities"],"toolsListChanged":true},`+modernMeta+`}`))
	if m := c.next(); m.Method != "notifications/subscriptions/acknowledged" {
		t.Fatal(m.raw)
	}
	b.server.PromptsChanged()
	b.server.ResourceUpdated("frank://other")
	b.server.ResourceUpdated("frank://capabilities")
	m := c.next()
	if m.Method != "notifications/resources/updated" || !strings.Contains(m.raw, `"io.modelcontextprotocol/subscriptionId":5`) {
		t.Error(m.raw)
	}
	c.in.Close() // the server must not wait 5 s for a stream that never ends by itself
	if m := c.reply("5"); m.Result == nil {
		t.Error(m.raw)
	}
	if err := await(t, c.done); err != nil {
		t.Error(err)
	}
}

func TestBatchesAreServedInTheOneRevisionThatHasThem(t *testing.T) {
	c := startStdio(t, newBench(nil))
	c.ask(initialize("2025-03-26"))
	c.send(`[` + request("1", "ping", "{}") + `,` + cancelled("9") + `,{"x":1},[],` + call("2", "echo") + `]`)
	raw := string(await(t, c.lines))
	for _, want := range []string{`"id":1,"result"`, `"id":2,"result"`, `"id":null,"error"`, `no batches`} {
		if !strings.Contains(raw, want) {
			t.Errorf("%s is missing in %s", want, raw)
		}
	}
	c.send(`[` + strings.Repeat(cancelled("9")+",", 100) + cancelled("9") + `]`)
	if m := c.reply("null"); m.code() != -32600 {
		t.Error(m.raw)
	}
	c.send(`[` + cancelled("9") + `]`) // nothing to answer
	if m := c.ask(request("3", "ping", "{}")); m.Result == nil {
		t.Error(m.raw)
	}
}

func TestConfigurationWithoutItsFunctionsIsRefused(t *testing.T) {
	if _, err := server.New(server.Config{}); err == nil {
		t.Error("accepted")
	}
}

func TestSubscriptionsOfOneClientAreBounded(t *testing.T) {
	c := startStdio(t, newBench(nil))
	refused := 0
	for i := range 110 {
		if m := c.ask(request("1", "resources/subscribe", `{"uri":"frank://`+strconv.Itoa(i)+`"}`)); m.Error != nil {
			refused++
		}
	}
	if refused != 10 {
		t.Errorf("%d of 110 were refused, want 10", refused)
	}
}
