package redmine

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
)

// wireRef is something with a number and a name.
type wireRef struct {
	ID   *int   `json:"id"`
	Name string `json:"name"`
}

func (w *wireRef) is(id int) bool { return w != nil && w.ID != nil && *w.ID == id }

func nameOf(w *wireRef) string {
	if w == nil {
		return ""
	}
	return w.Name
}

// wireListing is what stands beside the rows of a listing.
type wireListing struct {
	Total  *int `json:"total_count"`
	Offset *int `json:"offset"`
	Limit  *int `json:"limit"`
}

type wireUser struct {
	ID        *int    `json:"id"`
	Login     *string `json:"login"` // told to administrators and to the account itself
	Admin     bool    `json:"admin"`
	Firstname string  `json:"firstname"`
	Lastname  string  `json:"lastname"`
	Mail      string  `json:"mail"`
}

func (w wireUser) login() string {
	if w.Login == nil {
		return ""
	}
	return *w.Login
}

func (w wireUser) name() string { return strings.TrimSpace(w.Firstname + " " + w.Lastname) }

type wireMe struct {
	User *wireUser `json:"user"`
}

func (w wireMe) Missing() string { return upstream.Absent("user", w.User == nil || w.User.ID == nil) }

type wireUsers struct {
	wireListing
	Users *[]wireUser `json:"users"`
}

func (w wireUsers) Missing() string { return upstream.Absent("users", w.Users == nil) }

type wireProject struct {
	ID          *int       `json:"id"`
	Identifier  *string    `json:"identifier"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Status      int        `json:"status"`
	Public      *bool      `json:"is_public"`
	UpdatedOn   *time.Time `json:"updated_on"`
	Modules     *[]wireRef `json:"enabled_modules"`
	Trackers    []wireRef  `json:"trackers"`
	Categories  []wireRef  `json:"issue_categories"`
	Fields      []wireRef  `json:"issue_custom_fields"`
}

func (w wireProject) Missing() string {
	return upstream.Absent("project", w.ID == nil || w.Identifier == nil || !isProject(*w.Identifier))
}

type wireProjectOne struct {
	Project *wireProject `json:"project"`
}

func (w wireProjectOne) Missing() string {
	if w.Project == nil {
		return "project"
	}
	return w.Project.Missing()
}

type wireProjects struct {
	wireListing
	Projects *[]wireProject `json:"projects"`
}

func (w wireProjects) Missing() string { return missingRow("projects", w.Projects) }

// missingRow names what is missing of the rows of a listing.
func missingRow[T upstream.Wire](key string, rows *[]T) string {
	if rows == nil {
		return key
	}
	return upstream.MissingIn(key, *rows)
}

type wireStatus struct {
	ID     *int   `json:"id"`
	Name   string `json:"name"`
	Closed *bool  `json:"is_closed"` // since Redmine 5.0 beside each issue, before that in the list of statuses only
}

func (w wireStatus) Missing() string { return upstream.Absent("id", w.ID == nil || w.Name == "") }

type wireStatuses struct {
	Statuses *[]wireStatus `json:"issue_statuses"`
}

func (w wireStatuses) Missing() string { return missingRow("issue_statuses", w.Statuses) }

type wireField struct {
	ID    *int            `json:"id"`
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"` // a text, null, or a list of texts
}

// values are what the field holds.
func (w wireField) values() []string { return valuesOf(w.Value) }

// valuesOf are the texts in a value: one, those of a list, or a number or flag as it
// is written.
func valuesOf(raw json.RawMessage) []string {
	var text string
	var list []json.RawMessage
	switch {
	case len(raw) == 0 || string(raw) == "null" || raw[0] == '{':
		return nil
	case json.Unmarshal(raw, &text) == nil && text == "":
		return nil
	case json.Unmarshal(raw, &text) == nil:
		return []string{text}
	case json.Unmarshal(raw, &list) != nil:
		return []string{string(raw)}
	}
	var out []string
	for _, one := range list {
		if json.Unmarshal(one, &text) != nil {
			text = string(one)
		}
		out = append(out, text)
	}
	return out
}

type wireIssue struct {
	ID          *int            `json:"id"`
	Project     *wireRef        `json:"project"`
	Tracker     *wireRef        `json:"tracker"`
	Status      *wireStatus     `json:"status"`
	Priority    *wireRef        `json:"priority"`
	Author      *wireRef        `json:"author"`
	AssignedTo  *wireRef        `json:"assigned_to"`
	Category    *wireRef        `json:"category"`
	Version     *wireRef        `json:"fixed_version"`
	Parent      *wireRef        `json:"parent"`
	Subject     *string         `json:"subject"`
	Description string          `json:"description"`
	Fields      []wireField     `json:"custom_fields"`
	CreatedOn   *time.Time      `json:"created_on"`
	UpdatedOn   *time.Time      `json:"updated_on"`
	ClosedOn    *time.Time      `json:"closed_on"`
	Relations   *[]wireRelation `json:"relations"`
	Journals    *[]wireJournal  `json:"journals"`
	Allowed     *[]wireStatus   `json:"allowed_statuses"`
}

func (w wireIssue) Missing() string {
	switch {
	case w.ID == nil:
		return "id"
	case w.Project == nil || w.Project.ID == nil:
		return "project"
	case w.Status == nil || w.Status.ID == nil:
		return "status"
	case w.Subject == nil:
		return "subject"
	}
	if w.Relations != nil {
		if m := missingRow("relations", w.Relations); m != "" {
			return m
		}
	}
	if w.Journals != nil {
		return missingRow("journals", w.Journals)
	}
	return ""
}

type wireIssueOne struct {
	Issue *wireIssue `json:"issue"`
}

func (w wireIssueOne) Missing() string {
	if w.Issue == nil {
		return "issue"
	}
	return w.Issue.Missing()
}

type wireIssues struct {
	wireListing
	Issues *[]wireIssue `json:"issues"`
}

func (w wireIssues) Missing() string { return missingRow("issues", w.Issues) }

type wireRelation struct {
	ID   *int   `json:"id"`
	From *int   `json:"issue_id"`
	To   *int   `json:"issue_to_id"`
	Type string `json:"relation_type"`
}

func (w wireRelation) Missing() string {
	return upstream.Absent("issue_id", w.From == nil || w.To == nil)
}

type wireRelations struct {
	Relations *[]wireRelation `json:"relations"`
}

func (w wireRelations) Missing() string { return missingRow("relations", w.Relations) }

type wireJournal struct {
	ID        *int         `json:"id"`
	User      *wireRef     `json:"user"`
	Notes     string       `json:"notes"`
	CreatedOn *time.Time   `json:"created_on"`
	Details   []wireDetail `json:"details"`
}

func (w wireJournal) Missing() string { return upstream.Absent("id", w.ID == nil) }

type wireDetail struct {
	Property string          `json:"property"`
	Name     string          `json:"name"`
	Old      json.RawMessage `json:"old_value"` // as the value of a field; plugins also give numbers
	New      json.RawMessage `json:"new_value"`
}

type wireMember struct {
	User  *wireRef `json:"user"`
	Group *wireRef `json:"group"`
}

// who is the member, a person or a group; both may be absent for one that is gone.
func (w wireMember) who() *wireRef {
	if w.User != nil {
		return w.User
	}
	return w.Group
}

type wireMembers struct {
	wireListing
	Members *[]wireMember `json:"memberships"`
}

func (w wireMembers) Missing() string { return upstream.Absent("memberships", w.Members == nil) }

type wireVersions struct {
	wireListing
	Versions *[]wireRef `json:"versions"`
}

func (w wireVersions) Missing() string { return upstream.Absent("versions", w.Versions == nil) }

type wirePriorities struct {
	Priorities *[]wireRef `json:"issue_priorities"`
}

func (w wirePriorities) Missing() string {
	return upstream.Absent("issue_priorities", w.Priorities == nil)
}

type wireHit struct {
	ID          *int       `json:"id"`
	Title       string     `json:"title"`
	Type        string     `json:"type"`
	URL         string     `json:"url"`
	Description string     `json:"description"`
	At          *time.Time `json:"datetime"`
}

func (w wireHit) Missing() string { return upstream.Absent("id", w.ID == nil || w.Type == "") }

type wireHits struct {
	wireListing
	Results *[]wireHit `json:"results"`
}

func (w wireHits) Missing() string { return missingRow("results", w.Results) }

type wirePage struct {
	Title     *string    `json:"title"`
	Text      *string    `json:"text"` // in the page itself only
	Parent    *wirePaged `json:"parent"`
	UpdatedOn *time.Time `json:"updated_on"`
}

type wirePaged struct {
	Title string `json:"title"`
}

func (w wirePage) Missing() string { return upstream.Absent("title", w.Title == nil || *w.Title == "") }

type wirePageOne struct {
	Page *wirePage `json:"wiki_page"`
}

func (w wirePageOne) Missing() string {
	switch {
	case w.Page == nil:
		return "wiki_page"
	case w.Page.Text == nil:
		return "text"
	}
	return w.Page.Missing()
}

type wirePages struct {
	Pages *[]wirePage `json:"wiki_pages"`
}

func (w wirePages) Missing() string { return missingRow("wiki_pages", w.Pages) }
