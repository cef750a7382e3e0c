package ref

import (
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/internal/pattern"
)

var (
	number     = pattern.New(`^#?([1-9][0-9]{0,9})$`)
	bang       = pattern.New(`^!([1-9][0-9]{0,9})$`)
	forgeItem  = pattern.New(`^([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+)([#!])([1-9][0-9]{0,9})$`)
	trackerKey = pattern.New(`^([A-Z][A-Z0-9_]{0,29})-([1-9][0-9]{0,9})$`)
	hash       = pattern.New(`^[0-9a-fA-F]{7,64}$`)
	// Backlog.md counts (task-12, sub-task task-12.1); beads hashes (bd-a1b2).
	fileTask  = pattern.New(`^([a-z][a-z0-9]{0,29}(?:-[a-z0-9]+)*)-([a-z0-9]{1,8}(?:\.[0-9]{1,6})*)$`)
	project   = pattern.New(`^[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+$`)
	revision  = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_./+~^-]*$`)
	lineTail  = pattern.New(`^(.+?):([0-9]{1,9})(?:-([0-9]{1,9})|:[0-9]{1,9})?:?$`)
	lineMark  = pattern.New(`^L([0-9]{1,9})(?:C[0-9]+)?(?:-L?([0-9]{1,9})(?:C[0-9]+)?)?$`)
	extension = pattern.New(`[^/]\.[A-Za-z][A-Za-z0-9_+-]{0,11}$`)
	// atRevision is a path in a revision, as git writes it.
	atRevision = pattern.New(`^([A-Za-z0-9_][A-Za-z0-9_./+~^-]*):([^:\s][^:]*(?::[0-9].*)?)$`)
)

// hyphens writes the signs that word processors and web pages put for a hyphen as one.
var hyphens = strings.NewReplacer("\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2212", "-")

// parseText reads a reference that is no link.
func parseText(s string) (Ref, error) {
	if t := soft(s); t != s && t != "" && !strings.Contains(t, " ") {
		switch r, err := parseText(t); {
		case err != nil:
			return r, err
		case r.Kind == Issue, r.Kind == Change, r.Kind == Commit, r.Kind == Compare, r.Kind == File:
			return r, nil
		}
	}
	r := Ref{Raw: s}
	if readItem(&r, hyphens.Replace(s)) || readRevision(&r, s) {
		return r, nil
	}
	if found, ok, err := parseRevised(s); ok || err != nil {
		return found, err
	}
	return parsePath(s)
}

// parseRevised reads branch:path and owner/repo@branch:path of a file. What does not
// end as one may be a title: Help:Contents, Talk:Crane/Nest.
func parseRevised(s string) (Ref, bool, error) {
	rest, in := s, ""
	if p, rev, ok := strings.Cut(s, "@"); ok && project.MatchString(p) && dotless(p) {
		in, rest = p, rev
	}
	m := atRevision.FindStringSubmatch(rest)
	if m == nil || strings.Contains(m[1], "..") || strings.HasSuffix(m[1], "/") {
		return Ref{}, false, nil
	}
	var tail Ref
	path, err := tail.takeTail(m[2])
	if err != nil || path == "" || !dotless(path) || !(extension.MatchString(path) || wellKnown(path)) {
		return Ref{}, false, err
	}
	return Ref{Raw: s, Kind: File, Project: in, Revision: m[1], Path: path, StartLine: tail.StartLine, EndLine: tail.EndLine, Anchor: tail.Anchor}, true, nil
}

// readItem reads the ids of issues and changes.
func readItem(r *Ref, s string) bool {
	if m := number.FindStringSubmatch(s); m != nil {
		return setNumber(r, Issue, m[1]) && setAlso(r, Change)
	}
	if m := bang.FindStringSubmatch(s); m != nil {
		r.Provider = "gitlab"
		return setNumber(r, Change, m[1])
	}
	if m := forgeItem.FindStringSubmatch(s); m != nil {
		r.Project = m[1]
		if m[2] == "!" {
			r.Provider = "gitlab"
			return setNumber(r, Change, m[3])
		}
		return setNumber(r, Issue, m[3]) && setAlso(r, Change)
	}
	if m := trackerKey.FindStringSubmatch(s); m != nil {
		r.Kind, r.Project, r.ID = Issue, m[1], s
		return true
	}
	m := fileTask.FindStringSubmatch(s)
	if m == nil || !(m[1] == "bd" || strings.ContainsAny(m[2], "0123456789")) || hash.MatchString(s) {
		return false
	}
	r.Kind, r.ID = Issue, s
	if m[1] == "bd" || m[1] == "task" {
		r.Provider = "local"
	}
	return true
}

func setNumber(r *Ref, k Kind, digits string) bool {
	r.Kind, r.ID = k, digits
	r.Number, _ = strconv.Atoi(digits)
	return true
}

func setAlso(r *Ref, k Kind) bool {
	r.Also = k
	return true
}

// readRevision reads hashes, ranges and owner/repo@revision.
func readRevision(r *Ref, s string) bool {
	rest := s
	if p, rev, ok := strings.Cut(s, "@"); ok && project.MatchString(p) && dotless(p) {
		r.Project, rest = p, rev
	}
	if readRange(r, rest) {
		return true
	}
	if hash.MatchString(rest) {
		r.Kind, r.ID, r.Revision = Commit, strings.ToLower(rest), strings.ToLower(rest)
		return true
	}
	if r.Project != "" && revision.MatchString(rest) && !strings.Contains(rest, "..") {
		r.Kind, r.Revision = Repository, rest
		return true
	}
	r.Project = ""
	return false
}

func readRange(r *Ref, s string) bool {
	base, head, ok := strings.Cut(s, "...")
	three := ok
	if !ok {
		base, head, ok = strings.Cut(s, "..")
	}
	if !ok || !rangeEnd(base) || !rangeEnd(head) {
		return false
	}
	r.Kind, r.Base, r.Head, r.ThreeDot = Compare, base, head, three
	return true
}

func rangeEnd(s string) bool {
	return revision.MatchString(s) && !strings.Contains(s, "..") &&
		!strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "/")
}

// parsePath reads a path, with lines or an anchor, and owner/repo, which has
// the same shape.
func parsePath(s string) (Ref, error) {
	r := Ref{Raw: s}
	path, err := r.takeTail(s)
	if err != nil {
		return r, err
	}
	dotted := strings.HasPrefix(path, "./")
	for strings.HasPrefix(path, "./") && len(path) > 2 {
		path = strings.TrimLeft(path[2:], "/")
	}
	// No repository: it has lines, an anchor, or was written as a path.
	sure := dotted || r.StartLine > 0 || r.Anchor != "" || !project.MatchString(path) || !dotless(path)
	pair := strings.Count(path, "/") == 1
	switch {
	case path == "":
		return Ref{Raw: s}, nil
	case strings.HasSuffix(path, "/") || path == ".":
		r.Kind, sure = Directory, true
	case extension.MatchString(path) || wellKnown(path) || r.StartLine > 0:
		r.Kind, sure = File, sure || !pair
	case pair && !sure:
		r.Kind = Repository
	case strings.Contains(path, "/") && !strings.Contains(path, " "):
		r.Kind = Directory
	default:
		return Ref{Raw: s}, nil
	}
	if r.Kind == Directory && r.Anchor != "" {
		// Directories have no anchors: dropping it would change the meaning.
		return Ref{Raw: s}, nil
	}
	if r.Path = path; r.Kind == Directory {
		r.Path = strings.TrimRight(path, "/")
	}
	switch {
	case sure:
	case r.Kind == Repository:
		r.Also, r.Project = Directory, path
	default:
		r.Also, r.Project = Repository, path
	}
	return r, nil
}

// takeTail takes lines or an anchor off the end of a path.
func (r *Ref) takeTail(s string) (path string, err error) {
	path, anchor, _ := strings.Cut(s, "#")
	if m := lineMark.FindStringSubmatch(anchor); m != nil {
		return path, r.setLines(m[1], m[2])
	}
	r.Anchor = anchor
	if m := lineTail.FindStringSubmatch(path); m != nil {
		return m[1], r.setLines(m[2], m[3])
	}
	return path, nil
}

// wellKnown tells files that have a name without an extension.
func wellKnown(path string) bool {
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "Makefile", "Dockerfile", "LICENSE", "README", "CHANGELOG", "CODEOWNERS", "Jenkinsfile", "Gemfile", "Rakefile",
		"NOTICE", "AUTHORS", "CONTRIBUTING", ".gitignore", ".gitattributes", ".editorconfig", ".env", "go.mod":
		return true
	}
	return false
}

// dotless tells that no segment is a step to another directory.
func dotless(path string) bool {
	for seg := range strings.SplitSeq(path, "/") {
		if seg == "." || seg == ".." {
			return false
		}
	}
	return true
}

// setLines takes the digits of a range; end may be "".
func (r *Ref) setLines(start, end string) error {
	if end == "" {
		end = start
	}
	a, errA := strconv.Atoi(start)
	b, errB := strconv.Atoi(end)
	if errA != nil || errB != nil || a < 1 || b < a {
		return fail(BadLines, "the lines of the reference are not a range; count from 1 and put the smaller number first, such as file.go:10-20")
	}
	r.StartLine, r.EndLine = a, b
	return nil
}
