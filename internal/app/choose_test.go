package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/server"
)

// noted is issueSeven that notes what was sent to it.
type noted struct {
	issueSeven
	mu   sync.Mutex
	sent []string
}

func (n *noted) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	n.sent = append(n.sent, r.Method+" "+r.URL.Path)
	n.mu.Unlock()
	return n.issueSeven.RoundTrip(r)
}

func (n *noted) count(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Count(strings.Join(n.sent, "\n")+"\n", what)
}

const twoDefaults = `sources:
  - {name: app, provider: github, default_project: acme/app, auth: {token_env: T}}
  - {name: web, provider: github, default_project: acme/web, auth: {token_env: T}}
writes: true
retry: {max_attempts: 1}
`

// person is a client whose user chooses, over stdio.
type person struct {
	t      *testing.T
	in     io.Writer
	out    *json.Decoder
	modern bool
	choice string // the value that is accepted; empty to decline
	form   string // the last question
}

func meet(t *testing.T, a *app.App, modern bool) *person {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- a.Server.ServeStdio(t.Context(), inR, outW); outW.Close() }()
	t.Cleanup(func() {
		inW.Close()
		_, _ = io.Copy(io.Discard, outR)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	p := &person{t: t, in: inW, out: json.NewDecoder(outR), modern: modern}
	if !modern {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"test","version":"1"}}}`)
		p.next()
	}
	return p
}

func (p *person) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

type spoken struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result struct {
		Type       string          `json:"resultType"`
		State      string          `json:"requestState"`
		Requests   json.RawMessage `json:"inputRequests"`
		Content    []struct{ Text string }
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool
	}
}

func (p *person) next() spoken {
	p.t.Helper()
	for {
		var m spoken
		if err := p.out.Decode(&m); err != nil {
			p.t.Fatal(err)
		}
		if !strings.HasPrefix(m.Method, "notifications/") {
			return m
		}
	}
}

// call makes a call and answers what is asked meanwhile.
func (p *person) call(tool, arguments string) (server.Reply, verdict) {
	p.t.Helper()
	answer := `{"action":"decline"}`
	if p.choice != "" {
		answer = `{"action":"accept","content":{"choice":"` + p.choice + `"}}`
	}
	params := `{"name":"` + tool + `","arguments":` + arguments
	if p.modern {
		params += `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	}
	p.form = ""
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + params + `}}`)
	m := p.next()
	if m.Method == "elicitation/create" {
		p.form = string(m.Params)
		p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + answer + `}`)
		m = p.next()
	}
	if m.Result.Type == "input_required" {
		p.form = string(m.Result.Requests)
		p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":` + params + `,"requestState":"` + m.Result.State + `","inputResponses":{"choice":` + answer + `}}}`)
		m = p.next()
	}
	if len(m.Result.Content) != 1 {
		p.t.Fatalf("no result: %+v", m)
	}
	r := server.Reply{Text: m.Result.Content[0].Text, Structured: m.Result.Structured, IsError: m.Result.IsError}
	contracttest.Sound(p.t, r)
	var v verdict
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		p.t.Fatal(err)
	}
	return r, v
}

// bothWays runs a test with a client of before 2026-07-28 and one of then.
func bothWays(t *testing.T, yaml string, test func(*testing.T, *person, *noted)) {
	for name, modern := range map[string]bool{"2025-11-25": false, "2026-07-28": true} {
		t.Run(name, func(t *testing.T) {
			hub := &noted{}
			test(t, meet(t, kept(t, yaml, filepath.Join(t.TempDir(), "j.db"), hub), modern), hub)
		})
	}
}

func TestWhatAPersonChoosesIsRead(t *testing.T) {
	bothWays(t, twoDefaults, func(t *testing.T, p *person, hub *noted) {
		p.choice = "acme/web#7 (web)"
		r, v := p.call("tracker_get_issue", `{"ref":"#7"}`)
		if v.Status != "success" || !strings.Contains(r.Text, "Found issue acme/web#7 in web.") || !strings.Contains(string(r.Structured), `"recovered":[{"reason":"ambiguous_target","attempt":1,`) {
			t.Errorf("%s", r.Structured)
		}
		if !strings.Contains(p.form, "tracker_get_issue: #7 fits several objects. Which one is meant?") || !strings.Contains(p.form, `"title":"acme/app#7 (app): T"`) {
			t.Error(p.form)
		}
		if app, web := hub.count("GET /repos/acme/app/issues/7\n"), hub.count("GET /repos/acme/web/issues/7\n"); app != 1 || web != 2 {
			t.Errorf("%d and %d requests: %v", app, web, hub.sent)
		}
		if r, v := p.call("tracker_get_issue", `{"ref":"#7","source":"app"}`); v.Status != "success" || p.form != "" {
			t.Errorf("a call that says what it means was asked about: %s", r.Text)
		}
	})
}

func TestWhoChoosesNothingGetsTheCandidates(t *testing.T) {
	bothWays(t, twoDefaults, func(t *testing.T, p *person, hub *noted) {
		for _, p.choice = range []string{"", "acme/app#8 (app)"} {
			r, v := p.call("tracker_add_comment", `{"ref":"#7","body":"B"}`)
			if v.Failure.Reason != "ambiguous_target" || !strings.Contains(r.Text, "Candidate 2: tracker_add_comment ref=acme/web#7 body=B source=web\n") || p.form == "" || hub.count("POST") != 0 {
				t.Errorf("%s", r.Text)
			}
		}
	})
}

func TestWhatAPersonChoosesIsChangedOnce(t *testing.T) {
	bothWays(t, twoDefaults, func(t *testing.T, p *person, hub *noted) {
		p.choice = "acme/web#7 (web)"
		for _, replayed := range []bool{false, true} {
			r, v := p.call("tracker_add_comment", `{"ref":"#7","body":"B"}`)
			if v.Status != "success" || strings.Contains(string(r.Structured), `"replayed":true`) != replayed || !strings.Contains(p.form, "will be changed") {
				t.Errorf("%s\n%s", r.Structured, p.form)
			}
		}
		if r, _ := p.call("tracker_add_comment", `{"ref":"acme/web#7","source":"web","body":"B"}`); !strings.Contains(string(r.Structured), `"replayed":true`) {
			t.Errorf("the change has another key than the same call without a choice: %s", r.Structured)
		}
		if posts := hub.count("POST"); posts != 1 || hub.count("POST /repos/acme/web/issues/7/comments") != 1 {
			t.Errorf("%v", hub.sent)
		}
	})
}

func TestAChoiceOpensNothingThatPolicyCloses(t *testing.T) {
	bothWays(t, twoDefaults+"policy: {deny: [\"tracker.issue:write on acme/web\"]}\n", func(t *testing.T, p *person, hub *noted) {
		p.choice = "acme/web#7 (web)"
		if r, v := p.call("tracker_update_issue", `{"ref":"#7","state":"closed"}`); v.Failure.Reason != "policy_denied" || hub.count("PATCH") != 0 {
			t.Errorf("%s", r.Text)
		}
	})
	bothWays(t, strings.Replace(twoDefaults, "writes: true", "writes: false", 1), func(t *testing.T, p *person, hub *noted) {
		p.choice = "acme/web#7 (web)"
		if r, v := p.call("tracker_add_comment", `{"ref":"#7","body":"B"}`); v.Failure.Reason != "connector_disabled" || p.form != "" || hub.count("POST") != 0 {
			t.Errorf("%s", r.Text)
		}
	})
}

func TestWhatAReferenceMeansIsChosen(t *testing.T) {
	bothWays(t, twoDefaults, func(t *testing.T, p *person, _ *noted) {
		p.choice = "acme/web#7 (web)"
		r, v := p.call("resolve_reference", `{"reference":"#7"}`)
		if v.Status != "success" || !strings.Contains(string(r.Structured), `"tool":"tracker_get_issue","arguments":{"ref":"acme/web#7","source":"web"}`) {
			t.Errorf("%s\n%s", r.Structured, p.form)
		}
	})
}
