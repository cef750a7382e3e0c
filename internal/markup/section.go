package markup

import (
	"strconv"
	"strings"
)

// Section finds one section of a document, subsections included. name is a
// slug (with or without #), a title, a title in another case or punctuation,
// or a number such as 2.1: the one the titles carry, else the position in the
// outline, where a single heading above all others is the document's title and
// not counted. The first of these readings that fits anything decides.
//
// If it fits several headings ok is false and candidates are their slugs; if
// none fits, candidates is empty.
func Section(format Format, src, name string) (text string, h Heading, candidates []string, ok bool) {
	found := matches(Outline(format, src), strings.TrimSpace(name))
	switch len(found) {
	case 0:
		return "", Heading{}, nil, false
	case 1:
		return src[found[0].Start:found[0].End], found[0], nil, true
	}
	for _, h := range found {
		candidates = append(candidates, h.Slug)
	}
	return "", Heading{}, candidates, false
}

func matches(hs []Heading, name string) []Heading {
	slug := strings.TrimPrefix(name, "#")
	folded := Fold(strings.Join(strings.Fields(name), " "))
	loose := Slug(name)
	if folded == "" || slug == "" {
		return nil
	}
	readings := []func(Heading) bool{
		func(h Heading) bool { return h.Slug == slug && name != h.Title },
		func(h Heading) bool { return h.Title == name },
		func(h Heading) bool { return Fold(h.Title) == folded },
		func(h Heading) bool { return h.Slug == Fold(slug) },
		func(h Heading) bool { return loose != "" && Slug(h.Title) == loose },
	}
	number := isNumberPath(name)
	if number {
		readings = append(readings, func(h Heading) bool { return titleNumber(h.Title) == strings.TrimSuffix(name, ".") })
	}
	for _, fits := range readings {
		if found := filter(hs, fits); len(found) > 0 {
			return found
		}
	}
	if number {
		return byPosition(hs, strings.TrimSuffix(name, "."))
	}
	return nil
}

func filter(hs []Heading, fits func(Heading) bool) []Heading {
	var out []Heading
	for _, h := range hs {
		if fits(h) {
			out = append(out, h)
		}
	}
	return out
}

// isNumberPath reports whether s is numbers joined by dots, one at the end allowed.
func isNumberPath(s string) bool {
	for part := range strings.SplitSeq(strings.TrimSuffix(s, "."), ".") {
		if n, err := strconv.Atoi(part); err != nil || n < 0 || part[0] == '+' || part[0] == '-' {
			return false
		}
	}
	return true
}

// titleNumber is the number that opens a title such as "2.1. Scope", or "".
func titleNumber(title string) string {
	first, _, _ := strings.Cut(title, " ")
	first = strings.TrimRight(first, ".)")
	if first == "" || !isNumberPath(first) {
		return ""
	}
	return first
}

// byPosition numbers the outline and picks what has the number wanted.
func byPosition(hs []Heading, wanted string) []Heading {
	hs = withoutTitle(hs)
	var levels, counts []int
	for _, h := range hs {
		for len(levels) > 1 && h.Level <= levels[len(levels)-2] {
			levels, counts = levels[:len(levels)-1], counts[:len(counts)-1]
		}
		if len(levels) == 0 || h.Level > levels[len(levels)-1] {
			levels, counts = append(levels, h.Level), append(counts, 0)
		}
		levels[len(levels)-1] = h.Level
		counts[len(counts)-1]++
		if numberPath(counts) == wanted {
			return []Heading{h}
		}
	}
	return nil
}

func numberPath(counts []int) string {
	parts := make([]string, len(counts))
	for i, n := range counts {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ".")
}

// withoutTitle drops a first heading that has all the others below it.
func withoutTitle(hs []Heading) []Heading {
	if len(hs) < 2 {
		return hs
	}
	for _, h := range hs[1:] {
		if h.Level <= hs[0].Level {
			return hs
		}
	}
	return hs[1:]
}
