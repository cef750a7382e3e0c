package ref

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// place is a site that a link lies below: how much of the link's path is the site's.
type place struct {
	Site
	depth int
}

// hosts tells whether a source is configured for that host.
func (rd Reader) hosts(scheme, host string) bool {
	return slices.ContainsFunc(rd.Sites, func(s Site) bool {
		base, err := url.Parse(s.Base)
		return err == nil && base.Host != "" && siteHost(base.Scheme, base.Host) == siteHost(cmp.Or(scheme, base.Scheme), host)
	})
}

// around lists the sites that the link lies below, the closest first: one host may
// serve several products.
func (rd Reader) around(l link) []place {
	var out []place
	for _, s := range rd.Sites {
		base, err := url.Parse(s.Base)
		if err != nil || base.Host == "" || siteHost(base.Scheme, base.Host) != siteHost(l.scheme, l.host) {
			continue
		}
		prefix, _ := sitePath(base)
		segs := strings.FieldsFunc(prefix, func(r rune) bool { return r == '/' })
		if len(segs) <= len(l.segs) && slices.Equal(segs, l.segs[:len(segs)]) {
			out = append(out, place{s, len(segs)})
		}
	}
	slices.SortStableFunc(out, func(a, b place) int { return cmp.Compare(b.depth, a.depth) })
	return out
}

// read fills r from a link as the product of that site has them.
func (p place) read(r *Ref, l link) error {
	r.Provider, r.sure = p.Provider, true
	prefix := l.base(p.depth)
	l.segs = l.segs[p.depth:]
	err := readAs(r, l)
	r.Provider, r.BasePath = p.Provider, prefix+r.BasePath
	return err
}

// readLink fills r. What lies below a site is read as its product has it; what that
// product has no such page for may be another product's on the same host, which its
// shape must tell.
func (rd Reader) readLink(r *Ref, l link) error {
	places := rd.around(l)
	for _, p := range places {
		own := *r
		if err := p.read(&own, l); err != nil {
			return err
		}
		if own.Kind != Unknown || own.Also != Unknown {
			*r = own
			return nil
		}
	}
	shape := *r
	certain, err := readShape(&shape, l)
	if err != nil {
		return err
	}
	shape.sure = shape.sure || certain
	if len(places) == 0 || certain && shape.Kind != Unknown && !slices.ContainsFunc(places, func(p place) bool { return p.Provider == shape.Provider }) {
		*r = shape
		return nil
	}
	p := places[0]
	r.Provider, r.sure, r.BasePath = p.Provider, true, l.base(p.depth)
	if rest := l.from(p.depth); p.Provider == "mediawiki" && rest != "" && !strings.HasSuffix(rest, ".php") {
		// The wiki itself says below which path its pages lie: it may be any.
		r.Kind, r.Title = Page, strings.ReplaceAll(rest, "_", " ")
	}
	return nil
}
