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
	// fragment is the part of the page, decoded.
	fragment string
}

var (
	scheme        = pattern.New(`^([A-Za-z][A-Za-z0-9+.-]*)://`)
	encodedScheme = pattern.New(`(?i)^https?%(?:25)*3A(?:%(?:25)*2F){2}`)
	oneSlash      = pattern.New(`(?i)^(https?):/([^/].*)$`)
	noHost        = pattern.New(`(?i)^(javascript|data|mailto|vbscript|about|blob|tel):`)
	scpLike       = pattern.New(`^[A-Za-z0-9._-]+@([A-Za-z0-9.-]+):/?([^:\s]+)$`)
	hostName      = pattern.New(`^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$`)
	// onlyLinks are paths that no file has, whatever its directory is called.
	onlyLinks = pattern.New(`^(?:/[^/]+)*/(?:browse/[A-Za-z][A-Za-z0-9_]*-[1-9][0-9]*(?:[/?#]|$)|-/[a-z_]+/)`)
)

// parseLink reads a link or the address of a Git repository; ok is false for a
// text that is neither.
func (rd Reader) parseLink(s string) (Ref, bool, error) {
	if encodedScheme.MatchString(s) {
		plain, err := url.PathUnescape(s)
		if err != nil {
			return Ref{}, false, fail(BadURL, badLinkText)
		}
		return rd.parseLink(plain)
	}
	if m := scpLike.FindStringSubmatch(s); m != nil {
		return rd.cloneAddress("https://" + m[1] + "/" + m[2])
	}
	if m := oneSlash.FindStringSubmatch(s); m != nil {
		s = m[1] + "://" + m[2]
	}
	m := scheme.FindStringSubmatch(s)
	if m == nil {
		if noHost.MatchString(s) {
			return Ref{}, false, fail(BadScheme, "only http and https links can be read")
		}
		if !rd.bareHost(s) {
			return Ref{}, false, nil
		}
		s = "https://" + strings.TrimPrefix(s, "//")
		m = []string{"", "https"}
	}
	switch strings.ToLower(m[1]) {
	case "http", "https":
		return rd.webLink(s)
	case "ssh", "git", "git+ssh", "git+https":
		u, err := url.Parse(s)
		if err != nil || u.Hostname() == "" || strings.Contains(u.Hostname(), ":") {
			return Ref{}, false, fail(BadURL, "the address of the repository cannot be read; copy it again")
		}
		// The port is that of ssh or git, not of the web.
		return rd.cloneAddress("https://" + u.Hostname() + u.EscapedPath())
	}
	return Ref{}, false, fail(BadScheme, "only http and https links, and addresses of Git repositories, can be read")
}

// bareHost tells links pasted without https:// from paths: by the hosts that everybody
// knows, those of the sources, and by paths that only links have.
func (rd Reader) bareHost(s string) bool {
	relative, isRelative := strings.CutPrefix(s, "//")
	host, rest, path := strings.Cut(relative, "/")
	host = strings.ToLower(host)
	if !path || !hostName.MatchString(host) {
		return false
	}
	if rd.hosts("https", host) {
		return true
	}
	return strings.Contains(host, ".") && !strings.HasSuffix(host, ".md") &&
		(isRelative || ProviderOfHost(host) != "" || strings.HasPrefix(host, "www.") || onlyLinks.MatchString("/"+rest))
}

// cloneAddress reads the https form of an address that git clone takes.
func (rd Reader) cloneAddress(s string) (Ref, bool, error) {
	r, ok, err := rd.webLink(strings.TrimSuffix(s, "/"))
	if err != nil || !ok {
		return r, ok, err
	}
	l, err := split(s)
	if err != nil {
		return r, false, err
	}
	if len(l.segs) > 2 && !strings.HasSuffix(s, ".git") {
		// Only the ending keeps it a repository in its canonical form.
		return rd.cloneAddress(strings.TrimSuffix(s, "/") + ".git")
	}
	if len(l.segs) == 0 {
		return r, false, fail(BadURL, "the address names no repository; copy it again")
	}
	return r, true, nil
}

func (rd Reader) webLink(s string) (Ref, bool, error) {
	l, err := split(unwrapped(s))
	if err != nil {
		return Ref{}, false, err
	}
	r := Ref{Host: l.host, Provider: ProviderOfHost(l.host), Anchor: l.fragment}
	r.sure = r.Provider != ""
	r.link = l.String() + fragmentOf(l.fragment)
	if err := rd.readLink(&r, l); err != nil {
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

// encodedTwice is an escape of an escape, and no other percent sign.
var encodedTwice = pattern.New(`^[^%]*(?:%25[0-9A-Fa-f]{2}[^%]*)+$`)

// split takes a web address apart, decoding the path once, and once more if all of it
// was encoded twice.
func split(s string) (link, error) {
	if encodedTwice.MatchString(s) {
		s = strings.ReplaceAll(s, "%25", "%")
	}
	u, err := url.Parse(strings.ReplaceAll(s, "&amp;", "&"))
	if err != nil {
		return link{}, fail(BadURL, badLinkText)
	}
	l := link{scheme: strings.ToLower(u.Scheme), query: url.Values{}, fragment: fragmentIn(u)}
	l.host = strings.TrimSuffix(strings.ToLower(u.Host), ".")
	if port := map[string]string{"https": ":443", "http": ":80"}[l.scheme]; port != "" {
		l.host = strings.TrimSuffix(strings.TrimSuffix(l.host, port), ".")
	}
	if !hostName.MatchString(l.host) {
		return link{}, fail(BadURL, "the link has no proper host name; copy it again from the address bar")
	}
	for seg := range strings.SplitSeq(u.EscapedPath(), "/") {
		text, err := url.PathUnescape(seg)
		text = visible(text)
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
		if l.keeps(k) && len(v) > 0 && visible(v[0]) != "" {
			l.query.Set(k, visible(v[0]))
		}
	}
	for _, text := range append(l.values(), append(slices.Clone(l.segs), l.fragment)...) {
		if strings.ContainsFunc(text, Invisible) {
			return link{}, fail(BadCharacter, "the link holds an encoded control or invisible character; give the plain link")
		}
	}
	return l, nil
}

// fragmentIn is the part of the page that a link points to: not the words that a
// browser shall mark (#:~:text=), and not the way within a program (#/media/File:x).
func fragmentIn(u *url.URL) string {
	f, _, _ := strings.Cut(visible(u.Fragment), ":~:")
	if strings.HasPrefix(f, "/") || strings.HasPrefix(f, "!") {
		return ""
	}
	return f
}

func (l link) values() []string {
	var vs []string
	for _, v := range l.query {
		vs = append(vs, v...)
	}
	return vs
}

// keeps tells the query parameters that say what the link means. All others are
// dropped: they track, or carry a token.
func (l link) keeps(name string) bool {
	switch name {
	case "selectedIssue", "focusedCommentId", "pageId", "spaceKey", "title", "curid", "oldid", "p":
		return true
	case "key": // ViewIssue.jspa, viewspace.action
		last := l.seg(len(l.segs) - 1)
		return strings.HasSuffix(last, ".jspa") || strings.HasSuffix(last, ".action")
	case "ref": // else it says where somebody came from
		return slices.Contains(l.segs, "contents") || slices.Contains(l.segs, "files")
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
