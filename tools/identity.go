package tools

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
)

// identity tells whether items of two sources are the same object: its canonical
// address, else the site, the kind and the reference in it. It is empty for an item
// that has neither. Objects of different sites never have the same.
type identity string

// object names the object that an item is. What stands behind the # of an address
// is part of it: a section or a comment is not the page.
func (d *Deps) object(item connectors.Item) identity {
	c := item.Candidate()
	i := slices.IndexFunc(d.Sources, func(s connectors.Source) bool { return s.Name == c.Source })
	if i < 0 {
		return ""
	}
	s := d.Sources[i]
	if address := canonical(c.URL, s.Provider); address != "" {
		return identity(address)
	}
	if c.Ref == "" {
		return ""
	}
	return identity(strings.Join([]string{site(s), reflect.TypeOf(item).Name(), c.Ref}, "\x00"))
}

// nth tells apart what one source lists several times, such as two hits in one page.
func (n identity) nth(i int) identity {
	if n == "" || i == 1 {
		return n
	}
	return n + "\x00" + identity(strconv.Itoa(i))
}

// hash is short: of two different objects of one walk they are the same once in
// about a hundred million walks.
func (n identity) hash() string {
	sum := sha256.Sum256([]byte(n))
	return base64.RawURLEncoding.EncodeToString(sum[:hashLength*3/4])
}

// sites is the site of each source by its name.
func (d *Deps) sites() map[string]string {
	m := map[string]string{}
	for _, s := range d.Sources {
		m[s.Name] = site(s)
	}
	return m
}

// site is where a source looks: two sources of one site, such as two accounts of
// one server, can come to the same objects.
func site(s connectors.Source) string {
	if s.Root != "" {
		return s.Provider + "\x00" + s.Root
	}
	return s.Provider + "\x00" + canonical(s.BaseURL, "")
}

// canonical is an address without what does not change where it leads: the scheme,
// the case of the host, the port that the scheme has anyway, a final slash, the
// order of the query. GitHub ignores the case of owner and repository. It is empty
// for what is no web address.
func canonical(address, provider string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	if parts := strings.SplitN(path, "/", 4); provider == "github" && len(parts) > 2 {
		parts[1], parts[2] = strings.ToLower(parts[1]), strings.ToLower(parts[2])
		path = strings.Join(parts, "/")
	}
	query := u.RawQuery
	if q, err := url.ParseQuery(query); err == nil {
		query = q.Encode()
	}
	return strings.Join([]string{host, path, query, u.Fragment}, "\x00")
}

// richer reports whether an item tells more of an object than another one: more of
// its fields are filled, or as many, later.
func richer[T connectors.Item](a, b T) bool {
	if x, y := filled(a), filled(b); x != y {
		return x > y
	}
	return a.Changed().After(b.Changed())
}

// filled counts the fields of an item that say something.
func filled(item any) int {
	v, n := reflect.ValueOf(item), 0
	if v.Kind() != reflect.Struct {
		return 0
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.Anonymous && f.IsExported() && !v.FieldByIndex(f.Index).IsZero() {
			n++
		}
	}
	return n
}
