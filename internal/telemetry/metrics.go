package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/frank-mcp/frank/status"
)

// instruments are the metrics. Their attributes take few values: names from the
// configuration, classes, reasons.
type instruments struct {
	calls    metric.Int64Counter
	retries  metric.Int64Counter
	circuits metric.Int64Gauge
	duration metric.Float64Histogram
	upstream metric.Float64Histogram
}

func instrumentsOf(m metric.Meter) *instruments {
	// The bounds that the conventions advise for MCP; the SDK's are milliseconds.
	bounds := metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
	i := &instruments{}
	// The names are constant and valid, and a wrong one would give an instrument
	// that does nothing: there is no error to handle.
	i.calls, _ = m.Int64Counter("frank.calls", metric.WithUnit("{call}"), metric.WithDescription("Calls answered, by tool, status and code."))
	i.retries, _ = m.Int64Counter("frank.retries", metric.WithUnit("{retry}"), metric.WithDescription("Requests repeated, by source and reason."))
	i.circuits, _ = m.Int64Gauge("frank.circuits.open", metric.WithUnit("{circuit}"), metric.WithDescription("Open circuits, by source."))
	i.duration, _ = m.Float64Histogram("mcp.server.operation.duration", metric.WithUnit("s"), bounds, metric.WithDescription("Duration of calls as the server sees them."))
	i.upstream, _ = m.Float64Histogram("frank.upstream.duration", metric.WithUnit("s"), bounds, metric.WithDescription("Duration of requests to sources, by source, endpoint and outcome."))
	return i
}

// record measures a piece of work that ended.
func (i *instruments) record(ctx context.Context, w status.Work, e status.Ending, took time.Duration) {
	switch w.Kind {
	case status.CallWork:
		i.calls.Add(ctx, 1, metric.WithAttributes(keyTool.String(w.Tool), keyStatus.String(e.Status.String()), keyCode.String(e.Code.String())))
		attrs := make([]attribute.KeyValue, 0, 5)
		attrs = append(attrs, keyMethod.String(toolsCall), keyOperation.String(executeTool), keyTool.String(w.Tool))
		if w.Transport != "" {
			attrs = append(attrs, keyTransport.String(w.Transport))
		}
		if why := errorType(w, e); why != "" {
			attrs = append(attrs, keyErrorType.String(why))
		}
		i.duration.Record(ctx, took.Seconds(), metric.WithAttributes(attrs...))
	case status.AttemptWork:
		i.upstream.Record(ctx, took.Seconds(), metric.WithAttributes(keySource.String(w.Source), keyEndpoint.String(endpointOf(w)), keyOutcome.String(outcomeOf(e))))
	case status.SourceWork:
	}
}

// outcomeOf is the reason of a failure, else how it was answered.
func outcomeOf(e status.Ending) string {
	switch {
	case e.Reason != "":
		return e.Reason
	case e.Cached:
		return outcomeSame
	default:
		return outcomeAnswer
	}
}
