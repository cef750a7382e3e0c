package ref

import (
	"net/url"
	"strconv"
	"strings"
)

// Match tells whether the link belongs to the server at baseURL, a source's
// base_url. A reference that is no link belongs to none. One server may run
// two products (Jira and Confluence Cloud): see Fits.
func (r Ref) Match(baseURL string) bool {
	_, ok := r.In(baseURL)
	return ok
}

// Fits tells whether a source with that provider can answer for the link, as
// far as its shape tells. The forges' links look alike, so any forge fits.
func (r Ref) Fits(provider string) bool {
	return r.Provider == "" || r.Provider == provider || (isForge(r.Provider) && isForge(provider))
}

// Could tells whether a text can mean something at that provider: keys such as PAY-12
// are those of a tracker of its own, !34 is GitLab's.
func (r Ref) Could(provider string) bool {
	key := r.Kind == Issue && r.ID != strconv.Itoa(r.Number)
	return (r.Provider == "" || r.Provider == provider) && !(key && isForge(provider))
}

func isForge(provider string) bool {
	return provider == "github" || provider == "gitlab" || provider == "gitea"
}

// In returns the reference as the server at baseURL sees it: a path prefix of
// the server that the shape alone could not tell from a group's name is taken
// off the project. False if the link is not on that server, which it is not either if
// it leads to a product in a folder below.
func (r Ref) In(baseURL string) (Ref, bool) {
	base, err := url.Parse(baseURL)
	if err != nil || r.Host == "" || base.Host == "" {
		return r, false
	}
	own, err := url.Parse(r.link)
	if err != nil {
		return r, false
	}
	prefix, anyPath := sitePath(base)
	if siteHost(base.Scheme, base.Host) != siteHost(own.Scheme, r.Host) {
		return r, false
	}
	if anyPath {
		return r, true
	}
	if deeper(r, prefix) {
		return r, false
	}
	if prefix == "" {
		return r, true
	}
	path := own.Path + "/"
	if !strings.HasPrefix(path, prefix+"/") {
		return r, false
	}
	if r.BasePath == "" {
		r.Project = strings.TrimPrefix(r.Project, strings.TrimPrefix(prefix, "/")+"/")
		r.BasePath = prefix
	}
	return r, true
}

// deeper tells that the product that a link leads to lies in a folder below the server
// at prefix, so that it is another server. Jira Cloud has such folders of its own.
func deeper(r Ref, prefix string) bool {
	return strings.HasPrefix(r.BasePath, prefix+"/") && !strings.HasSuffix(r.Host, ".atlassian.net")
}

// OnHost tells whether the link has the host of the server at baseURL, whatever the path.
func (r Ref) OnHost(baseURL string) bool {
	own, err := url.Parse(r.link)
	base, wrong := url.Parse(baseURL)
	return err == nil && wrong == nil && r.Host != "" && siteHost(base.Scheme, base.Host) == siteHost(own.Scheme, r.Host)
}

// HostOf is the host of a server's address; "" if it has none.
func HostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// sitePath is the path that all links of the server share; anyPath where the
// address of its API says nothing about that of its pages.
func sitePath(base *url.URL) (prefix string, anyPath bool) {
	path := strings.TrimRight(base.Path, "/")
	switch {
	case strings.HasSuffix(path, "/api.php"):
		return "", true
	case strings.HasSuffix(path, "/api/v3"):
		// The API itself has the same host, so links to it match as well.
		return strings.TrimSuffix(path, "/api/v3"), false
	}
	return path, false
}

// siteHost maps the hosts of one service to one name.
func siteHost(scheme, host string) string {
	host = strings.ToLower(host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	switch {
	case host == "api.github.com", host == "www.github.com", host == "raw.githubusercontent.com", host == "ssh.github.com":
		return "github.com"
	case strings.HasPrefix(host, "api.") && strings.HasSuffix(host, ".ghe.com"):
		return strings.TrimPrefix(host, "api.")
	case host == "api.linear.app":
		return "linear.app"
	case host == "notion.com", strings.HasSuffix(host, ".notion.com"), host == "notion.so",
		strings.HasSuffix(host, ".notion.so"), strings.HasSuffix(host, ".notion.site"):
		return "notion.com"
	}
	if lang, rest, ok := strings.Cut(host, ".m."); ok && ProviderOfHost(lang+"."+rest) == "mediawiki" {
		return lang + "." + rest // what wikis show on telephones
	}
	if rest, ok := strings.CutPrefix(host, "m."); ok && ProviderOfHost(rest) == "mediawiki" {
		return rest
	}
	return strings.TrimPrefix(host, "www.")
}
