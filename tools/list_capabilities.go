package tools

import (
	"context"
	"time"

	"github.com/frank-mcp/frank/capabilities"
	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type listCapabilitiesArgs struct {
	Source  string `arg:"source" doc:"default: all" max:"64"`
	Refresh bool   `arg:"refresh" doc:"probe again now"`
}

var listCapabilitiesSpec = Spec{
	Name: "list_capabilities", Title: "List capabilities", Operation: "capabilities.list", One: "the capability manifest",
	Description: "What this server can check right now, for each source, proved by live probes, and what it is not connected to. Ask before saying that something cannot be checked.",
}

var listCapabilities = tool[listCapabilitiesArgs]{listCapabilitiesSpec, manifest}

// manifest is complete even if sources are denied or switched off: that is what
// it says. It is partial where a probe could not be made.
func manifest(ctx context.Context, d *Deps, a listCapabilitiesArgs) status.Envelope {
	if a.Source != "" {
		if _, f := d.named(a.Source, ""); f != nil {
			return listCapabilitiesSpec.refuse(*f)
		}
	}
	m := d.Manifest.Manifest(ctx, a.Source, a.Refresh)
	if ctx.Err() != nil {
		return listCapabilitiesSpec.refuse(status.Fail(status.Cancelled))
	}
	var audit status.Audit
	audit.Hold(status.Proof{Request: "probes", At: m.GeneratedAt}, status.Transport, status.Shape, status.InBand, status.Identity, status.Completeness)
	for _, s := range m.Sources {
		audit.Examined(1)
		if f, open := unprobed(s); open {
			audit.Unmade(status.Scope, f)
		}
	}
	q := listCapabilitiesSpec.question(listCapabilitiesSpec.One)
	q.Filters = echo(a)
	return status.One("frank", m, &audit).Envelope(q)
}

// unprobed is the failure that kept a probe from proving what the source can do.
func unprobed(s capabilities.Source) (status.Failure, bool) {
	if s.State != connectors.Unreachable && s.State != connectors.Unprobed {
		return status.Failure{}, false
	}
	if f := s.Failure(); f != nil {
		return f.Within(s.Source, listCapabilitiesSpec.Operation, ""), true
	}
	return status.Fail(status.Unproven, status.By(s.Source), status.CheckName.Is("probe"), status.After(10*time.Second)), true
}
