package config

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/frank-mcp/frank/internal/pattern"
)

// Escalation says when a question is handed to a person, and to whom. Zero fields
// mean that the file says nothing.
type Escalation struct {
	// AfterFailures is how often a dependency fails, after its retries, before that
	// is escalated.
	AfterFailures int
	// MinConfidence is below which low confidence may be escalated.
	MinConfidence float64
	// Rate is how many escalations a destination is told of one by one in a Window.
	Rate   int
	Window time.Duration
	// Quiet: destinations are not told of the end of an escalation.
	Quiet  bool
	Routes []Route
	// Destinations by name: human, supervisor, specialist:NAME.
	Destinations map[string]Destination
}

// Route sends escalations to a destination; empty fields fit all.
type Route struct{ Trigger, Code, Source, To string }

// Destination is how somebody gets word. With all fields zero it is the inbox.
type Destination struct {
	Webhook, WebhookEnv, SecretEnv string
	Slack                          bool
	Insecure                       bool
	Command                        []string
}

// triggers are the valid values of trigger in a route.
var triggers = []string{"policy_denied", "scope_outside_policy", "repeated_failure", "write_outcome_unknown", "low_confidence", "ambiguous_intent"}

var codes = []string{"INPUT_MISSING", "REFERENCE_UNRESOLVED", "CAPABILITY_UNAVAILABLE", "ACCESS_DENIED", "SOURCE_UNRELIABLE"}

var destinationShape = pattern.New(`^(human|supervisor|specialist:[a-z][a-z0-9-]{0,39})$`)

const destinationNames = "human, supervisor or specialist:NAME (small letters, digits and dashes)"

func (r *reader) escalation(n ast.Node) Escalation {
	var e Escalation
	to := map[string]ast.Node{}
	r.mapping(n, "escalation", []key{
		{"after_failures", func(n ast.Node) { e.AfterFailures = r.count(n, "after_failures", 100) }},
		{"min_confidence", func(n ast.Node) { e.MinConfidence = r.share(n, "min_confidence") }},
		{"rate", func(n ast.Node) { r.rate(n, &e) }},
		{"tell_end", func(n ast.Node) { e.Quiet = !r.boolean(n, "tell_end") }},
		{"routes", func(n ast.Node) { e.Routes = r.routes(n, to) }},
		{"destinations", func(n ast.Node) { e.Destinations = r.destinations(n) }},
	})
	for name, at := range to {
		if _, ok := e.Destinations[name]; !ok && name != "human" {
			r.fault(at, "%s is not among destinations; add it there, be it as %s: {inbox: true}", show(name), name)
		}
	}
	return e
}

func (r *reader) count(n ast.Node, name string, most int) int {
	v, ok := n.(*ast.IntegerNode)
	if ok {
		if i, err := strconv.Atoi(v.GetToken().Value); err == nil && i >= 1 && i <= most {
			return i
		}
	}
	r.fault(n, "%s must be a whole number from 1 to %d", name, most)
	return 0
}

// share reads a number above 0 and up to 1.
func (r *reader) share(n ast.Node, name string) float64 {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		if x, err := strconv.ParseFloat(n.GetToken().Value, 64); err == nil && x > 0 && x <= 1 {
			return x
		}
	}
	r.fault(n, "%s must be a number above 0 and up to 1, such as 0.7", name)
	return 0
}

func (r *reader) rate(n ast.Node, e *Escalation) {
	r.mapping(n, "rate", []key{
		{"new", func(n ast.Node) { e.Rate = r.count(n, "new", 10_000) }},
		{"window", func(n ast.Node) {
			if d, ok := r.duration(n, "window", span{time.Second, 7 * 24 * time.Hour}); ok {
				e.Window = d
			}
		}},
	})
}

func (r *reader) routes(n ast.Node, to map[string]ast.Node) []Route {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		if r.plain(n) {
			r.fault(n, "routes must be a list, such as [{trigger: policy_denied, to: supervisor}]")
		}
		return nil
	}
	var out []Route
	for _, v := range seq.Values {
		var way Route
		at, ok := r.mapping(v, "a route", []key{
			{"trigger", func(n ast.Node) { way.Trigger = r.oneOf(n, "trigger", triggers) }},
			{"code", func(n ast.Node) { way.Code = r.oneOf(n, "code", codes) }},
			{"source", func(n ast.Node) { way.Source, _ = r.text(n, "source") }},
			{"to", func(n ast.Node) {
				way.To = r.destinationName(n, "to")
				if _, seen := to[way.To]; !seen && way.To != "" {
					to[way.To] = n
				}
			}},
		})
		if _, named := at["to"]; ok && !named {
			r.fault(v, "a route needs to: the destination that gets what fits")
		}
		out = append(out, way)
	}
	return out
}

func (r *reader) oneOf(n ast.Node, name string, valid []string) string {
	s, ok := r.text(n, name)
	if ok && !slices.Contains(valid, s) {
		r.fault(n, "%s must be one of %s", name, strings.Join(valid, ", "))
		return ""
	}
	return s
}

func (r *reader) destinationName(n ast.Node, name string) string {
	s, ok := r.text(n, name)
	if ok && !destinationShape.MatchString(s) {
		r.fault(n, "%s must be %s", name, destinationNames)
		return ""
	}
	return s
}

func (r *reader) destinations(n ast.Node) map[string]Destination {
	pairs, ok := r.pairs(n, "destinations")
	if !ok {
		return nil
	}
	out := map[string]Destination{}
	for _, p := range pairs {
		name, ok := r.keyName(p.Key, "destinations")
		switch _, twice := out[name]; {
		case !ok:
			continue
		case !destinationShape.MatchString(name):
			r.fault(p.Key, "a destination must be %s", destinationNames)
			continue
		case twice:
			r.fault(p.Key, "%s is given twice in destinations; keep one", name)
			continue
		}
		out[name] = r.destination(p.Value)
	}
	return out
}

func (r *reader) destination(n ast.Node) Destination {
	var d Destination
	var ways []string
	way := func(name string, read func(ast.Node)) key {
		return key{name, func(n ast.Node) {
			ways = append(ways, name)
			read(n)
		}}
	}
	format := ""
	before := len(r.faults)
	at, ok := r.mapping(n, "a destination", []key{
		way("inbox", func(n ast.Node) { r.onlyTrue(n, "inbox") }),
		way("webhook", func(n ast.Node) { d.Webhook = r.webhook(n) }),
		way("webhook_env", func(n ast.Node) { d.WebhookEnv = r.variable(n, "webhook_env") }),
		way("command", func(n ast.Node) { d.Command = r.commandOf(n) }),
		{"secret_env", func(n ast.Node) { d.SecretEnv = r.variable(n, "secret_env") }},
		{"format", func(n ast.Node) { format = r.oneOf(n, "format", []string{"json", "slack"}) }},
		{"insecure", func(n ast.Node) { d.Insecure = r.boolean(n, "insecure") }},
	})
	d.Slack = format == "slack"
	hook := slices.Contains(ways, "webhook") || slices.Contains(ways, "webhook_env")
	switch {
	case !ok || len(r.faults) > before:
	case len(ways) != 1:
		r.fault(n, "a destination needs exactly one of inbox: true, webhook, webhook_env and command")
	case hook && !d.Slack && d.SecretEnv == "":
		r.fault(n, "a webhook needs secret_env: the variable that holds the key of its signatures")
	case !hook && (at["secret_env"] != nil || at["format"] != nil || at["insecure"] != nil):
		r.fault(n, "secret_env, format and insecure belong to a webhook")
	case strings.HasPrefix(d.Webhook, "http://") && !d.Insecure && !isLoopback(d.Webhook):
		r.fault(n, "webhook must begin with https:// unless the host is this machine; insecure: true allows it")
	}
	return d
}

func (r *reader) webhook(n ast.Node) string {
	s, ok := r.text(n, "webhook")
	if !ok {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "":
		r.fault(n, "webhook must be an address such as https://example.com/hook, without user and fragment")
	case strings.EqualFold(u.Hostname(), "hooks.slack.com") || u.RawQuery != "":
		r.fault(n, "the address of this webhook is or may hold a secret; put it into an environment variable and write webhook_env: NAME")
	default:
		return s
	}
	return ""
}

func isLoopback(address string) bool {
	u, err := url.Parse(address)
	return err == nil && loopback(u.Hostname())
}

// variable reads the name of an environment variable.
func (r *reader) variable(n ast.Node, name string) string {
	s, ok := r.text(n, name)
	switch {
	case !ok:
	case looksSecret(s) || !envShape.MatchString(s):
		r.fault(n, "%s must be the bare name of an environment variable: letters, digits and _, without $ or braces; the secret itself is never written in this file", name)
	default:
		return s
	}
	return ""
}

func (r *reader) commandOf(n ast.Node) []string {
	if _, ok := n.(*ast.StringNode); ok {
		r.fault(n, "command must be a list, since no shell runs it; write the program and each argument apart, such as [notify-send, frank]")
		return nil
	}
	return r.someTexts(n, "command")
}
