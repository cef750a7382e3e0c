package ref

import (
	"strings"
)

// MatchGlob tells whether name fits pattern, without regard to case. A * stands
// for any text within a segment (between slashes), ** for any text at all, and
// **/ also for nothing; every other character stands for itself. The pattern *
// alone fits everything, since a rule "on *" that spared owner/repo would
// surprise. Time grows with the product of the lengths, never faster.
func MatchGlob(pattern, name string) bool {
	if pattern == "*" {
		return true
	}
	text := []rune(strings.ToLower(name))
	// at[i]: the pattern so far fits text[:i].
	at := make([]bool, len(text)+1)
	at[0] = true
	for p := []rune(strings.ToLower(pattern)); len(p) > 0; {
		switch {
		case len(p) >= 3 && p[0] == '*' && p[1] == '*' && p[2] == '/':
			at, p = starSlash(at, text), p[3:]
		case len(p) >= 2 && p[0] == '*' && p[1] == '*':
			at, p = star(at, text, true), p[2:]
		case p[0] == '*':
			at, p = star(at, text, false), p[1:]
		default:
			at, p = literal(at, text, p[0]), p[1:]
		}
	}
	return at[len(text)]
}

func literal(at []bool, text []rune, c rune) []bool {
	next := make([]bool, len(at))
	for i, r := range text {
		next[i+1] = at[i] && r == c
	}
	return next
}

func star(at []bool, text []rune, across bool) []bool {
	next := make([]bool, len(at))
	next[0] = at[0]
	for i, r := range text {
		next[i+1] = at[i+1] || (next[i] && (across || r != '/'))
	}
	return next
}

// starSlash fits nothing, or any text that ends in a slash.
func starSlash(at []bool, text []rune) []bool {
	next := make([]bool, len(at))
	reached := false
	next[0] = at[0]
	for i, r := range text {
		reached = reached || at[i]
		next[i+1] = at[i+1] || (reached && r == '/')
	}
	return next
}
