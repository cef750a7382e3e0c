package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/server"
)

func TestCancelOfAnotherClientLeavesTheCallAlone(t *testing.T) {
	b := newBench(nil)
	w := startWeb(t, b, server.HTTPOptions{})
	mine, other := w.session(), w.session()
	legacy := w.later("/mcp", call("1", "block"), mine)
	modernOne := w.later("/mcp", modernCall("1", "block"), modern("tools/call", "block"))
	await(t, b.started)
	await(t, b.started)
	modernCancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,` + modernMeta + `}}`
	for _, try := range []struct {
		body string
		h    headers
	}{{cancelled("1"), other}, {modernCancel, modern("notifications/cancelled", "")}, {cancelled("1"), headers{"Mcp-Protocol-Version": "2026-07-28"}}} {
		if res, raw := w.post(try.body, try.h); res.StatusCode != 202 {
			t.Errorf("%d %s", res.StatusCode, raw)
		}
	}
	select {
	case err := <-b.stopped:
		t.Fatalf("a call was cancelled by a stranger: %v", err)
	default:
	}
	close(b.release)
	for _, c := range []<-chan answer{legacy, modernOne} {
		if a := await(t, c); a.status != 200 || !strings.Contains(a.body, "block ended") {
			t.Errorf("%+v", a)
		}
	}
	if len(b.stopped) != 0 {
		t.Error("a call was cancelled by a stranger")
	}
}

func TestOwnCancelStopsTheCallOverHTTP(t *testing.T) {
	b := newBench(nil)
	w := startWeb(t, b, server.HTTPOptions{})
	s := w.session()
	c := w.later("/mcp", call("1", "block"), s)
	await(t, b.started)
	w.post(cancelled("1"), s)
	await(t, b.stopped)
	if a := await(t, c); a.status != 200 {
		t.Errorf("%+v", a)
	}
}

func TestClientOf20260728CancelsByGoingAway(t *testing.T) {
	b := newBench(nil)
	w := startWeb(t, b, server.HTTPOptions{})
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, w.base+"/mcp", strings.NewReader(modernCall("1", "block")))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
		for k, v := range modern("tools/call", "block") {
			r.Header.Set(k, v)
		}
		if res, err := w.client.Do(r); err == nil {
			res.Body.Close()
		}
	}()
	await(t, b.started)
	leave()
	await(t, b.stopped)
	<-gone
}

func TestHeadersOf20260728MustMatchTheBody(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{})
	for name, tc := range map[string]struct {
		body         string
		h            headers
		status, code int
	}{
		"right":                {modernCall("1", "echo"), modern("tools/call", "echo"), 200, 0},
		"no name":              {modernCall("1", "echo"), modern("tools/call", ""), 400, -32020},
		"other name":           {modernCall("1", "echo"), modern("tools/call", "big"), 400, -32020},
		"no method":            {modernCall("1", "echo"), headers{"Mcp-Protocol-Version": "2026-07-28"}, 400, -32020},
		"no version header":    {modernCall("1", "echo"), nil, 400, -32020},
		"no version in body":   {call("1", "echo"), modern("tools/call", "echo"), 400, -32602},
		"older in body":        {strings.Replace(modernCall("1", "echo"), "2026-07-28", "2025-11-25", 1), modern("tools/call", "echo"), 400, -32020},
		"unknown version":      {strings.Replace(modernCall("1", "echo"), "2026-07-28", "2099-01-01", 1), headers{"Mcp-Protocol-Version": "2099-01-01"}, 400, -32022},
		"no capabilities":      {request("1", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), modern("tools/list", ""), 400, -32602},
		"method of the past":   {request("1", "ping", `{`+modernMeta+`}`), modern("ping", ""), 404, -32601},
		"initialize":           {request("1", "initialize", `{`+modernMeta+`}`), modern("initialize", ""), 404, -32601},
		"batch":                {`[` + modernCall("1", "echo") + `]`, modern("tools/call", "echo"), 400, -32600},
		"response of a client": {`{"jsonrpc":"2.0","id":1,"result":{}}`, headers{"Mcp-Protocol-Version": "2026-07-28"}, 400, -32600},
	} {
		res, raw := w.post(tc.body, tc.h)
		if m := decode(t, []byte(raw)); res.StatusCode != tc.status || m.code() != tc.code || res.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: %d %s", name, res.StatusCode, raw)
		}
		if tc.status == 200 && !(strings.Contains(raw, `"resultType":"complete"`) && strings.Contains(raw, "io.modelcontextprotocol/serverInfo")) {
			t.Errorf("%s: what the revision wants in a result is missing: %s", name, raw)
		}
	}
}

func TestShutdownAnswersCallsInFlightOnEveryTransport(t *testing.T) {
	b := newBench(nil)
	w := startWeb(t, b, server.HTTPOptions{})
	s := w.session()
	_, idle := w.listen(t.Context(), "/mcp", s)
	_, old := w.listen(t.Context(), "/sse", nil)
	endpoint := await(t, old).data
	legacy := w.later("/mcp", call("1", "wait"), s)
	modernOne := w.later("/mcp", modernCall("2", "wait"), modern("tools/call", "wait"))
	w.do(http.MethodPost, endpoint, call("3", "wait"), nil)
	for range 3 {
		await(t, b.started)
	}
	w.stop()
	for range idle { // ends at once, though calls are still running
		t.Error("an event on the idle stream")
	}
	close(b.release)
	for _, c := range []<-chan answer{legacy, modernOne} {
		if a := await(t, c); a.status != 200 || !strings.Contains(a.body, "hang ended") {
			t.Errorf("%+v", a)
		}
	}
	if e := await(t, old); !strings.Contains(e.data, "hang ended") {
		t.Errorf("%+v", e)
	}
	if _, more := <-old; more {
		t.Error("the stream goes on")
	}
}

func TestShutdownTellsCallsThatDoNotEndToStop(t *testing.T) {
	b := newBench(nil)
	w := startWeb(t, b, server.HTTPOptions{})
	_, old := w.listen(t.Context(), "/sse", nil)
	w.do(http.MethodPost, await(t, old).data, call("1", "block"), nil)
	c := w.later("/mcp", call("2", "block"), w.session())
	await(t, b.started)
	await(t, b.started)
	w.stop()
	if a := await(t, c); !strings.Contains(a.body, "block ended") {
		t.Errorf("%+v", a)
	}
	if e := await(t, old); !strings.Contains(e.data, "block ended") {
		t.Errorf("%+v", e)
	}
}
