package local

import (
	"strconv"

	"github.com/frank-mcp/frank/status"
)

// question is a set of what an answer rests on.
type question uint8

const (
	ofHistory  question = 1 << iota // the commits before a commit
	ofPath                          // which of those commits touched a path
	ofRefs                          // the branches and tags
	ofLookup                        // whether one path exists or ever did
	ofObject                        // whether one revision or object exists
	ofWorkTree                      // the files on the disk
	ofTree                          // the files at a revision
)

// The parts that a clone can lack, as evidence names them.
const (
	partShallow   = "commits before the shallow boundary; git fetch --unshallow brings them"
	partBranches  = "branches that a single-branch clone leaves out; git remote set-branches origin '*' and git fetch bring them"
	partObjects   = "objects that a partial clone leaves out; git fetch --refetch brings them"
	partSparse    = "files that a sparse checkout keeps off the disk; a revision such as HEAD shows them"
	partSubmodule = "submodules that are not initialised; git submodule update --init brings them"
	partWorkTree  = "a work tree; the repository is bare and was read at HEAD"
)

func incomplete(part string) status.Failure {
	return status.Fail(status.CloneIncomplete, status.Part.Is(part))
}

// limit is one way in which a clone falls short and which questions it touches.
type limit struct {
	touches question
	holds   func(*facts) bool
	part    string
}

// limits is the one place that turns facts about a clone into gaps of an answer.
// What is missing from one part of the tree only (LG-08, LG-09, LG-11) depends
// on where an answer looked; see [survey.gaps].
func limits() []limit {
	return []limit{
		{ofHistory | ofPath | ofLookup | ofObject, func(f *facts) bool { return f.shallow }, partShallow}, // LG-01, LG-03, LG-04
		{ofRefs | ofLookup | ofObject, func(f *facts) bool { return f.singleBranch }, partBranches},       // LG-05
		{ofObject, func(f *facts) bool { return f.partial }, partObjects},                                 // LG-06
		{ofWorkTree, func(f *facts) bool { return f.bare }, partWorkTree},                                 // LG-24
	}
}

// gaps are the reasons why this clone cannot answer that question in full.
func (f *facts) gaps(q question) []status.Failure {
	var out []status.Failure
	for _, l := range limits() {
		if l.touches&q != 0 && l.holds(f) {
			out = append(out, incomplete(l.part))
		}
	}
	return out
}

// notes are what cannot be proved here and does not change the status.
func (f *facts) notes(q question) []string {
	var out []string
	if q&ofWorkTree != 0 && !f.bare {
		out = append(out, "ignored_files") // LG-12
	}
	if q&(ofHistory|ofRefs) != 0 && f.remote {
		out = append(out, "commits_not_fetched_from_the_remote") // LG-21
	}
	return out
}

// describe says in one line each what a person should know about the clone.
func (f *facts) describe() []string {
	var out []string
	for _, g := range f.gaps(ofHistory | ofRefs | ofLookup | ofObject | ofWorkTree | ofTree) {
		out = append(out, "the clone lacks "+g.Text("part"))
	}
	if f.sparse > 0 {
		out = append(out, strconv.Itoa(f.sparse)+" tracked files are kept off the disk by a sparse checkout")
	}
	if f.uninitialised > 0 {
		out = append(out, strconv.Itoa(f.uninitialised)+" submodules are not initialised")
	}
	if f.replaced {
		out = append(out, "replace refs are ignored: history is shown as it was committed") // LG-32
	}
	if f.remote && !f.lastMove.IsZero() {
		out = append(out, "the clone was last fetched or changed at "+f.lastMove.UTC().Format("2006-01-02 15:04")+" UTC; the remote is never asked")
	}
	return out
}
