package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/status"
)

// nearest is the name that a mistyped word most likely stands for, empty if none
// comes close or several come equally close.
func nearest(word string, names []string) string {
	word = strings.ReplaceAll(strings.ToLower(word), "-", "_")
	if len(word) > 40 {
		return ""
	}
	found, least, several := "", max(1, len(word)/3)+1, false
	for _, name := range names {
		d := distance(word, name)
		if d == least {
			several = true
		}
		if d < least {
			found, least, several = name, d, false
		}
	}
	if found != "" && !several {
		return found
	}
	holds := func(name string) bool { return len(word) > 2 && strings.Contains(name, word) }
	if i := slices.IndexFunc(names, holds); i >= 0 && !slices.ContainsFunc(names[i+1:], holds) {
		return names[i]
	}
	return ""
}

// distance counts the letters to add, drop, replace or swap with their neighbour.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// noSuch says that a word names nothing, what was probably meant, and begins the
// list of what there is.
func noSuch(what, word string, names []string) string {
	text := fmt.Sprintf("there is no %s %q", what, status.Line(word, 80))
	if near := nearest(word, names); near != "" {
		return text + "; did you mean " + near + "?\nThere are"
	}
	return text + "; there are"
}
