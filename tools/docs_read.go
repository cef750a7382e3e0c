package tools

import (
	"context"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

type docsReadArgs struct {
	Ref     string `arg:"ref" need:"true" doc:"path, title, id or web link of the document" max:"2000"`
	Section string `arg:"section" doc:"heading or its slug" max:"256"`
	Source  string `arg:"source" max:"64"`
}

var docsReadSpec = Spec{
	Name: "docs_read", Title: "Read a document", Operation: "docs.read", Kind: connectors.KindDocs, Needs: connectors.PageRead,
	One: "document", Many: "documents", Named: "ref",
	Description: "Read a document as Markdown, with its outline, or one section of it.",
}

var docsRead = tool[docsReadArgs]{docsReadSpec, readDoc}

func readDoc(ctx context.Context, d *Deps, a docsReadArgs) status.Envelope {
	r, failure := d.parseRef("ref", a.Ref)
	if failure != nil {
		return docsReadSpec.refuse(*failure)
	}
	q := one{spec: docsReadSpec, args: a, source: a.Source, ref: as(r, ref.Page, ref.File), rest: words(r.String(), inSection(a.Section))}
	return askOne(ctx, d, q, func(ctx context.Context, s connectors.Source, r ref.Ref, _ string) status.Result[connectors.Page] {
		return s.Docs.Read(ctx, connectors.PageGet{Ref: r, Section: first(a.Section, r.Anchor)})
	})
}

func inSection(section string) string {
	if section == "" {
		return ""
	}
	return " (section “" + status.Line(section, maxWord) + "”)"
}
