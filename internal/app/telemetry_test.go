package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

const (
	secretToken    = "ghp_Hd6Js1Fg0Ya4UeZk4Qm9Xw2Rt7Lp5Vb8Nc3"
	secretArgument = "ghp_Rt7Lp5Vb8Nc3Hd6Js1Fg0Ya4UeZk4Qm9Xw2"
	secretBody     = "ghp_Nc3Hd6Js1Fg0Ya4UeZk4Qm9Xw2Rt7Lp5Vb8"
	secretHeader   = "Bearer collector-secret-5Vb8Nc3Hd6"
	parentTrace    = "0af7651916cd43dd8448eb211c80319c"
	parentSpan     = "b7ad6b7169203331"
)

// hub is as much of GitHub as tracker_get_issue needs. The issue is there at the
// second attempt.
type hub struct {
	mu       sync.Mutex
	failures int // left of the issue
	status   int // of a failure
	parents  []string
	asked    int
}

func (h *hub) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	h.parents = append(h.parents, r.Header.Get("Traceparent"))
	answers := map[string]string{
		"/user":                    `{"login":"octocat"}`,
		"/repos/acme/app":          `{"full_name":"acme/app","private":false,"has_issues":true,"default_branch":"main","html_url":"https://github.com/acme/app","open_issues_count":1}`,
		"/repos/acme/app/issues/1": `{"number":1,"title":"Payments fail ` + secretBody + `","state":"open","html_url":"https://github.com/acme/app/issues/1","repository_url":"https://api.github.com/repos/acme/app","user":{"login":"octocat"},"labels":[],"assignees":[],"comments":0,"body":"text","created_at":"2026-11-01T10:00:00Z","updated_at":"2026-11-02T10:00:00Z"}`,
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-GitHub-Request-Id", "C0DE:1")
	w.Header().Set("X-RateLimit-Limit", "5000")
	w.Header().Set("X-RateLimit-Remaining", "4999")
	w.Header().Set("X-RateLimit-Resource", "core")
	w.Header().Set("X-OAuth-Scopes", "repo")
	body, ok := answers[r.URL.Path]
	switch {
	case strings.HasSuffix(r.URL.Path, "/issues/1") && h.failures > 0:
		h.failures--
		w.WriteHeader(h.status)
		body = `{"message":"` + secretBody + `"}`
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		body = `{"message":"Not Found","status":"404"}`
	}
	_, _ = io.WriteString(w, body)
	return w.Result(), nil
}

// observed is frank over the hub, with that environment.
func observed(t testing.TB, h *hub, env map[string]string, change func(*app.Options)) *app.App {
	t.Helper()
	cfg, err := config.Parse("frank.yaml", []byte("sources: [{name: github, provider: github, auth: {token_env: T}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	host := config.SystemHost()
	host.LookupEnv = func(string) (string, bool) { return secretToken, true }
	o := app.Options{Version: "test", Transport: h, Host: host, Getenv: func(name string) string { return env[name] }}
	if change != nil {
		change(&o)
	}
	a, err := app.New(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	return a
}

// over asks over stdio, which carries a trace context, and returns the trace of
// the result.
func over(t *testing.T, a *app.App, tool, arguments, traceparent string) (trace struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
}) {
	t.Helper()
	var out bytes.Buffer
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"traceparent":%q}}}`, tool, arguments, traceparent)
	if err := a.Server.ServeStdio(t.Context(), io.NopCloser(strings.NewReader(hello+"\n"+line+"\n")), &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var v struct {
			ID     int
			Result struct {
				StructuredContent struct{ Trace json.RawMessage }
			}
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if v.ID == 2 {
			if err := json.Unmarshal(v.Result.StructuredContent.Trace, &trace); err != nil {
				t.Fatal(err)
			}
		}
	}
	return trace
}

func named(t *testing.T, spans []seenSpan, name string) []seenSpan {
	t.Helper()
	var out []seenSpan
	for _, s := range spans {
		if s.Name == name {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		for _, s := range spans {
			t.Logf("%+v", s)
		}
		t.Fatalf("no span %q", name)
	}
	return out
}

func has(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %s is %q, not %q; all: %v", what, k, got[k], v, got)
		}
	}
}

const issueClass = "GET /repos/{owner}/{repo}/issues/{number}"

// TestSpansNestFromTheCallerToTheAttempt in every encoding: the caller's span, the
// call, the source, and each request to it; and nothing secret is in the bytes.
func TestSpansNestFromTheCallerToTheAttempt(t *testing.T) {
	for _, protocol := range []string{"", "http/protobuf", "http/json"} {
		for _, compression := range []string{"", "gzip"} {
			t.Run(protocol+compression, func(t *testing.T) {
				t.Parallel()
				c, h := newCollector(t), &hub{failures: 1, status: http.StatusBadGateway}
				a := observed(t, h, map[string]string{
					"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol, "OTEL_EXPORTER_OTLP_COMPRESSION": compression,
					"OTEL_EXPORTER_OTLP_HEADERS": "authorization=" + strings.ReplaceAll(secretHeader, " ", "%20"),
				}, nil)
				shown := over(t, a, "tracker_get_issue", `{"ref":"acme/app#1"}`, "00-"+parentTrace+"-"+parentSpan+"-01")
				over(t, a, "tracker_search", `{"query":"`+secretArgument+`","project":"acme/app"}`, "")
				_ = a.Close(t.Context())
				if c.header.Get("Authorization") != secretHeader {
					t.Error("the header for the collector did not arrive")
				}
				for _, secret := range []string{secretToken, secretArgument, secretBody, secretHeader, "octocat", "acme"} {
					if c.holds(secret) {
						t.Errorf("%s was sent", secret)
					}
				}
				nests(t, c.spans, shown.TraceID, shown.SpanID)
				for i, parent := range h.parents {
					if !slices.ContainsFunc(c.spans, func(s seenSpan) bool { return parent == "00-"+s.TraceID+"-"+s.SpanID+"-01" && s.Kind == 3 }) {
						t.Errorf("request %d went out with traceparent %q, which is no span of an attempt", i, parent)
					}
				}
			})
		}
	}
}

func nests(t *testing.T, spans []seenSpan, traceID, spanID string) {
	t.Helper()
	call := named(t, spans, "tools/call tracker_get_issue")[0]
	if call.TraceID != parentTrace || call.Parent != parentSpan || call.TraceID != traceID || call.SpanID != spanID || call.Kind != 2 || call.Failed != 0 {
		t.Errorf("the call %+v; the result shows %s %s", call, traceID, spanID)
	}
	has(t, "call", call.Attributes, map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.tool.name": "tracker_get_issue", "gen_ai.operation.name": "execute_tool", "network.transport": "pipe",
		"frank.status": "success", "frank.code": "NONE", "frank.recovered": "1",
	})
	source := named(t, spans, "github tracker.get")[0]
	if source.TraceID != parentTrace || source.Parent != call.SpanID || source.Kind != 1 || !slices.Contains(source.Events, "retry") {
		t.Errorf("the source %+v", source)
	}
	has(t, "source", source.Attributes, map[string]string{"frank.source": "github", "frank.status": "success", "frank.items": "1"})
	attempts := named(t, spans, issueClass)
	if len(attempts) != 2 {
		t.Fatalf("%d attempts: %+v", len(attempts), attempts)
	}
	for i, want := range []map[string]string{
		{"http.response.status_code": "502", "frank.attempt": "1", "error.type": "http_5xx", "frank.reason": "http_5xx", "frank.stage": "execute"},
		{"http.response.status_code": "200", "frank.attempt": "2", "error.type": "", "http.request.method": "GET", "frank.source": "github"},
	} {
		s := attempts[i]
		has(t, "attempt", s.Attributes, want)
		if s.TraceID != parentTrace || s.Parent != source.SpanID || s.Kind != 3 || s.Start < source.Start || s.End > source.End || s.End < s.Start {
			t.Errorf("attempt %d: %+v in %+v", i, s, source)
		}
	}
	other := named(t, spans, "tools/call tracker_search")[0]
	if other.Parent != "" || other.TraceID == parentTrace {
		t.Errorf("a call without a parent: %+v", other)
	}
}

// TestTheCallersChoiceNotToSampleIsHeeded: the trace is carried on and nothing is sent.
func TestTheCallersChoiceNotToSampleIsHeeded(t *testing.T) {
	c, h := newCollector(t), &hub{}
	a := observed(t, h, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": c.URL + "/own/v1/traces"}, nil)
	shown := over(t, a, "tracker_get_issue", `{"ref":"acme/app#1"}`, "00-"+parentTrace+"-"+parentSpan+"-00")
	_ = a.Close(t.Context())
	if shown.TraceID != parentTrace || len(c.spans) != 0 || len(h.parents) == 0 {
		t.Errorf("trace %s, %d spans, %d requests", shown.TraceID, len(c.spans), len(h.parents))
	}
	for _, parent := range h.parents {
		if !strings.HasPrefix(parent, "00-"+parentTrace+"-") || !strings.HasSuffix(parent, "-00") {
			t.Errorf("traceparent %q", parent)
		}
	}
}

// TestAMalformedTraceparentIsIgnored: the call begins a trace of its own.
func TestAMalformedTraceparentIsIgnored(t *testing.T) {
	for _, bad := range []string{
		"", "00", "ff-" + parentTrace + "-" + parentSpan + "-01", "00-" + strings.Repeat("0", 32) + "-" + parentSpan + "-01",
		"00-" + parentTrace + "-" + strings.Repeat("0", 16) + "-01", "00-" + strings.ToUpper(parentTrace) + "-" + parentSpan + "-01",
		"00-" + parentTrace + "-" + parentSpan + "-0g", "00_" + parentTrace + "-" + parentSpan + "-01",
	} {
		c := newCollector(t)
		a := observed(t, &hub{}, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL}, nil)
		shown := over(t, a, "tracker_get_issue", `{"ref":"acme/app#1"}`, bad)
		_ = a.Close(t.Context())
		call := named(t, c.spans, "tools/call tracker_get_issue")[0]
		if call.Parent != "" || call.TraceID == parentTrace || call.TraceID != shown.TraceID || call.SpanID != shown.SpanID {
			t.Errorf("%q: %+v, shown %+v", bad, call, shown)
		}
	}
}

// TestMetricsCountWhatHappened: calls, retries, open circuits, latency.
func TestMetricsCountWhatHappened(t *testing.T) {
	for _, protocol := range []string{"http/protobuf", "http/json"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			c, h := newCollector(t), &hub{failures: 3, status: http.StatusServiceUnavailable}
			a := observed(t, h, map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": c.URL + "/v1/metrics", "OTEL_EXPORTER_OTLP_PROTOCOL": protocol}, nil)
			for range 2 { // the retries run out, then the circuit is open
				a.Call(t.Context(), "tracker_get_issue", json.RawMessage(`{"ref":"acme/app#1"}`))
			}
			_ = a.Close(t.Context())
			if len(c.spans) > 0 || h.parents[0] != "" {
				t.Errorf("only metrics were asked for; %d spans, traceparent %q", len(c.spans), h.parents[0])
			}
			for _, w := range []struct {
				name, unit string
				attributes map[string]string
				value      uint64
			}{
				{"frank.calls", "{call}", map[string]string{"gen_ai.tool.name": "tracker_get_issue", "frank.status": "access_failure", "frank.code": "SOURCE_UNRELIABLE"}, 2},
				{"frank.retries", "{retry}", map[string]string{"frank.source": "github", "frank.reason": "http_5xx"}, 2},
				{"frank.circuits.open", "{circuit}", map[string]string{"frank.source": "github"}, 1},
				{"frank.upstream.duration", "s", map[string]string{"frank.source": "github", "frank.endpoint": issueClass, "frank.outcome": "http_5xx"}, 3},
				{"mcp.server.operation.duration", "s", map[string]string{"gen_ai.tool.name": "tracker_get_issue", "error.type": "tool_error", "mcp.method.name": "tools/call"}, 2},
			} {
				i := slices.IndexFunc(c.series, func(s seenSeries) bool { return s.Name == w.name })
				if i < 0 || c.series[i].Unit != w.unit || len(c.series[i].Points) == 0 {
					t.Errorf("%s: %+v", w.name, c.series)
					continue
				}
				points := c.series[i].Points
				j := slices.IndexFunc(points, func(p seenPoint) bool { return len(p.Attributes) > 0 && contains(p.Attributes, w.attributes) })
				if j < 0 || points[j].Value != w.value || w.unit == "s" && (points[j].Sum <= 0 || points[j].Buckets != 15) {
					t.Errorf("%s wants %d with %v: %+v", w.name, w.value, w.attributes, points)
				}
			}
		})
	}
}

func contains(all, some map[string]string) bool {
	for k, v := range some {
		if all[k] != v {
			return false
		}
	}
	return true
}

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

// TestACallThatHangsEndsItsSpanAsItWasAnswered: the fallback answers, with the ids
// of the span.
func TestACallThatHangsEndsItsSpanAsItWasAnswered(t *testing.T) {
	c, release := newCollector(t), make(chan struct{})
	a := observed(t, &hub{}, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL}, func(o *app.Options) {
		o.Deadline = time.Millisecond
		o.Transport = roundTripper(func(*http.Request) (*http.Response, error) {
			<-release
			return nil, io.EOF
		})
	})
	r := a.Call(t.Context(), "tracker_describe", json.RawMessage(`{"project":"acme/app"}`))
	var v struct {
		Failure struct{ Reason string }
		Trace   struct {
			TraceID string `json:"trace_id"`
			SpanID  string `json:"span_id"`
		}
	}
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatal(err)
	}
	close(release)
	_ = a.Close(t.Context())
	call := named(t, c.spans, "tools/call tracker_describe")
	if len(call) != 1 || call[0].TraceID != v.Trace.TraceID || call[0].SpanID != v.Trace.SpanID || call[0].Attributes["frank.reason"] != v.Failure.Reason || call[0].Failed != 2 {
		t.Errorf("%+v, answered %+v", call, v)
	}
}

// TestARequestThatCallsShareBelongsToOneOfThem and the others have none of it.
func TestARequestThatCallsShareBelongsToOneOfThem(t *testing.T) {
	c, h := newCollector(t), &hub{}
	var all sync.WaitGroup
	a := observed(t, h, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL}, nil)
	for range 20 {
		all.Go(func() { a.Call(context.Background(), "tracker_get_issue", json.RawMessage(`{"ref":"acme/app#1"}`)) })
	}
	all.Wait()
	_ = a.Close(t.Context())
	calls, sources, attempts := named(t, c.spans, "tools/call tracker_get_issue"), named(t, c.spans, "github tracker.get"), named(t, c.spans, issueClass)
	if len(calls) != 20 || len(sources) != 20 || len(attempts) != h.asked {
		t.Errorf("%d calls, %d sources, %d attempts for %d requests", len(calls), len(sources), len(attempts), h.asked)
	}
	for _, s := range attempts {
		if !slices.ContainsFunc(sources, func(p seenSpan) bool { return p.SpanID == s.Parent && p.TraceID == s.TraceID }) {
			t.Errorf("nobody's: %+v", s)
		}
	}
}

// TestEventsAreWholeLinesOfOneShape, of concurrent calls and of escalations, and
// hold nothing but ids and words of closed lists.
func TestEventsAreWholeLinesOfOneShape(t *testing.T) {
	var out guardedBuffer
	whole := writer(func(line []byte) (int, error) {
		if !bytes.HasSuffix(line, []byte("}\n")) { // another writer may come in between
			t.Errorf("a part of a line was written: %s", line)
		}
		return out.Write(line)
	})
	a := observed(t, &hub{}, nil, func(o *app.Options) { o.Events = whole })
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			a.Call(context.Background(), "tracker_get_issue", json.RawMessage(fmt.Sprintf(`{"ref":"acme/app#%d","extra":%q}`, i, secretArgument)))
			a.Escalated(app.Escalation{Event: "escalation.opened", ID: fmt.Sprintf("ESC-%d", i), Trigger: "policy_denied", Destination: "specialist:dba", Reason: "policy_denied", Source: secretArgument + " x", Tool: "a\nb"})
		})
	}
	all.Wait()
	count := map[string]int{}
	for line := range strings.Lines(out.String()) {
		var e struct {
			Event, Time, Reason, Stage, Severity, Source, Tool string
			Version                                            int
			CallID                                             string `json:"call_id"`
			Metadata                                           *struct {
				ID string `json:"escalation_id"`
			}
		}
		d := json.NewDecoder(strings.NewReader(line))
		if err := d.Decode(&e); err != nil || e.Version != 1 || e.Metadata == nil || !strings.HasSuffix(line, "}\n") {
			t.Errorf("%v: %s", err, line)
		}
		if _, err := time.Parse(time.RFC3339, e.Time); err != nil {
			t.Error(err)
		}
		count[e.Event]++
		switch e.Event {
		case "escalation.opened":
			if e.Stage != "policy" || e.Severity != "fatal" || e.Source != "" || e.Tool != "" || e.Metadata.ID == "" {
				t.Errorf("%s", line)
			}
		default:
			if e.CallID == "" || e.Tool != "tracker_get_issue" {
				t.Errorf("%s", line)
			}
		}
	}
	if count["call.started"] != 20 || count["call.failed"] != 20 || count["escalation.opened"] != 20 || len(count) != 3 {
		t.Error(count)
	}
	for _, secret := range []string{secretArgument, secretToken, "acme"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%s in\n%s", secret, out.String())
		}
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// guardedBuffer is a buffer for several writers.
type guardedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *guardedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *guardedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
