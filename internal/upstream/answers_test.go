package upstream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// serve starts a real server and a client whose base URL it is.
func serve(t *testing.T, h http.HandlerFunc, change ...func(*upstream.Options)) (*upstream.Client, string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	all := append([]func(*upstream.Options){func(o *upstream.Options) { o.BaseURL = srv.URL }, once}, change...)
	return client(t, tr, all...), srv.URL
}

func send(t *testing.T, c *upstream.Client, url string, w upstream.Want) (*upstream.Exchange, *status.Failure) {
	t.Helper()
	return c.Send(request(t, t.Context(), http.MethodGet, url), w)
}

// TestHT01 and its kin: a page for people in place of an answer.
func TestHT01PagesInPlaceOfAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		step step
		want status.Reason
	}{
		"login form":       {html(200, `<html><title>Sign in &middot; Acme</title><form action="/session"><input type="password"></form>`), status.LoginPage},
		"saml":             {html(200, `<html><body onload="go()">SAMLRequest</body>`), status.LoginPage},
		"title only":       {html(200, `<title>Log in</title>`), status.LoginPage},
		"portal":           {html(200, `<!doctype html><title>Welcome</title>Free WiFi`), status.NotJSON},
		"mislabelled":      {answer(200, "  <!DOCTYPE html><title>Oops</title>"), status.NotJSON},
		"no media type":    {answer(200, "<html></html>", "Content-Type", ""), status.NotJSON},
		"text":             {answer(200, "fine", "Content-Type", "text/plain"), status.NotJSON},
		"xml":              {answer(200, "<a/>", "Content-Type", "application/xml"), status.NotJSON},
		"long title":       {html(200, "<title>"+strings.Repeat("x", 500)+"</title>"), status.NotJSON},
		"HT-08 challenge":  {html(403, "<title>Just a moment...</title><form>", "Cf-Mitigated", "challenge", "Server", "cloudflare"), status.NotJSON},
		"HT-08 by server":  {html(403, "<title>Attention Required!</title>", "Server", "cloudflare"), status.NotJSON},
		"HT-08 and 503":    {html(503, "x", "Cf-Mitigated", "challenge"), status.HTTP5xx},
		"HT-07 proxy":      {html(502, "<title>502 Bad Gateway</title>"), status.HTTP5xx},
		"HT-03 no such":    {html(404, "<title>Page not here</title>"), status.Misconfigured},
		"403 with a form":  {html(403, "<form>"), status.LoginPage},
		"401 as a page":    {html(401, "<form>"), status.AuthFailed},
		"403 as JSON":      {answer(403, `{"message":"no"}`), status.ScopeMissing},
		"404 as JSON":      {answer(404, `{"message":"no"}`), status.AbsentOrHidden},
		"404 without body": {answer(404, "", "Content-Type", ""), status.HTTP4xx},
		"410":              {answer(410, `{}`), status.EndpointGone},
		"511 portal":       {html(511, "x"), status.NetworkPolicyBlocked},
	} {
		t.Run(name, func(t *testing.T) {
			x, f := get(t, client(t, script(tc.step), once))
			wantFailure(t, f, tc.want)
			if x == nil || x.Status < 200 {
				t.Errorf("exchange %v: a connector cannot look at it", x)
			}
			if f.APICalled() != status.WasCalled {
				t.Errorf("api_called %s", f.APICalled())
			}
			if got := f.Text("http_status"); got != fmt.Sprint(x.Status) {
				t.Errorf("http_status %s", got)
			}
		})
	}
}

func TestAnonymousIsToldApart(t *testing.T) {
	for _, code := range []int{401, 403} {
		c := client(t, script(answer(code, `{}`)), once, func(o *upstream.Options) { o.Credential = upstream.Anonymous() })
		_, f := get(t, c)
		wantFailure(t, f, status.AuthContextRequired)
		if c.Configured() {
			t.Error("configured")
		}
	}
}

// TestBytesTakeWhatTheyAskedFor: a raw file may be anything but a page nobody asked for.
func TestBytesTakeWhatTheyAskedFor(t *testing.T) {
	for name, tc := range map[string]struct {
		step   step
		accept string
		ok     bool
	}{
		"empty file":     {answer(200, "", "Content-Type", "text/plain"), "", true},
		"binary":         {answer(200, "\x00\x01", "Content-Type", "application/octet-stream"), "", true},
		"page as raw":    {answer(200, "<html>", "Content-Type", "application/vnd.github.raw+json"), "", true},
		"page as text":   {answer(200, "<html>", "Content-Type", "text/plain"), "", true},
		"page as page":   {html(200, "<html>"), "", false},
		"page asked for": {html(200, "<html>"), "text/html", true},
		"cut file":       {cutAnswer(200, "abc", "text/plain"), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, t.Context(), http.MethodGet, page)
			req.Header.Set("Accept", tc.accept)
			if _, f := client(t, script(tc.step), once).Send(req, upstream.Want{Media: upstream.Bytes}); (f == nil) != tc.ok {
				t.Errorf("failure %v", f)
			}
		})
	}
}

// TestHT04CutAnswers: what was cut, by whatever hand, is never an answer.
func TestHT04CutAnswers(t *testing.T) {
	long := `[` + strings.Repeat(`{"text":"some \"text\" in [brackets\\"},`, 3000)
	for name, tc := range map[string]struct {
		body string
		want status.Reason
	}{
		"cut in a list":         {`{"items":[{"a":1}`, status.TruncatedBody},
		"cut in a string":       {`{"items":"abc`, status.TruncatedBody},
		"cut in a long list":    {long, status.TruncatedBody},
		"two values":            {`{"items":[]}{"error":"x"}`, status.ShapeError},
		"garbage behind":        {`{"items":[]} trailing`, status.ShapeError},
		"long, garbage behind":  {long + `1]x`, status.ShapeError},
		"long, two values":      {long + "1]\n[]", status.ShapeError},
		"no JSON":               {`{items:1}`, status.ShapeError},
		"empty":                 {"", status.ShapeError},
		"white space":           {" \n", status.ShapeError},
		"closing without begin": {`]`, status.ShapeError},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := get(t, client(t, script(answer(200, tc.body)), once))
			wantFailure(t, f, tc.want)
			if !f.Retryable() {
				t.Error("not retryable")
			}
		})
	}
	lies := func(req *http.Request) (*http.Response, error) {
		resp, err := answer(200, `{"items":[]}`)(req)
		resp.ContentLength -= 10
		return resp, err
	}
	_, f := get(t, client(t, script(lies), once))
	wantFailure(t, f, status.TruncatedBody)
	for name, body := range map[string]string{"long": long + `1]`, "null": "null", "number": " 12 ", "string": `"]"`, "nested": `{"a":{"b":["}"]}}` + "\n"} {
		if _, f := get(t, client(t, script(answer(200, body)), once)); f != nil {
			t.Errorf("%s: %s", name, f.Reason())
		}
	}
}

func TestHT04RealConnectionsBreak(t *testing.T) {
	for name, raw := range map[string]string{
		"length":  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"items\":[]}",
		"chunked": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n{\"items\":[]}\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				conn, buf, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = buf.WriteString(raw)
				_ = buf.Flush()
				_ = conn.Close()
			})
			x, f := send(t, c, url+"/items", upstream.Want{})
			wantFailure(t, f, status.TruncatedBody)
			if x != nil {
				t.Error("a cut answer can be read")
			}
		})
	}
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	text := `{"items":[` + strings.Repeat(`"abc",`, 10000) + `"d"]}`
	whole := zipped(t, text)
	for name, tc := range map[string]struct {
		sent []byte
		want string
	}{"whole": {whole, ""}, "cut": {whole[:len(whole)/2], "truncated_body"}, "no checksum": {whole[:len(whole)-8], "truncated_body"}} {
		t.Run(name, func(t *testing.T) {
			h := func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Accept-Encoding") != "gzip" {
					t.Errorf("Accept-Encoding %q", r.Header.Get("Accept-Encoding"))
				}
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(tc.sent)
			}
			c, url := serve(t, h)
			x, f := send(t, c, url+"/items", upstream.Want{})
			check(t, x, f, text, tc.want)
			// A transport that does not decode by itself.
			c = client(t, script(answer(200, string(tc.sent), "Content-Encoding", "gzip")), once)
			x, f = get(t, c)
			check(t, x, f, text, tc.want)
		})
	}
}

// TestUnknownEncodings are never read as if they were none: the bytes may be a
// JSON text, or a file, of another meaning.
func TestUnknownEncodings(t *testing.T) {
	for _, coding := range []string{"br", "zstd", "gzip, br", "deflate"} {
		for _, media := range []upstream.Media{upstream.JSON, upstream.Bytes} {
			_, f := send(t, client(t, script(answer(200, `[]`, "Content-Encoding", coding)), once), page, upstream.Want{Media: media})
			wantFailure(t, f, status.NotJSON)
		}
	}
	if _, f := get(t, client(t, script(answer(200, `[]`, "Content-Encoding", "identity")))); f != nil {
		t.Error(f.Reason())
	}
}

func check(t *testing.T, x *upstream.Exchange, f *status.Failure, text, want string) {
	t.Helper()
	got := ""
	if f != nil {
		got = f.Reason().Name()
	}
	if got != want {
		t.Errorf("failure %q, want %q", got, want)
	}
	if f == nil && string(x.Body) != text {
		t.Error("another body")
	}
}

// TestHT17OwnCap: a limit of ours is named, and nothing of the body is given out.
func TestHT17OwnCap(t *testing.T) {
	body := `"` + strings.Repeat("x", 98) + `"`
	chunked := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body[:50])
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, body[50:])
	}
	sized := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
	for name, h := range map[string]http.HandlerFunc{"sized": sized, "chunked": chunked} {
		t.Run(name, func(t *testing.T) {
			c, url := serve(t, h)
			if x, f := send(t, c, url+"/x", upstream.Want{MaxBody: 100}); f != nil || len(x.Body) != 100 {
				t.Fatalf("at the limit: %v", f)
			}
			x, f := send(t, c, url+"/x", upstream.Want{MaxBody: 99})
			wantFailure(t, f, status.OwnCap)
			if f.Text("limit") != "99" || f.Retryable() || x != nil {
				t.Errorf("limit %s retryable %t exchange %v", f.Text("limit"), f.Retryable(), x)
			}
			if size := f.Text("size_bytes"); name == "sized" && size != "100" {
				t.Errorf("size %s", size)
			}
		})
	}
}

// TestHT15Stale: an answer from a cache that nobody asked.
func TestHT15Stale(t *testing.T) {
	for name, tc := range map[string]struct {
		headers []string
		age     string
	}{
		"fresh":   {nil, ""},
		"young":   {[]string{"Age", "300"}, ""},
		"old":     {[]string{"Age", "301"}, "301"},
		"warning": {[]string{"Warning", `110 cache "Response is stale"`}, "0"},
	} {
		x, f := get(t, client(t, script(answer(200, `{}`, tc.headers...))))
		if f != nil {
			t.Fatal(f.Reason())
		}
		stale := x.Stale()
		if (stale != nil) != (tc.age != "") || stale != nil && stale.Text("age_seconds") != tc.age {
			t.Errorf("%s: %v", name, stale)
		}
	}
	w := script(answer(200, `{}`))
	_, _ = client(t, w).Send(request(t, t.Context(), http.MethodGet, page), upstream.Want{NoCache: true})
	if got := w.requests()[0].Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("Cache-Control %q", got)
	}
}

// TestHT16MangledCredential: nothing is sent, and nothing of it is told.
func TestHT16MangledCredential(t *testing.T) {
	for _, value := range []string{"", " ", "\n", secret + "\n", "a\r\nX: y", `"` + secret + `"`, "'" + secret + "'", "${GITHUB_TOKEN}", secret + " x", " " + secret, "tök", "a\x00b", `a"b`} {
		w := script(answer(200, `{}`))
		c := client(t, w, func(o *upstream.Options) {
			o.Credential = upstream.HeaderToken("X-Key", func(context.Context) (string, *status.Failure) { return value, nil })
		})
		_, f := get(t, c)
		wantFailure(t, f, status.AuthHeaderResolutionFailed)
		if len(w.requests()) > 0 || f.APICalled() != status.NotCalled {
			t.Errorf("%q: sent", value)
		}
		if text := status.Refuse(status.Question{}, *f).Text(); strings.Contains(text, secret) || strings.Contains(text, "GITHUB_TOKEN") {
			t.Errorf("%q: %s", value, text)
		}
	}
	for _, value := range []string{"user", ":password", "user:pass\n", "${USER}:x"} {
		c := client(t, script(answer(200, `{}`)), func(o *upstream.Options) {
			o.Credential = upstream.BasicToken(func(context.Context) (string, *status.Failure) { return value, nil })
		})
		_, f := get(t, c)
		wantFailure(t, f, status.AuthHeaderResolutionFailed)
	}
}
