package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/server"
	"github.com/frank-mcp/frank/status"
)

// torn is a bench whose tools cannot tell which source is meant until it is named.
func torn() *bench {
	return newBench(func(c *server.Config) {
		c.Call = func(_ context.Context, c server.Call) server.Reply {
			if strings.Contains(string(c.Arguments), `"source"`) {
				return success("made:" + string(c.Arguments))
			}
			r := server.Reply{Text: "which?", Structured: json.RawMessage(`{"status":"access_failure"}`), IsError: true, Question: "Which one is meant?"}
			for _, source := range []string{"one", "two"} {
				sets := []status.Setting{status.Set("source", source)}
				r.Choices = append(r.Choices, status.Candidate{Ref: "PAY-1", Title: "Late", Source: source, Sets: sets, Call: &status.NextCall{Tool: c.Tool, Arguments: sets}})
			}
			return r
		}
	})
}

func asking(version, elicitation string) string {
	return strings.Replace(initialize(version), `"capabilities":{}`, `"capabilities":{`+elicitation+`}`, 1)
}

const (
	vague      = `{"name":"echo","arguments":{"text":"a","n":1}}`
	chosenTwo  = `{"action":"accept","content":{"choice":"PAY-1 (two)"}}`
	madeOfTwo  = `made:{"n":1,"source":"two","text":"a"}`
	modernForm = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
)

func answerTo(m message, result string) string {
	return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`
}

func TestAPersonIsAskedDuringTheCall(t *testing.T) {
	for version, form := range map[string]string{
		"2025-06-18": `"enum":["PAY-1 (one)","PAY-1 (two)"],"enumNames":["PAY-1 (one): Late","PAY-1 (two): Late"]`,
		"2025-11-25": `"oneOf":[{"const":"PAY-1 (one)","title":"PAY-1 (one): Late"},{"const":"PAY-1 (two)","title":"PAY-1 (two): Late"}]`,
	} {
		c := startStdio(t, torn())
		c.ask(asking(version, `"elicitation":{}`))
		c.send(request("1", "tools/call", vague))
		q := c.next()
		if q.Method != "elicitation/create" || !strings.Contains(q.raw, form) || !strings.Contains(q.raw, "Which one is meant?") {
			t.Fatalf("%s: %s", version, q.raw)
		}
		c.send(answerTo(q, chosenTwo))
		if m := c.reply("1"); m.text() != madeOfTwo || m.Result.IsError {
			t.Errorf("%s: %s", version, m.raw)
		}
	}
}

func TestWithoutAChoiceTheFailureStands(t *testing.T) {
	for name, answer := range map[string]string{
		"decline": `{"action":"decline"}`, "cancel": `{"action":"cancel"}`, "no content": `{"action":"accept"}`,
		"unknown choice": `{"action":"accept","content":{"choice":"PAY-1 (three)"}}`, "a number": `{"action":"accept","content":{"choice":1}}`,
		"a list": `{"action":"accept","content":["PAY-1 (two)"]}`, "declined with content": `{"action":"decline","content":{"choice":"PAY-1 (two)"}}`,
		"no object": `"PAY-1 (two)"`, "null": `null`, "arguments": `{"action":"accept","content":{"source":"two"}}`,
	} {
		c := startStdio(t, torn())
		c.ask(asking("2025-11-25", `"elicitation":{"form":{},"url":{}}`))
		c.send(request("1", "tools/call", vague))
		c.send(answerTo(c.next(), answer))
		if m := c.reply("1"); m.text() != "which?" || !m.Result.IsError {
			t.Errorf("%s: %s", name, m.raw)
		}
	}
	c := startStdio(t, torn())
	c.ask(asking("2025-11-25", `"elicitation":{}`))
	c.send(request("1", "tools/call", vague))
	c.send(`{"jsonrpc":"2.0","id":` + string(c.next().ID) + `,"error":{"code":-32601,"message":"no"}}`)
	if m := c.reply("1"); m.text() != "which?" {
		t.Error(m.raw)
	}
}

func TestAClientThatCannotAskGetsTheFailureAtOnce(t *testing.T) {
	for _, hello := range []string{
		initialize("2025-11-25"), asking("2025-11-25", `"elicitation":{"url":{}}`), asking("2025-03-26", `"elicitation":{}`), asking("2025-11-25", `"sampling":{}`),
	} {
		c := startStdio(t, torn())
		c.ask(hello)
		if m := c.ask(request("1", "tools/call", vague)); m.text() != "which?" || len(c.seen) != 0 {
			t.Errorf("%s, before it %v", m.raw, c.seen)
		}
	}
	c := startStdio(t, torn())
	if m := c.ask(request("1", "tools/call", `{"name":"echo",`+modernMeta+`}`)); m.text() != "which?" {
		t.Error(m.raw)
	}
	// The stream by which the question would come is one that the client does not take.
	w := startWeb(t, torn(), server.HTTPOptions{})
	s := w.hello("2025-11-25")
	s["Accept"] = "application/json"
	if _, raw := w.post(request("1", "tools/call", vague), s); decode(t, []byte(raw)).text() != "which?" {
		t.Error(raw)
	}
}

// hello opens a session of a client that can ask.
func (w *web) hello(version string) headers {
	w.t.Helper()
	res, raw := w.post(asking(version, `"elicitation":{}`), nil)
	if res.StatusCode != http.StatusOK {
		w.t.Fatalf("%d: %s", res.StatusCode, raw)
	}
	return headers{"Mcp-Session-Id": res.Header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": version}
}

func TestAPersonIsAskedOverHTTP(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		w := startWeb(t, torn(), server.HTTPOptions{})
		s := w.hello(version)
		stream := events(w.open(t.Context(), http.MethodPost, "/mcp", request("1", "tools/call", vague), s))
		q := decode(t, []byte(await(t, stream).data))
		w.post(answerTo(q, strings.Replace(chosenTwo, "two", "one", 1)), w.hello(version)) // of another session it answers nothing
		if res, raw := w.post(answerTo(q, chosenTwo), s); res.StatusCode != http.StatusAccepted {
			t.Errorf("%d %s", res.StatusCode, raw)
		}
		if m := decode(t, []byte(await(t, stream).data)); m.text() != madeOfTwo {
			t.Error(m.raw)
		}
	}
}

func TestAPersonIsAskedOverSSE(t *testing.T) {
	w := startWeb(t, torn(), server.HTTPOptions{})
	_, stream := w.listen(t.Context(), "/sse", nil)
	endpoint := await(t, stream).data
	w.do(http.MethodPost, endpoint, asking("2025-11-25", `"elicitation":{}`), nil)
	await(t, stream)
	w.do(http.MethodPost, endpoint, request("1", "tools/call", vague), nil)
	w.do(http.MethodPost, endpoint, answerTo(decode(t, []byte(await(t, stream).data)), chosenTwo), nil)
	if m := decode(t, []byte(await(t, stream).data)); m.text() != madeOfTwo {
		t.Error(m.raw)
	}
}

func TestNobodyWaitsForAPersonForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		virtual(t, torn(), func(send func(string), next func() message, _ func()) {
			send(asking("2025-11-25", `"elicitation":{}`))
			next()
			start := time.Now()
			send(request("1", "tools/call", strings.Replace(vague, `"name"`, `"_meta":{"progressToken":7},"name"`, 1)))
			q, seen := next(), 0
			m := next()
			for ; m.Method == "notifications/progress"; m = next() {
				seen++
			}
			if m.Method != "notifications/cancelled" || !strings.Contains(m.raw, `"requestId":`+string(q.ID)) || seen < 5 {
				t.Errorf("%s after %d notes", m.raw, seen)
			}
			if m := next(); m.text() != "which?" || time.Since(start) != 5*time.Minute {
				t.Errorf("after %v %s", time.Since(start), m.raw)
			}
		})
	})
}

func TestAServerThatEndsWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		virtual(t, torn(), func(send func(string), next func() message, stop func()) {
			send(asking("2025-11-25", `"elicitation":{}`))
			next()
			send(request("1", "tools/call", vague))
			next()
			start := time.Now()
			stop()
			if m := next(); m.Method != "notifications/cancelled" {
				t.Error(m.raw)
			}
			if m := next(); m.text() != "which?" || time.Since(start) != 0 {
				t.Errorf("after %v %s", time.Since(start), m.raw)
			}
		})
	})
}

func TestACallThatIsCancelledWaitsForNobody(t *testing.T) {
	c := startStdio(t, torn())
	c.ask(asking("2025-11-25", `"elicitation":{}`))
	c.send(request("1", "tools/call", vague))
	q := c.next()
	c.send(cancelled("1"))
	if m := c.next(); m.Method != "notifications/cancelled" {
		t.Error(m.raw)
	}
	c.send(answerTo(q, chosenTwo))
	if m := c.ask(request("2", "ping", "{}")); m.Result == nil || len(c.seen) != 0 {
		t.Errorf("%s, before it %v", m.raw, c.seen)
	}
	c.send(request("3", "tools/call", vague))
	c.next()
	c.in.Close() // nobody can answer any more
	if m := c.reply("3"); m.text() != "which?" {
		t.Error(m.raw)
	}
}

// round is a call of revision 2026-07-28 with more in its parameters.
func round(id, tool, arguments, more string) string {
	return request(id, "tools/call", `{"name":"`+tool+`","arguments":`+arguments+`,`+more+modernForm+`}`)
}

type asked struct {
	Result struct {
		Type     string `json:"resultType"`
		State    string `json:"requestState"`
		Requests map[string]struct {
			Method string
			Params json.RawMessage
		} `json:"inputRequests"`
	}
}

func askedOf(t *testing.T, raw string) asked {
	t.Helper()
	var a asked
	if err := json.Unmarshal([]byte(raw), &a); err != nil {
		t.Fatal(err)
	}
	if a.Result.Type != "input_required" || a.Result.State == "" || a.Result.Requests["choice"].Method != "elicitation/create" || strings.Contains(raw, "structuredContent") {
		t.Fatalf("nobody is asked: %s", raw)
	}
	return a
}

func answered(state, response string) string {
	return `"requestState":"` + state + `","inputResponses":{` + response + `},`
}

func TestAPersonIsAskedBetweenTwoRequests(t *testing.T) {
	w, c := startWeb(t, torn(), server.HTTPOptions{}), startStdio(t, torn())
	over := map[string]func(string) string{
		"http":  func(line string) string { _, raw := w.post(line, modern("tools/call", "echo")); return raw },
		"stdio": func(line string) string { return c.ask(line).raw },
	}
	for name, do := range over {
		first := do(round("1", "echo", `{"text":"a","n":1}`, ""))
		state := askedOf(t, first).Result.State
		if !strings.Contains(first, `"oneOf":[{"const":"PAY-1 (one)"`) {
			t.Errorf("%s: %s", name, first)
		}
		for arguments, response := range map[string]string{`{"text":"a","n":1}`: `"choice":` + chosenTwo, `{ "n":1, "text":"a" }`: `"x":{},"choice":` + chosenTwo} {
			if m := decode(t, []byte(do(round("2", "echo", arguments, answered(state, response))))); m.text() != madeOfTwo {
				t.Errorf("%s: %s", name, m.raw)
			}
		}
		for what, response := range map[string]string{
			"decline": `"choice":{"action":"decline"}`, "cancel": `"choice":{"action":"cancel"}`, "nothing": ``,
			"garbage": `"choice":5`, "another": `"choice":{"action":"accept","content":{"choice":"PAY-1 (three)"}}`, "another id": `"other":` + chosenTwo,
		} {
			if m := decode(t, []byte(do(round("3", "echo", `{"text":"a","n":1}`, answered(state, response))))); m.text() != "which?" || !m.Result.IsError {
				t.Errorf("%s, %s: %s", name, what, m.raw)
			}
		}
	}
}

func TestAStateOfAnotherCallOrAnotherHandMakesNoCall(t *testing.T) {
	c := startStdio(t, torn())
	state := askedOf(t, c.ask(round("1", "echo", `{"text":"a","n":1}`, "")).raw).Result.State
	body, mark, _ := strings.Cut(state, ".")
	foreign := askedOf(t, startStdio(t, torn()).ask(round("1", "echo", `{"text":"a","n":1}`, "")).raw).Result.State
	for name, line := range map[string]string{
		"other arguments":   round("2", "echo", `{"text":"b","n":1}`, answered(state, `"choice":`+chosenTwo)),
		"fewer arguments":   round("2", "echo", `{"text":"a"}`, answered(state, `"choice":`+chosenTwo)),
		"other tool":        round("2", "big", `{"text":"a","n":1}`, answered(state, `"choice":`+chosenTwo)),
		"other process":     round("2", "echo", `{"text":"a","n":1}`, answered(foreign, `"choice":`+chosenTwo)),
		"no mark":           round("2", "echo", `{"text":"a","n":1}`, answered(body, `"choice":`+chosenTwo)),
		"changed":           round("2", "echo", `{"text":"a","n":1}`, answered("A"+body+"."+mark, `"choice":`+chosenTwo)),
		"mark of its own":   round("2", "echo", `{"text":"a","n":1}`, answered(body+"."+body, `"choice":`+chosenTwo)),
		"not ours":          round("2", "echo", `{"text":"a","n":1}`, answered("confirm", `"choice":`+chosenTwo)),
		"without any state": round("2", "echo", `{"text":"a","n":1}`, `"inputResponses":{"choice":`+chosenTwo+`},`),
	} {
		raw := c.ask(line).raw
		if askedOf(t, raw); strings.Contains(raw, "made:") {
			t.Errorf("%s: %s", name, raw)
		}
	}
}

func TestAStateIsTooOldAfterFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		virtual(t, torn(), func(send func(string), next func() message, _ func()) {
			send(round("1", "echo", `{}`, ""))
			again := round("2", "echo", `{}`, answered(askedOf(t, next().raw).Result.State, `"choice":`+chosenTwo))
			time.Sleep(5*time.Minute - time.Second) // simulated: it takes no time
			send(again)
			if m := next(); m.text() != `made:{"source":"two"}` {
				t.Error(m.raw)
			}
			time.Sleep(time.Second)
			send(again)
			askedOf(t, next().raw)
		})
	})
}
