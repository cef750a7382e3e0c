package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/server"
)

// web is a client of frank over HTTP.
type web struct {
	t      *testing.T
	base   string
	client *http.Client
	more   http.Header // of every request
}

func served(t *testing.T, a *app.App) *web {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	addr, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		done <- a.Server.ListenHTTP(ctx, server.HTTPOptions{Addr: "127.0.0.1:0", Listening: func(x net.Addr) { addr <- x }})
	}()
	transport := &http.Transport{}
	w := &web{t: t, client: &http.Client{Transport: transport}, more: http.Header{}}
	select {
	case x := <-addr:
		w.base = "http://" + x.String()
	case err := <-done:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		transport.CloseIdleConnections()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *web) send(ctx context.Context, method, path, body string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, w.base+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header = w.more.Clone()
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodGet {
		r.Header.Set("Accept", "text/event-stream")
	}
	res, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

// post returns the answer, which over SSE comes on the stream.
func (w *web) post(path, body string) string {
	w.t.Helper()
	res := w.send(w.t.Context(), http.MethodPost, path, body)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		w.t.Fatalf("%d %s %v", res.StatusCode, raw, err)
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		w.more.Set("Mcp-Session-Id", id)
	}
	return string(raw)
}

// stream opens an event stream and hands on what comes.
func (w *web) stream(path string) *peer {
	w.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	res := w.send(ctx, http.MethodGet, path, "")
	p := &peer{w.t, nil, make(chan string, 100)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for s := bufio.NewScanner(res.Body); s.Scan(); {
			if data, ok := strings.CutPrefix(s.Text(), "data: "); ok {
				p.out <- data
			}
		}
	}()
	w.t.Cleanup(func() {
		stop()
		_ = res.Body.Close()
		<-ended
	})
	return p
}

// subscriber is a client that can be told of a change: it asks, and awaits.
type subscriber struct {
	ask    func(body string) // whose answer await gets
	listen *peer
}

// TestHTTPClientsAreToldOfTheEndOfAnEscalation over both transports, when another
// process makes it; what is not there is said so.
func TestHTTPClientsAreToldOfTheEndOfAnEscalation(t *testing.T) {
	for name, connect := range map[string]func(*web) subscriber{
		"streamable": func(w *web) subscriber {
			w.post("/mcp", hello)
			p := w.stream("/mcp")
			return subscriber{func(body string) { p.out <- w.post("/mcp", body) }, p}
		},
		"sse": func(w *web) subscriber {
			p := w.stream("/sse")
			at := p.await("/message")
			ask := func(body string) { w.post(at, body) }
			ask(hello)
			p.await(`"id":1`)
			return subscriber{ask, p}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "frank.db")
			c := connect(served(t, kept(t, guarded, path, nil)))
			c.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tracker_search","arguments":{"project":"acme/secret","query":"x"}}}`)
			var first struct {
				Result struct{ StructuredContent escalated }
			}
			if err := json.Unmarshal([]byte(c.listen.await(`"id":2`)), &first); err != nil {
				t.Fatal(err)
			}
			id := first.Result.StructuredContent.Failure.Evidence.ID
			uri := "frank://escalations/" + id
			c.ask(`{"jsonrpc":"2.0","id":3,"method":"resources/templates/list"}`)
			c.listen.await(`"id":3`, `"uriTemplate":"frank://escalations/{id}"`)
			c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":%q}}`, uri))
			c.listen.await(`"id":4`, `"result"`)
			person := kept(t, guarded, path, nil)
			if _, _, err := person.EndEscalation(t.Context(), id, app.EscalationAnswer{Outcome: app.EscalationResolved, Note: "Go on with acme/app."}); err != nil {
				t.Fatal(err)
			}
			c.listen.await(`"method":"notifications/resources/updated"`, uri)
			c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":%q}}`, uri))
			c.listen.await(`"id":5`, "Go on with acme/app.")
			for n, wrong := range []string{"frank://escalations/esc_aaaaaaaaaaaaaa", "frank://escalations/7", "frank://escalations/"} {
				c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":%q}}`, 7+n, wrong))
				c.listen.await(fmt.Sprintf(`"id":%d`, 7+n), `-32002`, `"message":"resource not found"`, wrong)
			}
		})
	}
}

// TestAModernClientListensToAnEscalation: from 2026-07-28 on a request of its own is
// the subscription.
func TestAModernClientListensToAnEscalation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frank.db")
	a := kept(t, guarded, path, nil)
	w := served(t, a)
	id := answerOf(t, a, "tracker_search", `{"project":"acme/secret","query":"x"}`).Failure.Evidence.ID
	uri := "frank://escalations/" + id
	w.more.Set("Mcp-Protocol-Version", "2026-07-28")
	w.more.Set("Mcp-Method", "subscriptions/listen")
	ctx, stop := context.WithCancel(context.Background())
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":[%q]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, uri)
	res := w.send(ctx, http.MethodPost, "/mcp", body)
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(res.Body); s.Scan(); {
			lines <- s.Text()
		}
	}()
	defer func() {
		stop()
		_ = res.Body.Close()
		for range lines {
		}
	}()
	await := func(part string) {
		t.Helper()
		for late := time.After(20 * time.Second); ; {
			select {
			case line, open := <-lines:
				if !open {
					t.Fatal("the stream ended")
				}
				if strings.Contains(line, part) {
					return
				}
			case <-late:
				t.Fatalf("no line with %q", part)
			}
		}
	}
	await("subscriptions/acknowledged")
	person := kept(t, guarded, path, nil)
	if _, _, err := person.EndEscalation(t.Context(), id, app.EscalationAnswer{Outcome: app.EscalationRejected, Note: "No."}); err != nil {
		t.Fatal(err)
	}
	await(uri)
}
