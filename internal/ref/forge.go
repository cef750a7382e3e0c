package ref

import (
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/pattern"
)

var digits = pattern.New(`^[1-9][0-9]{0,9}$`)

// markers are the words that follow the repository in a forge's paths.
func marker(word string) bool {
	switch word {
	case "issues", "pull", "pulls", "merge_requests", "work_items", "commit", "commits", "blob", "tree", "raw", "blame",
		"edit", "src", "compare", "wiki", "wikis", "discussions", "releases", "tags", "branches", "contents", "git",
		"actions", "projects", "milestones", "labels", "settings", "graphs", "network", "security", "activity",
		"media", "rendered", "tag", "issue", "milestone", "files", "repository":
		return true
	}
	return false
}

// readForge reads links of GitHub, Gitea and, without /-/, of GitLab.
func readForge(r *Ref, l link) error {
	if r.Host == "gist.github.com" {
		return nil
	}
	if r.Host == "raw.githubusercontent.com" && len(l.segs) > 3 {
		r.Project = l.segs[0] + "/" + l.segs[1]
		r.setRevPath(l.segs[2:], File)
		return r.takeLines()
	}
	if r.Provider == "github" && readReserved(r, l) {
		return nil
	}
	l, isAPI := apiPath(r, l)
	at := slices.IndexFunc(l.segs[min(2, len(l.segs)):], marker)
	if at >= 0 {
		at += 2
	}
	switch {
	case len(l.segs) == 0:
		return nil
	case len(l.segs) == 1:
		if r.Provider != "" {
			r.Kind, r.Project = Project, l.segs[0]
		}
		return nil
	case at < 0 || (r.Provider == "github" && at != 2 && !isAPI):
		return readRepository(r, l)
	}
	start := at - 2
	if r.Provider == "gitlab" || l.segs[at] == "merge_requests" {
		start = 0
	}
	r.Project = trimGit(strings.Join(l.segs[start:at], "/"))
	if !isAPI {
		r.BasePath = l.base(start)
	}
	if r.Provider == "" {
		r.Provider = forgeOf(l, at)
		r.sure = r.Provider == "gitlab" || l.segs[at] == "pulls" && r.Provider == "gitea"
	}
	l.segs = l.segs[at:]
	return readRest(r, l)
}

// readReserved reads GitHub's own pages, whose first word is no owner.
func readReserved(r *Ref, l link) bool {
	switch l.seg(0) {
	case "orgs", "users", "enterprises":
		if l.seg(1) != "" {
			r.Kind, r.Project = Project, l.seg(1)
		}
		return true
	case "settings", "notifications", "search", "topics", "marketplace", "login", "sponsors", "features", "about",
		"collections", "codespaces", "apps", "trending", "explore", "dashboard", "issues", "pulls":
		return true
	}
	return false
}

// forgeOf tells the forges apart by the words only one of them uses.
func forgeOf(l link, at int) string {
	switch l.segs[at] {
	case "merge_requests", "work_items", "wikis":
		return "gitlab"
	case "src", "media", "rendered", "activity":
		return "gitea"
	case "pulls":
		if digits.MatchString(l.seg(at + 1)) {
			return "gitea"
		}
	}
	return "github"
}

// apiPath takes the REST prefix off, so that both kinds of link read alike.
func apiPath(r *Ref, l link) (link, bool) {
	switch {
	case strings.HasPrefix(r.Host, "api.") && l.seg(0) == "repos":
		l.segs = l.segs[1:]
	case l.seg(0) == "api" && (l.seg(1) == "v3" || l.seg(1) == "v1") && l.seg(2) == "repos":
		if r.Provider == "" {
			r.Provider, r.sure = map[string]string{"v3": "github", "v1": "gitea"}[l.seg(1)], true
		}
		l.segs = l.segs[3:]
	default:
		return l, false
	}
	return l, true
}

func readRepository(r *Ref, l link) error {
	last := len(l.segs) - 1
	isGit := strings.HasSuffix(l.segs[last], ".git")
	switch {
	case len(l.segs) == 2 || isGit || r.Provider == "gitlab":
		r.Kind, r.Project = Repository, trimGit(l.from(0))
	case r.Provider == "github" || r.Provider == "gitea":
		r.Project = l.segs[0] + "/" + trimGit(l.segs[1])
	}
	return nil
}

func trimGit(s string) string { return strings.TrimSuffix(s, ".git") }

// readGitLab reads what stands before GitLab's /-/, or its API's project, and
// returns what comes after.
func readGitLab(r *Ref, l link) (rest link, ok bool) {
	rest = l
	if l.seg(0) == "api" && l.seg(1) == "v4" && l.seg(2) == "projects" && len(l.segs) > 3 {
		r.Provider, r.Project, rest.segs = "gitlab", l.segs[3], l.segs[4:]
		if len(rest.segs) == 0 {
			r.Kind = Repository
		}
		return rest, true
	}
	at := slices.Index(l.segs, "-")
	if at < 2 {
		return l, false
	}
	from := 0
	if l.segs[0] == "groups" { // /groups/GROUP/-/epics/1: there is no repository
		from = 1
	}
	r.Provider, r.Project, rest.segs = "gitlab", strings.Join(l.segs[from:at], "/"), l.segs[at+1:]
	if from > 0 {
		r.Kind, rest.segs = Project, nil
	}
	return rest, true
}

// readRest reads what follows the repository. The forges' words do not
// contradict each other, so one list serves all.
func readRest(r *Ref, rest link) error {
	if len(rest.segs) == 0 {
		return nil
	}
	arg := rest.seg(1)
	switch word := rest.segs[0]; word {
	case "issues", "issue", "work_items", "pull", "pulls", "merge_requests", "discussions":
		readNumbered(r, rest)
	case "commit", "commits", "git":
		readCommit(r, rest)
	case "blob", "raw", "blame", "edit", "src", "tree", "contents", "media", "rendered", "files", "repository":
		return readContent(r, rest)
	case "compare":
		readCompare(r, rest.from(1))
	case "wiki", "wikis":
		r.Kind, r.Title = Page, strings.ReplaceAll(rest.from(1), "-", " ")
		if r.ID = rest.from(1); r.ID == "" {
			r.ID = "Home"
		}
	case "releases", "tags", "tag":
		name := rest.from(1)
		name = strings.TrimPrefix(name, "tag/")
		if name == "" || arg == "latest" || (word == "tags" && arg == "") {
			r.Kind = Repository
			return nil
		}
		r.Kind, r.Revision, r.ID = Release, name, name
	default:
		r.Kind, r.Also = Unknown, Repository
	}
	return nil
}

func readNumbered(r *Ref, rest link) {
	// GitHub and GitLab serve a change as text under its address.
	if rest.seg(1) == "incident" { // a kind of issue at GitLab
		rest.segs = rest.segs[1:]
	}
	arg := strings.TrimSuffix(strings.TrimSuffix(rest.seg(1), ".diff"), ".patch")
	if !digits.MatchString(arg) {
		// A list of issues is a view of the repository.
		r.Kind = Repository
		return
	}
	kind := Issue
	switch rest.segs[0] {
	case "pull", "pulls", "merge_requests":
		kind = Change
		if rest.seg(2) == "commits" && hash.MatchString(rest.seg(3)) {
			r.Revision = strings.ToLower(rest.seg(3))
		}
	case "discussions":
		kind = Discussion
	}
	setNumber(r, kind, arg)
}

func readCommit(r *Ref, rest link) {
	if rest.segs[0] == "git" && rest.seg(1) == "commits" {
		rest.segs = rest.segs[1:]
	}
	rev := rest.seg(1)
	switch {
	case rev == "":
		r.Kind = Repository
	case rest.segs[0] != "commits" || (len(rest.segs) == 2 && hash.MatchString(rev)):
		rev, _, _ = strings.Cut(rev, ".")
		r.Kind, r.Revision, r.ID = Commit, rev, rev
		if hash.MatchString(rev) {
			r.Revision, r.ID = strings.ToLower(rev), strings.ToLower(rev)
		}
	default:
		// The history of a branch or of a path on it.
		r.setRevPath(rest.segs[1:], Directory)
		r.Also = File
	}
}

func readContent(r *Ref, rest link) error {
	segs := rest.segs[1:]
	kind := File
	switch rest.segs[0] {
	case "tree":
		kind = Directory
	case "src", "raw", "media", "rendered":
		// Gitea says which kind of revision it is: src/branch/REV/path.
		if len(segs) > 1 && slices.Contains([]string{"branch", "commit", "tag"}, segs[0]) {
			segs = segs[1:]
			r.Provider, r.sure = "gitea", true
			if !extension.MatchString(rest.from(1)) && !wellKnown(rest.from(1)) && r.Anchor == "" {
				kind, r.Also = Directory, File
			}
		}
	case "contents":
		r.Kind, r.Path, r.Revision = File, strings.Join(segs, "/"), rest.query.Get("ref")
		r.Also = Directory
		return nil
	case "repository", "files":
		r.Kind, r.Also = Unknown, Repository
		return nil
	}
	if len(segs) == 0 {
		r.Kind = Repository
		return nil
	}
	r.setRevPath(segs, kind)
	if r.Path == "" && kind == File {
		r.Kind = Directory
	}
	return r.takeLines()
}

func (r *Ref) setRevPath(segs []string, k Kind) {
	r.Kind, r.RevPath = k, strings.Join(segs, "/")
	// The first segment may hold an encoded slash, and is then the revision.
	r.Revision, r.Path = segs[0], strings.Join(segs[1:], "/")
}

// takeLines turns a fragment such as L10-L20 into lines.
func (r *Ref) takeLines() error {
	m := lineMark.FindStringSubmatch(r.Anchor)
	if m == nil {
		return nil
	}
	if err := r.setLines(m[1], m[2]); err != nil {
		return err
	}
	r.Anchor = ""
	return nil
}

func readCompare(r *Ref, s string) {
	base, head, ok := strings.Cut(s, "...")
	r.ThreeDot = ok
	if !ok {
		base, head, ok = strings.Cut(s, "..")
	}
	switch {
	case ok && base != "" && head != "":
		r.Kind, r.Base, r.Head = Compare, base, head
	case s != "":
		// One revision: compared with the default branch, which we do not know.
		r.Kind, r.Head, r.ThreeDot = Compare, s, true
	default:
		r.Kind = Repository
	}
}
