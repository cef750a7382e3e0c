package connectors

import (
	"slices"
	"time"

	"github.com/frank-mcp/frank/status"
)

// Origin stands in front of every item: where it comes from. Removed counts what
// was taken out of the texts of the item because their readers do not see it:
// invisible characters, and in Markdown HTML comments, which no rendered page
// shows. Bytes that are no UTF-8, which were replaced, count too.
type Origin struct {
	Source    string     `json:"source"`
	Ref       string     `json:"ref"`
	URL       string     `json:"url,omitempty"`
	Title     string     `json:"title,omitempty"`
	UpdatedAt *time.Time `json:"updated_at,omitempty"`
	Removed   int        `json:"removed_invisible,omitempty"`
	// AlsoIn names the other sources that have the same object.
	AlsoIn []string `json:"also_in,omitempty"`
	// Container is the project, repository or space that the item was found in.
	// The allow-list is judged by it: an item without one passes no allow-list.
	Container string `json:"-"`
}

// Where is the container of the item.
func (o Origin) Where() string { return o.Container }

// Candidate names the item where a reference fits several.
func (o Origin) Candidate() status.Candidate {
	return status.Candidate{Ref: o.Ref, Title: o.Title, URL: o.URL, Source: o.Source}
}

// Changed is when the item last changed; the zero time if that is not known.
func (o Origin) Changed() time.Time { return orZero(o.UpdatedAt) }

// Joins notes the other sources that have the same object.
func (o *Origin) Joins(others []string) { o.AlsoIn = others }

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// Item is what every kind of item can tell.
type Item interface {
	Where() string
	Candidate() status.Candidate
	Changed() time.Time
}

// Issue is one issue. In a listing the body and the parts are left out.
type Issue struct {
	Origin
	State     string       `json:"state,omitempty"`
	Reason    string       `json:"state_reason,omitempty"`
	Type      string       `json:"type,omitempty"`
	Priority  string       `json:"priority,omitempty"`
	Author    string       `json:"author,omitempty"`
	Assignees []string     `json:"assignees,omitempty"`
	Labels    []string     `json:"labels,omitempty"`
	Milestone string       `json:"milestone,omitempty"`
	CreatedAt *time.Time   `json:"created_at,omitempty"`
	ClosedAt  *time.Time   `json:"closed_at,omitempty"`
	Body      string       `json:"body,omitempty"`
	BodyCut   bool         `json:"body_cut,omitempty"`
	Comments  *int         `json:"comments_total,omitempty"`
	Thread    []Comment    `json:"comments,omitempty"`
	Links     []Link       `json:"links,omitempty"`
	History   []Event      `json:"history,omitempty"`
	MovedTo   string       `json:"moved_to,omitempty"`
	Fields    []NamedValue `json:"fields,omitempty"`
}

// Comment is one comment of an issue or change.
type Comment struct {
	ID        string     `json:"id,omitempty"`
	Author    string     `json:"author,omitempty"`
	CreatedAt *time.Time `json:"created_at,omitempty"`
	Body      string     `json:"body"`
	Path      string     `json:"path,omitempty"` // of a review comment
	Line      int        `json:"line,omitempty"`
	URL       string     `json:"url,omitempty"`
}

// Link is a relation to another object.
type Link struct {
	Type  string `json:"type"`
	Ref   string `json:"ref"`
	Title string `json:"title,omitempty"`
	URL   string `json:"url,omitempty"`
	State string `json:"state,omitempty"`
	// Container is where the other object is; the policy is asked about it. Empty
	// is not known.
	Container string `json:"-"`
}

// Withhold leaves out the links to objects in containers that are not kept, and
// says how many those are.
func (i Issue) Withhold(keep func(container string) bool) (Issue, int) {
	before := len(i.Links)
	i.Links = slices.DeleteFunc(slices.Clone(i.Links), func(l Link) bool { return !keep(l.Container) })
	return i, before - len(i.Links)
}

// Event is one step in the history of an issue.
type Event struct {
	At    *time.Time `json:"at,omitempty"`
	Actor string     `json:"actor,omitempty"`
	What  string     `json:"what"`
	From  string     `json:"from,omitempty"`
	To    string     `json:"to,omitempty"`
}

// NamedValue is one custom field.
type NamedValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Project describes what a tracker can be asked about one project.
type Project struct {
	Origin
	Description string   `json:"description,omitempty"`
	Visibility  string   `json:"visibility,omitempty"`
	States      []string `json:"states,omitempty"`
	Types       []string `json:"types,omitempty"`
	Labels      []string `json:"labels,omitempty"`
	People      []string `json:"people,omitempty"`
	Milestones  []string `json:"milestones,omitempty"`
	Fields      []string `json:"fields,omitempty"`
	OpenIssues  *int     `json:"open_issues,omitempty"`
	Filters     []string `json:"filters,omitempty"` // the arguments of tracker_search that work here
	NativeQuery string   `json:"native_query,omitempty"`
}

// CodeHit is one file in which a text occurs.
type CodeHit struct {
	Origin
	Repo     string      `json:"repo,omitempty"`
	Path     string      `json:"path"`
	Revision string      `json:"revision,omitempty"`
	Matches  []LineMatch `json:"matches,omitempty"`
}

// LineMatch is one matching line, counted from 1; 0 where the provider gives none.
type LineMatch struct {
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

// File is a file or some of its lines.
type File struct {
	Origin
	Repo       string `json:"repo,omitempty"`
	Path       string `json:"path"`
	Revision   string `json:"revision,omitempty"` // as asked
	SHA        string `json:"sha,omitempty"`      // of the blob
	CommitSHA  string `json:"commit,omitempty"`   // that the revision means
	SizeBytes  int64  `json:"size_bytes"`
	Encoding   string `json:"encoding,omitempty"` // if it was not UTF-8
	StartLine  int    `json:"start_line,omitempty"`
	EndLine    int    `json:"end_line,omitempty"`
	TotalLines int    `json:"total_lines,omitempty"`
	Target     string `json:"target,omitempty"` // of a symlink or submodule, whose content is there
	Text       string `json:"text"`
}

// Entry is one line of a listing: a file, directory, repository, branch or tag.
type Entry struct {
	Origin
	Type        string `json:"type"` // file, dir, symlink, submodule, repo, branch, tag
	Path        string `json:"path,omitempty"`
	SHA         string `json:"sha,omitempty"`
	SizeBytes   int64  `json:"size_bytes,omitempty"`
	Default     bool   `json:"default,omitempty"`
	Protected   bool   `json:"protected,omitempty"`
	Private     bool   `json:"private,omitempty"`
	Archived    bool   `json:"archived,omitempty"`
	Description string `json:"description,omitempty"`
	Target      string `json:"target,omitempty"` // of a symlink or submodule
}

// Change is a pull request, a merge request, a commit or a comparison.
type Change struct {
	Origin
	Kind      string       `json:"kind"` // pull_request, merge_request, commit, comparison
	State     string       `json:"state,omitempty"`
	Draft     bool         `json:"draft,omitempty"`
	Author    string       `json:"author,omitempty"`
	CreatedAt *time.Time   `json:"created_at,omitempty"`
	MergedAt  *time.Time   `json:"merged_at,omitempty"`
	Base      string       `json:"base,omitempty"`
	Head      string       `json:"head,omitempty"`
	HeadSHA   string       `json:"head_sha,omitempty"`
	Labels    []string     `json:"labels,omitempty"`
	Body      string       `json:"body,omitempty"`
	Additions int          `json:"additions,omitempty"`
	Deletions int          `json:"deletions,omitempty"`
	FileCount int          `json:"changed_files,omitempty"`
	Commits   int          `json:"commits,omitempty"`
	Files     []FileChange `json:"files,omitempty"`
	Diff      string       `json:"diff,omitempty"`
	Comments  []Comment    `json:"comments,omitempty"`
	Reviews   []Review     `json:"reviews,omitempty"`
	Checks    []CheckRun   `json:"checks,omitempty"`
	MovedTo   string       `json:"moved_to,omitempty"`
}

// FileChange is one file of a change.
type FileChange struct {
	Path      string `json:"path"`
	Previous  string `json:"previous_path,omitempty"`
	Status    string `json:"status"`
	Additions int    `json:"additions"`
	Deletions int    `json:"deletions"`
	Binary    bool   `json:"binary,omitempty"`
}

// Review is one review of a change.
type Review struct {
	Author      string     `json:"author,omitempty"`
	State       string     `json:"state"`
	SubmittedAt *time.Time `json:"submitted_at,omitempty"`
	Body        string     `json:"body,omitempty"`
}

// CheckRun is one automatic check of a change.
type CheckRun struct {
	Name       string `json:"name"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion,omitempty"`
	URL        string `json:"url,omitempty"`
}

// Commit is one commit of a history.
type Commit struct {
	Origin
	SHA         string     `json:"sha"`
	Author      string     `json:"author,omitempty"`
	AuthoredAt  *time.Time `json:"authored_at,omitempty"`
	CommittedAt *time.Time `json:"committed_at,omitempty"`
	Message     string     `json:"message,omitempty"`
	Parents     []string   `json:"parents,omitempty"`
}

// Changed is when the commit was made, in this history.
func (c Commit) Changed() time.Time {
	if c.CommittedAt == nil {
		return orZero(c.AuthoredAt)
	}
	return *c.CommittedAt
}

// Page is one document, or a hit in one.
type Page struct {
	Origin
	Space    string    `json:"space,omitempty"`
	Path     string    `json:"path,omitempty"`
	Format   string    `json:"format,omitempty"`
	Parent   string    `json:"parent,omitempty"`
	Section  string    `json:"section,omitempty"`
	Snippet  string    `json:"snippet,omitempty"`
	Line     int       `json:"line,omitempty"`
	Outline  []Heading `json:"outline,omitempty"`
	Body     string    `json:"body,omitempty"`
	BodyCut  bool      `json:"body_cut,omitempty"`
	Encoding string    `json:"encoding,omitempty"`
	Children int       `json:"children,omitempty"`
	// State is what keeps the page from being in use, such as archived; empty for one that is.
	State string `json:"state,omitempty"`
	// RedirectedFrom names, in order, the titles that led to this page.
	RedirectedFrom []string `json:"redirected_from,omitempty"`
}

// Heading is one heading of a document's outline.
type Heading struct {
	Level int    `json:"level"`
	Title string `json:"title"`
	Slug  string `json:"slug,omitempty"`
	Line  int    `json:"line,omitempty"`
}
