package local

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

const (
	// maxHits bounds the names of the files that one search finds, in bytes.
	maxHits = 64 << 20
	// maxLine is the longest line that is searched whole.
	maxLine = 8 << 20
	// shown is how much of a matching line an answer holds, in characters.
	shown = 240
	// binaryText stands for the lines of a file that has none.
	binaryText = "(binary file)"
)

// SearchCode finds the lines that hold a literal text, ordered by path and
// line. Without a revision it looks at the files on the disk, tracked and
// untracked, not at ignored ones; with one at that commit. Limit counts lines.
func (c *checkout) SearchCode(ctx context.Context, q connectors.CodeQuery) status.Result[connectors.CodeHit] {
	fail := func(f *status.Failure) status.Result[connectors.CodeHit] {
		return status.Failed[connectors.CodeHit](c.source, *f)
	}
	n, failure := newNeedle(q.Text, "query")
	if failure != nil {
		return fail(failure)
	}
	v, failure := c.begin(ctx, q.Repo)
	if failure != nil {
		return fail(failure)
	}
	sc, failure := c.newScope(q.Path)
	if failure != nil {
		return fail(failure)
	}
	from, failure := parseSpot(q.Cursor)
	if failure != nil {
		return fail(failure)
	}
	s := &search{visit: v, q: q, needle: n, scope: sc, from: from, limit: pageSize(q.Limit)}
	kind := ofWorkTree
	if q.Revision != "" || v.facts.bare { // LG-24
		if q.Revision != "" {
			kind = ofTree
		}
		if s.rev, failure = v.resolveOrUnborn(q.Revision); failure != nil {
			return fail(failure)
		}
	}
	if s.scope, failure = v.place(sc, s.rev.commit); failure != nil {
		return fail(failure)
	}
	if failure := s.survey(); failure != nil {
		return fail(failure)
	}
	if s.scope.prefix != "" && s.looked.files == 0 {
		if !s.onDiskToo() {
			return missing[connectors.CodeHit](v, s.scope.prefix, s.rev.commit)
		}
		if failure := v.notSkipped(s.scope); failure != nil {
			return fail(failure)
		}
	}
	return s.answer(kind)
}

// search is one search on its way.
type search struct {
	*visit
	q      connectors.CodeQuery
	needle *needle
	scope  scope
	rev    revision // zero: the work tree
	from   spot
	limit  int

	looked survey
	hits   []string // files that may hold the text, sorted
	outs   []output
}

func (s *search) atCommit() bool { return s.rev.commit != "" }

// answer finds the page of lines and makes the checks.
func (s *search) answer(kind question) status.Result[connectors.CodeHit] {
	if failure := s.findFiles(); failure != nil {
		return status.Failed[connectors.CodeHit](s.source, *failure)
	}
	page, failure := s.findLines()
	if failure != nil {
		return status.Failed[connectors.CodeHit](s.source, *failure)
	}
	by := "git grep on the disk"
	if s.atCommit() {
		by = "git grep " + s.rev.commit
	}
	a := s.audit(by, kind)
	doubt(a, s.outs...)
	s.looked.tell(a)
	s.noteAmbiguous(a, s.rev)
	if s.perlless.Load() {
		a.Unmade(status.Effectiveness, unsupportedPerl())
	}
	if s.scope.glob != nil && s.looked.files == 0 {
		a.Fail(status.Effectiveness, status.Fail(status.FilterUnresolved, status.Filter.Is("path "+s.scope.asked)))
	}
	for _, f := range page.gaps {
		a.Fail(status.Completeness, f)
	}
	if page.more {
		a.Next(page.last.String())
	}
	a.Examined(s.looked.files)
	return status.List(s.source, page.items, a)
}

// spot is a line of a file: up to it, an earlier page was handed out.
type spot struct {
	path string
	line int
}

// String is the spot as a cursor.
func (s spot) String() string { return strconv.Itoa(s.line) + ":" + shownName(s.path) }

func parseSpot(cursor string) (spot, *status.Failure) {
	if cursor == "" {
		return spot{}, nil
	}
	line, path, ok := strings.Cut(cursor, ":")
	n, err := strconv.Atoi(line)
	if !ok || err != nil || path == "" || n < 0 {
		return spot{}, unusable("cursor", "give a cursor that this tool handed out for the same question")
	}
	return spot{rawName(path), n}, nil
}

// page is what one page of a search holds.
type page struct {
	items []connectors.CodeHit
	lines int
	last  spot
	more  bool
	gaps  []status.Failure
}

// findLines reads the files that git named, from the cursor on, until the page
// is full and one further match is known or known not to be.
func (s *search) findLines() (*page, *status.Failure) {
	p := &page{}
	start, found := slices.BinarySearch(s.hits, s.from.path)
	if found && s.from.line == 0 {
		start++ // a file without lines was handed out whole
	}
	if s.from.path != "" && !found && start == len(s.hits) {
		return nil, stray()
	}
	files := s.openAll(s.hits[start:])
	defer files.close()
	for !p.more {
		name, r, failure := files.next()
		if failure != nil {
			if s.ctx.Err() != nil {
				return nil, failure
			}
			p.gaps = append(p.gaps, *failure)
			continue
		}
		if r == nil {
			return p, nil
		}
		s.linesOf(p, name, r)
	}
	return p, nil
}

// linesOf adds the matching lines of one file to the page.
func (s *search) linesOf(p *page, name string, r io.Reader) {
	hit := connectors.CodeHit{
		Origin: connectors.Origin{Source: s.source, Container: s.facts.name, Ref: shownName(name)}, Repo: s.facts.name, Path: shownName(name), Revision: s.revisionName(),
	}
	c := open(r)
	switch {
	case c.lfs >= 0 || c.empty:
		return // the survey counts pointers
	case c.text == nil: // git says that its bytes hold the text
		if p.lines == s.limit {
			p.more = true
			return
		}
		hit.Matches = []connectors.LineMatch{{Text: binaryText}}
		p.take(hit, spot{name, 0})
		return
	}
	err := eachLine(c.text, maxLine, func(n int, line []byte, cut bool) bool {
		if cut {
			p.gaps = append(p.gaps, ownCap(maxLine).With(pathFact(name)))
		}
		if name == s.from.path && n <= s.from.line {
			return true
		}
		at := s.needle.find(line)
		if at < 0 {
			return true
		}
		if p.lines+len(hit.Matches) == s.limit {
			p.more = true
			return false
		}
		hit.Matches = append(hit.Matches, connectors.LineMatch{Line: n, Text: window(line, at)})
		return true
	})
	if err != nil && !errors.Is(err, errEnough) {
		p.gaps = append(p.gaps, status.Fail(status.TruncatedBody, pathFact(name)))
	}
	if len(hit.Matches) > 0 {
		hit.Ref = hit.Path + ":" + strconv.Itoa(hit.Matches[0].Line)
		p.take(hit, spot{name, hit.Matches[len(hit.Matches)-1].Line})
	}
}

// take adds a hit to the page. A binary file counts as one line.
func (p *page) take(hit connectors.CodeHit, last spot) {
	p.items = append(p.items, hit)
	p.lines += len(hit.Matches)
	p.last = last
}

// window is the part of a line around a match.
func window(line []byte, at int) string {
	if at > shown/2 {
		start := at - shown/4
		for start < at && line[start]&0xC0 == 0x80 {
			start++
		}
		return "…" + markup.Line(string(line[start:min(len(line), start+4*shown)]), shown)
	}
	return markup.Line(strings.TrimRight(string(line[:min(len(line), 8*shown)]), " \t"), shown)
}

func (s *search) revisionName() string {
	switch {
	case s.rev.ambiguous:
		return s.rev.full
	case s.atCommit():
		return s.rev.asked
	default:
		return ""
	}
}
