package bench

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// BenchmarkSpans lists 20 issues without and with spans, metrics and events in
// turn, which leave for a collector on loopback in batches as in use, and reports
// the medians, and that of what they add; then the same with a journal in a file
// too, beside frank without either.
func BenchmarkSpans(b *testing.B) {
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	b.Cleanup(collector.Close)
	url := upstream(b)
	spans := app.Options{Events: io.Discard, Getenv: func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL}[name]
	}}
	b.Run("spans", func(b *testing.B) { compare(b, telling(b, url, app.Options{}), telling(b, url, spans)) })
	b.Run("everything", func(b *testing.B) {
		all := spans
		all.Journal = filepath.Join(b.TempDir(), "journal.db")
		compare(b, telling(b, url, app.Options{}), telling(b, url, all))
	})
}

// compare calls one and the other in turn.
func compare(b *testing.B, off, on func()) {
	off()
	on()
	var with, without, added []time.Duration
	for n := 0; b.Loop(); n++ {
		var one, other time.Duration
		if n%2 == 0 { // whoever comes second finds the caches warm
			one, other = clock(off), clock(on)
		} else {
			other, one = clock(on), clock(off)
		}
		without, with, added = append(without, one), append(with, other), append(added, other-one)
	}
	b.ReportMetric(float64(median(without).Microseconds()), "off-µs")
	b.ReportMetric(float64(median(with).Microseconds()), "on-µs")
	b.ReportMetric(float64(median(added).Microseconds()), "added-µs")
}

// telling is a call of frank with those options; without a path there is no journal.
func telling(tb testing.TB, url string, o app.Options) func() {
	cfg, err := config.Parse("frank.yaml", []byte("sources:\n  - {name: github, provider: github, base_url: "+url+", auth: {token_env: T}}\n"))
	if err != nil {
		tb.Fatal(err)
	}
	o.Version, o.Host = "bench", config.SystemHost()
	o.Host.LookupEnv = func(string) (string, bool) { return "token", true }
	a, err := app.New(cfg, o)
	if err != nil {
		tb.Fatal(err)
	}
	if o.Journal == "" {
		a.Deps.Journal = nil
	}
	tb.Cleanup(func() { _ = a.Close(context.Background()) })
	arguments := json.RawMessage(`{"project":"acme/app","limit":20}`)
	return func() {
		if r := a.Call(context.Background(), "tracker_search", arguments); r.IsError {
			tb.Fatal(r.Text)
		}
	}
}
