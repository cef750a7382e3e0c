package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/escalation"
)

const guarded = "sources: [{name: github, provider: github, auth: {token_env: T}}]\npolicy: {deny: [\"tracker.issue:read on acme/secret\"]}\nretry: {max_attempts: 1, cooldown: 1ns}\n"

// kept is a process over the file at path.
func kept(t *testing.T, yaml, path string, rt http.RoundTripper) *app.App {
	t.Helper()
	cfg, err := config.Parse("frank.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	host := config.SystemHost()
	host.LookupEnv = func(string) (string, bool) { return "t0ken-t0ken", true }
	a, err := app.New(cfg, app.Options{Version: "test", Transport: rt, Host: host, Journal: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	return a
}

type escalated struct {
	Status, Code string
	Failure      struct {
		Reason   string
		Evidence struct {
			ID string `json:"escalation_id"`
		}
	}
	Data struct {
		Item struct {
			ID, State, Trigger string
			Count              int
			Joined             bool
		}
	}
}

func answerOf(t *testing.T, a *app.App, tool, arguments string) escalated {
	t.Helper()
	r := a.Call(t.Context(), tool, json.RawMessage(arguments))
	var v escalated
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatal(err)
	}
	if id := v.Failure.Evidence.ID; id != "" && !strings.Contains(r.Text, id) {
		t.Errorf("the text lacks the id:\n%s", r.Text)
	}
	return v
}

func stored(t *testing.T, path, id string) app.EscalationRecord {
	t.Helper()
	e := app.OpenEscalations(path)
	defer e.Close()
	r, problem, err := e.Get(t.Context(), id)
	if err != nil || problem != "" {
		t.Fatalf("%s: %v %s", id, err, problem)
	}
	return r
}

// peer is a client at the other end of a stdio session.
type peer struct {
	t   *testing.T
	in  io.Writer
	out chan string
}

func session(t *testing.T, a *app.App) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- a.Server.ServeStdio(context.Background(), inR, outW) }()
	l := &peer{t, inW, make(chan string, 100)}
	go func() {
		for s := bufio.NewScanner(outR); s.Scan(); {
			l.out <- s.Text()
		}
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		_ = outW.Close()
	})
	return l
}

func (l *peer) send(line string) {
	l.t.Helper()
	if _, err := io.WriteString(l.in, line+"\n"); err != nil {
		l.t.Fatal(err)
	}
}

// await returns the next line that has all the parts.
func (l *peer) await(parts ...string) string {
	l.t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case line := <-l.out:
			fits := true
			for _, p := range parts {
				fits = fits && strings.Contains(line, p)
			}
			if fits {
				return line
			}
		case <-late:
			l.t.Fatalf("no line with %q", parts)
		}
	}
}

func TestAClientIsToldWhenAnotherProcessResolves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	a := kept(t, guarded, path, nil)
	c := session(t, a)
	c.send(hello)
	c.await(`"id":1`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tracker_search","arguments":{"project":"acme/secret","query":"x"}}}`)
	var first struct {
		Result struct{ StructuredContent escalated }
	}
	if err := json.Unmarshal([]byte(c.await(`"id":2`)), &first); err != nil {
		t.Fatal(err)
	}
	id := first.Result.StructuredContent.Failure.Evidence.ID
	uri := "frank://escalations/" + id
	c.send(`{"jsonrpc":"2.0","id":3,"method":"resources/templates/list"}`)
	c.await(`"id":3`, `"uriTemplate":"frank://escalations/{id}"`)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":%q}}`, uri))
	c.await(`"id":4`, `"result"`)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":%q}}`, uri))
	c.await(`"id":5`, `\"state\":\"open\"`)

	person := kept(t, guarded, path, nil)
	if _, _, err := person.EndEscalation(t.Context(), id, app.EscalationAnswer{Outcome: app.EscalationResolved, Note: "Go on with acme/app."}); err != nil {
		t.Fatal(err)
	}
	c.await(`"method":"notifications/resources/updated"`, uri)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":%q}}`, uri))
	c.await(`"id":6`, `\"state\":\"resolved\"`, "Go on with acme/app.")
	for n, wrong := range []string{"frank://escalations/esc_aaaaaaaaaaaaaa", "frank://escalations/7"} {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":%q}}`, 7+n, wrong))
		c.await(fmt.Sprintf(`"id":%d`, 7+n), `-32002`, wrong)
	}
}

func TestADependencyThatGoesOnFailingIsEscalatedOnceForAllQuestions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	var up atomic.Bool
	a := kept(t, guarded, path, roundTripper(func(r *http.Request) (*http.Response, error) {
		if !up.Load() {
			return nil, errors.New("down")
		}
		h := http.Header{"Content-Type": {"application/json"}, "X-Github-Request-Id": {"C0DE:1"}, "X-Oauth-Scopes": {"repo"}}
		body := `{"number":1,"title":"T","state":"open","html_url":"https://github.com/acme/app/issues/1","repository_url":"https://api.github.com/repos/acme/app"}`
		return &http.Response{StatusCode: 200, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
	}))
	get := func(n int) string {
		return answerOf(t, a, "tracker_get_issue", fmt.Sprintf(`{"ref":"acme/app#%d"}`, n)).Failure.Evidence.ID
	}
	if id := get(1) + get(1); id != "" {
		t.Errorf("escalated before its time: %s", id)
	}
	up.Store(true)
	get(1)
	up.Store(false)
	if id := get(1) + get(1); id != "" {
		t.Errorf("a success in between does not count: %s", id)
	}
	third, fourth := get(1), get(2)
	if third == "" || fourth != third {
		t.Fatalf("the third has %q, the fourth %q", third, fourth)
	}
	r := stored(t, path, third)
	if r.Trigger != "repeated_failure" || r.Count != 2 || r.OpenedBy != "server" || r.Failure.Reason != "network_error" || r.Failure.Fingerprint == "" {
		t.Errorf("%+v", r)
	}
	if n := len(r.Journal); n != 6 || r.Journal[2].Status != "success" || r.Journal[5].CallID != r.Failure.CallID {
		t.Errorf("%d actions: %+v", n, r.Journal)
	}
}

func TestAnAgentsEscalationCarriesTheLogOfItsSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	a := kept(t, guarded, path, nil)
	answerOf(t, a, "tracker_search", `{"limit":0}`)
	answerOf(t, a, "tracker_search", `{"project":"acme/secret","query":"x"}`)
	ask := `{"trigger":"ambiguous intent","question":"Which board?","context":"c","suggested_next_step":"s","confidence":1,"attempted":["I searched"]}`
	first, again := answerOf(t, a, "escalate", ask), answerOf(t, a, "escalate", ask)
	if first.Status != "success" || first.Data.Item.Joined || !again.Data.Item.Joined || again.Data.Item.ID != first.Data.Item.ID || again.Data.Item.Count != 2 {
		t.Errorf("%+v, then %+v", first, again)
	}
	r := stored(t, path, first.Data.Item.ID)
	if len(r.Journal) != 2 || r.Journal[0].Reason == "" || r.Journal[1].Reason != "policy_denied" || r.Failure == nil || r.Failure.Reason != "policy_denied" {
		t.Errorf("%+v, %+v", r.Journal, r.Failure)
	}
	if r.OpenedBy != "agent" || r.Kind != "soft" || len(r.Attempted) != 1 || r.NextStep == nil || !r.NextStep.Hypothesis || *r.Confidence != 1 {
		t.Errorf("%+v", r)
	}
}

func TestAStoreThatCannotBeUsedLeavesTheAnswerWithoutAnId(t *testing.T) {
	a := kept(t, guarded, t.TempDir(), nil) // a directory in the place of the file
	v := answerOf(t, a, "tracker_search", `{"project":"acme/secret","query":"x"}`)
	if v.Failure.Reason != "policy_denied" || v.Failure.Evidence.ID != "" {
		t.Errorf("%+v", v)
	}
	if v := answerOf(t, a, "get_escalation", `{"id":"esc_aaaaaaaaaaaaaa"}`); v.Status != "access_failure" || v.Failure.Reason != "corrupt" {
		t.Errorf("what cannot be read proves nothing: %+v", v)
	}
	ask := `{"trigger":"ambiguous_intent","question":"q","context":"c","suggested_next_step":"s","confidence":1}`
	v = answerOf(t, a, "escalate", ask)
	if v.Status != "partial" || v.Failure.Reason != "corrupt" || v.Data.Item.ID == "" {
		t.Errorf("what nobody can see is no success: %+v", v)
	}
	if v := answerOf(t, a, "get_escalation", `{"id":"`+v.Data.Item.ID+`"}`); v.Data.Item.State != "open" {
		t.Errorf("what is in memory can be read: %+v", v)
	}
}

func TestAnEscalationThatMayHaveBeenInADamagedFileIsNotAbsent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	a := kept(t, guarded, path, nil)
	id := answerOf(t, a, "tracker_search", `{"project":"acme/secret","query":"x"}`).Failure.Evidence.ID
	if v := answerOf(t, a, "get_escalation", `{"id":"`+id+`"}`); v.Data.Item.State != "open" {
		t.Fatalf("%+v", v)
	}
	if err := a.Deps.Journal.Flush(t.Context()); err != nil { // nobody is at the file any more
		t.Fatal(err)
	}
	if err := a.Store.Close(); err != nil { // as a new process would find it
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database. ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := answerOf(t, a, "get_escalation", `{"id":"`+id+`"}`); v.Status != "access_failure" || v.Failure.Reason != "corrupt" {
		t.Errorf("%+v", v)
	}
}

func TestAnAgentIsToldThatPeopleHaveEnoughToDo(t *testing.T) {
	a := kept(t, guarded, "", nil)
	for n := range 1000 {
		if _, err := a.Deps.Escalations.Open(t.Context(), escalation.Opening{Trigger: escalation.AmbiguousIntent, Question: fmt.Sprint(n)}); err != nil {
			t.Fatal(err)
		}
	}
	v := answerOf(t, a, "escalate", `{"trigger":"ambiguous_intent","question":"q","context":"c","suggested_next_step":"s","confidence":1}`)
	if v.Status != "access_failure" || v.Code != "CAPABILITY_UNAVAILABLE" || v.Failure.Reason != "operation_unsupported" {
		t.Errorf("%+v", v)
	}
	if v := answerOf(t, a, "tracker_search", `{"project":"acme/secret","query":"x"}`); v.Failure.Reason != "policy_denied" || v.Failure.Evidence.ID != "" {
		t.Errorf("a call goes on without an escalation: %+v", v)
	}
}
