package local

import (
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/markup"
)

// set is a list as it is to be: what stays of it, in its order, and what is added.
type set struct {
	stay []string
	add  []string
	gone int
	key  func(string) string // the same for two spellings of one thing
}

// person is the key of people; Backlog.md writes an @ in front of some.
func person(s string) string { return markup.Fold(strings.TrimPrefix(s, "@")) }

func (s set) has(list []string, x string) bool {
	return slices.ContainsFunc(list, func(y string) bool { return s.key(y) == s.key(x) })
}

// newSet is a list with some added and some removed. What is in both stays.
func newSet(list, add, remove []string, key func(string) string) set {
	s := set{key: key}
	for _, x := range list {
		if s.has(remove, x) && !s.has(add, x) {
			s.gone++
			continue
		}
		s.stay = append(s.stay, x)
	}
	for _, x := range add {
		if !s.has(s.stay, x) && !s.has(s.add, x) {
			s.add = append(s.add, x)
		}
	}
	return s
}

// wholeSet is a list that another replaces.
func wholeSet(list, whole []string, key func(string) string) set {
	s := set{key: key}
	var gone []string
	for _, x := range list {
		if !s.has(whole, x) {
			gone = append(gone, x)
		}
	}
	return newSet(list, whole, gone, key)
}

func (s set) changed() bool       { return s.gone > 0 || len(s.add) > 0 }
func (s set) keeps(x string) bool { return s.has(s.stay, markup.Line(x, maxName)) }
func (s set) all() []string       { return append(slices.Clone(s.stay), s.add...) }
