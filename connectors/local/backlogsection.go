package local

import (
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/pattern"
)

// The marks around the description of a task.
const (
	descriptionBegin = "<!-- SECTION:DESCRIPTION:BEGIN -->"
	descriptionEnd   = "<!-- SECTION:DESCRIPTION:END -->"
	commentsBegin    = "<!-- COMMENTS:BEGIN -->"
	commentsEnd      = "<!-- COMMENTS:END -->"
)

// sectionMark finds in a text what Backlog.md would take for one of its marks.
var sectionMark = pattern.New(`(?i)<!--\s*(?:SECTION:|AC:|DOD:|COMMENTS?:)`)

// heading is a heading of the second level that opens a section.
type heading struct {
	line  int
	title string
}

// known are the sections that Backlog.md keeps in a task.
func (h heading) known() bool {
	switch markup.Fold(h.title) {
	case "description", "acceptance criteria", "acceptance criteria (optional)", "definition of done", "implementation plan",
		"implementation notes", "final summary", "comments":
		return true
	default:
		return false
	}
}

var sectionHead = pattern.New(`^## +(.*?)[ \t#]*$`)

// headings lists the headings of the second level that are no text: not in a
// block of code, and not between marks.
func headings(lines []string) []heading {
	var out []heading
	fence, marked := "", false
	for i, raw := range lines {
		line := strings.TrimSpace(bareLine(raw))
		switch {
		case strings.HasPrefix(line, "<!-- ") && strings.HasSuffix(line, ":BEGIN -->") && sectionMark.MatchString(line):
			marked, fence = true, ""
		case strings.HasPrefix(line, "<!-- ") && strings.HasSuffix(line, ":END -->") && sectionMark.MatchString(line):
			marked = false
		case marked:
		case fence != "":
			if strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "" {
				fence = ""
			}
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			fence = line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
		default:
			if m := sectionHead.FindStringSubmatch(bareLine(raw)); m != nil {
				out = append(out, heading{i, m[1]})
			}
		}
	}
	return out
}

// described is where the description of a task is.
type described struct {
	from, to int    // its lines: between the marks, below the heading, or the text before any heading
	marked   bool   // it stands between marks
	headed   bool   // it has a heading
	text     string // without empty lines around it
	others   []heading
}

// description finds the description in the lines of a task below its front
// matter; false if its marks do not fit together.
func description(lines []string) (described, bool) {
	heads := headings(lines)
	at := slices.IndexFunc(heads, func(h heading) bool { return markup.Fold(h.title) == "description" })
	var d described
	switch {
	case at < 0:
		d.to = len(lines)
		if len(heads) > 0 {
			d.to = heads[0].line
		}
		if i := slices.IndexFunc(lines[:d.to], func(s string) bool { return sectionMark.MatchString(s) }); i >= 0 {
			d.to = i
		}
		d.others = heads
	default:
		d.from, d.to, d.headed = heads[at].line+1, len(lines), true
		begin := d.from
		for begin < len(lines) && strings.TrimSpace(lines[begin]) == "" {
			begin++
		}
		if begin < len(lines) && strings.TrimSpace(lines[begin]) == descriptionBegin {
			end := slices.IndexFunc(lines[begin:], func(s string) bool { return strings.TrimSpace(s) == descriptionEnd })
			if end < 0 {
				return d, false
			}
			d.from, d.to, d.marked = begin+1, begin+end, true
			d.others = slices.Delete(slices.Clone(heads), at, at+1)
			break
		}
		for _, h := range heads[at+1:] {
			if h.known() {
				d.to = h.line
				break
			}
		}
		d.others = slices.DeleteFunc(slices.Clone(heads), func(h heading) bool { return h.line >= heads[at].line && h.line < d.to })
	}
	d.text = joined(lines[d.from:d.to])
	return d, true
}

// joined is the text of lines, without empty ones around it.
func joined(lines []string) string {
	return plainEnds(strings.ReplaceAll(strings.Join(lines, ""), "\r\n", "\n"))
}

// plainEnds takes empty lines around a text away.
func plainEnds(s string) string { return strings.Trim(strings.TrimRight(s, " \t\n"), "\n") }

// describe puts another description into a task, as Backlog.md writes it.
func (f *frontMatter) describe(d described, text string) {
	var lines []string
	if text != "" {
		lines = strings.Split(text, "\n")
	}
	from, to := f.end+1+d.from, f.end+1+d.to
	if d.marked {
		f.splice(from, to, lines...)
		f.end -= len(lines) - (to - from) // it lies behind the front matter
		return
	}
	block := append(append([]string{descriptionBegin}, lines...), descriptionEnd)
	if d.headed {
		block = append([]string{""}, block...)
	} else {
		block = append([]string{"## Description", ""}, block...)
	}
	last := to
	for last > from && strings.TrimSpace(f.lines[last-1]) == "" { // the empty lines below it stay
		last--
	}
	first := from
	if !d.headed {
		for first < last && strings.TrimSpace(f.lines[first]) == "" {
			first++
		}
		if first == from {
			block = append([]string{""}, block...)
		}
	}
	if last == to && to < len(f.lines) {
		block = append(block, "")
	}
	f.below(first, last, block)
}

// below is splice behind the front matter. The last line of the file ends as it did.
func (f *frontMatter) below(from, to int, block []string) {
	open := len(f.lines) > 0 && !strings.HasSuffix(f.lines[len(f.lines)-1], "\n")
	if open {
		f.lines[len(f.lines)-1] += f.eol
	}
	end := f.end
	f.splice(from, to, block...)
	f.end = end
	if last := len(f.lines) - 1; open {
		f.lines[last] = bareLine(f.lines[last])
	}
}

// discuss adds a comment behind the others, in the form that the others have. It
// returns the number of the comment; false if the marks do not fit together.
func (f *frontMatter) discuss(created, text string, before int) (number string, ok bool) {
	lines := f.lines[f.end+1:]
	begin := slices.IndexFunc(lines, func(s string) bool { return strings.TrimSpace(s) == commentsBegin })
	number = itoa(before + 1)
	ruled := append(append([]string{"created: " + created, commentRule}, strings.Split(text, "\n")...), commentRule)
	if begin < 0 {
		block := append(append([]string{"## Comments", "", commentsBegin}, ruled...), commentsEnd)
		at := len(lines)
		for _, h := range headings(lines) {
			if markup.Fold(h.title) == "final summary" {
				at = h.line
				break
			}
		}
		if at < len(lines) {
			block = append(block, "")
		} else {
			for at > 0 && strings.TrimSpace(lines[at-1]) == "" { // those at the end stay there
				at--
			}
		}
		if at == 0 || strings.TrimSpace(lines[at-1]) != "" {
			block = append([]string{""}, block...)
		}
		f.below(f.end+1+at, f.end+1+at, block)
		return number, true
	}
	end := slices.IndexFunc(lines[begin:], func(s string) bool { return strings.TrimSpace(s) == commentsEnd })
	if end < 0 {
		return "", false
	}
	section := lines[begin : begin+end]
	if slices.ContainsFunc(section, func(s string) bool { return strings.TrimSpace(s) == "<!-- COMMENT:BEGIN -->" }) {
		ruled = append(append([]string{"<!-- COMMENT:BEGIN -->", "index: " + number, "created: " + created, ""}, strings.Split(text, "\n")...), "<!-- COMMENT:END -->")
	}
	if before > 0 {
		ruled = append([]string{""}, ruled...)
	}
	at := f.end + 1 + begin + end
	f.below(at, at, ruled)
	return number, true
}
