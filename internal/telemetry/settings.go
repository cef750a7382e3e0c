package telemetry

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

const (
	defaultTimeout  = 10 * time.Second
	defaultEndpoint = "http://localhost:4318"
)

// settings is what the environment asks for. A nil target is off.
type settings struct {
	traces, metrics *target
	temporality     sdkmetric.TemporalitySelector
}

// target is where one signal goes, and how. Address and header may hold secrets.
type target struct {
	signal  string // traces or metrics
	address string
	header  http.Header
	timeout time.Duration
	json    bool
	gzip    bool
}

// reader reads the variables of OTLP and says what of them cannot be used.
type reader struct {
	getenv func(string) string
	log    *slog.Logger
	told   map[string]bool
}

// settingsOf reads the environment as the specification of the OTLP exporter has
// it. A signal is on if its endpoint or exporter is named.
func settingsOf(o Options) settings {
	if o.Getenv == nil || strings.EqualFold(strings.TrimSpace(o.Getenv("OTEL_SDK_DISABLED")), "true") {
		return settings{}
	}
	r := reader{o.Getenv, o.Log, map[string]bool{}}
	s := settings{traces: r.target("traces"), metrics: r.target("metrics"), temporality: r.temporality()}
	if s.traces != nil {
		r.sampler()
	}
	if s.metrics != nil {
		r.interval()
	}
	return s
}

// sampler says what the SDK, which reads it by itself, will not take of it.
func (r reader) sampler() {
	const setting = "OTEL_TRACES_SAMPLER"
	switch strings.ToLower(strings.TrimSpace(r.getenv(setting))) {
	case "", "always_on", "always_off", "parentbased_always_on", "parentbased_always_off":
	case "traceidratio", "parentbased_traceidratio":
		arg := strings.TrimSpace(r.getenv(setting + "_ARG"))
		if share, err := strconv.ParseFloat(arg, 64); arg != "" && (err != nil || share < 0 || share > 1) {
			r.unusable(setting+"_ARG", "use a number from 0 to 1; every trace is taken")
		}
	default:
		r.unusable(setting, "use always_on, always_off, traceidratio or one of these after parentbased_; every trace is taken that its caller takes")
	}
}

// interval does so for the time between two exports of metrics.
func (r reader) interval() {
	const setting = "OTEL_METRIC_EXPORT_INTERVAL"
	ms := r.getenv(setting)
	if n, err := strconv.Atoi(ms); ms != "" && (err != nil || n <= 0) {
		r.unusable(setting, "use milliseconds; 60000 are taken")
	}
}

// of is the value for a signal: its own variable, else that for all.
func (r reader) of(signal, name string) string {
	own := strings.TrimSpace(r.getenv("OTEL_EXPORTER_OTLP_" + strings.ToUpper(signal) + "_" + name))
	return cmp.Or(own, strings.TrimSpace(r.getenv("OTEL_EXPORTER_OTLP_"+name)))
}

// unusable logs the name of a variable once, never its value.
func (r reader) unusable(name, remedy string) {
	if !r.told[name] {
		r.told[name] = true
		r.log.Warn("telemetry: a setting cannot be used", "setting", name, "remedy", remedy)
	}
}

func (r reader) target(signal string) *target {
	exporter := strings.ToLower(strings.TrimSpace(r.getenv("OTEL_" + strings.ToUpper(signal) + "_EXPORTER")))
	if exporter == "none" || exporter == "" && r.of(signal, "ENDPOINT") == "" {
		return nil
	}
	if exporter != "" && exporter != "otlp" {
		r.unusable("OTEL_"+strings.ToUpper(signal)+"_EXPORTER", "use otlp or none; nothing is exported")
		return nil
	}
	t := &target{signal: signal, timeout: defaultTimeout}
	switch r.of(signal, "PROTOCOL") {
	case "", "http/protobuf":
	case "http/json":
		t.json = true
	default: // gRPC, which takes more code than all of frank
		r.unusable("OTEL_EXPORTER_OTLP_PROTOCOL", "use http/protobuf or http/json; nothing is exported")
		return nil
	}
	var ok bool
	if t.address, ok = r.address(signal); !ok {
		r.unusable("OTEL_EXPORTER_OTLP_ENDPOINT", "use an address such as http://localhost:4318; nothing is exported")
		return nil
	}
	t.header = r.header(signal)
	if ms := r.of(signal, "TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n <= 0 || n > int(time.Hour/time.Millisecond) {
			r.unusable("OTEL_EXPORTER_OTLP_TIMEOUT", "use milliseconds; 10000 are taken")
		} else {
			t.timeout = time.Duration(n) * time.Millisecond
		}
	}
	switch r.of(signal, "COMPRESSION") {
	case "", "none":
	case "gzip":
		t.gzip = true
	default:
		r.unusable("OTEL_EXPORTER_OTLP_COMPRESSION", "use gzip or none; nothing is compressed")
	}
	return t
}

// address is that of the signal as it stands, or a path below that for all.
func (r reader) address(signal string) (string, bool) {
	own := strings.TrimSpace(r.getenv("OTEL_EXPORTER_OTLP_" + strings.ToUpper(signal) + "_ENDPOINT"))
	u, err := url.Parse(cmp.Or(own, strings.TrimSpace(r.getenv("OTEL_EXPORTER_OTLP_ENDPOINT")), defaultEndpoint))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	if own == "" {
		u = u.JoinPath("v1", signal)
	} else if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), true
}

// header reads key=value,key=value with values escaped as in an address.
func (r reader) header(signal string) http.Header {
	h := http.Header{}
	for pair := range strings.SplitSeq(r.of(signal, "HEADERS"), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || name == "" || strings.ContainsFunc(name, notToken) || strings.ContainsFunc(value, notValue) {
			r.unusable("OTEL_EXPORTER_OTLP_HEADERS", "use name=value, with commas between; what else stands there is left out")
			continue
		}
		h.Set(name, value)
	}
	return h
}

// notToken and notValue find what a header cannot carry.
func notToken(c rune) bool {
	return c <= ' ' || c >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, c)
}
func notValue(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

func (r reader) temporality() sdkmetric.TemporalitySelector {
	switch strings.ToLower(strings.TrimSpace(r.getenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"))) {
	case "delta":
		return sdkmetric.DeltaTemporalitySelector
	case "lowmemory":
		return sdkmetric.LowMemoryTemporalitySelector
	default:
		return sdkmetric.CumulativeTemporalitySelector
	}
}
