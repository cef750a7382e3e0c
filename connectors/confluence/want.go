package confluence

import (
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// wanted names a page: by its number, by its title in a space, or as the homepage of
// a space.
type wanted struct {
	id    string
	title string
	space string // empty: the default space, else any
	tiny  string // what stands behind /x/ in the link
	link  string // where the question is a link
	blog  bool   // it is a post, which v2 keeps elsewhere
	// plus is the title as the link has it: a plus may stand for a space or for itself.
	plus string
	// fragment is the section that the reference points to.
	fragment string
	// either is a title whose beginning may be the key of a space.
	either string
}

// name is how the question called the page.
func (w wanted) name() string {
	switch {
	case w.link != "":
		return w.link
	case w.either != "":
		return w.either
	case w.title != "":
		return w.title
	case w.id != "":
		return "page " + w.id
	}
	return "the homepage of " + w.space
}

// want reads a reference. A link is read by Confluence's own paths below base_url.
func (d documents) want(r ref.Ref) (wanted, *status.Failure) {
	if r.URL() != "" {
		return d.linked(r)
	}
	text := strings.TrimSpace(r.Raw)
	number, fragment, _ := strings.Cut(strings.TrimPrefix(text, "#"), "#")
	if isNumber(number) {
		return wanted{id: number, fragment: fragment}, nil
	}
	if code, ok := strings.CutPrefix(text, "x/"); ok {
		if id, ok := untiny(code); ok {
			return wanted{id: id, tiny: code}, nil
		}
	}
	title := text
	if r.Anchor != "" {
		title = strings.TrimSuffix(title, "#"+r.Anchor)
	}
	w := wanted{title: strings.TrimSpace(title)}
	if w.title == "" {
		return w, d.badArgument("ref", "names no page; give its link, its number, its title, or KEY:title with the key of its space")
	}
	if key, rest, ok := strings.Cut(w.title, ":"); ok && isKey(key) && strings.ToUpper(key) == key && strings.TrimSpace(rest) != "" {
		w.either, w.space, w.title = w.title, key, strings.TrimSpace(rest)
	}
	return w, nil
}

// linked reads a link to this Confluence.
func (d documents) linked(r ref.Ref) (wanted, *status.Failure) {
	w := wanted{link: r.URL()}
	u, err := url.Parse(r.URL())
	if err != nil {
		return w, d.badArgument("ref", "is no link that can be read")
	}
	parts := append(strings.Split(strings.TrimSuffix(d.pathOf(r, u.Path), "/"), "/"), "", "")
	query := u.Query()
	switch {
	case isNumber(query.Get("pageId")):
		w.id = query.Get("pageId")
	case parts[0] == "x" && parts[1] != "":
		id, ok := untiny(parts[1])
		if !ok {
			return w, d.badArgument("ref", "is a short link that cannot be read; give the long one")
		}
		w.id, w.tiny = id, parts[1]
	case parts[0] == "spaces" && isKey(parts[1]):
		return d.spaced(w, parts)
	case parts[0] == "display" && isKey(parts[1]):
		return d.displayed(w, parts[1], strings.Join(parts[2:len(parts)-2], "/"))
	case parts[0] == "pages" && query.Get("title") != "":
		w.space, w.title = query.Get("spaceKey"), query.Get("title")
	default:
		w.id = first(after(parts, "pages"), after(parts, "content"), after(parts, "blogposts"))
		w.blog = after(parts, "blogposts") != ""
	}
	if w.id == "" && w.title == "" {
		return w, d.badArgument("ref", "is no link to a page; give that of a page, or its number")
	}
	return w, nil
}

// spaced reads /spaces/KEY/…: a page, a post, the space itself, or what is no page.
func (d documents) spaced(w wanted, parts []string) (wanted, *status.Failure) {
	w.space = parts[1]
	rest := parts[2 : len(parts)-2]
	if len(rest) == 0 || rest[0] == "overview" || len(rest) == 1 && rest[0] == "pages" {
		return w, nil
	}
	at := 0 // of the number: behind the date, where there is one
	for at = range rest {
		if isNumber(rest[at]) && (rest[0] != "blog" || at > 3) {
			break
		}
	}
	switch number := rest[at]; {
	case !isNumber(number):
		return w, d.badArgument("ref", "is no link to a page; give that of a page, or its number")
	case rest[0] == "pages":
		w.id = number
	case rest[0] == "blog":
		w.id, w.blog = number, true
	default: // CF-14: a whiteboard, a database, a folder
		f := status.Fail(status.WrongKind, status.By(d.source), status.NotCalled, status.Reference.Is(w.link), status.Part.Is("no page but "+kind(rest[0])),
			status.Fallback("open it in a browser"))
		return w, &f
	}
	return w, nil
}

// displayed reads /display/KEY/Title of a Data Center.
func (d documents) displayed(w wanted, key, title string) (wanted, *status.Failure) {
	if isPost(title) {
		f := status.Fail(status.OperationUnsupported, status.By(d.source), status.NotCalled, status.Reference.Is(w.link),
			status.Feature.Is("posts of blogs by their title"), status.Fallback("give the number of the post"))
		return w, &f
	}
	w.space, w.title = key, strings.TrimSpace(strings.ReplaceAll(title, "+", " "))
	if w.title == "" {
		w.title = title
	}
	if w.title != title {
		w.plus = title
	}
	return w, nil
}

// isPost reports whether what follows the space is a date, as in addresses of posts.
func isPost(title string) bool {
	parts := strings.SplitN(title, "/", 4)
	return len(parts) == 4 && len(parts[0]) == 4 && isNumber(parts[0]) && isNumber(strings.TrimPrefix(parts[1], "0")) && isNumber(strings.TrimPrefix(parts[2], "0"))
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// after is the number that follows the name in a path.
func after(parts []string, name string) string {
	for i := range len(parts) - 1 {
		if parts[i] == name && isNumber(parts[i+1]) {
			return parts[i+1]
		}
	}
	return ""
}

func isNumber(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && n > 0 && s[0] != '+'
}

// untiny reads a short link: the number of the page, its bytes from the lowest on, in
// base 64 with - for / and _ for +, without what is zero at the end.
// https://confluence.atlassian.com/confkb/how-to-programmatically-generate-the-tiny-link-of-a-confluence-page-956713432.html
func untiny(code string) (id string, ok bool) {
	code = strings.NewReplacer("-", "/", "_", "+").Replace(code)
	if code == "" || len(code) > 11 {
		return "", false
	}
	b, err := base64.StdEncoding.DecodeString(code + strings.Repeat("A", 11-len(code)) + "=")
	if err != nil || len(b) != 8 {
		return "", false
	}
	n := binary.LittleEndian.Uint64(b)
	if n == 0 || n > 1<<62 {
		return "", false
	}
	return strconv.FormatUint(n, 10), true
}
