// Package telemetry tells the outside what calls do: spans and metrics by
// OpenTelemetry, which leave by OTLP over HTTP where its standard environment
// variables are set, and events as JSON lines.
//
// It holds names, classes, codes, counts and ids. It never holds arguments,
// addresses with values in them, data, header values or texts of errors; what it
// was given to send them with (OTEL_EXPORTER_OTLP_HEADERS) is never shown. It
// never fails a call nor makes one wait: the SDK queues, and drops what its queue
// cannot take. Where nothing is switched on there is no provider, no goroutine and
// no watcher.
//
// The encoder of OTLP is our own (see otlp.go): the exporters of OpenTelemetry
// register protobuf and gRPC at every start, used or not, which took 1.2 ms where
// all of frank's start takes a few; the SDK without them takes 0.1 ms.
package telemetry

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/frank-mcp/frank/status"
)

// scope is what the spans and metrics say made them.
const scope = "github.com/frank-mcp/frank"

// farewell is how long Close lets what is queued leave.
const farewell = 2 * time.Second

// Options of Open. Zero fields are usable and switch off what they are for.
type Options struct {
	// Getenv looks up the variables that switch OTLP on. What the SDK reads by
	// itself (sampler, batching, resource, interval) it reads from the process.
	Getenv func(string) string
	// Events takes the events, each with one Write of a whole line.
	Events  io.Writer
	Log     *slog.Logger
	Version string // of this program
	Now     func() time.Time
}

// Telemetry is what is switched on. The nil Telemetry is nothing at all, and
// every method of it does nothing.
type Telemetry struct {
	watcher status.Watcher
	events  *Events
	close   []func(context.Context) error
	senders []*sender
	once    sync.Once
}

// Open switches on what the options ask for; nil is nothing. It connects to
// nobody and reads no file. What cannot be used is logged once, without values,
// and left out.
func Open(o Options) *Telemetry {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Telemetry{}
	var watchers []status.Watcher
	if s := settingsOf(o); s.traces != nil || s.metrics != nil {
		watchers = append(watchers, t.record(s, o))
	}
	if o.Events != nil {
		t.events = &Events{to: o.Events, now: o.Now}
		watchers = append(watchers, t.events)
	}
	if len(watchers) == 0 {
		return nil
	}
	t.watcher = combine(watchers)
	return t
}

// Watcher is to be told what calls do; nil if nobody wants to know.
func (t *Telemetry) Watcher() status.Watcher {
	if t == nil {
		return nil
	}
	return t.watcher
}

// Escalation tells of an escalation as an event.
func (t *Telemetry) Escalation(x Escalation) {
	if t != nil && t.events != nil {
		t.events.Escalation(x)
	}
}

// Close sends what is queued, for two seconds at most and without repetitions,
// and ends everything. The Telemetry must not be used after it.
func (t *Telemetry) Close(ctx context.Context) {
	if t == nil {
		return
	}
	t.once.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, farewell)
		defer cancel()
		for _, s := range t.senders {
			s.hurry()
		}
		var all sync.WaitGroup
		for _, shut := range t.close {
			// The error says that time was up; the senders have said what failed.
			all.Go(func() { _ = shut(ctx) })
		}
		all.Wait()
		for _, s := range t.senders {
			s.close()
		}
	})
}

// record makes the providers.
func (t *Telemetry) record(s settings, o Options) status.Watcher {
	// The SDK writes the text of its errors to standard error by default.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {
		o.Log.Debug("OpenTelemetry could not use a setting or reach its exporter")
	}))
	who := resourceOf(o.Version)
	w := &recorder{}
	if s.traces != nil {
		sender := t.sender(*s.traces, o.Log)
		p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(&gathering{SpanProcessor: sdktrace.NewBatchSpanProcessor(spanExporter{sender})}), sdktrace.WithResource(who), sdktrace.WithIDGenerator(ids{}))
		t.close = append(t.close, p.Shutdown)
		w.tracer = p.Tracer(scope)
	}
	if s.metrics != nil {
		sender := t.sender(*s.metrics, o.Log)
		// Exemplars would be collected for nobody: they are not sent.
		p := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metricExporter{sender, s.temporality})),
			sdkmetric.WithResource(who), sdkmetric.WithExemplarFilter(exemplar.AlwaysOffFilter))
		t.close = append(t.close, p.Shutdown)
		w.meters = instrumentsOf(p.Meter(scope))
	}
	return w
}

func (t *Telemetry) sender(target target, log *slog.Logger) *sender {
	s := newSender(target, log)
	t.senders = append(t.senders, s)
	return s
}

// resourceOf says who we are; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
func resourceOf(version string) *resource.Resource {
	who, _ := resource.New(context.Background(), // what of it cannot be read is left out
		resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "frank"), attribute.String("service.version", version)),
		resource.WithFromEnv(),
	)
	return who
}
