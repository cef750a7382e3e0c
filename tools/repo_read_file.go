package tools

import (
	"context"
	"strconv"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

type repoReadFileArgs struct {
	Path      string `arg:"path" need:"true" doc:"path in the repository, or a web link to the file" max:"2000"`
	Repo      string `arg:"repo" doc:"owner/name; default: the source's own" max:"256"`
	Revision  string `arg:"revision" doc:"branch, tag or commit; local default: the file as on disk" max:"256"`
	StartLine int    `arg:"start_line" doc:"from 1" min:"1" max:"100000000"`
	EndLine   int    `arg:"end_line" doc:"inclusive" min:"1" max:"100000000"`
	Source    string `arg:"source" max:"64"`
}

var repoReadFileSpec = Spec{
	Name: "repo_read_file", Title: "Read a file", Operation: "repo.read_file", Kind: connectors.KindRepo, Needs: connectors.FileRead,
	One: "file", Many: "files", Named: "path",
	Description: "Read a file of a repository, or some of its lines.",
}

var repoReadFile = tool[repoReadFileArgs]{repoReadFileSpec, readFile}

func readFile(ctx context.Context, d *Deps, a repoReadFileArgs) status.Envelope {
	if a.EndLine != 0 && a.EndLine < a.StartLine {
		return repoReadFileSpec.refuse(status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
			Name: "end_line", Reason: status.InvalidArgument.Name(), Problem: "must not be less than start_line, which is " + strconv.Itoa(a.StartLine),
		}})))
	}
	r, failure := a.target(d.reader())
	if failure != nil {
		return repoReadFileSpec.refuse(*failure)
	}
	q := one{spec: repoReadFileSpec, args: a, source: a.Source, ref: r, rest: words(r.Path, within(r.Project))}
	return askOne(ctx, d, q, func(ctx context.Context, s connectors.Source, r ref.Ref, _ string) status.Result[connectors.File] {
		return s.Repo.ReadFile(ctx, connectors.FileGet{
			Repo: r.Project, Path: r.Path, Revision: r.Revision, RevPath: r.RevPath, StartLine: r.StartLine, EndLine: r.EndLine,
		})
	})
}

// target reads path as a link only if it is one: every other text is a path as
// it stands, whatever it looks like.
func (a repoReadFileArgs) target(rd ref.Reader) (ref.Ref, *status.Failure) {
	r, err := rd.Parse(a.Path)
	if err != nil || r.URL() == "" || (r.Kind != ref.File && r.Kind != ref.Directory) {
		if err == nil && r.URL() != "" {
			f := status.Fail(status.InvalidArgument, status.Arguments.Is([]status.Argument{{
				Name: "path", Reason: status.InvalidArgument.Name(), Problem: "the link does not point to a file; it points to a " + r.Kind.String(),
			}}))
			return r, &f
		}
		r = ref.Ref{Kind: ref.File, Path: a.Path, Raw: a.Path}
	}
	if a.Repo != "" {
		r.Project = a.Repo
	}
	if a.Revision != "" {
		r.Revision, r.RevPath = a.Revision, ""
	}
	if a.StartLine != 0 || a.EndLine != 0 {
		r.StartLine, r.EndLine = a.StartLine, a.EndLine
	}
	return r, nil
}
