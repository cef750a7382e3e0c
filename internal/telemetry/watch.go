package telemetry

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/frank-mcp/frank/status"
)

// The names of the conventions for MCP and generative AI, which are still in
// development (opentelemetry.io, semantic-conventions-genai), those for HTTP, and
// our own. They are kept here since the package of names costs time at every start.
const (
	keyMethod      = attribute.Key("mcp.method.name")
	keySession     = attribute.Key("mcp.session.id") // a hash of it
	keyOperation   = attribute.Key("gen_ai.operation.name")
	keyTool        = attribute.Key("gen_ai.tool.name")
	keyTransport   = attribute.Key("network.transport")
	keyErrorType   = attribute.Key("error.type")
	keyHTTPMethod  = attribute.Key("http.request.method")
	keyHTTPStatus  = attribute.Key("http.response.status_code")
	keyResend      = attribute.Key("http.request.resend_count")
	keyTemplate    = attribute.Key("url.template")
	keyStatus      = attribute.Key("frank.status")
	keyCode        = attribute.Key("frank.code")
	keyReason      = attribute.Key("frank.reason")
	keyStage       = attribute.Key("frank.stage")
	keySource      = attribute.Key("frank.source")
	keyAsked       = attribute.Key("frank.operation")
	keyItems       = attribute.Key("frank.items")
	keyAttempt     = attribute.Key("frank.attempt")
	keyAttempts    = attribute.Key("frank.attempts")
	keyRecovered   = attribute.Key("frank.recovered")
	keyCached      = attribute.Key("frank.cached")
	keyEndpoint    = attribute.Key("frank.endpoint")
	keyOutcome     = attribute.Key("frank.outcome")
	keyWait        = attribute.Key("frank.wait_ms")
	toolsCall      = "tools/call"
	executeTool    = "execute_tool"
	toolError      = "tool_error" // what the conventions want for a result with isError
	outcomeAnswer  = "answered"
	outcomeSame    = "not_modified"
	eventRetry     = "retry"
	eventRecovered = "recovered"
)

// recorder makes spans and measurements of what calls do. A nil half is off.
type recorder struct {
	tracer trace.Tracer
	meters *instruments
}

// begun is a piece of work under way.
type begun struct {
	at   time.Time
	span trace.Span // nil without traces
}

type begunKey struct{}

// Begin implements status.Watcher.
func (r *recorder) Begin(ctx context.Context, w status.Work) context.Context {
	b := &begun{at: time.Now()}
	if r.tracer != nil {
		ctx, b.span = r.start(ctx, w, b.at)
	}
	return context.WithValue(ctx, begunKey{}, b)
}

func (r *recorder) start(ctx context.Context, w status.Work, at time.Time) (context.Context, trace.Span) {
	name, kind := "", trace.SpanKindInternal
	attrs := make([]attribute.KeyValue, 0, 8)
	switch w.Kind {
	case status.CallWork:
		name, kind = toolsCall+" "+w.Tool, trace.SpanKindServer
		attrs = append(attrs, keyMethod.String(toolsCall), keyOperation.String(executeTool), keyTool.String(w.Tool))
		if w.Transport != "" {
			attrs = append(attrs, keyTransport.String(w.Transport))
		}
		ctx = trace.ContextWithRemoteSpanContext(ctx, parentOf(status.CallFrom(ctx).Parent))
	case status.SourceWork:
		name = w.Source + " " + w.Operation
		attrs = append(attrs, keySource.String(w.Source), keyAsked.String(w.Operation))
	case status.AttemptWork:
		name, kind = endpointOf(w), trace.SpanKindClient
		attrs = append(attrs, keySource.String(w.Source), keyHTTPMethod.String(w.Method), keyAttempt.Int(w.Attempt))
		if path, ok := strings.CutPrefix(w.Endpoint, w.Method+" "); ok {
			attrs = append(attrs, keyTemplate.String(path))
		}
		if w.Attempt > 1 {
			attrs = append(attrs, keyResend.Int(w.Attempt-1))
		}
	}
	return r.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithTimestamp(at), trace.WithAttributes(attrs...))
}

// endpointOf names the class of a request with its method, with which most
// classes open.
func endpointOf(w status.Work) string {
	switch {
	case w.Endpoint == "":
		return w.Method
	case strings.HasPrefix(w.Endpoint, w.Method+" "):
		return w.Endpoint
	default:
		return w.Method + " " + w.Endpoint
	}
}

// End implements status.Watcher.
func (r *recorder) End(ctx context.Context, w status.Work, e status.Ending) {
	b, ok := ctx.Value(begunKey{}).(*begun)
	if !ok {
		return
	}
	now := time.Now()
	if r.meters != nil {
		r.meters.record(ctx, w, e, now.Sub(b.at))
	}
	if b.span == nil {
		return
	}
	if b.span.IsRecording() {
		describe(ctx, b.span, w, e)
	}
	b.span.End(trace.WithTimestamp(now))
}

// describe says how the work ended.
func describe(ctx context.Context, span trace.Span, w status.Work, e status.Ending) {
	attrs := make([]attribute.KeyValue, 0, 12)
	if e.Status != 0 {
		attrs = append(attrs, keyStatus.String(e.Status.String()), keyItems.Int(e.Items))
	}
	if e.Code != 0 {
		attrs = append(attrs, keyCode.String(e.Code.String()))
	}
	if e.Reason != "" {
		attrs = append(attrs, keyReason.String(e.Reason), keyStage.String(e.Stage.String()))
	}
	switch w.Kind {
	case status.CallWork:
		call := status.CallFrom(ctx)
		recovered := call.Recoveries()
		attrs = append(attrs, keyAttempts.Int(call.Attempts()), keyRecovered.Int(len(recovered)))
		if call.Session != "" {
			attrs = append(attrs, keySession.String(call.Session))
		}
		if e.Source != "" {
			attrs = append(attrs, keySource.String(e.Source))
		}
		for _, x := range recovered {
			span.AddEvent(eventRecovered, trace.WithTimestamp(x.At), trace.WithAttributes(keySource.String(x.Source), keyReason.String(x.Reason), keyAttempt.Int(x.Attempt)))
		}
	case status.AttemptWork:
		if e.HTTPStatus != 0 {
			attrs = append(attrs, keyHTTPStatus.Int(e.HTTPStatus))
		}
		if e.Cached {
			attrs = append(attrs, keyCached.Bool(true))
		}
	case status.SourceWork:
	}
	if why := errorType(w, e); why != "" {
		attrs = append(attrs, keyErrorType.String(why))
		span.SetStatus(codes.Error, e.Reason)
	}
	span.SetAttributes(attrs...)
}

// errorType is empty for what did not fail as a whole.
func errorType(w status.Work, e status.Ending) string {
	switch {
	case w.Kind == status.AttemptWork:
		return e.Reason
	case e.Status != status.AccessFailure:
		return ""
	case w.Kind == status.CallWork:
		return toolError
	default:
		return e.Reason
	}
}

// Retrying implements status.Watcher.
func (r *recorder) Retrying(ctx context.Context, x status.Retrying) {
	if r.meters != nil {
		r.meters.retries.Add(ctx, 1, metric.WithAttributes(keySource.String(x.Source), keyReason.String(x.Reason.Name())))
	}
	if r.tracer != nil {
		trace.SpanFromContext(ctx).AddEvent(eventRetry, trace.WithAttributes(keySource.String(x.Source), keyEndpoint.String(x.Endpoint),
			keyReason.String(x.Reason.Name()), keyAttempt.Int(x.Attempt), keyWait.Int64(x.Wait.Milliseconds())))
	}
}

// Resting implements status.Watcher.
func (r *recorder) Resting(ctx context.Context, source string, open int) {
	if r.meters != nil {
		r.meters.circuits.Record(ctx, int64(open), metric.WithAttributes(keySource.String(source)))
	}
}

// Outgoing implements status.Watcher.
func (r *recorder) Outgoing(ctx context.Context) string {
	sc := trace.SpanContextFromContext(ctx)
	if r.tracer == nil || !sc.IsValid() {
		return ""
	}
	return "00-" + sc.TraceID().String() + "-" + sc.SpanID().String() + "-" + (sc.TraceFlags() & trace.FlagsSampled).String()
}
