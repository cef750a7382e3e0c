// Package policy decides, before any request is made, whether a source may be
// asked about a container. It looks at names only: it never asks the source and
// never hints whether the object exists.
package policy

import (
	"strings"

	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// Policy is the set of deny rules of the configuration. The zero Policy allows
// what the allow-lists of the sources allow.
type Policy struct{ deny []rule }

type rule struct {
	text, capability, resource string
}

// New reads rules of the form "capability on glob", which the configuration has
// already checked. A rule without " on " denies the capability everywhere.
func New(deny []string) Policy {
	var p Policy
	for _, text := range deny {
		capability, resource, found := strings.Cut(text, " on ")
		if !found {
			resource = "**"
		}
		p.deny = append(p.deny, rule{text, strings.TrimSpace(capability), strings.TrimSpace(resource)})
	}
	return p
}

// Denies returns the failure for a question about that container, or nil. An
// empty container is a question about all that the account sees: only a rule
// for everything denies it.
func (p Policy) Denies(capability, container string) *status.Failure {
	for _, r := range p.deny {
		if !ref.MatchGlob(r.capability, capability) {
			continue
		}
		if r.resource == "**" || r.resource == "*" || (container != "" && ref.MatchGlob(r.resource, container)) {
			f := status.Fail(status.PolicyDenied, status.Rule.Is(r.text), status.Needs(capability))
			return &f
		}
	}
	return nil
}

// Withholds returns the failure for something that was found in that container,
// or nil. Where it was found may not be known (""): then every rule for the
// capability could be meant, and any keeps it back.
func (p Policy) Withholds(capability, container string) *status.Failure {
	if container != "" {
		return p.Denies(capability, container)
	}
	for _, r := range p.deny {
		if ref.MatchGlob(r.capability, capability) {
			f := status.Fail(status.PolicyDenied, status.Rule.Is(r.text), status.Needs(capability))
			return &f
		}
	}
	return nil
}

// Outside returns the failure for a container that the allow-list of a source
// leaves out, or nil. An empty allow-list allows everything.
func Outside(only []string, container string) *status.Failure {
	if Allowed(only, container) || container == "" {
		return nil
	}
	f := status.Fail(status.PolicyDenied, status.Rule.Is("only"))
	return &f
}

// Allowed reports whether the allow-list lets the container pass. With an
// allow-list, a container that is not known does not pass.
func Allowed(only []string, container string) bool {
	if len(only) == 0 {
		return true
	}
	for _, pattern := range only {
		if container != "" && ref.MatchGlob(pattern, container) {
			return true
		}
	}
	return false
}
