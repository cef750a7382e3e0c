package server_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/server"
)

// web is a server on loopback and a client of it.
type web struct {
	t      *testing.T
	base   string
	client *http.Client
	stop   context.CancelFunc
	done   chan error
}

func startWeb(t *testing.T, b *bench, o server.HTTPOptions) *web {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	addr := make(chan net.Addr, 1)
	o.Listening = func(a net.Addr) { addr <- a }
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	transport := &http.Transport{}
	w := &web{t: t, client: &http.Client{Transport: transport}, stop: stop, done: make(chan error, 1)}
	go func() { w.done <- b.server.ListenHTTP(ctx, o) }()
	w.base = "http://" + await(t, addr).String()
	t.Cleanup(func() {
		stop()
		transport.CloseIdleConnections()
		if err := await(t, w.done); err != nil {
			t.Error(err)
		}
	})
	return w
}

type headers map[string]string

// open sends a request and returns the response with its body unread.
func (w *web) open(ctx context.Context, method, path, body string, h headers) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, w.base+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for k, v := range h {
		r.Header.Set(k, v)
		if k == "Host" {
			r.Host = v
		}
	}
	res, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

// do sends a request and reads the whole response.
func (w *web) do(method, path, body string, h headers) (*http.Response, string) {
	w.t.Helper()
	res := w.open(w.t.Context(), method, path, body, h)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res, string(raw)
}

func (w *web) post(body string, h headers) (*http.Response, string) {
	w.t.Helper()
	return w.do(http.MethodPost, "/mcp", body, h)
}

// session initializes and returns the headers of its requests.
func (w *web) session() headers {
	w.t.Helper()
	res, raw := w.post(initialize("2025-11-25"), nil)
	if res.StatusCode != http.StatusOK || res.Header.Get("Mcp-Session-Id") == "" {
		w.t.Fatalf("%d: %s", res.StatusCode, raw)
	}
	return headers{"Mcp-Session-Id": res.Header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": "2025-11-25"}
}

func modern(method, name string) headers {
	h := headers{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method}
	if name != "" {
		h["Mcp-Name"] = name
	}
	return h
}

func modernCall(id, tool string) string {
	return request(id, "tools/call", `{"name":"`+tool+`","arguments":{},`+modernMeta+`}`)
}

type answer struct {
	status int
	body   string
}

// later posts in the background.
func (w *web) later(path, body string, h headers) <-chan answer {
	w.t.Helper()
	c := make(chan answer, 1)
	go func() {
		res, raw := w.do(http.MethodPost, path, body, h)
		c <- answer{res.StatusCode, raw}
	}()
	return c
}

// event is a server-sent event.
type event struct{ name, data string }

// listen reads a stream until it ends.
func (w *web) listen(ctx context.Context, path string, h headers) (*http.Response, <-chan event) {
	w.t.Helper()
	res := w.open(ctx, http.MethodGet, path, "", h)
	return res, events(res)
}

func events(res *http.Response) <-chan event {
	c := make(chan event, 100)
	go func() {
		defer close(c)
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 16<<20)
		var e event
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				e.name = value
			case "data":
				e.data = value
			case "":
				if e.name != "" {
					c <- e
				}
				e = event{}
			}
		}
	}()
	return c
}
