package ref

import "testing"

func gh(r Ref) Ref {
	r.Provider, r.Host, r.Project = "github", "github.com", "a/b"
	return r
}

var links = map[string]Ref{
	"https://github.com/a/b/issues/12":                     gh(Ref{Kind: Issue, ID: "12", Number: 12}),
	"https://github.com/a/b/issues/12#issuecomment-5":      gh(Ref{Kind: Issue, ID: "12", Number: 12, Anchor: "issuecomment-5"}),
	"https://github.com/a/b/issues?q=is:open":              gh(Ref{Kind: Repository}),
	"https://github.com/a/b/pull/7/files":                  gh(Ref{Kind: Change, ID: "7", Number: 7}),
	"https://github.com/a/b/pull/7#discussion_r1":          gh(Ref{Kind: Change, ID: "7", Number: 7, Anchor: "discussion_r1"}),
	"https://github.com/a/b/pull/7/commits/abcdef1":        gh(Ref{Kind: Change, ID: "7", Number: 7, Revision: "abcdef1"}),
	"https://github.com/a/b/pull/7.diff":                   gh(Ref{Kind: Change, ID: "7", Number: 7}),
	"https://github.com/orgs/acme/projects/1":              {Kind: Project, Provider: "github", Host: "github.com", Project: "acme"},
	"https://github.com/settings/tokens":                   {Kind: Unknown, Provider: "github", Host: "github.com"},
	"https://github.com/a/b/commit/ABCDEF1":                gh(Ref{Kind: Commit, ID: "abcdef1", Revision: "abcdef1"}),
	"https://github.com/a/b/commit/abcdef1.patch":          gh(Ref{Kind: Commit, ID: "abcdef1", Revision: "abcdef1"}),
	"https://github.com/a/b/blob/main/d/x.go#L10-L20":      gh(Ref{Kind: File, Revision: "main", Path: "d/x.go", RevPath: "main/d/x.go", StartLine: 10, EndLine: 20}),
	"https://github.com/a/b/blob/feature/y/x.md?plain=1#t": gh(Ref{Kind: File, Revision: "feature", Path: "y/x.md", RevPath: "feature/y/x.md", Anchor: "t"}),
	"https://github.com/a/b/tree/main/d":                   gh(Ref{Kind: Directory, Revision: "main", Path: "d", RevPath: "main/d"}),
	"https://github.com/a/b/tree/rel%2F1/d":                gh(Ref{Kind: Directory, Revision: "rel/1", Path: "d", RevPath: "rel/1/d"}),
	"https://github.com/a/b/tree/main":                     gh(Ref{Kind: Directory, Revision: "main", RevPath: "main"}),
	"https://github.com/a/b/compare/v1...v2":               gh(Ref{Kind: Compare, Base: "v1", Head: "v2", ThreeDot: true}),
	"https://github.com/a/b/compare/v1..v2":                gh(Ref{Kind: Compare, Base: "v1", Head: "v2"}),
	"https://github.com/a/b/wiki/Set-Up":                   gh(Ref{Kind: Page, ID: "Set-Up", Title: "Set Up"}),
	"https://github.com/a/b/wiki":                          gh(Ref{Kind: Page, ID: "Home"}),
	"https://github.com/a/b/discussions/3":                 gh(Ref{Kind: Discussion, ID: "3", Number: 3}),
	"https://github.com/a/b/releases/tag/v1.0":             gh(Ref{Kind: Release, ID: "v1.0", Revision: "v1.0"}),
	"https://github.com/a/b/releases":                      gh(Ref{Kind: Repository}),
	"https://github.com/a/b/actions/runs/5":                gh(Ref{Kind: Unknown, Also: Repository}),
	"https://github.com/a/b":                               gh(Ref{Kind: Repository}),
	"https://github.com/a/b.git":                           gh(Ref{Kind: Repository}),
	"git@github.com:a/b.git":                               gh(Ref{Kind: Repository}),
	"ssh://git@github.com:22/a/b.git":                      gh(Ref{Kind: Repository}),
	"github.com/a/b/issues/12":                             gh(Ref{Kind: Issue, ID: "12", Number: 12}),
	"https://github.com/acme":                              {Kind: Project, Provider: "github", Host: "github.com", Project: "acme"},
	"https://api.github.com/repos/a/b/issues/5":            {Kind: Issue, Provider: "github", Host: "api.github.com", Project: "a/b", ID: "5", Number: 5},
	"https://api.github.com/repos/a/b/pulls/5":             {Kind: Change, Provider: "github", Host: "api.github.com", Project: "a/b", ID: "5", Number: 5},
	"https://api.github.com/repos/a/b/contents/d/x.go?ref=dev": {Kind: File, Also: Directory, Provider: "github", Host: "api.github.com", Project: "a/b",
		Path: "d/x.go", Revision: "dev"},
	"https://api.github.com/repos/a/b/git/commits/abcdef1": {Kind: Commit, Provider: "github", Host: "api.github.com", Project: "a/b", ID: "abcdef1", Revision: "abcdef1"},
	"https://raw.githubusercontent.com/a/b/main/x.go":      {Kind: File, Provider: "github", Host: "raw.githubusercontent.com", Project: "a/b", Revision: "main", Path: "x.go", RevPath: "main/x.go"},
	"https://ghe.corp.org/a/b/pull/7":                      {Kind: Change, Provider: "github", Host: "ghe.corp.org", Project: "a/b", ID: "7", Number: 7},
	"https://code.corp.org/a/b/issues/7":                   {Kind: Issue, Provider: "github", Host: "code.corp.org", Project: "a/b", ID: "7", Number: 7},
	"https://code.corp.org/api/v3/repos/a/b/issues/7":      {Kind: Issue, Provider: "github", Host: "code.corp.org", Project: "a/b", ID: "7", Number: 7},
	"https://code.corp.org/a/b":                            {Kind: Repository, Host: "code.corp.org", Project: "a/b"},
	"http://127.0.0.1:8080/a/b/issues/7":                   {Kind: Issue, Provider: "github", Host: "127.0.0.1:8080", Project: "a/b", ID: "7", Number: 7},

	"https://gitlab.com/g/s/p/-/issues/4":                   {Kind: Issue, Provider: "gitlab", Host: "gitlab.com", Project: "g/s/p", ID: "4", Number: 4},
	"https://gl.corp.org/g/s/p/-/merge_requests/5/diffs":    {Kind: Change, Provider: "gitlab", Host: "gl.corp.org", Project: "g/s/p", ID: "5", Number: 5},
	"https://gitlab.com/g/p/-/merge_requests/5#note_9":      {Kind: Change, Provider: "gitlab", Host: "gitlab.com", Project: "g/p", ID: "5", Number: 5, Anchor: "note_9"},
	"https://gitlab.com/g/p/-/blob/main/x.go#L3-7":          {Kind: File, Provider: "gitlab", Host: "gitlab.com", Project: "g/p", Revision: "main", Path: "x.go", RevPath: "main/x.go", StartLine: 3, EndLine: 7},
	"https://gitlab.com/g/s/p/merge_requests/5":             {Kind: Change, Provider: "gitlab", Host: "gitlab.com", Project: "g/s/p", ID: "5", Number: 5},
	"https://gitlab.com/g/s/p":                              {Kind: Repository, Provider: "gitlab", Host: "gitlab.com", Project: "g/s/p"},
	"https://gitlab.com/api/v4/projects/g%2Fp/issues/4":     {Kind: Issue, Provider: "gitlab", Host: "gitlab.com", Project: "g/p", ID: "4", Number: 4},
	"git@gl.corp.org:g/s/p.git":                             {Kind: Repository, Provider: "", Host: "gl.corp.org", Project: "g/s/p"},
	"ssh://git@gl.corp.org:2222/g/s/p":                      {Kind: Repository, Provider: "", Host: "gl.corp.org", Project: "g/s/p"},
	"https://codeberg.org/a/b/pulls/3":                      {Kind: Change, Provider: "gitea", Host: "codeberg.org", Project: "a/b", ID: "3", Number: 3},
	"https://git.corp.org/tea/a/b/pulls/3":                  {Kind: Change, Provider: "gitea", Host: "git.corp.org", BasePath: "/tea", Project: "a/b", ID: "3", Number: 3},
	"https://codeberg.org/a/b/src/branch/main/d/x.go#L2":    {Kind: File, Provider: "gitea", Host: "codeberg.org", Project: "a/b", Revision: "main", Path: "d/x.go", RevPath: "main/d/x.go", StartLine: 2, EndLine: 2},
	"https://acme.atlassian.net/browse/PAY-12":              {Kind: Issue, Provider: "jira", Host: "acme.atlassian.net", Project: "PAY", ID: "PAY-12"},
	"https://x.corp.org/jira/browse/pay-12":                 {Kind: Issue, Provider: "jira", Host: "x.corp.org", BasePath: "/jira", Project: "PAY", ID: "PAY-12"},
	"https://x.corp.org/projects/PAY/issues/PAY-12":         {Kind: Issue, Provider: "jira", Host: "x.corp.org", Project: "PAY", ID: "PAY-12"},
	"https://x.corp.org/rest/api/2/issue/PAY-12":            {Kind: Issue, Provider: "jira", Host: "x.corp.org", Project: "PAY", ID: "PAY-12"},
	"https://a.atlassian.net/browse/P-1?focusedCommentId=8": {Kind: Issue, Provider: "jira", Host: "a.atlassian.net", Project: "P", ID: "P-1", Anchor: "comment-8"},
	"https://a.atlassian.net/jira/software/projects/PAY/boards/1?selectedIssue=PAY-12": {Kind: Issue, Provider: "jira", Host: "a.atlassian.net", Project: "PAY",
		ID: "PAY-12"},

	"https://a.atlassian.net/wiki/spaces/ENG/pages/123/Set+Up#x": {Kind: Page, Provider: "confluence", Host: "a.atlassian.net", BasePath: "/wiki", Project: "ENG", ID: "123", Title: "Set Up", Anchor: "x"},
	"https://a.atlassian.net/wiki/spaces/ENG/overview":           {Kind: Project, Provider: "confluence", Host: "a.atlassian.net", BasePath: "/wiki", Project: "ENG"},
	"https://c.corp.org/display/ENG/Set+Up":                      {Kind: Page, Provider: "confluence", Host: "c.corp.org", Project: "ENG", Title: "Set Up"},
	"https://c.corp.org/x/pages/viewpage.action?pageId=123":      {Kind: Page, Provider: "confluence", Host: "c.corp.org", BasePath: "/x", ID: "123"},
	"https://linear.app/ws/issue/ABC-1/some-title":               {Kind: Issue, Provider: "linear", Host: "linear.app", Project: "ABC", ID: "ABC-1"},
	"https://www.notion.so/ws/My-Page-0123456789ABCDEF0123456789abcdef?v=1": {Kind: Page, Provider: "notion", Host: "www.notion.so", Title: "My Page",
		ID: "0123456789abcdef0123456789abcdef"},
	"https://r.corp.org/issues/12#note-3":                {Kind: Issue, Provider: "redmine", Host: "r.corp.org", ID: "12", Number: 12, Anchor: "note-3"},
	"https://r.corp.org/redmine/issues/12":               {Kind: Issue, Provider: "redmine", Host: "r.corp.org", BasePath: "/redmine", ID: "12", Number: 12},
	"https://r.corp.org/projects/app/wiki/Set_Up":        {Kind: Page, Provider: "redmine", Host: "r.corp.org", Project: "app", ID: "Set_Up", Title: "Set Up"},
	"https://en.wikipedia.org/wiki/AC/DC_(band)#Members": {Kind: Page, Provider: "mediawiki", Host: "en.wikipedia.org", Title: "AC/DC (band)", Anchor: "Members"},
	"https://w.corp.org/w/index.php?title=Main_Page&x=1": {Kind: Page, Provider: "mediawiki", Host: "w.corp.org", BasePath: "/w", Title: "Main Page"},
	"https://w.corp.org/index.php/Main_Page":             {Kind: Page, Provider: "mediawiki", Host: "w.corp.org", Title: "Main Page"},
	"https://w.corp.org/index.php?title=A&oldid=77":      {Kind: Page, Provider: "mediawiki", Host: "w.corp.org", Title: "A", Revision: "77"},
	"https://example.org/some/thing/else":                {Kind: Unknown, Host: "example.org"},
	"https://example.org":                                {Kind: Unknown, Host: "example.org"},
}

func TestLinks(t *testing.T) {
	for in, want := range links {
		t.Run(in, func(t *testing.T) { check(t, in, want) })
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		link, base string
		want       bool
	}{
		{"https://github.com/a/b/issues/1", "https://api.github.com", true},
		{"https://www.github.com/a/b/issues/1", "https://api.github.com", true},
		{"https://api.github.com/repos/a/b/issues/1", "https://api.github.com", true},
		{"https://ghe.corp.org/a/b/issues/1", "https://ghe.corp.org/api/v3", true},
		{"https://ghe.corp.org/api/v3/repos/a/b/issues/1", "https://ghe.corp.org/api/v3", true},
		{"https://acme.ghe.com/a/b/issues/1", "https://api.acme.ghe.com", true},
		{"https://github.com/a/b/issues/1", "https://ghe.corp.org/api/v3", false},
		{"https://github.com.evil.org/a/b/issues/1", "https://api.github.com", false},
		{"https://evilgithub.com/a/b/issues/1", "https://api.github.com", false},
		{"http://127.0.0.1:80/a/b/issues/1", "http://127.0.0.1", true},
		{"http://127.0.0.1:81/a/b/issues/1", "http://127.0.0.1:82", false},
		{"https://a.atlassian.net/wiki/spaces/E/pages/1", "https://a.atlassian.net/wiki", true},
		{"https://a.atlassian.net/browse/P-1", "https://a.atlassian.net/wiki", false},
		{"https://a.atlassian.net/browse/P-1", "https://a.atlassian.net", true},
		{"https://x.org/jira2/browse/P-1", "https://x.org/jira", false},
		{"https://en.m.wikipedia.org/wiki/Go", "https://en.wikipedia.org/w/api.php", true},
		{"https://de.wikipedia.org/wiki/Go", "https://en.wikipedia.org/w/api.php", false},
		{"https://linear.app/w/issue/A-1", "https://api.linear.app", true},
		{"https://www.notion.so/x-0123456789abcdef0123456789abcdef", "https://api.notion.com", true},
		{"a/b#1", "https://api.github.com", false},
		{"https://github.com/a/b", "", false},
	} {
		r, err := Parse(c.link)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Match(c.base); got != c.want {
			t.Errorf("%s on %s: %v", c.link, c.base, got)
		}
	}
}

func TestInTakesTheServersPathOffTheProject(t *testing.T) {
	r, err := Parse("https://x.org/gl/g/p/-/issues/1")
	if err != nil {
		t.Fatal(err)
	}
	in, ok := r.In("https://x.org/gl")
	if !ok || in.Project != "g/p" || in.BasePath != "/gl" {
		t.Errorf("%v %+v", ok, in)
	}
}

func TestFits(t *testing.T) {
	r, _ := Parse("https://code.corp.org/a/b/issues/7")
	if !r.Fits("gitea") || !r.Fits("github") || r.Fits("jira") {
		t.Error("a forge's link fits every forge and nothing else")
	}
}

func TestMatchGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"acme/*", "acme/app", true},
		{"acme/*", "ACME/App", true},
		{"Acme/*", "acme/app", true},
		{"acme/*", "acme/app/sub", false},
		{"acme/*", "acme", false},
		{"acme/*", "acme2/app", false},
		{"acme/**", "acme/app/sub", true},
		{"acme/*-api", "acme/pay-api", true},
		{"acme/*-api", "acme/pay-api2", false},
		{"**/secret", "a/b/secret", true},
		{"**/secret", "secret", true},
		{"**/secret", "notsecret", false},
		{"a/**/z", "a/z", true},
		{"a/**/z", "a/b/c/z", true},
		{"*", "acme/app", true},
		{"**", "", true},
		{"", "", true},
		{"", "a", false},
		{"a.c", "abc", false},
		{"a[b]", "ab", false},
		{"a[b]", "a[b]", true},
		{"tracker.*:write", "tracker.issue:write", true},
		{"*:write", "tracker.issue:read", false},
		{"a*b*c", "axxbyyc", true},
		{"a*b*c", "axxbyy", false},
	} {
		if got := MatchGlob(c.pattern, c.name); got != c.want {
			t.Errorf("MatchGlob(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}
