package jira

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
)

// stamp is a time as Jira writes it: with the offset as four digits, in Cloud's
// later interfaces as RFC 3339.
type stamp struct{ time.Time }

// UnmarshalJSON reads either form.
func (s *stamp) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	if text == "" {
		return nil
	}
	t, err := time.Parse("2006-01-02T15:04:05.999-0700", text)
	if err != nil {
		t, err = time.Parse(time.RFC3339Nano, text)
	}
	s.Time = t.UTC()
	return err
}

// at is the time, or nil for none.
func (s *stamp) at() *time.Time {
	if s == nil || s.IsZero() {
		return nil
	}
	t := s.Time
	return &t
}

type wireServer struct {
	BaseURL    string  `json:"baseUrl"`
	Deployment *string `json:"deploymentType"`
}

func (w wireServer) Missing() string {
	return upstream.Absent("deploymentType", w.Deployment == nil || *w.Deployment == "")
}

// wireUser is an account: known by accountId in Cloud, by name and key in Data Center.
type wireUser struct {
	AccountID string `json:"accountId"`
	Name      string `json:"name"`
	Key       string `json:"key"`
	Email     string `json:"emailAddress"`
	Display   string `json:"displayName"`
}

func (w wireUser) Missing() string {
	return upstream.Absent("accountId", w.AccountID == "" && w.Name == "")
}

// person is a field that holds an account. It tells nobody from nothing told: a field
// that the field configuration hides is left out. JR-22.
type person struct {
	*wireUser
	told bool
}

// UnmarshalJSON is asked about null too.
func (p *person) UnmarshalJSON(b []byte) error {
	p.told = true
	return json.Unmarshal(b, &p.wireUser)
}

// handle is what requests call the account.
func (w wireUser) handle(s server) string {
	if s.cloud {
		return w.AccountID
	}
	return w.Name
}

// shown is what people call the account.
func (w wireUser) shown() string {
	for _, s := range []string{w.Display, w.Name, w.AccountID} {
		if s != "" {
			return s
		}
	}
	return ""
}

// goesBy reports whether the account is called that. Cloud may keep the e-mail to
// itself, which then leaves it open.
func (w wireUser) goesBy(name string) (yes, sure bool) {
	for _, s := range []string{w.AccountID, w.Name, w.Key, w.Email, w.Display} {
		if s != "" && strings.EqualFold(s, name) {
			return true, true
		}
	}
	return false, w.Email != "" || !strings.Contains(name, "@")
}

type wireNamed struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (w wireNamed) Missing() string { return upstream.Absent("name", w.Name == "") }

type wireCategory struct {
	Key string `json:"key"`
}

type wireStatus struct {
	Name     string        `json:"name"`
	Category *wireCategory `json:"statusCategory"`
}

// closed tells whether the category of a status is the one of what is done.
func (w *wireStatus) closed() (yes, known bool) {
	if w == nil || w.Category == nil || w.Category.Key == "" {
		return false, false
	}
	return w.Category.Key == "done", true
}

type wireType struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Subtask bool   `json:"subtask"`
	Level   int    `json:"hierarchyLevel"`
}

type wireInsight struct {
	Total *int   `json:"totalIssueCount"`
	Last  *stamp `json:"lastIssueUpdateTime"`
}

type wireProject struct {
	ID          string       `json:"id"`
	Key         *string      `json:"key"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Archived    bool         `json:"archived"`
	Deleted     bool         `json:"deleted"` // it lies in the trash
	Private     *bool        `json:"isPrivate"`
	Types       []wireType   `json:"issueTypes"`
	Keys        []string     `json:"projectKeys"`
	Insight     *wireInsight `json:"insight"`
}

func (w wireProject) Missing() string {
	return upstream.Absent("key", w.Key == nil || !isProject(*w.Key))
}

type wirePermission struct {
	Have *bool `json:"havePermission"`
}

type wirePermissions struct {
	Permissions *map[string]wirePermission `json:"permissions"`
}

func (w wirePermissions) Missing() string {
	return upstream.Absent("permissions", w.Permissions == nil)
}

// wireFields are the fields of an issue that mean the same in every Jira. Those
// that a project or a field configuration leaves out are nil.
type wireFields struct {
	Summary     *string         `json:"summary"`
	Status      *wireStatus     `json:"status"`
	Type        *wireType       `json:"issuetype"`
	Priority    *wireNamed      `json:"priority"`
	Resolution  *wireNamed      `json:"resolution"`
	Assignee    person          `json:"assignee"`
	Reporter    person          `json:"reporter"`
	Creator     person          `json:"creator"`
	Labels      *[]string       `json:"labels"` // nil: not told (JR-22)
	Versions    []wireNamed     `json:"fixVersions"`
	Created     *stamp          `json:"created"`
	Updated     *stamp          `json:"updated"`
	Resolved    *stamp          `json:"resolutiondate"`
	Project     *wireProject    `json:"project"`
	Description json.RawMessage `json:"description"`
	Links       []wireLink      `json:"issuelinks"`
	Subtasks    []wireIssue     `json:"subtasks"`
	Parent      *wireIssue      `json:"parent"`
}

// wireIssue is an issue. One without its fields is a slip of the question. JR-13.
type wireIssue struct {
	ID     string      `json:"id"`
	Key    *string     `json:"key"`
	Fields *wireFields `json:"fields"`
}

func (w wireIssue) Missing() string {
	switch {
	case w.Key == nil || projectOf(*w.Key) == "":
		return "key"
	case w.Fields == nil:
		return "fields"
	case w.Fields.Summary == nil:
		return "fields.summary"
	}
	return upstream.Absent("fields.status", w.Fields.Status == nil || w.Fields.Status.Name == "")
}

// labels are the labels of an issue; none where they are not told.
func (f *wireFields) labels() []string {
	if f.Labels == nil {
		return nil
	}
	return *f.Labels
}

type wireLink struct {
	Type struct {
		Inward  string `json:"inward"`
		Outward string `json:"outward"`
	} `json:"type"`
	Inward  *wireIssue `json:"inwardIssue"`
	Outward *wireIssue `json:"outwardIssue"`
}
