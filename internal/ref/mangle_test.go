package ref

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mangles are what copying does to a link; none of it changes what the link means.
var mangles = map[string]func(string) string{
	"comma":             after(","),
	"full stop":         after("."),
	"semicolon":         after(";"),
	"colon":             after(":"),
	"question":          after("?"),
	"parenthesis":       after(")"),
	"bracket":           after("]"),
	"brace":             after("}"),
	"angle":             after(">"),
	"quote":             after(`"`),
	"curly quote":       after("”"),
	"ellipsis":          after("…"),
	"several":           after(`>."),`),
	"angles":            around("<", ">"),
	"parentheses":       around("(", ")."),
	"quotes":            around(`"`, `",`),
	"backticks":         around("`", "`"),
	"bold":              around("**", "**"),
	"guillemets":        around("« ", " »"),
	"open parenthesis":  around("(", ""),
	"list":              around("- ", ""),
	"quotation":         around("> ", ""),
	"RFC 3986":          around("<URL:", ">"),
	"Markdown":          around("[PAY-12: [urgent] it (fails)](", ")"),
	"Markdown title":    around("[x](", ` "a title")`),
	"Markdown angles":   around("![x](<", ">)"),
	"Slack":             around("<", "|the issue>"),
	"Jira":              around("[the issue|", "]"),
	"Jira smart":        func(s string) string { return "[" + s + "|" + s + "|smart-link]" },
	"MediaWiki":         around("[", " the issue]"),
	"Textile":           around(`"the issue":`, ""),
	"HTML":              func(s string) string { return `<a class="x" href="` + strings.ReplaceAll(s, "&", "&amp;") + `">it</a>` },
	"spaces":            around(" \t\u00a0", "\n"),
	"zero width":        around("\u200b", "\u200b\ufeff"),
	"zero width inside": func(s string) string { return s[:len(s)-1] + "\u200b" + s[len(s)-1:] },
	"isolates":          around("\u2068", "\u2069"),
	"line break":        func(s string) string { return s[:len(s)-1] + "\r\n   " + s[len(s)-1:] },
	"upper-case scheme": func(s string) string { return strings.Replace(s, "https:", "HTTPS:", 1) },
	"upper-case host": func(s string) string {
		host, path, _ := strings.Cut(strings.TrimPrefix(s, "https://"), "/")
		return "https://" + strings.ToUpper(host) + "/" + path
	},
	"one slash":   func(s string) string { return strings.Replace(s, "://", ":/", 1) },
	"no scheme":   func(s string) string { return strings.TrimPrefix(s, "https:") },
	"port":        inPath(func(s string) string { return strings.Replace(s, "/", ":443/", 1) }),
	"credentials": inPath(func(s string) string { return "ada:secret@" + s }),
	"slash": func(s string) string {
		path, rest := cutAny(s, "?#")
		return path + "/" + rest
	},
	"tracking": func(s string) string {
		path, fragment := cutAny(s, "#")
		sign := "?"
		if strings.Contains(path, "?") {
			sign = "&"
		}
		return path + sign + "utm_source=chat&atlOrigin=eyJpIjoi&fbclid=x&pvs=4&private_token=s3cret" + fragment
	},
	"text fragment": after("#:~:text=some%20words"),
	"encoded whole": func(s string) string { return url.QueryEscape(s) },
	"Safelinks": func(s string) string {
		return "https://eur01.safelinks.protection.outlook.com/?url=" + url.QueryEscape(s) + "&data=05%7C02&reserved=0"
	},
	"Google":          func(s string) string { return "https://www.google.com/url?q=" + url.QueryEscape(s) + "&sa=D" },
	"Slack's service": func(s string) string { return "https://slack-redir.net/link?url=" + url.QueryEscape(s) },
}

func after(tail string) func(string) string { return around("", tail) }

func around(head, tail string) func(string) string {
	return func(s string) string { return head + s + tail }
}

func inPath(f func(string) string) func(string) string {
	return func(s string) string { return "https://" + f(strings.TrimPrefix(s, "https://")) }
}

func cutAny(s, signs string) (before, rest string) {
	if i := strings.IndexAny(s, signs); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// TestAMangledLinkMeansTheSame: for each link of the table and each way to copy it.
func TestAMangledLinkMeansTheSame(t *testing.T) {
	for in := range links {
		if !strings.HasPrefix(in, "https://") || strings.Count(in, "/") < 4 {
			continue
		}
		want, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		for name, mangle := range mangles {
			if strings.Contains(in, "#") && name == "text fragment" || strings.Contains(in, "(") && name == "parenthesis" {
				continue
			}
			same(t, name, mangle(in), want)
		}
		if strings.Contains(in, "%") {
			same(t, "encoded twice", strings.ReplaceAll(in, "%", "%25"), want)
		}
	}
}

func same(t *testing.T, name, mangled string, want Ref) {
	t.Helper()
	got, err := Parse(mangled)
	if err != nil {
		t.Errorf("%s: Parse(%q): %v", name, mangled, err)
		return
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Ref{})); diff != "" {
		t.Errorf("%s: Parse(%q) -want +got:\n%s", name, mangled, diff)
	}
}

// TestSignsOfATitleStay: a title keeps what a link to an issue loses.
func TestSignsOfATitleStay(t *testing.T) {
	for in, want := range map[string]string{
		"https://en.wikipedia.org/wiki/Crane_(bird)":           "Crane (bird)",
		"(https://en.wikipedia.org/wiki/Crane_(bird)).":        "Crane (bird)",
		"[Crane](https://en.wikipedia.org/wiki/Crane_(bird))":  "Crane (bird)",
		"https://en.wikipedia.org/wiki/Crane_(bird))":          "Crane (bird)",
		"https://en.wikipedia.org/wiki/Yahoo!":                 "Yahoo!",
		"https://en.wikipedia.org/wiki/What_is_it%3F":          "What is it?",
		"https://en.wikipedia.org/wiki/Crane (bird)":           "Crane (bird)",
		"https://en.wikipedia.org/wiki/Rock_'n'":               "Rock 'n'",
		"https://en.wikipedia.org/wiki/Crane_%2528bird%2529":   "Crane (bird)",
		"https://en.wikipedia.org/wiki/100%25":                 "100%",
		"https://en.m.wikipedia.org/wiki/Crane#/media/File:X":  "Crane",
		"https://fa.wikipedia.org/wiki/می%E2%80%8Cخواهم":       "می\u200cخواهم",
		"https://en.wikipedia.org/wiki/Crane%E2%80%8B":         "Crane",
		"https://w.corp.org/w/rest.php/v1/page/Crane":          "Crane",
		"https://w.corp.org/w/index.php?title=Who%3F&action=x": "Who?",
	} {
		if got, err := Parse(in); err != nil || got.Title != want {
			t.Errorf("Parse(%q).Title = %q, %v; want %q", in, got.Title, err, want)
		}
	}
}

var sites = Reader{Sites: []Site{
	{"gh", "github", "https://code.corp.org/api/v3"},
	{"jira", "jira", "https://corp.org/jira"},
	{"root", "jira", "https://acme.atlassian.net"},
	{"docs", "confluence", "https://acme.atlassian.net/wiki"},
	{"dc", "confluence", "https://docs.corp.org"},
	{"red", "redmine", "https://corp.org/a/b/redmine"},
	{"wiki", "mediawiki", "https://know.corp.org/w/api.php"},
	{"tea", "gitea", "https://corp.org/tea"},
	{"lab", "gitlab", "http://127.0.0.1:8080"},
	{"here", "local", ""},
}}

// TestTheProviderOfASourceReadsItsLinks: what the shape alone would read otherwise.
func TestTheProviderOfASourceReadsItsLinks(t *testing.T) {
	for in, want := range map[string]string{
		"https://code.corp.org/a/wiki/issues/3":                       "github issue a/wiki 3 @",
		"https://code.corp.org/api/v3/repos/a/b/pulls/3":              "github change a/b 3 @",
		"http://corp.org/jira/browse/PAY-12":                          "jira issue PAY PAY-12 @/jira",
		"corp.org/jira/browse/PAY-12":                                 "jira issue PAY PAY-12 @/jira",
		"https://corp.org/jira/secure/ViewIssue.jspa?key=PAY-12":      "jira issue PAY PAY-12 @/jira",
		"https://corp.org/jira/projects/PAY/summary":                  "jira project PAY  @/jira",
		"https://corp.org/jira/rest/api/2/issue/10012":                "jira unknown   @/jira",
		"https://corp.org/a/b/redmine/issues/12.json?key=secret":      "redmine issue  12 @/a/b/redmine",
		"https://corp.org/a/b/redmine/projects/app/wiki/Set_Up/3":     "redmine page app Set_Up @/a/b/redmine",
		"https://corp.org/tea/a/b/src/branch/main/x.go":               "gitea file a/b  @/tea",
		"https://corp.org/tea/issues/b/issues/7":                      "gitea issue issues/b 7 @/tea",
		"https://corp.org/other/browse/PAY-12":                        "jira issue PAY PAY-12 @/other",
		"https://acme.atlassian.net/browse/PAY-12":                    "jira issue PAY PAY-12 @",
		"https://acme.atlassian.net/wiki/x/ZQ":                        "confluence page  x/ZQ @/wiki",
		"https://acme.atlassian.net/wiki/spaces/E/blog/2026/1/2/77/T": "confluence page E 77 @/wiki",
		"https://acme.atlassian.net/wiki/api/v2/pages/77":             "confluence page  77 @/wiki",
		"https://acme.atlassian.net/wiki/home":                        "confluence unknown   @/wiki",
		"https://docs.corp.org/x/ZQ":                                  "confluence page  x/ZQ @",
		"https://docs.corp.org/display/ENG/Set+Up":                    "confluence page ENG  @",
		"https://docs.corp.org/spaces/viewspace.action?key=ENG":       "confluence project ENG  @",
		"https://docs.corp.org/pages/releaseview.action?pageId=5":     "confluence page  5 @",
		"https://docs.corp.org/redmine/issues/12":                     "redmine issue  12 @/redmine",
		"https://know.corp.org/Crane_(bird)":                          "mediawiki page   @",
		"https://know.corp.org/de/Crane/Nest":                         "mediawiki page   @",
		"https://know.corp.org/w/index.php?oldid=77":                  "mediawiki page   @/w",
		"127.0.0.1:8080/g/s/p/-/merge_requests/5":                     "gitlab change g/s/p 5 @",
		"http://127.0.0.1:8080/g/s/p/issues/5":                        "gitlab issue g/s/p 5 @",
	} {
		got, err := sites.Parse(in)
		if err != nil {
			t.Errorf("Parse(%q): %v", in, err)
			continue
		}
		if is := fmt.Sprintf("%s %s %s %s @%s", got.Provider, got.Kind, got.Project, got.ID, got.BasePath); is != want || !got.Certain() {
			t.Errorf("Parse(%q) = %q, certain %v; want %q", in, is, got.Certain(), want)
		}
		again, err := sites.Parse(got.String())
		if diff := cmp.Diff(got, again, cmp.AllowUnexported(Ref{})); err != nil || diff != "" {
			t.Errorf("canonical form of %q reads differently: %v\n%s", in, err, diff)
		}
	}
}

// TestAGuessIsNoCertainty: the forges share their shapes.
func TestAGuessIsNoCertainty(t *testing.T) {
	for in, want := range map[string]bool{
		"https://bitbucket.org/a/b/issues/7": false, "https://git.example.org/a/b": false, "https://git.example.org/g/p/-/issues/1": true,
		"https://git.example.org/a/b/issues/7": false, "https://codeberg.org/a/b/issues/7": true, "https://t.example.org/browse/P-1": true,
	} {
		if got, err := Parse(in); err != nil || got.Certain() != want {
			t.Errorf("Parse(%q): certain %v, %v", in, got.Certain(), err)
		}
	}
}

// TestTheNameOfASourceQualifies: ids and paths, never a title.
func TestTheNameOfASourceQualifies(t *testing.T) {
	for in, want := range map[string]string{
		"here#7": "here issue #7", "here!7": "here change !7", "jira:PAY-12": "jira issue PAY-12", "gh:acme/app#12": "gh issue acme/app#12",
		"here:src/a.go#L3": "here file src/a.go:3", "here:main:src/a.go": "here file main:src/a.go", "red:#12,": "red issue #12", "gh:abcdef1": "gh commit abcdef1",
		"docs:Start": " unknown docs:Start", "nowhere#7": " unknown nowhere#7", "here": " unknown here", "here#": " unknown here#",
	} {
		got, err := sites.Parse(in)
		if err != nil {
			t.Errorf("Parse(%q): %v", in, err)
			continue
		}
		if is := got.Source + " " + got.Kind.String() + " " + got.Unqualified().String(); is != want {
			t.Errorf("Parse(%q) = %q; want %q", in, is, want)
		}
		if again, err := sites.Parse(got.String()); err != nil || !cmp.Equal(got, again, cmp.AllowUnexported(Ref{})) {
			t.Errorf("canonical form %q of %q reads differently: %v", got.String(), in, err)
		}
	}
}
