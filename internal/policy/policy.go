// Package policy decides, before any request is made, whether a source may be
// asked about a container. It looks at names only: it never asks the source and
// never hints whether the object exists.
package policy

import (
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// Names that stand in the evidence where no rule of the configuration denies, but
// a list of what is allowed leaves out.
const (
	ByOnly  = "only"
	ByAllow = "policy.allow"
)

// Policy is what the configuration denies and, if it lists that, what alone it
// allows. A deny wins over an allow. The zero Policy allows what the allow-lists
// of the sources allow.
type Policy struct {
	deny, allow []rule
	listed      bool // there is an allow list, be it empty
}

type rule struct {
	text, capability, resource string
}

// New reads rules of the form "capability on glob", which the configuration has
// already checked. A rule without " on " means everywhere. A nil allow allows
// everything that deny does not name; any other allows nothing else than it lists.
func New(allow, deny []string) Policy {
	return Policy{deny: rules(deny), allow: rules(allow), listed: allow != nil}
}

func rules(texts []string) []rule {
	var out []rule
	for _, text := range texts {
		words := strings.Fields(text)
		r := rule{text: text, resource: "**"}
		if len(words) > 0 {
			r.capability = words[0]
		}
		if len(words) == 3 {
			r.resource = words[2]
		}
		out = append(out, r)
	}
	return out
}

func (r rule) concerns(capability string) bool { return ref.MatchGlob(r.capability, capability) }

func (r rule) everywhere() bool { return r.resource == "**" || r.resource == "*" }

func (r rule) fits(container string) bool {
	return r.everywhere() || container != "" && ref.MatchGlob(r.resource, container)
}

// Denies returns the failure for a question about that container, or nil. An
// empty container is a question about all that the account sees: a deny only of
// everything denies it, and one allow of anything lets it be asked; what comes
// back goes through [Policy.Withholds].
func (p Policy) Denies(capability, container string) *status.Failure {
	if f := p.Forbids(capability, container); f != nil {
		return f
	}
	passes := func(r rule) bool { return r.concerns(capability) && (container == "" || r.fits(container)) }
	if p.listed && !slices.ContainsFunc(p.allow, passes) {
		return denied(ByAllow, capability)
	}
	return nil
}

// Forbids is [Policy.Denies] without the allow list: for another name of a
// container, which a deny may speak of, while what is allowed is listed under its own.
func (p Policy) Forbids(capability, container string) *status.Failure {
	for _, r := range p.deny {
		if r.concerns(capability) && r.fits(container) {
			return denied(r.text, capability)
		}
	}
	return nil
}

// Withholds returns the failure for something that was found in that container,
// or nil. Where it was found may not be known (""): then every deny for the
// capability could be meant, and any keeps it back; of the allowed, only what is
// allowed everywhere lets it pass.
func (p Policy) Withholds(capability, container string) *status.Failure {
	if container != "" {
		return p.Denies(capability, container)
	}
	for _, r := range p.deny {
		if r.concerns(capability) {
			return denied(r.text, capability)
		}
	}
	passes := func(r rule) bool { return r.concerns(capability) && r.everywhere() }
	if p.listed && !slices.ContainsFunc(p.allow, passes) {
		return denied(ByAllow, capability)
	}
	return nil
}

// Everywhere returns the failure for a capability that no container can have, or
// nil. It is what a manifest can say before anything was asked.
func (p Policy) Everywhere(capability string) *status.Failure { return p.Denies(capability, "") }

func denied(rule, capability string) *status.Failure {
	f := status.Fail(status.PolicyDenied, status.Rule.Is(rule), status.Needs(capability))
	return &f
}

// Outside returns the failure for a container that the allow-list of a source
// leaves out, or nil. An empty allow-list allows everything.
func Outside(only []string, container string) *status.Failure {
	if Allowed(only, container) || container == "" {
		return nil
	}
	f := status.Fail(status.PolicyDenied, status.Rule.Is(ByOnly))
	return &f
}

// LeftOut reports whether a policy_denied was no rule against, but a list of what
// is allowed that does not have it.
func LeftOut(f status.Failure) bool {
	rule := f.Text("rule")
	return f.Reason() == status.PolicyDenied && (rule == ByOnly || rule == ByAllow)
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
