package upstream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
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

// TestHT02OtherHost: a credential is never sent off the configured host.
func TestHT02OtherHost(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host was asked: %s %v", r.URL, r.Header)
	}))
	t.Cleanup(elsewhere.Close)
	for name, tc := range map[string]struct {
		code int
		path string
		want status.Reason
	}{
		"sign-in":           {302, "/login?ticket=abc", status.LoginPage},
		"elsewhere for now": {307, "/x", status.LoginPage},
		"moved for good":    {301, "/api", status.Misconfigured},
		"moved to a login":  {301, "/saml/start", status.LoginPage},
	} {
		t.Run(name, func(t *testing.T) {
			other := strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)
			c, url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", other+tc.path)
				w.WriteHeader(tc.code)
			})
			x, f := send(t, c, url+"/items", upstream.Want{})
			wantFailure(t, f, tc.want)
			if f.Text("redirect_host") != "localhost" || f.Retryable() || x == nil {
				t.Errorf("host %q retryable %t", f.Text("redirect_host"), f.Retryable())
			}
			if text := status.Refuse(status.Question{}, *f).Text(); strings.Contains(text, "ticket") || strings.Contains(text, secret) {
				t.Error(text)
			}
		})
	}
}

func TestRedirectsOnTheSameHost(t *testing.T) {
	h := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("%s: no credential", r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/moved", "/found", "/temporary":
			w.Header().Set("Location", "/new%2Fplace?y=2")
			w.WriteHeader(map[string]int{"/moved": 301, "/found": 302, "/temporary": 307}[r.URL.Path])
		case "/circle":
			w.Header().Set("Location", "/circle")
			w.WriteHeader(302)
		case "/nowhere":
			w.WriteHeader(302)
		default:
			body, _ := io.ReadAll(r.Body)
			_, _ = fmt.Fprintf(w, `{"method":%q,"query":%q,"body":%q}`, r.Method, r.URL.RawQuery, body)
		}
	}
	c, url := serve(t, h)
	for _, path := range []string{"/moved", "/found", "/temporary"} {
		x, f := send(t, c, url+path, upstream.Want{})
		if f != nil {
			t.Fatalf("%s: %s", path, f.Reason())
		}
		if x.Location != "/new%2Fplace" || x.Path != path || !strings.Contains(string(x.Body), `"query":"y=2"`) {
			t.Errorf("%+v", x)
		}
	}
	x, f := c.Send(request(t, t.Context(), http.MethodPost, url+"/temporary", "text"), upstream.Want{})
	if f != nil || !strings.Contains(string(x.Body), `"method":"POST"`) || !strings.Contains(string(x.Body), `"body":"text"`) {
		t.Errorf("307 of a write: %v %v", x, f)
	}
	_, f = c.Send(request(t, t.Context(), http.MethodPost, url+"/moved", "text"), upstream.Want{})
	wantFailure(t, f, status.HTTP4xx)
	_, f = send(t, c, url+"/circle", upstream.Want{})
	wantFailure(t, f, status.Contradictory)
	_, f = send(t, c, url+"/nowhere", upstream.Want{})
	wantFailure(t, f, status.ShapeError)
}

func TestDowngradeIsRefused(t *testing.T) {
	w := script(answer(302, "", "Location", "http://api.example.com/v3/items"))
	_, f := get(t, client(t, w, once))
	wantFailure(t, f, status.TLSError)
	if len(w.requests()) != 1 {
		t.Error("followed")
	}
}

// TestHT11NoConnection: the classes of failed connections, from real ones where
// that is possible on this machine alone.
func TestHT11NoConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are meant to fail
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	slam := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	}))
	t.Cleanup(slam.Close)
	for name, tc := range map[string]struct {
		base   string
		reason status.Reason
		class  string
		called status.APICall
	}{
		"refused":          {nobody, status.NetworkError, "refused", status.NotCalled},
		"unknown issuer":   {secure.URL, status.TLSError, "tls", status.NotCalled},
		"plain, not TLS":   {strings.Replace(plain.URL, "http:", "https:", 1), status.TLSError, "tls", status.NotCalled},
		"closed on us":     {slam.URL, status.NetworkError, "closed", status.MaybeCalled},
		"hostname differs": {strings.Replace(secure.URL, "127.0.0.1", "localhost", 1), status.TLSError, "tls", status.NotCalled},
	} {
		t.Run(name, func(t *testing.T) {
			tr := &http.Transport{}
			if name == "hostname differs" {
				tr.TLSClientConfig = &tls.Config{RootCAs: secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
			}
			t.Cleanup(tr.CloseIdleConnections)
			c := client(t, tr, once, func(o *upstream.Options) { o.BaseURL = tc.base })
			_, f := send(t, c, tc.base+"/x", upstream.Want{})
			wantFailure(t, f, tc.reason)
			if f.Text("error_class") != tc.class || f.APICalled() != tc.called {
				t.Errorf("class %s called %s", f.Text("error_class"), f.APICalled())
			}
			if f.Retryable() != (tc.reason == status.NetworkError) {
				t.Errorf("retryable %t", f.Retryable())
			}
		})
	}
	_, f := get(t, client(t, script(breaks(&net.DNSError{IsNotFound: true})), once))
	wantFailure(t, f, status.NetworkError)
	if f.Text("error_class") != "dns" {
		t.Error(f.Text("error_class"))
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
