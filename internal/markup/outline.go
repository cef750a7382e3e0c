package markup

import (
	"path"
	"strconv"
	"strings"
	"unicode"
)

// Heading is one section of a document.
type Heading struct {
	Level int    // 1 is the highest
	Title string // one line of clean text without markup of links and code
	Slug  string // unique in the document
	Line  int    // in which the heading begins, counted from 1
	// Start and End are byte offsets of the section in the source, from its
	// heading to the next one that is not below it.
	Start, End int
}

// Outline lists the headings of src in order. Plain text has none, and neither
// has anything in code, comments or front matter.
func Outline(format Format, src string) []Heading {
	var found []Heading
	switch format {
	case Markdown:
		found = markdownHeadings(src)
	case AsciiDoc:
		found = asciidocHeadings(src)
	case ReStructuredText:
		found = restHeadings(src)
	case Textile:
		found = textileHeadings(src)
	default:
	}
	finish(src, found)
	return found
}

// finish fills in what follows from the order of the headings.
func finish(src string, hs []Heading) {
	slugs := slugger{}
	line, at := 1, 0
	for i := range hs {
		h := &hs[i]
		line += strings.Count(src[at:h.Start], "\n")
		at = h.Start
		h.Line = line
		if h.Slug == "" {
			h.Slug = Slug(h.Title)
		}
		h.Slug = slugs.unique(h.Slug)
	}
	var open []int // indices of the headings whose sections are not closed
	for i := range hs {
		for len(open) > 0 && hs[open[len(open)-1]].Level >= hs[i].Level {
			hs[open[len(open)-1]].End = hs[i].Start
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	for _, i := range open {
		hs[i].End = len(src)
	}
}

// maxTitle bounds titles and names, in runes.
const maxTitle = 200

// Title is what a document calls itself: the title of its front matter, else
// its first heading of the highest level it uses, else the name of its file
// without extension.
func Title(format Format, src, filename string) string {
	if format == Markdown {
		if matter := frontMatter(src); matter.title != "" {
			return Line(matter.title, maxTitle)
		}
	}
	best := Heading{}
	for _, h := range Outline(format, src) {
		if h.Title != "" && (best.Level == 0 || h.Level < best.Level) {
			best = h
		}
	}
	if best.Level > 0 {
		return best.Title
	}
	name := path.Base(filename)
	if stem := strings.TrimSuffix(name, path.Ext(name)); stem != "" {
		name = stem
	}
	return Line(name, maxTitle)
}

// Slug is the anchor that GitHub gives a heading: lower case, punctuation
// gone, spaces as hyphens.
func Slug(title string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(title)) {
		switch {
		case r == ' ':
			out.WriteByte('-')
		case r == '-', unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r), unicode.Is(unicode.Pc, r):
			out.WriteRune(r)
		}
	}
	return out.String()
}

// slugger counts how often a slug was used.
type slugger map[string]int

// unique appends -1, -2 … to a slug that was given before.
func (s slugger) unique(slug string) string {
	out := slug
	for {
		if _, taken := s[out]; !taken {
			break
		}
		s[slug]++
		out = slug + "-" + strconv.Itoa(s[slug])
	}
	s[out] = 0
	return out
}

// lineAt is the line of src that starts at an offset, without its end, and the
// offset of the next one.
func lineAt(src string, at int) (line string, next int) {
	if i := strings.IndexByte(src[at:], '\n'); i >= 0 {
		return strings.TrimSuffix(src[at:at+i], "\r"), at + i + 1
	}
	return src[at:], len(src)
}
