package ref

import (
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/pattern"
)

func (r *Ref) setKey(key string) {
	key = strings.ToUpper(key)
	r.Kind, r.ID = Issue, key
	r.Project = key[:strings.LastIndexByte(key, '-')]
}

func isKey(s string) bool { return trackerKey.MatchString(strings.ToUpper(s)) }

var projectKey = pattern.New(`^[A-Z][A-Z0-9_]{0,29}$`)

// readJira reads /browse/KEY-1, boards and lists with a selected issue, queues and
// portals of a service desk, projects, and the REST addresses of Jira.
func readJira(r *Ref, l link) bool {
	if !readJiraIssue(r, l) && !readJiraProject(r, l) {
		return false
	}
	r.Provider = "jira"
	if id := l.query.Get("focusedCommentId"); r.Kind == Issue && digits.MatchString(id) && r.Anchor == "" {
		r.Anchor = "comment-" + id
	}
	return true
}

func readJiraIssue(r *Ref, l link) bool {
	if key := l.query.Get("selectedIssue"); isKey(key) {
		at := slices.IndexFunc(l.segs, func(s string) bool {
			return s == "jira" || s == "secure" || s == "projects" || s == "browse" || s == "issues"
		})
		if at >= 0 && l.segs[at] == "jira" && (l.seg(at+1) == "secure" || l.seg(at+1) == "projects" || l.seg(at+1) == "browse") {
			at++ // a server below /jira
		}
		r.BasePath = l.base(at)
		r.setKey(key)
		return true
	}
	last := len(l.segs) - 1
	if key := l.query.Get("key"); isKey(key) && l.seg(last) == "ViewIssue.jspa" {
		r.BasePath = l.base(last - 1)
		r.setKey(key)
		return true
	}
	for i, s := range l.segs {
		next := l.seg(i + 1)
		switch {
		case s == "browse" && isKey(next):
		case s == "issues" && isKey(next):
			if i >= 2 && l.segs[i-2] == "projects" {
				i -= 2
			}
		case s == "issue" && i >= 3 && l.segs[i-3] == "rest" && isKey(next):
			i -= 3
		case s == "portal" && i >= 2 && l.segs[i-1] == "customer" && isKey(l.seg(i+2)):
			i, next = i-2, l.seg(i+2)
		case s == "queues" && i >= 2 && isKey(l.segs[last]): // of a service desk
			i, next = 0, l.segs[last]
		default:
			continue
		}
		r.BasePath = l.base(i)
		if at := slices.Index(l.segs[:i], "jira"); at >= 0 && l.seg(at+1) != "browse" && i-at > 1 {
			r.BasePath = l.base(at) // Cloud's own /jira/software/c/projects/KEY/issues/KEY-1
		}
		r.setKey(next)
		return true
	}
	return false
}

func readJiraProject(r *Ref, l link) bool {
	for i, s := range l.segs {
		next := l.seg(i + 1)
		if !projectKey.MatchString(next) {
			continue
		}
		switch {
		case s == "browse":
			r.BasePath = l.base(i)
		case s == "projects" && (i == 0 || slices.Contains(l.segs[:i], "jira") || r.Provider == "jira"):
		case s == "project" && i >= 3 && l.segs[i-3] == "rest":
			r.BasePath = l.base(i - 3)
		default:
			continue
		}
		r.Kind, r.Project = Project, next
		return true
	}
	return false
}

// readConfluence reads Cloud's /spaces/KEY/pages/ID/Title, Data Center's /display/KEY/Title
// and the addresses that end with .action, short links, and the REST addresses.
func readConfluence(r *Ref, l link) bool {
	for i, s := range l.segs {
		next := l.seg(i + 1)
		switch {
		case s == "spaces" && next == "viewspace.action" && l.query.Get("key") != "":
			r.Kind, r.Project = Project, l.query.Get("key")
		case s == "spaces" && next != "" && i <= 2:
			r.readSpace(l, i)
		case s == "display" && next != "" && (i <= 2 || r.Provider == "confluence"):
			r.Kind, r.Project = Project, next
			if title := l.from(i + 2); title != "" {
				r.Kind, r.Title = Page, strings.ReplaceAll(title, "+", " ")
			}
		case s == "pages" && strings.HasSuffix(next, ".action") && (l.query.Get("pageId") != "" || l.query.Get("title") != ""):
			r.Kind, r.ID = Page, l.query.Get("pageId")
			r.Project, r.Title = l.query.Get("spaceKey"), l.query.Get("title")
		case s == "content" && i >= 2 && l.segs[i-1] == "api" && l.segs[i-2] == "rest" && digits.MatchString(next):
			r.Kind, r.ID = Page, next
			i -= 2
		case s == "pages" && i >= 2 && l.segs[i-1] == "v2" && l.segs[i-2] == "api" && digits.MatchString(next):
			r.Kind, r.ID = Page, next
			i -= 2
		case s == "x" && next != "" && (r.Provider == "confluence" && len(l.segs) == i+2 || i == 1 && l.segs[0] == "wiki" && r.Provider == "jira"):
			// A short link holds the number of the page in its own writing.
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

// readSpace reads what follows spaces/: a page or post by its number behind the kind
// of content, its editor or its date, else the space.
func (r *Ref) readSpace(l link, i int) {
	r.Kind, r.Project = Project, l.seg(i+1)
	switch l.seg(i + 2) {
	case "pages", "blog":
	case "whiteboard", "database", "folder", "embed":
		if digits.MatchString(l.seg(i + 3)) { // no page, as who is asked for it says
			r.Kind, r.ID = Page, l.seg(i+3)
		}
		return
	default:
		return
	}
	for at := i + 3; at < len(l.segs); at++ {
		date := l.seg(i+2) == "blog" && at < i+6 && len(l.segs) > i+6
		if digits.MatchString(l.segs[at]) && !date {
			r.Kind, r.ID, r.Title = Page, l.segs[at], strings.ReplaceAll(l.from(at+1), "+", " ")
			return
		}
	}
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
	} else if i := slices.Index(l.segs, "rest.php"); i >= 0 && l.seg(i+1) == "v1" && l.seg(i+2) == "page" {
		title, at = l.seg(i+3), i
	}
	id := l.query.Get("curid")
	if title == "" && !digits.MatchString(id) && !digits.MatchString(l.query.Get("oldid")) {
		return false
	}
	r.Kind, r.Provider, r.BasePath = Page, "mediawiki", l.base(at)
	r.Title, r.ID = strings.ReplaceAll(title, "_", " "), id
	r.Revision = l.query.Get("oldid")
	return true
}

// redmineItem is an issue's number with the format in which it is wanted.
var redmineItem = pattern.New(`^([1-9][0-9]{0,9})(?:\.(?:json|xml|pdf|atom))?$`)

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
		case s == "issues" && redmineItem.MatchString(next):
			setNumber(r, Issue, redmineItem.FindStringSubmatch(next)[1])
		case s == "issues" && next == "show" && digits.MatchString(l.seg(i+2)):
			setNumber(r, Issue, l.seg(i+2))
		case s == "projects" && next != "" && l.seg(i+2) == "wiki":
			// Behind the title is what to do with the page, or its version.
			r.Kind, r.Project, r.ID = Page, next, strings.TrimSuffix(l.seg(i+3), ".json")
			if r.ID == "" {
				r.ID = "Wiki"
			}
			r.Title = strings.ReplaceAll(r.ID, "_", " ")
		case s == "projects" && next != "" && (r.Provider == "redmine" || l.seg(i+2) == "issues" || len(l.segs) == i+2):
			r.Kind, r.Project = Project, strings.TrimSuffix(next, ".json")
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
	case word == "team" && arg != "", word == "project" && arg != "":
		r.Kind, r.Project = Project, arg
	case word == "document" && arg != "":
		r.Kind, r.ID = Page, arg
	}
}

var notionID = pattern.New(`(?i)^(?:(.*)-)?([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

// readNotion reads the 32 hex digits at the end of a page's link; p= is the
// page open beside a database, and the fragment a block of the page.
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
