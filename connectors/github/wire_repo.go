package github

import "time"

// The structs below hold what the repository and document endpoints of the
// REST API (docs.github.com/rest, version 2022-11-28) answer, as far as it is
// used. A key whose absence would change the verdict is a pointer: without it
// the answer is a shape error, never an empty list.

type wireContent struct {
	Type            *string        `json:"type"`
	Name            string         `json:"name"`
	Path            string         `json:"path"`
	SHA             string         `json:"sha"`
	Size            int64          `json:"size"`
	Encoding        string         `json:"encoding"`
	Content         string         `json:"content"`
	Target          string         `json:"target"`
	SubmoduleGitURL *string        `json:"submodule_git_url"`
	HTMLURL         string         `json:"html_url"`
	Entries         *[]wireContent `json:"entries"`
}

type wireTree struct {
	SHA       string       `json:"sha"`
	Tree      *[]wireEntry `json:"tree"`
	Truncated *bool        `json:"truncated"`
}

type wireEntry struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"` // blob, tree, commit (a submodule)
	SHA  string `json:"sha"`
	Size int64  `json:"size"`
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
		CommentCount int `json:"comment_count"`
	} `json:"commit"`
	Author  *wireLogin   `json:"author"` // null if no account is linked
	Parents []wireParent `json:"parents"`
	Stats   *struct {
		Additions int `json:"additions"`
		Deletions int `json:"deletions"`
	} `json:"stats"`
	Files *[]wireFile `json:"files"`
}

// wireFile is one file of a commit, comparison or pull request.
type wireFile struct {
	Filename         string  `json:"filename"`
	PreviousFilename string  `json:"previous_filename"`
	Status           string  `json:"status"`
	Additions        int     `json:"additions"`
	Deletions        int     `json:"deletions"`
	Changes          int     `json:"changes"`
	Patch            *string `json:"patch"`
}

type wireCodeSearch struct {
	TotalCount        *int           `json:"total_count"`
	IncompleteResults *bool          `json:"incomplete_results"`
	Items             *[]wireCodeHit `json:"items"`
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
	FullName      string     `json:"full_name"`
	HTMLURL       string     `json:"html_url"`
	Description   string     `json:"description"`
	Private       bool       `json:"private"`
	Archived      bool       `json:"archived"`
	Fork          bool       `json:"fork"`
	DefaultBranch string     `json:"default_branch"`
	PushedAt      *time.Time `json:"pushed_at"`
	Owner         wireLogin  `json:"owner"`
}

type wireOwner struct {
	Login string  `json:"login"`
	Type  *string `json:"type"` // User, Organization
}

type wireBranch struct {
	Name      string     `json:"name"`
	Commit    wireParent `json:"commit"`
	Protected bool       `json:"protected"`
}

// wireGitRef is one entry of git/matching-refs.
type wireGitRef struct {
	Ref string `json:"ref"`
}

type wireSide struct {
	Label string `json:"label"`
	Ref   string `json:"ref"`
	SHA   string `json:"sha"`
	Repo  *struct {
		FullName string `json:"full_name"`
	} `json:"repo"` // null if the fork is gone
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
	Additions      int `json:"additions"`
	Deletions      int `json:"deletions"`
	ChangedFiles   int `json:"changed_files"`
	Commits        int `json:"commits"`
	Comments       int `json:"comments"`
	ReviewComments int `json:"review_comments"`
}

// wireRemark is a comment of an issue, a review comment, a commit comment, or a review.
type wireRemark struct {
	ID          int64      `json:"id"`
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

type wireCheckRuns struct {
	TotalCount *int            `json:"total_count"`
	CheckRuns  *[]wireCheckRun `json:"check_runs"`
}

type wireCheckRun struct {
	Name       string  `json:"name"`
	Status     string  `json:"status"`
	Conclusion *string `json:"conclusion"`
	HTMLURL    string  `json:"html_url"`
}

type wireStatuses struct {
	TotalCount *int          `json:"total_count"`
	Statuses   *[]wireStatus `json:"statuses"`
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
