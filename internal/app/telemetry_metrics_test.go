package app_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
)

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
