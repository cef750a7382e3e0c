package connectors

import (
	"time"

	"github.com/frank-mcp/frank/internal/ref"
)

// Paging asks for one page of a listing. Limit is 1 to 100; Cursor is what the
// same source handed out as next cursor for the same question, or empty. The
// tools make cursors opaque and bind them to the question.
type Paging struct {
	Limit  int
	Cursor string
}

// Everywhere, as a container, asks for all that the account sees. An empty
// container is the source's default, else everywhere too.
const Everywhere = "*"

// IssueQuery asks for a set of issues. Texts are literal and match without case
// where the provider allows.
type IssueQuery struct {
	Text         string
	Project      string // owner/repo, project key, or Everywhere; empty: the default
	State        string // open, closed, all
	Assignee     string
	Author       string
	Labels       []string // all of them
	UpdatedSince time.Time
	Native       string // the provider's own query language
	Paging
}

// IssueGet asks for one issue. Cursor goes on in the comments.
type IssueGet struct {
	Ref      ref.Ref
	Comments bool
	Links    bool
	History  bool
	Cursor   string
}

// DescribeQuery asks what a tracker can be asked; an empty Project is the
// default project, else all projects.
type DescribeQuery struct{ Project string }

// CodeQuery asks where a literal text occurs.
type CodeQuery struct {
	Text     string
	Repo     string
	Path     string // a path prefix or a glob
	Revision string
	Paging
}

// FileGet asks for a file or for some of its lines, counted from 1, inclusive.
type FileGet struct {
	Repo      string
	Path      string
	Revision  string
	RevPath   string // from a link: revision and path unsplit, see ref.Ref
	StartLine int    // 0: from the first
	EndLine   int    // 0: to the last
}

// RepoList asks for files, repositories, branches or tags.
type RepoList struct {
	What      string // files, repos, branches, tags
	Repo      string
	Path      string
	Revision  string
	Recursive bool
	Paging
}

// ChangeGet asks for a pull request, merge request, commit or comparison with
// the parts that were asked for. Cursor goes on in the first of them.
type ChangeGet struct {
	Ref      ref.Ref
	Files    bool
	Diff     bool
	Comments bool
	Reviews  bool
	Checks   bool
	Cursor   string
}

// HistoryQuery asks for commits, newest first.
type HistoryQuery struct {
	Repo     string
	Path     string
	Revision string
	Author   string
	Since    time.Time
	Until    time.Time
	Text     string // in the message
	Paging
}

// PageQuery asks for documents that contain a literal text.
type PageQuery struct {
	Text  string
	Space string
	Paging
}

// PageGet asks for a document, or for one section of it.
type PageGet struct {
	Ref     ref.Ref
	Section string
}

// PageList asks for the documents of a space, or below a parent.
type PageList struct {
	Space  string
	Parent string
	Paging
}
