package mediawiki

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// Numbers of namespaces that every wiki has.
const (
	mainSpace     = 0
	categorySpace = 14
)

// mainName is what we call the namespace without a name.
const mainName = "Main"

// space is a namespace.
type space struct {
	id       int
	names    []string // as the wiki writes it first, then canonical and aliases
	content  bool
	subpages bool
}

// name is the container of the pages in it.
func (s space) name() string { return s.names[0] }

// prefix stands before the titles in it.
func (s space) prefix() string {
	if s.id == mainSpace {
		return ""
	}
	return s.name() + ":"
}

// spacesOf lists the namespaces that hold pages, by number.
func spacesOf(q wireQuery) []space {
	var out []space
	for _, n := range q.Namespaces {
		if n.ID < 0 { // Special and Media hold none
			continue
		}
		s := space{id: n.ID, names: []string{n.Name}, content: n.Content, subpages: n.Subpages}
		if n.ID == mainSpace {
			s.names = []string{mainName, "(" + mainName + ")", "0"}
		} else if n.Canonical != "" {
			s.names = append(s.names, n.Canonical)
		}
		for _, a := range q.Aliases {
			if a.ID == n.ID && a.Alias != "" {
				s.names = append(s.names, a.Alias)
			}
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b space) int { return a.id - b.id })
	return out
}

// named finds a namespace by any of its names.
func (s site) named(name string) (space, bool) {
	name = markup.Fold(strings.TrimSpace(strings.ReplaceAll(name, "_", " ")))
	i := slices.IndexFunc(s.spaces, func(sp space) bool {
		return slices.ContainsFunc(sp.names, func(n string) bool { return markup.Fold(n) == name })
	})
	if i < 0 {
		return space{}, false
	}
	return s.spaces[i], true
}

// numbered finds a namespace by its number.
func (s site) numbered(id int) (space, bool) {
	i := slices.IndexFunc(s.spaces, func(sp space) bool { return sp.id == id })
	if i < 0 {
		return space{}, false
	}
	return s.spaces[i], true
}

// container is the container of a page in that namespace; empty if the wiki did not
// list it, so that no allow-list lets it pass.
func (s site) container(id int) string {
	sp, ok := s.numbered(id)
	if !ok {
		return ""
	}
	return sp.name()
}

// split takes the namespace off a title.
func (s site) split(title string) (space, string) {
	title = strings.TrimPrefix(strings.TrimSpace(title), ":")
	if before, after, ok := strings.Cut(title, ":"); ok {
		if sp, ok := s.named(before); ok && sp.id != mainSpace {
			return sp, strings.TrimSpace(after)
		}
	}
	sp, ok := s.numbered(mainSpace)
	if !ok {
		sp = space{names: []string{mainName}}
	}
	return sp, title
}

// scope is what a set question is about: namespaces, or a category. Neither is all
// of the wiki.
type scope struct {
	spaces   []space
	category string // full title
}

// all reports whether it is the whole wiki.
func (s scope) all() bool { return len(s.spaces) == 0 && s.category == "" }

// scope reads the argument space. What gate keeps from the question is not asked.
func (c *client) scope(ctx context.Context, s site, name string) (scope, *status.Failure) {
	if name == "" {
		name = c.space
	}
	name = strings.TrimSuffix(strings.TrimSpace(name), ":")
	if name == "" || name == connectors.Everywhere || strings.EqualFold(name, s.name) || strings.EqualFold(name, c.api.Hostname()) {
		return scope{}, nil
	}
	if sp, rest := s.split(name); sp.id == categorySpace && rest != "" {
		return scope{category: sp.prefix() + rest}, connectors.Admits(ctx, sp.name())
	}
	sp, ok := s.named(name)
	if id, err := strconv.Atoi(name); err == nil && !ok {
		sp, ok = s.numbered(id)
	}
	if !ok {
		var valid []string
		for _, sp := range s.spaces {
			valid = append(valid, sp.name())
		}
		f := status.Fail(status.FilterUnresolved, status.By(c.source), status.Filter.Is("space="+name), status.ValidValues.Is(valid))
		return scope{}, &f
	}
	return scope{spaces: []space{sp}}, connectors.Admits(ctx, sp.name())
}

// numbers is the namespaces as a parameter.
func (s scope) numbers() string {
	if len(s.spaces) == 0 {
		return "*" // MW-09: without it only the main namespace
	}
	var out []string
	for _, sp := range s.spaces {
		out = append(out, strconv.Itoa(sp.id))
	}
	return strings.Join(out, "|")
}

// holds reports whether a page in that namespace is in it.
func (s scope) holds(id int) bool {
	return len(s.spaces) == 0 || slices.ContainsFunc(s.spaces, func(sp space) bool { return sp.id == id })
}
