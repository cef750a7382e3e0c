package github

import (
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// repository answers for code, its history and its changes. What each method
// may call complete stands beside it: SearchCode in code.go, ReadFile in
// files.go, List in list.go, GetChange in change.go, History in history.go.
type repository struct{ *client }

var _ connectors.Repo = repository{}

// unfound is how a named thing that was not read is answered: as failed, or as
// absent as far as the audit proves it.
type unfound struct {
	failure *status.Failure
	audit   *status.Audit
	opts    []status.Option
}

func stop(f *status.Failure) *unfound { return &unfound{failure: f} }

func unread[T any](source string, u *unfound) status.Result[T] {
	if u.failure != nil {
		return status.Failed[T](source, *u.failure)
	}
	return status.Absent[T](source, u.audit, u.opts...)
}

// cleanPath reads a path inside a repository; the top is "".
func (c *client) cleanPath(path string) (string, *status.Failure) {
	var out []string
	for _, seg := range strings.Split(path, "/") {
		switch seg {
		case "", ".":
		case "..":
			return "", c.badArgument("path", "must not leave the repository (..)")
		default:
			out = append(out, seg)
		}
	}
	return strings.Join(out, "/"), nil
}

// revision refuses what GitHub would read as a revision of another repository,
// owner:branch. Git allows no colon in a name.
func (c *client) revision(revision string) *status.Failure {
	if strings.Contains(revision, ":") {
		return c.badArgument("revision", "must be a branch, tag or commit of this repository, without a colon")
	}
	return nil
}

// fileOrigin names a file or directory of a repository. Its reference is its
// path in the default project and its link elsewhere, since no shorter text
// holds both repository and path.
func (c *client) fileOrigin(p place, path, kind string) connectors.Origin {
	var s scrub
	path = s.path(path)
	o := connectors.Origin{Source: c.source, Container: p.repo.name.String(), Ref: path, Removed: s.removed}
	if p.repo.name == (repoName{}) { // it came from somewhere that did not say where it is
		return o
	}
	o.URL = c.fileURL(p, path, kind)
	if !strings.EqualFold(p.repo.name.String(), c.project) {
		o.Ref, o.URL = o.URL, ""
	}
	return o
}

// fileURL is where people see it.
func (c *client) fileURL(p place, path, kind string) string {
	view := "blob"
	if kind == "dir" {
		view = "tree"
	}
	segs := []string{p.repo.name.owner, p.repo.name.name, view}
	segs = append(segs, strings.Split(p.revision, "/")...)
	return c.web.JoinPath(append(segs, strings.Split(path, "/")...)...).String()
}

// plain is s as it is, without what nobody sees: code, diffs, messages.
func (s *scrub) plain(text string) string {
	clean, r := markup.Clean(text)
	s.removed += r.Total()
	return clean
}

// path is the name of a file.
func (s *scrub) path(text string) string { return markup.Line(s.plain(text), maxPath) }

// maxPath is well above what file systems allow, in runes.
const maxPath = 4096

// goOn records that rows of the page are left, or else what [client.turn] does.
func (c *client) goOn(a *status.Audit, x *upstream.Exchange, pos position, rest *position) {
	if rest != nil {
		a.Next(rest.cursor())
		return
	}
	c.turn(a, x, pos)
}

// turn records that the listing goes on where GitHub's Link header says, or is
// complete. GH-38. A page that is named again would be read for ever.
func (c *client) turn(a *status.Audit, x *upstream.Exchange, pos position) {
	next, more := nextPage(x.Header)
	if !more {
		a.Hold(x.Proof(), status.Completeness)
		return
	}
	onward, loop := pos.onward(next)
	if loop {
		a.Fail(status.Completeness, status.Fail(status.CursorLoop, status.HTTPStatus.Is(x.Status)))
		return
	}
	a.Next(onward.cursor())
}
