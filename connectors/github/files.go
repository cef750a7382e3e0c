package github

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// mediaObject makes the contents endpoint say what it answers for, a file or a
// directory, and serve the names of files that are too large for it. GH-47.
const mediaObject = "application/vnd.github.object+json"

// maxFile bounds the file of which lines are read. GitHub serves up to 100 MB.
const maxFile = 16 << 20

// blob is a file as the repository holds it.
type blob struct {
	wireContent
	at   place
	data []byte
	x    *upstream.Exchange // the answer that held the data
	kind string             // file, symlink, submodule
	from repoName           // that was asked
}

// ReadFile reads a file or some of its lines. What GitHub keeps elsewhere (a
// submodule, Git LFS) or is no text makes the answer partial.
func (r repository) ReadFile(ctx context.Context, q connectors.FileGet) status.Result[connectors.File] {
	b, u := r.load(ctx, "repo", q)
	if u != nil {
		return unread[connectors.File](r.source, u)
	}
	a := r.audit(ctx, b.x)
	var s scrub
	file := connectors.File{
		Origin: r.fileOrigin(b.at, b.Path, "file"), Repo: b.at.repo.name.String(), Path: b.Path,
		Revision: b.at.revision, SHA: s.word(b.SHA), SizeBytes: max(b.size(), int64(len(b.data))),
	}
	if f := b.elsewhere(); f != nil {
		file.Target = b.target(&s)
		file.Removed = s.removed
		a.Fail(status.Completeness, *f)
		return status.One(r.source, file, a)
	}
	if misnamed(b.SHA, b.data) {
		a.Unprovable(noteHash)
	}
	text, encoding, ok := markup.Decode(b.data)
	if !ok {
		a.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.Part.Is("binary content"),
			status.Path.Is(b.Path), status.SizeBytes.Is(b.size())))
		return status.One(r.source, file, a)
	}
	if encoding.Charset != markup.UTF8 {
		file.Encoding = encoding.String()
	}
	text = s.plain(text)
	file.Removed = s.removed
	w := linesOf(text, q.StartLine, q.EndLine)
	if w.beyond || (q.EndLine > 0 && q.EndLine < q.StartLine) {
		return status.Failed[connectors.File](r.source, r.badArgument("start_line",
			"is beyond the last line or after end_line; the file has "+strconv.Itoa(w.total)+" lines").With(status.WasCalled, status.Total.Is(w.total)))
	}
	file.Text, file.StartLine, file.EndLine, file.TotalLines = w.text, w.start, w.end, w.total
	switch {
	case w.cut:
		a.Fail(status.Completeness, cutAfter(b.Path, w))
	case markup.IsLFSPointer(b.data): // GH-48
		a.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.Part.Is("Git LFS"), status.Path.Is(b.Path)))
	default:
		a.Hold(b.x.Proof(), status.Completeness)
	}
	return status.One(r.source, file, a)
}

// cutAfter names the lines that come next. HT-17.
func cutAfter(path string, w window) status.Failure {
	next := "a single line is longer than one answer holds; read the file in a clone"
	if w.end < w.total {
		next = "call repo_read_file again with start_line=" + strconv.Itoa(w.end+1)
	}
	return status.Fail(status.OwnCap, status.Path.Is(path), status.Total.Is(w.total), status.Limit.Is(maxLines), status.Fallback(next))
}

// elsewhere says where the content of something that is no plain file is kept. GH-48.
func (b blob) elsewhere() *status.Failure {
	part := b.kind
	switch b.kind {
	case "file":
		return nil
	case "submodule":
		if isHash(b.SHA) {
			part += " at commit " + b.SHA
		}
	}
	f := status.Fail(status.ContentNotIncluded, status.Part.Is(part), status.Path.Is(b.Path))
	return &f
}

// target is where the content of a symlink or submodule is.
func (b blob) target(s *scrub) string {
	if b.SubmoduleGitURL != nil {
		return s.path(withoutUser(*b.SubmoduleGitURL))
	}
	return s.path(b.Target)
}

// asked is the repository to ask for more of the file.
func (b blob) asked() repoName {
	if b.at.repo.name == (repoName{}) {
		return b.from
	}
	return b.at.repo.name
}

// withoutUser takes a user name and password out of a Git address.
func withoutUser(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	host, path, _ := strings.Cut(rest, "/")
	return scheme + "://" + host[strings.LastIndexByte(host, '@')+1:] + "/" + path
}

// load reads what stands at a path. argument is how the caller names the repository.
func (c *client) load(ctx context.Context, argument string, q connectors.FileGet) (blob, *unfound) {
	name, f := c.repo(argument, q.Repo)
	if f != nil {
		return blob{}, stop(f)
	}
	path, f := c.cleanPath(q.Path)
	if f != nil {
		return blob{}, stop(f)
	}
	if path == "" {
		return blob{}, stop(c.badArgument("path", "must name a file"))
	}
	if f := c.revision(q.Revision); f != nil {
		return blob{}, stop(f)
	}
	k := repoCall(name, "/contents/{path}", append([]string{"contents"}, strings.Split(path, "/")...)...)
	k.accept, k.maxBody = mediaObject, maxTree
	if q.Revision != "" {
		k.query = map[string][]string{"ref": {q.Revision}}
	}
	w, x, f := one[wireContent](ctx, c, k)
	switch {
	case f == nil:
	case x != nil && f.Reason() == status.ShapeError && bytes.HasPrefix(x.Body, []byte("[")):
		return blob{}, stop(c.isDirectory(path, nil)) // as older servers answer
	case x != nil && x.Status == http.StatusNotFound && f.Reason() == status.AbsentOrHidden:
		return c.notServed(ctx, argument, q, path)
	default:
		return blob{}, stop(about(f, name, path))
	}
	p, f := c.seen(ctx, x, w, place{repo: container{name: name}, revision: q.Revision})
	if f != nil {
		return blob{}, stop(f)
	}
	b := blob{wireContent: w, at: p, x: x, kind: *w.Type, from: name}
	b.Path = path
	if w.SubmoduleGitURL != nil {
		b.kind = "submodule"
	}
	if w.Path != "" && strings.Trim(w.Path, "/") != path && b.kind != "dir" {
		if f := c.throughLink(ctx, x, p, path); f != nil {
			return blob{}, stop(f)
		}
	}
	return c.fill(ctx, b)
}

// throughLink allows an answer for another path than was asked only where the
// path is a symbolic link: GitHub answers for the file that it points to.
func (c *client) throughLink(ctx context.Context, x *upstream.Exchange, p place, path string) *status.Failure {
	p, u := c.place(ctx, "repo", p.repo.name.String(), p.revision)
	if u == nil {
		var e wireEntry
		if e, u = c.walk(ctx, p, path); u == nil && e.kind() == "symlink" {
			return nil
		}
	}
	return x.Contradicts("another path came back")
}

func about(f *status.Failure, r repoName, path string) *status.Failure {
	named := f.With(status.Container.Is(r.String()), status.Path.Is(path), status.Reference.Is(path))
	return &named
}

// seen is the place of a file that was read: the answer itself shows that the
// repository and revision are there. What they are called is only decoration,
// but which repository it is decides whether it may be told: the one asked, unless
// a redirect, its own record or the answer shows another.
func (c *client) seen(ctx context.Context, x *upstream.Exchange, w wireContent, asked place) (place, *status.Failure) {
	name := asked.repo.name
	k, f := c.visible(ctx, name)
	if f != nil && (f.Reason() == status.PolicyDenied || f.Reason() == status.Contradictory) {
		return asked, f
	}
	if f != nil {
		k = container{name: name}
	}
	if f != nil || x.Location != "" && !k.moved {
		if k.name, f = c.home(ctx, x, name, w.HTMLURL); f != nil {
			return asked, f
		}
	} else if says, ok := repoIn(w.HTMLURL); ok && !k.moved {
		if f = c.admits(ctx, says, name); f != nil {
			return asked, f
		}
	}
	if k.branch == "" {
		k.branch = "HEAD"
	}
	if asked.revision == "" {
		asked.revision = k.branch
	}
	return place{repo: k, revision: asked.revision}, nil
}

// fill gets the content where the first answer left it out. GH-47.
func (c *client) fill(ctx context.Context, b blob) (blob, *unfound) {
	switch {
	case b.kind == "dir":
		return b, stop(c.isDirectory(b.Path, b.Entries))
	case b.kind != "file":
		return b, nil
	case b.Bytes == nil && b.Content == "":
		return b, stop(b.x.Misshapen("size"))
	case b.size() == 0 && b.Content == "" && b.filled:
		return b, nil
	case b.size() > maxFile:
		f := status.Fail(status.OwnCap, status.Path.Is(b.Path), status.SizeBytes.Is(b.size()), status.Limit.Is(maxFile),
			status.Fallback("read the file in a clone"))
		return b, stop(&f)
	case b.Encoding == "base64" && b.Content != "":
		data, f := unbase64(b.x, b.Content)
		if f != nil {
			return b, stop(f)
		}
		if b.data = data; b.Bytes != nil && int64(len(data)) != b.size() {
			return b, stop(b.x.Contradicts("the size does not fit the content"))
		}
	default:
		data, x, f := c.blobOf(ctx, b.asked(), wireEntry{SHA: b.SHA, Size: b.size()})
		if f != nil {
			return b, stop(about(f, b.at.repo.name, b.Path))
		}
		b.data, b.x = data, x
	}
	if len(b.data) == 0 {
		return b, stop(b.x.Misshapen("content"))
	}
	return b, nil
}

// isDirectory refuses to read a directory as a file, and says what is in it.
func (c *client) isDirectory(path string, entries *[]wireContent) *status.Failure {
	var inside []status.Candidate
	if entries != nil {
		for _, e := range *entries {
			inside = append(inside, status.Candidate{Ref: e.Path, Source: c.source})
		}
	}
	f := status.Fail(status.WrongKind, status.Reference.Is(path), status.Path.Is(path), status.Part.Is("a directory"),
		status.Among(inside...), status.Fallback("list it with repo_list, path="+path))
	return &f
}

// notServed answers for a path that the contents endpoint does not have. The
// directories above it, each read whole, show whether it is there.
func (c *client) notServed(ctx context.Context, argument string, q connectors.FileGet, path string) (blob, *unfound) {
	p, u := c.place(ctx, argument, q.Repo, q.Revision)
	if u != nil && u.failure.Reason() == status.FilterUnresolved && strings.Contains(path, "/") {
		return c.loadAcross(ctx, q, path, u)
	}
	if u != nil {
		return blob{}, u
	}
	e, u := c.walk(ctx, p, path)
	if u != nil {
		return blob{}, u
	}
	// GH-10: it is in the listing of its directory, so it is there and kept from us.
	f := status.Fail(status.NetworkPolicyBlocked, status.HTTPStatus.Is(http.StatusNotFound), status.Path.Is(path),
		status.Reference.Is(path), status.Container.Is(p.repo.name.String()), status.Marker.Is(e.kind()+" listed and not served"))
	return blob{}, stop(&f)
}

// loadAcross tries whether the revision goes on into the path, as in a link to a
// branch with slashes in its name.
func (c *client) loadAcross(ctx context.Context, q connectors.FileGet, path string, u *unfound) (blob, *unfound) {
	name, f := c.repo("repo", q.Repo)
	if f != nil {
		return blob{}, stop(f)
	}
	revision, rest, f := c.border(ctx, name, q.Revision+"/"+path)
	if f != nil {
		return blob{}, stop(f)
	}
	if revision == "" || revision == q.Revision || rest == "" {
		return blob{}, u
	}
	q.Revision, q.Path = revision, rest
	return c.load(ctx, "repo", q)
}
