package local

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

const (
	// filesPage is how many files of a change one answer lists.
	filesPage = 100
	// maxDiff bounds the diff of one answer, in bytes.
	maxDiff = 128 << 10
	// maxBody bounds the message of a commit in an answer, in bytes.
	maxBody = 32 << 10
)

// GetChange reads a commit or a comparison of two revisions. Pull requests,
// their comments, reviews and checks are not kept in a clone.
func (c *checkout) GetChange(ctx context.Context, q connectors.ChangeGet) status.Result[connectors.Change] {
	fail := func(f *status.Failure) status.Result[connectors.Change] {
		return status.Failed[connectors.Change](c.source, *f)
	}
	project := ""
	if q.Ref.Kind == ref.Commit || q.Ref.Kind == ref.Compare {
		project = q.Ref.Project
	}
	v, failure := c.begin(ctx, project)
	if failure != nil {
		return fail(failure)
	}
	v.argument = "ref"
	ch := &change{visit: v, q: q}
	if failure := ch.bind(); failure != nil {
		return fail(failure)
	}
	read := ch.readCommit
	switch q.Ref.Kind {
	case ref.Change, ref.Issue, ref.Discussion, ref.Release, ref.Project:
		f := status.Fail(status.OperationUnsupported, status.Feature.Is("pull and merge requests"), status.Reference.Is(q.Ref.String()),
			status.Fallback("ask the forge that hosts the repository, or give a commit or A...B"))
		return fail(&f)
	case ref.Compare:
		read = ch.readComparison
	default:
	}
	if failure := read(); failure != nil {
		return fail(failure)
	}
	if failure := ch.parts(); failure != nil {
		return fail(failure)
	}
	return status.One(v.source, ch.item, ch.a)
}

// change is one question for a change on its way.
type change struct {
	*visit
	q     connectors.ChangeGet
	item  connectors.Change
	a     *status.Audit
	base  string // the commit that it is compared with; empty: with nothing
	head  string
	skip  int  // files of earlier pages
	blind bool // what it changed cannot be told
}

func (c *change) bind() *status.Failure {
	if c.q.Cursor == "" {
		return nil
	}
	n, err := strconv.Atoi(c.q.Cursor)
	if err != nil || n < 1 || n > maxSkip {
		return unusable("cursor", "give a cursor that this tool handed out for the same question")
	}
	c.skip = n
	return nil
}

// readCommit reads the commit that the reference names.
func (c *change) readCommit() *status.Failure {
	name := first(c.q.Ref.Revision, c.q.Ref.ID, c.q.Ref.Raw)
	rev, failure := c.resolve(name)
	if failure != nil {
		return failure
	}
	out := c.run(command{args: []string{"log", "-z", commitFormat, "--encoding=UTF-8", "--no-notes", "--no-mailmap", "--no-walk", rev.commit, "--"}})
	if out.fault != nil {
		return out.fault
	}
	f := records(out.bytes)
	if len(f) < commitFields {
		f := status.Fail(status.ShapeError, status.MissingKey.Is("the fields of a commit"))
		return &f
	}
	commit := c.commit(f)
	_, body, _ := strings.Cut(strings.TrimLeft(f[6], "\n"), "\n")
	body, _ = markup.Clean(strings.Trim(body, "\n"))
	shown, cut := markup.Cut(body, maxBody)
	c.item = connectors.Change{
		Origin: commit.Origin, Kind: "commit", Author: commit.Author, CreatedAt: commit.AuthoredAt,
		Head: markup.Line(name, maxRevision), HeadSHA: rev.commit, Body: shown,
	}
	c.item.UpdatedAt = commit.CommittedAt
	c.head = rev.commit
	c.a = c.audit("git log "+rev.commit, 0)
	c.noteAmbiguous(c.a, rev)
	if cut {
		c.a.Unmade(status.Completeness, ownCap(maxBody))
	}
	if len(commit.Parents) > 0 {
		c.base = commit.Parents[0]
		c.item.Base = c.base
	}
	if c.facts.shallow && c.boundary()[rev.commit] { // LG-03
		c.blind = true
		c.a.Unmade(status.Completeness, incomplete(partShallow))
	}
	return nil
}

// readComparison reads what lies between two revisions.
func (c *change) readComparison() *status.Failure {
	base, failure := c.resolve(first(c.q.Ref.Base, "HEAD"))
	if failure != nil {
		return failure
	}
	head, failure := c.resolve(first(c.q.Ref.Head, "HEAD"))
	if failure != nil {
		return failure
	}
	c.base, c.head = base.commit, head.commit
	dots := ".."
	if c.q.Ref.ThreeDot {
		dots = "..."
		if failure := c.mergeBase(base, head); failure != nil {
			return failure
		}
	}
	count := c.run(command{args: []string{"rev-list", "--count", base.commit + ".." + head.commit, "--"}})
	if count.fault != nil {
		return count.fault
	}
	name := markup.Line(base.asked+dots+head.asked, maxRevision*2)
	c.item = connectors.Change{
		Origin: connectors.Origin{Source: c.source, Container: c.facts.name, Ref: name, Title: name}, Kind: "comparison",
		Base: markup.Line(base.asked, maxRevision), Head: markup.Line(head.asked, maxRevision), HeadSHA: head.commit,
	}
	c.item.Commits, _ = strconv.Atoi(count.text()) // git prints a number or fails
	c.a = c.audit("git rev-list "+base.commit+".."+head.commit, ofHistory)
	c.noteAmbiguous(c.a, base)
	c.noteAmbiguous(c.a, head)
	return nil
}

// mergeBase replaces the base by the last commit that both ends share. LG-04:
// in a clone that lacks commits, none may be found where there is one.
func (c *change) mergeBase(base, head revision) *status.Failure {
	out := c.run(command{answers: []int{1}, args: []string{"merge-base", base.commit, head.commit}})
	switch {
	case out.fault != nil:
		return out.fault
	case out.code == 0 && isHash(out.text()):
		c.base = out.text()
		return nil
	}
	f := status.Fail(status.NoCandidates, status.Reference.Is("a common ancestor of "+base.asked+" and "+head.asked),
		status.Fallback("compare the two directly with A..B"))
	if gaps := c.facts.gaps(ofHistory); len(gaps) > 0 {
		f = gaps[0]
	}
	return &f
}

// parts adds the parts that were asked for.
func (c *change) parts() *status.Failure {
	for _, p := range []struct {
		asked bool
		what  string
	}{{c.q.Comments, "comments of a change"}, {c.q.Reviews, "reviews of a change"}, {c.q.Checks, "checks of a change"}} {
		if p.asked {
			c.a.Unmade(status.Completeness, status.Fail(status.OperationUnsupported, status.WasCalled, status.Feature.Is(p.what)))
		}
	}
	if c.blind {
		return nil
	}
	if failure := c.files(); failure != nil {
		return failure
	}
	if !c.q.Diff || c.skip > 0 {
		return nil
	}
	out := c.run(command{args: c.diffTree("-p"), limit: maxDiff})
	if out.fault != nil {
		return out.fault
	}
	doubt(c.a, output{doubt: out.doubt})
	if out.cut {
		c.a.Unmade(status.Completeness, ownCap(maxDiff).With(status.Fallback("read the files one by one with repo_read_file")))
		out.bytes = wholeRunes(out.bytes)
	}
	diff, removed := markup.Clean(string(out.bytes))
	c.item.Diff = diff
	c.item.Removed += removed.Total()
	return nil
}

// diffTree are the arguments that compare the two ends. Plumbing ignores what
// the settings say about the looks of a diff and runs no program of theirs.
func (c *change) diffTree(how ...string) []string {
	args := append([]string{"diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--no-commit-id", "--submodule=short", "--full-index"}, how...)
	if c.base == "" {
		return append(args, "--root", c.head, "--")
	}
	return append(args, c.base, c.head, "--")
}

// files counts what changed and lists the files if they were asked for.
func (c *change) files() *status.Failure {
	out := c.run(command{args: c.diffTree("--raw", "--numstat", "-z")})
	if out.fault != nil {
		return out.fault
	}
	doubt(c.a, out)
	if out.cut { // what was cut in two is no record
		out.bytes = out.bytes[:bytes.LastIndexByte(out.bytes, 0)+1]
	}
	all := parseChanges(records(out.bytes))
	c.item.FileCount = len(all)
	for _, f := range all {
		c.item.Additions += f.Additions
		c.item.Deletions += f.Deletions
	}
	if !c.q.Files {
		return nil
	}
	if c.skip > 0 && c.skip >= len(all) {
		return stray()
	}
	all = all[c.skip:]
	if len(all) > filesPage {
		all = all[:filesPage]
		c.a.Next(strconv.Itoa(c.skip + filesPage))
	}
	c.item.Files = all
	return nil
}

// parseChanges reads diff-tree --raw --numstat -z: first a record for each file
// with its letter and names, then one with its counts.
func parseChanges(f []string) []connectors.FileChange {
	var all []connectors.FileChange
	index := map[string]int{}
	for i := 0; i < len(f); {
		switch {
		case strings.HasPrefix(f[i], ":") && i+1 < len(f):
			c := connectors.FileChange{Status: letterOf(f[i]), Path: f[i+1]}
			i += 2
			if (c.Status == "renamed" || c.Status == "copied") && i < len(f) {
				c.Previous, c.Path = c.Path, f[i]
				i++
			}
			index[c.Path] = len(all)
			all = append(all, c)
		default:
			counts := strings.SplitN(f[i], "\t", 3)
			i++
			if len(counts) != 3 {
				continue
			}
			name := counts[2]
			if name == "" && i+1 < len(f) { // a rename: the old and the new name follow
				name = f[i+1]
				i += 2
			}
			if at, ok := index[name]; ok {
				all[at].Binary = counts[0] == "-"
				all[at].Additions, _ = strconv.Atoi(counts[0]) // "-" for a binary file: zero
				all[at].Deletions, _ = strconv.Atoi(counts[1])
			}
		}
	}
	for i := range all {
		all[i].Path, all[i].Previous = shownName(all[i].Path), shownName(all[i].Previous)
	}
	return all
}

// letterOf names the status in a raw record such as ":100644 100644 a b R090".
func letterOf(record string) string {
	f := strings.Fields(record)
	switch f[len(f)-1][0] {
	case 'A':
		return "added"
	case 'D':
		return "removed"
	case 'R':
		return "renamed"
	case 'C':
		return "copied"
	case 'T':
		return "type_changed"
	default:
		return "modified"
	}
}
