package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// TestAWholeResultOfEachStatusIsGolden over stdio: both channels and _meta.
func TestAWholeResultOfEachStatusIsGolden(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.md", "b.md"} {
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, []byte("# Doc "+name+"\n\nA needle.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	cfg := "sources:\n  - {name: here, provider: local, root: " + root + "}\n  - {name: gone, provider: local, root: " + root + "/gone}\n"
	for name, arguments := range map[string]string{
		"success":              `{"query":"needle","source":"here"}`,
		"empty":                `{"query":"haystack","source":"here"}`,
		"partial-more":         `{"query":"needle","source":"here","limit":1}`,
		"partial-failure":      `{"query":"needle"}`,
		"access-failure":       `{"query":"needle","source":"gone"}`,
		"access-failure-input": `{"source":"nowhere","limit":1e1000000,"extra":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			replies := talk(t, cfg, hello, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"docs_search","arguments":`+arguments+
				`,"_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}`)
			golden(t, "result-"+name+".json", steady(replies[len(replies)-1], root))
		})
	}
}

var changing = regexp.MustCompile(`(\\?"(?:call_id|span_id|correlationId|dependency_fingerprint|fingerprint|next_cursor|revision)\\?":\s*\\?")[^"\\]+`)

// steady replaces what differs from run to run.
func steady(reply json.RawMessage, root string) json.RawMessage {
	reply = bytes.ReplaceAll(reply, []byte(root), []byte("ROOT"))
	return changing.ReplaceAll(reply, []byte("$1…"))
}

// TestEveryFailureTellsHostsThatReadMeta its class, whose move it is and what to do.
func TestEveryFailureTellsHostsThatReadMeta(t *testing.T) {
	replies := talk(t, "sources: []\n", hello, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tracker_search","arguments":{"query":"x"}}}`)
	var v struct {
		Result struct {
			Meta map[string]struct {
				Class, Code, CorrelationID, AgentGuidance string
				Retryable                                 *bool
			} `json:"_meta"`
			Structured struct {
				Code  string
				Trace struct {
					ID string `json:"call_id"`
				}
			} `json:"structuredContent"`
		}
	}
	if err := json.Unmarshal(replies[len(replies)-1], &v); err != nil {
		t.Fatal(err)
	}
	m := v.Result.Meta["io.modelcontextprotocol/toolFailure"]
	if m.Class != "capability" || m.Code != v.Result.Structured.Code || m.Retryable == nil || m.CorrelationID == "" || m.CorrelationID != v.Result.Structured.Trace.ID || m.AgentGuidance == "" {
		t.Errorf("%+v of %+v", m, v.Result.Structured)
	}
}

// TestAFailureIsLoggedOnceWithItsFieldsAndWithoutArguments.
func TestAFailureIsLoggedOnceWithItsFieldsAndWithoutArguments(t *testing.T) {
	var logs bytes.Buffer
	a, err := app.New(&config.Config{}, app.Options{Version: "test", Log: slog.New(slog.NewJSONHandler(&logs, nil))})
	if err != nil {
		t.Fatal(err)
	}
	a.Call(t.Context(), "tracker_search", json.RawMessage(`{"query":"hunter2","project":"hunter/two"}`))
	var records []map[string]any
	for line := range strings.Lines(logs.String()) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	if len(records) != 1 || strings.Contains(logs.String(), "hunter") {
		t.Fatalf("%s", logs.String())
	}
	for key, want := range map[string]string{"tool": "tracker_search", "stage": "resolve", "reason": "connector_not_configured", "code": "CAPABILITY_UNAVAILABLE", "outcome": "access_failure"} {
		if records[0][key] != want {
			t.Errorf("%s is %v, want %s", key, records[0][key], want)
		}
	}
	for _, key := range []string{"time", "call_id", "attempts", "endpoint", "fingerprint", "trace_id"} {
		if _, ok := records[0][key]; !ok {
			t.Errorf("%s is missing", key)
		}
	}
}

// TestAProbeThatChangesAStateIsTold to whoever subscribed to the manifest, and to
// everybody as a changed list of tools.
func TestAProbeThatChangesAStateIsTold(t *testing.T) {
	for _, subscribed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			code := 401
			a := configured(t, "sources: [{name: github, provider: github, auth: {token_env: T}}]\nretry: {max_attempts: 1}", roundTripper(func(r *http.Request) (*http.Response, error) {
				body := `{"message":"Bad credentials","login":"ada"}`
				h := http.Header{"Content-Type": {"application/json"}, "X-Github-Request-Id": {"A:1"}, "X-Oauth-Scopes": {"repo"}, "X-Ratelimit-Limit": {"5000"}}
				return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
			}))
			in, write := io.Pipe()
			out := new(lines)
			served := make(chan error, 1)
			go func() { served <- a.Server.ServeStdio(t.Context(), in, out) }()
			say := func(line string) string {
				out.reset()
				if _, err := io.WriteString(write, line+"\n"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second) // simulated
				synctest.Wait()
				return out.text()
			}
			say(hello)
			if subscribed {
				say(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"frank://capabilities"}}`)
			}
			probe := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_capabilities","arguments":{"refresh":true}}}`
			say(probe)
			same := say(probe)
			code = 200
			changed := say(probe)
			if told(same) != "" {
				t.Errorf("the same state was told as changed: %s", told(same))
			}
			want := "notifications/tools/list_changed"
			if subscribed {
				want = "notifications/resources/updated " + want
			}
			if got := told(changed); got != want {
				t.Errorf("subscribed %t: told %q, want %q\n%s", subscribed, got, want, changed)
			}
			if err := write.Close(); err != nil {
				t.Fatal(err)
			}
			if err := <-served; err != nil {
				t.Fatal(err)
			}
		})
	}
}

// told lists the notifications in what a server wrote, in the order of their names.
func told(output string) string {
	var methods []string
	for line := range strings.Lines(output) {
		var m struct{ Method string }
		if json.Unmarshal([]byte(line), &m) == nil && m.Method != "" {
			methods = append(methods, m.Method)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, " ")
}

// lines collects what is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *lines) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset()
}
