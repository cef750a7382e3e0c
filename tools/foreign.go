package tools

import (
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// elsewhere says that a reference leads where no source does: to what, as far as its
// host or form tells, and what would make it readable here.
func (d *Deps) elsewhere(r ref.Ref) status.Failure {
	f := d.notConnected(foreign(r)).With(status.Reference.Is(r.String()))
	if r.Host != "" {
		f = f.With(status.Host.Is(r.Host))
	}
	if mend := d.mend(r); mend != "" {
		f = f.With(status.Remedy.Is(mend))
	}
	return f
}

// covers reports whether a link leads to a configured source.
func (d *Deps) covers(r ref.Ref) bool {
	return r.URL() != "" && slices.ContainsFunc(d.Sources, func(s connectors.Source) bool { return s.Owns == nil || s.Owns(r) })
}

// ownOnly leaves out the sources that found only when they were asked that the link
// is not theirs, if there is another one that it may lead to.
func ownOnly[T connectors.Item](r ref.Ref, results []status.Result[T]) []status.Result[T] {
	if r.URL() == "" || len(results) < 2 {
		return results
	}
	own := slices.DeleteFunc(slices.Clone(results), func(x status.Result[T]) bool {
		rows := x.Rows()
		return len(rows) == 1 && slices.ContainsFunc(rows[0].Failures, func(f status.Failure) bool {
			return f.Reason() == status.ConnectorNotConfigured && f.Text("host") == r.Host
		})
	})
	if len(own) == 0 {
		return results[:1]
	}
	return own
}

// mend says what would make a reference to elsewhere readable, in sentences.
func (d *Deps) mend(r ref.Ref) string {
	known := r.Provider != "" && (r.Host == "" || r.Certain())
	near := d.addresses(func(s connectors.Source) bool { return r.OnHost(s.BaseURL) && (s.Provider == r.Provider || !known) })
	const room = 80 // a remedy is cut at 200 characters
	all := first(d.addresses(func(connectors.Source) bool { return true }), "no servers")
	if len(all) > room {
		all = "other servers"
	}
	switch {
	case known && !slices.Contains(d.Providers, r.Provider):
		return "Read " + first(r.Host, "it") + " with another tool: this version of frank can connect " + strings.Join(d.Providers, ", ") + ", but not " + r.Provider + "."
	case near != "":
		return "The source there is configured for " + near + ": correct its base_url in frank.yaml if it is meant, else add another source."
	case r.Host == "":
		return ""
	case known:
		return "Add a source with provider: " + r.Provider + " for " + r.Host + " to frank.yaml; configured are " + all + "."
	default:
		return r.Host + " is an unknown host. Add it to frank.yaml with its provider, or read it with another tool; configured are " + all + "."
	}
}

// maxAddresses bounds the servers that a sentence lists.
const maxAddresses = 4

// addresses lists the servers of those sources.
func (d *Deps) addresses(which func(connectors.Source) bool) string {
	var out []string
	for _, s := range d.Sources {
		if s.BaseURL != "" && which(s) && !slices.Contains(out, s.BaseURL) {
			out = append(out, s.BaseURL)
		}
	}
	if len(out) > maxAddresses {
		out = append(out[:maxAddresses], "others")
	}
	return strings.Join(out, ", ")
}

// foreign words what a reference would need.
func foreign(r ref.Ref) string {
	switch {
	case r.Provider != "" && (r.Host == "" || r.Certain()):
		return r.Provider
	case r.Host != "":
		return r.Host
	case r.Kind == ref.Issue && r.Number == 0:
		return "a tracker with keys such as " + r.String()
	default:
		return "a source that has " + r.String()
	}
}
