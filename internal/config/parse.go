package config

import (
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/frank-mcp/frank/internal/pattern"
)

// Parse reads a configuration. The path names it in errors, and relative
// paths in it count from that path's folder. Connected names the providers that
// this version can connect, for the texts of faults only: others are valid, since
// their sources answer that they cannot be asked. The error is of type Faults and
// lists everything that is wrong.
func Parse(path string, data []byte, connected ...string) (*Config, error) {
	r := &reader{path: path, connected: connected}
	c := &Config{Path: path, Retry: DefaultRetry(), IdempotencyWindow: DefaultIdempotencyWindow}
	if doc := r.document(data); doc != nil && !isNull(doc) {
		r.mapping(doc, "the file", []key{
			{"sources", func(n ast.Node) { c.Sources = r.sources(n) }},
			{"writes", func(n ast.Node) { c.Writes = r.boolean(n, "writes") }},
			{"idempotency_window", func(n ast.Node) { r.window(n, &c.IdempotencyWindow) }},
			{"policy", func(n ast.Node) { c.Policy = r.policy(n) }},
			{"escalation", func(n ast.Node) { c.Escalation = r.escalation(n) }},
			{"retry", func(n ast.Node) { r.retry(n, &c.Retry) }},
		})
	}
	if len(r.faults) > 0 {
		return nil, r.faults.sorted()
	}
	return c, nil
}

func (r *reader) sources(n ast.Node) []Source {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		if r.plain(n) {
			r.fault(n, "sources must be a list; begin each source with a dash: - name: ...")
		}
		return nil
	}
	first := map[string]int{}
	var list []Source
	for _, v := range seq.Values {
		s, at := r.source(v)
		if line, dup := first[s.Name]; dup && s.Name != "" {
			r.fault(at["name"], "the name %q is taken by the source on line %d; names must be unique", s.Name, line)
		} else if s.Name != "" {
			first[s.Name] = s.Line
		}
		list = append(list, s)
	}
	return list
}

func (r *reader) policy(n ast.Node) Policy {
	var p Policy
	r.mapping(n, "policy", []key{
		{"allow", func(n ast.Node) {
			p.Allow = r.rules(n, "allow")
			if seq, ok := n.(*ast.SequenceNode); ok && len(seq.Values) == 0 {
				r.fault(n, "allow is an empty list, by which nothing at all may be asked; list something or remove the key")
			}
		}},
		{"deny", func(n ast.Node) { p.Deny = r.rules(n, "deny") }},
	})
	return p
}

func (r *reader) rules(n ast.Node, name string) []string {
	list := r.texts(n, name)
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		return list
	}
	for _, v := range seq.Values {
		s, isText := v.(*ast.StringNode)
		if !isText || strings.TrimSpace(s.Value) == "" {
			continue
		}
		if _, ok := ParseRule(s.Value); !ok {
			r.fault(v, "a rule of %s reads \"capability on glob\", such as \"tracker.issue:write on acme/secret\" or \"*:write on *\"", name)
		}
	}
	return list
}

func (r *reader) retry(n ast.Node, retry *Retry) {
	set := func(name string, to *time.Duration, within span) key {
		return key{name, func(n ast.Node) {
			if d, ok := r.duration(n, name, within); ok {
				*to = d
			}
		}}
	}
	r.mapping(n, "retry", []key{
		{"max_attempts", func(n ast.Node) {
			v, ok := n.(*ast.IntegerNode)
			if !ok {
				r.fault(n, "max_attempts must be a whole number from 1 to 10")
				return
			}
			attempts, err := strconv.Atoi(v.GetToken().Value)
			if err != nil || attempts < 1 || attempts > 10 {
				r.fault(n, "max_attempts must be a whole number from 1 to 10; 1 means no second attempt")
				return
			}
			retry.MaxAttempts = attempts
		}},
		set("budget", &retry.Budget, span{time.Millisecond, 10 * time.Minute}),
		set("timeout", &retry.Timeout, span{time.Millisecond, 5 * time.Minute}),
		set("cooldown", &retry.Cooldown, span{0, 24 * time.Hour}),
	})
}

// Rule is one line of policy.allow or policy.deny.
type Rule struct {
	// Capability is a glob over capability ids ("tracker.issue:write").
	Capability string
	// On is a glob over projects, repositories or spaces.
	On string
}

var ruleShape = pattern.New(`^\s*([a-z*][a-z0-9_.*]*(?::[a-z*]+)?)\s+on\s+(\S+)\s*$`)

// ParseRule reads "capability on glob"; false if s is anything else.
func ParseRule(s string) (Rule, bool) {
	m := ruleShape.FindStringSubmatch(s)
	if m == nil {
		return Rule{}, false
	}
	return Rule{Capability: m[1], On: m[2]}, true
}
