package escalation

import (
	"cmp"
	"time"
)

// Rules are the configuration. Zero fields take their defaults.
type Rules struct {
	AfterFailures int           // of a dependency, after its retries; default 3
	MinConfidence float64       // below it, low confidence is escalated; default 0.7
	Rate          int           // new deliveries to a destination in a window; default 20
	Window        time.Duration // default 1 h
	Quiet         bool          // the end of an escalation is not delivered
	Routes        []Route       // the first that fits
	Destinations  map[string]Target
}

// The defaults of [Rules].
const (
	DefaultAfterFailures = 3
	DefaultMinConfidence = 0.7
	DefaultRate          = 20
	DefaultWindow        = time.Hour
)

// Human is the destination where no route fits.
const Human = "human"

// Route sends what fits to a destination. Empty fields fit everything.
type Route struct {
	Trigger      Trigger
	Code, Source string
	To           string
}

// Target is how a destination gets word. The zero Target is the inbox: the
// record itself, which frank escalations shows.
type Target struct {
	Webhook    string   // an address
	WebhookEnv string   // or the variable that holds it
	SecretEnv  string   // the variable that holds the key of signatures
	Slack      bool     // {"text": …} in place of the record
	Insecure   bool     // plain http to a host that is not loopback
	Command    []string // or a program, run without a shell
}

func (t Target) delivers() bool { return t.Webhook != "" || t.WebhookEnv != "" || len(t.Command) > 0 }

func (r Rules) withDefaults() Rules {
	r.AfterFailures = cmp.Or(r.AfterFailures, DefaultAfterFailures)
	r.MinConfidence = cmp.Or(r.MinConfidence, DefaultMinConfidence)
	r.Rate = cmp.Or(r.Rate, DefaultRate)
	r.Window = cmp.Or(r.Window, DefaultWindow)
	return r
}

// route is where an opening goes. The agent has no say in it.
func (r Rules) route(o Opening) string {
	fits := func(want, is string) bool { return want == "" || want == is }
	for _, way := range r.Routes {
		if fits(string(way.Trigger), string(o.Trigger)) && fits(way.Code, o.Code) && fits(way.Source, o.Source) {
			return way.To
		}
	}
	return Human
}

// delivering lists the destinations that get messages.
func (r Rules) delivering() []string {
	var out []string
	for name, t := range r.Destinations {
		if t.delivers() {
			out = append(out, name)
		}
	}
	return out
}
