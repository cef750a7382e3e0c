package github

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/internal/pattern"
	"github.com/frank-mcp/frank/status"
)

// links are the relations of a Link header (RFC 8288) and their addresses.
type links map[string]string

// relation is what a relation may be called. Anything else, such as a name in
// single quotes, comes from something that does not know how to write the header.
var relation = pattern.New(`^[a-z][a-z0-9.:/_-]*$`)

// parseLinks reads the header whole. A part that cannot be read may have been the
// one that names the next page, so that nothing of it is known then.
func parseLinks(h http.Header) (found links, ok bool) {
	found = links{}
	rest := strings.TrimLeft(strings.Join(h.Values("Link"), ","), ", \t")
	for rest != "" {
		var address, rels string
		if address, rest, ok = enclosed(rest); !ok {
			return nil, false
		}
		if rels, rest, ok = relationsOf(rest); !ok {
			return nil, false
		}
		for _, rel := range strings.Fields(strings.ToLower(rels)) {
			if before, again := found[rel]; !relation.MatchString(rel) || again && before != address {
				return nil, false
			}
			found[rel] = address
		}
		rest = strings.TrimLeft(rest, ", \t")
	}
	return found, true
}

// enclosed takes the address off a link. Commas in it are its own.
func enclosed(s string) (address, rest string, ok bool) {
	if !strings.HasPrefix(s, "<") {
		return "", "", false
	}
	return strings.Cut(s[1:], ">")
}

// parameter is one parameter of a link, with the space around "=" that the RFC allows.
var parameter = pattern.New(`^[ \t]*;[ \t]*([!#$%&'*+\-.^_\x60|~0-9A-Za-z]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+\-.^_\x60|~0-9A-Za-z/:]+)))?[ \t]*`)

// relationsOf reads the parameters of a link. Of several rel the first counts.
func relationsOf(s string) (rels, rest string, ok bool) {
	told := false
	for {
		m := parameter.FindStringSubmatch(s)
		if m == nil {
			break
		}
		if strings.EqualFold(m[1], "rel") && !told {
			rels, told = m[2]+m[3], true
		}
		s = s[len(m[0]):]
	}
	s = strings.TrimLeft(s, " \t;")
	return rels, s, told && strings.TrimSpace(rels) != "" && (s == "" || s[0] == ',')
}

// nextPage returns the query of the page that GitHub itself calls next. Only the
// Link header tells that there is one, never the number of rows. GH-38. That
// there is none is known only where [unreadableLinks] finds nothing.
func nextPage(h http.Header) (url.Values, bool) {
	found, _ := parseLinks(h)
	q, ok := pageOf(found["next"])
	return q, ok
}

// pageOf is the query of an address that names a page by a key that is known.
func pageOf(address string) (url.Values, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, false
	}
	q, err := url.ParseQuery(u.RawQuery)
	return q, err == nil && (q.Get("page") != "" || q.Get("after") != "" || q.Get("before") != "")
}

// unreadableLinks says why a Link header leaves open whether there is a further
// page: it cannot be read, or it contradicts itself.
func unreadableLinks(h http.Header) *status.Failure {
	if len(h.Values("Link")) == 0 {
		return nil
	}
	found, ok := parseLinks(h)
	if !ok {
		return linkFailure(status.ShapeError, status.MissingKey.Is("a readable Link header"))
	}
	if address, more := found["next"]; more {
		if _, ok := pageOf(address); !ok {
			return linkFailure(status.ShapeError, status.MissingKey.Is("the name of the next page"))
		}
		return nil
	}
	here := number(found["prev"]) + 1 // a first page has none before it
	if _, told := found["prev"]; told && here == 1 {
		return nil // pages without numbers
	}
	if number(found["last"]) > here {
		return linkFailure(status.Contradictory, status.Marker.Is("the last page is another, and the Link header names no next one"))
	}
	return nil
}

// number is that of the page in an address, zero if it has none.
func number(address string) int {
	q, _ := pageOf(address)
	n, err := strconv.Atoi(q.Get("page"))
	if err != nil {
		return 0
	}
	return n
}

func linkFailure(r status.Reason, why status.Option) *status.Failure {
	f := status.Fail(r, status.Header.Is("Link"), why)
	return &f
}
