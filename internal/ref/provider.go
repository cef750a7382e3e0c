package ref

import (
	"strings"
)

// ProviderOfHost guesses the product behind a host from its name; "" if the
// name does not tell.
func ProviderOfHost(host string) string {
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	switch host {
	case "github.com", "raw.githubusercontent.com", "gist.github.com":
		return "github"
	case "codeberg.org":
		return "gitea"
	case "linear.app", "api.linear.app":
		return "linear"
	case "notion.so", "notion.com", "api.notion.com", "app.notion.com":
		return "notion"
	case "mediawiki.org":
		return "mediawiki"
	}
	for _, d := range [...]struct{ suffix, provider string }{
		{".github.com", "github"}, {".ghe.com", "github"}, {".notion.so", "notion"}, {".notion.site", "notion"},
		{".atlassian.net", "jira"}, {".wikipedia.org", "mediawiki"}, {".wikimedia.org", "mediawiki"},
		{".mediawiki.org", "mediawiki"}, {".wiktionary.org", "mediawiki"}, {".fandom.com", "mediawiki"},
	} {
		if strings.HasSuffix(host, d.suffix) {
			return d.provider
		}
	}
	return labelProvider(host)
}

// labelProvider reads names such as gitlab.example.org or jira-test.corp.
func labelProvider(host string) string {
	if !strings.Contains(host, ".") {
		return ""
	}
	for label := range strings.SplitSeq(host, ".") {
		word, _, _ := strings.Cut(label, "-")
		switch word {
		case "github", "ghe":
			return "github"
		case "gitlab":
			return "gitlab"
		case "gitea", "forgejo":
			return "gitea"
		case "jira", "confluence", "redmine", "mediawiki":
			return word
		}
	}
	return ""
}

// readShape fills r from the shape of the link. Shapes that only one product has come
// first, whatever the host is called; certain tells that it was one of these.
func readShape(r *Ref, l link) (certain bool, err error) {
	switch r.Provider {
	case "linear", "notion", "github":
		return true, readAs(r, l)
	}
	if r.Provider != "gitlab" && r.Provider != "gitea" && readWiki(r, l) {
		return true, nil
	}
	if rest, ok := readGitLab(r, l); ok {
		return true, readRest(r, rest)
	}
	switch {
	case r.Provider == "gitlab" || r.Provider == "gitea":
		return true, readForge(r, l)
	case readRedmine(r, l):
		return true, nil
	}
	if r.Provider == "" {
		return false, readForge(r, l)
	}
	return false, nil
}

// readAs fills r from a link to what is known to be r.Provider.
func readAs(r *Ref, l link) error {
	switch r.Provider {
	case "linear":
		readLinear(r, l)
	case "notion":
		readNotion(r, l)
	case "jira":
		readJira(r, l)
	case "confluence":
		readConfluence(r, l)
	case "mediawiki":
		readMediaWiki(r, l)
	case "redmine":
		readRedmine(r, l)
	case "gitlab":
		if rest, ok := readGitLab(r, l); ok {
			return readRest(r, rest)
		}
		return readForge(r, l)
	default:
		return readForge(r, l)
	}
	return nil
}

// readWiki reads the trackers and wikis that have telling paths.
func readWiki(r *Ref, l link) bool {
	return readJira(r, l) || readConfluence(r, l) || readMediaWiki(r, l)
}
