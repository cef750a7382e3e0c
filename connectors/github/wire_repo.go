package github

import (
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
)

// The structs below hold what the repository and document endpoints of the
// REST API (docs.github.com/rest, version 2022-11-28) answer, as far as it is
// used. A key whose absence would change the verdict is a pointer: without it
// the answer is a shape error, never an empty list.

type wireContent struct {
	Type            *string        `json:"type"`
	Name            string         `json:"name"`
	Path            string         `json:"path"`
	SHA             string         `json:"sha"`
	Bytes           *int64         `json:"size"`
	Encoding        string         `json:"encoding"`
	Content         string         `json:"content"`
	Target          string         `json:"target"`
	SubmoduleGitURL *string        `json:"submodule_git_url"`
	HTMLURL         string         `json:"html_url"`
	Entries         *[]wireContent `json:"entries"`

	sized, filled bool // the keys size and content were there
}

func (w wireContent) Missing() string {
	switch {
	case w.Type == nil || !slices.Contains(contentTypes, *w.Type):
		return "type"
	case *w.Type == "file" && w.SubmoduleGitURL == nil && !w.sized && (w.Bytes != nil || w.Content == ""):
		return "size" // content that is there needs no size to be read
	case *w.Type == "file" && w.SubmoduleGitURL == nil && !w.filled && !isHash(w.SHA):
		return "content" // with a hash it can be read as a blob
	}
	return ""
}

// size is how long the file is said to be.
func (w wireContent) size() int64 {
	if w.Bytes == nil {
		return 0
	}
	return *w.Bytes
}

// contentTypes is what can stand at a path, as GitHub calls it.
var contentTypes = []string{"file", "dir", "symlink", "submodule"}

type wireTree struct {
	SHA       string       `json:"sha"`
	Tree      *[]wireEntry `json:"tree"`
	Truncated *bool        `json:"truncated"`
}

func (w wireTree) Missing() string {
	switch {
	case w.Tree == nil:
		return "tree"
	case w.Truncated == nil:
		return "truncated"
	}
	if key := upstream.MissingIn("", *w.Tree); key != "" {
		return "tree" + key
	}
	return ""
}

type wireEntry struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"` // blob, tree, commit (a submodule)
	SHA  string `json:"sha"`
	Size int64  `json:"size"`
}

type wireBlob struct {
	SHA      string  `json:"sha"`
	Size     *int64  `json:"size"`
	Encoding *string `json:"encoding"`
	Content  *string `json:"content"`
}

func (w wireBlob) Missing() string {
	switch {
	case w.Size == nil:
		return "size"
	case w.Encoding == nil:
		return "encoding"
	case w.Content == nil:
		return "content"
	}
	return ""
}

type wireSignature struct {
	Name  string     `json:"name"`
	Email string     `json:"email"`
	Date  *time.Time `json:"date"`
}

type wireLogin struct {
	Login string `json:"login"`
}

type wireParent struct {
	SHA string `json:"sha"`
}

// wireCommit is a commit as the commits, compare and search endpoints give it.
type wireCommit struct {
	SHA     *string `json:"sha"`
	HTMLURL string  `json:"html_url"`
	Commit  *struct {
		Message   string         `json:"message"`
		Author    *wireSignature `json:"author"`
		Committer *wireSignature `json:"committer"`
		Tree      struct {
			SHA string `json:"sha"`
		} `json:"tree"`
		CommentCount *int `json:"comment_count"`
	} `json:"commit"`
	Author  *wireLogin   `json:"author"` // null if no account is linked
	Parents []wireParent `json:"parents"`
	Stats   *struct {
		Additions int `json:"additions"`
		Deletions int `json:"deletions"`
	} `json:"stats"`
	Files *[]wireFile `json:"files"`
}

func (w wireCommit) Missing() string {
	switch {
	case w.SHA == nil || *w.SHA == "" || strings.ContainsFunc(*w.SHA, notWord):
		return "sha"
	case w.Commit == nil:
		return "commit"
	}
	return ""
}

// wireFile is one file of a commit, comparison or pull request.
type wireFile struct {
	Filename         *string `json:"filename"`
	PreviousFilename string  `json:"previous_filename"`
	Status           string  `json:"status"`
	Additions        int     `json:"additions"`
	Deletions        int     `json:"deletions"`
	Changes          int     `json:"changes"`
	Patch            *string `json:"patch"`
}

func (w wireFile) Missing() string {
	if w.Filename == nil {
		return "filename"
	}
	return ""
}

type wireCodeSearch struct {
	TotalCount        *int           `json:"total_count"`
	IncompleteResults *bool          `json:"incomplete_results"`
	Items             *[]wireCodeHit `json:"items"`
}

func (w wireCodeSearch) Missing() string {
	switch {
	case w.TotalCount == nil:
		return "total_count"
	case w.IncompleteResults == nil:
		return "incomplete_results"
	case w.Items == nil:
		return "items"
	}
	return ""
}

type wireCodeHit struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	SHA        string `json:"sha"`
	HTMLURL    string `json:"html_url"`
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
	TextMatches []struct {
		Fragment string `json:"fragment"`
		Property string `json:"property"`
	} `json:"text_matches"`
}

type wireListedRepo struct {
	FullName      *string    `json:"full_name"`
	HTMLURL       string     `json:"html_url"`
	Description   string     `json:"description"`
	Private       bool       `json:"private"`
	Archived      bool       `json:"archived"`
	Fork          bool       `json:"fork"`
	DefaultBranch string     `json:"default_branch"`
	PushedAt      *time.Time `json:"pushed_at"`
	Owner         wireLogin  `json:"owner"`
}

func (w wireListedRepo) Missing() string {
	if w.FullName == nil {
		return "full_name"
	}
	if _, ok := parseRepo(*w.FullName); !ok {
		return "full_name"
	}
	return ""
}

type wireOwner struct {
	Login  string  `json:"login"`
	Type   *string `json:"type"` // User, Organization
	Public int     `json:"public_repos"`
}

func (w wireOwner) Missing() string {
	if w.Type == nil {
		return "type"
	}
	return ""
}

// wireBranch is a branch or a tag.
type wireBranch struct {
	Name      *string    `json:"name"`
	Commit    wireParent `json:"commit"`
	Protected bool       `json:"protected"`
}

func (w wireBranch) Missing() string {
	if w.Name == nil {
		return "name"
	}
	return ""
}

// wireGitRef is one entry of git/matching-refs.
type wireGitRef struct {
	Ref *string `json:"ref"`
}

func (w wireGitRef) Missing() string {
	if w.Ref == nil {
		return "ref"
	}
	return ""
}

type wireSide struct {
	Label string `json:"label"`
	Ref   string `json:"ref"`
	SHA   string `json:"sha"`
	Repo  *struct {
		FullName string `json:"full_name"`
	} `json:"repo"` // null if the fork is gone
}

func (w wireSide) fullName() string {
	if w.Repo == nil {
		return ""
	}
	return w.Repo.FullName
}

type wirePull struct {
	Number    *int       `json:"number"`
	State     *string    `json:"state"`
	Title     string     `json:"title"`
	Body      string     `json:"body"`
	HTMLURL   string     `json:"html_url"`
	Draft     bool       `json:"draft"`
	User      *wireLogin `json:"user"`
	CreatedAt *time.Time `json:"created_at"`
	UpdatedAt *time.Time `json:"updated_at"`
	MergedAt  *time.Time `json:"merged_at"`
	Base      wireSide   `json:"base"`
	Head      wireSide   `json:"head"`
	Labels    []struct {
		Name string `json:"name"`
	} `json:"labels"`
	Additions      int  `json:"additions"`
	Deletions      int  `json:"deletions"`
	ChangedFiles   *int `json:"changed_files"`
	Commits        int  `json:"commits"`
	Comments       *int `json:"comments"`
	ReviewComments *int `json:"review_comments"`
}

func (w wirePull) Missing() string {
	switch {
	case w.Number == nil:
		return "number"
	case w.State == nil:
		return "state"
	}
	return ""
}

// wireRemark is a comment of an issue, a review comment, a commit comment, or a review.
type wireRemark struct {
	ID          *int64     `json:"id"`
	User        *wireLogin `json:"user"`
	Body        string     `json:"body"`
	State       string     `json:"state"`
	CreatedAt   *time.Time `json:"created_at"`
	SubmittedAt *time.Time `json:"submitted_at"`
	HTMLURL     string     `json:"html_url"`
	Path        string     `json:"path"`
	Line        *int       `json:"line"`
	OldLine     *int       `json:"original_line"`
}

func (w wireRemark) Missing() string {
	if w.ID == nil {
		return "id"
	}
	return ""
}

type wireCheckRuns struct {
	TotalCount *int            `json:"total_count"`
	CheckRuns  *[]wireCheckRun `json:"check_runs"`
}

func (w wireCheckRuns) Missing() string {
	switch {
	case w.TotalCount == nil:
		return "total_count"
	case w.CheckRuns == nil:
		return "check_runs"
	}
	return ""
}

type wireCheckRun struct {
	HeadSHA    string  `json:"head_sha"`
	Name       string  `json:"name"`
	Status     string  `json:"status"`
	Conclusion *string `json:"conclusion"`
	HTMLURL    string  `json:"html_url"`
}

type wireStatuses struct {
	SHA        string        `json:"sha"`
	TotalCount *int          `json:"total_count"`
	Statuses   *[]wireStatus `json:"statuses"`
}

func (w wireStatuses) Missing() string {
	switch {
	case w.TotalCount == nil:
		return "total_count"
	case w.Statuses == nil:
		return "statuses"
	}
	return ""
}

type wireStatus struct {
	Context   string `json:"context"`
	State     string `json:"state"`
	TargetURL string `json:"target_url"`
}

type wireCompare struct {
	Status       *string       `json:"status"`
	AheadBy      int           `json:"ahead_by"`
	BehindBy     int           `json:"behind_by"`
	TotalCommits *int          `json:"total_commits"`
	HTMLURL      string        `json:"html_url"`
	BaseCommit   wireParent    `json:"base_commit"`
	MergeBase    wireParent    `json:"merge_base_commit"`
	Commits      *[]wireCommit `json:"commits"`
	Files        *[]wireFile   `json:"files"`
}

func (w wireCompare) Missing() string {
	switch {
	case w.Status == nil:
		return "status"
	case w.TotalCommits == nil:
		return "total_commits"
	case w.Commits == nil:
		return "commits"
	}
	return ""
}
