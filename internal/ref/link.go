package ref

import (
	"net/url"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/pattern"
)

// link is a web address taken apart.
type link struct {
	scheme, host string
	// segs are the decoded parts of the path, without empty ones.
	segs  []string
	query url.Values
}

var (
	scheme   = pattern.New(`^([A-Za-z][A-Za-z0-9+.-]*)://`)
	noHost   = pattern.New(`(?i)^(javascript|data|mailto|vbscript|about|blob|tel):`)
	scpLike  = pattern.New(`^[A-Za-z0-9._-]+@([A-Za-z0-9.-]+):/?([^:\s]+)$`)
	hostName = pattern.New(`^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$`)
)

// parseLink reads a link or the address of a Git repository; ok is false for a
// text that is neither.
func parseLink(s string) (Ref, bool, error) {
	if m := scpLike.FindStringSubmatch(s); m != nil {
		return cloneAddress("https://" + m[1] + "/" + m[2])
	}
	m := scheme.FindStringSubmatch(s)
	if m == nil {
		if noHost.MatchString(s) {
			return Ref{}, false, fail(BadScheme, "only http and https links can be read")
		}
		if !bareHost(s) {
			return Ref{}, false, nil
		}
		s = "https://" + s
		m = []string{"", "https"}
	}
	switch strings.ToLower(m[1]) {
	case "http", "https":
		return webLink(s)
	case "ssh", "git", "git+ssh", "git+https":
		u, err := url.Parse(s)
		if err != nil || u.Hostname() == "" || strings.Contains(u.Hostname(), ":") {
			return Ref{}, false, fail(BadURL, "the address of the repository cannot be read; copy it again")
		}
		// The port is that of ssh or git, not of the web.
		return cloneAddress("https://" + u.Hostname() + u.EscapedPath())
	}
	return Ref{}, false, fail(BadScheme, "only http and https links, and addresses of Git repositories, can be read")
}

// bareHost tells links pasted without https:// from paths, by the hosts that
// everybody knows.
func bareHost(s string) bool {
	host, _, path := strings.Cut(s, "/")
	host = strings.ToLower(host)
	return path && (ProviderOfHost(host) != "" || strings.HasPrefix(host, "www.")) && strings.Contains(host, ".") &&
		hostName.MatchString(host) && !strings.HasSuffix(host, ".md")
}

// cloneAddress reads the https form of an address that git clone takes.
func cloneAddress(s string) (Ref, bool, error) {
	r, ok, err := webLink(strings.TrimSuffix(s, "/"))
	if err != nil || !ok {
		return r, ok, err
	}
	l, err := split(s)
	if err != nil {
		return r, false, err
	}
	if len(l.segs) > 2 && !strings.HasSuffix(s, ".git") {
		// Only the ending keeps it a repository in its canonical form.
		return cloneAddress(strings.TrimSuffix(s, "/") + ".git")
	}
	if len(l.segs) == 0 {
		return r, false, fail(BadURL, "the address names no repository; copy it again")
	}
	return r, true, nil
}

func webLink(s string) (Ref, bool, error) {
	l, err := split(s)
	if err != nil {
		return Ref{}, false, err
	}
	u, _ := url.Parse(s)
	r := Ref{Host: l.host, Provider: ProviderOfHost(l.host), Anchor: u.Fragment}
	r.link = l.String() + fragmentOf(u.Fragment)
	if err := readLink(&r, l); err != nil {
		return Ref{}, false, err
	}
	r.Raw = r.link
	return r, true, nil
}

func fragmentOf(f string) string {
	if f == "" {
		return ""
	}
	u := url.URL{Fragment: f}
	return "#" + u.EscapedFragment()
}

const badLinkText = "the link cannot be read; copy it again from the address bar"

// split takes a web address apart, decoding the path once.
func split(s string) (link, error) {
	u, err := url.Parse(s)
	if err != nil {
		return link{}, fail(BadURL, badLinkText)
	}
	l := link{scheme: strings.ToLower(u.Scheme), query: url.Values{}}
	l.host = strings.TrimSuffix(strings.ToLower(u.Host), ".")
	if port := map[string]string{"https": ":443", "http": ":80"}[l.scheme]; port != "" {
		l.host = strings.TrimSuffix(strings.TrimSuffix(l.host, port), ".")
	}
	if !hostName.MatchString(l.host) {
		return link{}, fail(BadURL, "the link has no proper host name; copy it again from the address bar")
	}
	for seg := range strings.SplitSeq(u.EscapedPath(), "/") {
		text, err := url.PathUnescape(seg)
		switch {
		case err != nil:
			return link{}, fail(BadURL, badLinkText)
		case text == "":
			continue
		case !dotless(text):
			return link{}, fail(BadPath, "the link steps to another directory with . or ..; give the direct link")
		}
		l.segs = append(l.segs, text)
	}
	for k, v := range u.Query() {
		if keptParameter(k) && len(v) > 0 && v[0] != "" {
			l.query.Set(k, v[0])
		}
	}
	for _, text := range append(l.values(), append(slices.Clone(l.segs), u.Fragment)...) {
		if strings.ContainsFunc(text, Invisible) {
			return link{}, fail(BadCharacter, "the link holds an encoded control or invisible character; give the plain link")
		}
	}
	return l, nil
}

func (l link) values() []string {
	var vs []string
	for _, v := range l.query {
		vs = append(vs, v...)
	}
	return vs
}

// keptParameter names the query parameters that say what a link means. All
// others are dropped: they track, or carry a token.
func keptParameter(name string) bool {
	switch name {
	case "selectedIssue", "focusedCommentId", "pageId", "spaceKey", "title", "curid", "oldid", "p", "ref":
		return true
	}
	return false
}

// String is the canonical address without fragment.
func (l link) String() string {
	var b strings.Builder
	b.WriteString(l.scheme + "://" + l.host)
	for _, seg := range l.segs {
		b.WriteString("/" + url.PathEscape(seg))
	}
	s := b.String()
	if len(l.query) > 0 {
		return s + "?" + l.query.Encode()
	}
	if len(l.segs) > 0 && strings.HasSuffix(s, ".") {
		// A dot that belongs to the title must not read as the sentence's end.
		s = strings.TrimSuffix(s, ".") + "%2E"
	}
	return s
}

func (l link) seg(i int) string {
	if i < 0 || i >= len(l.segs) {
		return ""
	}
	return l.segs[i]
}

// from joins the segments from i on; "" if there are none.
func (l link) from(i int) string {
	if i >= len(l.segs) {
		return ""
	}
	return strings.Join(l.segs[i:], "/")
}

// base is the path before segment i, as a BasePath.
func (l link) base(i int) string {
	if i <= 0 {
		return ""
	}
	return "/" + strings.Join(l.segs[:i], "/")
}
