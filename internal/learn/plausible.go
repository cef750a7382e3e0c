package learn

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plausible reports whether said may be another spelling of meant. Both are taken
// apart at the last slash into what is before and the name itself; names are
// compared by their tokens, runs of letters or digits in lower case. It is true if
//
//   - the tokens of the name that was said all occur in the name that was meant
//     ("payments" in "acme/payments-api"), or the letters of both differ by one edit
//     from 5 letters on and by two from 9 letters on ("paymnets" and "payments"),
//     exchanging two neighbours being one edit; and
//   - what stands before the name was not said, is the same in both, or differs by
//     such an edit while the name itself is the same.
//
// Digits are never corrected: each run of them that was said is in what was meant,
// and where letters differ by an edit, all are. Names that are the same apart from
// their case are no other spelling.
func Plausible(said, meant string) bool {
	if strings.EqualFold(said, meant) {
		return false
	}
	saidOwner, saidName := split(said)
	meantOwner, meantName := split(meant)
	s, m := tokens(saidName), tokens(meantName)
	if len(s) == 0 || len(m) == 0 {
		return false
	}
	same := slices.Equal(s, m)
	if saidOwner != "" {
		so, mo := tokens(saidOwner), tokens(meantOwner)
		if !slices.Equal(so, mo) && !(same && near(so, mo)) {
			return false
		}
	}
	return same || contains(m, s) || near(s, m)
}

func split(name string) (owner, last string) {
	name = strings.Trim(name, "/ ")
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "", name
	}
	return name[:i], name[i+1:]
}

// tokens are the runs of letters and the runs of digits.
func tokens(name string) []string {
	var out []string
	var run []rune
	end := func() {
		if len(run) > 0 {
			out, run = append(out, string(run)), nil
		}
	}
	for _, r := range strings.ToLower(name) {
		digit := unicode.IsDigit(r)
		if !digit && !unicode.IsLetter(r) {
			end()
			continue
		}
		if len(run) > 0 && unicode.IsDigit(run[0]) != digit {
			end()
		}
		run = append(run, r)
	}
	end()
	return out
}

// contains is true if every token that was said is there, and one of them says
// more than a number or two letters do.
func contains(all, said []string) bool {
	telling := false
	for _, t := range said {
		if !slices.Contains(all, t) {
			return false
		}
		telling = telling || !number(t) && utf8.RuneCountInString(t) > 2
	}
	return telling
}

func number(token string) bool { return token[0] >= '0' && token[0] <= '9' }

// near compares the letters, the digits being equal.
func near(a, b []string) bool {
	if !slices.Equal(only(a, number), only(b, number)) {
		return false
	}
	letters := func(t string) bool { return !number(t) }
	x, y := []rune(strings.Join(only(a, letters), "")), []rune(strings.Join(only(b, letters), ""))
	switch n := min(len(x), len(y)); {
	case n >= 9:
		return edits(x, y, 2)
	case n >= 5:
		return edits(x, y, 1)
	default:
		return string(x) == string(y)
	}
}

func only(tokens []string, keep func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(tokens), func(t string) bool { return !keep(t) })
}

// edits reports whether at most limit letters were put in, left out, replaced, or
// exchanged with their neighbour.
func edits(x, y []rune, limit int) bool {
	if len(x)-len(y) > limit || len(y)-len(x) > limit {
		return false
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)] <= limit
}
