package github

import (
	"context"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// open finds and reads the document that a reference names: a path, a link, a
// directory or repository for its README, or a title.
func (d documents) open(ctx context.Context, r ref.Ref) (blob, *unfound) {
	project := r.Project
	if isText(r) && r.Kind != ref.Repository && r.Revision == "" { // a path, of which owner/name was only a reading
		project = ""
	}
	switch r.Kind {
	case ref.File:
		return d.load(ctx, "ref", connectors.FileGet{Repo: project, Path: r.Path, Revision: r.Revision})
	case ref.Directory, ref.Repository:
		if isText(r) && r.Path != "" && d.project != "" && !strings.EqualFold(r.Path, d.project) {
			if b, ok := d.below(ctx, r.Path); ok {
				return b, nil
			}
		}
		dir := r.Path
		if r.Kind == ref.Repository {
			dir = ""
		}
		return d.readme(ctx, project, dir, r.Revision)
	case ref.Page:
		return blob{}, stop(d.wiki(ctx, project))
	case ref.Unknown:
		if r.Host == "" && r.Raw != "" {
			return d.titled(ctx, r.Raw)
		}
	default:
	}
	return blob{}, stop(d.badArgument("ref", "is not the address of a document in a repository"))
}

// below tries a text such as docs/guide, which may as well name a repository, as
// a document without its ending or a directory of the default project.
func (d documents) below(ctx context.Context, name string) (blob, bool) {
	p, u := d.place(ctx, "ref", "", "")
	if u != nil {
		return blob{}, false
	}
	t, f := d.readTree(ctx, p.repo.name, p.treeish, true)
	if f != nil {
		return blob{}, false
	}
	for _, e := range filesOf(t, isDocument) {
		if strings.EqualFold(strings.TrimSuffix(e.Path, path.Ext(e.Path)), name) {
			b, u := d.load(ctx, "ref", connectors.FileGet{Path: e.Path})
			return b, u == nil
		}
	}
	if _, ok := t.find(name); !ok {
		return blob{}, false
	}
	b, u := d.readme(ctx, "", name, "")
	return b, u == nil
}

// wiki says why its pages are not read. GH-64.
func (d documents) wiki(ctx context.Context, project string) *status.Failure {
	f := status.Fail(status.OperationUnsupported, status.Feature.Is("the pages of a wiki, which GitHub keeps outside its REST interface"),
		status.Container.Is(project), status.Fallback("clone "+d.web.JoinPath(project+".wiki.git").String()+" and add it as a source with provider: local"))
	name, bad := d.repo("ref", project)
	if bad != nil {
		return &f
	}
	if k, hidden := d.visible(ctx, name); hidden == nil && !k.hasWiki {
		f = status.Fail(status.FeatureDisabled, status.Feature.Is("the wiki"), status.Container.Is(name.String()))
	}
	return &f
}

// readme reads what GitHub shows below the listing of a directory.
func (d documents) readme(ctx context.Context, project, dir, revision string) (blob, *unfound) {
	name, f := d.repo("ref", project)
	if f != nil {
		return blob{}, stop(f)
	}
	k := repoCall(name, "/readme", "readme")
	if dir, f = d.cleanPath(dir); f != nil {
		return blob{}, stop(f)
	}
	if dir != "" {
		k = repoCall(name, "/readme/{dir}", append([]string{"readme"}, strings.Split(dir, "/")...)...)
	}
	if revision != "" {
		k.query = map[string][]string{"ref": {revision}}
	}
	if f := d.revision(revision); f != nil {
		return blob{}, stop(f)
	}
	k.maxBody = maxTree
	w, x, f := one[wireContent](ctx, d.client, k)
	switch {
	case f == nil:
	case x != nil && x.Status == http.StatusNotFound && f.Reason() == status.AbsentOrHidden:
		return d.noReadme(ctx, connectors.FileGet{Repo: project, Path: dir, Revision: revision})
	default:
		return blob{}, stop(about(f, name, path.Join(dir, "README")))
	}
	p, f := d.seen(ctx, x, w, place{repo: container{name: name}, revision: revision})
	if f != nil {
		return blob{}, stop(f)
	}
	return d.fill(ctx, blob{wireContent: w, at: p, x: x, kind: *w.Type, from: name})
}

// noReadme answers for a directory without README by the listing of it.
func (d documents) noReadme(ctx context.Context, q connectors.FileGet) (blob, *unfound) {
	p, u := d.place(ctx, "ref", q.Repo, q.Revision)
	if u != nil && u.failure.Reason() == status.FilterUnresolved && q.Path != "" {
		revision, rest, f := d.border(ctx, p.repo.name, q.Revision+"/"+q.Path)
		if f == nil && revision != "" && revision != q.Revision {
			return d.readme(ctx, q.Repo, rest, revision)
		}
	}
	if u != nil {
		return blob{}, u
	}
	treeish, dir := p.treeish, ""
	if q.Path != "" {
		e, u := d.walk(ctx, p, q.Path)
		if u != nil {
			return blob{}, u
		}
		if e.kind() != "dir" {
			return d.load(ctx, "ref", q)
		}
		treeish, dir = e.SHA, q.Path+"/"
	}
	t, f := d.readTree(ctx, p.repo.name, treeish, false)
	if f != nil {
		return blob{}, stop(f)
	}
	for _, e := range t.entries {
		if e.kind() == "file" && strings.HasPrefix(strings.ToLower(e.Path), "readme") {
			q.Path = dir + e.Path
			return d.load(ctx, "ref", q)
		}
	}
	return blob{}, d.notInTree(ctx, p, t, spot{dir, dir + "README"})
}

// titled finds a document of the default project by its name or title.
func (d documents) titled(ctx context.Context, title string) (blob, *unfound) {
	p, u := d.place(ctx, "ref", "", "")
	if u != nil {
		return blob{}, u
	}
	t, f := d.readTree(ctx, p.repo.name, p.treeish, true)
	if f != nil {
		return blob{}, stop(f)
	}
	files := filesOf(t, isDocument)
	fits := slices.DeleteFunc(slices.Clone(files), func(e wireEntry) bool { return !called(e.Path, title) })
	if len(fits) == 0 && !t.truncated && d.scannable(files) {
		read, f := d.scan(ctx, p.repo.name, files)
		if f != nil {
			return blob{}, stop(f)
		}
		for _, got := range read {
			format, _ := markup.FormatOf(got.entry.Path)
			if markup.Fold(markup.Title(format, got.text, got.entry.Path)) == markup.Fold(title) {
				fits = append(fits, got.entry)
			}
		}
		if i := slices.IndexFunc(read, func(got content) bool { return got.skip != "" }); i >= 0 && len(fits) == 0 {
			f := status.Fail(status.ContentNotIncluded, status.Path.Is(read[i].entry.Path), status.Part.Is("binary files or Git LFS"))
			return blob{}, stop(&f)
		}
		if closed := closedIn(t, ""); closed["submodules"] > 0 && len(fits) == 0 { // GH-48: it may be in there
			f := status.Fail(status.ContentNotIncluded, status.Reference.Is(title), status.Skipped.Is(closed), status.Part.Is("submodules"))
			return blob{}, stop(&f)
		}
		if len(fits) == 0 {
			return blob{}, d.notInTree(ctx, p, t, spot{"", title})
		}
	}
	if len(fits) == 1 {
		return d.load(ctx, "ref", connectors.FileGet{Path: fits[0].Path})
	}
	reason := status.NoCandidates
	if len(fits) > 1 {
		reason = status.AmbiguousTarget
	}
	var among []status.Candidate
	for _, e := range fits {
		among = append(among, status.Candidate{Ref: e.Path, Source: d.source})
	}
	lost := status.Fail(reason, status.WasCalled, status.Reference.Is(title), status.Container.Is(p.repo.name.String()),
		status.Among(among...), status.Fallback("look for words of it with docs_search, or list the documents with docs_list"))
	return blob{}, stop(&lost)
}

// called reports whether a document goes by that name: its path, its file's
// name with or without ending, in any case and with any punctuation.
func called(file, title string) bool {
	base := path.Base(file)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.EqualFold(file, title) || strings.EqualFold(base, title) ||
		(markup.Slug(title) != "" && markup.Slug(strings.ReplaceAll(stem, "_", "-")) == markup.Slug(title))
}
