// Package contracttest is the suite that every provider passes through the public
// tools: its catalogue cases, and for each operation what no case lists — every
// status, foreign media, cut and wrong bodies, broken connections, failing pages,
// cancellation. None of it may ever be told as empty or success, be a protocol
// error, or carry the credential or the body.
//
// It is imported by tests only. A provider's external test package calls [Run]
// once; a test in internal/app fails for a listed provider that does not.
package contracttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/replay"
	"github.com/frank-mcp/frank/server"
	"github.com/frank-mcp/frank/tools"
)

// Token is the credential that every token_env of a test configuration yields.
const Token = "tok0SECRET0tok0SECRET0tok0SECRET0tok0"

// Noon is when every case begins.
var Noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// Suite is what a provider brings to the contract.
type Suite struct {
	// Config is frank.yaml with the one source that the sweep asks, and the cases
	// that bring none. A "{dir}" in it is the directory of a case's files.
	Config string
	// Files are laid out in the directory of Config, by slash-separated path.
	Files map[string]string
	// Calls holds at least one call for every operation that the provider serves.
	Calls []replay.Call
	// Situations names the case that fills each situation, without its suffix, and
	// Without says why no case fills one.
	Situations, Without map[Situation]string
	// Sweep is false for a provider that speaks no HTTP.
	Sweep bool
}

// Run checks the provider: every case under testdata, that each operation is
// among the calls and heeds a cancelled context, and, if it speaks HTTP, the sweep and what
// it costs to find out what a call lacks.
func Run(t *testing.T, p connectors.Provider, s Suite) {
	t.Run("cases", func(t *testing.T) {
		replay.Each(t, filepath.Join("testdata", "*.txtar"), func(t *testing.T, c replay.Case) {
			if c.Config == "" {
				c.Config = s.Config
			}
			Case(t, c)
		})
	})
	t.Run("situations", func(t *testing.T) { fill(t, s) })
	t.Run("operations", func(t *testing.T) { operations(t, p, s) })
	t.Run("cancelled before", func(t *testing.T) { cancelledBefore(t, p, s) })
	if !s.Sweep {
		return
	}
	t.Run("sweep", func(t *testing.T) { sweep(t, s) })
	t.Run("lacking", func(t *testing.T) { lacking(t, p, s) })
	t.Run("broken", func(t *testing.T) { broken(t, s) })
	if slices.Contains(p.Capabilities, connectors.IssueWrite) {
		t.Run("changes", func(t *testing.T) { changes(t, s) })
	}
	t.Run("cancelled", func(t *testing.T) { cancelled(t, s) })
}

// Case asks a case's calls one after the other, through the seal, and compares
// each answer. An argument "next" is the cursor of the call before. Time is
// simulated, so that waiting costs none.
func Case(t *testing.T, c replay.Case) {
	Ask(t, c, func(t *testing.T, i int, r server.Reply) {
		for _, problem := range c.Wants[i].Check(r.Structured) {
			t.Errorf("call %d (%s): %s", i+1, c.Calls[i].Tool, problem)
		}
		if t.Failed() {
			t.Logf("call %d answered:\n%s", i+1, r.Text)
		}
	})
}

// Ask puts a case's calls and hands on each answer, which is sound. It does so
// twice, each time over fresh files: the second time an allow-list of everything
// stands in front, which must change nothing, so that no item is without the
// container it is judged by.
func Ask(t *testing.T, c replay.Case, answered func(*testing.T, int, server.Reply)) {
	ask(t, c, false, answered)
	if !t.Failed() && !strings.Contains(c.Config, "only:") {
		ask(t, c, true, answered)
	}
}

func ask(t *testing.T, c replay.Case, listed bool, answered func(*testing.T, int, server.Reply)) {
	t.Helper()
	dir := c.Lay(t)
	c.Config = strings.ReplaceAll(c.Config, "{dir}", dir)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(Noon)) // simulated: it takes no time
		var logs bytes.Buffer
		rt := replay.Transport(t, c.Exchanges)
		a := open(t, c.Config, listed, rt, &logs)
		cursor := ""
		for i, call := range c.Calls {
			arguments := bytes.ReplaceAll(call.Arguments, []byte(`"next"`), []byte(strconv.Quote(cursor)))
			r := a.Call(t.Context(), call.Tool, arguments)
			Sound(t, r)
			answered(t, i, r)
			cursor = next(r)
		}
		for _, problem := range c.Left(t, dir) {
			t.Errorf("after the calls %s", problem)
		}
		if bytes.Contains(logs.Bytes(), []byte(Token)) {
			t.Error("the log holds the credential")
		}
	})
}

func next(r server.Reply) string {
	var v struct {
		Coverage struct {
			Next string `json:"next_cursor"`
		} `json:"coverage"`
	}
	if json.Unmarshal(r.Structured, &v) != nil {
		return ""
	}
	return v.Coverage.Next
}

// open wires frank over a transport. Every variable of the environment holds
// [Token], except those named MISSING…, which are not set, and BLANK…, which are
// empty.
func open(t testing.TB, yaml string, listed bool, rt http.RoundTripper, logs *bytes.Buffer) *app.App {
	t.Helper()
	cfg, err := config.Parse("frank.yaml", []byte(yaml))
	if err != nil {
		t.Fatalf("configuration: %v", err)
	}
	for i := range cfg.Sources {
		if listed {
			cfg.Sources[i].Only = []string{"**"}
		}
	}
	if listed && cfg.Policy.Allow == nil {
		cfg.Policy.Allow = []string{"* on **"}
	}
	host := config.SystemHost()
	host.LookupEnv = func(name string) (string, bool) {
		switch {
		case strings.HasPrefix(name, "MISSING"):
			return "", false
		case strings.HasPrefix(name, "BLANK"):
			return "", true
		case strings.HasPrefix(name, "MANGLED"):
			return "${" + Token + "}", true
		default:
			return Token, true
		}
	}
	host.Now = time.Now
	a, err := app.New(cfg, app.Options{
		Version: "test", Transport: rt, Host: host, Now: time.Now,
		Log: slog.New(slog.NewJSONHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatalf("wiring: %v", err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return a
}

// operations fails for a tool of the provider's kinds that no call of the suite uses.
func operations(t *testing.T, p connectors.Provider, s Suite) {
	prefix := map[connectors.Kind]string{connectors.KindTracker: "tracker_", connectors.KindRepo: "repo_", connectors.KindDocs: "docs_"}
	for _, tool := range tools.All() {
		name := tool.Spec().Name
		for _, k := range p.Kinds {
			if !strings.HasPrefix(name, prefix[k]) || !slices.Contains(p.Capabilities, tool.Spec().Needs) {
				continue
			}
			used := false
			for _, c := range s.Calls {
				used = used || c.Tool == name
			}
			if !used {
				t.Errorf("no call of the suite uses %s", name)
			}
		}
	}
}

// cancelledBefore makes each call, and one of every further tool that the provider's
// kinds serve, with a context
// that is over: nothing is sent, and nothing was looked at, whatever lies on this machine.
func cancelledBefore(t *testing.T, p connectors.Provider, s Suite) {
	c := replay.Case{Files: s.Files}
	config := strings.ReplaceAll(s.Config, "{dir}", c.Lay(t))
	calls := s.Calls
	for _, tool := range tools.All() {
		name, kind := tool.Spec().Name, tool.Spec().Kind
		if kind != "" && !slices.Contains(p.Kinds, kind) { // it has no source to ask
			continue
		}
		if !slices.ContainsFunc(calls, func(c replay.Call) bool { return c.Tool == name }) {
			calls = append(calls, replay.Call{Tool: name, Arguments: required(name)})
		}
	}
	for _, call := range calls {
		t.Run(call.Tool, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			r := open(t, config, false, roundTripper(func(r *http.Request) (*http.Response, error) {
				t.Errorf("a call that was cancelled before sends %s %s", r.Method, r.URL)
				return nil, errors.New("nobody waits for the answer")
			}), new(bytes.Buffer)).Call(ctx, call.Tool, call.Arguments)
			Sound(t, r)
			if v := verdict(t, r); v.Status != "access_failure" || v.Failure.Reason != "cancelled" {
				t.Errorf("a call that was cancelled before answers %s/%s/%s", v.Status, v.Code, v.Failure.Reason)
			}
		})
	}
}

// required are arguments for a tool that belongs to no kind of provider.
func required(tool string) json.RawMessage {
	switch tool {
	case "resolve_reference":
		return json.RawMessage(`{"reference":"a.md"}`)
	case "tracker_create_issue":
		return json.RawMessage(`{"project":"a","title":"b"}`)
	case "tracker_update_issue":
		return json.RawMessage(`{"ref":"#1","state":"closed"}`)
	case "tracker_add_comment":
		return json.RawMessage(`{"ref":"#1","body":"b"}`)
	case "escalate":
		return json.RawMessage(`{"trigger":"ambiguous_intent","question":"q","context":"c","suggested_next_step":"s","confidence":0.5}`)
	case "get_escalation":
		return json.RawMessage(`{"id":"esc_aaaaaaaaaaaaaa"}`)
	}
	return json.RawMessage(`{}`)
}

func cancelled(t *testing.T, s Suite) {
	for _, call := range s.Calls {
		t.Run(call.Tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				started := make(chan struct{}, 64)
				a := open(t, s.Config, false, roundTripper(func(r *http.Request) (*http.Response, error) {
					started <- struct{}{}
					<-r.Context().Done()
					return nil, r.Context().Err()
				}), new(bytes.Buffer))
				ended := make(chan struct{})
				go func() {
					select {
					case <-started:
						cancel()
					case <-ended:
					}
				}()
				r := a.Call(ctx, call.Tool, call.Arguments)
				close(ended)
				Sound(t, r)
				if v := verdict(t, r); v.Status != "access_failure" || v.Failure.Reason != "cancelled" {
					t.Errorf("a cancelled call answers %s/%s/%s", v.Status, v.Code, v.Failure.Reason)
				}
			})
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
