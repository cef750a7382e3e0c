package telemetry

import (
	"context"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// The exporters never return an error: the SDK would write its text to standard
// error, and the sender has said what there is to say.

type spanExporter struct{ to *sender }

// ExportSpans implements the SDK's SpanExporter.
func (x spanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) > 0 {
		x.to.send(ctx, tracesOf(spans))
	}
	return nil
}

// Shutdown implements the SDK's SpanExporter.
func (spanExporter) Shutdown(context.Context) error { return nil }

type metricExporter struct {
	to          *sender
	temporality sdkmetric.TemporalitySelector
}

// Temporality implements the SDK's Exporter.
func (x metricExporter) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return x.temporality(k)
}

// Aggregation implements the SDK's Exporter.
func (metricExporter) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}

// Export implements the SDK's Exporter.
func (x metricExporter) Export(ctx context.Context, rm *metricdata.ResourceMetrics) error {
	if len(rm.ScopeMetrics) > 0 {
		x.to.send(ctx, metricsOf(rm))
	}
	return nil
}

// ForceFlush implements the SDK's Exporter.
func (metricExporter) ForceFlush(context.Context) error { return nil }

// Shutdown implements the SDK's Exporter.
func (metricExporter) Shutdown(context.Context) error { return nil }
