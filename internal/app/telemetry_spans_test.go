package app_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
)

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
