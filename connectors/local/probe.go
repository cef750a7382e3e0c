package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// prober proves what the directory can answer for.
type prober struct {
	source   string
	root     string
	checkout *checkout // nil: the root is no checkout
	tree     *tree
	tracker  *fileTracker // nil: there is none
}

// Probe looks at the directory and asks git for the state of the clone.
func (p *prober) Probe(ctx context.Context) connectors.Probe {
	out := connectors.Probe{State: connectors.Ready}
	if _, failure := directory(p.source, p.root, "root"); failure != nil { // LD-07
		out.State, out.Failure = connectors.Misconfigured, failure
		return out
	}
	if p.checkout != nil {
		p.checkout.forget()
	}
	fingerprint := p.root
	repo, notes := p.repoGrants(ctx)
	out.Capabilities = append(append(p.trackerGrants(ctx), repo...), p.docsGrants(ctx)...)
	out.Notes = notes
	if p.checkout != nil {
		fingerprint += "\x00" + p.checkout.top
	}
	for _, g := range repo {
		if g.Failure != nil && p.checkout != nil {
			out.State = connectors.Degraded
		}
	}
	if p.checkout != nil && out.State == connectors.Ready && p.limited(ctx) {
		out.State = connectors.Degraded
	}
	sum := sha256.Sum256([]byte(fingerprint))
	out.Fingerprint = hex.EncodeToString(sum[:4])
	return out
}

// limited reports whether the clone cannot answer every question.
func (p *prober) limited(ctx context.Context) bool {
	f, failure := p.checkout.factsNow(ctx)
	return failure != nil || f.sparse > 0 || f.uninitialised > 0 || len(f.gaps(ofHistory|ofRefs|ofLookup|ofObject)) > 0
}

// repoGrants are the capabilities that rest on the checkout.
func (p *prober) repoGrants(ctx context.Context) ([]connectors.Grant, []string) {
	state, notes := connectors.Granted, []string(nil)
	var failure *status.Failure
	if p.checkout == nil {
		f := noCheckout(p.source)
		state, failure = connectors.Unsupported, &f
	} else if facts, bad := p.checkout.factsNow(ctx); bad != nil {
		f := bad.Within(p.source, "", "")
		state, failure = connectors.Unsupported, &f
		if f.Code() == status.AccessDenied {
			state = connectors.NotGranted
		}
	} else {
		notes = facts.describe()
	}
	var out []connectors.Grant
	for _, c := range []connectors.Capability{connectors.CodeSearch, connectors.FileRead, connectors.RefRead, connectors.ChangeRead, connectors.HistoryRead} {
		out = append(out, connectors.Grant{Capability: c, State: state, Failure: failure})
	}
	return out, notes
}

// noCheckout is the answer of a source without a checkout.
func noCheckout(source string) status.Failure {
	return status.Fail(status.OperationUnsupported, status.By(source), status.Feature.Is("a repository, since its root is not the top of a Git checkout"),
		status.Remedy.Is("Make root the top of a Git checkout, or set repository to one, for source "+source+" in frank.yaml."))
}

// trackerGrants are the capabilities of the file-based tracker.
func (p *prober) trackerGrants(ctx context.Context) []connectors.Grant {
	cs := []connectors.Capability{connectors.IssueRead, connectors.ProjectRead}
	if p.tracker != nil {
		return append(p.tracker.grants(ctx, cs...), p.tracker.writeGrant(ctx))
	}
	f := p.tree.noTracker()
	var out []connectors.Grant
	for _, c := range append(cs, connectors.IssueWrite) {
		out = append(out, connectors.Grant{Capability: c, State: connectors.Unsupported, Failure: &f})
	}
	return out
}

// docsGrants are the capabilities of the document tree.
func (p *prober) docsGrants(ctx context.Context) []connectors.Grant {
	return p.tree.grants(ctx, connectors.PageSearch, connectors.PageRead)
}
