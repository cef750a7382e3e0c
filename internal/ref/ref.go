// Package ref turns what a person pastes (a web link, owner/repo#12, PAY-12,
// a path with lines) into a typed Ref, and tells which source it belongs to.
//
// It never looks anything up: a Ref says what the text means, not that the
// thing exists. It never keeps a user name, a password or an unknown query
// parameter of a link.
package ref

import (
	"strconv"
	"strings"
)

// Kind is the kind of thing a reference names.
type Kind int

// The kinds.
const (
	// Unknown is a text without a shape of its own, such as a title, or a link
	// to a page of a product that names nothing we know.
	Unknown Kind = iota
	Issue
	// Change is a pull or merge request.
	Change
	Commit
	// Compare is a range of two revisions.
	Compare
	File
	Directory
	Repository
	// Page is a document: wiki page, Notion page, Confluence page.
	Page
	// Project is a container that is no repository: tracker project, space,
	// owner.
	Project
	Discussion
	Release
)

// String is the kind's name in snake case.
func (k Kind) String() string {
	names := [...]string{"unknown", "issue", "change", "commit", "compare", "file",
		"directory", "repository", "page", "project", "discussion", "release"}
	if k < 0 || int(k) >= len(names) {
		return "invalid"
	}
	return names[k]
}

// Ref is a reference taken apart. Fields that the text does not give are zero.
type Ref struct {
	Kind Kind
	// Also is another kind that the same text can mean: "12" may be a change,
	// "docs/guide" a directory or a repository. Unknown where there is none.
	Also Kind
	// Raw is the text without wrapping, credentials and tracking parameters.
	Raw string
	// Provider is guessed from the host or the shape of a link ("" if neither
	// tells), so it may be wrong for a host nobody configured.
	Provider string
	// Host is the lower-case host of a link, with its port unless that is the
	// scheme's own; "" for a text that is no link.
	Host string
	// BasePath is what stands before the product's own path, as far as the
	// shape tells ("/jira"); see In.
	BasePath string
	// Project is owner/repo, group/sub/project, a tracker's project key, a
	// space's key, or an owner.
	Project string
	// ID is what the provider calls it: "12", "PAY-12", a hash, a page id.
	ID string
	// Title is a page's title where the link has one.
	Title string
	// Number is the number of an issue, change or discussion in its container; 0 for
	// what is called by a key: the 12 of PAY-12 is the number of nothing elsewhere.
	Number int
	// Path is the path of a file or directory inside the repository.
	Path string
	// Revision is a branch, tag or hash. In a link to a file it is only a
	// guess: a branch may contain slashes, so that the border between it and
	// the path cannot be seen. RevPath then holds both, unsplit, for whoever
	// can ask which branches there are.
	Revision, RevPath string
	// Base and Head are the ends of a Compare; ThreeDot tells A...B (changes
	// since the merge base) from A..B.
	Base, Head string
	ThreeDot   bool
	// StartLine and EndLine count from 1, both inclusive; 0 without lines.
	StartLine, EndLine int
	// Anchor is the fragment of a link or document, without the #.
	Anchor string
	// Source is the configured source that the text names: here, in here#7.
	Source string

	// link is the canonical link, "" for a text that is no link.
	link string
	// qualifier is what stands before the reference to name the source.
	qualifier string
	// sure: Provider is told by a configured source, by the name of the host or by a
	// shape that only it has.
	sure bool
}

// Certain tells whether Provider is more than a guess from a shape that the forges share.
func (r Ref) Certain() bool { return r.sure }

// Unqualified is the reference without the name of its source.
func (r Ref) Unqualified() Ref {
	r.Source, r.qualifier = "", ""
	return r
}

// URL is the link, without credentials and tracking parameters; "" if the
// reference is no link.
func (r Ref) URL() string { return r.link }

// String is the canonical form: Parse(r.String()) gives the same Ref again, as
// long as escaping did not make it longer than MaxLength.
func (r Ref) String() string {
	if r.link != "" {
		return r.link
	}
	return r.qualifier + r.text()
}

func (r Ref) text() string {
	switch r.Kind {
	case Issue, Change:
		return r.itemString()
	case Commit:
		return withAt(r.Project, r.Revision)
	case Compare:
		dots := ".."
		if r.ThreeDot {
			dots = "..."
		}
		return withAt(r.Project, r.Base+dots+r.Head)
	case Repository:
		if r.Revision != "" {
			return r.Project + "@" + r.Revision
		}
		return r.Project
	case File:
		return r.revised(r.Path) + r.lines() + r.fragment()
	case Directory:
		if r.Also == Repository {
			return r.Path
		}
		return r.Path + "/"
	case Unknown, Page, Project, Discussion, Release:
	}
	return r.Raw
}

func (r Ref) itemString() string {
	if r.Number == 0 || r.ID != strconv.Itoa(r.Number) {
		return r.ID
	}
	mark := "#"
	if r.Kind == Change && r.Provider == "gitlab" {
		mark = "!"
	}
	return r.Project + mark + r.ID
}

// revised is a path as git writes it, with the revision in front.
func (r Ref) revised(path string) string {
	if r.Revision == "" {
		return path
	}
	return withAt(r.Project, r.Revision+":"+path)
}

func (r Ref) lines() string {
	switch {
	case r.StartLine == 0:
		return ""
	case r.EndLine == r.StartLine:
		return ":" + strconv.Itoa(r.StartLine)
	}
	return ":" + strconv.Itoa(r.StartLine) + "-" + strconv.Itoa(r.EndLine)
}

func (r Ref) fragment() string {
	if r.Anchor == "" {
		return ""
	}
	return "#" + r.Anchor
}

func withAt(project, rest string) string {
	if project == "" {
		return rest
	}
	return strings.Join([]string{project, rest}, "@")
}
