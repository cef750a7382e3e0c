package app_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
)

// TestACollectorInTroubleTouchesNoCall: down, slow or failing, calls are answered
// as ever, the end waits no longer than it says, and the log tells once, without
// address and header.
func TestACollectorInTroubleTouchesNoCall(t *testing.T) {
	broken := newCollector(t)
	broken.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	busy := newCollector(t)
	busy.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	slow, release := newCollector(t), make(chan struct{})
	slow.answer = func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}
	t.Cleanup(func() { close(release) })
	down := newCollector(t)
	down.Close()
	away := newCollector(t)
	elsewhere := newCollector(t)
	away.answer = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}
	for name, c := range map[string]*collector{"broken": broken, "busy": busy, "slow": slow, "down": down, "away": away} {
		t.Run(name, func(t *testing.T) {
			var log guardedBuffer
			a := observed(t, &hub{}, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=" + secretBody}, func(o *app.Options) {
				o.Log = slog.New(slog.NewTextHandler(&log, nil))
			})
			for range 3 {
				if _, v := ask(t, a, "tracker_get_issue", `{"ref":"acme/app#1"}`); v.Status != "success" {
					t.Errorf("%+v", v)
				}
			}
			start := time.Now()
			_ = a.Close(t.Context())
			if took := time.Since(start); took > 20*time.Second { // it is told to take two; a collector that hangs takes a minute
				t.Errorf("the end took %s", took)
			}
			if n := strings.Count(log.String(), "telemetry cannot be exported"); n == 0 || n > 2 { // traces and metrics
				t.Errorf("told %d times:\n%s", n, log.String())
			}
			for _, secret := range []string{secretBody, c.URL, strings.TrimPrefix(c.URL, "http://")} {
				if strings.Contains(log.String(), secret) {
					t.Errorf("the log shows %s:\n%s", secret, log.String())
				}
			}
		})
	}
	if elsewhere.posts > 0 {
		t.Error("a redirect was followed, with the headers")
	}
}

// TestAnExportIsRepeatedWhenTheCollectorAsksForIt and once it works the log says so.
func TestAnExportIsRepeatedWhenTheCollectorAsksForIt(t *testing.T) {
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	c := newCollector(t)
	var seen int
	c.answer = func(w http.ResponseWriter, _ *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if seen++; seen == 2 {
			c.answer = nil
		}
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	a := observed(t, &hub{}, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_METRICS_EXPORTER": "none"}, nil)
	a.Call(t.Context(), "tracker_get_issue", json.RawMessage(`{"ref":"acme/app#1"}`))
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		n := len(c.spans)
		c.mu.Unlock()
		if n > 0 {
			return
		}
		if time.Now().After(limit) {
			t.Fatal("nothing was sent again")
		}
	}
}

// TestTroubleIsToldWhenItBeginsAndWhenItEnds and not in between.
func TestTroubleIsToldWhenItBeginsAndWhenItEnds(t *testing.T) {
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	c := newCollector(t)
	c.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	var log guardedBuffer
	a := observed(t, &hub{}, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_METRICS_EXPORTER": "none"}, func(o *app.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	for n := range 6 {
		c.mu.Lock()
		before := c.posts
		if n == 4 {
			c.answer = nil
		}
		c.mu.Unlock()
		a.Call(t.Context(), "tracker_get_issue", json.RawMessage(`{"ref":"acme/app#1"}`))
		for limit := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
			c.mu.Lock()
			posts := c.posts
			c.mu.Unlock()
			if posts > before {
				break
			}
			if time.Now().After(limit) {
				t.Fatal("nothing was sent")
			}
		}
	}
	_ = a.Close(t.Context())
	if strings.Count(log.String(), "telemetry cannot be exported") != 1 || strings.Count(log.String(), "telemetry is exported again") != 1 {
		t.Error(log.String())
	}
}

// TestNothingIsSwitchedOnWithoutItsVariables: no watcher, no goroutine, no header
// to the source; and what frank cannot do is said, without the value.
func TestNothingIsSwitchedOnWithoutItsVariables(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for name, c := range map[string]struct {
		env  map[string]string
		told int
	}{
		"unset":        {nil, 0},
		"disabled":     {map[string]string{endpoint: "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}, 0},
		"none":         {map[string]string{endpoint: "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"}, 0},
		"grpc":         {map[string]string{endpoint: "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, 1},
		"no address":   {map[string]string{endpoint: "ftp://" + secretBody}, 1},
		"other kind":   {map[string]string{"OTEL_TRACES_EXPORTER": secretBody}, 1},
		"headers only": {map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "a=" + secretBody}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var log guardedBuffer
			h := &hub{}
			before := runtime.NumGoroutine()
			a := observed(t, h, c.env, func(o *app.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
			if a.Deps.Watcher != nil || runtime.NumGoroutine() > before {
				t.Errorf("watcher %v, %d goroutines more", a.Deps.Watcher, runtime.NumGoroutine()-before)
			}
			over(t, a, "tracker_get_issue", `{"ref":"acme/app#1"}`, "00-"+parentTrace+"-"+parentSpan+"-01")
			for _, parent := range h.parents {
				if parent != "" {
					t.Errorf("traceparent %q", parent)
				}
			}
			if n := strings.Count(log.String(), "telemetry:"); n != c.told || strings.Contains(log.String(), secretBody) {
				t.Errorf("told %d times, want %d:\n%s", n, c.told, log.String())
			}
		})
	}
}

// TestASettingThatOnlyTheSDKReadsIsJudgedToo: it would take another value in silence.
func TestASettingThatOnlyTheSDKReadsIsJudgedToo(t *testing.T) {
	const sampler, interval = "OTEL_TRACES_SAMPLER", "OTEL_METRIC_EXPORT_INTERVAL"
	for name, c := range map[string]struct {
		env  map[string]string
		told string
	}{
		"unknown sampler": {map[string]string{sampler: secretBody}, "setting=" + sampler + " "},
		"ratio beyond 1":  {map[string]string{sampler: "TraceIdRatio", sampler + "_ARG": "7"}, "setting=" + sampler + "_ARG "},
		"no ratio":        {map[string]string{sampler: "parentbased_traceidratio", sampler + "_ARG": secretBody}, "setting=" + sampler + "_ARG "},
		"no interval":     {map[string]string{interval: "soon"}, "setting=" + interval + " "},
		"no time":         {map[string]string{interval: "0"}, "setting=" + interval + " "},
		"a ratio":         {map[string]string{sampler: " parentbased_traceidratio", sampler + "_ARG": "0.5"}, ""},
		"the default one": {map[string]string{sampler: "always_on", interval: "1000"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log guardedBuffer
			c.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = newCollector(t).URL
			a := observed(t, &hub{}, c.env, func(o *app.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
			_ = a.Close(t.Context())
			if got := strings.Count(log.String(), "telemetry:"); got != min(1, len(c.told)) || !strings.Contains(log.String(), c.told) || strings.Contains(log.String(), secretBody) {
				t.Errorf("%q: %s", c.told, log.String())
			}
		})
	}
}
