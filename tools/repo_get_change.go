package tools

import (
	"context"
	"slices"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

type repoGetChangeArgs struct {
	Ref     string   `arg:"ref" need:"true" doc:"pull or merge request (owner/repo#12, #12, link), commit, or a...b" max:"2000"`
	Include []string `arg:"include" enum:"files,diff,comments,reviews,checks"`
	Source  string   `arg:"source" max:"64"`
	Cursor  string   `arg:"cursor" max:"12000"`
}

var repoGetChangeSpec = Spec{
	Name: "repo_get_change", Title: "Read a change", Operation: "repo.get_change", Kind: connectors.KindRepo, Needs: connectors.ChangeRead,
	One: "change", Many: "changes", Named: "ref",
	Description: "Read a pull or merge request, a commit or a comparison of two revisions, with the parts included.",
}

var repoGetChange = tool[repoGetChangeArgs]{repoGetChangeSpec, getChange}

func getChange(ctx context.Context, d *Deps, a repoGetChangeArgs) status.Envelope {
	r, failure := d.parseRef("ref", a.Ref)
	if failure != nil {
		return repoGetChangeSpec.refuse(*failure)
	}
	q := one{
		spec: repoGetChangeSpec, args: a, source: a.Source, ref: as(r, ref.Change, ref.Commit, ref.Compare), cursor: a.Cursor, rest: r.String(),
	}
	return askOne(ctx, d, q, func(ctx context.Context, s connectors.Source, r ref.Ref, cursor string) status.Result[connectors.Change] {
		has := func(part string) bool { return slices.Contains(a.Include, part) }
		return s.Repo.GetChange(ctx, connectors.ChangeGet{
			Ref: r, Files: has("files"), Diff: has("diff"), Comments: has("comments"), Reviews: has("reviews"), Checks: has("checks"), Cursor: cursor,
		})
	})
}
