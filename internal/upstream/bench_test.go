package upstream_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/frank-mcp/frank/internal/upstream"
)

// pageOfIssues is a page of 20 issues, about 100 KB, with text like people write.
func pageOfIssues() []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range 20 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"url":"https://api.example.com/repos/acme/app/issues/%d","labels":[{"id":1,"name":"bug","color":"ff0000"}],"title":"Crash in \"parser\"","body":"%s"`,
			i, i, bytes.Repeat([]byte(`Steps: open the file \"a.txt\", then close it.\nExpected: no crash.\n`), 52))
		for k := range 40 {
			fmt.Fprintf(&b, `,"field_%d":{"a":%d,"b":"https://x.example.com/%d"}`, k, k, k)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return b.Bytes()
}

// memory answers from memory, so that only the client's own work is measured.
type memory struct {
	body  []byte
	sized bool
}

func (m memory) RoundTrip(req *http.Request) (*http.Response, error) {
	size := int64(-1)
	if m.sized {
		size = int64(len(m.body))
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(m.body)), ContentLength: size, Request: req}, nil
}

func benchSend(b *testing.B, rt http.RoundTripper, base string) {
	b.Helper()
	c, f := upstream.New(upstream.Options{Source: "src", BaseURL: base, Credential: token(), Transport: rt})
	if f != nil {
		b.Fatal(f.Reason())
	}
	req, err := http.NewRequest(http.MethodGet, base+"/items?page=1", nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, f := c.Send(req, upstream.Want{Class: "GET /items"}); f != nil {
			b.Fatal(f.Reason())
		}
	}
}

// BenchmarkSend is what the client adds to an answer that is there at once.
func BenchmarkSend(b *testing.B) {
	body := pageOfIssues()
	b.Logf("%d bytes", len(body))
	b.Run("sized", func(b *testing.B) { benchSend(b, memory{body, true}, "https://api.example.com") })
	b.Run("unsized", func(b *testing.B) { benchSend(b, memory{body, false}, "https://api.example.com") })
	b.Run("small", func(b *testing.B) {
		benchSend(b, memory{body[:0:0], false}.with(`{"id":1}`), "https://api.example.com")
	})
}

func (m memory) with(body string) memory { return memory{[]byte(body), m.sized} }

// BenchmarkLoopback puts the client beside the bare HTTP client, over a real connection.
func BenchmarkLoopback(b *testing.B) {
	body := pageOfIssues()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	defer srv.Close()
	tr := &http.Transport{DisableCompression: true}
	defer tr.CloseIdleConnections()
	b.Run("bare", func(b *testing.B) {
		hc := &http.Client{Transport: tr}
		b.ReportAllocs()
		for b.Loop() {
			resp, err := hc.Get(srv.URL + "/items?page=1")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadAll(resp.Body); err != nil {
				b.Fatal(err)
			}
			_ = resp.Body.Close()
		}
	})
	b.Run("upstream", func(b *testing.B) { benchSend(b, tr, srv.URL) })
}
