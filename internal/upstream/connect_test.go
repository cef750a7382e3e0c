package upstream_test

import (
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
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("Accept-Encoding %q", r.Header.Get("Accept-Encoding"))
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
	req := request(t, t.Context(), http.MethodGet, url+"/x")
	req.Header.Set("Accept-Encoding", "br")
	if _, f := c.Send(req, upstream.Want{}); f != nil { // an encoding of the caller's would not be decoded
		t.Error(f.Reason())
	}
	x, f := c.Send(request(t, t.Context(), http.MethodPost, url+"/temporary", "text"), upstream.Want{Repeatable: true})
	if f != nil || !strings.Contains(string(x.Body), `"method":"POST"`) || !strings.Contains(string(x.Body), `"body":"text"`) {
		t.Errorf("307 of a write: %v %v", x, f)
	}
	_, f = c.Send(request(t, t.Context(), http.MethodPost, url+"/moved", "text"), upstream.Want{})
	wantFailure(t, f, status.HTTP4xx)
	for path, called := range map[string]status.APICall{"/moved": status.WasCalled, "/temporary": status.WasCalled, "/found": status.MaybeCalled} {
		_, f = c.Send(request(t, t.Context(), http.MethodPost, url+path, "text"), upstream.Want{})
		wantFailure(t, f, status.HTTP4xx)
		if f.APICalled() != called {
			t.Errorf("redirect %s of a write: called %s", path, f.APICalled())
		}
	}
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
