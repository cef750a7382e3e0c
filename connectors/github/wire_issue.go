package github

import (
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
)

// The structs below hold what the endpoints for issues, search, comments,
// timelines, labels and milestones answer (docs.github.com/rest, version
// 2022-11-28), as far as it is used.

type wireIssue struct {
	Number        *int        `json:"number"`
	Title         *string     `json:"title"`
	State         string      `json:"state"`
	StateReason   string      `json:"state_reason"`
	Body          string      `json:"body"`
	User          *wireLogin  `json:"user"` // null for a deleted account
	Assignees     []wireLogin `json:"assignees"`
	Labels        []wireNamed `json:"labels"`
	Milestone     *wireTitled `json:"milestone"`
	Type          *wireNamed  `json:"type"`
	Comments      *int        `json:"comments"`
	CreatedAt     *time.Time  `json:"created_at"`
	UpdatedAt     *time.Time  `json:"updated_at"`
	ClosedAt      *time.Time  `json:"closed_at"`
	HTMLURL       string      `json:"html_url"`
	RepositoryURL string      `json:"repository_url"`
	PullRequest   *struct{}   `json:"pull_request"` // there if it is a pull request (GH-39)
	ParentURL     string      `json:"parent_issue_url"`
	SubIssues     *struct {
		Total int `json:"total"`
	} `json:"sub_issues_summary"`
}

func (w wireIssue) Missing() string {
	switch {
	case w.Number == nil:
		return "number"
	case w.Title == nil:
		return "title"
	}
	return ""
}

type wireNamed struct {
	Name *string `json:"name"`
}

func (w wireNamed) Missing() string { return absentKey("name", w.Name == nil) }

type wireTitled struct {
	Title *string `json:"title"`
}

func (w wireTitled) Missing() string { return absentKey("title", w.Title == nil) }

type wireAccount struct {
	Login *string `json:"login"`
}

func (w wireAccount) Missing() string { return absentKey("login", w.Login == nil) }

// wireOwnerSize is an organization or user, with the number of its repositories.
type wireOwnerSize struct {
	Login        *string `json:"login"`
	PublicRepos  int     `json:"public_repos"`
	PrivateRepos int     `json:"total_private_repos"`
}

func (w wireOwnerSize) Missing() string { return absentKey("login", w.Login == nil) }

type wireIssueSearch struct {
	Total      *int         `json:"total_count"`
	Incomplete *bool        `json:"incomplete_results"`
	Items      *[]wireIssue `json:"items"`
}

func (w wireIssueSearch) Missing() string {
	switch {
	case w.Total == nil:
		return "total_count"
	case w.Incomplete == nil:
		return "incomplete_results"
	case w.Items == nil:
		return "items"
	}
	if key := upstream.MissingIn("", *w.Items); key != "" {
		return "items" + key
	}
	return ""
}

type wireComment struct {
	ID        *int64     `json:"id"`
	User      *wireLogin `json:"user"`
	Body      *string    `json:"body"`
	CreatedAt *time.Time `json:"created_at"`
	HTMLURL   string     `json:"html_url"`
}

func (w wireComment) Missing() string {
	return absentKey("id", w.ID == nil) + absentKey("body", w.ID != nil && w.Body == nil)
}

// wireTimeline is one event of a timeline; which keys it has depends on the event.
type wireTimeline struct {
	Event     *string     `json:"event"`
	Actor     *wireLogin  `json:"actor"`
	CreatedAt *time.Time  `json:"created_at"`
	Label     *wireNamed  `json:"label"`
	Assignee  *wireLogin  `json:"assignee"`
	Milestone *wireTitled `json:"milestone"`
	CommitID  string      `json:"commit_id"`
	Reason    string      `json:"state_reason"`
	Rename    *struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"rename"`
	Source *struct {
		Issue *wireIssue `json:"issue"`
	} `json:"source"`
}

func (w wireTimeline) Missing() string { return absentKey("event", w.Event == nil) }
