package server_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/server"
)

func TestStrangersPagesAreRefusedOnEveryPath(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{Origins: []string{"https://ide.example"}})
	port := w.base[strings.LastIndex(w.base, ":")+1:]
	for origin, want := range map[string]bool{
		"https://evil.example": false, "null": false, "http://localhost:1": false, "http://127.0.0.1.evil.example:" + port: false,
		"https://ide.example.evil": false, "file://localhost:" + port: false, "http://evil.example:" + port: false,
		"http://localhost:" + port: true, "http://127.0.0.1:" + port: true, "http://[::1]:" + port: true, "https://ide.example": true, "": true,
	} {
		h := headers{"Origin": origin}
		if origin == "" {
			h = nil
		}
		for _, path := range []string{"/mcp", "/message"} {
			res, raw := w.do(http.MethodPost, path, initialize("2025-11-25"), h)
			if (res.StatusCode != http.StatusForbidden) != want {
				t.Errorf("%s on %s: %d %s", origin, path, res.StatusCode, raw)
			}
			allowed := res.Header.Get("Access-Control-Allow-Origin")
			if allowed == "*" || !want && allowed != "" || want && allowed != origin {
				t.Errorf("%s on %s: Access-Control-Allow-Origin: %s", origin, path, allowed)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		res := w.open(ctx, http.MethodGet, "/sse", "", h)
		if (res.StatusCode == http.StatusOK) != want || res.Header.Get("Access-Control-Allow-Origin") == "*" {
			t.Errorf("%s on /sse: %d", origin, res.StatusCode)
		}
		cancel()
		res.Body.Close()
	}
}

func TestPreflightIsAnsweredForAllowedPagesOnly(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{Origins: []string{"https://ide.example"}, Token: "t"})
	if res, _ := w.do(http.MethodOptions, "/mcp", "", headers{"Origin": "https://ide.example"}); res.StatusCode != 204 || !strings.Contains(res.Header.Get("Access-Control-Allow-Headers"), "Mcp-Session-Id") {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if res, _ := w.do(http.MethodOptions, "/mcp", "", headers{"Origin": "https://evil.example"}); res.StatusCode != 403 || res.Header.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

func TestReboundHostIsRefused(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{Hosts: []string{"proxy.example"}})
	for host, want := range map[string]int{
		"evil.example": 403, "127.0.0.1.evil.example": 403, "": 200, "localhost": 200, "LOCALHOST:99": 200, "[::1]:7": 200,
		"proxy.example": 200, "proxy.example:8080": 200,
	} {
		h := headers{"Host": host}
		if host == "" {
			h = nil
		}
		if res, raw := w.post(initialize("2025-11-25"), h); res.StatusCode != want {
			t.Errorf("%q: %d %s", host, res.StatusCode, raw)
		}
	}
}

func TestOnlyJSONIsTaken(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{})
	for _, path := range []string{"/mcp", "/message"} {
		for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"} {
			if res, raw := w.do(http.MethodPost, path, initialize("2025-11-25"), headers{"Content-Type": media}); res.StatusCode != 415 {
				t.Errorf("%s %q: %d %s", path, media, res.StatusCode, raw)
			}
		}
	}
	if res, raw := w.post(initialize("2025-11-25"), headers{"Content-Type": "application/json; charset=utf-8"}); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, raw)
	}
}

func TestBodyOverTheLimitIsRefusedClearly(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{})
	huge := `{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"` + strings.Repeat("x", 8<<20) + `"}}`
	for _, path := range []string{"/mcp", "/message?sessionId=x"} {
		res, raw := w.do(http.MethodPost, path, huge, nil)
		if m := decode(t, []byte(raw)); res.StatusCode != 413 || string(m.ID) != "3" || !strings.Contains(m.Error.Message, "4194304 bytes") {
			t.Errorf("%s: %d %s", path, res.StatusCode, raw)
		}
	}
	if res, _ := w.do(http.MethodGet, "/healthz", "", nil); res.StatusCode != 200 {
		t.Error("not alive afterwards")
	}
}

func TestMalformedBodiesAreAnsweredInOurWords(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{})
	for body, code := range map[string]int{`{bad`: -32700, ``: -32700, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}": -32700, `5`: -32600, `{}`: -32600} {
		res, raw := w.post(body, nil)
		if m := decode(t, []byte(raw)); res.StatusCode != 400 || m.code() != code || strings.Contains(raw, "json:") {
			t.Errorf("%s: %d %s", body, res.StatusCode, raw)
		}
	}
}

func TestTokenIsDemandedEverywhereButForHealth(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{Token: "right-token"})
	for _, path := range []string{"/mcp", "/message"} {
		for _, auth := range []string{"", "Bearer wrong", "Bearer ", "Basic right-token", "right-token", "Bearer right-token2"} {
			res, raw := w.do(http.MethodPost, path, initialize("2025-11-25"), headers{"Authorization": auth})
			if res.StatusCode != 401 || res.Header.Get("WWW-Authenticate") != "Bearer" || strings.Contains(raw, "right-token") {
				t.Errorf("%s %q: %d %s", path, auth, res.StatusCode, raw)
			}
		}
	}
	if res, _ := w.do(http.MethodGet, "/sse", "", nil); res.StatusCode != 401 {
		t.Errorf("/sse: %d", res.StatusCode)
	}
	if res, raw := w.post(initialize("2025-11-25"), headers{"Authorization": "bearer right-token"}); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, raw)
	}
	if res, raw := w.do(http.MethodGet, "/healthz", "", nil); res.StatusCode != 200 || raw != `{"status":"ok"}` {
		t.Errorf("%d %s", res.StatusCode, raw)
	}
}

func TestAddressesThatCannotBeServedAreNamedAtOnce(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for addr, want := range map[string]error{
		"0.0.0.0:0": server.ErrTokenRequired, ":0": server.ErrTokenRequired, "[::]:0": server.ErrTokenRequired, "example.com:0": server.ErrTokenRequired,
		taken.Addr().String(): server.ErrAddressInUse, "127.0.0.1": server.ErrAddressInvalid, "localhost:99999": server.ErrAddressInvalid,
	} {
		if err := newBench(nil).server.ListenHTTP(t.Context(), server.HTTPOptions{Addr: addr}); !errors.Is(err, want) || !strings.Contains(err.Error(), addr) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	startWeb(t, newBench(nil), server.HTTPOptions{Addr: "0.0.0.0:0", Token: "t"}) // with a token it may
}

func TestOtherPathsAndMethodsAreRefused(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{})
	for _, tc := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/", 404}, {"PUT", "/mcp", 405}, {"HEAD", "/mcp", 405}, {"POST", "/sse", 405}, {"GET", "/message", 405}, {"POST", "/healthz", 405},
		{"GET", "/mcp", 400}, {"DELETE", "/mcp", 400},
	} {
		if res, _ := w.do(tc.method, tc.path, "", nil); res.StatusCode != tc.want {
			t.Errorf("%s %s: %d", tc.method, tc.path, res.StatusCode)
		}
	}
	for _, method := range []string{"GET", "DELETE"} {
		if res, _ := w.do(method, "/mcp", "", modern("", "")); res.StatusCode != 405 || res.Header.Get("Allow") != "POST" {
			t.Errorf("modern %s: %d", method, res.StatusCode)
		}
	}
}

func TestSessionsMustBeKnown(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{})
	if res, raw := w.post(call("1", "echo"), nil); res.StatusCode != 400 || decode(t, []byte(raw)).code() != -32600 {
		t.Errorf("%d %s", res.StatusCode, raw)
	}
	if res, raw := w.post(call("1", "echo"), headers{"Mcp-Session-Id": "no-such"}); res.StatusCode != 404 {
		t.Errorf("%d %s", res.StatusCode, raw)
	}
	if res, raw := w.post(request("0", "initialize", `[]`), nil); res.Header.Get("Mcp-Session-Id") != "" || decode(t, []byte(raw)).code() != -32602 {
		t.Errorf("a failed initialize opened a session: %s", raw)
	}
	s := w.session()
	if res, raw := w.post(call("1", "echo"), s); res.StatusCode != 200 || decode(t, []byte(raw)).text() != "echo:{}" {
		t.Errorf("%d %s", res.StatusCode, raw)
	}
	s["Mcp-Protocol-Version"] = "1999-01-01"
	if res, _ := w.post(call("1", "echo"), s); res.StatusCode != 400 {
		t.Errorf("unknown revision: %d", res.StatusCode)
	}
	s["Mcp-Protocol-Version"] = "2025-06-18"
	if res, _ := w.do(http.MethodDelete, "/mcp", "", s); res.StatusCode != 204 {
		t.Errorf("delete: %d", res.StatusCode)
	}
	if res, _ := w.post(call("1", "echo"), s); res.StatusCode != 404 {
		t.Errorf("after delete: %d", res.StatusCode)
	}
}

func TestSessionsThatNobodyEndsAreBounded(t *testing.T) {
	b := newBench(nil)
	w := startWeb(t, b, server.HTTPOptions{})
	first, inUse := w.session(), w.session()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, stream := w.listen(ctx, "/mcp", inUse)
	var last headers
	for range 1100 {
		last = w.session()
	}
	if res, _ := w.post(call("1", "echo"), first); res.StatusCode != 404 {
		t.Errorf("the longest unused session is still there: %d", res.StatusCode)
	}
	for _, s := range []headers{last, inUse} {
		if res, raw := w.post(call("1", "echo"), s); res.StatusCode != 200 {
			t.Errorf("a session in use is gone: %d %s", res.StatusCode, raw)
		}
	}
	b.server.ToolsChanged()
	if e := await(t, stream); !strings.Contains(e.data, "tools/list_changed") {
		t.Error(e)
	}
}

func TestProgressOfConcurrentCallsStaysOnTheirOwnStreams(t *testing.T) {
	w := startWeb(t, newBench(nil), server.HTTPOptions{})
	s := w.session()
	var all []<-chan answer
	for i := range 20 {
		id := strconv.Itoa(i)
		all = append(all, w.later("/mcp", request(id, "tools/call", `{"name":"progress","_meta":{"progressToken":`+id+`}}`), s))
	}
	for i, c := range all {
		a := await(t, c)
		id := strconv.Itoa(i)
		if n := strings.Count(a.body, `"progressToken":`+id+`,`); n != 3 || strings.Count(a.body, "progressToken") != 3 || !strings.Contains(a.body, `"id":`+id+`,"result"`) {
			t.Errorf("call %d: %s", i, a.body)
		}
	}
	s["Accept"] = "application/json" // takes no stream: no progress, but the answer
	res, raw := w.post(request("1", "tools/call", `{"name":"progress","_meta":{"progressToken":1}}`), s)
	if res.Header.Get("Content-Type") != "application/json" || decode(t, []byte(raw)).text() != "progressed" {
		t.Errorf("%v %s", res.Header, raw)
	}
}
