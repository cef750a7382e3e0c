package local

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

const (
	// maxCommits bounds how many commits that touched one path are collected.
	maxCommits = 200_000
	// maxRenames bounds how often one file is followed to an older name.
	maxRenames = 50
	// commitFormat and commitFields are how commits are read, with -z.
	commitFormat = "--format=%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%B"
	commitFields = 7
)

// History lists commits, newest first, with those of side branches and, for a
// file, those from before it was renamed.
func (c *checkout) History(ctx context.Context, q connectors.HistoryQuery) status.Result[connectors.Commit] {
	fail := func(f *status.Failure) status.Result[connectors.Commit] {
		return status.Failed[connectors.Commit](c.source, *f)
	}
	v, failure := c.begin(ctx, q.Repo)
	if failure != nil {
		return fail(failure)
	}
	h := &history{visit: v, q: q, limit: pageSize(q.Limit)}
	if failure := h.bind(); failure != nil {
		return fail(failure)
	}
	if h.at == "" {
		rev, failure := v.resolveOrUnborn(q.Revision)
		if failure != nil {
			return fail(failure)
		}
		h.at, h.ambiguous = rev.commit, rev
	}
	if h.at == "" { // LG-15
		a := v.audit("git rev-parse HEAD: no commit yet", ofHistory)
		h.noteOthers(a)
		return status.List[connectors.Commit](v.source, nil, a)
	}
	if h.path == "" {
		return h.all()
	}
	return h.ofPath()
}

// history is one question for commits on its way.
type history struct {
	*visit
	q         connectors.HistoryQuery
	path      string
	text      *needle
	author    *needle
	at        string // the commit from which it goes back
	ambiguous revision
	skip      int
	limit     int
}

// bind checks the arguments.
func (h *history) bind() *status.Failure {
	var failure *status.Failure
	if h.path, failure = h.cleanPath(h.q.Path); failure != nil {
		return failure
	}
	if h.q.Text != "" {
		if h.text, failure = newNeedle(h.q.Text, "text"); failure != nil {
			return failure
		}
	}
	if h.q.Author != "" {
		if h.author, failure = newNeedle(h.q.Author, "author"); failure != nil {
			return failure
		}
	}
	if h.q.Cursor == "" {
		return nil
	}
	sha, skip, _ := strings.Cut(h.q.Cursor, ":")
	n, err := strconv.Atoi(skip)
	if !isHash(sha) || err != nil || n < 1 || n > maxSkip {
		return unusable("cursor", "give a cursor that this tool handed out for the same question")
	}
	h.at, h.skip = sha, n
	out := h.run(command{answers: []int{1}, args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", sha + "^{commit}"}})
	if out.fault == nil && out.code != 0 {
		return stray()
	}
	return out.fault
}

// filters are the arguments that choose among the commits.
func (h *history) filters(perl bool) []string {
	args := []string{"--encoding=UTF-8", "--no-notes", "--no-mailmap"}
	if !h.q.Since.IsZero() && h.q.Since.Unix() > 0 {
		// --since stops at the first older commit; commits with a wrong clock hide others.
		name := "--since-as-filter"
		if !h.facts.version.atLeast(2, 37) {
			name = "--since"
		}
		args = append(args, fmt.Sprintf("%s=@%d +0000", name, h.q.Since.Unix()))
	}
	if !h.q.Until.IsZero() {
		args = append(args, fmt.Sprintf("--until=@%d +0000", max(h.q.Until.Unix(), 0)))
	}
	for _, f := range []struct {
		option string
		n      *needle
	}{{"--grep=", h.text}, {"--author=", h.author}} {
		switch {
		case f.n == nil:
		case perl:
			args = append(args, "-P", f.option+f.n.pattern(inUTF8))
		default:
			args = append(args, "-E", f.option+f.n.extended())
		}
	}
	return args
}

func (h *history) filtered() bool {
	return h.text != nil || h.author != nil || !h.q.Since.IsZero() || !h.q.Until.IsZero()
}

// all lists the commits whatever they touched.
func (h *history) all() status.Result[connectors.Commit] {
	out := h.runPattern(func(perl bool) command {
		args := append([]string{"log", "-z", commitFormat, "--skip=" + strconv.Itoa(h.skip), "-n", strconv.Itoa(h.limit + 1)}, h.filters(perl)...)
		return command{args: append(args, h.at, "--")}
	})
	if out.fault != nil {
		return status.Failed[connectors.Commit](h.source, *out.fault)
	}
	items := h.commits(out)
	if h.skip > 0 && len(items) == 0 && out.doubt == nil {
		return status.Failed[connectors.Commit](h.source, *stray())
	}
	return h.answer(items, ofHistory, out)
}

// answer makes a page of the commits; one more than the page holds shows that
// there are more.
func (h *history) answer(items []connectors.Commit, rests question, outs ...output) status.Result[connectors.Commit] {
	by := "git log " + h.at
	if h.q.Revision == "" {
		by = "git log HEAD (" + h.at + ")"
	}
	a := h.audit(by, rests)
	doubt(a, outs...)
	h.noteAmbiguous(a, h.ambiguous)
	h.noteOthers(a)
	if len(items) > h.limit {
		items = items[:h.limit]
		a.Next(h.at + ":" + strconv.Itoa(h.skip+h.limit))
	}
	return status.List(h.source, items, a)
}

// noteOthers says that a question without a revision was about HEAD only, where a
// branch or tag has commits that HEAD lacks. What git cannot tell of them counts.
func (h *history) noteOthers(a *status.Audit) {
	if h.q.Revision != "" {
		return
	}
	args := []string{"rev-list", "-n", "1", "--branches", "--tags", "--remotes"}
	if h.at != "" {
		args = append(args, "--not", h.at)
	}
	out := h.run(command{args: append(args, "--"), limit: 4096})
	if out.fault != nil || out.text() != "" {
		a.Uncovered("other_branches_not_searched")
	}
}

// ofPath lists the commits that touched a path. It collects them all first,
// since neither the names that a file had nor side branches come out of one
// plain run of git log. Merges that only join what others did are left out. LG-20,
// LG-22, LG-23.
func (h *history) ofPath() status.Result[connectors.Commit] {
	fail := func(f status.Failure) status.Result[connectors.Commit] {
		return status.Failed[connectors.Commit](h.source, f)
	}
	stretches, failure := h.stretches()
	if failure != nil {
		return fail(*failure)
	}
	shas, outs, failure := h.touching(stretches, h.filters)
	if failure != nil {
		return fail(*failure)
	}
	if h.skip > 0 && h.skip >= len(shas) {
		return fail(*stray())
	}
	if len(shas) == 0 {
		if r, known := h.unknownPath(stretches); !known {
			return r
		}
	}
	shas = shas[min(h.skip, len(shas)):]
	shas = shas[:min(len(shas), h.limit+1)]
	if len(shas) == 0 {
		return h.answer(nil, ofPath, outs...)
	}
	out := h.run(command{args: []string{"log", "-z", commitFormat, "--encoding=UTF-8", "--no-notes", "--no-mailmap", "--no-walk=unsorted", "--stdin"},
		stdin: strings.Join(shas, "\n") + "\n"})
	if out.fault != nil {
		return fail(*out.fault)
	}
	return h.answer(h.commits(out), ofPath, append(outs, out)...)
}

// unknownPath decides what an empty history of a path means: known if the path
// is or was there, so that only the filters leave nothing.
func (h *history) unknownPath(stretches []stretch) (status.Result[connectors.Commit], bool) {
	var none status.Result[connectors.Commit]
	if h.filtered() {
		shas, _, failure := h.touching(stretches, func(bool) []string { return []string{"-n", "1"} })
		if failure != nil {
			return status.Failed[connectors.Commit](h.source, *failure), false
		}
		if len(shas) > 0 {
			return none, true
		}
	}
	e, failure := h.inTree(h.at, h.path)
	if failure != nil && failure.Code() != status.AccessDenied {
		return status.Failed[connectors.Commit](h.source, *failure), false
	}
	if e != nil {
		return none, true
	}
	f, failure := h.onDisk(h.path)
	switch {
	case failure != nil && failure.Code() != status.AccessDenied:
		return status.Failed[connectors.Commit](h.source, *failure), false
	case failure == nil && f != nil: // it is on the disk, and in no commit
		f.Close()
		return none, true
	}
	return missing[connectors.Commit](h.visit, h.path, h.at), false
}

// stretch is the part of a file's life under one name: the commits from at
// backwards that touched path.
type stretch struct{ at, path string }

// stretches follows a file back through its renames.
func (h *history) stretches() ([]stretch, *status.Failure) {
	all := []stretch{{h.at, h.path}}
	e, _, failure := h.lookup(h.at, h.path)
	if failure != nil || e == nil || e.mode == modeTree || e.mode == modeSubmodule {
		return all, failure
	}
	out := h.run(command{args: []string{"log", "--follow", "-M", "--diff-filter=R", "--name-status", "-z", "--no-ext-diff", "--no-textconv",
		"--format=%x01%H", "-n", strconv.Itoa(maxRenames), h.at, "--", h.path}})
	if out.fault != nil {
		return nil, out.fault
	}
	// Records: 0x01 hash, then R and a score, the old name, the new name.
	commit := ""
	fields := records(out.bytes)
	for i := 0; i < len(fields); i++ {
		f := strings.TrimLeft(fields[i], "\n")
		switch {
		case strings.HasPrefix(f, "\x01"):
			commit = f[1:]
		case strings.HasPrefix(f, "R") && i+2 < len(fields) && isHash(commit):
			all = append(all, stretch{commit + "^", fields[i+1]})
			i += 2
		}
	}
	return all, nil
}

// touching lists the commits of all stretches once each, in order.
func (h *history) touching(all []stretch, filters func(bool) []string) ([]string, []output, *status.Failure) {
	var shas []string
	var outs []output
	seen := map[string]bool{}
	if h.facts.shallow { // LG-03: what a boundary commit touched is not known
		for sha := range h.boundary() {
			seen[sha] = true
		}
	}
	for _, s := range all {
		out := h.runPattern(func(perl bool) command {
			args := append([]string{"log", "--format=%H", "--full-history", "--simplify-merges", "--date-order", "-n", strconv.Itoa(maxCommits)}, filters(perl)...)
			return command{args: append(args, s.at, "--", s.path)}
		})
		if out.fault != nil {
			return nil, nil, out.fault
		}
		outs = append(outs, output{doubt: out.doubt, cut: out.cut})
		for _, sha := range strings.Fields(out.text()) {
			if !seen[sha] {
				seen[sha] = true
				shas = append(shas, sha)
			}
		}
	}
	return shas, outs, nil
}

// commits reads what commitFormat printed.
func (v *visit) commits(out output) []connectors.Commit {
	f := records(out.bytes)
	var items []connectors.Commit
	for ; len(f) >= commitFields; f = f[commitFields:] {
		items = append(items, v.commit(f))
	}
	return items
}

func (v *visit) commit(f []string) connectors.Commit {
	subject, _, _ := strings.Cut(strings.TrimLeft(f[6], "\n"), "\n")
	_, removed := markup.Clean(f[6])
	c := connectors.Commit{
		Origin:     connectors.Origin{Source: v.source, Container: v.facts.name, Ref: f[0][:min(12, len(f[0]))], Title: markup.Line(subject, 200), Removed: removed.Total()},
		SHA:        f[0],
		Author:     markup.Line(f[2], 200),
		AuthoredAt: unixTime(f[4]), CommittedAt: unixTime(f[5]),
	}
	if f[1] != "" {
		c.Parents = strings.Fields(f[1])
	}
	return c
}
