package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/server"
)

func TestSSEServesItsOwnRevisionsAndSaysSo(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{})
	_, stream := w.listen(t.Context(), "/sse", nil)
	first := await(t, stream)
	if first.name != "endpoint" || !strings.HasPrefix(first.data, "/message?sessionId=") {
		t.Fatalf("%+v", first)
	}
	ask := func(body string) message {
		t.Helper()
		if res, raw := w.do(http.MethodPost, first.data, body, nil); res.StatusCode != 202 {
			t.Fatalf("%d %s", res.StatusCode, raw)
		}
		return decode(t, []byte(await(t, stream).data))
	}
	if m := ask(initialize("2026-07-28")); m.Result == nil || m.Result.ProtocolVersion != "2025-11-25" {
		t.Error(m.raw)
	}
	for _, body := range []string{request("1", "server/discover", `{`+modernMeta+`}`), modernCall("2", "echo")} {
		m := ask(body)
		if m.code() != -32022 || strings.Contains(string(m.Error.Data), `"supported":["2026`) || !strings.Contains(string(m.Error.Data), `"2024-11-05"`) {
			t.Error(m.raw)
		}
	}
	if m := ask(call("3", "echo")); m.text() != "echo:{}" {
		t.Error(m.raw)
	}
	if res, _ := w.do(http.MethodPost, "/message?sessionId=no-such", call("4", "echo"), nil); res.StatusCode != 404 {
		t.Errorf("unknown session: %d", res.StatusCode)
	}
}

func TestSSEClientThatGoesAwayCancelsItsCallsAndOnlyThose(t *testing.T) {
	b := newBench(nil)
	w := startWeb(t, b, server.HTTPOptions{})
	ctx, leave := context.WithCancel(t.Context())
	_, mine := w.listen(ctx, "/sse", nil)
	_, other := w.listen(t.Context(), "/sse", nil)
	endpoint, otherEndpoint := await(t, mine).data, await(t, other).data
	w.do(http.MethodPost, endpoint, call("1", "block"), nil)
	w.do(http.MethodPost, otherEndpoint, call("1", "block"), nil)
	await(t, b.started)
	await(t, b.started)
	leave()
	await(t, b.stopped)
	for range mine {
		t.Error("an event after the client left")
	}
	close(b.release)
	if e := await(t, other); !strings.Contains(e.data, "block ended") {
		t.Errorf("%+v", e)
	}
	if len(b.stopped) != 0 {
		t.Error("the other client's call was stopped")
	}
}

func TestSSECancelIsTheClientsOwn(t *testing.T) {
	b := newBench(nil)
	w := startWeb(t, b, server.HTTPOptions{})
	_, mine := w.listen(t.Context(), "/sse", nil)
	_, other := w.listen(t.Context(), "/sse", nil)
	endpoint, otherEndpoint := await(t, mine).data, await(t, other).data
	w.do(http.MethodPost, endpoint, call("1", "block"), nil)
	await(t, b.started)
	w.do(http.MethodPost, otherEndpoint, cancelled("1"), nil)
	w.do(http.MethodPost, otherEndpoint, call("2", "echo"), nil)
	if e := await(t, other); !strings.Contains(e.data, "echo:") || len(b.stopped) != 0 {
		t.Errorf("%+v", e)
	}
	w.do(http.MethodPost, endpoint, cancelled("1"), nil)
	await(t, b.stopped)
}
