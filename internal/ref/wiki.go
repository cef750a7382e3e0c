package ref

import (
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/pattern"
)

func (r *Ref) setKey(key string) {
	key = strings.ToUpper(key)
	r.Kind, r.ID, r.Number = Issue, key, numberOf(key)
	r.Project = key[:strings.LastIndexByte(key, '-')]
}

func isKey(s string) bool { return trackerKey.MatchString(strings.ToUpper(s)) }

var projectKey = pattern.New(`^[A-Z][A-Z0-9_]{0,29}$`)

// readJira reads /browse/KEY-1, boards with a selected issue, projects and the
// REST addresses of Jira.
func readJira(r *Ref, l link) bool {
	if id := l.query.Get("focusedCommentId"); digits.MatchString(id) && r.Anchor == "" {
		r.Anchor = "comment-" + id
	}
	if key := l.query.Get("selectedIssue"); isKey(key) {
		r.Provider = "jira"
		if at := slices.IndexFunc(l.segs, func(s string) bool {
			return s == "jira" || s == "secure" || s == "projects" || s == "browse"
		}); at > 0 {
			r.BasePath = l.base(at)
		}
		r.setKey(key)
		return true
	}
	for i, s := range l.segs {
		next := l.seg(i + 1)
		switch {
		case s == "browse" && isKey(next), s == "issues" && isKey(next):
			if s == "issues" && i >= 2 && l.segs[i-2] == "projects" {
				i -= 2
			}
			r.Provider, r.BasePath = "jira", l.base(i)
			r.setKey(next)
			return true
		case s == "browse" && projectKey.MatchString(next):
			r.Kind, r.Provider, r.BasePath, r.Project = Project, "jira", l.base(i), next
			return true
		case s == "issue" && i >= 3 && l.segs[i-3] == "rest" && isKey(next):
			r.Provider, r.BasePath = "jira", l.base(i-3)
			r.setKey(next)
			return true
		case s == "portal" && i >= 1 && l.segs[i-1] == "customer" && isKey(l.seg(i+2)):
			r.Provider = "jira"
			r.setKey(l.seg(i + 2))
			return true
		case s == "projects" && projectKey.MatchString(next) && !isKey(l.seg(i+3)) && (i == 0 || slices.Contains(l.segs[:i], "jira")):
			r.Kind, r.Provider, r.Project = Project, "jira", next
			return true
		}
	}
	return false
}

// readConfluence reads Cloud's /spaces/KEY/pages/ID/Title and Data Center's
// /display/KEY/Title and viewpage.action.
func readConfluence(r *Ref, l link) bool {
	for i, s := range l.segs {
		next := l.seg(i + 1)
		switch {
		case s == "spaces" && next != "" && i <= 2:
			r.Kind, r.Project = Project, next
			if at := slices.Index(l.segs[i+2:], "pages"); at >= 0 && digits.MatchString(l.seg(i+at+3)) {
				r.Kind, r.ID = Page, l.seg(i+at+3)
				r.Title = strings.ReplaceAll(l.from(i+at+4), "+", " ")
			}
		case s == "display" && next != "" && i <= 2:
			r.Kind, r.Project = Project, next
			if title := l.from(i + 2); title != "" {
				r.Kind, r.Title = Page, strings.ReplaceAll(title, "+", " ")
			}
		case s == "pages" && next == "viewpage.action":
			r.Kind, r.ID = Page, l.query.Get("pageId")
			r.Project, r.Title = l.query.Get("spaceKey"), l.query.Get("title")
		case s == "content" && i >= 2 && l.segs[i-1] == "api" && l.segs[i-2] == "rest" && digits.MatchString(next):
			r.Kind, r.ID = Page, next
			i -= 2
		case s == "x" && i == 1 && l.segs[0] == "wiki" && r.Provider == "jira" && next != "":
			// A short link: only the server knows the page behind it.
			r.Kind, r.ID = Page, "x/"+next
		default:
			continue
		}
		r.Provider, r.BasePath = "confluence", l.base(i)
		return true
	}
	if r.Provider == "jira" && l.seg(0) == "wiki" {
		r.Provider, r.BasePath = "confluence", "/wiki"
		return true
	}
	return false
}

// readMediaWiki reads /wiki/Title, index.php?title= and index.php/Title.
func readMediaWiki(r *Ref, l link) bool {
	title, at := "", 0
	if i := slices.Index(l.segs, "index.php"); i >= 0 {
		title, at = l.query.Get("title"), i
		if title == "" {
			title = l.from(i + 1)
		}
	} else if i := slices.Index(l.segs, "wiki"); (i == 0 || i == 1) && l.from(i+1) != "" {
		title, at = l.from(i+1), i
	}
	id := l.query.Get("curid")
	if title == "" && !digits.MatchString(id) {
		return false
	}
	r.Kind, r.Provider, r.BasePath = Page, "mediawiki", l.base(at)
	r.Title, r.ID = strings.ReplaceAll(title, "_", " "), id
	r.Revision = l.query.Get("oldid")
	return true
}

// readRedmine reads /issues/12 and /projects/ID with its wiki.
func readRedmine(r *Ref, l link) bool {
	most := 1
	if r.Provider == "redmine" {
		most = len(l.segs)
	}
	for i, s := range l.segs {
		next := l.seg(i + 1)
		switch {
		case i > most:
			return false
		case s == "issues" && digits.MatchString(strings.TrimSuffix(next, ".json")):
			setNumber(r, Issue, strings.TrimSuffix(next, ".json"))
		case s == "projects" && next != "" && l.seg(i+2) == "wiki":
			r.Kind, r.Project, r.ID = Page, next, l.from(i+3)
			if r.ID == "" {
				r.ID = "Wiki"
			}
			r.Title = strings.ReplaceAll(r.ID, "_", " ")
		case s == "projects" && next != "" && (r.Provider == "redmine" || l.seg(i+2) == "issues" || len(l.segs) == i+2):
			r.Kind, r.Project = Project, next
		default:
			continue
		}
		r.Provider, r.BasePath = "redmine", l.base(i)
		return true
	}
	return false
}

// readLinear reads linear.app/WORKSPACE/issue/KEY-1/slug and its siblings.
func readLinear(r *Ref, l link) {
	word, arg := l.seg(1), l.seg(2)
	switch {
	case word == "issue" && isKey(arg):
		r.setKey(arg)
	case word == "team" && arg != "":
		r.Kind, r.Project = Project, arg
	case word == "project" && arg != "":
		r.Kind, r.ID = Project, arg
	case word == "document" && arg != "":
		r.Kind, r.ID = Page, arg
	}
}

var notionID = pattern.New(`(?i)^(?:(.*)-)?([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

// readNotion reads the 32 hex digits at the end of a page's link; p= is the
// page open beside a database.
func readNotion(r *Ref, l link) {
	m := notionID.FindStringSubmatch(l.query.Get("p"))
	if m == nil {
		m = notionID.FindStringSubmatch(l.seg(len(l.segs) - 1))
	}
	if m == nil {
		return
	}
	r.Kind, r.Title = Page, strings.ReplaceAll(m[1], "-", " ")
	r.ID = strings.ToLower(strings.ReplaceAll(m[2], "-", ""))
}
